"""What it costs to read an episode's commits, beside `git log --name-only` and a bare interpreter.

    .venv/bin/python benchmarks/git_evidence.py [--runs 31] [--commits 1000 50000]
        [--files 50 15000]

Histories are made by `git fast-import`: every combination of the two lists. Each episode
has five commits of its own, one of them amended, on top. One interleaved run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from measure import Case, interleaved, table

LIBRARY = Path(__file__).resolve().parent.parent / "lib"
HOT = [sys.executable, "-I", "-S", "-X", "utf8", "-c"]
GIT = shutil.which("git") or "git"
OWN = 5
MINUTE = 60

START = f"import sys; sys.path.insert(0, {str(LIBRARY)!r})\n"
ROUND = START + (
    "from afterword.store.git import head\n"
    "place = head.locate({root!r}); head.read_head(place); head.busy(place)\n"
)
EVIDENCE = START + (
    "from afterword.store.git import evidence, head\n"
    "span = evidence.Span(opened={opened}, opening={opening!r})\n"
    "found = evidence.episode_commits(head.locate({root!r}), span, {watched!r},"
    " reader={reader!r})\n"
    "assert len(found) == {own}, found\n"
)
WATCHED = (".ai/repo/rules", "docs/adr", "docs/decisions", "AGENTS.md", "CLAUDE.md")


def history(commits: int, files: int, began: int) -> Iterator[str]:
    """A fast-import stream: a tree of files, then one changed file a commit."""
    names = [f"src/{number % 100:02d}/{number:05d}.txt" for number in range(files)]
    for number in range(commits):
        who = f"Bench <bench@example.invalid> {began + number * MINUTE} +0000"
        message = f"Change {number}"
        yield f"commit refs/heads/main\nmark :{number + 1}\ncommitter {who}\n"
        yield f"data {len(message)}\n{message}\n"
        for name in names if number == 0 else [names[number % files]]:
            text = f"{number}\n"
            yield f"M 100644 inline {name}\ndata {len(text)}\n{text}\n"


class Repository:
    """A generated history with an episode's commits at its end."""

    def __init__(self, root: Path, commits: int, files: int) -> None:
        self.root = root
        self.label = f"{commits} commits, {files} files"
        root.mkdir()
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.email", "bench@example.invalid")
        self.git("config", "user.name", "Bench")
        began = int(time.time()) - (commits + 60) * MINUTE
        self.fill(history(commits, files, began))
        self.git("reset", "-q", "--hard")
        self.remember(began)
        self.opening, self.opened = self.git("rev-parse", "HEAD"), int(time.time())
        self.work()

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            [GIT, "-C", str(self.root), *arguments],
            text=True, check=True, capture_output=True,
        )  # fmt: skip
        return done.stdout.strip()

    def fill(self, stream: Iterator[str]) -> None:
        """Piece by piece: our own memory would show as a peak of what we start."""
        importer = subprocess.Popen(
            [GIT, "-C", str(self.root), "fast-import", "--quiet"],
            stdin=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert importer.stdin
        with importer.stdin as pipe:
            pipe.writelines(stream)
        if importer.wait():
            raise SystemExit("git fast-import failed")

    def remember(self, began: int) -> None:
        """The reflog that so many commits would have left."""
        shas = self.git("rev-list", "--reverse", "HEAD").split()
        lines = (
            f"{old} {new} Bench <bench@example.invalid> {began + number * MINUTE} +0000"
            f"\tcommit: Change {number}\n"
            for number, (old, new) in enumerate(
                zip(["0" * 40, *shas], shas, strict=False)
            )
        )
        with (self.root / ".git/logs/HEAD").open("w") as log:
            log.writelines(lines)

    def work(self) -> None:
        """Five commits that touch a watched tree, the third one amended."""
        (self.root / "docs/adr").mkdir(parents=True)
        for number in range(OWN):
            (self.root / f"docs/adr/{number}.md").write_text("decided\n")
            self.git("add", f"docs/adr/{number}.md")
            message = f"Decide {number}\n\nDecision: number {number}"
            self.git("commit", "-q", "-m", message)
            if number == 2:
                self.git("commit", "-q", "--amend", "-m", message + " for good")

    def cases(self) -> list[Case]:
        fill = {"root": str(self.root), "watched": WATCHED, "own": OWN}
        fill |= {"opened": self.opened, "opening": self.opening}
        log = ["log", "--name-only", f"{self.opening}..HEAD", "--", *WATCHED]
        found = [
            Case(
                f"{reader}, {self.label}",
                [*HOT, EVIDENCE.format(reader=reader, **fill)],
            )
            for reader in ("program", "dulwich")
        ]
        whole = ["log", "--name-only", "--max-count=500"]
        return [
            Case(f"HEAD from files, {self.label}", [*HOT, ROUND.format(**fill)]),
            *found,
            Case(
                f"git log --name-only of the span, {self.label}",
                [GIT, "-C", str(self.root), *log],
            ),
            Case(
                f"git log --name-only of 500, {self.label}",
                [GIT, "-C", str(self.root), *whole],
            ),
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=31)
    parser.add_argument("--commits", type=int, nargs="+", default=[1_000, 50_000])
    parser.add_argument("--files", type=int, nargs="+", default=[50, 15_000])
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="afterword-git-"))
    try:
        bare = Case("python -I -c pass", [sys.executable, "-I", "-c", "pass"])
        hot = Case("python -I -S -X utf8 -c pass", [*HOT, "pass"])
        cases = [bare, hot]
        for commits in chosen.commits:
            for files in chosen.files:
                root = folder / f"{commits}-{files}"
                cases += Repository(root, commits, files).cases()
        interleaved(
            cases, chosen.runs, {"PATH": os.environ["PATH"], "HOME": str(folder)}
        )
        print(table(cases, bare))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
