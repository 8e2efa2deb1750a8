"""The three-way merge of plain text by lines, for what has no parts of its own.

Where the sides changed different lines both changes stay; where they changed the same
or neighbouring ones both are shown. Text keeps its line ends; lines are compared
without them. Pure; imports `merge.laws` and `model` only.
"""

from __future__ import annotations

from afterword.merge import laws
from afterword.merge.laws import Differ
from afterword.model import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    # Where lines of the base stand: in the base, in ours, in theirs, and how many.
    Region = tuple[int, int, int, int]
    Match = tuple[int, int, int]
    # What stands where two texts contradict.
    Show = Callable[[str, str], str]

# What is compared line by line between what two texts begin and end with in common:
# more could take a merge its seconds.
MOST_LINES = 400


def merge(
    before: str, ours: str, theirs: str, show: Show = laws.conflict
) -> tuple[str, bool]:
    """The merged text, and whether the sides contradict anywhere in it.

    `show` puts both of two texts there, between markers, or chooses.
    """
    o, a, b = (laws.lines(side) for side in (before, ours, theirs))
    if not before:
        return show(ours, theirs), True
    parts: list[str] = []
    is_marked = False
    last = (0, 0, 0)
    for region in _kept(o, a, b):
        starts, length = region[:3], region[3]
        old, one, other = (
            "".join(side[at:end])
            for side, at, end in zip((o, a, b), last, starts, strict=True)
        )
        part, is_open = _changed(old, one, other, show)
        parts += [part, *_same(a, b, starts, length)]
        is_marked = is_marked or is_open
        last = (starts[0] + length, starts[1] + length, starts[2] + length)
    return "".join(parts), is_marked


def _changed(before: str, ours: str, theirs: str, show: Show) -> tuple[str, bool]:
    """What stands between two regions that both sides kept."""
    try:
        return laws.three_way(before, ours, theirs, laws.differ) or "", False
    except Differ:
        return show(ours, theirs), True


def _same(
    ours: Sequence[str], theirs: Sequence[str], starts: Sequence[int], length: int
) -> Iterator[str]:
    """Lines that both kept; which line ends they have settles the file as a whole."""
    for at in range(length):
        yield max(ours[starts[1] + at], theirs[starts[2] + at])


def _kept(
    before: Sequence[str], ours: Sequence[str], theirs: Sequence[str]
) -> Iterator[Region]:
    """The lines of the base that both sides kept, in order; last the empty region at the end."""
    a, b = _matches(before, ours), _matches(before, theirs)
    at = other = 0
    while at < len(a) and other < len(b):
        start = max(a[at][0], b[other][0])
        ends = a[at][0] + a[at][2], b[other][0] + b[other][2]
        if start < min(ends):
            places = (a[at][1] + start - a[at][0], b[other][1] + start - b[other][0])
            yield start, *places, min(ends) - start
        at, other = at + (ends[0] <= ends[1]), other + (ends[1] <= ends[0])
    yield len(before), len(ours), len(theirs), 0


def _matches(before: Sequence[str], side: Sequence[str]) -> list[Match]:
    """Runs of lines that a side has of the base: where in each, and how many."""
    o, a = ([laws.lf(line) for line in text] for text in (before, side))
    head = _common(o, a)
    tail = _common(o[head:][::-1], a[head:][::-1])
    inner = o[head : len(o) - tail], a[head : len(a) - tail]
    found = [(0, 0, head)]
    found += [(x + head, y + head, size) for x, y, size in _inner_matches(*inner)]
    return [*found, (len(o) - tail, len(a) - tail, tail)]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines two texts begin with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (x, y) in pairs if x != y), min(len(one), len(other)))


def _inner_matches(one: Sequence[str], other: Sequence[str]) -> Iterator[Match]:
    if not one or not other or max(len(one), len(other)) > MOST_LINES:
        return
    from difflib import SequenceMatcher  # only where both sides changed one text

    matcher = SequenceMatcher(None, one, other, autojunk=False)
    for match in matcher.get_matching_blocks():
        yield match.a, match.b, match.size
