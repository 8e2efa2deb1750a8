"""Cuts a target file in tiles: one pass over its lines, which knows where it is.

What has metadata is recognised wherever it stands; text without is an entry only where a
section holds such. Linear, any bytes; imports `tiles`, `metadata`, `table_row`, words and
`store.blocks`.
"""

from __future__ import annotations

import re

from afterword.snapshot import metadata, scanned, table_row, tiles, words
from afterword.snapshot.scanned import Line
from afterword.snapshot.tiles import (
    BULLET,
    CONFLICT,
    ENTRY,
    FIELD,
    HEADED,
    HEADER,
    IN_LOG,
    IN_PENDING,
    LOG,
    LOOSE,
    PART,
    PENDING,
    ROW,
    SECTION,
    TEXT,
    Tile,
)
from afterword.store import blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PART_LEVEL = 4  # of the headings of entries in parts of Architecture
_IS_BULLET = re.compile(rb"[-*+][ \t]+\S")
_IS_LOG = re.compile(rb"[-*+] +\[CONFLICT\]")
_STATES = (words.PENDING_RESOLUTION, words.RESOLVED)
_IS_FIELD = re.compile(
    rb"[-*+] +(Purpose|Status|\xe7\x9b\xae\xe7\x9a\x84|\xe7\x8a\xb6\xe6\x80\x81)"
    rb" *(?::|\xef\xbc\x9a)",
    re.IGNORECASE,
)


def cut(data: bytes) -> list[Tile]:
    """The file in tiles; `join` undoes it."""
    return _Cutter(data).tiles()


class _Cutter:
    """Goes through the lines once; knows in which section and part it is."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._lines = scanned.lines(data)
        self._found: list[Tile] = []
        self._section = self._part = ""
        # whether bullets and rows are entries here: under the heading of a section or part
        self._is_direct = False
        self._columns: tuple[str, ...] = ()

    def tiles(self) -> list[Tile]:
        lead = at = self._header()
        while at < len(self._lines):
            if self._lines[at].is_blank:
                at += 1
                continue
            end = self._tile(lead, at)
            lead = at = end
        if lead < len(self._lines):
            self._add(TEXT, lead, len(self._lines), len(self._lines))
        return self._found

    def _header(self) -> int:
        """What stands before the first section, without the empty lines that end it."""
        end = next(
            (at for at, line in enumerate(self._lines) if line.level > 1),
            len(self._lines),
        )
        while end and self._lines[end - 1].is_blank:
            end -= 1
        self._add(HEADER, 0, 0, end)
        return end

    def _span(self, start: int, end: int) -> bytes:
        if start >= end:
            return b""
        return self._data[self._lines[start].start : self._lines[end - 1].end]

    def _texts(self, start: int, end: int) -> tuple[str, ...]:
        return tuple(
            scanned.decoded(self._data[line.start : line.end]).rstrip("\r\n")
            for line in self._lines[start:end]
        )

    def _add(self, role: str, lead: int, start: int, end: int, **more: Any) -> int:
        self._found.append(
            Tile(
                role,
                self._span(lead, start),
                self._span(start, end),
                line=start + 1,
                section=self._section,
                part=self._part,
                **more,
            )
        )
        return end

    def _tile(self, lead: int, at: int) -> int:
        """Add the tile of a line that is not empty; where the next begins."""
        line = self._lines[at]
        if line.level:
            return self._headed(lead, at)
        if line.data is not None:
            return self._add(LOOSE, lead, at, at + 1, data=line.data)
        if line.kind == blocks.TEXT:
            raw = self._span(at, at + 1)
            if _IS_BULLET.match(raw):
                return self._bullet(lead, at)
            if b"|" in raw:
                return self._row(lead, at)
        return self._text(lead, at)

    def _text(self, lead: int, at: int) -> int:
        self._columns = ()
        return self._add(TEXT, lead, at, at + 1)

    def _headed(self, lead: int, at: int) -> int:
        line = self._lines[at]
        name = scanned.decoded(line.text)
        self._columns = ()
        if line.level <= 2:
            self._part, self._is_direct = "", True
            self._section = tiles.section_of(name) if line.level == 2 else ""
            role = SECTION if line.level == 2 else TEXT
            return self._add(role, lead, at, at + 1, name=name, level=line.level)
        if line.level == 3:
            part = self._part_of(at, name)
            self._part = ""
            if part:
                self._part, self._is_direct = part, True
                return self._add(PART, lead, at, at + 1, name=name, level=3)
        return self._block(lead, at, name)

    def _part_of(self, at: int, name: str) -> str:
        """The part of Architecture that a heading begins; an entry may be called so too."""
        part = (
            words.part_of_heading(name) if self._section == words.ARCHITECTURE else ""
        )
        if not part:
            return ""
        for line in self._lines[at + 1 :]:
            if 0 < line.level <= 3:
                break
            if line.data is not None and self._is_at_margin(line):
                return part if line.data.get("part") else ""
        return part

    def _is_at_margin(self, line: Line) -> bool:
        return self._data[line.start : line.start + 1] == b"<"

    def _block(self, lead: int, at: int, name: str) -> int:
        """An entry or conflict under a heading; text where the section holds none such."""
        level = self._lines[at].level
        end, data = self._block_end(at, level)
        is_home = self._section not in ("", IN_LOG, IN_PENDING)
        if data is not None and not is_home and level != _level(data):
            data = None
        if data is None and not is_home:
            return self._text(lead, at)
        is_conflict = (
            metadata.is_conflict(data)
            if data is not None
            else name.strip().startswith(words.CONFLICT)
        )
        lines = self._texts(at + 1, end - (data is not None))
        self._is_direct = False
        return self._add(
            CONFLICT if is_conflict else ENTRY,
            lead,
            at,
            end,
            name=name,
            level=level,
            shape=HEADED,
            lines=lines,
            data=data,
        )

    def _block_end(self, at: int, level: int) -> tuple[int, dict[str, Any] | None]:
        """Behind a block, and its metadata; without it the next heading ends the block."""
        last = at + 1
        inner = 0, 0  # a deeper heading, and the end of the text above it
        for end in range(at + 1, len(self._lines)):
            line = self._lines[end]
            if 0 < line.level <= level:
                break
            if line.level == _PART_LEVEL:
                inner = end, last
            if line.data is not None and self._is_at_margin(line):
                is_inner = inner[0] and level < _level(line.data)
                return (inner[1], None) if is_inner else (end + 1, line.data)
            if not line.is_blank:
                last = end + 1
        return last, None

    def _bullet(self, lead: int, at: int) -> int:
        """A first-level bullet with its continuation, and what it is in this section."""
        end, data = self._bullet_end(at)
        self._columns = ()
        role, name = self._bullet_role(at, data)
        if role == TEXT:
            return self._add(TEXT, lead, at, at + 1)
        if role in (LOG, FIELD):
            return self._add(role, lead, at, at + 1, name=name)
        lines = self._texts(at, end - (data is not None))
        return self._add(role, lead, at, end, shape=BULLET, lines=lines, data=data)

    def _bullet_role(self, at: int, data: dict[str, Any] | None) -> tuple[str, str]:
        raw = self._span(at, at + 1).rstrip(b"\r\n")
        if self._section == IN_LOG:
            return (LOG, _topic(raw)) if _IS_LOG.match(raw) else (TEXT, "")
        if self._section == IN_PENDING:
            return PENDING, ""
        if data is not None:
            return ENTRY, ""
        field = _IS_FIELD.match(raw) if self._section == words.OVERVIEW else None
        if field and self._is_direct:
            label = scanned.decoded(field.group(1)).casefold()
            return FIELD, "purpose" if label in ("purpose", "目的") else "status"
        is_entry = self._section and self._is_direct and b"{{" not in raw
        return (ENTRY, "") if is_entry else (TEXT, "")

    def _bullet_end(self, at: int) -> tuple[int, dict[str, Any] | None]:
        """Behind a bullet's continuation: indented lines, and those right below its text."""
        last = at + 1
        for end in range(at + 1, len(self._lines)):
            line = self._lines[end]
            raw = self._span(end, end + 1)
            if line.data is not None:
                is_own = not self._is_at_margin(line)
                return (end + 1, line.data) if is_own else (last, None)
            if line.is_blank:
                continue
            is_indented = raw[:1] in (b" ", b"\t")
            is_lazy = last == end and not _begins(raw) and line.kind == blocks.TEXT
            if line.level or not (is_indented or is_lazy):
                break
            last = end + 1
        return last, None

    def _row(self, lead: int, at: int) -> int:
        """A row of a table; the head and its rule are text, whatever the section."""
        text = self._texts(at, at + 1)[0]
        own, ending = table_row.split(text)
        data = metadata.from_line(ending) if ending else None
        if not self._columns and self._is_head(at):
            columns = tuple(table_row.cells(text))
            end = self._add(TEXT, lead, at, at + 2)
            self._columns = columns
            return end
        is_entry = (
            self._is_direct
            and bool(self._columns)
            and self._section not in ("", IN_LOG, IN_PENDING)
            and lead == at
            and not table_row.is_placeholder(own)
        )
        if data is None and not is_entry:
            return self._add(TEXT, lead, at, at + 1)
        columns = tuple((data or {}).get("columns") or self._columns)
        return self._add(
            ENTRY,
            lead,
            at,
            at + 1,
            shape=ROW,
            lines=(own,),
            columns=tuple(one for one in columns if isinstance(one, str)),
            data=data,
        )

    def _is_head(self, at: int) -> bool:
        return at + 1 < len(self._lines) and table_row.is_delimiter(
            self._texts(at + 1, at + 2)[0]
        )


def _topic(raw: bytes) -> str:
    """The topic of a line of the log, which names a state behind it."""
    text = scanned.decoded(raw).partition("]")[2]
    ends = [text.rfind(f": {state}") for state in _STATES]
    end = max(ends) if max(ends) >= 0 else text.rfind(":")
    return text[:end].strip() if end >= 0 else text.strip()


def _begins(raw: bytes) -> bool:
    """Whether a line cannot go on a paragraph above it."""
    return _IS_BULLET.match(raw) is not None or raw[:1] in (b"|", b">", b"#", b"<")


def _level(data: dict[str, Any]) -> int:
    """The level of the heading that metadata belongs to."""
    return _PART_LEVEL if data.get("part") in words.PARTS else _PART_LEVEL - 1
