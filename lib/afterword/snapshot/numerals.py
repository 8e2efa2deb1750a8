"""Numbers in digits and in words, English and Chinese, as whole multiples of 10^-6.

Pure; imports nothing of the package.
"""

from __future__ import annotations

SCALE = 10**6  # the decimals that count
HAN = "零〇一二两三四五六七八九十百"
HALF = "半"
_HAN_VALUES = (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9)
_TENS = {"十": 10, "百": 100}
_COUNTING = """zero one two three four five six seven eight nine ten eleven twelve thirteen
    fourteen fifteen sixteen seventeen eighteen nineteen twenty""".split()
_ROUND = {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
WORDS = {word: number for number, word in enumerate(_COUNTING)} | _ROUND
FEW = {"once": 1, "twice": 2, "thrice": 3}  # that say what they count
SPELLED = (*WORDS, *FEW)


def number(text: str) -> int:
    """A number in digits or words, times `SCALE`; further decimals are cut off."""
    lower = text.lower().replace(",", "")
    known = WORDS.get(lower, FEW.get(lower))
    if known is not None:
        return known * SCALE
    if not lower[-1].isdigit():
        return han(lower)
    sign = -1 if lower[0] == "-" else 1
    whole, _, rest = lower.lstrip("+-").partition(".")
    return sign * (int(whole) * SCALE + int(rest[:6].ljust(6, "0")))


def han(text: str) -> int:
    """`三`, `十五`, `两百`, `三半`, `半`, times `SCALE`."""
    total = digit = 0
    for sign in text.rstrip(HALF):
        if sign in _TENS:
            total += (digit or 1) * _TENS[sign]
            digit = 0
        else:
            digit = _HAN_VALUES[HAN.index(sign)]
    return (total + digit) * SCALE + (SCALE // 2 if text.endswith(HALF) else 0)
