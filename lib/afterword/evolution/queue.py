"""The learning queue as a file: its items read, added, changed; all other bytes stay.

One pass over the bytes, in any of the eras L0-L8 of spec/evolution.md 1.1: fences,
tombstones, headings without id and trailing sections are no items and belong to none.
Pure; imports `store.blocks`, `store.newline` and this room's `item`, `fields`, `words`.
"""

from __future__ import annotations

import re
from io import BytesIO

from afterword.evolution import fields, item, queue_text, words
from afterword.evolution.item import Item
from afterword.evolution.queue_text import New as New  # noqa: PLC0414 re-exported
from afterword.evolution.queue_text import template as template  # noqa: PLC0414
from afterword.store import blocks, digest, jsonline
from afterword.store.newline import newline_of

# What a field goes behind, in the order of the L1 block.
_BEFORE_PROCESSED = ("priority", "source", "status", "added")
_BEFORE_PRODUCT = (*_BEFORE_PROCESSED, "processed", "content", "metadata")
_READ = frozenset(("status", "priority", "source", "added", "processed"))
_ID = re.compile(rb"(?<![A-Za-z])L?Q-([0-9]{1,12})")
# A higher number was typed in error; counting on from it would end in unreadable ones.
_MOST = 10**9


class Queue:
    """A queue file and its items in file order."""

    __slots__ = ("data", "items")

    def __init__(self, data: bytes, items: list[Item]) -> None:
        self.data = data
        self.items = items

    def raw(self, one: Item) -> bytes:
        """The bytes of an item, from its heading up to the next one of level 1 to 3."""
        return self.data[one.start : one.end]

    def counts(self) -> dict[str, int]:
        """How many items there are in each state; every state is a key."""
        states = (words.PENDING, words.PROCESSING, words.DONE, words.OTHER)
        counts = dict.fromkeys(states, 0)
        for one in self.items:
            counts[one.state] += 1
        return counts


def read(data: bytes) -> Queue:
    """The items of a queue or of its archive; any bytes do, and none raise."""
    found: list[Item] = []
    heading: re.Match[bytes] | None = None
    start = at_line = number = 0
    values: dict[str, str] = {}
    known: dict[str, str] = {}
    for begin, end, kind in blocks.lines(data, blocks.has_front(data)):
        number += 1
        if kind != blocks.TEXT:
            if kind == blocks.FRONT:
                number += blocks.line_number(data, end) - 2
            continue
        line = data[begin:end]
        one = blocks.heading_of(line) if b"#" in line[:4] else None
        if one is not None and one[0] <= item.LEVEL:
            if heading:
                found.append(Item(heading, (data, start, begin, at_line), values))
            heading, values = item.match(*one), {}
            start, at_line = begin, number
        elif heading and one is None:
            _take(line, values, known)
    if heading:
        is_open = blocks.unclosed(data[start:]) is not None
        span = (data, start, len(data), at_line)
        found.append(Item(heading, span, values, is_open))
    return Queue(data, found)


def _take(line: bytes, values: dict[str, str], known: dict[str, str]) -> None:
    """Remember the first field of each name; equal values are kept once for all items."""
    matched = fields.match(line)
    name = fields.name_of(matched) if matched else None
    if matched and name in _READ and name not in values:
        value = fields.value_of(line, matched)
        values[name] = known.setdefault(value, value)


def newest_done(queue: Queue) -> list[Item]:
    """The done items, newest first."""
    done = [one for one in queue.items if one.state == words.DONE]
    return sorted(done, key=item.newest, reverse=True)


def next_number(main: bytes, archive: bytes) -> int:
    """One more than the highest number that the queue or its archive gave away (Q4)."""
    given = {*_numbers(main), *_numbers(archive)}
    number = 1 + max((one for one in given if one < _MOST), default=0)
    while number in given:
        number += 1
    return number


def _numbers(data: bytes) -> list[int]:
    """The numbers of items, and those that a tombstone names instead of them."""
    found: list[int] = []
    for heading in blocks.headings(data, blocks.has_front(data)):
        if heading.level == item.LEVEL and b"Q-" in heading.text:
            matched = item.match(heading.level, heading.text)
            texts = [matched["number"]] if matched else _ID.findall(heading.text)
            found += map(int, texts)
    return found


def new_identity(number: int, *content: str) -> str:
    """`LQ-<number>-<6 hex of the content>`: two branches never mint one id for two things."""
    text = "\0".join(jsonline.clean(part) for part in content)
    return f"LQ-{number:03d}-{digest.hexdigest(text.encode())[:6]}"


def put_state(
    raw: bytes, state: str, *, processed: str = "", product: str = "", language: str
) -> bytes:
    """An item's bytes in another state; a processed date and a product when given.

    What a product field says already stays, the new one is put behind it.
    """
    changed = fields.put(raw, "status", state, ("priority", "source"), language)
    if processed:
        changed = fields.put(
            changed, "processed", processed, _BEFORE_PROCESSED, language
        )
    if product:
        present = fields.value(fields.read(changed), "product")
        if product not in present.split(", "):
            whole = f"{present}, {product}" if present else product
            changed = fields.put(changed, "product", whole, _BEFORE_PRODUCT, language)
    return changed


def replaced(queue: Queue, changed: dict[Item, bytes]) -> bytes:
    """The file with other bytes for some of its items, told apart by their place (Q16)."""
    whole, at = BytesIO(), 0  # joining many pieces would cost 80 bytes for each
    data = memoryview(queue.data)  # and a slice of bytes as much as it holds
    for one in sorted(changed, key=lambda one: one.start):
        whole.write(data[at : one.start])
        whole.write(changed[one])
        at = one.end
    whole.write(data[at:])
    return whole.getvalue()


def add(data: bytes | None, new: New, language: str) -> bytes:
    """The file with one more pending item, every byte of the old one kept in its place.

    It goes to the end of the first section that means pending, else of the file (Q13).
    `language` is for labels where the file has none; a missing or empty file gets the
    template.
    """
    old = data or template(language)
    newline = newline_of(old)
    at, closing = _place(old)
    before, after = old[:at] + closing, old[at:]
    written = queue_text.block(new, words.language_of(old, language), newline)
    whole = blocks.append(before, written, newline=newline)
    return whole + newline + after if after else whole


def _place(data: bytes) -> tuple[int, bytes]:
    """Where an item goes, and what has to be closed before it.

    An item at the end that leaves something open keeps its end as it is: what it has
    swallowed may be other items. The new one goes before it.
    """
    at, front = _end_of_pending(data), blocks.has_front(data)
    left = blocks.unclosed(data, front) if at == len(data) else None
    if left is None:
        return at, b""
    last = next(reversed(read(data).items), None)
    if last is not None and last.is_open:
        return last.start, b""
    newline = newline_of(data)
    return at, blocks.finished(data, newline, front)[at:]


def _end_of_pending(data: bytes) -> int:
    """Where the first section that means pending ends, whatever holds it."""
    is_pending = False
    for heading in blocks.headings(data, blocks.has_front(data)):
        if heading.level > 2:
            continue
        if is_pending:
            return heading.start
        is_pending = words.means_pending(heading.text.decode("utf-8", "replace"))
    return len(data)
