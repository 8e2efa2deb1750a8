"""One item of the learning queue as it stands in a file: where, which, in what state.

Small, for a queue may hold a hundred thousand: what few readers want (title, content,
product) is read from the bytes again when it is asked for. Pure; imports
`store.blocks`, `evolution.fields` and `evolution.words`.
"""

from __future__ import annotations

import re

from afterword.evolution import fields, words
from afterword.store import blocks

LEVEL = 3  # of an item's heading; the next one of this level or above ends the item
OPEN = "leaves a fence or a comment open"
# `LQ-001: title`, `✅ Q-001: title`, `LQ-001-1a2b3c: title`; the colon may be full-width.
# A range tombstone (`✅ 已归档: Q-001 到 Q-018`) and `[P1] title` are none (spec 1.1).
_HEADING = re.compile(
    rb"(?P<mark>\xe2\x9c\x85(?:\xef\xb8\x8f)?[ \t]*)?"
    rb"(?P<identity>(?P<prefix>LQ|Q)-(?P<number>[0-9]{1,12})(?:-(?P<suffix>[0-9a-f]{6}))?)"
    rb"[ \t]*(?::|\xef\xbc\x9a)[ \t]*(?P<title>.*)",
    re.DOTALL,
)
_FIRST_LINE = re.compile(rb"[^\r\n]*")
_DATE = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])")


class Item(blocks.Record):
    """An item: its span in `data`, the line of its heading (from 1), its number and dates.

    `prefix` is `LQ` or `Q`, `suffix` six hex digits or "". `status`, `priority`, `source`,
    `added` and `processed` are the first field of that name, verbatim, "" where there is
    none. `malformed` says what about it cannot be right.
    """

    __slots__ = (
        "added",
        "data",
        "end",
        "line",
        "malformed",
        "marked",
        "number",
        "prefix",
        "priority",
        "processed",
        "source",
        "start",
        "status",
        "suffix",
    )
    data: bytes
    start: int
    end: int
    line: int
    prefix: str
    number: int
    suffix: str
    marked: bool
    status: str
    priority: str
    source: str
    added: str
    processed: str
    malformed: tuple[str, ...]

    def __init__(
        self,
        heading: re.Match[bytes],
        span: tuple[bytes, int, int, int],
        values: dict[str, str],
        is_open: bool = False,
    ) -> None:
        data, start, end, line = span
        added, processed = values.get("added", ""), values.get("processed", "")
        self._set(
            data=data,
            start=start,
            end=end,
            line=line,
            prefix="LQ" if heading["prefix"] == b"LQ" else "Q",
            number=int(heading["number"]),
            suffix=(heading["suffix"] or b"").decode(),
            marked=heading["mark"] is not None,
            status=values.get("status", ""),
            priority=values.get("priority", ""),
            source=values.get("source", ""),
            added=added,
            processed=processed,
            malformed=_malformed(added, processed, is_open),
        )

    def __repr__(self) -> str:
        return f"Item({self.identity!r}, {self.status!r}, line {self.line})"

    @property
    def raw(self) -> bytes:
        """The item's own bytes, up to the next heading of level 1 to 3."""
        return self.data[self.start : self.end]

    @property
    def identity(self) -> str:
        """The id as the heading has it: `LQ-001`, `Q-001`, `LQ-001-1a2b3c`."""
        return heading_of(self.raw)["identity"].decode()

    @property
    def title(self) -> str:
        """The heading's text behind the id."""
        return heading_of(self.raw)["title"].decode("utf-8", "replace").strip()

    @property
    def state(self) -> str:
        """`pending`, `processing`, `done` or `other`: by the status field alone (Q10)."""
        return words.state(self.status)

    @property
    def is_open(self) -> bool:
        """Whether a fence or comment in it is never closed, so that its end is a guess."""
        return OPEN in self.malformed

    @property
    def content(self) -> str:
        """What is to be learned, all its lines."""
        return self.text("content")

    @property
    def product(self) -> str:
        """What came of it: ids of knowledge-base entries, or free text."""
        return self.text("product")

    def text(self, name: str) -> str:
        """The first field of a name with the lines that go on with it; "" without one."""
        return fields.text(self.raw, name)


def match(level: int, text: bytes) -> re.Match[bytes] | None:
    """The parts of an item's heading (mark, identity, prefix, number, suffix, title)."""
    return _HEADING.fullmatch(text) if level == LEVEL else None


def heading_of(raw: bytes) -> re.Match[bytes]:
    """The parts of the heading of an item's bytes; `ValueError` when they begin with none."""
    line = _FIRST_LINE.match(raw)
    heading = blocks.heading_of(line.group()) if line else None
    found = match(*heading) if heading else None
    if found is None:
        raise ValueError("these bytes are no item of the learning queue")
    return found


def newest(item: Item) -> tuple[str, int, int]:
    """Sort key: the later of both dates, then the number, then the place (C3, C4).

    What is no date counts as the oldest. Descending, the newest item comes first.
    """
    return max(_dated(item.processed), _dated(item.added)), item.number, item.start


def _dated(text: str) -> str:
    return text if _DATE.fullmatch(text) else ""


def _malformed(added: str, processed: str, is_open: bool) -> tuple[str, ...]:
    found = (OPEN,) if is_open else ()
    if "" != _dated(processed) < _dated(added):
        return (*found, f"processed {processed} before added {added}")
    return found
