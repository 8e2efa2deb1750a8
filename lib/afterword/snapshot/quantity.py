"""Quantities in text: `3000ms`, `at most 5 MB`, `三次`, `100 req/s`, `between 1 and 2 s`.

A number is a quantity when a unit or a counted noun follows it, or when it stands where
a value stands. Numbers that are names (`Decision 17`, `RFC 7231`, `v2`, dates) are none
(spec/snapshot.md 10.5). Amounts are whole numbers, so that equal ones are equal. Pure; imports `units`, `unit_text`, `surroundings`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from afterword.snapshot import numerals, surroundings, unit_text, units
from afterword.snapshot.surroundings import EXACT, LEAST, MOST, NEAR
from afterword.store.blocks import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from afterword.snapshot.unit_text import Unit

    Maker = Callable[[str, "re.Match[str]"], list["Quantity"]]


class Quantity(Record):
    """An amount in its dimension's smallest unit (`units`), times `numerals.SCALE`.

    `comparator` is `=`, `<=`, `>=`, or "" for what held before; `text` is as it is written, from `start` to `end`
    (both ends of a range have the range's); `attribute` is what it is a value of
    (`timeout`, `interval`, ...), "" where nothing says it.
    """

    __slots__ = (
        "amount",
        "attribute",
        "comparator",
        "dimension",
        "end",
        "start",
        "text",
    )
    comparator: str
    amount: int
    dimension: str
    text: str
    start: int
    end: int
    attribute: str

    def __init__(
        self,
        comparator: str,
        amount: int,
        dimension: str,
        text: str,
        start: int,
        attribute: str = "",
    ) -> None:
        self._set(
            comparator=comparator,
            amount=amount,
            dimension=dimension,
            text=text,
            start=start,
            end=start + len(text),
            attribute=attribute,
        )


_HAN = numerals.HAN
_ALL = [word.replace(" ", r"\s") for word in sorted(units.EVERY, key=len, reverse=True)]
# "每分钟 60 次" is a rate, and no interval of a minute.
_EVERY = (
    rf"\b(?:{'|'.join(filter(str.isascii, _ALL))})\b"
    rf"|(?:{'|'.join(word for word in _ALL if not word.isascii())})(?![^!-~]{{0,8}}\d)"
)
_SPELLED = "|".join(numerals.SPELLED)
_MAY_HOLD = re.compile(
    rf"[\d{_HAN}{numerals.HALF}每]|百分之|{_EVERY}|\b(?:{_SPELLED})\b", re.IGNORECASE
)
# Dates, versions and ids come first: their digits are no numbers.
_SCAN = re.compile(
    rf"""
    (?P<label>
        \d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?:[T ][\d:.]+)? | \d{{4}}-\d{{2}}(?!\d)
        | \d{{4}}年(?:\d{{1,2}}月)?(?:\d{{1,2}}日)? | \d{{1,2}}月(?:\d{{1,2}}日)?
        | \d{{1,9}}\.\d{{1,9}}\.\d{{1,9}}[\w.-]* | (?<![A-Za-z])[A-Za-z]+[-_]?\d[\w.-]*
        | [#@/.]\d[\w.-]* | 第\s*[\d{_HAN}]+ | \d{{1,9}}-\d{{1,9}}-[\w-]+
        | \d{{19}}\d* | 0\d+(?!:) | \d{{1,18}}\.\d{{7}}\d* | \d{{1,9}},\d{{1,2}}(?!\d)
    )
    | (?<![\d.])(?P<clock>
        [012]?\d:[0-5]\d(?::[0-5]\d)?(?:\s?[ap]m\b)? | 1?\d\s?[ap]m\b
        | (?:凌晨|早上|上午|中午|下午|晚上)[012]?\d点(?:半|[0-5]?\d分?)?
    )
    | (?P<sign>[$€£¥￥])\s?(?P<price>\d+(?:,\d{{3}})*(?:\.\d+)?)
    | (?P<number>(?:(?<![\w)])[-+])?(?:\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d{{1,18}})(?:\.\d+)?)
    | (?P<every>{_EVERY}) | 百分之(?P<percent>[\d{_HAN}]+)
    | (?P<han>[{_HAN}]+{numerals.HALF}?|{numerals.HALF}) | \b(?P<word>{_SPELLED})\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_HIGH = r"\s?(\d{1,18}(?:\.\d+)?)(?![\d:-])"
_TO = re.compile(rf"\s?(?:-|~|–|—|到|至|\bto\b){_HIGH}")
_AND = re.compile(rf"\s?(?:\band\b|和|与){_HIGH}")
_BETWEEN = re.compile(r"(?:\bbetween|介于|在)\s*$", re.IGNORECASE)


def scan(text: str, is_value: bool = False) -> tuple[Quantity, ...]:
    """The quantities of a text in NFKC form, in order, also those that held before.

    In a value a number needs neither unit nor noun.
    """
    if not _MAY_HOLD.search(text):
        return ()
    found: list[Quantity] = []
    at = 0
    while match := _SCAN.search(text, at):
        maker = _MAKERS.get(match.lastgroup or "")
        made = maker(text, match) if maker else _counted(text, match, is_value)
        at = max(match.end(), made[-1].end if made else 0)
        found.extend(made)
    return tuple(found)


def _of_clock(text: str, match: re.Match[str]) -> list[Quantity]:
    word = match["clock"].lower()
    hour, *minute = (int(digits) for digits in _DIGITS.findall(word)[:2])
    is_late = word.endswith("pm") or word[:2] in ("下午", "晚上")
    hour = (
        hour % 12 + 12 * is_late if hour <= 12 and (is_late or "am" in word) else hour
    )
    amount = hour * 60 + (minute[0] if minute else 30 * word.endswith(numerals.HALF))
    return _compared(text, *match.span(), amount * numerals.SCALE, units.CLOCK)


def _of_every(text: str, match: re.Match[str]) -> list[Quantity]:
    word, amount = match["every"], units.EVERY[" ".join(match["every"].lower().split())]
    how_often = amount * numerals.SCALE, units.TIME, word, match.start(), "interval"
    return [Quantity(EXACT, *how_often)]


def _of_percent(text: str, match: re.Match[str]) -> list[Quantity]:
    amount = numerals.number(match["percent"]) * 100
    return _compared(text, *match.span(), amount, units.RATIO)


def _of_price(text: str, match: re.Match[str]) -> list[Quantity]:
    dimension = f"{units.MONEY}:{units.SIGNS[match['sign']]}"
    amount = numerals.number(match["price"]) * units.WHOLE
    return _compared(text, *match.span(), amount, dimension)


# What makes quantities of what the scan found, by its last group; else it is a number.
_MAKERS: dict[str, Maker] = {
    "label": lambda text, match: [],
    "clock": _of_clock,
    "every": _of_every,
    "percent": _of_percent,
    "price": _of_price,
}


def _counted(text: str, match: re.Match[str], is_value: bool) -> list[Quantity]:
    """A number with the unit or noun behind it; nothing where it is a name."""
    start, end = match.span()
    number = numerals.number(match.group())
    if match.group().lower() in numerals.FEW:
        dimension, factor, end = unit_text.rated(
            text, units.TIMES_COUNT, units.WHOLE, end
        )
        return _compared(text, start, end, number * factor, dimension)
    before = text[max(0, start - NEAR) : start]
    if not is_value and surroundings.is_name(before) and _counts(text, end, before):
        return []
    high = _high(text, end, before) if match["number"] else None
    unit = _unit(text, match, high.end() if high else end, before, is_value)
    if not unit:
        return []
    dimension, factor, behind = unit
    amount = _amount(number, dimension, factor)
    if high:
        top = _amount(numerals.number(high[1]), dimension, factor)
        return _range(text, start, behind, (amount, top), dimension)
    if dimension == units.TIME:
        amount, behind = unit_text.with_smaller(text, amount, factor, behind)
    return _ranged(text, start, behind, amount, dimension) or _compared(
        text, start, behind, amount, dimension
    )


def _unit(
    text: str, match: re.Match[str], at: int, before: str, is_value: bool
) -> Unit | None:
    """The unit of a number, a bare count where a value stands, None for a name."""
    unit = unit_text.read(text, at, before)
    if is_value:
        return unit or (units.COUNT, units.WHOLE, at)
    if unit is None and match["number"] and surroundings.is_value(before):
        kind = units.PORT if surroundings.is_port(before) else units.COUNT
        unit = kind, units.WHOLE, at
    return unit


def _counts(text: str, at: int, before: str) -> bool:
    """Whether a number has no unit that can only be a unit: `Decision 17 covers`."""
    unit = unit_text.read(text, at, before)
    return unit is None or unit[0].startswith(units.COUNT)


def _amount(number: int, dimension: str, factor: int) -> int:
    """In smallest units; twelve months are a year."""
    if dimension == units.TIME and factor == units.MONTH:
        years, rest = divmod(number, 12 * numerals.SCALE)
        return years * numerals.SCALE * units.YEAR + rest * units.MONTH
    return number * factor


def _high(text: str, end: int, before: str) -> re.Match[str] | None:
    """The upper end of a range: `3-5s`, `between 3 and 5`; a change from 3 to 5 is none."""
    if surroundings.is_gone(before):
        return None
    found = _AND.match(text, end) if _BETWEEN.search(before) else None
    return found or _TO.match(text, end)


def _ranged(
    text: str, start: int, end: int, amount: int, dimension: str
) -> list[Quantity]:
    """A range both ends of which have a unit: `3s to 5s`; empty for anything else."""
    high = _high(text, end, text[max(0, start - NEAR) : start])
    unit = unit_text.read(text, high.end(), "") if high else None
    if not high or not unit or unit[0] != dimension:
        return []
    top = _amount(numerals.number(high[1]), dimension, unit[1])
    return _range(text, start, unit[2], (amount, top), dimension)


def _range(
    text: str, start: int, end: int, ends: tuple[int, int], dimension: str
) -> list[Quantity]:
    attribute = surroundings.attribute(text, start, end)
    return [
        Quantity(comparator, amount, dimension, text[start:end], start, attribute)
        for comparator, amount in zip((LEAST, MOST), sorted(ends), strict=True)
    ]


def _compared(
    text: str, start: int, end: int, amount: int, dimension: str
) -> list[Quantity]:
    """One quantity with its comparator."""
    comparator = surroundings.comparator(text, start, end)
    attribute = surroundings.attribute(text, start, end)
    if dimension == units.RATE and (each := unit_text.EACH.search(text, 0, start)):
        start = each.start()  # "每秒最多 100 次" is one quantity
    return [Quantity(comparator, amount, dimension, text[start:end], start, attribute)]
