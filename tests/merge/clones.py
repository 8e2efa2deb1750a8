"""Clones of one project, as people have them: real git, the real driver, no network."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from afterword.merge.registration import ATTRIBUTES, describe_registration

TOOL = str(Path(sys.executable).parent / "afterword")
CANDIDATES = ".ai/repo/knowledge/candidates"
CURATED = ".ai/repo/knowledge/curated"
SESSIONS = ".ai/repo/sessions/2026-11"
EVOLUTION = ".ai/repo/evolution"


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        return self.out + self.err


def run(words: list[str], cwd: Path, stdin: str = "") -> Ran:
    done = subprocess.run(
        words,
        cwd=cwd,
        input=stdin.encode(),
        capture_output=True,
        check=False,
        timeout=120,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


class Clone:
    """A working copy in which the driver is registered as install registers it."""

    def __init__(self, root: Path, tool: str | None = TOOL) -> None:
        self.root = root
        for key, value in describe_registration(tool).items() if tool else ():
            self.git("config", key, value)

    def git(self, *words: str, cwd: str = ".") -> str:
        done = self.tries(*words, cwd=cwd)
        assert done.code == 0, done.said
        return done.out.strip()

    def tries(self, *words: str, cwd: str = ".") -> Ran:
        """Run git, which may refuse."""
        return run(["git", *words], self.root / cwd)

    def write(self, path: str, data: bytes | str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data if isinstance(data, bytes) else data.encode())

    def commit(
        self, files: dict[str, bytes | str | None], message: str = "work"
    ) -> str:
        """Write files (None: remove) and commit all; the sha."""
        for path, data in files.items():
            if data is None:
                (self.root / path).unlink()
            else:
                self.write(path, data)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def read(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def merges(self, other: Clone, *options: str) -> Ran:
        """Fetch the other's branch and merge it."""
        self.git("fetch", "-q", str(other.root), "HEAD")
        return self.tries("merge", "--no-edit", *options, "FETCH_HEAD")

    def afterword(self, *words: str, stdin: str = "") -> Ran:
        """Run the command in this clone."""
        return run([TOOL, *words], self.root, stdin)

    @property
    def tree(self) -> str:
        """What is committed, content only."""
        return self.git("rev-parse", "HEAD^{tree}")

    @property
    def unmerged(self) -> set[str]:
        lines = self.git("ls-files", "-u").splitlines()
        return {line.split("\t")[1] for line in lines}

    @property
    def litter(self) -> list[str]:
        """What a merge must not leave behind."""
        shown = self.git("status", "--porcelain", "--ignored", "-uall").splitlines()
        return [line for line in shown if line[:2] in ("??", "!!")]


def origin(root: Path, files: dict[str, bytes | str]) -> Path:
    """A project with one commit that all clones start from."""
    root.mkdir(parents=True)
    run(["git", "init", "-q"], root)
    first = Clone(root)
    lines = f"*.md {ATTRIBUTES}\n*.json {ATTRIBUTES}\n.gitattributes text eol=lf\n"
    first.commit({".ai/repo/.gitattributes": lines, **files}, "First")
    return root


def clone(source: Path, root: Path, tool: str | None = TOOL) -> Clone:
    run(["git", "clone", "-q", str(source), str(root)], source)
    return Clone(root, tool)


def script(path: Path, text: str) -> str:
    """An executable shell script that stands for a tool; its path."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    os.chmod(path, 0o755)
    return str(path)
