"""What a typed compile wrote is staged whole, or not at all and it is said (L079-L081, D1)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from afterword.snapshot import places, staging
from afterword.store import layout
from project import Repo

BASE = ".ai/repo"


def stage(repo: Repo) -> str:
    store = layout.need(str(repo.root))
    return staging.stage(store, places.of(store.paths))


def compiled(repo: Repo) -> None:
    """A tree as a compile leaves it: an increment committed before is in the archive now."""
    repo.write(f"{BASE}/increments/2026-04-01_a.md", "# 2026-04-01 a\n")
    repo.commit()
    repo.write(f"{BASE}/increments/archive/2026-04-01_a.md", "# 2026-04-01 a\n")
    (repo.root / BASE / "increments/2026-04-01_a.md").unlink()
    repo.write(f"{BASE}/snapshot.md", "# AI Context Snapshot\n")
    repo.write(f"{BASE}/archive/decisions-history.md", "# Decisions history\n")
    repo.write(f"{BASE}/modules/order/knowledge.md", "# Module Knowledge: order\n")


def staged(repo: Repo) -> list[str]:
    return repo.git("diff", "--cached", "--name-status", "--no-renames").splitlines()


EVERYTHING = [
    f"A\t{BASE}/archive/decisions-history.md",
    f"D\t{BASE}/increments/2026-04-01_a.md",
    f"A\t{BASE}/increments/archive/2026-04-01_a.md",
    f"A\t{BASE}/modules/order/knowledge.md",
    f"A\t{BASE}/snapshot.md",
]


def test_d1_l079_l080_l081_all_is_staged_removals_too(repo: Repo) -> None:
    compiled(repo)
    assert stage(repo) == ""
    assert staged(repo) == EVERYTHING


def test_d1_what_a_person_changed_elsewhere_is_not_staged(repo: Repo) -> None:
    compiled(repo)
    repo.write("README.md", "changed\n")
    repo.write("new.md", "new\n")
    assert stage(repo) == ""
    assert staged(repo) == EVERYTHING


def test_l081_a_removed_folder_of_modules_is_staged_as_removed(repo: Repo) -> None:
    path = repo.write(f"{BASE}/modules/order/knowledge.md", "# x\n")
    repo.commit()
    path.unlink()
    path.parent.rmdir()
    path.parent.parent.rmdir()
    assert stage(repo) == ""
    assert staged(repo) == [f"D\t{BASE}/modules/order/knowledge.md"]


def test_nothing_to_stage_is_no_complaint(repo: Repo) -> None:
    assert stage(repo) == ""
    assert staged(repo) == []


def test_d1_before_the_first_commit_and_on_a_detached_head(tmp_path: Path) -> None:
    from project import command, run

    root = tmp_path / "unborn"
    root.mkdir()
    repo = Repo(root)
    repo.git("init", "-q")
    assert run(command("init"), root).code == 0
    repo.write(f"{BASE}/snapshot.md", "# AI Context Snapshot\n")
    assert stage(repo) == ""
    assert repo.git("diff", "--cached", "--name-only") == f"{BASE}/snapshot.md"
    repo.commit()
    repo.git("checkout", "-q", "--detach")
    repo.write(f"{BASE}/snapshot.md", "# AI Context Snapshot\n\nmore\n")
    assert stage(repo) == ""
    assert staged(repo) == [f"M\t{BASE}/snapshot.md"]


@pytest.mark.parametrize(
    ("name", "what"), [("index.lock", "index.lock"), ("MERGE_HEAD", "merge")]
)
def test_a_busy_repository_is_left_alone(repo: Repo, name: str, what: str) -> None:
    compiled(repo)
    repo.write(f".git/{name}", "")
    assert stage(repo) == (
        f"not staged: git is in the middle of something here ({what})"
    )
    (repo.root / ".git" / name).unlink()
    assert staged(repo) == []


def test_without_a_git_program_it_is_said(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled(repo)
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", "/nowhere")
    assert stage(repo) == "not staged: no git program on PATH"
    monkeypatch.setenv("PATH", path)
    assert staged(repo) == []


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        (f"/{BASE}/", "archive/decisions-history.md"),
        (f"/{BASE}/increments/archive/", "increments/archive/2026-04-01_a.md"),
        (f"/{BASE}/archive/", "archive/decisions-history.md"),
        ("knowledge.md", "modules/order/knowledge.md"),
    ],
)
def test_d1_where_git_ignores_a_part_nothing_is_staged(
    repo: Repo, pattern: str, path: str
) -> None:
    """Else a removal would be staged, and a clone would hold the text nowhere."""
    compiled(repo)
    repo.write(".gitignore", f"{pattern}\n")
    where = f"{BASE}/{path}"
    assert stage(repo) == (
        f"not staged: git ignores {where}; see: git check-ignore -v {where}"
    )
    assert staged(repo) == []


def test_a_filter_of_a_strangers_configuration_is_not_run(repo: Repo) -> None:
    compiled(repo)
    marker = repo.root.parent / "ran"
    repo.write(".gitattributes", "*.md filter=evil\n")
    with (repo.root / ".git/config").open("a") as config:
        config.write(f'[filter "evil"]\n\tclean = touch {marker}; cat\n')
    said = stage(repo)
    assert said.startswith(
        "not staged: the git filter 'evil' would run; stage it by hand: git add"
    )
    assert not marker.exists()


def test_a_filter_that_does_not_concern_us_is_no_matter(repo: Repo) -> None:
    compiled(repo)
    repo.write(".gitattributes", "*.bin filter=lfs\n")
    with (repo.root / ".git/config").open("a") as config:
        config.write('[filter "lfs"]\n\tclean = false\n')
    assert stage(repo) == ""
    assert staged(repo) == EVERYTHING
