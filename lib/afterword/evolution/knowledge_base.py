"""The knowledge base: its entries over all eras K0 to K4, and one new row of its index.

Rows of the index table are entries, and so are sections with an id; a section of a
row's id only details it. What a file declares about itself (`entries:`, counts by
category) is never trusted. The index is never rebuilt (K1). Pure; any bytes are read.
"""

from __future__ import annotations

import re

from afterword.evolution import knowledge_block, knowledge_table, words
from afterword.evolution.knowledge_block import Section
from afterword.evolution.knowledge_table import Row, Table
from afterword.model import Model
from afterword.store import blocks, template
from afterword.store.newline import newline_of

ROW, PATTERN, SECTION = "row", "pattern", "section"
# The columns of a new index, as the seed's have them in either language.
COLUMNS = ("ID", "Title", "Category", "Confidence", "Created", "Status")
ACTIVE = "active"
_INDEX = {words.EN: "## Index", words.ZH: "## 索引表 (Knowledge Index)"}
_TITLE = {words.EN: "# Knowledge base", words.ZH: "# 知识库 (Knowledge Base)"}
_DECLARED = re.compile(rb"^entries:[ \t]*([0-9]{1,9})[ \t]*\r?$", re.MULTILINE)
_TOTALS = ("total", "sum", "总计", "合计")


class Entry(Model):
    """One entry: texts as the file has them, "" for what it does not say.

    `confidence` is from 0 to 1; `line` counts from 1; `where` is the heading above;
    `form` is `ROW`, `PATTERN` or `SECTION`.
    """

    id: str
    title: str
    category: str
    confidence: float | None
    created: str
    status: str
    line: int
    where: str = ""
    form: str = ROW

    @property
    def said(self) -> tuple[object, ...]:
        """What two copies of an entry have in common."""
        return (self.title, self.category, self.confidence, self.created, self.status)


class Problem(Model):
    """Something a person should look at: the line (from 1) and what is wrong there."""

    line: int
    message: str


class Base(Model):
    """What a knowledge base holds: entries unique by id and content, in the file's order.

    `read` is how many there were before equal ones were folded.
    """

    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]
    read: int


def read(data: bytes) -> Base:
    """The entries of a file and what is wrong with it."""
    found = list(knowledge_table.tables(data))
    sections = knowledge_block.sections(data)
    shown = [table for table in found if not _is_inside(table.start, sections)]
    rows = [
        (table, row) for table in shown if _has_entries(table) for row in table.rows
    ]
    heads = _Headings(data)
    listed = [(_of_row(table, row, heads), b"") for table, row in rows]
    details = {entry.id.casefold() for entry, _ in listed if entry.id}
    listed += [
        (_of_section(one), blocks.normalised(one.raw))
        for one in sections
        if one.identity.casefold() not in details
    ]
    listed.sort(key=lambda pair: pair[0].line)
    entries, problems = _unique(listed)
    problems += _glued(rows)
    problems += _miscounted(data, shown, entries)
    problems.sort(key=lambda problem: problem.line)
    return Base(entries=tuple(entries), problems=tuple(problems), read=len(listed))


def _is_inside(start: int, sections: list[Section]) -> bool:
    """Whether a table is part of an entry's text."""
    return any(one.start <= start < one.end for one in sections)


def _has_entries(table: Table) -> bool:
    return table.is_index or table.is_patterns


class _Headings:
    """Which heading a place stands under, for places in rising order."""

    def __init__(self, data: bytes) -> None:
        self._found = list(blocks.headings(data))
        self._at = 0

    def above(self, start: int) -> str:
        found = self._found
        while self._at < len(found) and found[self._at].start < start:
            self._at += 1
        text = found[self._at - 1].text if self._at else b""
        return text.decode("utf-8", "replace")


def _of_row(table: Table, row: Row, heads: _Headings) -> Entry:
    return Entry(
        id=table.value(row, "id").strip("*` "),
        title=table.value(row, "title"),
        category=table.value(row, "category"),
        confidence=knowledge_table.number(table.value(row, "confidence")),
        created=table.value(row, "created"),
        status=table.value(row, "status"),
        line=row.line,
        where=heads.above(row.start),
        form=PATTERN if table.is_patterns else ROW,
    )


def _of_section(one: Section) -> Entry:
    return Entry(
        id=one.identity,
        title=one.title,
        category=one.category,
        confidence=one.confidence,
        created=one.created,
        status=one.status,
        line=one.line,
        where=one.where,
        form=SECTION,
    )


def _unique(
    listed: list[tuple[Entry, bytes]],
) -> tuple[list[Entry], list[Problem]]:
    """The entries without equal ones, and those whose id stands for something else as well."""
    kept: list[Entry] = []
    problems: list[Problem] = []
    first: dict[str, Entry] = {}
    seen: set[tuple[str, object, bytes]] = set()
    for entry, raw in listed:
        name = entry.id.casefold()
        key = (name, entry.said, raw)
        if key in seen:
            continue
        seen.add(key)
        kept.append(entry)
        other = first.setdefault(name, entry)
        if name and other is not entry:
            message = f"{entry.id} stands in line {other.line} with other content"
            problems.append(Problem(line=entry.line, message=message))
    return kept, problems


def _glued(rows: list[tuple[Table, Row]]) -> list[Problem]:
    glued = {row.line: row.glued for _, row in rows if row.glued > 1}
    return [
        Problem(line=line, message=f"{count} rows stand glued together in one line")
        for line, count in glued.items()
    ]


def _miscounted(
    data: bytes, tables: list[Table], entries: list[Entry]
) -> list[Problem]:
    """What the front matter and the category table declare and what is not so."""
    problems = []
    span = template.front_span(data)
    declared = _DECLARED.search(data, span[0], span[1]) if span else None
    if declared and int(declared[1]) != len(entries):
        line = blocks.line_number(data, declared.start())
        message = f"`entries: {int(declared[1])}`, but there are {len(entries)}"
        problems.append(Problem(line=line, message=message))
    for table in tables:
        message = _wrong(table, entries) if table.is_counts else ""
        if message:
            problems.append(Problem(line=table.line, message=message))
    return problems


def _wrong(table: Table, entries: list[Entry]) -> str:
    """What a category table says that is not so, in one short line; "" for nothing."""
    declared: dict[str, int] = {}
    for row in table.rows:
        name = table.value(row, "category").strip("*` ").casefold()
        text = table.value(row, "count").strip("*` ")
        if name not in _TOTALS and text.isascii() and text.isdigit():
            declared[name] = declared.get(name, 0) + int(text[:9])
    counted: dict[str, int] = {}
    for entry in entries:
        name = entry.category.casefold()
        counted[name] = counted.get(name, 0) + 1
    if sum(declared.values()) != len(entries):
        total = sum(declared.values())
        return (
            f"the category table counts {total} entries, but there are {len(entries)}"
        )
    for name, count in declared.items():
        if count != counted.get(name, 0):
            return f"the category table says {name} {count}, but there are {counted.get(name, 0)}"
    return ""


def holds(data: bytes, identity: str) -> bool:
    """Whether an entry of that id stands in the file."""
    name = identity.casefold()
    return any(entry.id.casefold() == name for entry in read(data).entries)


def add_row(data: bytes | None, entry: Entry, language: str) -> bytes:
    """The file with a row for an entry at the end of its index table; all else stays.

    The row has the table's own columns and line ends. A file without an index table
    gets one at its end, no file becomes a short one. A file that has the id is left.
    """
    if not data:
        return template_of(language) + _row(COLUMNS_READ, entry) + b"\n"
    if entry.id and holds(data, entry.id):
        return data
    index = _index(data)
    if index is not None:
        return knowledge_table.added(data, index, _row(index.columns, entry))
    newline = newline_of(data)
    own = words.language_of(data, language)
    table = f"{_INDEX[own]}\n\n".encode() + _head() + _row(COLUMNS_READ, entry) + b"\n"
    return blocks.append(
        blocks.finished(data, newline), blocks.with_newline(table, newline)
    )


def _index(data: bytes) -> Table | None:
    """The table that new rows go to: the first index that is no part of an entry's text."""
    sections = knowledge_block.sections(data)
    for table in knowledge_table.tables(data):
        if table.is_index and not _is_inside(table.start, sections):
            return table
    return None


COLUMNS_READ = tuple(name.casefold() for name in COLUMNS)


def _row(columns: tuple[str, ...], entry: Entry) -> bytes:
    confidence = "" if entry.confidence is None else f"{entry.confidence:g}"
    values = {
        "id": entry.id,
        "title": entry.title,
        "category": entry.category,
        "confidence": confidence,
        "created": entry.created,
        "status": entry.status,
    }
    return knowledge_table.line(columns, values)


def _head() -> bytes:
    rule = "|".join("-" * (len(name) + 2) for name in COLUMNS)
    return f"| {' | '.join(COLUMNS)} |\n|{rule}|\n".encode()


def template_of(language: str) -> bytes:
    """The head of a new knowledge base, its index without a row."""
    return f"{_TITLE[language]}\n\n{_INDEX[language]}\n\n".encode() + _head()
