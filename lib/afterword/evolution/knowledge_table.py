r"""Pipe tables as people, formatters and programs leave them: columns by name, rows, one new row.

Reads `|----|` and `| ---- |`, pipes escaped (`\|`) or not, and rows that stand glued
together in one line (`|| k-064 |`), outside fences only (spec/evolution.md 1.5, 1.7).
Pure; imports `store.blocks`, `store.newline`, `store.safe_text`, `evolution.words`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterword.evolution import words
from afterword.store import blocks, safe_text
from afterword.store.newline import newline_of

# Names of columns that are no labels of a field; the others are those of `words`.
_COLUMNS = {
    "id": "id",
    "编号": "id",
    "name": "title",
    "名称": "title",
    "创建日期": "created",
    "日期": "created",
    "count": "count",
    "数量": "count",
    "条数": "count",
    "occurrences": "occurrences",
    "出现次数": "occurrences",
}
_PIPE = re.compile(r"(?<!\\)\|")
_DASHES = re.compile(r":?-+:?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,9})?|\.[0-9]{1,9})[ \t]*([%％]?)")
# What an id looks like, wherever one may stand: `k-001`, `KB-001`, `K001`, `k-1f2e3d4c`.
IDENTITY = r"[A-Za-z]{1,8}(?:-[0-9a-f]{8}|-[0-9]{1,9}|[0-9]{3,9})"
_IDENTITY = re.compile(rf"{IDENTITY}\Z")
_LEAST = 2  # cells of a row, and of one that is glued to another


class Row(blocks.Record):
    """One row of a table: its line (from 1) and span, and a text for each column.

    `glued` is how many rows stand in the line.
    """

    __slots__ = ("cells", "end", "glued", "line", "start")
    line: int
    start: int
    end: int
    cells: tuple[str, ...]
    glued: int

    def __init__(
        self, line: int, start: int, end: int, cells: tuple[str, ...], glued: int
    ) -> None:
        self._set(line=line, start=start, end=end, cells=cells, glued=glued)


class Table(blocks.Record):
    """A table: the names of its columns, its rows, where it starts and its last line ends.

    A name is that of `words`, `id`, `count`, `occurrences`, or the column's own text.
    Rows that follow behind an empty line belong to it but lie behind `end`.
    """

    __slots__ = ("columns", "end", "line", "rows", "start")
    line: int
    start: int
    end: int
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def __init__(
        self,
        line: int,
        start: int,
        end: int,
        columns: tuple[str, ...],
        rows: tuple[Row, ...],
    ) -> None:
        self._set(line=line, start=start, end=end, columns=columns, rows=rows)

    def value(self, row: Row, column: str) -> str:
        """The text that a row has in a column, "" where the table has no such column."""
        if column not in self.columns:
            return ""
        return row.cells[self.columns.index(column)]

    @property
    def is_index(self) -> bool:
        """Whether its rows are entries, of which new ones are added here."""
        return self._names("id", "title") and not self.is_patterns

    @property
    def is_patterns(self) -> bool:
        """Whether its rows are those of a pattern library: read, never written."""
        return self._names("id", "title", "occurrences")

    @property
    def is_counts(self) -> bool:
        """Whether it declares how many entries each category has."""
        return self._names("category", "count") and "id" not in self.columns

    def _names(self, *names: str) -> bool:
        return all(name in self.columns for name in names)


class _Open:
    """A table whose end is not seen yet."""

    def __init__(self, line: int, start: int, end: int, head: bytes) -> None:
        self.line, self.start, self.end = line, start, end
        self.columns = tuple(_column(cell) for cell in _cells(head))
        self.rows: list[Row] = []
        self.is_whole = True  # no empty line yet

    def take(self, line: int, start: int, end: int, raw: bytes) -> None:
        found = _cells(raw)
        if self.is_whole:
            self.end = end
        if not _is_separator(found):
            self.rows += _rows(line, start, end, found, self.columns)

    def close(self) -> Table:
        return Table(self.line, self.start, self.end, self.columns, tuple(self.rows))


def tables(data: bytes) -> Iterator[Table]:
    """The tables of a file in order, outside fences, comments and front matter."""
    current: _Open | None = None
    head: tuple[int, int, int] | None = None  # a line that may be a table's first
    number = 1
    for start, end, kind in blocks.lines(data):
        raw = data[start:end]
        text = raw.strip()
        here = (number, start, end)
        number += blocks.line_number(raw, len(raw)) - 1
        if kind == blocks.TEXT and not text:
            head = None
            if current:
                current.is_whole = False
        elif kind != blocks.TEXT or not _is_row(raw, current):
            if current:
                yield current.close()
            current, head = None, None
        elif head and _is_separator(_cells(raw)) and _begins(data, head, current):
            if current:
                yield _without(current, head[0]).close()
            current = _Open(*head[:2], end, data[head[1] : head[2]])
            head = None
        else:
            if current:
                current.take(*here, raw)
            elif _names_index(raw):
                current = _Open(*here, raw)
            head = here
    if current:
        yield current.close()


def _is_row(raw: bytes, current: _Open | None) -> bool:
    """Whether a line may be of a table; behind an empty line only one that begins as such."""
    if raw.startswith((b"    ", b"\t")) or b"|" not in raw:
        return False
    text = raw.lstrip(b" ")
    if text.startswith((b"#", b">")):
        return False
    return text.startswith(b"|") or current is None or current.is_whole


def _begins(data: bytes, head: tuple[int, int, int], current: _Open | None) -> bool:
    """Whether the line before a separator is a table's head, not a row of the one above."""
    cells = _cells(data[head[1] : head[2]])
    if current is None:
        return not _is_separator(cells)
    if current.line == head[0]:
        return False  # it was opened by its head
    return any(_column(cell) in _NAMES for cell in cells)


def _without(current: _Open, line: int) -> _Open:
    """A table that has taken the head of the next one for its last row."""
    current.rows = [row for row in current.rows if row.line != line]
    current.end = min(current.end, max((row.end for row in current.rows), default=0))
    return current


def _names_index(raw: bytes) -> bool:
    names = [_column(cell) for cell in _cells(raw)]
    return names[:1] == ["id"] and "title" in names


def _column(cell: str) -> str:
    label = cell.strip(" \t*`_").casefold()
    name = _COLUMNS.get(label) or words.field(label)
    return {"added": "created"}.get(name, name) if name else label


_NAMES = frozenset((*_COLUMNS.values(), *words.WRITTEN))


def _cells(raw: bytes) -> list[str]:
    """The cells of a line as they stand between its pipes, neither trimmed nor unescaped."""
    text = raw.decode("utf-8", "replace").strip()
    text = text.removeprefix("|")
    if text.endswith("|") and not text.endswith("\\|"):
        text = text[:-1]
    return _PIPE.split(text)


def _is_separator(cells: list[str]) -> bool:
    r"""`|----|`, `| ---- |`, `|:--:|` (K2: a formatter puts spaces around the dashes)."""
    return all(_DASHES.fullmatch(cell.strip()) for cell in cells)


def _rows(
    line: int, start: int, end: int, cells: list[str], columns: tuple[str, ...]
) -> list[Row]:
    parts = _parts(cells, len(columns))
    fitted = [tuple(map(_text, _fitted(part, columns))) for part in parts]
    return [Row(line, start, end, row, len(fitted)) for row in fitted if any(row)]


def _parts(cells: list[str], width: int) -> list[list[str]]:
    """The cells of each row that stands in one line (K3: glued rows lose their entries)."""
    if len(cells) <= width:
        return [cells]
    found, at = [], 0
    for here in range(_LEAST, len(cells) - _LEAST):
        is_seam = not cells[here].strip() and _IDENTITY.match(cells[here + 1].strip())
        if is_seam and here - at >= _LEAST:
            found.append(cells[at:here])
            at = here + 1
    return [*found, cells[at:]]


def _fitted(cells: list[str], columns: tuple[str, ...]) -> list[str]:
    """As many cells as columns: what is too much are pipes in the title, or a tail."""
    surplus = len(cells) - len(columns)
    if surplus <= 0:
        return [*cells, *[""] * -surplus]
    cut = cells[: len(columns)]
    if "title" not in columns:
        return cut
    at = columns.index("title")
    title = "|".join(cells[at : at + surplus + 1])
    joined = [*cells[:at], title, *cells[at + surplus + 1 :]]
    return cut if _likely(cut, columns) > _likely(joined, columns) else joined


def _likely(cells: list[str], columns: tuple[str, ...]) -> int:
    """How many cells look like what their column holds."""
    count = 0
    for cell, column in zip(cells, columns, strict=True):
        if column == "confidence":
            count += number(cell) is not None
        elif column == "created":
            count += _DATE.fullmatch(cell.strip()) is not None
    return count


def _text(cell: str) -> str:
    return cell.strip().replace("\\|", "|")


def number(text: str) -> float | None:
    """A confidence from 0 to 1: `0.9`, `95%`, `95`; None for other text. 0 stays 0 (K4)."""
    found = _NUMBER.match(text.strip(" \t*`"))
    if found is None:
        return None
    value = float(found[1])
    if found[2] or (value > 1 and "." not in found[1]):
        value /= 100
    return value if value <= 1 else None


def line(columns: tuple[str, ...], values: dict[str, str]) -> bytes:
    """A row without its line end; texts are made one line, their pipes escaped."""
    cells = [_escaped(values.get(column, "")) for column in columns]
    return f"| {' | '.join(cells)} |".encode("utf-8", "replace")


def _escaped(text: str) -> str:
    return safe_text.one_line(text).replace("|", "\\|")


def added(data: bytes, table: Table, row: bytes) -> bytes:
    """The file with a row, given without its line end, behind the last line of a table."""
    newline = newline_of(data[table.start : table.end]) if table.rows else None
    newline = newline or newline_of(data)
    head = blocks.completed(data[: table.end], newline)
    return head + row + newline + data[table.end :]
