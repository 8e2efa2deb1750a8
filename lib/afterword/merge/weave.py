"""Which pieces of three versions stay, and with what in them; the laws piece by piece.

A piece that one side removed is gone unless the other changed it. What both changed is
asked of the kind's rules; what those do not settle is left between markers, inside of
that piece only. Pure; imports `merge`'s own parts, `store` and `model` only.
"""

from __future__ import annotations

from afterword.merge import fields, laws, order, text
from afterword.merge.laws import Differ, Merged
from afterword.merge.pieces import HEAD, TOP, Piece, Version, trimmed
from afterword.model import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterword.merge.pieces import Key


class Front(fields.Rules):
    """Front matter, and the text below it."""

    def body(self, ours: str, theirs: str, merged: dict[str, str]) -> str:
        found, is_marked = text.merge(
            self.before.body if self.before else "", ours, theirs
        )
        if is_marked:
            raise Differ
        return found


class Rules:
    """What is special about one kind of file that is a row of pieces.

    `keeps_both`: of two texts of one piece both stay, without a conflict; `front` are the
    rules for front matter.
    """

    keeps_both = False
    front: type[fields.Rules] = Front

    def read(self, data: bytes) -> list[Piece]:
        """The file's pieces, of any bytes; in a row they are the file."""
        raise NotImplementedError

    def join(self, before: Piece | None, ours: Piece, theirs: Piece) -> Merged:
        """The body of a piece that both sides changed; raises `Differ`.

        What of it is left between markers is named in the conflicts.
        """
        if ours.key != TOP:
            raise Differ
        return self._top(before.body if before else b"", ours.body, theirs.body)

    def _top(self, before: bytes, ours: bytes, theirs: bytes) -> Merged:
        """The text above the first heading, its front matter key by key."""
        try:
            found = fields.merge(self.front, before, ours, theirs)
        except UnicodeDecodeError:
            found = None
        if found is None:
            raise Differ
        return found

    def is_text(self, piece: Piece) -> bool:
        """Whether what both sides changed is merged by lines, or else shown whole."""
        return piece.role == HEAD

    def rank(self, piece: Piece) -> Key:
        """The rank of a piece whose body is new."""
        return piece.rank

    def name(self, piece: Piece) -> str:
        """What a person calls the piece, whichever side's it is."""
        texts = piece.key[1]
        if piece.role == HEAD and isinstance(texts, tuple) and texts:
            return f"section {texts[-1].decode('utf-8', 'replace')}"
        return "the text on top" if piece.role == HEAD else str(texts)

    def gap(self, piece: Piece) -> int:
        """How often a line ends behind a piece of which no version says so."""
        return 2 if piece.body else 0

    def is_downward(self, data: bytes) -> bool:
        """Whether the file runs from the highest rank to the lowest."""
        return False

    def sections(
        self,
        before: Sequence[Key],
        ours: Sequence[Key],
        theirs: Sequence[Key],
        rank: Callable[[Key], object],
    ) -> list[Key]:
        """The order of the sections that stay; each version has its own."""
        return order.anchored(before, ours, theirs, rank)

    def finished(self, found: list[Piece], versions: Sequence[bytes]) -> list[Piece]:
        """The merged pieces with what the file counts of itself counted anew."""
        return found


class Weave:
    """The pieces that stay, by key, and the names of what is left between markers.

    A key has two pieces where both texts of it stay.
    """

    def __init__(
        self, rules: Rules, before: Version, ours: Version, theirs: Version
    ) -> None:
        self.conflicts: list[str] = []
        self.kept: dict[Key, list[Piece]] = {}
        self._rules = rules
        for key in {**ours.pieces, **theirs.pieces}:
            sides = (side.pieces.get(key) for side in (before, ours, theirs))
            found = self._merged(*sides)
            if found:
                self.kept[key] = found
        self._keep_heads(ours, theirs)
        self._keep_heads(theirs, ours)

    def _keep_heads(self, side: Version, other: Version) -> None:
        """Something new or changed below a heading is an edit of the section: it stays."""
        head: Piece | None = None
        for key, piece in side.pieces.items():
            if piece.role == HEAD:
                head = piece
            elif head and key in self.kept and key not in other.pieces:
                self.kept.setdefault(head.key, [head])

    def _merged(
        self, before: Piece | None, ours: Piece | None, theirs: Piece | None
    ) -> list[Piece]:
        if ours is None or theirs is None:
            left = ours or theirs
            is_gone = left is None or _same(before, left)
            return [] if is_gone or left is None else [left]
        gap = _gap(before, ours, theirs)
        return [_followed(piece, gap) for piece in self._bodies(before, ours, theirs)]

    def _bodies(self, before: Piece | None, ours: Piece, theirs: Piece) -> list[Piece]:
        if ours.body == theirs.body:
            return [ours]
        old = None if before is None else characters(before.body)
        try:
            found = laws.three_way(
                old, characters(ours.body), characters(theirs.body), laws.differ
            )
        except Differ:
            return self._both(before, ours, theirs)
        return [_with(found or "", ours, theirs)]

    def _both(self, before: Piece | None, ours: Piece, theirs: Piece) -> list[Piece]:
        try:
            found = self._rules.join(before, ours, theirs)
        except Differ:
            if self._rules.keeps_both and ours.role != HEAD:
                return sorted((ours, theirs), key=lambda piece: piece.body)
            return [self._shown(before, ours, theirs)]
        if found.conflicts:
            name = self._rules.name(ours)
            self.conflicts += [f"{name}: {what}" for what in found.conflicts]
            return [_marked(found.data, ours, theirs)]
        piece = _with(characters(found.data), ours, theirs)
        return [piece.replace(rank=self._rules.rank(piece))]

    def _shown(self, before: Piece | None, ours: Piece, theirs: Piece) -> Piece:
        """One text of both, with markers around what contradicts."""
        sides = [characters(piece.body) for piece in (ours, theirs)]
        if self._rules.is_text(ours):
            old = characters(before.body) if before else ""
            merged, is_marked = text.merge(old, sides[0], sides[1])
        else:
            merged, is_marked = laws.conflict(*sides), True
        if not is_marked:
            return _with(merged, ours, theirs)
        self.conflicts.append(self._rules.name(ours))
        return _marked(merged.encode("latin-1"), ours, theirs)


def characters(data: bytes) -> str:
    """The bytes as text of one character each, to which the laws apply whatever they say."""
    return data.decode("latin-1")


def _same(one: Piece | None, other: Piece) -> bool:
    if one is None or one.body == other.body:
        return one is not None
    return laws.lf(characters(one.body)) == laws.lf(characters(other.body))


def _with(found: str, ours: Piece, theirs: Piece) -> Piece:
    """The side that has this body, else one with it."""
    body = trimmed(found.encode("latin-1"))
    whole = [piece for piece in (ours, theirs) if piece.body == body]
    return whole[0] if whole else ours.replace(body=body)


def _marked(data: bytes, ours: Piece, theirs: Piece) -> Piece:
    """A piece with markers in it; its place does not ask which side is ours."""
    return ours.replace(
        body=trimmed(data),
        rank=min(ours.rank, theirs.rank),
        sides=(ours.body, theirs.body),
    )


def _followed(piece: Piece, gap: bytes | None) -> Piece:
    """The piece with this layout behind it; "" is that of an absent text only."""
    gap = None if piece.body and not gap else gap
    return piece if piece.gap == gap else piece.replace(gap=gap)


def _gap(before: Piece | None, ours: Piece, theirs: Piece) -> bytes | None:
    """The layout behind a piece; the last one of a file has nothing to say of it."""
    if ours.gap == theirs.gap or theirs.gap is None:
        return ours.gap
    if ours.gap is None:
        return theirs.gap
    old = None if before is None or before.gap is None else characters(before.gap)
    found = laws.three_way(old, characters(ours.gap), characters(theirs.gap), max)
    return (found or "").encode("latin-1")
