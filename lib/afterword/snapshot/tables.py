"""Tables of Markdown files, read as they are and changed in single cells and rows.

For `_index.md`, cross-refs.md and what merges them. A row may lack its closing pipe or
its first one; everything that is not changed stays byte for byte. Pure and linear;
imports `store.blocks` and `store.safe_text` only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from afterword.store import blocks, safe_text
from afterword.store.blocks import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int]
    Edit = tuple[int, int, bytes]  # from, to, and what comes there

_PIPE, _ESCAPE = ord("|"), ord("\\")
_SPACE = b" \t"
# The row that stands for none, as the templates of such files have it.
_NONE = ("(none yet)", "(none)", "(暂无)")


class Row(Record):
    """A row: its line's span with its end, its number from 1, its cells and their spans.

    The spans are those of the cells' text in the file, without the space around it.
    """

    __slots__ = ("cells", "end", "line", "spans", "start")
    cells: tuple[str, ...]
    spans: tuple[Span, ...]
    start: int
    end: int
    line: int

    def __init__(
        self,
        cells: tuple[str, ...],
        spans: tuple[Span, ...],
        start: int,
        end: int,
        line: int,
    ) -> None:
        self._set(cells=cells, spans=spans, start=start, end=end, line=line)

    @property
    def is_placeholder(self) -> bool:
        """Whether the row says that there is none, or is a template's `{{...}}`."""
        first = self.cells[0] if self.cells else ""
        return first.casefold() in _NONE or first.startswith("{{")


class Table(Record):
    """A table: the columns' names, its rows, and the heading that it stands under."""

    __slots__ = ("above", "columns", "end", "rows", "start")
    above: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    start: int
    end: int

    def __init__(
        self,
        above: str,
        columns: tuple[str, ...],
        rows: tuple[Row, ...],
        start: int,
        end: int,
    ) -> None:
        self._set(above=above, columns=columns, rows=rows, start=start, end=end)

    def column(self, names: Sequence[str]) -> int:
        """The number of the first column called one of these (case-folded), -1 for none."""
        for at, name in enumerate(self.columns):
            if name.strip("*` ").casefold() in names:
                return at
        return -1

    def columns_of(self, roles: Sequence[Sequence[str]]) -> tuple[int, ...]:
        """Which column has each role, -1 for none: by its names, else by its place.

        A column of another name has the role of its place, if none has it by name.
        """
        found = [self.column(names) for names in roles]
        return tuple(
            at if at >= 0 or want in found or want >= len(self.columns) else want
            for want, at in enumerate(found)
        )


def cell(row: Row, at: int) -> str:
    """A row's text in a column, "" where it has none."""
    return row.cells[at] if 0 <= at < len(row.cells) else ""


def read(data: bytes) -> list[Table]:
    """The tables of a file outside of fences and comments, in order."""
    found: list[Table] = []
    above, header, rows = "", None, []
    start, is_open = 0, False
    for row, text in _lines(data):
        if is_open and row is not None:
            rows.append(row)
            continue
        if is_open and header is not None:
            found.append(_table(above, header, rows, start))
        is_open = False
        if heading := blocks.heading_of(text):
            above, header = _text(heading[1]), None
        elif row is not None and header is not None and _is_rule(row):
            is_open, start, rows = True, header.start, [row]
        else:
            header = row
    if is_open and header is not None:
        found.append(_table(above, header, rows, start))
    return found


def _table(above: str, header: Row, rows: list[Row], start: int) -> Table:
    """The table of a header, and of the rule with the rows behind it."""
    return Table(above, header.cells, tuple(rows[1:]), start, rows[-1].end)


def _lines(data: bytes) -> Iterator[tuple[Row | None, bytes]]:
    """Each line as a row, where it can be one; what is no text is an empty line."""
    number = 0
    for start, end, kind in blocks.lines(data):
        line = data[start:end] if kind == blocks.TEXT else b""
        number += 1
        bare = line.lstrip(_SPACE)
        is_row = b"|" in line and bare[:1] not in (b"#", b">")
        yield (_row(data, start, end, number) if is_row else None), line
        if kind != blocks.TEXT:
            number += blocks.line_number(data[start:end], end - start) - 2


def _row(data: bytes, start: int, end: int, line: int) -> Row:
    spans = tuple(_cells(data, start, end))
    cells = tuple(_text(data[a:b]).replace("\\|", "|") for a, b in spans)
    return Row(cells, spans, start, end, line)


def _cells(data: bytes, start: int, end: int) -> Iterator[Span]:
    """The spans of the cells between the pipes of a line, without space around them."""
    start, end = _trimmed(data, start, end)
    if data[start:end][:1] == b"|":
        start += 1
    at = start
    while start <= end:
        if at == end or (data[at] == _PIPE and data[at - 1] != _ESCAPE):
            # Nothing behind the closing pipe is a cell.
            if at < end or at > start:
                yield _trimmed(data, start, at)
            start = at + 1
        at += 1


def _trimmed(data: bytes, start: int, end: int) -> Span:
    raw = data[start:end]
    left = len(raw) - len(raw.lstrip(b" \t\r\n"))
    right = len(raw) - len(raw.rstrip(b" \t\r\n"))
    return (start + left, end - right) if left < len(raw) else (start, start)


def _is_rule(row: Row) -> bool:
    """Whether a row is the line of dashes under a header."""
    bare = [one.removeprefix(":").removesuffix(":") for one in row.cells]
    return bool(bare) and all(one and not one.strip("-") for one in bare)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape").strip()


def line(cells: Sequence[str]) -> bytes:
    """A row of our own, with a final line feed; no cell can break out of it."""
    return b"| " + b" | ".join(map(_cell, cells)) + b" |\n"


def shown(text: str) -> str:
    """A text as a cell shows it: in one line."""
    return safe_text.one_line(text)


def new(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """A whole table of our own."""
    rule = b"|" + b"|".join(b"---" for _ in columns) + b"|\n"
    return line(columns) + rule + b"".join(line(row) for row in rows)


def with_cells(row: Row, texts: Mapping[int, str]) -> Iterator[Edit]:
    """The changes that give a row other texts in some columns; a short row is made longer."""
    for at, text in texts.items():
        if at < len(row.spans):
            start, end = row.spans[at]
            raw = _cell(text)
            yield start, end, raw if end > start else b" " + raw + b" "
    longer = range(len(row.spans), max(texts, default=-1) + 1)
    if longer:
        end = row.spans[-1][1] if row.spans else row.start
        yield end, end, b"".join(b" | " + _cell(texts.get(at, "")) for at in longer)


def _cell(text: str) -> bytes:
    return shown(text).replace("|", "\\|").encode("utf-8", "surrogateescape")


def with_rows(
    table: Table,
    rows: Sequence[Sequence[str]],
    newline: bytes,
    key: Callable[[Sequence[str]], tuple[str, ...]],
) -> Iterator[Edit]:
    """The changes that put rows into a table, each behind the last that is not greater.

    So a sorted table stays sorted, whatever the order in which rows come. A placeholder
    goes when the first row comes.
    """
    kept = [row for row in table.rows if not row.is_placeholder]
    for row in table.rows:
        if rows and row.is_placeholder:
            yield row.start, row.end, b""
    for cells in sorted(rows, key=key):
        raw = blocks.with_newline(line(cells), newline)
        at = _rule_end(table)
        for row in kept:
            if key(row.cells) <= key(cells):
                at = row.end
        yield at, at, raw


def _rule_end(table: Table) -> int:
    """Where the first row of a table begins."""
    return table.rows[0].start if table.rows else table.end


def changed(data: bytes, edits: Sequence[Edit], newline: bytes) -> bytes:
    """The file with changes that do not overlap; several at one place stay in their order.

    A last line without an end gets one when something now follows it.
    """
    kept, at = [], 0
    for start, end, raw in sorted(edits, key=lambda edit: edit[:2]):
        before = data[at:start]
        ends = before.endswith((b"\n", b"\r")) or not before
        needs_end = start == len(data) and raw.endswith(newline) and not ends
        kept += [before, newline if needs_end else b"", raw]
        at = max(at, end)
    return b"".join([*kept, data[at:]])
