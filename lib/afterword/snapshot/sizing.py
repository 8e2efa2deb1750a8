"""What stays in a target file and what moves to its history (L071-L074, 10.6; G12-G15).

Ended entries and resolved conflicts move in the order in which they ended, of whatever
kind, until the file is below the limit: so that every split of the increments into runs
moves the same ones. Nothing else ever moves. Pure; imports the room's own modules.
"""

from __future__ import annotations

from collections.abc import Sequence

from afterword.model import Model
from afterword.snapshot import composing, history, rendering, section_text
from afterword.snapshot.fact import order
from afterword.snapshot.folded import Conflict, Entry, Target
from afterword.snapshot.section_text import Chunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from afterword.snapshot.fact import Order

_RANKS = {"Superseded": 0, "Resolved": 1}


class Sized(Model):
    """A target's two files: `history` None where there is none. `moved` in this run.

    `warning` says that the file is still too large, "" where it is not (G13).
    """

    data: bytes
    history: bytes | None
    moved: int
    lines: int
    warning: str = ""


class _Movable(Model):
    """An ended entry or resolved conflict, and its place among those that may move."""

    id: str
    place: tuple[Order, int, str]
    date: str
    entry: Entry | None = None
    conflict: Conflict | None = None

    def chunk(self, target: str, language: str) -> Chunk:
        if self.conflict is not None:
            return section_text.of_conflict(self.conflict, target, language)
        assert self.entry is not None  # it is the one or the other
        return section_text.of_lines(rendering.entry(self.entry))


def divide(
    before: bytes | None,
    history_before: bytes | None,
    target: Target,
    *,
    max_lines: int,
    date: str,
    language: str = "en",
    module_path: Sequence[str] = (),
    purpose: str = "",
    status: str = "",
    stems: Sequence[str] = (),
) -> Sized:
    """The file below `max_lines` lines if moving ended entries can make it so, and its history."""
    held = history.ids(history_before)
    movable = sorted(_movables(target), key=lambda one: one.place)
    there = [one for one in movable if one.id in held]
    others = [one for one in movable if one.id not in held]
    shown: dict[str, Any] = {
        "date": date,
        "language": language,
        "module_path": module_path,
        "purpose": purpose,
        "status": status,
        "stems": stems,
    }
    before_count = history.count(history_before)

    def composed(count: int) -> bytes:
        gone = [*there, *others[:count]]
        says = _says(before_count + count)
        left = _without(target, gone)
        return composing.compose(before, left, history=says, **shown)

    count = _fewest(len(others), lambda number: _lines(composed(number)) < max_lines)
    data = composed(count)
    moved = [
        (one.id, one.date, one.chunk(target.name, language))
        for one in (*there, *others[:count])
    ]
    lines = _lines(data)
    return Sized(
        data=data,
        history=history.compose(history_before, moved, language),
        moved=count,
        lines=lines,
        warning=_warning(lines, max_lines),
    )


def _fewest(most: int, fits: Any) -> int:
    """The fewest that have to move, by halving: with more moved no file is longer."""
    if fits(0):
        return 0
    low, high = 0, most
    while low + 1 < high:
        middle = (low + high) // 2
        if fits(middle):
            high = middle
        else:
            low = middle
    return high


def _warning(lines: int, most: int) -> str:
    if lines < most:
        return ""
    return f"has {lines} lines, {most} or more, and nothing in it may move"


def _says(count: int) -> str:
    if not count:
        return ""
    entries = "1 older entry" if count == 1 else f"{count} older entries"
    return f"{entries} in archive/decisions-history.md"


def _lines(data: bytes) -> int:
    return data.count(b"\n") or data.count(b"\r")


def _movables(target: Target) -> list[_Movable]:
    entries = [
        _Movable(
            id=entry.id,
            place=(entry.ending.order, _RANKS.get(entry.ending.word, 1), entry.id),
            date=entry.ending.date,
            entry=entry,
        )
        for entry in target.entries
        if entry.ending is not None
    ]
    conflicts = [
        _Movable(
            id=one.id, place=(_ended(one), 2, one.id), date=_date(one), conflict=one
        )
        for one in target.conflicts
        if not one.is_open and one.resolutions
    ]
    return [*entries, *conflicts]


def _ended(one: Conflict) -> Order:
    return max(map(order, one.resolutions))


def _date(one: Conflict) -> str:
    return max(fact.recorded for fact in one.resolutions)[:10]


def _without(target: Target, gone: Sequence[_Movable]) -> Target:
    ids = {one.id for one in gone}
    return target.replace(
        entries=tuple(one for one in target.entries if one.id not in ids),
        conflicts=tuple(one for one in target.conflicts if one.id not in ids),
    )
