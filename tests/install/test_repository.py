"""Shapes of repositories, worktrees, and the merge driver in git's configuration."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from afterword.errors import AfterwordError, NotARepository
from afterword.install import receipt, repository

from .scene import Scene, environment, snapshot


def test_a_folder_without_a_repository_is_refused(
    make_scene: Callable[..., Scene],
) -> None:
    scene = make_scene("a b", init=False)
    with pytest.raises(NotARepository) as caught:
        scene.install()
    assert str(caught.value) == (
        f"{scene.root}: not a git repository, and the memory is kept in one\n"
        f"type: git init '{scene.root}'"
    )
    assert list(scene.root.iterdir()) == []


def test_a_missing_folder_is_named(scene: Scene) -> None:
    with pytest.raises(NotARepository, match="no such directory"):
        scene.install(project=str(scene.root / "nothing"))


@pytest.mark.parametrize("where", ["bare.git", "project/.git"])
def test_a_repository_without_a_working_tree_is_refused(
    scene: Scene, tmp_path: Path, where: str
) -> None:
    scene.git("init", "-q", "--bare", str(tmp_path / "bare.git"))
    with pytest.raises(NotARepository) as caught:
        scene.install(project=str(tmp_path / where))
    assert caught.value.message == (
        f"{tmp_path / where}: has no working tree (a bare repository, or git's own directory)"
    )


def test_a_subfolder_stands_for_its_repository(scene: Scene) -> None:
    below = scene.root / "a" / "b"
    below.mkdir(parents=True)
    wiring = scene.install(project=str(below))
    assert wiring.notes == [
        f"{below} lies in the repository {scene.root}: that is what is wired"
    ]
    assert (scene.root / ".ai/bin/afterword").exists()
    assert list(below.iterdir()) == []


def test_a_submodule_keeps_a_memory_of_its_own(scene: Scene, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    scene.git("init", "-q", cwd=inner)
    scene.git("commit", "-q", "--allow-empty", "-m", "x", cwd=inner)
    scene.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sub"
    )
    before = scene.state()
    sub = Scene(scene.root / "sub", scene.home, scene.env, scene.tool)
    wiring = sub.install()
    assert wiring.notes == [
        f"{sub.root} is a submodule of {scene.root}: it keeps a memory of its own"
    ]
    assert sub.git("config", "--local", "afterword.tool") == f"{sub.command}\n"
    assert scene.git("config", "--local", "--default", "", "afterword.tool") == "\n"
    assert sub.run([".claude/hooks/afterword-stop"], stdin="{}").returncode == 0
    assert sub.called()[0] == str(sub.root)
    sub.uninstall()
    assert scene.state() == before


def test_a_repository_without_a_commit_and_with_a_detached_head(scene: Scene) -> None:
    scene.install()
    scene.uninstall()
    scene.commit()
    scene.git("checkout", "-q", "--detach")
    before = scene.state()
    scene.install()
    scene.uninstall()
    assert scene.state() == before


def test_git_variables_of_the_caller_do_not_matter(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Called from a git hook of another repository."""
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    assert scene.install().repository.root == str(scene.root)


def test_without_git_it_is_said(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(scene.home))
    with pytest.raises(AfterwordError) as caught:
        scene.install()
    assert (
        str(caught.value)
        == "git is not installed, or not on PATH\ninstall git, then run the same command again"
    )


@pytest.fixture
def worktree(scene: Scene, tmp_path: Path) -> Scene:
    """A linked worktree of the scene's repository."""
    scene.commit()
    linked = tmp_path / "linked"
    scene.git("worktree", "add", "-q", str(linked))
    return Scene(linked, scene.home, scene.env, scene.tool)


def test_an_install_from_a_worktree_is_undone_from_it(
    scene: Scene, worktree: Scene
) -> None:
    before, main = snapshot(worktree.root), scene.state()
    wiring = worktree.install()
    assert wiring.notes == [
        f"{worktree.root} is a linked worktree: git's settings are shared with the others"
    ]
    assert worktree.run([".claude/hooks/afterword-stop"], stdin="{}").returncode == 0
    assert worktree.called()[0] == str(worktree.root)
    worktree.uninstall()
    assert (snapshot(worktree.root), scene.state()) == (before, main)


def test_what_is_shared_goes_with_the_last_worktree(
    scene: Scene, worktree: Scene
) -> None:
    main = scene.state()
    scene.install()
    worktree.install()
    job = scene.uninstall()
    assert job.notes == [
        "git's configuration stays: other worktrees of this repository are wired too"
    ]
    assert worktree.run([".claude/hooks/afterword-stop"], stdin="{}").returncode == 0
    assert worktree.called()
    worktree.uninstall()
    after = scene.state()
    assert after == main


def test_a_worktree_deleted_by_hand_keeps_nothing_alive(
    scene: Scene, worktree: Scene
) -> None:
    main = scene.state()
    worktree.install()
    scene.install()
    shutil.rmtree(worktree.root)
    scene.uninstall()
    assert scene.state() == main


def test_a_worktree_uses_the_tool_of_its_repository(
    scene: Scene, worktree: Scene
) -> None:
    """Wired and committed in one, checked out in the other: nothing to install there."""
    scene.install()
    scene.commit()
    worktree.git("merge", "-q", "main")
    done = worktree.run([".claude/hooks/afterword-stop"], stdin="{}")
    assert (done.returncode, worktree.called()[0]) == (0, str(worktree.root))
    worktree.uninstall()
    assert not (worktree.root / ".claude").exists()
    assert scene.git("config", "afterword.tool") == f"{scene.command}\n"


def test_former_values_of_our_keys_come_back(scene: Scene) -> None:
    scene.git("config", "afterword.tool", "/elsewhere/afterword")
    before = scene.state()
    scene.install()
    scene.install(command=str(scene.root.parent / "second" / "bin" / "afterword"))
    assert scene.git("config", "afterword.tool").endswith("second/bin/afterword\n")
    scene.uninstall()
    assert scene.state() == before


def test_a_missing_exclude_file_is_made_and_removed(scene: Scene) -> None:
    shutil.rmtree(scene.root / ".git/info")
    before = scene.state()
    scene.install()
    assert "/.ai/local/" in (scene.root / ".git/info/exclude").read_text()
    scene.uninstall()
    assert scene.state() == before


def test_the_receipt_is_the_owner_s_alone(scene: Scene) -> None:
    """It holds the settings from before, which may hold keys (H64)."""
    scene.write(".claude/settings.json", '{"env": {"KEY": "secret"}}')
    scene.install()
    path = scene.root / ".git" / receipt.NAME
    assert path.stat().st_mode & 0o777 == 0o600
    assert "secret" not in path.read_text()


def test_a_damaged_receipt_is_named(scene: Scene) -> None:
    scene.install()
    path = scene.root / ".git" / receipt.NAME
    path.write_text("{")
    with pytest.raises(AfterwordError) as caught:
        scene.uninstall()
    assert str(caught.value) == (
        f"{path}: this receipt of an earlier install cannot be read\n"
        "move it away and run the same command again: it goes by what it finds"
    )


def test_a_moved_project_is_undone_at_its_new_place(
    scene: Scene, tmp_path: Path
) -> None:
    scene.write(".claude/settings.json", "{}")
    before = snapshot(scene.root)
    scene.install()
    moved = tmp_path / "moved"
    os.rename(scene.root, moved)
    Scene(moved, scene.home, scene.env, scene.tool).uninstall()
    assert snapshot(moved) == before


# -- the merge driver ---------------------------------------------------------------------

RECORD = ".ai/repo/knowledge/curated/r.md"


def branches(scene: Scene) -> None:
    """Two branches that change one record in the same line."""
    scene.install()
    scene.write(RECORD, "one\n")
    scene.commit()
    scene.git("checkout", "-q", "-b", "other")
    scene.write(RECORD, "theirs\n")
    scene.commit()
    scene.git("checkout", "-q", "main")
    scene.write(RECORD, "ours\n")
    scene.commit()


DRIVERS = {
    "merges": ('printf "merged: %s\\n" "$5" > "$3"; exit 0', 0, f"merged: {RECORD}\n"),
    "conflicts": ('printf "<<<<<<< a\\n" > "$3"; exit 1', 1, "<<<<<<< a\n"),
    "fails to start": ("exit 1", 1, None),
    "leaves it": ("exit 2", 1, None),
    "crashes": ("kill -9 $$", 1, None),
    "is missing": ("", 1, None),
}
TEXT_MERGE = "<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs\n"


@pytest.mark.parametrize("case", DRIVERS)
def test_the_merge_driver_never_drops_a_side(scene: Scene, case: str) -> None:
    """Where the tool cannot merge, git's text merge does, with markers."""
    body, code, text = DRIVERS[case]
    branches(scene)
    scene.command.write_text(f'#!/bin/sh\n[ "$1" = merge-driver ] || exit 9\n{body}\n')
    if not body:
        scene.command.unlink()
    done = scene.run(["git", "merge", "-q", "other"], **environment(scene.home))
    assert done.returncode == code, done.stderr
    assert (scene.root / RECORD).read_text() == (TEXT_MERGE if text is None else text)


def test_records_of_both_sides_merge_without_the_tool(scene: Scene) -> None:
    """Changes in different lines are no conflict."""
    scene.install()
    scene.write(RECORD, "".join(f"{number}\n" for number in range(9)))
    scene.commit()
    scene.git("checkout", "-q", "-b", "other")
    scene.write(RECORD, "x\n" + "".join(f"{number}\n" for number in range(9)))
    scene.commit()
    scene.git("checkout", "-q", "main")
    scene.write(RECORD, "".join(f"{number}\n" for number in range(9)) + "y\n")
    scene.commit()
    scene.command.unlink()
    scene.git("merge", "-q", "other")
    assert (scene.root / RECORD).read_text() == "x\n0\n1\n2\n3\n4\n5\n6\n7\n8\ny\n"


@pytest.mark.parametrize("first", ["", ".", "{root}/tools", "/usr/bin"])
def test_h66_install_starts_nothing_that_a_repository_brought_along(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """Neither what its local configuration names nor a git of its own."""
    mark = scene.root.parent / "was-run"
    for name in ("git", "tools/git", "planted"):
        path = scene.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
        path.chmod(0o755)
    scene.git("config", "core.fsmonitor", str(scene.root / "planted"))
    scene.git("add", "-A")
    assert mark.exists()  # git itself obeys that key
    mark.unlink()
    folder = first.format(root=scene.root)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.chdir(scene.root)
    scene.install()
    found = repository.find(str(scene.root))
    assert repository.tracks(found, "planted")
    assert repository.git(str(scene.root), "check-ignore", "--", "a").returncode == 1
    assert not mark.exists()
