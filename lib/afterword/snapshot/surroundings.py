"""What stands around a number: comparators, what it is a value of, whether it is a name.

Each function takes the text in front of a number, or behind it (spec/snapshot.md 10.5).
Pure; imports `units` and `unit_text`.
"""

from __future__ import annotations

import re

from afterword.snapshot import units
from afterword.snapshot.unit_text import OTHER

EXACT, MOST, LEAST, PAST = "=", "<=", ">=", ""
NEAR, CLAUSE = 40, 48  # characters that tell: a comparator, an attribute

_THAN = "more|less|fewer|longer|shorter|larger|smaller|greater|higher|lower|later"
_ABOUT = r"(?:about\s|约)?"
_LINK = rf"(?:\s*(?:of|to|is|are|at|be|by|为|是|到|至|在|:|=))?\s*{_ABOUT}$"
_COMPARED = re.compile(
    rf"""(?:
    (?P<gone>\b(?:from|was|were|previously|formerly|instead\s+of|rather\s+than|not
        |old(?:\s+value)?) | 从|由|原为|原来|原先|原|之前|而不是|而非|旧值)
    | (?P<least>\bat\s+least | \bmin(?:imum)? | (?<![-=])>=? | ≥
        | \bn(?:o|ot)\s+(?:less|fewer|shorter|smaller|lower)\s+than
        | \bnot\s+(?:\w+\s+)?(?:under|below)
        | \b(?:more|longer|larger|greater|higher)\s+than | \b(?:over|above|exceed(?:s|ing)?)
        | 至少|最少|最小|最短|最低|下限|不[能得可会]?(?:少于|低于|小于|短于)
        | 大于等于|大于|高于|超过|多于)
    | (?P<most>\bat\s+most | \bmax(?:imum)? | \bup\s+to | <=? | ≤
        | \bn(?:o|ot)\s+(?:be\s+)?(?:{_THAN})\s+than
        | \b(?:not|never|cannot)\s+(?:to\s+)?exceed | \b(?:below|under|within)
        | \b(?:less|fewer|shorter|smaller|lower)\s+than | \b(?:limit|cap)(?:s|p?ed)?
        | 不[能得可会]?(?:超过|大于|高于|多于|长于)|最多|至多|最大|最长|最高|上限
        | 小于等于|小于|低于|少于|限制)
    ){_LINK}""",
    re.VERBOSE | re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"""\s*(?:(?P<most>or\s+(?:less|fewer|shorter|lower)|at\s+most|max(?:imum)?\b
        |以内|及?以下|之内)
    |(?P<least>or\s+(?:{_THAN})|at\s+least|及?以上|起\b|\+))""",
    re.VERBOSE | re.IGNORECASE,
)
_CHANGES = re.compile(r"\s*(?:→|->|=>|⇒|改为|变为|调整为)")
_VALUE = re.compile(
    rf"(?:[:=]|\b(?:is|are|to|at|be|of|equals|by)|为|是|到|成|至|等于|设)\s*{_ABOUT}$",
    re.IGNORECASE,
)
_WORD = re.compile(rf"(?:([A-Za-z]+)[ \t#:：]*|({OTHER}{{1,4}})\s*)$")
_CLAUSE = re.compile(r"[,;，；。.!?！？、\n()（）]")
_ATTRIBUTE = re.compile(
    "|".join(
        rf"\b{word}\b" if word.isascii() else word
        for word in sorted(units.ATTRIBUTES, key=len, reverse=True)
    ),
    re.IGNORECASE,
)
_UPPER = re.compile(
    r"\b(?:limits?|max(?:imum)?|caps?|quota|ceiling)\b|上限|最大|最多|最长|限制|配额",
    re.IGNORECASE,
)
_LOWER = re.compile(r"\b(?:min(?:imum)?|floor)\b|下限|最小|最少", re.IGNORECASE)


def comparator(text: str, start: int, end: int) -> str:
    """The comparator of the number at a place; `PAST` where it holds no longer.

    `from 3 s`, `was 4` and `10 min ->` held before. A limit is a most, a minimum a least.
    """
    before = _COMPARED.search(text[max(0, start - NEAR) : start])
    if (before and before["gone"]) or _CHANGES.match(text, end):
        return PAST
    for found in (_BEHIND.match(text, end), before):
        if found:
            return MOST if found["most"] else LEAST
    lead = _lead(text, start)
    return MOST if _UPPER.search(lead) else LEAST if _LOWER.search(lead) else EXACT


def is_gone(before: str) -> bool:
    """Whether the text in front of a number says that it held before."""
    found = _COMPARED.search(before)
    return bool(found and found["gone"])


def is_value(before: str) -> bool:
    """Whether a bare number behind this text is the value of something."""
    if _VALUE.search(before) or last_word(before) in units.SETTINGS:
        return True
    found = _COMPARED.search(before)
    return bool(found and not found["gone"])


def is_name(before: str) -> bool:
    """Whether a number behind this text is a name: `Decision 17`."""
    return last_word(before) in units.ORDINALS


def is_port(before: str) -> bool:
    """Whether a bare number behind this text is a network port."""
    word = last_word(_VALUE.sub("", before))
    return units.ATTRIBUTES.get(word) == units.PORT


def attribute(text: str, start: int, end: int) -> str:
    """What the nearest word of its clause says that a number is a value of, "" for nothing."""
    found = _ATTRIBUTE.findall(_lead(text, start))
    if not found:
        tail = _CLAUSE.split(text[end : end + CLAUSE], maxsplit=1)[0]
        found = _ATTRIBUTE.findall(tail)[:1]
    return units.ATTRIBUTES[found[-1].lower()] if found else ""


def last_word(before: str) -> str:
    """The word in front of a number, the longest known one of a run of Chinese."""
    found = _WORD.search(before)
    if not found:
        return ""
    if found[1]:
        return found[1].lower()
    known = (found[2][at:] for at in range(len(found[2])))
    return next((w for w in known if w in units.ORDINALS or w in units.SETTINGS), "")


def _lead(text: str, start: int) -> str:
    """The clause in front of a number."""
    return _CLAUSE.split(text[max(0, start - CLAUSE) : start])[-1]
