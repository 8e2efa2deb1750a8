"""What holds for every field of every merge, and how a conflict is written.

The laws of DESIGN 11: m(o,o,b)=b, m(o,a,o)=a, m(o,x,x)=x, m(o,a,b)=m(o,b,a); an edit
beats a removal; where both sides changed, only they count. Pure functions over text
that keeps its line ends; imports `store.merge_markers` and `model` only.
"""

from __future__ import annotations

from afterword.model import TYPE_CHECKING, Model
from afterword.store import merge_markers

if TYPE_CHECKING:
    from collections.abc import Callable

OURS, MIDDLE, THEIRS = "<<<<<<< ours\n", "=======\n", ">>>>>>> theirs\n"


class Merged(Model):
    """The bytes of a merge. `conflicts` names the fields that are left between markers."""

    data: bytes
    conflicts: tuple[str, ...] = ()


class Differ(Exception):
    """Both sides changed one thing in ways that no rule brings together."""


def unmarked(data: bytes) -> bool:
    """Whether bytes hold no markers of another merge."""
    return not merge_markers.first_line(data)


def usable(data: bytes) -> bool:
    """Whether bytes are text that can be merged: UTF-8, no NUL, no markers in it."""
    if b"\0" in data or not unmarked(data):
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def lf(text: str) -> str:
    """The text with LF line ends, in which two sides are compared."""
    return text.replace("\r\n", "\n")


def unfinished(text: str) -> str:
    """As `lf`, and without the newlines at its end, which editors add and take away."""
    return lf(text).rstrip("\n")


def lines(text: str) -> list[str]:
    """The lines with their ends; only a newline ends one."""
    found = text.split("\n")
    return [line + "\n" for line in found[:-1]] + ([found[-1]] if found[-1] else [])


def three_way(
    before: str | None,
    ours: str | None,
    theirs: str | None,
    both: Callable[[str, str], str],
    form: Callable[[str], str] = lf,
) -> str | None:
    """The value of one field; None is absent. `both` decides where both sides changed.

    Values are the same when their `form` is; what `both` raises passes through.
    """
    if _same(ours, theirs, form):
        return _agreed(before, ours, theirs)
    if _same(ours, before, form):
        return theirs
    if _same(theirs, before, form):
        return ours
    if ours is None or theirs is None:
        return theirs if ours is None else ours
    return both(ours, theirs)


def _same(one: str | None, other: str | None, form: Callable[[str], str]) -> bool:
    if one is None or other is None:
        return one is other
    return form(one) == form(other)


def _agreed(before: str | None, ours: str | None, theirs: str | None) -> str | None:
    """One of two texts that differ in line ends at most: the one that was changed."""
    if ours is None or theirs is None or ours == theirs:
        return ours
    if before == ours:
        return theirs
    if before == theirs:
        return ours
    return max(lf(ours), lf(theirs))


def differ(ours: str, theirs: str) -> str:
    """The answer to two changes that has no answer: raises `Differ`."""
    raise Differ


def conflict(ours: str, theirs: str) -> str:
    """Both texts between git's markers, the lines that they begin and end with outside."""
    a, b = _finished(ours), _finished(theirs)
    room = min(len(a), len(b))
    head = _shared(a, b, room)
    tail = _shared(a[::-1], b[::-1], room - head)
    inner = a[head : len(a) - tail], b[head : len(b) - tail]
    # shared lines may differ in their ends: which side is ours is not asked
    above = map(max, a[:head], b[:head])
    below = map(max, a[len(a) - tail :], b[len(b) - tail :])
    return "".join([*above, OURS, *inner[0], MIDDLE, *inner[1], THEIRS, *below])


def whole_conflict(ours: str, theirs: str) -> str:
    """Both texts between markers, nothing shared: for two things that are not one."""
    return "".join([OURS, *_finished(ours), MIDDLE, *_finished(theirs), THEIRS])


def _finished(text: str) -> list[str]:
    found = lines(text)
    if found and not found[-1].endswith("\n"):
        found[-1] += "\n"
    return found


def _shared(one: list[str], other: list[str], most: int) -> int:
    """How many lines two texts begin with in common."""
    for at in range(most):
        if lf(one[at]) != lf(other[at]):
            return at
    return most


def line_ends(before: str | None, ours: str, theirs: str, merged: str) -> str:
    """The merged text in the line ends of the side that changed them.

    A file that mixes its line ends keeps each line's own.
    """
    first = None if before is None else _style(before)
    style = three_way(first, _style(ours), _style(theirs), max)
    if style == "mixed":
        return merged
    return lf(merged).replace("\n", "\r\n") if style == "crlf" else lf(merged)


def _style(text: str) -> str:
    pairs = text.count("\r\n")
    if not pairs:
        return "lf"
    return "crlf" if pairs == text.count("\n") else "mixed"
