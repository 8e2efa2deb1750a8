"""Real repositories, made by the git program in an environment of their own."""

import os
import subprocess
from pathlib import Path

import pytest

from afterword.store.git.head import GitPlace, locate

EPOCH = 1_760_000_000


class Repo:
    """A repository under test; `git` runs a command in it and returns its output."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.now = EPOCH

    def git(self, *args: str, check: bool = True, **env: str) -> str:
        """Run git at the repository's own clock, which `tick` moves."""
        stamp = f"{self.now} +0000"
        done = subprocess.run(
            ["git", *args],
            cwd=self.root,
            env={
                **os.environ,
                "GIT_AUTHOR_DATE": stamp,
                "GIT_COMMITTER_DATE": stamp,
                **env,
            },
            check=False,
            capture_output=True,
            input=b"",
        )
        if check and done.returncode:
            raise AssertionError(f"git {args}: {done.stderr.decode()}")
        return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")

    def tick(self, seconds: int = 10) -> int:
        """Move the clock; returns the new time."""
        self.now += seconds
        return self.now

    def write(self, path: str, text: str = "x\n") -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())

    def commit(self, message: str = "change", tick: int = 10, **files: str) -> str:
        """Advance the clock, write files (`/` in a name is `__`), commit; the sha."""
        self.tick(tick)
        for name, text in files.items():
            self.write(name.replace("__", "/"), text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.head

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    @property
    def place(self) -> GitPlace:
        found = locate(str(self.root))
        assert found is not None
        return found


@pytest.fixture(autouse=True)
def own_environment(tmp_path_factory, monkeypatch):
    """No variable of git or of an agent, a HOME of its own, an identity."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "CLAUDE", "CODEX", "AFTERWORD", "XDG_")):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Ada\n\temail = ada@example.com\n"
        "[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"
        "[gc]\n\treflogExpire = never\n\treflogExpireUnreachable = never\n"
        '[protocol "file"]\n\tallow = always\n'
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("EMAIL", raising=False)
    return home


@pytest.fixture
def new_repo(tmp_path):
    """A function that makes an empty repository in a folder of the given name."""

    def make(name: str = "repo", *options: str) -> Repo:
        root = tmp_path / name
        root.mkdir(parents=True)
        repo = Repo(root)
        repo.git("init", "-q", *options)
        return repo

    return make


@pytest.fixture
def repo(new_repo):
    """An empty repository."""
    return new_repo()


@pytest.fixture(params=["program", "dulwich"])
def reader(request):
    """Each of the two readers in turn."""
    return request.param


@pytest.fixture
def shared_repo(new_repo):
    """One repository for all the examples of a property; they only add objects to it."""
    return new_repo("shared")
