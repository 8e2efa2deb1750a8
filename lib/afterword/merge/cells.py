"""The merge of one row of a table that both sides changed, cell by cell.

Works on lines of any bytes. Pure; imports `merge.laws` and `merge.pieces` only.
"""

from __future__ import annotations

import re

from afterword.merge import laws
from afterword.merge.laws import Differ
from afterword.merge.pieces import Piece
from afterword.model import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    # Of two cells that differ the one that counts, by the place of the cell between the
    # pipes of the line; raises `Differ`.
    Both = Callable[[int, str, str], str]

_PIPE = re.compile(r"(?<!\\)\|")


def merge(before: Piece | None, ours: Piece, theirs: Piece, both: Both) -> bytes:
    """The line with the cells of both; raises `Differ` where `both` does, or cannot."""
    a, b = (_parts(piece.body) for piece in (ours, theirs))
    if len(a) != len(b) or b"\n" in ours.body + theirs.body:
        raise Differ
    o: list[str | None] = [*_parts(before.body)] if before else []
    old = o if len(o) == len(a) else [None] * len(a)

    def cell(at: int) -> str:
        def decided(one: str, other: str) -> str:
            return both(at, one, other)

        return laws.three_way(old[at], a[at], b[at], decided, bare) or ""

    return "|".join(map(cell, range(len(a)))).encode("latin-1")


def place(row: Piece, column: int) -> int:
    """Which of a row's parts between pipes is the cell of a column."""
    return column + row.body.lstrip().startswith(b"|")


def bare(cell: str) -> str:
    """A cell without the space around it."""
    return cell.strip(" \t\r\n")


def _parts(line: bytes) -> list[str]:
    return _PIPE.split(line.decode("latin-1"))
