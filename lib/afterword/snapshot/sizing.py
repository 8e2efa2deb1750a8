"""How large a target's file may be, and what leaves it for the history (L071-L074, 10.6).

What ended first leaves first, one order for all kinds, and only as much as must; so runs
that bring the facts one by one move the same entries as one run of all. What holds never
moves (G13). Pure; imports the room's `composing` and `history`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from afterword.model import Model
from afterword.snapshot import (
    blocks_shown,
    composing,
    history,
    rendering,
    resolution,
    words,
)
from afterword.snapshot.composing import Given, Page
from afterword.snapshot.fact import order
from afterword.snapshot.folded import Conflict, Entry, Target
from afterword.snapshot.history import Moved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from afterword.snapshot.fact import Order

    Movable = Entry | Conflict
    Place = tuple[Order, int, str]
UNKNOWN = rendering.UNKNOWN


class Sized(Model):
    """A file and its history as they are to be; `lines` are the file's, `moved` this run's."""

    data: bytes
    history: bytes | None
    moved: int
    lines: int
    warning: str = ""


def lines_of(data: bytes) -> int:
    """How many lines a file has."""
    return len(data.splitlines())


def divide(
    before: bytes | None,
    history_before: bytes | None,
    target: Target,
    *,
    max_lines: int,
    **given: Any,
) -> Sized:
    """The file with fewer than `max_lines` lines (G12), and the history with the rest.

    What the history holds stays there unless it holds again. `given` are the arguments
    of `composing.compose` but the count of the history.
    """
    division = _Division(history_before, target, composing.given(**given))
    return division.sized(before, max_lines)


class _Division:
    """One target between its file and its history."""

    def __init__(self, before: bytes | None, target: Target, given: Given) -> None:
        self._before = before
        self._target = target
        self._given = given
        self._held = history.held(before, target.name)
        # every name of a block in the history: its own, those of its facts or aliases
        self._names: dict[str, str] = {}
        for name, one in self._held.items():
            aliases = one.conflict.aliases if one.conflict else ()
            for other in (name, *aliases, *(fact.id for fact in one.facts)):
                self._names.setdefault(other, name)
        self._returned: set[str] = set()
        self._changed: dict[str, Sequence[str]] = {}

    def sized(self, before: bytes | None, max_lines: int) -> Sized:
        main = self._target.replace(
            entries=tuple(one for one in self._target.entries if not self._stays(one)),
            conflicts=tuple(
                one for one in self._target.conflicts if not self._stays_there(one)
            ),
        )
        data = self._composed(Page(before, main.name), main, 0)
        candidates = _candidates(main) if lines_of(data) >= max_lines else []
        moving: list[Moved] = []
        if candidates:
            page = Page(data, main.name)
            data, count = self._smallest(page, main, candidates, max_lines)
            moving = [_moved(page, one) for one in candidates[:count]]
        over = lines_of(data) >= max_lines
        warning = self._warning(lines_of(data), max_lines) if over else ""
        return self._result(data, moving, warning)

    def _smallest(
        self, page: Page, main: Target, candidates: Sequence[Movable], max_lines: int
    ) -> tuple[bytes, int]:
        """The file without as few of the candidates as make it small enough."""
        low, high = 1, len(candidates)
        data = self._composed(page, _lessened(main, candidates), high)
        if lines_of(data) >= max_lines:
            return data, high
        while low < high:
            middle = (low + high) // 2
            tried = self._composed(page, _lessened(main, candidates[:middle]), middle)
            if lines_of(tried) < max_lines:
                data, high = tried, middle
            else:
                low = middle + 1
        return data, high

    def _composed(self, page: Page, target: Target, moved: int) -> bytes:
        older = len(self._held) - len(self._returned) + moved
        return page.composed(target, self._given.replace(history_count=older))

    def _stays(self, entry: Entry) -> bool:
        """Whether an entry's place is in the history; its block follows its facts."""
        name = self._name([fact.id for fact in entry.facts])
        if not name:
            return False
        if entry.is_current:
            self._returned.add(name)
            return False
        if not blocks_shown.is_same(entry, self._held[name]):
            self._changed[name] = blocks_shown.entry(entry, self._held[name])
        return True

    def _stays_there(self, one: Conflict) -> bool:
        name = self._name([one.id, *one.aliases])
        if not name:
            return False
        if one.is_open:
            self._returned.add(name)
            return False
        held = self._held[name]
        if held.conflict != one:
            self._changed[name] = blocks_shown.conflict(
                one, self._target.name, self._given.language, held
            )
        return True

    def _name(self, names: Iterable[str]) -> str:
        return next((self._names[one] for one in names if one in self._names), "")

    def _result(self, data: bytes, moved: Sequence[Moved], warning: str) -> Sized:
        older = history.compose(
            self._before,
            moved,
            changed=self._changed,
            returned=self._returned,
            language=self._given.language,
            module=self._target.name,
        )
        return Sized(
            data=data,
            history=older,
            moved=len(moved),
            lines=lines_of(data),
            warning=warning,
        )

    def _warning(self, lines: int, max_lines: int) -> str:
        """That nothing is left to move; nothing is dropped for that (G13)."""
        name = self._target.name
        file = f"module {name}" if name else "snapshot"
        return (
            f"{file}: {lines} lines, not under {max_lines} (snapshot.max_lines), and "
            "nothing in it that could move to the history"
        )


def _candidates(target: Target) -> list[Movable]:
    """What may leave, in the order in which it does: by the place of its ending."""
    ended = [one for one in target.entries if one.ending is not None]
    resolved = [one for one in target.conflicts if not one.is_open]
    return sorted((*ended, *resolved), key=_place)


def _place(one: Movable) -> Place:
    if isinstance(one, Conflict):
        last = resolution.effective(one.resolutions)[-1:]
        return (order(last[0]) if last else one.order), 2, one.id
    assert one.ending is not None
    return one.ending.order, int(one.head.kind == words.CONSTRAINT), one.id


def _lessened(target: Target, moved: Sequence[Movable]) -> Target:
    """A target without what moves."""
    gone = {one.id for one in moved}
    return target.replace(
        entries=tuple(one for one in target.entries if one.id not in gone),
        conflicts=tuple(one for one in target.conflicts if one.id not in gone),
    )


def _moved(page: Page, one: Movable) -> Moved:
    """A block as it stands in the page, with metadata."""
    held = page.holding(one)
    if isinstance(one, Entry):
        date = one.ending.date[:10] if one.ending else ""
        is_bare = held.tile.data is None
        raw = page.block(one, held) if is_bare else held.tile.raw
    else:
        last = resolution.effective(one.resolutions)[-1:]
        date = last[0].recorded[:10] if last else ""
        raw = held.tile.raw
    return Moved(id=one.id, date=date or UNKNOWN, raw=raw)
