"""Recording where an agent's sandbox lets it write in the workspace only (DESIGN 6).

The git directory and HOME are mounted read-only in a namespace of the test's own, as
agents' sandboxes do it; where that is not possible, their rights are taken away.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from project import Ran, Repo, command, run

START = {"session_id": "e1", "source": "startup"}
READ_ONLY = 'for d in "$GIT" "$HOME"; do mount --bind "$d" "$d" && mount -o remount,ro,bind "$d" || exit 99; done; '


def can_mount() -> bool:
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", "mount --bind /tmp /tmp"],
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


@pytest.fixture
def confined(repo: Repo, own_environment: Path) -> Iterator[object]:
    """Runs the command with the git directory and HOME read-only.

    Root may write anywhere, so for root it takes a mount; others have rights to lose.
    """
    git = repo.root / ".git"
    is_mounted = os.geteuid() == 0
    if is_mounted and not can_mount():
        pytest.skip("not on this system: root, and no mount namespace")

    def call(*words: str) -> Ran:
        typed = command(*words)
        if is_mounted:
            typed = ["unshare", "-m", "sh", "-c", f"{READ_ONLY} {shlex.join(typed)}"]
        done = subprocess.run(
            typed,
            cwd=repo.root,
            env={**os.environ, "GIT": str(git)},
            capture_output=True,
            text=True,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    if not is_mounted:
        git.chmod(0o555)
        own_environment.chmod(0o555)
    yield call
    if not is_mounted:
        git.chmod(0o755)
        own_environment.chmod(0o755)


def test_an_agent_in_a_sandbox_records_in_its_episode(confined, repo, run_hook):
    run_hook("session-start", START)
    task = confined("start", "t").out.strip()
    assert task.startswith("t-")
    for words in (
        ("decision", "add", "Use tabs", "--why", "shorter"),
        ("question", "add", "Which port?"),
        ("question", "resolve", "1", "--answer", "8081"),
        ("finish", "--outcome", "completed", "--verify", "true"),
    ):
        ran = confined(*words)
        assert (ran.code, ran.err.count("afterword:")) == (0, 0), ran.err
    assert run_hook("session-end", {"session_id": "e1"}).code == 0
    assert len(repo.candidates) == 3


def test_the_first_act_ever_may_come_from_inside_a_sandbox(confined, repo, run_hook):
    for number in range(3):
        ran = confined("decision", "add", f"decision {number}", "--why", "w")
        assert ran.code == 0, ran.err
    assert not (repo.root / ".git" / "afterword-stamp").exists()
    assert len(confined("decision", "list").out.splitlines()) == 6
    assert run_hook("session-start", START).err == ""
    assert len(repo.lines("outside", "decision.recorded")) == 3
    assert (repo.root / ".git" / "afterword-stamp").exists()
    assert [path.name for path in (repo.root / ".ai").glob("local-*")] == []


@pytest.fixture
def read_only(repo: Repo) -> Iterator[object]:
    """Runs the command with the whole repository read-only."""
    is_mounted = os.geteuid() == 0
    if is_mounted and not can_mount():
        pytest.skip("not on this system: root, and no mount namespace")
    mount = (
        'mount --bind "$PWD" "$PWD" && mount -o remount,ro,bind "$PWD" && cd "$PWD" && '
    )
    folders = [path for path in repo.root.rglob("*") if path.is_dir()]
    files = [path for path in repo.local.rglob("*") if path.is_file()]

    def call(*words: str) -> Ran:
        typed = command(*words)
        if is_mounted:
            return run(
                ["unshare", "-m", "sh", "-c", mount + shlex.join(typed)], repo.root
            )
        modes = {path: path.stat().st_mode for path in (*folders, *files)}
        for path in (*files, *reversed(folders)):
            path.chmod(modes[path] & 0o555)
        try:
            return run(typed, repo.root)
        finally:
            for path in (*folders, *files):
                path.chmod(modes[path])

    yield call


def test_h33_a_memory_that_cannot_be_written_is_read(
    repo, afterword, run_hook, request
):
    run_hook("session-start", START)
    afterword("question", "add", "Which port?")
    call = request.getfixturevalue("read_only")
    for words in (
        ("history",),
        ("question", "list"),
        ("decision", "list"),
        ("episode", "list"),
        ("episode", "show", "e1"),
        ("briefing",),
    ):
        ran = call(*words)
        assert (ran.code, ran.err.count("afterword:")) == (0, 0), (words, ran)


def test_h33_a_memory_that_cannot_be_written_refuses_to_record(
    repo, afterword, run_hook, request
):
    run_hook("session-start", START)
    before = repo.ledger("e1").read_bytes()
    call = request.getfixturevalue("read_only")
    ran = call("decision", "add", "x", "--why", "y")
    assert ran.code == 1
    assert ran.err.startswith("afterword: ")
    assert "Read-only file system" in ran.err or "Permission denied" in ran.err
    assert "Traceback" not in ran.err
    assert repo.ledger("e1").read_bytes() == before
