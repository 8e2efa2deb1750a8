"""The merge of reflection logs: every reflection of both sides stays, none is mixed.

One that both sides edited is there twice; an edit beats a roll. Those that the program
wrote stand in the order of time where the log grows, all others where a person put
them. Pure; imports `evolution` and `merge`'s own parts.
"""

from __future__ import annotations

from afterword.evolution import reflection
from afterword.evolution.reflection import Log, Reflection
from afterword.merge import outline, pieces
from afterword.merge.laws import Merged
from afterword.merge.pieces import FIXED, HEAD, SORTED, Piece, Span
from afterword.merge.weave import Rules
from afterword.model import TYPE_CHECKING
from afterword.store import blocks, digest
from afterword.store.blocks import Heading

if TYPE_CHECKING:
    from collections.abc import Iterator

_OWN = (b"## Reflection - ", "## 反思 - ".encode())
_LEVELS = 2  # a heading that begins no reflection and yet ends one


def merge(before: bytes, ours: bytes, theirs: bytes) -> Merged | None:
    """Merge three versions of a log of any bytes; None where they cannot be told apart."""
    return outline.merge(_Rules(), before, ours, theirs)


class _Rules(Rules):
    keeps_both = True

    def __init__(self) -> None:
        self._logs: dict[bytes, Log] = {}

    def read(self, data: bytes) -> list[Piece]:
        return pieces.cut(data, _spans(self._log(data)))

    def is_downward(self, data: bytes) -> bool:
        return self._log(data).is_newest_first()

    def _log(self, data: bytes) -> Log:
        if data not in self._logs:
            self._logs[data] = reflection.read(data)
        return self._logs[data]


def spans(data: bytes) -> list[Span]:
    """The reflections of a log or its archive, and the headings between them."""
    return _spans(reflection.read(data))


def _spans(log: Log) -> list[Span]:
    heads = pieces.heads(_nobodys(log))
    found = [Span(heading.start, key, HEAD, key) for heading, key in heads]
    found += [_span(log, entry) for entry in log.entries]
    return sorted(found, key=lambda span: span.start)


def _nobodys(log: Log) -> Iterator[Heading]:
    """The headings that are no reflection's: each of them ends one, or stands on top."""
    starts = [0, *(entry.end for entry in log.entries)]
    ends = [*(entry.start for entry in log.entries), len(log.data)]
    for start, end in zip(starts, ends, strict=True):
        for one in blocks.headings(log.data[start:end], front=False):
            if one.level <= _LEVELS:
                yield Heading(one.level, one.text, start + one.start, start + one.end)


def _span(log: Log, entry: Reflection) -> Span:
    raw = log.raw(entry)
    content = digest.of_text(pieces.trimmed(raw))
    named = (entry.kind, entry.date, entry.time, entry.session, entry.title)
    key = ("reflection", *(named if entry.date else ("", content)))
    role = SORTED if _is_ours(entry, raw) else FIXED
    return Span(entry.start, key, role, (*entry.moment, content))


def _is_ours(entry: Reflection, raw: bytes) -> bool:
    """Whether the program wrote it: a session is an id there, in the seed's logs a topic.

    Without a session the Chinese heading is the seed's own; it stays where it is.
    """
    if not raw.startswith(_OWN) or not entry.time:
        return False
    is_id = entry.session.isascii() and entry.session and " " not in entry.session
    return bool(is_id) or raw.startswith(_OWN[0])
