"""What a knowledge base declares about itself, held against what it holds.

`entries:` in the front matter and the table of categories are kept by hand and wrong
most of the time (spec/evolution.md 1.5): never trusted, only compared. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from afterword.evolution import knowledge_row
from afterword.evolution.knowledge_table import Table
from afterword.store import blocks, template

_DECLARED = re.compile(rb"^entries:[ \t]*([0-9]{1,9})[ \t]*\r?$", re.MULTILINE)
_TOTALS = frozenset(("total", "sum", "总计", "合计"))


def wrong(
    data: bytes, tables: Iterable[Table], categories: list[str]
) -> Iterator[tuple[int, str]]:
    """Line and message of each declaration that is not so; `categories` of all entries."""
    yield from _front(data, len(categories))
    counted = Counter(name.casefold() for name in categories)
    for table in tables:
        message = _table(table, counted) if table.is_counts else ""
        if message:
            yield table.line, message


def _front(data: bytes, count: int) -> Iterator[tuple[int, str]]:
    declared = in_front(data)
    if declared and int(declared[1]) != count:
        line = blocks.line_number(data, declared.start())
        yield line, f"entries: {int(declared[1])} is declared, there are {count}"


def in_front(data: bytes) -> re.Match[bytes] | None:
    """The number of entries that the front matter declares: group 1, where it stands."""
    span = template.front_span(data)
    return _DECLARED.search(data, span[0], span[1]) if span else None


def _table(table: Table, counted: Counter[str]) -> str:
    """What a table of categories says that is not so, in one short line; "" for nothing."""
    declared = _declared(table)
    if declared.total() != counted.total():
        return (
            f"the category table counts {declared.total()} entries,"
            f" there are {counted.total()}"
        )
    for name, count in declared.items():
        if count != counted[name]:
            return f"the category table says {name} {count}, there are {counted[name]}"
    return ""


def _declared(table: Table) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in table.rows:
        name = knowledge_row.bare(table.value(row, "category")).casefold()
        text = knowledge_row.bare(table.value(row, "count"))[:9]
        if name not in _TOTALS and text.isascii() and text.isdigit():
            found[name] += int(text)
    return found
