"""The pipe tables of a file: columns by name in either language, rows, one row more.

Outside fences, comments and front matter only (spec/evolution.md 1.5, 1.7). Pure;
imports `store.blocks`, `store.newline`, `evolution.knowledge_row`, `evolution.words`.
"""

from __future__ import annotations

from collections.abc import Iterator

from afterword.evolution import knowledge_row, words
from afterword.store import blocks
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
_NAMES = frozenset((*_COLUMNS.values(), *words.WRITTEN))

Line = tuple[int, int, int]  # its number from 1, from, to


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

    def __init__(self, here: Line, cells: tuple[str, ...], glued: int) -> None:
        line, start, end = here
        self._set(line=line, start=start, end=end, cells=cells, glued=glued)


class Table(blocks.Record):
    """A table: the names of its columns, its rows, where it starts and its last line ends.

    A name is that of `words`, `id`, `count`, `occurrences`, or the column's own text.
    Rows that stand apart, behind an empty line, belong to it but lie behind `end`.
    `above` is the text of the heading that it stands under.
    """

    __slots__ = ("above", "columns", "end", "line", "rows", "start")
    above: str
    line: int
    start: int
    end: int
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def __init__(self, found: _Open) -> None:
        self._set(
            above=found.above.decode("utf-8", "replace"),
            line=found.line,
            start=found.start,
            end=found.end,
            columns=found.columns,
            rows=tuple(found.rows),
        )

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
        """Whether its rows are those of a pattern library: read, never written (K8)."""
        return self._names("id", "title", "occurrences")

    @property
    def is_counts(self) -> bool:
        """Whether it declares how many entries each category has."""
        return self._names("category", "count") and "id" not in self.columns

    def _names(self, *names: str) -> bool:
        return all(name in self.columns for name in names)


class _Open:
    """A table whose end is not seen yet; `is_whole` until an empty or other line comes."""

    def __init__(self, here: Line, end: int, head: bytes, above: bytes) -> None:
        self.line, self.start, _ = here
        self.above = above
        self.end = end
        self.columns = tuple(map(_column, knowledge_row.cells(head)))
        self.rows: list[Row] = []
        self.is_whole = True

    def take(self, here: Line, raw: bytes) -> None:
        """One more line; what stands apart from the table is a row only with an id."""
        cells = knowledge_row.cells(raw)
        if self.is_whole:
            self.end = here[2]
        elif not _has_id(cells, self.columns):
            return
        if not knowledge_row.is_separator(cells):
            found = knowledge_row.rows(cells, self.columns)
            self.rows += [Row(here, row, len(found)) for row in found]

    def give_back(self, head: Line) -> None:
        """The line before was no row but the head of the next table."""
        while self.rows and self.rows[-1].line == head[0]:
            self.rows.pop()
        self.end = min(self.end, head[1])


class _Scan:
    """The lines of a file, one after the other, and the table that they are in."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._table: _Open | None = None
        self._before: Line | None = (
            None  # the line before, if it may be a table's first
        )
        self._above = b""

    def line(self, here: Line, raw: bytes, kind: str) -> Table | None:
        """Take a line; the table that it ends, if it ends one."""
        if kind != blocks.TEXT or not _is_row(raw, self._table):
            return self._other(raw, kind)
        if self._before and self._begins(self._before, raw):
            return self._begin(self._before, here[2])
        if self._table:
            self._table.take(here, raw)
        elif _names_index(raw):
            self._table = _Open(here, here[2], raw, self._above)
        self._before = here
        return None

    def close(self) -> Table | None:
        """The table in which the file ends, or which a heading ends."""
        found, self._table = self._table, None
        return Table(found) if found else None

    def _other(self, raw: bytes, kind: str) -> Table | None:
        """A line that is no row: a heading ends a table, others only interrupt it."""
        self._before = None
        heading = blocks.heading_of(raw) if kind == blocks.TEXT else None
        if heading:
            self._above = heading[1]
            return self.close()
        if self._table:
            self._table.is_whole = False
        return None

    def _begins(self, head: Line, raw: bytes) -> bool:
        """Whether a line is the separator below the head of another table.

        Inside of a table only names of columns make a head, because a separator may
        stand below any row by mistake.
        """
        cells = knowledge_row.cells(self._data[head[1] : head[2]])
        if knowledge_row.is_separator(cells):
            return False
        if not knowledge_row.is_separator(knowledge_row.cells(raw)):
            return False
        if self._table is None or not self._table.is_whole:
            return True
        is_own = self._table.line == head[0]  # begun without waiting for the separator
        return not is_own and any(_column(cell) in _NAMES for cell in cells)

    def _begin(self, head: Line, end: int) -> Table | None:
        if self._table:
            self._table.give_back(head)
        found = self.close()
        raw = self._data[head[1] : head[2]]
        self._table = _Open(head, end, raw, self._above)
        self._before = None
        return found


def tables(data: bytes) -> Iterator[Table]:
    """The tables of a file in order.

    A table goes on behind an empty line or a comment, up to the next heading or table:
    a row that a person set apart is not lost.
    """
    scan = _Scan(data)
    number = 1
    for start, end, kind in blocks.lines(data, blocks.has_front(data)):
        raw = data[start:end]
        found = scan.line((number, start, end), raw, kind)
        if found:
            yield found
        number += blocks.line_number(raw, len(raw)) - 1
    last = scan.close()
    if last:
        yield last


def _is_row(raw: bytes, table: _Open | None) -> bool:
    """Whether a line may be of a table; one that stands apart has to begin as such."""
    if raw.startswith((b"    ", b"\t")) or b"|" not in raw:
        return False
    text = raw.lstrip(b" ")
    if text.startswith((b"#", b">")):
        return False
    return text.startswith(b"|") or table is None or table.is_whole


def _has_id(cells: list[str], columns: tuple[str, ...]) -> bool:
    at = columns.index("id") if "id" in columns else len(cells)
    return at < len(cells) and knowledge_row.is_identity(cells[at])


def _names_index(raw: bytes) -> bool:
    names = [_column(cell) for cell in knowledge_row.cells(raw)]
    return names[:1] == ["id"] and "title" in names


def _column(cell: str) -> str:
    label = knowledge_row.bare(cell).casefold()
    name = _COLUMNS.get(label) or words.field(label) or label
    return "created" if name == "added" else name


def added(data: bytes, table: Table, row: bytes) -> bytes:
    """The file with a row, given without its line end, behind the last line of a table."""
    own = data[table.start : table.end]
    newline = newline_of(own if b"\n" in own or b"\r" in own else data)
    head = blocks.completed(data[: table.end], newline)
    # a lone CR and the LF of an empty line would be one line end, and the table go on
    is_joined = newline == b"\r" and data.startswith(b"\n", table.end)
    return head + row + (b"\n" if is_joined else newline) + data[table.end :]
