"""A real repository with a memory, and programs run in it as processes.

What the fixtures of `conftest` hand out; tests that start many processes at once use
`command` themselves.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOOL = Path(__file__).resolve().parent.parent
COMMAND = Path(sys.executable).parent / "afterword"


@dataclass(frozen=True)
class Ran:
    """What a process left behind; the streams decoded as UTF-8."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """stdout as one JSON value."""
        return json.loads(self.out)

    @property
    def objects(self) -> list[Any]:
        """stdout as one JSON object a line."""
        return [json.loads(line) for line in self.out.splitlines()]


def run(
    words: list[str], cwd: Path, data: bytes = b"", env: Mapping[str, str] | None = None
) -> Ran:
    """Run a program to its end; `env` adds to the environment of the tests."""
    done = subprocess.run(
        words,
        cwd=cwd,
        input=data,
        env={**os.environ, **(env or {})},
        capture_output=True,
        timeout=120,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


class Repo:
    """A repository under test, its top in `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *words: str) -> str:
        done = run(["git", *words], self.root)
        assert done.code == 0, done.err
        return done.out.strip()

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def commit(self, message: str = "work") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    @property
    def local(self) -> Path:
        return self.root / ".ai" / "local"

    def ledger(self, episode: str) -> Path:
        return self.local / "ledger" / f"{episode}.jsonl"

    def lines(self, episode: str, event: str = "") -> list[dict[str, Any]]:
        """The lines of an episode's ledger, or those of one event."""
        path = self.ledger(episode)
        raw = path.read_bytes().splitlines() if path.exists() else []
        found = [json.loads(line) for line in raw]
        return [line for line in found if event in ("", line["event"])]

    @property
    def candidates(self) -> list[Path]:
        folder = self.root / ".ai/repo/knowledge/candidates"
        return [path for path in sorted(folder.iterdir()) if path.name != "README.md"]


def command(*words: str) -> list[str]:
    """How `afterword` is called here: the installed command, else its module."""
    if COMMAND.exists():
        return [str(COMMAND), *words]
    return [sys.executable, "-m", "afterword.cli.main", *words]


# As install writes it, with the time that a busy machine may need.
WIRED = {
    "hooks": {
        "SessionEnd": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "sh .claude/hooks/afterword-session-end",
                        "timeout": 60,
                    }
                ]
            }
        ]
    }
}


def make_repo(root: Path) -> Repo:
    """A repository on branch `main` with one commit, `.ai/` included, wired by hand."""
    root.mkdir(parents=True)
    made = Repo(root)
    made.git("init", "-q")
    made.write("README.md", "# A project\n")
    made.write(".claude/settings.json", json.dumps(WIRED, indent=2) + "\n")
    done = run(command("init"), root)
    assert done.code == 0, done.err
    # Without the launcher messages say `afterword`; what they say with it has its test.
    (root / ".ai/bin/afterword").unlink(missing_ok=True)
    made.commit("First")
    return made
