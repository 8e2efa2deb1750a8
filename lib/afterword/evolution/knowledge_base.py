"""The knowledge base: its entries over all eras K0 to K4, and one new row of its index.

Rows of the index are entries, and so are sections with an id; a section with a row's
id only details it. The index is never made anew from anything (K1). Pure, for bytes of
any kind; imports `store` and the modules of this room that begin with `knowledge_`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from afterword.evolution import (
    knowledge_block,
    knowledge_counts,
    knowledge_row,
    knowledge_table,
    words,
)
from afterword.evolution.knowledge_block import Section
from afterword.evolution.knowledge_table import Row, Table
from afterword.model import Model
from afterword.store import blocks
from afterword.store.newline import newline_of

ROW, PATTERN, SECTION = "row", "pattern", "section"
ACTIVE = "active"  # the status of a new entry
# A new index has the seed's columns in both languages.
_COLUMNS = ("ID", "Title", "Category", "Confidence", "Created", "Status")
_NAMES = tuple(name.casefold() for name in _COLUMNS)
_INDEX = {words.EN: "## Index", words.ZH: "## 索引表 (Knowledge Index)"}
_TITLE = {words.EN: "# Knowledge base", words.ZH: "# 知识库 (Knowledge Base)"}


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
    line: int = 0
    where: str = ""
    form: str = ROW

    @property
    def content(self) -> tuple[object, ...]:
        """What two copies of an entry have in common.

        A pattern that a second table names again says less there, but nothing else.
        """
        if self.form == PATTERN:
            return (self.title,)
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
    sections = knowledge_block.sections(data)
    tables = list(_own_tables(data, sections))
    rows = [(table, row) for table in tables for row in _rows(table)]
    listed = [(_of_row(table, row), b"") for table, row in rows]
    indexed = {entry.id.casefold() for entry, _ in listed if entry.id}
    for section in sections:
        if section.identity.casefold() not in indexed:
            listed.append((_of_section(section), blocks.normalised(section.raw)))
    listed.sort(key=lambda pair: pair[0].line)
    entries, problems = _unique(listed)
    problems += _glued([row for _, row in rows])
    categories = [entry.category for entry in entries]
    for line, message in knowledge_counts.wrong(data, tables, categories):
        problems.append(Problem(line=line, message=message))
    problems.sort(key=lambda problem: problem.line)
    return Base(entries=tuple(entries), problems=tuple(problems), read=len(listed))


def _own_tables(data: bytes, sections: list[Section]) -> Iterator[Table]:
    """The tables of the file itself, without those in the text of an entry."""
    starts = [section.start for section in sections]
    for table in knowledge_table.tables(data):
        at = bisect_right(starts, table.start) - 1
        if at < 0 or sections[at].end <= table.start:
            yield table


def _rows(table: Table) -> Iterator[Row]:
    """The rows that are entries: with a title or at least with an id."""
    if table.is_index or table.is_patterns:
        for row in table.rows:
            if table.value(row, "title") or knowledge_row.is_identity(
                table.value(row, "id")
            ):
                yield row


def _of_row(table: Table, row: Row) -> Entry:
    return Entry(
        id=knowledge_row.bare(table.value(row, "id")),
        title=table.value(row, "title"),
        category=table.value(row, "category"),
        confidence=knowledge_row.number(table.value(row, "confidence")),
        created=table.value(row, "created"),
        status=table.value(row, "status"),
        line=row.line,
        where=table.above,
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
        where=one.above,
        form=SECTION,
    )


def _unique(
    listed: list[tuple[Entry, bytes]],
) -> tuple[list[Entry], list[Problem]]:
    """The entries without copies, and those whose id stands for something else as well."""
    kept: list[Entry] = []
    problems: list[Problem] = []
    first: dict[str, Entry] = {}
    seen: set[tuple[str, object, bytes]] = set()
    for entry, raw in listed:
        name = entry.id.casefold()
        if (name, entry.content, raw) in seen:
            continue
        seen.add((name, entry.content, raw))
        kept.append(entry)
        other = first.setdefault(name, entry)
        if name and other is not entry:
            message = f"{entry.id} stands in line {other.line} with other content"
            problems.append(Problem(line=entry.line, message=message))
    return kept, problems


def _glued(rows: list[Row]) -> list[Problem]:
    glued = {row.line: row.glued for row in rows if row.glued > 1}
    return [
        Problem(line=line, message=f"{count} rows stand in one line")
        for line, count in glued.items()
    ]


def holds(data: bytes, identity: str) -> bool:
    """Whether an entry of that id stands in the file; case does not count."""
    sections = knowledge_block.sections(data)
    return _has(list(_own_tables(data, sections)), sections, identity)


def _has(tables: list[Table], sections: list[Section], identity: str) -> bool:
    name = identity.casefold()
    named = (table.value(row, "id") for table in tables for row in _rows(table))
    return any(knowledge_row.bare(one).casefold() == name for one in named) or any(
        one.identity.casefold() == name for one in sections
    )


def add_row(data: bytes | None, entry: Entry, language: str) -> bytes:
    """The file with a row for an entry at the end of its index table; all else stays.

    The row has the table's own columns and line ends. A file without an index table
    gets one at its end, no file becomes a short one. A file that has the id is left.
    """
    if not data:
        return head(language) + _row(_NAMES, entry) + b"\n"
    sections = knowledge_block.sections(data)
    tables = list(_own_tables(data, sections))
    if _has(tables, sections, entry.id):
        return data
    for table in tables:
        if table.is_index:
            return knowledge_table.added(data, table, _row(table.columns, entry))
    newline = newline_of(data)
    index = _index(words.language_of(data, language)) + _row(_NAMES, entry) + b"\n"
    whole = blocks.finished(data, newline, blocks.has_front(data))
    return blocks.append(whole, blocks.with_newline(index, newline))


def head(language: str) -> bytes:
    """The beginning of a new knowledge base, its index without a row."""
    return f"{_TITLE[language]}\n\n".encode() + _index(language)


def _index(language: str) -> bytes:
    rule = "|".join("-" * (len(name) + 2) for name in _COLUMNS)
    return f"{_INDEX[language]}\n\n| {' | '.join(_COLUMNS)} |\n|{rule}|\n".encode()


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
    return knowledge_row.line(columns, values)
