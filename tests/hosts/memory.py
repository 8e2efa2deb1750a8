"""What a project's memory holds, read from its files without the program under test."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml  # type: ignore[import-untyped]

from .lab import Json, read_lines

CANDIDATES = ".ai/repo/knowledge/candidates"
EVOLUTION = ".ai/repo/evolution"
# The ledger names events as the program does, the witness as the agents do.
AGENTS_NAMES = {
    "session-start": "SessionStart",
    "stop": "Stop",
    "pre-compact": "PreCompact",
    "session-end": "SessionEnd",
}
ITEM = re.compile(r"^### (?P<id>LQ-[0-9]{3}-[0-9a-f]{6}): (?P<title>.*)$", re.MULTILINE)
FIELD = re.compile(r"^- (?P<label>[A-Z][a-z]+): (?P<value>.*)$", re.MULTILINE)
ROW = re.compile(r"^\| (?P<id>k-[0-9a-f]{8}) \| (?P<title>[^|]*) \|", re.MULTILINE)
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

    def queue(self) -> list[dict[str, str]]:
        """The items of the learning queue: their labelled fields, and their ``Title``."""
        text = self._evolution("learning_queue.md")
        heads = list(ITEM.finditer(text))
        ends = [*(head.start() for head in heads[1:]), len(text)]
        return [
            {"Title": head["title"], **dict(FIELD.findall(text, head.end(), end))}
            for head, end in zip(heads, ends, strict=True)
        ]

    def knowledge_base(self) -> dict[str, str]:
        """The titles in the index of the knowledge base, by id."""
        return dict(ROW.findall(self._evolution("knowledge_base.md")))

    def entry(self, identity: str) -> str:
        """The text of the one entry file with this id."""
        folder = self.project / EVOLUTION / "entries"
        (path,) = folder.glob(f"{identity}-*.md")
        return path.read_text("utf-8")

    def _evolution(self, name: str) -> str:
        return (self.project / EVOLUTION / name).read_text("utf-8")

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
