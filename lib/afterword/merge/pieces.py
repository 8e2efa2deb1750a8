r"""A Markdown file as a row of pieces that are merged one by one, every byte of it kept.

A piece is a heading with the text of its section, an item, a row of a table: what that
is says each kind of file. Its `body` ends without a line end; the line end and empty
lines behind it are its `gap`, which is layout and no edit. Works on bytes of any
encoding. Pure; imports `store` and `model` only.
"""

from __future__ import annotations

from itertools import pairwise

from afterword.model import TYPE_CHECKING
from afterword.store import blocks, digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Key = tuple[object, ...]

# HEAD opens a section, in which the others stand: FIXED where a person put them, SORTED
# by their rank at the section's end.
HEAD, FIXED, SORTED = "head", "fixed", "sorted"
TOP: Key = (HEAD, (), 0, 0)
FOOT: Key = ("foot",)  # the text behind a table, until `footed` says which


class Span(blocks.Record):
    """Where a piece begins; it ends where the next one does.

    `key` tells it from the others in all versions, `rank` is its place among those that
    are sorted; `about` is whatever the kind wants to know of it later.
    """

    __slots__ = ("about", "key", "rank", "role", "start")
    start: int
    key: Key
    role: str
    rank: Key
    about: object

    def __init__(
        self, start: int, key: Key, role: str, rank: Key, about: object = None
    ) -> None:
        self._set(start=start, key=key, role=role, rank=rank, about=about)


class Piece(blocks.Record):
    """One piece. `gap` is None for the last one of a file, whose end says nothing of it.

    `sides` are both texts where `body` holds them between markers.
    """

    __slots__ = ("about", "body", "gap", "key", "rank", "role", "sides")
    key: Key
    role: str
    rank: Key
    about: object
    body: bytes
    gap: bytes | None
    sides: tuple[bytes, bytes] | None

    def __init__(
        self,
        span: Span,
        body: bytes,
        gap: bytes | None,
        sides: tuple[bytes, bytes] | None = None,
    ) -> None:
        self._set(key=span.key, role=span.role, rank=span.rank, about=span.about)
        self._set(body=body, gap=gap, sides=sides)

    def replace(self, **changes: object) -> Piece:
        """A copy with some values changed."""
        made = object.__new__(Piece)
        values = zip(self.__slots__, self._values(), strict=True)
        made._set(**{**dict(values), **changes})
        return made


class Version:
    """One version of a file: its pieces by key in their order, and how the file ends."""

    def __init__(self, data: bytes, found: list[Piece]) -> None:
        self.data = data
        self.pieces = {piece.key: piece for piece in found}
        self.end = data[len(trimmed(data)) :]


def heads(headings: Iterable[blocks.Heading]) -> Iterator[tuple[blocks.Heading, Key]]:
    """Headings of a file in order, each with the key of the section that it opens.

    That is the texts of the headings above it and its own, then how often they have
    come before.
    """
    path: list[tuple[int, bytes]] = []
    seen: dict[tuple[bytes, ...], int] = {}
    for heading in headings:
        path = [one for one in path if one[0] < heading.level]
        path.append((heading.level, heading.text))
        texts = tuple(text for _, text in path)
        seen[texts] = seen.get(texts, -1) + 1
        yield heading, (HEAD, texts, seen[texts], 0)


def footed(spans: Iterable[Span]) -> Iterator[Span]:
    """Spans in order, the text behind each table as one more part of its section."""
    head, part = TOP, 0
    # what ends a table comes before what begins at the same place
    for span in sorted(spans, key=lambda span: (span.start, span.key != FOOT)):
        if span.key == FOOT:
            part += 1
            key = (*head[:-1], part)
            yield Span(span.start, key, HEAD, key)
            continue
        if span.role == HEAD:
            head, part = span.key, 0
        yield span


def is_foot(piece: Piece) -> bool:
    """Whether a piece is the text behind a table."""
    return piece.key[0] == HEAD and piece.key[-1] != 0


def agreed(before: Key | None, ours: Key | None, theirs: Key | None) -> Key:
    """The section where a piece belongs: the one of the side that moved it."""
    if ours is None or theirs is None:
        return ours or theirs or TOP
    if ours == before:
        return theirs
    return ours if theirs == before else max(ours, theirs)


def cut(data: bytes, spans: Sequence[Span]) -> list[Piece]:
    """The file's pieces; the first one is the text on top, be it empty."""
    found = [*spans]
    if not found or found[0].key != TOP:
        found.insert(0, Span(0, TOP, HEAD, TOP))
    ends = [*(span.start for span in found[1:]), len(data)]
    pairs = zip(found, ends, strict=True)
    return [
        _piece(data[span.start : end], span, end == len(data)) for span, end in pairs
    ]


def _piece(raw: bytes, span: Span, is_last: bool) -> Piece:
    body = trimmed(raw)
    return Piece(span, body, None if is_last else raw[len(body) :])


def trimmed(raw: bytes) -> bytes:
    """Text without its last line end and the empty lines at its end; spaces in a line stay."""
    text = raw.rstrip(b" \t\r\n")
    if not text:
        return b""
    rest = raw[len(text) :]
    return text + rest[: len(rest) - len(rest.lstrip(b" \t"))]


def versions(found: Sequence[tuple[bytes, list[Piece]]]) -> list[Version]:
    """The versions of a file, their pieces told apart alike in all of them.

    A key that any version has twice is made one of its content, and of its place among
    equal ones.
    """
    doubled: set[Key] = set()
    for _, pieces in found:
        seen: set[Key] = set()
        for piece in pieces:
            (doubled if piece.key in seen else seen).add(piece.key)
    return [Version(data, _told_apart(pieces, doubled)) for data, pieces in found]


def _told_apart(pieces: list[Piece], doubled: set[Key]) -> list[Piece]:
    if not doubled:
        return pieces
    counts: dict[Key, int] = {}

    def told(piece: Piece) -> Piece:
        if piece.key not in doubled:
            return piece
        key = (*piece.key, digest.of_text(piece.body))
        counts[key] = counts.get(key, 0) + 1
        return piece.replace(key=(*key, counts[key]))

    return [told(piece) for piece in pieces]


def tightened(
    found: Sequence[Piece], kind: str, versions: Iterable[Sequence[Piece]]
) -> list[Piece]:
    """Items of lists without the empty lines that stood behind them as the last ones.

    `kind` begins the keys of items, the section they stand in follows. A list that has
    empty lines between its items in one of the versions keeps them.
    """
    wide = {
        one.key[:2] for side in versions for one in _inner(side, kind) if _is_wide(one)
    }
    inner = {one.key for one in _inner(found, kind) if one.key[:2] not in wide}
    return [
        one.replace(gap=b"\r\n" if one.gap and b"\r" in one.gap else b"\n")
        if one.key in inner and not one.sides
        else one
        for one in found
    ]


def _inner(found: Sequence[Piece], kind: str) -> Iterator[Piece]:
    """The items that another item of their section follows."""
    for one, other in pairwise(found):
        if one.key[0] == kind and one.key[:2] == other.key[:2]:
            yield one


def _is_wide(piece: Piece) -> bool:
    return piece.gap not in (None, b"\n", b"\r\n")


def text(pieces: Iterable[Piece], gap: Callable[[Piece], bytes]) -> bytes:
    """The pieces in a row, without the file's end; `gap` for those that have none."""
    parts: list[bytes] = []
    for piece in pieces:
        behind = gap(piece) if piece.gap is None else piece.gap
        if piece.sides:
            # A marker begins a line as git and grep understand it, whatever the file's.
            before = b"".join(parts[-2:])
            parts.append(b"" if not before or before.endswith(b"\n") else b"\n")
            behind = (
                behind if behind.lstrip(b"\r").startswith(b"\n") else b"\n" + behind
            )
        parts += [piece.body, behind]
    return trimmed(b"".join(parts))
