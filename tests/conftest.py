"""What every test runs in, and a repository with a memory for those that want one.

No variable of an agent that runs these tests, a HOME of its own, an identity for git.
`repo`, `run_hook` and `afterword` are real: a git repository, the executables of
`hooks/`, the command as a process.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from project import TOOL, Ran, Repo, command, make_repo, run

# Whoever changes something searches at random; what has to pass before it lands must not
# fail over an example that nobody has seen yet.
# No example has a deadline: a busy machine is no fault, and speed is in benchmarks/.
settings.register_profile("searching", deadline=None)
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady" if os.environ.get("CI") else "searching")

CONFIG = """[user]
    name = A Person
    email = person@example.org
[init]
    defaultBranch = main
[advice]
    detachedHead = false
"""
FOREIGN = (
    "AFTERWORD",
    "CLAUDE",
    "CODEX",
    "GEMINI",
    "QWEN",
    "COPILOT",
    "OPENCODE",
    "GIT_",
)


@pytest.fixture(autouse=True)
def own_environment(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The HOME that this test has to itself."""
    for name in list(os.environ):
        if name.startswith((*FOREIGN, "XDG_")) and "AFTERWORD_TEST" not in name:
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text(CONFIG)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("EMAIL", raising=False)
    return home


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A real repository with a memory and one commit."""
    return make_repo(tmp_path / "project")


@pytest.fixture
def afterword(repo: Repo) -> Callable[..., Ran]:
    """Runs the real command in `repo`: `afterword("decision", "list", "--json")`."""

    def call(
        *words: str,
        input: str | bytes = b"",  # noqa: A002 as subprocess names it
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Ran:
        data = input.encode() if isinstance(input, str) else input
        return run(command(*words), cwd or repo.root, data, env)

    return call


@pytest.fixture
def run_hook(repo: Repo) -> Callable[..., Ran]:
    """Runs a real executable of `hooks/` as a shim does; a payload is JSON or bytes."""

    def call(
        event: str,
        payload: Any = b"",
        host: str = "claude-code",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Ran:
        words = [sys.executable, "-I", "-S", "-X", "utf8", str(TOOL / "hooks" / event)]
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        words += ["--root", str(repo.root), "--host", host]
        return run(words, cwd or repo.root, data, env)

    return call
