"""The lines of a target file: headings, empty ones, and those that are metadata.

Pure and linear; imports `metadata` and `store.blocks`.
"""

from __future__ import annotations

import re

from afterword.snapshot import metadata
from afterword.store import blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_COMMENT_START = re.compile(rb" {0,3}<!--")
_BLANK = b" \t\r\n"


class Line:
    """A line: its span, kind, heading, and the metadata that it is."""

    __slots__ = ("data", "end", "is_blank", "kind", "level", "start", "text")

    def __init__(self, start: int, end: int, kind: str) -> None:
        self.start, self.end, self.kind = start, end, kind
        self.level, self.text = 0, b""
        self.data: dict[str, Any] | None = None
        self.is_blank = False


def lines(data: bytes) -> list[Line]:
    """The lines of a file, front matter as one; nothing inside of a comment or fence counts."""
    found: list[Line] = []
    is_open = False  # inside of a comment that an earlier line began
    for start, end, kind in blocks.lines(data, blocks.has_front(data)):
        line = Line(start, end, kind)
        found.append(line)
        if kind == blocks.COMMENT:
            raw = data[start:end]
            if not is_open and b"<!-- {" in raw:
                line.data = metadata.from_line(decoded(raw))
            is_open = _leaves_open(raw, is_open)
            continue
        is_open = False
        if kind == blocks.TEXT:
            _examine(line, data[start:end])
    return found


def _examine(line: Line, raw: bytes) -> None:
    line.is_blank = not raw.strip(_BLANK)
    if b"#" in raw[:4]:
        heading = blocks.heading_of(raw)
        if heading:
            line.level, line.text = heading


def _leaves_open(raw: bytes, is_open: bool) -> bool:
    if is_open:
        return b"-->" not in raw
    opening = _COMMENT_START.match(raw)
    return opening is not None and b"-->" not in raw[opening.end() - 2 :]


def decoded(raw: bytes) -> str:
    """Bytes as text that becomes the same bytes again."""
    return raw.decode("utf-8", "surrogateescape")
