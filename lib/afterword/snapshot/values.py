"""When two values of one key are the same, and the quantities of a text.

Sameness is an equivalence, as it compares canonical forms: `3000ms`, `3 s`, `three
seconds` and `三秒` have one. Pure; imports `quantity` and `units`.
"""

from __future__ import annotations

import re
import unicodedata

from afterword.snapshot import quantity, units
from afterword.snapshot.quantity import Quantity

_QUOTES = "*`'\"“”「」"
_TRUE = frozenset("true yes on enabled enable 是 开启 启用 打开 开".split())
_FALSE = frozenset("false no off disabled disable 否 关闭 禁用 停用 关".split())
# What may stand around the quantities of a value that is nothing but quantities.
_FILLER = re.compile(
    r"(?:\bwithin\b|[\s:=<>≤≥~–—+]|-(?!\d)|\bat (?:most|least)\b|\bup to\b|\b(?:max|min)(?:imum)?\b|\bto\b"
    r"|\b(?:(?:no|not) )?(?:more|less|fewer|longer) than\b|\bor (?:more|less|fewer|longer)\b|\bbetween\b"
    r"|\band\b|不超过|不少于|最多|至多|至少|最少|以内|以上|以下|到|至)*"
)


def plain(text: str) -> str:
    """The text in which quantities are counted: NFKC where it is not ASCII."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text that hold, in order; their places are those of `plain(text)`."""
    return tuple(one for one in quantity.scan(plain(text)) if one.comparator)


def equal(a: str, b: str) -> bool:
    """Whether two values of one key are the same (10.5, tier 1); an equivalence."""
    return a == b or canonical(a) == canonical(b)


def canonical(value: str) -> tuple[object, ...]:
    """What a value says, however it is written: quantities, yes or no, else its text.

    A count is the same with and without its noun, which the key names; 50% is 0.5; 1 GB is
    1024 MB and 1 GiB; a month is 30 days, twelve months are a year of 365.
    """
    text = plain(value).strip().strip(_QUOTES).strip()
    found = quantity.scan(text, is_value=True)
    if found and _is_covered(text, found):
        return ("quantity", *sorted(map(_form, found)))
    word = " ".join(text.casefold().split())
    if word in _TRUE or word in _FALSE:
        return ("flag", word in _TRUE)
    return ("text", word)


def _form(one: Quantity) -> tuple[str, str, int]:
    is_number = one.dimension == units.RATIO or one.dimension.startswith(units.COUNT)
    return "number" if is_number else one.dimension, one.comparator, one.amount


def _is_covered(text: str, found: tuple[Quantity, ...]) -> bool:
    """Whether a value is nothing but its quantities and their comparators."""
    rest, at = [], 0
    for one in found:
        rest.append(text[at : one.start])
        at = one.end
    rest.append(text[at:])
    return all(_FILLER.fullmatch(part.lower()) for part in rest)
