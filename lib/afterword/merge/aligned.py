"""Values that a file declares of itself, settled before its text is merged.

A date of the last compile, a count: where both sides changed it, which one stands is a
rule and no contradiction, so all versions get it first. Pure; imports `merge.laws` and
`model` only.
"""

from __future__ import annotations

import re

from afterword.merge import laws
from afterword.model import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Versions = tuple[bytes, bytes, bytes]

_NUMBER = re.compile(r"[0-9]+")


def settled(
    patterns: Iterable[re.Pattern[bytes]],
    versions: Versions,
    both: Callable[[str, str], str],
) -> Versions:
    """The three versions with one value for each pattern; group 1 is the value.

    `both` chooses where both sides changed it. A version without the line stays so.
    """
    for pattern in patterns:
        found = [pattern.search(data) for data in versions]
        o, a, b = (one[1].decode("latin-1") if one else None for one in found)
        if a is None or b is None or a == b:
            continue
        value = (laws.three_way(o, a, b, both) or "").encode("latin-1")
        before, ours, theirs = (
            data[: one.start(1)] + value + data[one.end(1) :] if one else data
            for data, one in zip(versions, found, strict=True)
        )
        versions = before, ours, theirs
    return versions


def later(ours: str, theirs: str) -> str:
    """The greater of two dates."""
    return max(ours, theirs)


def larger(ours: str, theirs: str) -> str:
    """The one with the greater numbers in it, the first number first."""
    return max((ours, theirs), key=lambda text: (numbers(text), text))


def numbers(text: str) -> list[int]:
    """The numbers in a text."""
    return [int(number[:18]) for number in _NUMBER.findall(text)]
