"""What each hook costs, beside `python -I -c pass`, on an empty store and a full one.

    .venv/bin/python benchmarks/hooks.py [--runs 31] [--episodes 10000]
        [--candidates 10000] [--lines 100000]

One interleaved run; the ratios are what DESIGN section 13 speaks of. The project's
shims are measured once more with the shim in front.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import Case, interleaved, table

TOOL = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
EVIDENCE_LINES, COMMITS = 20, 5
CLEAN = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8"}


def git(root: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-C", str(root), *arguments], check=True, capture_output=True
    )


def repository(root: Path) -> None:
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.email", "bench@example.invalid")
    git(root, "config", "user.name", "Bench")
    (root / ".ai").mkdir()
    (root / ".ai/.gitignore").write_text("local/\n")
    (root / "lib").mkdir()
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "one")


def stamp(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + ".000Z"


def line(event: str, episode: str, at: float, **fields: object) -> str:
    envelope = {"ts": stamp(at), "event": event, "head": None, "branch": "main"}
    values = {**envelope, "by": "afterword/0", "session": episode, **fields}
    return json.dumps(values) + "\n"


def candidate(identity: str, episode: str) -> str:
    return (
        f"---\nschema: knowledge/v1\nid: {identity}\nkind: knowledge\nclass: convention\n"
        f'title: "Decision {identity}"\ndescription: "One of many."\nstatus: candidate\n'
        "epistemics: decided\ndate: 2026-01-01\ntags:\n  - derived\n  - decision\n"
        f"provenance:\n  origin: extracted\n  derived_from:\n    - session:{episode}\n---\n\n"
        f"# Decision {identity}\n\nOne of many.\n"
    )


def fill(root: Path, episodes: int, candidates: int, lines: int) -> None:
    """Closed episodes with their ledgers, and candidates of theirs awaiting review."""
    ledgers = root / ".ai/local/ledger"
    folder = root / ".ai/repo/knowledge/candidates"
    ledgers.mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    began = time.time() - 30 * 86400
    spans = []
    for number in range(episodes):
        episode, at = f"old-{number:06d}", began + number
        text = line(
            "session.started", episode, at, host="claude-code", source="startup"
        )
        text += line("round.ended", episode, at) * max(lines // max(episodes, 1) - 2, 0)
        text += line("session.closed", episode, at, outcome="closed")
        (ledgers / f"{episode}.jsonl").write_text(text)
        for what in ("opened", "closed"):
            spans.append(
                json.dumps({"episode": episode, "at": stamp(at), "what": what})
            )
    (root / ".ai/local/spans.jsonl").write_text("\n".join([*spans, ""]))
    for number in range(candidates):
        episode = f"old-{number % max(episodes, 1):06d}"
        identity = f"{episode}-{number:012x}"
        (folder / f"{identity}.md").write_text(candidate(identity, episode))


class Project:
    """A repository wired by hand: the store is claimed by a first start."""

    def __init__(self, root: Path, label: str) -> None:
        self.root, self.label = root, label
        repository(root)
        self.hook("session-start", session_id="first", source="startup")

    def hook(self, event: str, **payload: str) -> None:
        command = [PYTHON, "-I", "-S", "-X", "utf8", str(TOOL / "hooks" / event)]
        subprocess.run(
            command, input=json.dumps(payload), text=True, cwd=self.root, check=True,
            capture_output=True, env=CLEAN,
        )  # fmt: skip

    def case(
        self, name: str, event: str, payload: dict[str, str], prepare=None
    ) -> Case:  # type: ignore[no-untyped-def]
        command = [PYTHON, "-I", "-S", "-X", "utf8", str(TOOL / "hooks" / event)]
        return Case(
            f"{name} ({self.label})",
            command,
            json.dumps(payload),
            str(self.root),
            prepare,
        )

    def evidence(self) -> None:
        """One open episode with 20 lines that assert something, and five commits in its span."""
        local, episode = self.root / ".ai/local", "work"
        at = time.time() - 60
        text = line(
            "session.started",
            episode,
            self.opened,
            head=self.head,
            host="claude-code",
            source="startup",
        )
        for number in range(EVIDENCE_LINES):
            text += line(
                "decision.recorded",
                episode,
                at,
                task_id="none",
                decision=f"Rule {number}",
                why="so",
            )
        (local / f"ledger/{episode}.jsonl").write_text(text)
        opened = {
            "episode": episode,
            "host": "claude-code",
            "started_at": stamp(self.opened),
        }
        (local / f"open/{episode}.json").write_text(json.dumps(opened))
        for path in (self.root / ".ai/repo/knowledge/candidates").glob("work-*.md"):
            path.unlink()

    def commit(self) -> None:
        """The five commits, made once; the episode is said to have opened before them."""
        (self.root / ".ai/local/open/first.json").unlink()
        words = ["git", "-C", str(self.root), "rev-parse", "HEAD"]
        done = subprocess.run(words, check=True, capture_output=True, text=True)
        self.head = done.stdout.strip()
        self.opened = time.time()
        for number in range(COMMITS):
            (self.root / "docs/adr").mkdir(parents=True, exist_ok=True)
            (self.root / f"docs/adr/{number}.md").write_text("decided\n")
            git(self.root, "add", "docs")
            git(
                self.root,
                "commit",
                "-q",
                "-m",
                f"Decide {number}\n\nDecision: number {number}",
            )

    def touch(self) -> None:
        """Change the folder of candidates, as a derivation or a merge would."""
        path = self.root / ".ai/repo/knowledge/candidates/extra-000000000001.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            path.unlink()
        else:
            path.write_text(candidate("extra-000000000001", "extra"))

    def quiet(self) -> list[Case]:
        """The events that change nothing that is tracked."""
        payload = {"session_id": "round"}
        return [
            self.case("Stop", "stop", payload),
            self.case("PreCompact, nothing new", "pre-compact", payload),
            self.case("SessionStart, warm", "session-start", payload),
        ]

    def busy(self) -> list[Case]:
        """The events that write candidates, and a start after the folder changed."""
        start, work = {"session_id": "round"}, {"session_id": "work"}
        changed, twenty = "candidates changed", "20 lines, 5 commits"
        return [
            self.case(f"SessionStart, {changed}", "session-start", start, self.touch),
            self.case(f"PreCompact, {twenty}", "pre-compact", work, self.evidence),
            self.case(f"SessionEnd, {twenty}", "session-end", work, self.evidence),
        ]


def shim(project: Project) -> Case:
    """Stop through the project's shim, which finds the tool by itself."""
    subprocess.run(
        [PYTHON, str(TOOL / "install.py"), str(project.root), "--host", "claude-code"],
        check=True, capture_output=True,
    )  # fmt: skip
    path = str(project.root / ".claude/hooks/afterword-stop")
    return Case(
        "Stop, through the project's shim (empty)",
        [path],
        '{"session_id":"round"}',
        str(project.root),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=31)
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--candidates", type=int, default=10_000)
    parser.add_argument("--lines", type=int, default=100_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="afterword-bench-") as folder:
        empty = [Project(Path(folder, f"empty{n}"), "empty") for n in range(2)]
        full = [Project(Path(folder, f"full{n}"), "full") for n in range(2)]
        for project in full:
            fill(project.root, given.episodes, given.candidates, given.lines)
        for project in (*empty, *full):
            project.hook("stop", session_id="round")
            project.hook("pre-compact", session_id="round")
            project.commit()
        # A folder that changed less than two seconds ago is not trusted.
        time.sleep(2.1)
        bare = Case("python -I -c pass", [PYTHON, "-I", "-c", "pass"])
        cases = [bare]
        for quiet, busy in (empty, full):
            cases += [*quiet.quiet(), *busy.busy()]
        cases.append(shim(empty[0]))
        interleaved(cases, given.runs, CLEAN)
        for project in (*empty, *full):
            log = project.root / ".ai/local/hook.log"
            if log.exists():
                raise SystemExit(
                    f"a hook failed while it was measured:\n{log.read_text()}"
                )
        print(table(cases, bare))


if __name__ == "__main__":
    main()
