"""What is wrong with the knowledge base: its counts, rows and entry files.

Only entries with an id that evolve gives (`k-<8 hex>`) have to have a file and a row;
adopted bases never had both (spec/evolution.md 1.5). Pure; imports `finding` and this
room's readers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from afterword.evolution import knowledge_base, knowledge_row, knowledge_table
from afterword.evolution.knowledge_base import Base, Entry
from afterword.finding import WARNING, Finding

_OWN = re.compile(r"k-[0-9a-f]{8}")
_OWN_FILE = re.compile(r"(k-[0-9a-f]{8})(?:-.*)?\.md", re.DOTALL)


def findings(
    path: str, data: bytes, folder: str, names: Collection[str]
) -> Iterator[Finding]:
    """All about the base; `names` are those of the files in the folder of entries."""
    base = knowledge_base.read(data)
    yield from _problems(path, base)
    yield from _doubled(path, data, base)
    files = {
        found[1]: name for name in sorted(names) if (found := _OWN_FILE.fullmatch(name))
    }
    rows = {entry.id: entry for entry in base.entries if _OWN.fullmatch(entry.id)}
    yield from _without_file(path, folder, rows, files)
    yield from _without_row(path, folder, rows, files)


def _problems(path: str, base: Base) -> Iterator[Finding]:
    for problem in base.problems:
        yield Finding(
            severity=WARNING,
            code="knowledge-base",
            path=path,
            line=problem.line,
            message=problem.message,
            fix=f"correct it in {path}; afterword counts for itself",
        )


def _doubled(path: str, data: bytes, base: Base) -> Iterator[Finding]:
    """Entries that stand there twice, word for word."""
    count = base.read - len(base.entries)
    if count:
        name, line = _first_doubled(data)
        said = f" (first: {name})" if name else ""
        many = "entry stands" if count == 1 else "entries stand"
        yield Finding(
            severity=WARNING,
            code="entry-doubled",
            path=path,
            line=line,
            message=f"{count} {many} here a second time with the same content{said}:"
            " listed once",
            fix="take one of the two out",
        )


def _first_doubled(data: bytes) -> tuple[str, int | None]:
    """Id and line of the first row whose cells another row has; ("", None) for sections."""
    seen: set[tuple[str, ...]] = set()
    for table in knowledge_table.tables(data):
        for row in table.rows if table.is_index else ():
            if row.cells in seen:
                return knowledge_row.bare(table.value(row, "id")), row.line
            seen.add(row.cells)
    return "", None


def _without_file(
    path: str, folder: str, rows: dict[str, Entry], files: dict[str, str]
) -> Iterator[Finding]:
    for name in (name for name in rows if name not in files):
        yield Finding(
            severity=WARNING,
            code="entry-missing",
            path=path,
            line=rows[name].line,
            message=f"{name} has no file in {folder}",
            fix=f"find it: git log --diff-filter=D --name-only -- {folder}",
        )


def _without_row(
    path: str, folder: str, rows: dict[str, Entry], files: dict[str, str]
) -> Iterator[Finding]:
    for name in sorted(files.keys() - rows.keys()):
        yield Finding(
            severity=WARNING,
            code="entry-unlisted",
            path=path,
            message=f"{folder}/{files[name]} has no row here, so no listing shows it",
            fix=f"add a row for {name}, or move the file away",
        )
