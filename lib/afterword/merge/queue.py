"""The merge of learning queues: item by item, and each item field by field.

An item goes forward only (pending < processing < done); what else both sides changed is
shown in that item. Items without a suffix keep the order a person gave them; those that
the program named stand behind them as an archive run leaves them: done ones newest
first, then the others as they came. Pure; imports `evolution` and `merge`'s own parts.
"""

from __future__ import annotations

import re
from types import MappingProxyType

from afterword.evolution import item, queue, words
from afterword.merge import labelled, order, outline, pieces
from afterword.merge.laws import Differ, Merged
from afterword.merge.pieces import FIXED, HEAD, SORTED, Piece, Span
from afterword.merge.weave import Rules
from afterword.model import TYPE_CHECKING
from afterword.store import blocks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterword.evolution.item import Item
    from afterword.merge.pieces import Key

_STATES = (words.PENDING, words.PROCESSING, words.DONE)
_PRIORITY = re.compile(r"P([0-9])(?![0-9])")
_PRODUCT = re.compile(r"[A-Za-z]{1,8}-?[0-9a-f]{1,12}")
_COMMA = re.compile(r"[ \t]*[,，][ \t]*")
_ITEM, _BLOCK = "item", "block"


def merge(before: bytes, ours: bytes, theirs: bytes) -> Merged | None:
    """Merge three versions of a queue of any bytes; None where they cannot be told apart."""
    return outline.merge(_Rules(), before, ours, theirs)


class _Rules(Rules):
    def read(self, data: bytes) -> list[Piece]:
        items = {one.start: one for one in queue.read(data).items}
        return pieces.cut(data, spans(data, items))

    def join(self, before: Piece | None, ours: Piece, theirs: Piece) -> Merged:
        if ours.key[0] == _ITEM:
            return labelled.merge(before, ours, theirs, _JOINS)
        return super().join(before, ours, theirs)

    def is_text(self, piece: Piece) -> bool:
        return piece.key[0] != _ITEM

    def rank(self, piece: Piece) -> Key:
        found = queue.read(piece.body).items if piece.role == SORTED else []
        return _place(found[0]) if found else piece.rank


def spans(data: bytes, items: Mapping[int, Item] = MappingProxyType({})) -> list[Span]:
    """The items of a queue or its archive, the sections, and the other level-3 blocks.

    `items` by their places are those that may have to be sorted; without them all of
    the items keep their order.
    """
    headings = (
        one
        for one in blocks.headings(data, blocks.has_front(data))
        if one.level <= item.LEVEL
    )
    return [_span(*pair, items) for pair in pieces.heads(headings)]


def _span(heading: blocks.Heading, key: Key, items: Mapping[int, Item]) -> Span:
    if heading.level < item.LEVEL:
        return Span(heading.start, key, HEAD, key)
    matched = item.match(heading.level, heading.text)
    if not matched:
        text = heading.text.decode("utf-8", "replace")
        return Span(heading.start, (_BLOCK, text), FIXED, (1, text))
    named = (_ITEM, matched["identity"].decode())
    one = items.get(heading.start) if matched["suffix"] else None
    if one:
        return Span(heading.start, named, SORTED, _place(one))
    return Span(heading.start, named, FIXED, (0, int(matched["number"]), *named))


def _place(one: Item) -> Key:
    """Where an item stands among those that the program named (DESIGN 7, A1.5)."""
    if one.state == words.DONE:
        return 0, -_day(item.newest(one)[0]), -one.number, one.suffix
    return 1, _day(one.added), one.number, one.suffix


def _day(text: str) -> int:
    """A date as a number, 0 for other text."""
    digits = text.replace("-", "")
    is_date = len(text) == 10 and len(digits) == 8 and digits.isdecimal()
    return int(digits) if is_date else 0


def _forward(ours: str, theirs: str) -> str:
    """The later of two states; text that is none is not compared."""
    states = [words.state(text) for text in (ours, theirs)]
    if words.OTHER in states:
        raise Differ
    return max((_STATES.index(words.state(text)), text) for text in (ours, theirs))[1]


def _earlier(ours: str, theirs: str) -> str:
    if not _day(ours) or not _day(theirs):
        raise Differ
    return min(ours, theirs)


def _higher(ours: str, theirs: str) -> str:
    """The more urgent priority; P0 is the highest."""
    a, b = _PRIORITY.match(ours), _PRIORITY.match(theirs)
    if not a or not b or a[1] == b[1]:
        raise Differ
    return ours if a[1] < b[1] else theirs


def _united(ours: str, theirs: str) -> str:
    """All ids of knowledge-base entries; free text is not cut."""
    sides = {text: _COMMA.split(text) for text in (ours, theirs)}
    if not all(_PRODUCT.fullmatch(word) for side in sides.values() for word in side):
        raise Differ
    found = order.containing(sides[ours], sides[theirs])
    same = [text for text, side in sides.items() if side == found]
    return max(same, default=", ".join(found))


_JOINS = {
    "status": _forward,
    "processed": _earlier,
    "priority": _higher,
    "product": _united,
}
