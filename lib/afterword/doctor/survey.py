"""One pass over every ledger: what happened to each episode, and who called last.

Streams, so that a ledger of any size costs no memory. What is told here is a fact of
the lines; what it means is for `writers`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from afterword.episode import events, ledger, ledgers
from afterword.episode.ledgers import Source
from afterword.store.layout import Store

RECORDED = frozenset(
    kind._name
    for kind in (
        events.TaskStarted,
        events.TaskFinished,
        events.DecisionRecorded,
        events.QuestionOpened,
        events.QuestionResolved,
    )
)
MAX_TORN = 50


@dataclass
class EpisodeFacts:
    """One episode. Stamps as written, "" for never; `adopted`: of another system's ledger.

    `underived` says that evidence came after its last derivation.
    """

    episode: str
    started: str = ""
    closed: str = ""
    session_path: str = ""
    outcome: str = ""
    is_derived: bool = False
    underived: bool = False
    has_recorded: bool = False
    adopted: bool = False
    last: str = ""


@dataclass
class Torn:
    """A line that cannot be read, by its number in the file."""

    path: str
    number: int
    excerpt: str


@dataclass
class Failure:
    """A `provider.event.failed` line."""

    at: str
    host: str
    event: str
    reason: str


@dataclass
class Survey:
    """`called` maps a host to its last receipt, `derived_at` a path to its first derivation."""

    episodes: dict[str, EpisodeFacts] = field(default_factory=dict)
    called: dict[str, str] = field(default_factory=dict)
    derived_at: dict[str, str] = field(default_factory=dict)
    last_derived: str = ""
    promoted: set[str] = field(default_factory=set)
    torn: list[Torn] = field(default_factory=list)
    torn_count: int = 0
    failures: list[Failure] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    lines: int = 0
    outside_underived: bool = False


def take(store: Store) -> Survey:
    """Read all ledgers of this worktree; one that cannot be read is named in `unreadable`."""
    found = Survey()
    for source in ledgers.sources(store):
        try:
            _read(found, source, store.relative(source.path))
        except OSError as error:
            reason = error.strerror or str(error)
            found.unreadable.append((store.relative(source.path), reason))
    return found


def _read(found: Survey, source: Source, shown: str) -> None:
    for number, raw in ledgers.raw_lines(source):
        line = ledger.parse_line(raw)
        found.lines += 1
        if line is not None:
            _add(found, line, adopted=not source.episode)
            continue
        found.torn_count += 1
        if len(found.torn) < MAX_TORN:
            excerpt = raw[:60].decode("utf-8", "replace").strip()
            before = ledgers.lines_before(source)
            found.torn.append(Torn(shown, before + number, excerpt))


def _add(found: Survey, line: dict[str, Any], *, adopted: bool) -> None:
    name = line["event"]
    episode = _text(line, "session")
    if name == events.KnowledgeDerived._name:
        episode = _text(line, "episode") or episode
        _derived(found, line)
    elif name == events.ProviderEventReceived._name:
        _latest(found.called, _text(line, "provider"), line["ts"])
    elif name == events.ProviderEventFailed._name:
        found.failures.append(
            Failure(
                line["ts"],
                _text(line, "provider"),
                _text(line, "provider_event"),
                _text(line, "reason"),
            )
        )
    elif name == events.KnowledgePromoted._name:
        found.promoted.add(_text(line, "id"))
    if name == events.KnowledgeDerived._name and episode == ledger.OUTSIDE:
        found.outside_underived = False
    elif not episode and not adopted and name in events.EVIDENCE:
        found.outside_underived = True
    if episode and episode != ledger.OUTSIDE:
        facts = found.episodes.setdefault(episode, EpisodeFacts(episode))
        facts.adopted = facts.adopted or adopted
        _happened(facts, name, line)


def _derived(found: Survey, line: dict[str, Any]) -> None:
    found.last_derived = max(found.last_derived, line["ts"])
    paths = line.get("paths")
    for path in paths.split() if isinstance(paths, str) else paths or ():
        if isinstance(path, str):
            known = found.derived_at.get(path)
            found.derived_at[path] = min(known, line["ts"]) if known else line["ts"]


def _happened(facts: EpisodeFacts, name: str, line: dict[str, Any]) -> None:
    facts.last = line["ts"]
    if name == events.SessionStarted._name:
        facts.started = facts.started or line["ts"]
        facts.closed = ""
    elif name == events.SessionClosed._name:
        facts.closed = line["ts"]
        facts.session_path = _text(line, "session_path")
        facts.outcome = _text(line, "outcome")
    elif name == events.KnowledgeDerived._name:
        facts.is_derived, facts.underived = True, False
    if name in RECORDED:
        facts.has_recorded = True
    if name in events.EVIDENCE:
        facts.underived = True


def _latest(known: dict[str, str], name: str, at: str) -> None:
    known[name] = max(known.get(name, ""), at)


def _text(line: dict[str, Any], key: str) -> str:
    value = line.get(key)
    return value if isinstance(value, str) else ""
