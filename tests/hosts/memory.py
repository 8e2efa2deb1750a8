"""What a project's memory holds, read from its files without the program under test."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml  # type: ignore[import-untyped]

from .lab import Json, read_lines

CANDIDATES = ".ai/repo/knowledge/candidates"
# The ledger names events as the program does, the witness as the agents do.
AGENTS_NAMES = {
    "session-start": "SessionStart",
    "stop": "Stop",
    "pre-compact": "PreCompact",
    "session-end": "SessionEnd",
}
RECORD_NAME = re.compile(r"(?P<episode>.+)-[0-9a-f]{12}")


@dataclass(frozen=True)
class Candidate:
    """One candidate file: its id, the episode its name tells, front matter, body."""

    id: str
    episode: str
    front: Json
    body: str


class Memory:
    """The store of one project."""

    def __init__(self, project: Path) -> None:
        """``project`` is the root of the repository."""
        self.project = project

    def candidates(self) -> list[Candidate]:
        """Every candidate but the README, in the order of their evidence."""
        folder = self.project / CANDIDATES
        paths = [
            path for path in sorted(folder.glob("*.md")) if path.name != "README.md"
        ]
        return [self._candidate(path) for path in paths]

    def _candidate(self, path: Path) -> Candidate:
        name = RECORD_NAME.fullmatch(path.stem)
        assert name, f"{path.name}: not <episode>-<12 hex>.md"
        _, front, body = path.read_text("utf-8").split("---\n", 2)
        return Candidate(path.stem, name["episode"], yaml.safe_load(front), body)

    def candidate_of(self, title: str) -> Candidate:
        """The one candidate with this title."""
        found = [one for one in self.candidates() if one.front["title"] == title]
        assert len(found) == 1, f"{title!r}: {[one.id for one in self.candidates()]}"
        return found[0]

    def session_record(self, episode: str) -> Json:
        """The front matter of the one session record of this episode."""
        found = list((self.project / ".ai/repo/sessions").rglob(f"{episode}.md"))
        assert len(found) == 1, f"{episode}: {found}"
        _, front, _ = found[0].read_text("utf-8").split("---\n", 2)
        return dict(yaml.safe_load(front))

    def ledger(self, episode: str) -> list[Json]:
        """The ledger lines of one episode, in order."""
        return read_lines(self.project / f".ai/local/ledger/{episode}.jsonl")

    def outside(self) -> list[Json]:
        """The ledger lines recorded outside any episode."""
        return self.ledger("outside")

    def story(self, episode: str) -> list[str]:
        """The episode's ledger as event names, receipts as the agents' event names."""
        told = []
        for line in self.ledger(episode):
            if line["event"] != "provider.event.received":
                told.append(line["event"])
                continue
            detail = line.get("source") or line.get("trigger")
            name = AGENTS_NAMES[line["provider_event"]]
            told.append(f"{name}({detail})" if detail else name)
        return told

    def lines_of(self, episode: str, event: str) -> list[Json]:
        """The episode's lines of one event."""
        return [line for line in self.ledger(episode) if line["event"] == event]

    def open_episodes(self) -> set[str]:
        """The ids of the episodes that nobody has closed."""
        return {path.stem for path in (self.project / ".ai/local/open").glob("*.json")}

    def hook_log(self) -> str:
        """The tracebacks that hooks left; empty when all went well."""
        path = self.project / ".ai/local/hook.log"
        return path.read_text("utf-8") if path.exists() else ""
