"""A target file or history as the container of facts that it is: bytes in, facts out.

`read` gives back what `composing` wrote, and what persons and other programs wrote in the
shapes of spec/snapshot.md 7. No bytes raise; what cannot be read is a problem with its
line. Pure; imports the room's readers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from afterword.model import Model
from afterword.snapshot import (
    adopted,
    cutting,
    header,
    metadata,
    rendering,
    texts,
    tiles,
    words,
)
from afterword.snapshot.adopted import Where
from afterword.snapshot.fact import Fact
from afterword.snapshot.folded import Conflict, PendingItem
from afterword.snapshot.tiles import Tile
from afterword.store import blocks, merge_markers
from afterword.store.blocks import Record
from afterword.store.newline import newline_of

_UNREADABLE = re.compile(rb'^[ \t]*<!-- \{"(?:id|facts)"[^\r\n]*', re.MULTILINE)
# A merge's markers: ours, the common base of some styles, theirs, the end.
_OURS, _BASE, _THEIRS, _END = b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"


class Document(Model):
    """What a file says. `conflicts` are those of its blocks, adopted ones too.

    `stems` are the increments that its header lists, `archived` how many more it counts;
    `compiled` the date of the last compile, `legacy` its LEGACY lines (G2). `problems`
    are (line, text).
    """

    facts: tuple[Fact, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    title: str = ""
    compiled: str = ""
    stems: tuple[str, ...] = ()
    archived: int = 0
    legacy: tuple[str, ...] = ()
    problems: tuple[tuple[int, str], ...] = ()


class Held(Record):
    """A tile and what it says: the facts of an entry or item, or a conflict."""

    __slots__ = ("conflict", "facts", "tile")
    tile: Tile
    facts: tuple[Fact, ...]
    conflict: Conflict | None

    def __init__(
        self,
        tile: Tile,
        facts: tuple[Fact, ...] = (),
        conflict: Conflict | None = None,
    ) -> None:
        self._set(tile=tile, facts=facts, conflict=conflict)

    @property
    def is_adopted(self) -> bool:
        """Whether no program wrote it, so that it stays as it is."""
        return self.tile.data is None


def read(data: bytes, *, module: str = "", language: str = "en") -> Document:
    """Everything that a file says; `module` is whose file it is, "" for the snapshot."""
    found = held(cutting.cut(data), module)
    head = header.read(found[0].tile.raw) if found else header.Header()
    return Document(
        facts=tuple(_facts(found)),
        conflicts=tuple(one.conflict for one in found if one.conflict),
        title=head.title,
        compiled=head.compiled,
        stems=head.stems,
        archived=head.archived,
        legacy=head.legacy,
        problems=tuple(_problems(data)),
    )


def facts(data: bytes, *, module: str = "") -> tuple[Fact, ...]:
    """The facts of a file alone, for histories."""
    return tuple(_facts(held(cutting.cut(data), module)))


def _facts(found: Iterable[Held]) -> Iterator[Fact]:
    for one in found:
        yield from one.facts
        if one.conflict:
            yield from one.conflict.resolutions


def _problems(data: bytes) -> Iterator[tuple[int, str]]:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        yield blocks.line_number(data, error.start), "not UTF-8"
    for found in _UNREADABLE.finditer(data):
        if metadata.from_line(texts.decoded(found.group())) is None:
            line = blocks.line_number(data, found.start())
            yield line, "metadata that cannot be read"


def held(found: Sequence[Tile], module: str) -> list[Held]:
    """What each tile says; adopted entries get their place among each other as ordinal."""
    all_: list[Held] = []
    ordinal = 0
    for tile in found:
        where = Where(kind=tile.section, part=tile.part, module=module, ordinal=ordinal)
        one = _READ.get(tile.role, _nothing)(tile, where)
        # blocks of the program come and go between them, and count nothing
        ordinal += any(not fact.sources for fact in one.facts[:1])
        all_.append(one)
    return all_


def _nothing(tile: Tile, where: Where) -> Held:
    return Held(tile)


def _entry(tile: Tile, where: Where) -> Held:
    if tile.data is not None:
        return Held(tile, _owned(tile, where))
    return Held(tile, (_adopted(tile, where),))


def _adopted(tile: Tile, where: Where) -> Fact:
    if tile.shape == tiles.ROW:
        from afterword.snapshot import table_row

        return adopted.row(where, tile.columns, table_row.cells(tile.lines[0]))
    if tile.shape == tiles.BULLET:
        first = adopted.without_bullet(tile.lines[0])
        return adopted.bullet(where, (first, *tile.lines[1:]))
    return adopted.entry(where, tile.name, tile.lines)


def _owned(tile: Tile, where: Where) -> tuple[Fact, ...]:
    """The facts of an entry with metadata, as its visible lines change them."""
    data = tile.data or {}
    listed = metadata.facts_of(data, module=where.module)
    if tile.shape != tiles.HEADED:
        return listed
    lines = without_mark(tile.lines, str(data.get("mark", "")))
    shown = shown_title(tile)
    if not listed:
        return (
            metadata.fact_of(
                data, module=where.module, kind=where.kind, title=shown, body=lines
            ),
        )
    head = listed[0]
    is_same = shown == (data.get("shown") or rendering.title(head))
    kept = tuple(texts.without(lines, rendering.visible(listed)))
    changed = head.replaced(kept=kept, title=head.title if is_same else shown)
    return (changed, *listed[1:])


def shown_title(tile: Tile) -> str:
    """An entry's title as its heading has it, without the mark of what is unconfirmed."""
    return tile.name.strip().removeprefix(words.UNCONFIRMED).strip()


def without_mark(lines: Sequence[str], mark: str) -> list[str]:
    """The lines of an entry without the one that says it ended, and without blank ends."""
    found = list(lines)
    while found and not found[-1].strip():
        found.pop()
    if mark and mark in found:
        at = len(found) - 1 - found[::-1].index(mark)
        del found[at]
    while found and not found[-1].strip():
        found.pop()
    return found


def _conflict(tile: Tile, where: Where) -> Held:
    topic = tile.name.strip().removeprefix(words.CONFLICT).strip()
    if tile.data is None:
        return Held(tile, conflict=adopted.conflict(where, topic, tile.lines))
    found = metadata.conflict_of(
        tile.data, module=where.module, kind=where.kind, topic=topic
    )
    return Held(tile, conflict=found)


def _pending(tile: Tile, where: Where) -> Held:
    first = adopted.without_bullet(tile.lines[0])
    if tile.data is None:
        if "{{" in first:
            return Held(tile)
        return Held(tile, (adopted.pending(where, (first, *tile.lines[1:])),))
    fact = metadata.fact_of(tile.data, module=where.module)
    against = tile.data.get("contradicts")
    item = PendingItem(
        target=where.module,
        fact=fact,
        contradicts=against if isinstance(against, str) else "",
    )
    lines = [line.removeprefix("  ") for line in tile.lines]
    kept = tuple(texts.without(lines, [rendering.pending(item)]))
    return Held(tile, (fact.replaced(kept=kept) if kept else fact,))


def _loose(tile: Tile, where: Where) -> Held:
    data = tile.data or {}
    is_whole = isinstance(data.get("title") or data.get("resolves"), str)
    if metadata.is_conflict(data) or not is_whole:
        return Held(tile)
    return Held(tile, (metadata.fact_of(data, module=where.module),))


_READ = {
    tiles.ENTRY: _entry,
    tiles.CONFLICT: _conflict,
    tiles.PENDING: _pending,
    tiles.LOOSE: _loose,
}


# Files that a merge left its markers in.


def sides(data: bytes) -> tuple[bytes, bytes]:
    """The two whole files between which a merge did not decide: ours and theirs."""
    ours: list[bytes] = []
    theirs: list[bytes] = []
    now: tuple[list[bytes], ...] = (ours, theirs)
    is_inside = False
    for line in data.splitlines(keepends=True):
        mark = line[:7] if line[7:8] in (b"", b" ", b"\r", b"\n") else b""
        if mark == _OURS:
            now, is_inside = (ours,), True
        elif is_inside and mark == _BASE:
            now = ()
        elif is_inside and mark == _THEIRS:
            now = (theirs,)
        elif is_inside and mark == _END:
            now, is_inside = (ours, theirs), False
        elif mark != _END:
            for side in now:
                side.append(line)
    return b"".join(ours), b"".join(theirs)


def without_markers(data: bytes) -> bytes:
    """A file with everything that either side of a merge has, for `compile --rebuild`.

    Ours, and what only theirs has at the end of the same section: a compile unites the
    entries that stand there twice.
    """
    if not merge_markers.first_line(data):
        return data
    ours, theirs = sides(data)
    newline = newline_of(data)
    found = cutting.cut(blocks.finished(ours, newline, blocks.has_front(ours)))
    known = {blocks.normalised(tile.raw) for tile in found}
    heading = ""
    for tile in cutting.cut(theirs):
        heading = tile.name if tile.role == tiles.SECTION else heading
        text = blocks.normalised(tile.raw)
        if tile.role in _REPEATED or not text or text in known:
            continue
        known.add(text)
        found = _with(found, heading, tile, newline)
    return tiles.join(found)


_REPEATED = (tiles.HEADER, tiles.SECTION, tiles.PART, tiles.LOG)


def _with(found: list[Tile], heading: str, tile: Tile, newline: bytes) -> list[Tile]:
    """The tiles with one more at the end of the section of that heading."""
    starts = [at for at, one in enumerate(found) if one.role == tiles.SECTION]
    here = next((at for at in starts if found[at].name == heading), None)
    added = tile.with_raw(blocks.finished(tile.raw, newline, front=False), newline)
    if here is None:
        head = f"## {heading}".encode("utf-8", "surrogateescape") + newline
        new = Tile(tiles.SECTION, newline, head, name=heading, level=2)
        return [*found, *([new] if heading else []), added]
    end = next((at for at in starts if at > here), len(found))
    return [*found[:end], added, *found[end:]]
