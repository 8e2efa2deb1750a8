"""The mark on a snapshot whose entries were divided among modules (G2).

Two quoted lines behind the three of the header; a compile keeps them there. Pure;
imports `store` only.
"""

from __future__ import annotations

from collections.abc import Iterator

from afterword.store import blocks
from afterword.store.newline import newline_of

# The seed system's words; what follows them is for people.
MARK = "LEGACY: Superseded by modular knowledge base."
_REST = {
    "en": "This file keeps what belongs to no module.",
    "zh": "本文件保留不属于任何模块的知识。",
}
_HEADER = (b"auto-generated", b"last compiled", b"compiled increments")


def marked(data: bytes, index: str, language: str) -> bytes:
    """The snapshot with the mark, as it is when it has one; `index` is the registry's path."""
    quotes = list(_quotes(data))
    if any(text.startswith(b"legacy:") for _, text in quotes):
        return data
    header = [end for end, text in quotes if text.startswith(_HEADER)]
    newline = newline_of(data)
    lines = f"> {MARK} See {index}\n> {_REST[language]}\n".encode()
    at = header[-1] if header else _behind_title(data)
    before = blocks.completed(data[:at], newline)
    return before + blocks.with_newline(lines, newline) + data[at:]


def _quotes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The quoted lines before the first section: where each ends, and its text, lower case."""
    for start, end, kind in blocks.lines(data):
        line = data[start:end] if kind == blocks.TEXT else b""
        heading = blocks.heading_of(line)
        if heading is not None and heading[0] > 1:
            return
        if line.startswith(b">"):
            yield end, line[1:].strip().lower()


def _behind_title(data: bytes) -> int:
    first = next(blocks.headings(data), None)
    return first.end if first and first.level == 1 else 0
