"""The merge of the archives of queue and reflections: a union that loses no byte.

A block is its content: the same one archived on two clones is there once, at the
earlier time. What a person archived without a stamp keeps its place before ours, which
are ordered by stamp, id and content. Pure; imports `evolution` and `merge`'s parts.
"""

from __future__ import annotations

from afterword.evolution import archive_text
from afterword.merge import outline, pieces, queue, reflections
from afterword.merge.laws import Merged
from afterword.merge.pieces import FIXED, HEAD, SORTED, Piece, Span
from afterword.merge.weave import Rules
from afterword.model import TYPE_CHECKING
from afterword.store import digest
from afterword.store.newline import newline_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterword.merge.pieces import Key

    Spans = Callable[[bytes], list[Span]]

_TAIL: Key = (HEAD, (b"text at the end",), 0, 0)


def of_queue(before: bytes, ours: bytes, theirs: bytes) -> Merged | None:
    """Merge three versions of the queue's archive, of any bytes."""
    return outline.merge(_Rules(queue.spans), before, ours, theirs)


def of_reflections(before: bytes, ours: bytes, theirs: bytes) -> Merged | None:
    """Merge three versions of the reflections' archive, of any bytes."""
    return outline.merge(_Rules(reflections.spans), before, ours, theirs)


class _Rules(Rules):
    """`spans` cuts a text into blocks, as in the file that the archive is of."""

    def __init__(self, spans: Spans) -> None:
        self._spans = spans

    def read(self, data: bytes) -> list[Piece]:
        """The blocks; a stamped one has its mark in its body, and is there once."""
        newline = newline_of(data)
        found: list[Piece] = []
        stamped: dict[Key, Piece] = {}
        for raw, stamp in archive_text.stamped(data):
            parts = [*self._parts(raw, is_first=not found, is_stamped=bool(stamp))]
            if stamp:
                piece = _stamped(parts.pop(), raw, stamp, newline)
                other = stamped.get(piece.key, piece)
                stamped[piece.key] = min(other, piece, key=_time)
            found += parts
        tail = [one for one in found if one.key == _TAIL]
        return [*(one for one in found if one.key != _TAIL), *stamped.values(), *tail]

    def _parts(self, raw: bytes, is_first: bool, is_stamped: bool) -> Iterator[Piece]:
        """The blocks of a text between marks; the archive's own text on top comes first.

        A note that somebody put before a block belongs to it, one behind all stays there.
        """
        top, *others = pieces.cut(raw, self._spans(raw))
        is_block = is_stamped and not others
        if is_first:
            yield top.replace(body=b"", gap=b"") if is_block else top
        elif others and top.body:
            note = top.body + (top.gap or b"")
            others[0] = others[0].replace(body=note + others[0].body)
        elif top.body and not is_block:
            yield top.replace(key=_TAIL, rank=_TAIL)
        yield from map(_by_hand, [top] if is_block else others)

    def join(self, before: Piece | None, ours: Piece, theirs: Piece) -> Merged:
        if ours.role == HEAD:
            return super().join(before, ours, theirs)
        return Merged(data=min(ours, theirs, key=_time).body)


def _by_hand(piece: Piece) -> Piece:
    """A block without a stamp, which keeps its place."""
    key = _key(piece.body)
    return piece.replace(key=key, role=FIXED, rank=piece.key, about="")


def _stamped(last: Piece, raw: bytes, stamp: str, newline: bytes) -> Piece:
    """The last block of a text, byte for byte, with the mark behind it."""
    mark = pieces.trimmed(archive_text.mark(stamp, newline))
    block = last.body + raw[len(pieces.trimmed(raw)) :]
    span = Span(0, last.key, SORTED, (stamp, *last.rank), stamp)
    return Piece(span, block + mark, newline * 2)


def _key(block: bytes) -> Key:
    return "block", digest.of_text(archive_text.trimmed(block))


def _time(piece: Piece) -> tuple[str, bytes]:
    return str(piece.about), piece.body
