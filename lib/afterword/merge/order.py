"""In which order united things stand: keys of a file, items of a list.

Always a function of both sides that does not ask which of them is ours. Pure;
imports the standard library only.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


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
    spine = _spine(before, ours, theirs, rank)
    found: list[str] = []
    for anchor in (None, *spine):
        found += [anchor] if anchor is not None else []
        a, b = _behind(anchor, ours, spine), _behind(anchor, theirs, spine)
        is_one_sided = a == b or not (a and b)
        found += (a or b) if is_one_sided else sorted({*a, *b}, key=rank)
    return found


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


def _behind(anchor: str | None, side: Sequence[str], spine: Sequence[str]) -> list[str]:
    """What stands between a key that both have (None: the top) and the next such key."""
    start = 0 if anchor is None else side.index(anchor) + 1
    found: list[str] = []
    for key in side[start:]:
        if key in spine:
            break
        found.append(key)
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
