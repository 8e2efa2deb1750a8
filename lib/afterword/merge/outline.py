"""The three-way merge of files that are a row of pieces, by the laws of DESIGN 11.

A piece that moved is no edit. Sections and what a person put in place keep their order,
what the program writes is sorted in its section: a function of the set. What the
merged file reads as is checked against what was merged. Pure; imports `merge`'s own
parts, `store` and `model` only.
"""

from __future__ import annotations

from afterword.merge import laws, order, pieces
from afterword.merge.laws import Merged
from afterword.merge.pieces import FIXED, HEAD, SORTED, TOP, Piece, Version, agreed
from afterword.merge.weave import Rules, Weave, characters
from afterword.model import TYPE_CHECKING
from afterword.store.newline import newline_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from afterword.merge.pieces import Key


BOM = b"\xef\xbb\xbf"


def merge(rules: Rules, before: bytes, ours: bytes, theirs: bytes) -> Merged | None:
    """Merge three versions of a file of any bytes, `before` empty where there was none.

    None when the merged file would not read as what was merged: an open fence, say,
    swallows what comes behind it.
    """
    if theirs in (ours, before):
        return Merged(data=ours)
    if ours == before:
        return Merged(data=theirs)
    marks = [characters(BOM * data.startswith(BOM)) for data in (before, ours, theirs)]
    mark = laws.three_way(marks[0], marks[1], marks[2], max) or ""
    texts = [data.removeprefix(BOM) for data in (before, ours, theirs)]
    found = _merged(rules, *texts)
    if found is None or found.data.startswith(laws.OURS.rstrip().encode()):
        return found  # a marker begins a line, also the first one
    return found.replace(data=mark.encode("latin-1") + found.data)


def _merged(rules: Rules, before: bytes, ours: bytes, theirs: bytes) -> Merged | None:
    read = [(data, rules.read(data)) for data in (before, ours, theirs)]
    versions = pieces.versions(read)
    weave = Weave(rules, *versions)
    is_downward = _direction(rules, before, ours, theirs)
    laid = _Layout(rules, weave.kept, versions, is_downward).pieces()
    found = rules.finished(laid, (before, ours, theirs))
    newline = min(newline_of(ours), newline_of(theirs))
    text = pieces.text(found, lambda piece: newline * rules.gap(piece))
    data = _ended(versions, text)
    if not weave.conflicts and not _reads_as(rules.read(data), found):
        return None
    return Merged(data=data, conflicts=tuple(weave.conflicts))


def _direction(rules: Rules, before: bytes, ours: bytes, theirs: bytes) -> bool:
    """Whether the merged file runs downward: as the side that turned it."""
    o, a, b = (rules.is_downward(data) for data in (before, ours, theirs))
    return a if b in (a, o) else b


def _ended(versions: list[Version], text: bytes) -> bytes:
    """The file with the end and the line ends of the side that changed them."""
    o, a, b = versions
    ends = [characters(side.end) for side in versions]
    end = laws.three_way(ends[0], ends[1], ends[2], max) or ""
    if "\n" not in end and text.endswith(laws.THEIRS.rstrip().encode()):
        end += "\n"
    whole = text + end.encode("latin-1")
    if not any(b"\r" in side.data for side in (a, b)):
        return whole
    first = characters(o.data) if o.data else None
    ours, theirs = characters(a.data), characters(b.data)
    return laws.line_ends(first, ours, theirs, characters(whole)).encode("latin-1")


def _reads_as(read: list[Piece], wanted: list[Piece]) -> bool:
    one, other = (
        [laws.lf(characters(piece.body)) for piece in side if piece.body]
        for side in (read, wanted)
    )
    return one == other


class _Layout:
    """Where the pieces stand that stay: the sections in a row, and in each its own."""

    def __init__(
        self,
        rules: Rules,
        kept: dict[Key, list[Piece]],
        versions: list[Version],
        is_downward: bool,
    ) -> None:
        self._rules = rules
        self._kept = kept
        self._is_downward = is_downward
        rows = [[key for key in side.pieces if key in kept] for side in versions]
        homes = [self._homes(row) for row in rows]
        home = {key: agreed(*(side.get(key) for side in homes)) for key in kept}
        self._heads = [self._of(row, HEAD) for row in rows]
        self._fixed = [
            self._in_place(self._of(row, FIXED), side, home)
            for row, side in zip(rows, homes, strict=True)
        ]
        self._grown = _grouped((home[key], key) for key in self._of(kept, SORTED))

    def pieces(self) -> list[Piece]:
        """All of them in a row."""
        found: list[Piece] = []
        before, ours, theirs = self._heads
        for head in self._rules.sections(before, ours, theirs, self._rank):
            found += [*self._kept[head], *self._below(head)]
        return found

    def _below(self, head: Key) -> list[Piece]:
        """What stands in a section: what a person put there, then what is sorted."""
        rank = self._downward if self._is_downward else self._rank
        before, ours, theirs = (side.get(head, []) for side in self._fixed)
        keys = order.anchored(before, ours, theirs, rank)
        fixed = [piece for key in keys for piece in self._kept[key]]
        grown = [
            piece for key in self._grown.get(head, ()) for piece in self._kept[key]
        ]
        grown.sort(key=_place, reverse=self._is_downward)
        return [*grown, *fixed] if self._is_downward else [*fixed, *grown]

    def _of(self, row: Iterable[Key], role: str) -> list[Key]:
        return [key for key in row if self._kept[key][0].role == role]

    def _homes(self, row: list[Key]) -> dict[Key, Key]:
        """The section in which each piece of a version stands, of those that stay."""
        found: dict[Key, Key] = {}
        home = TOP
        for key in row:
            home = key if self._kept[key][0].role == HEAD else home
            found[key] = home
        return found

    @staticmethod
    def _in_place(
        row: list[Key], homes: dict[Key, Key], home: dict[Key, Key]
    ) -> dict[Key, list[Key]]:
        """The keys of a row by section, without those that stand in another one now."""
        return _grouped((homes[key], key) for key in row if homes[key] == home[key])

    def _rank(self, key: Key) -> object:
        return _place(self._kept[key][0])

    def _downward(self, key: Key) -> object:
        return order.Downward(self._rank(key))


def _place(piece: Piece) -> tuple[Key, Key, bytes]:
    return piece.rank, piece.key, piece.body


def _grouped(pairs: Iterable[tuple[Key, Key]]) -> dict[Key, list[Key]]:
    found: dict[Key, list[Key]] = {}
    for group, key in pairs:
        found.setdefault(group, []).append(key)
    return found
