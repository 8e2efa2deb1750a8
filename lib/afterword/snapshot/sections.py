"""Sections of files that people write in too: found by heading, added in their order.

For `_index.md`, cross-refs.md and progress.md. Pure; imports `store` and `tables` only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from afterword.snapshot import tables
from afterword.snapshot.tables import Table
from afterword.store import blocks
from afterword.store.newline import newline_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    Cells = Sequence[str]
    Roles = Sequence[Sequence[str]]  # the names, case-folded, of each column
    Key = Callable[[Cells], tuple[str, ...]]

_LEVEL = 2


def span(data: bytes, title: str) -> tuple[int, int] | None:
    """From behind a section's heading to the next of its level; None without it."""
    for heading in blocks.headings(data):
        if heading.level <= _LEVEL and _name(heading.text) == title.casefold():
            return heading.end, blocks.section(data, heading)[1]
    return None


def _name(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape").strip().casefold()


def with_section(
    data: bytes, title: str, body: bytes, following: Sequence[str]
) -> bytes:
    """The file with a new section: before the first of those that follow it, else at the end."""
    newline = newline_of(data)
    raw = blocks.with_newline(f"## {title}\n\n".encode() + body, newline)
    names = {name.casefold() for name in following}
    for heading in blocks.headings(data):
        if heading.level == _LEVEL and _name(heading.text) in names:
            before = data[: heading.start]
            return blocks.append(before, raw + newline) + data[heading.start :]
    whole = blocks.finished(data, newline, blocks.has_front(data))
    return blocks.append(whole, raw)


def with_rows(
    data: bytes,
    title: str,
    columns: Sequence[str],
    rows: Sequence[Cells],
    *,
    table: Table | None,
    key: Key,
    roles: Roles = (),
    following: Sequence[str] = (),
) -> bytes:
    """The file with rows in a section's table; section and table are made where missing.

    `rows` are in the order of `columns`, `key` is asked of rows in that order. A table
    of other columns gets those cells that it has a column for, by their `roles`.
    """
    if not rows:
        return data
    newline = newline_of(data)
    if table is None:
        made = tables.new(columns, sorted(rows, key=key))
        return _with_table(data, title, made, following)
    places = table.columns_of(roles or [(name.casefold(),) for name in columns])
    shown = [_as_in(table, places, row) for row in rows]
    edits = tables.with_rows(table, shown, newline, lambda row: key(given(row, places)))
    return tables.changed(data, list(edits), newline)


def given(row: Cells, places: Sequence[int]) -> list[str]:
    """The cells of a row by the columns that have their roles."""
    return [row[at] if 0 <= at < len(row) else "" for at in places]


def _as_in(table: Table, places: Sequence[int], cells: Cells) -> list[str]:
    """Cells in the columns that a table has for them."""
    row = [""] * len(table.columns)
    for at, text in zip(places, cells, strict=True):
        if at >= 0:
            row[at] = text
    return row


def _with_table(
    data: bytes, title: str, made: bytes, following: Sequence[str]
) -> bytes:
    """The file with a table at the end of a section, or in a new one."""
    found = span(data, title)
    if found is None:
        return with_section(data, title, made, following)
    newline = newline_of(data)
    before = data[: found[1]].rstrip(b"\r\n")
    raw = newline * 2 + blocks.with_newline(made, newline)
    behind = data[found[1] :]
    return before + raw + (newline + behind if behind else b"")


def table_under(data: bytes, title: str) -> Table | None:
    """The first table of a section."""
    found = span(data, title)
    if found is None:
        return None
    inside = (one for one in tables.read(data) if found[0] <= one.start < found[1])
    return next(inside, None)


def bullets(data: bytes, title: str) -> Iterator[tuple[int, int, str]]:
    """The first-level bullets of a section: the spans of their lines, and their text."""
    found = span(data, title)
    if found is None:
        return
    for start, end, kind in blocks.lines(data):
        if found[0] <= start < found[1] and kind == blocks.TEXT:
            text = data[start:end].decode("utf-8", "surrogateescape").rstrip("\r\n")
            if text.startswith(("- ", "* ", "+ ")):
                yield start, end, text
