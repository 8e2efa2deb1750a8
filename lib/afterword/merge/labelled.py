"""The merge of one block of labelled lines: an item of the queue, an entry as a section.

Field by field, whatever the block's spelling; the heading and the text above the first
field are one more. Pure; imports `evolution.fields` and `merge`'s own parts.
"""

from __future__ import annotations

from afterword.evolution import fields
from afterword.merge import outline
from afterword.merge.laws import Differ, Merged
from afterword.merge.pieces import FIXED, TOP, Piece, Span, cut
from afterword.merge.weave import Rules
from afterword.model import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    # Of two values that differ, the one that counts; raises `Differ`.
    Join = Callable[[str, str], str]

# The order of era L1 (spec/evolution.md 1.1), for what both sides added in one place.
_ORDER = "priority source status added processed content metadata product".split()


def merge(
    before: Piece | None, ours: Piece, theirs: Piece, joins: Mapping[str, Join]
) -> Merged:
    """The body of a block that both sides changed; `joins` are rules by a field's name.

    Raises `Differ` where the block does not fall into fields again.
    """
    old = before.body if before else b""
    found = outline.merge(_Fields(joins), old, ours.body, theirs.body)
    if found is None:
        raise Differ
    return found


class _Fields(Rules):
    def __init__(self, joins: Mapping[str, Join]) -> None:
        self._joins = joins

    def read(self, data: bytes) -> list[Piece]:
        spans = []
        seen: dict[str, int] = {}
        for field in fields.read(data):
            # a label that no rule reads counts as its own name; ":" is in no label
            name = field.name or f":{field.label.casefold()}"
            place = _ORDER.index(name) if name in _ORDER else len(_ORDER)
            seen[name] = count = seen.get(name, 0) + 1
            key = ("field", name, count)
            spans.append(Span(field.start, key, FIXED, (place, name), field.label))
        return cut(data, spans)

    def join(self, before: Piece | None, ours: Piece, theirs: Piece) -> Merged:
        """A second field of one name is somebody's text, and no rule reads it."""
        if ours.key == TOP:
            raise Differ
        _, name, count = ours.key
        a, b = (_text(piece) for piece in (ours, theirs))
        if a == b:  # written in two ways
            value = a
        elif name in self._joins and count == 1 and "\n" not in a + b:
            value = self._joins[str(name)](a, b)
        else:
            raise Differ
        named = [text.body for text in (ours, theirs) if _text(text) == value]
        return Merged(data=max(named) if named else _with(value, ours, theirs))

    def is_text(self, piece: Piece) -> bool:
        return False

    def gap(self, piece: Piece) -> int:
        return 1 if piece.body else 0

    def name(self, piece: Piece) -> str:
        return "heading" if piece.key == TOP else str(piece.about)


def _text(piece: Piece) -> str:
    found = fields.read(piece.body)
    return fields.text(piece.body, found[0].name) if found else ""


def _with(value: str, ours: Piece, theirs: Piece) -> bytes:
    """One side's line with another value; which side is not asked."""
    body = max(ours.body, theirs.body)
    field = fields.read(body)[0]
    return body[: field.value_start] + value.encode() + body[field.value_end :]
