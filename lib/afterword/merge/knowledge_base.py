"""The merge of knowledge bases: row by row of a table, cell by cell; section by section.

Rows keep the order a person gave them; those of the program's entries (`k-1f2e3d4c`)
stand sorted behind them. What a file counts of itself is `merge.recount`'s. Pure;
imports `evolution` and `merge`'s own parts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import groupby

from afterword.evolution import knowledge_block, knowledge_row, knowledge_table
from afterword.merge import cells, labelled, laws, outline, pieces, recount
from afterword.merge.front import rest_of, unquoted
from afterword.merge.laws import Differ, Merged
from afterword.merge.pieces import FIXED, FOOT, HEAD, SORTED, Piece, Span
from afterword.merge.weave import Front, Rules
from afterword.model import TYPE_CHECKING
from afterword.store import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterword.evolution.knowledge_block import Section
    from afterword.evolution.knowledge_table import Row, Table
    from afterword.merge.fields import Path
    from afterword.merge.pieces import Key

_OWN = re.compile(r"k-[0-9a-f]{8}")
_NUMBERED = re.compile(r"([A-Za-z]*)-?([0-9]{1,12})")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ROW, _SECTION = "row", "section"


def merge(before: bytes, ours: bytes, theirs: bytes) -> Merged | None:
    """Merge three versions of a base of any bytes; None where they cannot be told apart."""
    return outline.merge(_Rules(), before, ours, theirs)


class _Front(Front):
    def join(self, path: Path, before: str | None, ours: str, theirs: str) -> str:
        """The number of entries is counted later; of two dates of a change the last counts."""
        values = [unquoted(rest_of(line)) for line in (ours, theirs)]
        if path == ("entries",) and all(value.isdecimal() for value in values):
            return max(laws.lf(ours), laws.lf(theirs))
        if path == ("last_updated",) and all(map(_DATE.fullmatch, values)):
            return max(zip(values, map(laws.lf, (ours, theirs)), strict=True))[1]
        raise Differ


class _Rules(Rules):
    front = _Front

    def read(self, data: bytes) -> list[Piece]:
        return pieces.cut(data, _spans(data))

    def join(self, before: Piece | None, ours: Piece, theirs: Piece) -> Merged:
        if ours.key[0] == _SECTION:
            return labelled.merge(before, ours, theirs, {})
        if ours.key[0] in (_ROW, recount.COUNT):
            return Merged(data=_row(before, ours, theirs))
        return super().join(before, ours, theirs)

    def gap(self, piece: Piece) -> int:
        is_row = piece.key[0] in (_ROW, recount.COUNT)
        return (
            1
            if is_row or (pieces.is_foot(piece) and not piece.body)
            else super().gap(piece)
        )

    def finished(self, found: list[Piece], versions: Sequence[bytes]) -> list[Piece]:
        return recount.renewed(found, versions)


def _spans(data: bytes) -> list[Span]:
    """Sections, entries that are sections, rows, and the text behind each table."""
    entries = knowledge_block.sections(data)
    starts = [one.start for one in entries]

    def is_inside(place: int) -> bool:
        at = bisect_right(starts, place) - 1
        return at >= 0 and place < entries[at].end

    found = [_entry(one) for one in entries]
    for heading, key in pieces.heads(blocks.headings(data, blocks.has_front(data))):
        if not is_inside(heading.start):
            found.append(Span(heading.start, key, HEAD, key))
    for table in knowledge_table.tables(data):
        if not is_inside(table.start):
            found += _rows(table)
    return [*pieces.footed(found)]


def _entry(one: Section) -> Span:
    key = (_SECTION, one.identity or one.title)
    return Span(one.start, key, FIXED, _numbered(one.identity))


def _rows(table: Table) -> Iterator[Span]:
    """The lines of a table that have a key of their own, and where the text goes on."""
    is_entries = table.is_index or table.is_patterns
    if not is_entries and not table.is_counts:
        return
    end = table.end
    for start, rows in groupby(table.rows, key=lambda row: row.start):
        glued = [*rows]
        end = max(end, glued[0].end)
        yield _line(table, start, glued) if is_entries else _count(table, glued[0])
    yield Span(end, FOOT, HEAD, FOOT)


def _line(table: Table, start: int, rows: list[Row]) -> Span:
    """A row, or a line of several that nobody has taken apart."""
    ids = [knowledge_row.bare(table.value(row, "id")) for row in rows]
    key = (_ROW, ", ".join(ids))
    if _OWN.fullmatch(key[1]):
        return Span(start, key, SORTED, (key[1],), table.columns)
    return Span(start, key, FIXED, _numbered(ids[0]), table.columns)


def _count(table: Table, row: Row) -> Span:
    name = recount.name_of(table.value(row, "category"))
    return Span(row.start, (recount.COUNT, name), FIXED, _numbered(name), table.columns)


def _numbered(identity: str) -> Key:
    found = _NUMBERED.match(identity)
    letters, number = (found[1], int(found[2])) if found else ("", 0)
    return letters.casefold(), number, identity


def _row(before: Piece | None, ours: Piece, theirs: Piece) -> bytes:
    """A row cell by cell; raises `Differ` where both sides changed one.

    A number of entries is counted later.
    """
    counted = _place(ours) if ours.key[0] == recount.COUNT else -1

    def both(at: int, one: str, other: str) -> str:
        return max(one, other) if at == counted else laws.differ(one, other)

    return cells.merge(before, ours, theirs, both)


def _place(row: Piece) -> int:
    """Which of a row's parts between pipes is the number of entries."""
    columns = row.about if isinstance(row.about, tuple) else ()
    return cells.place(row, columns.index(recount.COUNT))
