"""Places in the store, and which paths may be written (H62)."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.errors import NotARepository, UnsafePath
from afterword.store import layout


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../x",
        "a/../x",
        "a/./b",
        "a//b",
        "a/",
        "C:/x",
        "c:x",
        "a\\b",
        "a\0b",
        "a\nb",
        ".git/hooks/x",
        ".GIT/x",
        "a/.git/x",
        ".claude/settings.json",
        ".codex/x",
        "CLAUDE.md",
        "a/agents.md",
        "a./b",
        "a /b",
        "x:stream",
    ],
)
def test_h62_paths_that_are_never_written(tmp_path: Path, path: str) -> None:
    with pytest.raises(UnsafePath):
        layout.confine(str(tmp_path), path)


@given(st.text())
def test_h62_whatever_is_let_through_stays_inside(text: str) -> None:
    try:
        found = layout.confine("/nowhere/root", text)
    except (UnsafePath, ValueError):
        return
    assert os.path.normpath(found) == found
    assert found.startswith("/nowhere/root/")


def test_a_link_inside_is_followed_a_link_outside_refused(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "real").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "in").symlink_to("real")
    (root / "out").symlink_to(tmp_path)
    (root / "git").symlink_to(".git")
    (root / "loop").symlink_to("loop")
    assert layout.confine(str(root), "in/x.md") == str(root / "in/x.md")
    for name in ("out/x.md", "git/x.md", "out"):
        with pytest.raises(UnsafePath):
            layout.confine(str(root), name)


def test_need_says_what_to_type(tmp_path: Path) -> None:
    with pytest.raises(NotARepository) as caught:
        layout.need(str(tmp_path))
    assert caught.value.hint == "cd into one, or name it: --repo DIR"


@pytest.mark.parametrize("name", ["a.md", "2026-04-01_x.md", "决策.md", ".ai", "a b"])
def test_a_name_that_a_path_of_ours_may_have(name):
    assert layout.is_open(name)


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "a.", "a ", "a/b", "a\\b", "c:", ".git", "CLAUDE.md", "GIT~1"],
)
def test_a_name_that_no_path_of_ours_has(name):
    assert not layout.is_open(name)
