"""The unit or the counted noun behind a number, in English and Chinese.

`ms`, `concurrent connections`, `个副本`, `k requests/s`. Pure; imports `units`, `numerals`.
"""

from __future__ import annotations

import re

from afterword.snapshot import numerals, units

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Dimension, factor to its smallest unit, and where the unit's text ends.
    Unit = tuple[str, int, int]

# A set of Chinese signs would take 0.7 ms to compile.
OTHER = r"[^\x00-\x7f]"
_TAIL = re.compile(rf"([ \t]?-?[ \t]?)(μ?[A-Za-z]+|%|{OTHER}{{1,5}})")
_NEXT = re.compile(r"[ \t]([A-Za-z]+)")
_SMALLER = re.compile(r"[ \t]?(\d{1,9})")
_PER = re.compile(rf"\s*(?:/|\b(?:per|an?|each)\b|每)\s*([A-Za-z]+|{OTHER}{{1,2}})")
# What a rate is per, in front of the number: "每秒最多 100 次".
EACH = re.compile(r"每(秒|分钟|分|小时|天|日|周)[^!-~]{0,8}$")


def read(text: str, at: int, before: str) -> Unit | None:
    """The unit or noun at a place; None for neither."""
    match = _TAIL.match(text, at)
    if not match:
        per = _PER.match(text, at)
        each = units.PER.get(per[1].lower()) if per else None
        return (units.RATE, each * units.WHOLE, per.end()) if per and each else None
    if not match[2][-1].isascii():
        return _han(text, match.start(2), match[2], before)
    return _latin(text, match)


def _latin(text: str, match: re.Match[str]) -> Unit | None:
    gap, word, end = match[1], match[2], match.end()
    lower = word.lower()
    if word in units.BY_CASE and not (gap and len(word) == 1):
        return rated(text, *units.BY_CASE[word], end)
    if lower in units.MULTIPLIERS:
        return _multiplied(text, units.MULTIPLIERS[lower], end, "")
    found = units.UNITS.get(lower)
    if found and not (gap.strip("-") and lower in units.ADJACENT):
        return rated(text, *found, end)
    noun = units.NOUNS.get(lower)
    if noun is None and gap and (after := _NEXT.match(text, end)):
        # "3 concurrent connections": one word may stand between
        noun, end = units.NOUNS.get(after[1].lower()), after.end()
    return None if noun is None else rated(text, _count(noun), units.WHOLE, end)


def _han(text: str, start: int, word: str, before: str) -> Unit | None:
    """The longest unit that begins a run of Chinese; a multiplier may stand before it."""
    for length in range(len(word), 0, -1):
        part, end = word[:length], start + length
        if part in units.MULTIPLIERS:
            return _multiplied(text, units.MULTIPLIERS[part], end, before)
        if part in units.UNITS:
            return rated(text, *units.UNITS[part], end)
        if part in units.NOUNS:
            if each := EACH.search(before):
                return units.RATE, units.PER[each[1]] * units.WHOLE, end
            return rated(text, _count(units.NOUNS[part]), units.WHOLE, end)
    return None


def _count(noun: str) -> str:
    return f"{units.COUNT}:{noun}" if noun else units.COUNT


def _multiplied(text: str, times: int, end: int, before: str) -> Unit:
    """`10k requests`, `1 万条`: the unit behind a multiplier, a bare count for none."""
    inner = read(text, end, before)
    if inner and inner[0].startswith((units.COUNT, units.RATE, units.MONEY)):
        return inner[0], inner[1] * times, inner[2]
    return units.COUNT, units.WHOLE * times, end


def rated(text: str, dimension: str, factor: int, end: int) -> Unit:
    """A count or size per time is a rate: `100 req/s`, `60 次/分钟`."""
    if dimension.startswith((units.COUNT, units.SIZE)) and (
        per := _PER.match(text, end)
    ):
        each = units.PER.get(per[1].lower()) or units.PER.get(per[1][:1])
        if each:
            kind = units.SIZE_RATE if dimension == units.SIZE else units.RATE
            return kind, factor * each, per.end()
    return dimension, factor, end


def with_smaller(text: str, amount: int, factor: int, end: int) -> tuple[int, int]:
    """`1h30m`, `1 min 30 s`: the smaller units behind a time belong to it."""
    while match := _SMALLER.match(text, end):
        unit = read(text, match.end(), "")
        if not unit or unit[0] != units.TIME or unit[1] >= factor:
            break
        amount += numerals.number(match[1]) * unit[1]
        _, factor, end = unit
    return amount, end
