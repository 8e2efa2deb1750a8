"""What is wrong with the items of the learning queue and its archive.

An archive is history, which nobody is asked to mend: of it only ids that stand for two
things are told. Pure; imports `store.blocks`, `finding` and this room's readers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterword.evolution import archive_text, item, queue, words
from afterword.evolution.item import Item
from afterword.evolution.queue import Queue
from afterword.finding import INFO, WARNING, Finding
from afterword.store import blocks

_EVOLVE = "afterword evolve"
_SHOWN = 60
# `### [P1] title`, `### P0 - category`, `### ✅ P1: title`: eras L3, L5 and L7 of
# spec/evolution.md 1.1. Looked for in all bytes first, because most files have none.
_WITHOUT_ID = re.compile(
    rb"^ {0,3}###[ \t]+(?:\xe2\x9c\x85(?:\xef\xb8\x8f)?[ \t]*)?\[?P[0-3]\b",
    re.MULTILINE,
)
_LIKE_ITEM = re.compile(
    rb"^ {0,3}###[ \t]+(?:\xe2\x9c\x85(?:\xef\xb8\x8f)?[ \t]*)?"
    rb"(?P<identity>L?Q-[0-9]+(?:-[0-9a-f]{6})?)[ \t]*(?::|\xef\xbc\x9a)",
    re.MULTILINE,
)


def findings(
    path: str, main: bytes, archive_path: str, archive: bytes
) -> Iterator[Finding]:
    """All about the items; an empty text for a file that is not there."""
    found = queue.read(main)
    yield from _malformed(path, found)
    yield from _begun(path, found)
    yield from _unknown(path, found)
    yield from _without_id(path, main)
    yield from _swallowed(path, found)
    yield from _doubled([(archive_path, queue.read(archive)), (path, found)])


def _malformed(path: str, found: Queue) -> Iterator[Finding]:
    """Dates that cannot be right; what is left open has a finding of its own."""
    for one in found.items:
        for problem in one.malformed:
            if problem != item.OPEN:
                yield Finding(
                    severity=WARNING,
                    code="item-malformed",
                    path=path,
                    line=one.line,
                    message=f"{one.identity}: {problem}",
                    fix="correct the date that is wrong; until then the later one counts",
                )


def _begun(path: str, found: Queue) -> Iterator[Finding]:
    begun = [one for one in found.items if one.state == words.PROCESSING]
    if begun:
        is_are = "is" if len(begun) == 1 else "are"
        yield Finding(
            severity=WARNING,
            code="item-begun",
            path=path,
            line=begun[0].line,
            message=f"{_of(begun)} {is_are} still processing: evolve was cut short there;"
            " the next end goes on with it",
            fix=_EVOLVE,
        )


def _unknown(path: str, found: Queue) -> Iterator[Finding]:
    """Not wrong in itself (C1): people write what became of an item in many words."""
    other = [one for one in found.items if one.state == words.OTHER]
    if other:
        first = other[0]
        has = "has" if len(other) == 1 else "have"
        said = f"'{first.status[:_SHOWN]}'" if first.status else "none"
        yield Finding(
            severity=INFO,
            code="item-status",
            path=path,
            line=first.line,
            message=f"{_of(other)} {has} a status other than pending, processing or done"
            f" (first: {said}): kept as is, never evolved, never archived",
        )


def _of(items: list[Item]) -> str:
    more = f" and {len(items) - 1} more" if len(items) > 1 else ""
    return f"{items[0].identity}{more}"


def _without_id(path: str, data: bytes) -> Iterator[Finding]:
    if not _WITHOUT_ID.search(data):
        return
    heads = [
        one
        for one in blocks.headings(data, blocks.has_front(data))
        if one.level == item.LEVEL and _WITHOUT_ID.match(data, one.start)
    ]
    if heads:
        many = (
            "heading looks like an item"
            if len(heads) == 1
            else "headings look like items"
        )
        yield Finding(
            severity=WARNING,
            code="item-without-id",
            path=path,
            line=blocks.line_number(data, heads[0].start),
            message=f"{len(heads)} {many} but without an id: never evolved, never archived",
            fix="give what is still to be learned an id: ### LQ-NNN: title",
        )


def _swallowed(path: str, found: Queue) -> Iterator[Finding]:
    """Items that stand in the fence or comment of another one: nobody evolves them.

    What stands before the first item is the description of the format.
    """
    if not found.items:
        return
    starts = {one.start for one in found.items}
    at, line = found.items[0].start, found.items[0].line
    for like in _LIKE_ITEM.finditer(found.data, at):
        if like.start() in starts:
            continue
        before = found.data[at : like.start()]
        line += blocks.line_number(before, len(before)) - 1
        at = like.start()
        yield Finding(
            severity=WARNING,
            code="item-swallowed",
            path=path,
            line=line,
            message=f"{like['identity'].decode()} stands in a code fence or comment that an"
            " item above opens: it is read as text of that item",
            fix="close the fence or comment above it, or indent it if it is an example",
        )


def _doubled(files: list[tuple[str, Queue]]) -> Iterator[Finding]:
    """Ids that stand for two things, within a file or in both (C5, Q4, Q16)."""
    first: dict[tuple[str, int, str, str], tuple[str, Item]] = {}
    for path, found in files:
        for one in found.items:
            name = one.prefix, one.number, one.suffix, one.identity
            where, other = first.setdefault(name, (path, one))
            if other is not one and not _same(other, one):
                place = (
                    f"line {other.line}" if where == path else f"{where}:{other.line}"
                )
                yield Finding(
                    severity=WARNING,
                    code="item-id-doubled",
                    path=path,
                    line=one.line,
                    message=f"{one.identity} stands in {place}, too, with other content:"
                    " both are kept",
                    fix="give the newer one a number of its own, if it still waits",
                )


def _same(one: Item, other: Item) -> bool:
    return archive_text.trimmed(one.raw) == archive_text.trimmed(other.raw)
