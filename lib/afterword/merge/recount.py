"""The numbers that a knowledge base declares of itself, in a merge.

`entries:` and the table of categories are kept by hand. A number that both sides changed
is counted anew, never a conflict; any other stands as the laws have it. Pure; imports
`evolution` and `merge.pieces`.
"""

from __future__ import annotations

import re
from collections import Counter

from afterword.evolution import (
    knowledge_base,
    knowledge_counts,
    knowledge_row,
    knowledge_table,
)
from afterword.merge import pieces
from afterword.merge.pieces import TOP, Piece
from afterword.model import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

COUNT = "count"  # the key of a row that declares a number, and the name of its column
_ALL = ("total", "sum", "总计", "合计", "")  # "" is the front matter
_PIPE = re.compile(rb"(?<!\\)\|")
_NUMBER = re.compile(rb"[0-9]{1,9}")


def renewed(found: list[Piece], versions: Sequence[bytes]) -> list[Piece]:
    """The merged pieces with their numbers; `versions` are the base and both sides."""
    spans = {piece.key: span for piece in found if (span := _span(piece))}
    if not spans:
        return found
    o, a, b = map(_says, versions)
    true = Counter(_categories(_plain(found)))

    def renew(piece: Piece) -> Piece:
        name = _name(piece)
        declared = a.get(name), b.get(name)
        is_contested = None not in declared and o.get(name) not in declared
        if piece.key not in spans or not is_contested:
            return piece
        start, end = spans[piece.key]
        count = true.total() if name in _ALL else true[name]
        body = piece.body[:start] + str(count).encode() + piece.body[end:]
        return piece.replace(body=body)

    return [renew(piece) for piece in found]


def _name(piece: Piece) -> str:
    """Of what a piece declares the number: a category; "" is the front matter."""
    return "" if piece.key == TOP else str(piece.key[1])


def _says(data: bytes) -> dict[str, int]:
    """The numbers that one version declares."""
    found: dict[str, int] = {}
    for table in knowledge_table.tables(data):
        for row in table.rows if table.is_counts else ():
            text = knowledge_row.bare(table.value(row, "count"))[:9]
            if text.isascii() and text.isdigit():
                found[name_of(table.value(row, "category"))] = int(text)
    declared = knowledge_counts.in_front(data)
    return {**found, "": int(declared[1])} if declared else found


def name_of(category: str) -> str:
    """A category as it is compared."""
    return knowledge_row.bare(category).casefold()


def _categories(data: bytes) -> list[str]:
    return [name_of(entry.category) for entry in knowledge_base.read(data).entries]


def _plain(found: list[Piece]) -> bytes:
    """The file without markers, for its entries to be counted; which side is not asked."""
    bodies = (min(piece.sides or (piece.body,)) for piece in found)
    plain = (
        piece.replace(body=body, sides=None)
        for piece, body in zip(found, bodies, strict=True)
    )
    return pieces.text(plain, lambda _: b"\n")


def _span(piece: Piece) -> tuple[int, int] | None:
    """Where a piece has its number; None for a piece without one, or with two."""
    if piece.sides:
        return None
    if piece.key == TOP:
        declared = knowledge_counts.in_front(piece.body)
        return declared.span(1) if declared else None
    if piece.key[0] != COUNT or len(piece.key) > len((COUNT, "category")):
        return None
    line = piece.body
    columns = piece.about if isinstance(piece.about, tuple) else ()
    cells = [found.end() for found in _PIPE.finditer(line)]
    at = columns.index(COUNT) - (not line.lstrip().startswith(b"|"))
    number = _NUMBER.search(line, cells[at]) if 0 <= at < len(cells) else None
    return number.span() if number else None
