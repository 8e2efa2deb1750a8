"""A text read as if nothing had cut its tokens: wrapped lines, quotes, spaces taken out.

For `store.secret_masking`, which looks there for what no single line shows and needs
the places in the original. Imports `re` and `store.secret_shapes`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from afterword.store.secret_shapes import Found

# What may stand between two parts of a token that was wrapped, quoted or spelled out.
GAP = re.compile(
    r"[\"'`\\]{0,4}(?:[\s\u200b-\u200f\u2060\ufeff]|\\[nrt])"
    r"(?:[\s\u200b-\u200f\u2060\ufeff\"'`+>|#\\]|(?<=\\)[nrt])*|[\"'`]\s*\+\s*[\"'`]"
)


class Joined:
    """A text with the gaps taken out, and the way back to the places in the original."""

    def __init__(self, text: str) -> None:
        self.original = text
        self.starts: list[int] = []  # of each piece in the joined text
        self.shifts: list[int] = []  # what to add there to come back
        pieces, at, length = [], 0, 0
        for gap in [*GAP.finditer(text), None]:
            end = gap.start() if gap else len(text)
            if end > at:
                self.starts.append(length)
                self.shifts.append(at - length)
                pieces.append(text[at:end])
                length += end - at
            at = gap.end() if gap else len(text)
        self.text = "".join(pieces)

    def piece(self, at: int) -> int:
        """Which piece holds the character at this place of the joined text."""
        return bisect_right(self.starts, at) - 1

    def place(self, at: int) -> int:
        """The place in the original of a character of the joined text."""
        return at + self.shifts[self.piece(at)]

    def end_of(self, piece: int) -> int:
        """Where the piece ends in the joined text."""
        return (
            self.starts[piece + 1] if piece + 1 < len(self.starts) else len(self.text)
        )

    def stretches(self, at: int, most: int) -> Iterator[tuple[int, int]]:
        """The pieces from a place on, the first one from that place, as (begin, end)."""
        first = self.piece(at)
        for piece in range(first, min(first + most, len(self.starts))):
            yield max(self.starts[piece], at), self.end_of(piece)

    def parts(self, start: int, end: int) -> list[str]:
        """A stretch of the joined text, cut where the pieces are."""
        spans = self.stretches(start, len(self.starts))
        return [self.text[a : min(b, end)] for a, b in spans if a < end]

    def span(self, start: int, end: int, kind: str) -> Found:
        """A stretch of the joined text as a place in the original."""
        return Found(start=self.place(start), end=self.place(end - 1) + 1, kind=kind)

    def folds(self) -> Iterator[tuple[int, int, int]]:
        """Where a line break was taken out, between the ends of the pieces beside it."""
        for piece in range(1, len(self.starts)):
            fold = self.starts[piece]
            if "\n" in self.original[self.place(fold - 1) : self.place(fold)]:
                yield self.starts[piece - 1], fold, self.end_of(piece)
