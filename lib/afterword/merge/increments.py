"""The merge of increments, waiting or archived: entry by entry, whatever their shape.

What both sides added to one file is united; two texts of one entry, two authors, two
states are a contradiction that only a person decides, and so are two increments that
met under one name (DESIGN 11). Pure; imports `snapshot.words` and `merge`'s own parts.
"""

from __future__ import annotations

import re

from afterword.merge import laws, outline, pieces
from afterword.merge.laws import Differ, Merged
from afterword.merge.pieces import FIXED, HEAD, TOP, Piece, Span
from afterword.merge.weave import Rules, characters
from afterword.model import TYPE_CHECKING
from afterword.snapshot import words
from afterword.store import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterword.merge.pieces import Key

_ENTRY = "entry"
# What begins an entry: an item of a list, or a raw one of the buffer (spec 3, 4.3).
_BEGINS = re.compile(rb"[-*+][ \t]|\[[^\]\r\n]+\]")
_LABELLED = re.compile(r"[-*+]\s+([^:：\r\n]{1,40})[:：](.*)")
_FIELDS = ("author", "timestamp", "trigger", "confidence", "domain", "status")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?: [0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?")


def merge(before: bytes, ours: bytes, theirs: bytes) -> Merged | None:
    """Merge three versions of one increment of any bytes."""
    if theirs in (ours, before) or ours == before:
        return outline.merge(_Rules(), before, ours, theirs)
    titles = [_title(data) for data in (before, ours, theirs)]
    if b"" not in titles[1:] and titles[1] != titles[2]:
        # git's detection of renames offers such pairs, and two clones may choose one name
        mixed = laws.whole_conflict(characters(ours), characters(theirs))
        return Merged(data=mixed.encode("latin-1"), conflicts=("id",))
    base = before if titles[0] == (titles[1] or titles[2]) else b""
    return outline.merge(_Rules(), base, ours, theirs)


def _title(data: bytes) -> bytes:
    """The first heading of level 1, which names an increment; b"" without one."""
    found = blocks.headings(data, blocks.has_front(data))
    return next((one.text for one in found if one.level == 1), b"")


class _Rules(Rules):
    def read(self, data: bytes) -> list[Piece]:
        return pieces.cut(data, [*_spans(data)])

    def join(self, before: Piece | None, ours: Piece, theirs: Piece) -> Merged:
        """Of two times the earlier one, as a record has its earliest date."""
        if ours.key == TOP:
            return super().join(before, ours, theirs)
        if ours.about != "timestamp" or b"\n" in ours.body + theirs.body:
            raise Differ
        times = [(_value(piece), piece.body) for piece in (ours, theirs)]
        if not all(_TIME.fullmatch(time) for time, _ in times):
            raise Differ
        return Merged(data=min(times)[1])

    def is_text(self, piece: Piece) -> bool:
        return True

    def finished(self, found: list[Piece], versions: Sequence[bytes]) -> list[Piece]:
        return pieces.tightened(found, _ENTRY, map(self.read, versions))

    def name(self, piece: Piece) -> str:
        if piece.key[0] != _ENTRY:
            return super().name(piece)
        return str(piece.about) or str(piece.key[2])


def _spans(data: bytes) -> Iterator[Span]:
    """The headings, and below each the entries or fields, told apart by their section."""
    has_front = blocks.has_front(data)
    heads = {
        heading.start: key
        for heading, key in pieces.heads(blocks.headings(data, has_front))
    }
    section: Key = TOP
    for start, end, kind in blocks.lines(data, has_front):
        if start in heads:
            section = heads[start]
            yield Span(start, section, HEAD, section)
        elif kind == blocks.TEXT and _BEGINS.match(data, start, end):
            yield _entry(start, section, data[start:end])


def _entry(start: int, section: Key, line: bytes) -> Span:
    """A field is told by its name, an entry by its title; both are kept in place."""
    text = line.decode("utf-8", "replace").strip()
    found = _LABELLED.match(text)
    field = words.field_of(found[1]) if found else ""
    if field not in _FIELDS:
        return Span(start, (_ENTRY, section, text), FIXED, (1, text), "")
    rank = (0, _FIELDS.index(field))
    return Span(start, (_ENTRY, section, field), FIXED, rank, field)


def _value(piece: Piece) -> str:
    found = _LABELLED.match(piece.body.decode("utf-8", "replace"))
    return found[2].strip() if found else ""
