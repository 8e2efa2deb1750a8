"""decisions-history.md: what left a target's file for its size, block by block (G14, G15).

Blocks stand as they stood, below the date since which they hold no longer, by id. They
are facts as much as those of the file; one changes only when its facts do. Pure; imports
the room's `document`, `rendering` and `blocks_shown`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from afterword.model import Model
from afterword.snapshot import cutting, document, texts, tiles
from afterword.snapshot.document import Held
from afterword.store import blocks
from afterword.store.newline import newline_of

TITLES = {"en": "Decisions history", "zh": "决策历史"}


class Moved(Model):
    """A block on its way: its id, the date of its ending, its bytes with metadata."""

    id: str
    date: str
    raw: bytes


def held(data: bytes | None, module: str) -> dict[str, Held]:
    """The blocks of entries and conflicts in a history by their ids."""
    found: dict[str, Held] = {}
    for one in document.held(cutting.cut(data or b""), module):
        name = identity(one)
        if name:
            found.setdefault(name, one)
    return found


def identity(one: Held) -> str:
    """The id of the entry or conflict that a block with metadata is, "" for any other."""
    if one.tile.data is None:
        return ""
    if one.conflict:
        return one.conflict.id
    return one.facts[0].id if one.tile.role == tiles.ENTRY and one.facts else ""


def compose(
    before: bytes | None,
    moved: Sequence[Moved],
    *,
    changed: Mapping[str, Sequence[str]],
    returned: Iterable[str],
    language: str,
    module: str,
) -> bytes | None:
    """The history with more blocks; `before` itself where nothing changes.

    `changed` are the lines of blocks whose facts are others now, `returned` the ids of
    entries that hold again and stand in the file.
    """
    gone = frozenset(returned)
    if not moved and not changed and not gone:
        return before
    data = before or f"# {TITLES.get(language, TITLES['en'])}\n".encode()
    newline = newline_of(data)
    found = document.held(
        cutting.cut(blocks.finished(data, newline, blocks.has_front(data))), module
    )
    groups = _Groups([_rendered(one, changed, newline) for one in found], newline)
    groups.remove(gone)
    for one in moved:
        groups.add(one)
    return groups.joined()


def _rendered(one: Held, changed: Mapping[str, Sequence[str]], newline: bytes) -> Held:
    lines = changed.get(identity(one))
    if lines is None:
        return one
    text = texts.encoded("".join(f"{line}\n" for line in lines))
    return Held(
        one.tile.with_raw(blocks.with_newline(text, newline)), one.facts, one.conflict
    )


class _Groups:
    """The blocks of a history in groups by date; those of persons keep their places."""

    def __init__(self, found: Sequence[Held], newline: bytes) -> None:
        self._newline = newline
        # (name of the group, its pieces as (id, bytes))
        self._groups: list[tuple[str, list[tuple[str, bytes]]]] = [("", [])]
        for one in found:
            if one.tile.role == tiles.SECTION:
                self._groups.append((one.tile.name, []))
            self._groups[-1][1].append((identity(one), one.tile.whole))

    def remove(self, gone: frozenset[str]) -> None:
        """Take blocks out, and the headings of groups that held nothing else."""
        kept = []
        for name, pieces in self._groups:
            left = [piece for piece in pieces if piece[0] not in gone or not piece[0]]
            if len(left) == len(pieces) or any(raw for _, raw in left[1:]) or not name:
                kept.append((name, left))
        self._groups = kept

    def add(self, moved: Moved) -> None:
        """A block into the group of its date, among the others by id."""
        pieces = self._group(moved.date)
        raw = self._newline + blocks.with_newline(moved.raw, self._newline)
        at = next(
            (at for at, (name, _) in enumerate(pieces) if name > moved.id), len(pieces)
        )
        pieces.insert(at, (moved.id, raw))

    def _group(self, date: str) -> list[tuple[str, bytes]]:
        for name, pieces in self._groups[1:]:
            if name == date:
                return pieces
        later = (at for at, (name, _) in enumerate(self._groups) if at and name > date)
        at = next(later, len(self._groups))
        heading = self._newline + f"## {date}".encode() + self._newline
        self._groups.insert(at, (date, [("", heading)]))
        return self._groups[at][1]

    def joined(self) -> bytes:
        """The bytes of the file, each piece on a line of its own."""
        found = [raw for _, pieces in self._groups for _, raw in pieces if raw]
        whole = [blocks.completed(raw, self._newline) for raw in found[:-1]]
        return b"".join([*whole, *found[-1:]])
