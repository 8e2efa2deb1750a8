"""The merge of what stands beside the modules' knowledge: registry, cross-refs, progress.

Tables row by row: a module by its name, a dependency by source, target and type. Code
paths are united, of two purposes one is taken, two states of a module are a conflict;
what a compile counts or generates never is one. Rows and lists keep the order that a
person gave them, sorted ones stay sorted. Pure; imports `snapshot`'s readers of such
files and `merge`'s own parts.
"""

from __future__ import annotations

import re

from afterword.merge import aligned, cells, order, outline, pieces
from afterword.merge.laws import Differ, Merged
from afterword.merge.pieces import FIXED, FOOT, HEAD, TOP, Piece, Span
from afterword.merge.weave import Rules
from afterword.model import TYPE_CHECKING
from afterword.snapshot import registry, tables
from afterword.store import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterword.merge.pieces import Key
    from afterword.snapshot.tables import Row, Table

_ROW, _ITEM = "row", "item"
_NONE = ("(none yet)", "(none)", "(暂无)")
# What a cell of a row is, and so which rule it follows where both sides changed it.
_NAME, _PATHS, _PURPOSE, _MADE, _OTHER = "name", "paths", "purpose", "made", "other"
_ROLES = (
    (_NAME, (*registry.NAME, *registry.SOURCE, *registry.TARGET, *registry.TYPE)),
    (_PATHS, registry.PATH),
    (_PURPOSE, registry.PURPOSE),
)
_UPDATED = re.compile(
    "^>[^\r\n]*?(?:Last updated|最后更新)[:：][ \t]*([^ \t\r\n]*)".encode(),
    re.MULTILINE,
)
_COUNTED = tuple(
    re.compile(rb"^- %b:([^\r\n]*)" % label, re.MULTILINE)
    for label in (b"Last knowledge update", b"Knowledge items", b"Specs")
)
_DATED = re.compile(r"- [0-9]{4}-[0-9]{2}-[0-9]{2}:")


def of_index(before: bytes, ours: bytes, theirs: bytes) -> Merged | None:
    """Merge three versions of `_index.md`, of any bytes."""
    versions = aligned.settled((_UPDATED,), (before, ours, theirs), max)
    return outline.merge(_Rules(), *versions)


def of_cross_refs(before: bytes, ours: bytes, theirs: bytes) -> Merged | None:
    """Merge three versions of a module's cross-refs.md, of any bytes."""
    return of_index(before, ours, theirs)


def of_progress(before: bytes, ours: bytes, theirs: bytes) -> Merged | None:
    """Merge three versions of a module's progress.md, of any bytes.

    Of counts that differ the larger stands until the next compile counts anew.
    """
    versions = aligned.settled(_COUNTED, (before, ours, theirs), aligned.larger)
    return outline.merge(_Rules(), *versions)


class _Rules(Rules):
    def read(self, data: bytes) -> list[Piece]:
        return pieces.cut(data, _spans(data))

    def join(self, before: Piece | None, ours: Piece, theirs: Piece) -> Merged:
        if ours.key[0] != _ROW:
            return super().join(before, ours, theirs)
        roles = ours.about if isinstance(ours.about, tuple) else ()

        def both(at: int, one: str, other: str) -> str:
            column = at - cells.place(ours, 0)
            is_named = 0 <= column < len(roles)
            return _cell(str(roles[column]) if is_named else _OTHER, one, other)

        return Merged(data=cells.merge(before, ours, theirs, both))

    def is_text(self, piece: Piece) -> bool:
        return piece.key[0] != _ROW

    def gap(self, piece: Piece) -> int:
        is_empty = pieces.is_foot(piece) and not piece.body
        return 1 if piece.key[0] == _ROW or is_empty else super().gap(piece)

    def name(self, piece: Piece) -> str:
        return str(piece.key[2]) if piece.key[0] == _ROW else super().name(piece)

    def finished(self, found: list[Piece], versions: Sequence[bytes]) -> list[Piece]:
        """Without the row or item that says that there is none, where there are others now."""
        named = {(*one.key[:2],) for one in found if one.role == FIXED and one.key[2]}
        kept = [
            one
            for one in found
            if one.role != FIXED or one.key[2] or (*one.key[:2],) not in named
        ]
        return pieces.tightened(kept, _ITEM, map(self.read, versions))


def _cell(role: str, ours: str, theirs: str) -> str:
    """Of two texts of one cell the one that stands; raises `Differ`."""
    if role == _PATHS:
        return _united(ours, theirs)
    if role == _PURPOSE:
        return min(ours, theirs)
    if role in (_MADE, _NAME):
        return max(ours, theirs)
    raise Differ


def _united(ours: str, theirs: str) -> str:
    """All paths of both, in the form of the side that has them."""
    sides = {
        text: [path for part in text.split(",") if (path := cells.bare(part))]
        for text in (ours, theirs)
    }
    found = order.containing(sides[ours], sides[theirs])
    same = [text for text, side in sides.items() if side == found]
    return max(same, default=f" {', '.join(found)} ")


def _spans(data: bytes) -> list[Span]:
    """Sections, rows of tables, the text behind each table, items of lists."""
    has_front = blocks.has_front(data)
    heads = [*pieces.heads(blocks.headings(data, has_front))]
    sections = [(0, TOP), *((heading.start, key) for heading, key in heads)]
    found = [Span(heading.start, key, HEAD, key) for heading, key in heads]
    counts: dict[Key, int] = {}
    for table in tables.read(data):
        section = _section(table.start, sections)
        counts[section] = counts.get(section, 0) + 1
        found += _rows(table, (*section, counts[section]))
    for start, end, kind in blocks.lines(data, has_front):
        if kind == blocks.TEXT and data.startswith((b"- ", b"* "), start):
            text = data[start:end].decode("utf-8", "surrogateescape").strip()
            found.append(_item(start, _section(start, sections), text))
    return [*pieces.footed(found)]


def _item(start: int, home: Key, text: str) -> Span:
    """An item by its text; of those that begin with a date the newest stands first."""
    name = "" if text[2:].casefold() in _NONE else text
    is_dated = _DATED.match(text)
    rank = (0, order.Downward(text[:12]), text) if is_dated else (1, text)
    return Span(start, (_ITEM, home, name), FIXED, rank)


def _section(place: int, sections: Sequence[tuple[int, Key]]) -> Key:
    return next(key for start, key in reversed(sections) if start <= place)


def _rows(table: Table, home: Key) -> Iterator[Span]:
    """The rows of a table, and where the text behind it goes on."""
    roles = _roles(table)
    for row in table.rows:
        name = "" if row.is_placeholder else _named(row, roles)
        yield Span(row.start, (_ROW, home, name), FIXED, (name,), roles)
    yield Span(table.end, FOOT, HEAD, FOOT)


def _roles(table: Table) -> tuple[str, ...]:
    """What each column holds; of generated rows the first names it, a compile the others."""
    if table.above == registry.CONFLICTS:
        return (_NAME, *[_MADE] * (len(table.columns) - 1))
    names = [column.strip("*` ").casefold() for column in table.columns]
    return tuple(
        next((role for role, known in _ROLES if name in known), _OTHER)
        for name in names
    )


def _named(row: Row, roles: Sequence[str]) -> str:
    """What tells a row from the others of its table; its first cell if no column does."""
    places = [at for at, role in enumerate(roles) if role == _NAME] or [0]
    bare = (tables.cell(row, at).strip("*`_ ").casefold() for at in places)
    return " / ".join(bare) or "-"
