"""The stamp that tells this worktree's local half from one that came with a clone."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from afterword.store import layout, stamp

CLAIM = (
    "import sys; sys.path.insert(0, {lib!r})\n"
    "from afterword.store import layout, stamp\n"
    "sys.stdin.readline()\n"
    "print(stamp.claim(layout.need({root!r})))\n"
)


@pytest.fixture
def store(repo):
    return layout.need(str(repo.root))


def lib() -> str:
    return layout.__file__.rpartition("/afterword/")[0]


def claim_together(root, count: int) -> list[str]:
    """What `count` processes say that claim at the same moment."""
    code = CLAIM.format(lib=lib(), root=str(root))
    waiting = [
        subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(count)
    ]
    for process in waiting:
        process.stdin.write("go\n")
        process.stdin.flush()
    return [process.communicate()[0].strip() for process in waiting]


def test_h28_first_commands_at_the_same_moment_agree_on_one_stamp(repo, store):
    for _ in range(5):
        assert claim_together(repo.root, 12) == [""] * 12
        assert stamp.ours(store)
        assert [p.name for p in (repo.root / ".ai").glob("local*")] == ["local"]
        for path in (repo.local / ".stamp", repo.root / ".git" / "afterword-stamp"):
            path.unlink()


def test_h46_after_git_clean_processes_make_one_half_anew(repo, store):
    stamp.claim(store)
    repo.git("clean", "-qfdx")
    assert claim_together(repo.root, 12) == [""] * 12
    assert stamp.ours(store)
    assert [p.name for p in (repo.root / ".ai").glob("local*")] == ["local"]


def test_h66_a_stamp_that_came_with_a_clone_is_never_taken_over(repo, store):
    repo.local.mkdir()
    (repo.local / ".stamp").write_text("planted\n")
    repo.git("add", "-f", ".ai/local/.stamp")
    said = stamp.claim(store)
    assert said.startswith(".ai/local was not made by this worktree: moved to local-")
    assert "planted" not in (repo.root / ".git" / "afterword-stamp").read_text()


def test_h63_no_cache_is_written_through_a_planted_symlink(repo, afterword, tmp_path):
    victim = tmp_path / "victim"
    victim.mkdir()
    (repo.root / ".ai" / "local").symlink_to(victim)
    time.sleep(2.1)  # settings that changed just now are never cached
    assert afterword("history").code == 0
    assert list(victim.iterdir()) == []
    assert not (repo.root / ".ai" / "local").is_symlink()
