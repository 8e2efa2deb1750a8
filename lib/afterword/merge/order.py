"""In which order united things stand: keys of a file, items of a list, blocks of a log.

Always a function of both sides that does not ask which of them is ours. Pure;
imports the standard library only.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any, TypeVar

    Key = TypeVar("Key", bound=Hashable)


class Downward:
    """A sort key turned round."""

    def __init__(self, key: Any) -> None:
        self._key = key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Downward) and self._key == other._key

    def __lt__(self, other: Downward) -> bool:
        return bool(other._key < self._key)

    def __hash__(self) -> int:
        return hash(self._key)


def ranked(names: Sequence[str]) -> Callable[[str], tuple[int, str]]:
    """A sort key: known names in their own order, then the others by their letters."""
    places = {name: at for at, name in enumerate(names)}
    return lambda name: (places.get(name, len(places)), name)


def keys(
    before: Sequence[str],
    ours: Sequence[str],
    theirs: Sequence[str],
    rank: Callable[[str], tuple[int, str]],
) -> list[str]:
    """All keys of both sides: a person's order stays, what one side added follows its neighbour.

    What both added behind the same key is sorted by `rank`, also what both added alike:
    a third side may have added it in another order. Of two new orders of old keys the
    one nearer to `rank` is taken.
    """
    return _around(_spine(before, ours, theirs, rank), ours, theirs, rank)


def _spine(
    before: Sequence[str],
    ours: Sequence[str],
    theirs: Sequence[str],
    rank: Callable[[str], tuple[int, str]],
) -> list[str]:
    """The old keys that both sides kept, in the order of the side that changed it."""
    common = set(ours) & set(theirs) & set(before)
    a = [key for key in ours if key in common]
    b = [key for key in theirs if key in common]
    first = [key for key in before if key in common]
    if a in (b, first):
        return b
    return a if b == first else min(a, b, key=lambda side: [rank(key) for key in side])


def anchored(
    before: Sequence[Key],
    ours: Sequence[Key],
    theirs: Sequence[Key],
    rank: Callable[[Key], Any],
) -> list[Key]:
    """The blocks of both sides: as `keys`, but what both hold stands firm without a base.

    A rebase hands over a base that lacks blocks of both; their order in the file is meant
    all the same. The base tells only who moved what both have in another order.
    """
    return _around(_common(before, ours, theirs, rank), ours, theirs, rank)


def _common(
    before: Sequence[Key],
    ours: Sequence[Key],
    theirs: Sequence[Key],
    rank: Callable[[Key], Any],
) -> list[Key]:
    """What both sides have, in the order of the side that moved some of it."""
    shared = {*ours}.intersection(theirs)
    a = [key for key in ours if key in shared]
    b = [key for key in theirs if key in shared]
    if a == b:
        return a
    old = [key for key in before if key in shared]
    known = {*old}
    stayed = [[key for key in side if key in known] == old for side in (a, b)]
    if stayed[0] != stayed[1]:
        return b if stayed[0] else a
    return min(a, b, key=lambda side: [rank(key) for key in side])


def _around(
    spine: Sequence[Key],
    ours: Sequence[Key],
    theirs: Sequence[Key],
    rank: Callable[[Key], Any],
) -> list[Key]:
    """The spine with what either side has between its keys; of both sides, sorted."""
    a, b = _behind(ours, spine), _behind(theirs, spine)
    found: list[Key] = []
    for at in range(len(spine) + 1):
        found += spine[at - 1 : at] if at else ()
        one, other = a.get(at, []), b.get(at, [])
        is_one_sided = one == other or not (one and other)
        found += (one or other) if is_one_sided else sorted({*one, *other}, key=rank)
    return found


def _behind(side: Sequence[Key], spine: Sequence[Key]) -> dict[int, list[Key]]:
    """What stands behind each key of the spine, counted from 1; 0 is the top."""
    places = {key: at for at, key in enumerate(spine, 1)}
    found: dict[int, list[Key]] = {}
    anchor = 0
    for key in side:
        if key in places:
            anchor = places[key]
        else:
            found.setdefault(anchor, []).append(key)
    return found


def containing(ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """The list that holds all of the other's items as it stands, else all of them sorted.

    The order of time survives where one side only went on from the other. Of two orders
    of the same items the unsorted one is meant; sorted is what a merge leaves behind.
    """
    a, b = set(ours), set(theirs)
    if a == b:
        sides = [list(side) for side in (ours, theirs) if list(side) != sorted(side)]
        return min(sides, default=sorted(a))
    if a > b:
        return list(ours)
    return list(theirs) if a < b else sorted(a | b)
