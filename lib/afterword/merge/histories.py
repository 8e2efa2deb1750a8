"""The merge of decisions-history.md, of the snapshot or a module: a union of blocks.

A block is its id and its bytes: what two clones moved there alike is there once, what
they moved in two forms twice, and both are read. Groups stand by their date, the blocks
that the program moved by id in each, behind those of persons. Pure; imports `merge`'s own parts and `store` only.
"""

from __future__ import annotations

import re

from afterword.merge import outline, pieces
from afterword.merge.laws import Merged
from afterword.merge.pieces import FIXED, HEAD, SORTED, TOP, Piece, Span
from afterword.merge.weave import Rules
from afterword.model import TYPE_CHECKING
from afterword.store import blocks, digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BLOCK = "block"
_GROUP = 2  # the level of a date's heading
# The line of metadata that ends a block which the program moved.
_METADATA = re.compile(rb"^<!-- \{.*\} -->[ \t]*\r?$", re.MULTILINE)
_ID = re.compile(rb'"id": ?"([ec]-[0-9a-f]{8,10})"')


def merge(before: bytes, ours: bytes, theirs: bytes) -> Merged | None:
    """Merge three versions of a history of any bytes."""
    return outline.merge(_Rules(), before, ours, theirs)


class _Rules(Rules):
    def read(self, data: bytes) -> list[Piece]:
        return [*_named(pieces.cut(data, [*_spans(data)]))]


def _spans(data: bytes) -> Iterator[Span]:
    """The groups, and in each the blocks; a deeper heading inside of a block is its text."""
    start, level = 0, 0
    for heading, key in pieces.heads(blocks.headings(data, blocks.has_front(data))):
        if heading.level <= _GROUP:
            start, level = heading.end, 0
            yield Span(heading.start, key, HEAD, key)
        elif (
            not level
            or heading.level <= level
            or _METADATA.search(data, start, heading.start)
        ):
            start, level = heading.end, heading.level
            yield Span(
                heading.start,
                (_BLOCK, heading.text.decode("utf-8", "replace")),
                FIXED,
                (),
            )


def _named(found: Iterable[Piece]) -> Iterator[Piece]:
    """The blocks by their group, by id or else title, and by content."""
    group = TOP
    for piece in found:
        if piece.role == HEAD:
            group = piece.key
            yield piece
            continue
        metadata = _METADATA.search(piece.body)
        matched = _ID.search(metadata.group()) if metadata else None
        name = matched[1].decode() if matched else str(piece.key[1])
        rank = (name, digest.of_text(piece.body))
        role = SORTED if matched else FIXED
        yield piece.replace(key=(_BLOCK, *rank, group), rank=rank, role=role)
