"""What persons promoted, as facts for the compile: how curated records enter the snapshot.

A record counts while its hash says that it still is what was promoted (DESIGN 8, 12).
Bridges `knowledge` and `snapshot`, which do not know each other. A hook comes here only
when it compiles; a YAML library is loaded only for front matter of a person's own shape.
"""

from __future__ import annotations

import os

from afterword.errors import UnsafePath
from afterword.knowledge import catalogue, record
from afterword.snapshot import fact, words
from afterword.snapshot.fact import Fact, Supersedes
from afterword.store import atomic, blocks, safe_text, template
from afterword.store.layout import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Fields = dict[str, template.Value]

README = "README.md"
MAX_BYTES = 1 << 20
# Where each class of records goes (DESIGN 8).
KINDS = {
    "constraint": words.CONSTRAINT,
    "convention": words.DECISION,
    "fact": words.LESSON,
    "lesson": words.LESSON,
    "memory": words.LESSON,
}


def facts(store: Store) -> tuple[Fact, ...]:
    """A fact for each curated record that is verified and unchanged since, by id."""
    return tuple(
        found
        for identity, data in _records(store)
        if (found := of_record(identity, data)) is not None
    )


def of_record(identity: str, data: bytes) -> Fact | None:
    """The fact that a curated record states; None when nobody stands behind it as it is."""
    fields = template.any_fields(data)
    if not fields or fields.get("status") != "verified":
        return None
    kind = KINDS.get(_text(fields, "class"), "")
    title = safe_text.one_line(_text(fields, "title"))
    if not kind or not title or not record.fits(fields, data):
        return None
    return Fact(
        kind=kind,
        title=title,
        body=tuple(_body(template.body(data))),
        supersedes=tuple(_replaced(fields)),
        confidence=words.HIGH,
        status=words.VERIFIED,
        recorded=_text(fields, "date"),
        files=tuple(sorted(catalogue.related_files(fields))),
        sources=((identity, fact.source_hash(data)),),
    )


def _records(store: Store) -> Iterator[tuple[str, bytes]]:
    """Id and bytes of the curated records, sorted; what is no plain file is left out."""
    folder = store.tracked("curated")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        identity = name.removesuffix(".md")
        if name in (README, identity) or not record.is_id(identity):
            continue
        path = os.path.join(folder, name)
        try:
            data = b"" if os.path.islink(path) else atomic.read(path, MAX_BYTES + 1)
        except (OSError, UnsafePath):
            continue  # `knowledge check` names it
        if data and len(data) <= MAX_BYTES:
            yield identity, data


def _text(fields: Fields, key: str) -> str:
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def _replaced(fields: Fields) -> Iterator[Supersedes]:
    """The records that it replaces, by their ids."""
    relations = fields.get("relations")
    for relation in relations if isinstance(relations, list) else ():
        if isinstance(relation, dict) and relation.get("type") == "supersedes":
            yield Supersedes(str(relation.get("target", "")).rpartition(":")[2])


def _body(data: bytes) -> Iterator[str]:
    """The record's text as lines of an entry: its headings become `- **Heading**`.

    The first heading repeats the title. A paragraph is one bullet, its further lines and
    fenced code are indented below it.
    """
    label = ""
    for number, lines in enumerate(_paragraphs(data)):
        heading = _heading(lines[0])
        if heading:
            if label:
                yield label
            label = f"- **{heading}**" if number else ""
            continue
        is_list = lines[0].startswith("- ")
        if label and is_list:
            yield label
            yield from (f"  {line}".rstrip() for line in lines)
        else:
            first = (
                f"{label}: {lines[0]}" if label else f"- {lines[0].removeprefix('- ')}"
            )
            yield from (first, *map(_below, lines[1:]))
        label = ""
    if label:
        yield label


def _below(line: str) -> str:
    """A line under a bullet; an item of a list stays one."""
    return line if line.startswith("- ") else f"  {line}".rstrip()


def _paragraphs(data: bytes) -> Iterator[list[str]]:
    """The lines between blank ones; each heading alone, code with the text before it."""
    whole = blocks.finished(blocks.with_newline(data, b"\n"), b"\n", front=False)
    found: list[str] = []
    for start, end, kind in blocks.lines(whole, front=False):
        line = whole[start:end].decode("utf-8", "replace").rstrip()
        is_text = kind == blocks.TEXT
        is_heading = is_text and bool(_heading(line))
        if found and (is_heading or (is_text and not line) or _heading(found[0])):
            yield found
            found = []
        if line or not is_text:
            found.append(line)
    if found:
        yield found


def _heading(line: str) -> str:
    """The text of a heading, "" for another line."""
    found = blocks.heading_of(line.encode())
    return found[1].decode("utf-8", "replace") if found else ""
