"""Quantities in text, and when two values of one key are the same.

`3000ms`, `3 s`, `three seconds` and `三秒` are one quantity. Numbers that are names
(`Decision 17`, `RFC 7231`, `v2`, dates) are none (spec/snapshot.md 10.5). Amounts are
whole numbers, so that sameness is an equivalence. Pure; imports `fact`, `units`.
"""

from __future__ import annotations

import re
import unicodedata

from afterword.snapshot import units
from afterword.snapshot.fact import normalised
from afterword.store.blocks import Record

EXACT, MOST, LEAST = "=", "<=", ">="
SCALE = 10**6  # decimals that count


class Quantity(Record):
    """An amount in its dimension's smallest unit (`units`) times `SCALE`.

    `comparator` is `=`, `<=` or `>=`; `text` is as it stands in the NFKC form of the
    text, from `start` to `end`; `attribute` what it is a value of (`timeout`), "" unknown.
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


_CJK = "\u3400-\u9fff"
_DIGITS = "零〇一二两三四五六七八九十百"
_ENGLISH = {
    word: number
    for number, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen
        fourteen fifteen sixteen seventeen eighteen nineteen twenty""".split()
    )
} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "ninety": 90,
    "hundred": 100,
    "dozen": 12,
}
_FEW = {"once": 1, "twice": 2, "thrice": 3}
# Dates, clocks, versions and ids first: their digits are no numbers.
_SCAN = re.compile(
    rf"""
    (?P<label>
        \d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}} | \d{{4}}-\d{{2}}(?!\d) | \d{{4}}年\d{{1,2}}月(?:\d{{1,2}}日)?
        | \bv\d+(?:\.\d+)* | \d+\.\d+\.\d+[\w.-]* | [A-Za-z]+[-_]?\d+[\w.-]* | [#@/.]\d+[\w.-]* | 第\s*[\d{_DIGITS}]+
        | \d+(?:-\d+)+-[\w-]+ | \b0x[0-9a-f]+
    )
    | (?P<clock>\b[012]?\d:[0-5]\d(?::[0-5]\d)?)
    | (?P<money>[$€£¥￥])\s?(?P<price>\d+(?:,\d{{3}})*(?:\.\d+)?)
    | (?P<number>(?:(?<![\w)])[-+])?(?:\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d{{1,18}})(?:\.\d+)?)
    | (?P<every>每(?:个?小时|天|日|晚|周|星期|两周|个?月|季度|年)|\b(?:hourly|daily|nightly|weekly|biweekly|fortnightly|monthly|quarterly|yearly|annually)\b)
    | 百分之(?P<percent>[\d{_DIGITS}]+)
    | (?P<han>[{_DIGITS}]+半?)
    | \b(?P<word>{"|".join([*_ENGLISH, *_FEW])})\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_MAY_HOLD = re.compile(
    rf"\d|每|百分之|[{_DIGITS}]|\b(?:{'|'.join([*_ENGLISH, *_FEW, *(e for e in units.EVERY if e.isascii())])})\b",
    re.IGNORECASE,
)
_TAIL = re.compile(
    rf"(?P<gap>[ \t]?-?[ \t]?)(?P<word>[A-Za-zµμ]+|[%％‰]|[{_CJK}]{{1,4}})"
)
_PER = re.compile(
    rf"\s*(?:/|\bper\b|\ba\b|\beach\b|每)\s*(?P<per>[A-Za-z]+|[{_CJK}]{{1,2}})"
)
_RANGE = re.compile(
    r"\s?(?:-|~|–|—|～|到|至|\bto\b)\s?(?P<high>\d{1,18}(?:\.\d+)?)(?![\d:-])"
)
_RANGE_AND = re.compile(r"\s(?:and|和)\s(?P<high>\d{1,18}(?:\.\d+)?)(?![\d:-])")
_BETWEEN = re.compile(r"(?:\bbetween\s*|介于\s*|在\s*)$", re.IGNORECASE)
_LINK = r"(?:\s*(?:of|to|is|are|at|be|by|为|是|到|至|在|:|：|=))?\s*(?:about\s|约)?$"
_BEFORE = re.compile(
    rf"""(?:
    (?P<gone>\bfrom|\bwas|\bwere|\bpreviously|\bformerly|\binstead\s+of|\brather\s+than|\bnot|\bold(?:\s+value)?|从|由|原为|原来|原先|原|之前|而不是|而非|旧值)
    | (?P<most>(?:must|can|may|shall|should|do|does)?\s*(?:not|never)\s+(?:to\s+)?(?:exceed|be\s+(?:more|larger|greater|longer)\s+than)|cannot\s+exceed|\bat\s+most|\bmax(?:imum)?|\bup\s+to|\bno\s+(?:more|longer|larger|greater|later)\s+than|\bnot\s+more\s+than|\b(?:less|fewer|shorter|smaller|lower)\s+than|\bbelow|\bunder|\bwithin|\blimit(?:ed|s)?|\bcap(?:ped|s)?|<=?|≤|[不未][能得可会]?(?:超过|大于|高于|多于)|最多|至多|最大|最长|最高|上限|小于(?:等于)?|低于|少于|限制)
    | (?P<least>\bat\s+least|\bmin(?:imum)?|\b(?:no|not)\s+(?:less|fewer|shorter|lower)\s+than|\b(?:more|greater|longer|larger|higher)\s+than|\bover|\babove|\bexceed(?:s|ing)?|>=?|≥|至少|最少|最小|最短|最低|下限|[不未][能得可会]?(?:少于|低于|小于)|大于(?:等于)?|高于|超过|多于)
    )
    {_LINK}""",
    re.VERBOSE | re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s*(?:(?P<most>or\s+(?:less|fewer|shorter|lower)|at\s+most|max\b|以内|以下|之内|及以下)|(?P<least>or\s+(?:more|longer|higher)|at\s+least|以上|及以上|起\b|\+))",
    re.IGNORECASE,
)
_CHANGED = re.compile(r"\s*(?:→|->|=>|⇒)")
_VALUE = re.compile(
    r"(?:[:=：]|\b(?:is|are|to|at|be|of|equals|by|with|has|have)|为|是|到|成|至|等于|设|调|改)\s*(?:about\s|约)?$",
    re.IGNORECASE,
)
_WORD_BEFORE = re.compile(rf"(?:([A-Za-z]+)[ \t#]*|([{_CJK}]{{1,4}})\s*)$")
_CLAUSE = re.compile(r"[,;，；。.!?！？、\n()（）]")
_ATTRIBUTE = re.compile(
    "|".join(
        rf"\b{word}\b" if word.isascii() else word
        for word in sorted(units.ATTRIBUTES, key=len, reverse=True)
    ),
    re.IGNORECASE,
)
_UPPER = re.compile(
    r"\b(?:limits?|max(?:imum)?|cap|quota|at most|ceiling)\b|上限|最大|最多|最长|限制|配额",
    re.IGNORECASE,
)
_LOWER = re.compile(
    r"\b(?:min(?:imum)?|at least|floor)\b|下限|最小|最少|至少|最低", re.IGNORECASE
)
_EACH = re.compile(rf"每(秒|分钟|分|小时|天|日|周)[{_CJK}\s]{{0,8}}$")
_TRUE = frozenset("true yes on enabled enable 是 开启 启用 打开 开".split())
_FALSE = frozenset("false no off disabled disable 否 关闭 禁用 停用 关".split())


def plain(text: str) -> str:
    """The text in which quantities are counted: NFKC where it is not ASCII."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def equal(a: str, b: str) -> bool:
    """Whether two values of one key are the same; an equivalence (`canonical`)."""
    return a == b or canonical(a) == canonical(b)


def canonical(value: str) -> tuple[object, ...]:
    """What a value says, however it is written: quantities, yes or no, else its text.

    A count says the same with and without its noun, as the key names it; 50% is 0.5.
    """
    text = plain(value).strip().strip("`'\"").strip()
    found = _scan(text, is_value=True)
    if found and _covers(text, found):
        return ("quantity", *sorted(_canonical(one) for one in found))
    word = normalised(text)
    if word in _TRUE or word in _FALSE:
        return ("flag", word in _TRUE)
    return ("text", word)


def _canonical(one: Quantity) -> tuple[str, str, int]:
    is_number = one.dimension == units.RATIO or one.dimension.startswith(units.COUNT)
    return "number" if is_number else one.dimension, one.comparator, one.amount


_FILLER = re.compile(
    r"(?:[\s:：=<>≤≥~–—+-]|at|most|least|up|to|max(?:imum)?|min(?:imum)?|no|not|more|less|than|between|and|or|不超过|最多|至多|至少|最少|不少于|以内|以上|以下|到|至)*"
)


def _covers(text: str, found: tuple[Quantity, ...]) -> bool:
    """Whether a value is nothing but its quantities and their comparators."""
    rest, at = [], 0
    for one in found:
        rest.append(text[at : max(at, one.start)])
        at = max(at, one.end)
    rest.append(text[at:])
    return all(_FILLER.fullmatch(part.lower()) for part in rest)


def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text in order; offsets are those of `plain(text)`."""
    return _scan(plain(text), is_value=False)


def _scan(text: str, is_value: bool) -> tuple[Quantity, ...]:
    if not _MAY_HOLD.search(text):
        return ()
    found: list[Quantity] = []
    at = 0
    while match := _SCAN.search(text, at):
        at = match.end()
        made = _made(text, match, is_value)
        if made:
            at = max(at, made[-1].end)
            found.extend(made)
    return tuple(found)


def _made(text: str, match: re.Match[str], is_value: bool) -> list[Quantity]:
    """The quantities that begin at a place of the scan, none for a label."""
    kind, start, end = match.lastgroup or "", match.start(), match.end()
    if kind == "label":
        return []
    before = text[max(0, start - 32) : start]
    if kind == "clock":
        hour, minute = match["clock"].split(":")[:2]
        return [
            _quantity(
                text,
                EXACT,
                (int(hour) * 60 + int(minute)) * SCALE,
                units.CLOCK,
                start,
                end,
            )
        ]
    if kind == "every":
        amount = units.EVERY[match["every"].lower()] * SCALE
        return [_quantity(text, EXACT, amount, units.TIME, start, end, "interval")]
    if kind == "percent":
        return [
            _quantity(
                text, EXACT, _number(match["percent"]) * 100, units.RATIO, start, end
            )
        ]
    if kind in ("money", "price"):
        dimension = f"{units.MONEY}:{units.SIGNS[match['money']]}"
        return _compared(
            text, before, _number(match["price"]) * 10_000, dimension, start, end
        )
    return _counted(text, match, before, is_value)


def _counted(
    text: str, match: re.Match[str], before: str, is_value: bool
) -> list[Quantity]:
    """A number with the unit or noun behind it; nothing where it is a label."""
    start, end = match.span()
    number = _number(match.group())
    if match["word"] and match["word"].lower() in _FEW:
        return _compared(text, before, number * 10_000, "count:times", start, end)
    is_digits = match["number"] is not None
    high = _RANGE.match(text, end) if is_digits else None
    if not high and is_digits and _BETWEEN.search(before):
        high = _RANGE_AND.match(text, end)
    unit = _unit(text, high.end() if high else end, before)
    if unit is None and is_digits and (is_value or _is_value(before)):
        word = _last_word(before)
        unit = (
            units.PORT if word == "port" else units.COUNT,
            10_000,
            high.end() if high else end,
        )
    if unit is None or (not is_value and _is_label(before)):
        return []
    dimension, factor, behind = unit
    if high and not _is_gone(before):
        low, top = number * factor, _number(high["high"]) * factor
        low_end = high.start()
        return [
            _quantity(text, LEAST, low, dimension, start, low_end),
            _quantity(text, MOST, top, dimension, high.start("high"), behind),
        ]
    amount = _amount(number, dimension, factor)
    if dimension == units.TIME:
        amount, behind = _with_smaller(text, amount, factor, behind)
    return _compared(text, before, amount, dimension, start, behind)


def _amount(number: int, dimension: str, factor: int) -> int:
    if dimension == units.TIME and factor == units.MONTH:
        years, rest = divmod(number, 12 * SCALE)
        return years * units.YEAR + rest * units.MONTH
    return number * factor


def _with_smaller(text: str, amount: int, factor: int, end: int) -> tuple[int, int]:
    """`1h30m`, `1 min 30 s`: the smaller units behind a time belong to it."""
    while match := re.compile(r"[ \t]?(\d{1,9})").match(text, end):
        unit = _unit(text, match.end(), "")
        if not unit or unit[0] != units.TIME or unit[1] >= factor:
            break
        amount += _number(match[1]) * unit[1]
        _, factor, end = unit
    return amount, end


def _unit(text: str, at: int, before: str) -> tuple[str, int, int] | None:
    """Dimension, factor and end of the unit or noun at a place; None for neither."""
    match = _TAIL.match(text, at)
    if not match:
        per = _PER.match(text, at)
        rate = units.PER.get(per["per"].lower()) if per else None
        return (units.RATE, rate * 10_000, per.end()) if per and rate else None
    word, gap = match["word"], match["gap"]
    if word.isascii() or word in "µs μs":
        return _latin(text, match, word, gap)
    return _han(text, match.start("word"), word, before)


def _latin(
    text: str, match: re.Match[str], word: str, gap: str
) -> tuple[str, int, int] | None:
    lower, end = word.lower(), match.end()
    times = units.MULTIPLIERS.get(lower)
    if times:
        inner = _unit(text, end, "")
        if inner and inner[0].startswith((units.COUNT, units.RATE, units.MONEY)):
            return inner[0], inner[1] * times, inner[2]
        return units.COUNT, 10_000 * times, end
    if word in units.BY_CASE and not gap:
        return (*units.BY_CASE[word], end)
    found = units.UNITS.get(lower)
    if found and not (gap.strip("-") and lower in units.ADJACENT):
        return _rated(text, *found, end)
    noun = units.NOUNS.get(lower)
    if noun is None:
        # "3 concurrent connections": one word may stand between
        after = re.compile(r"[ \t]([A-Za-z]+)").match(text, end)
        if after and (gap and after[1].lower() in units.NOUNS):
            noun, end = units.NOUNS[after[1].lower()], after.end()
    if noun is None:
        return None
    return _rated(text, f"{units.COUNT}:{noun}", 10_000, end)


def _han(text: str, start: int, word: str, before: str) -> tuple[str, int, int] | None:
    """The longest unit that begins a run of Chinese; a multiplier may stand before it."""
    for length in range(len(word), 0, -1):
        part, end = word[:length], start + length
        if part in units.MULTIPLIERS:
            inner = _unit(text, end, before)
            times = units.MULTIPLIERS[part]
            if inner and inner[0].startswith((units.COUNT, units.RATE, units.MONEY)):
                return inner[0], inner[1] * times, inner[2]
            return units.COUNT, 10_000 * times, end
        if part in units.UNITS:
            return _rated(text, *units.UNITS[part], end)
        if part in units.NOUNS:
            noun = units.NOUNS[part]
            if each := _EACH.search(before):
                return units.RATE, units.PER[each[1]] * 10_000, end
            return _rated(text, f"{units.COUNT}:{noun}".rstrip(":"), 10_000, end)
    return None


def _rated(text: str, dimension: str, factor: int, end: int) -> tuple[str, int, int]:
    """A count or size per time is a rate: `100 req/s`, `60 次/分钟`."""
    per = _PER.match(text, end)
    if not per or not dimension.startswith((units.COUNT, units.SIZE)):
        return dimension, factor, end
    each = units.PER.get(per["per"].lower()) or units.PER.get(per["per"][:1])
    if not each:
        return dimension, factor, end
    kind = units.RATE + (":" + units.SIZE if dimension == units.SIZE else "")
    return kind, factor * each, per.end()


def _compared(
    text: str, before: str, amount: int, dimension: str, start: int, end: int
) -> list[Quantity]:
    """One quantity with its comparator; none where the text says that it held before."""
    if _CHANGED.match(text, end):
        return []
    match = _BEFORE.search(before)
    if match and match["gone"]:
        return []
    behind = _AFTER.match(text, end)
    comparator = EXACT
    for one in (match, behind):
        if one and one["most"]:
            comparator = MOST
        elif one and one["least"]:
            comparator = LEAST
    return [_quantity(text, comparator, amount, dimension, start, end)]


def _quantity(
    text: str,
    comparator: str,
    amount: int,
    dimension: str,
    start: int,
    end: int,
    attribute: str = "",
) -> Quantity:
    lead = _clause_before(text, start)
    if comparator == EXACT:
        comparator = (
            MOST if _UPPER.search(lead) else LEAST if _LOWER.search(lead) else EXACT
        )
    attribute = attribute or _attribute(text, lead, end)
    return Quantity(comparator, amount, dimension, text[start:end], start, attribute)


def _attribute(text: str, lead: str, end: int) -> str:
    """What the nearest word of its clause says that a number is a value of."""
    found = _ATTRIBUTE.findall(lead)
    if not found:
        tail = _CLAUSE.split(text[end : end + 24], maxsplit=1)[0]
        found = _ATTRIBUTE.findall(tail)[:1]
    return units.ATTRIBUTES[found[-1].lower()] if found else ""


def _clause_before(text: str, start: int) -> str:
    return _CLAUSE.split(text[max(0, start - 48) : start])[-1]


def _is_gone(before: str) -> bool:
    match = _BEFORE.search(before)
    return bool(match and match["gone"])


def _is_value(before: str) -> bool:
    """Whether a bare number stands where a value stands."""
    if _VALUE.search(before):
        return not _is_label(_VALUE.sub("", before)) or True
    match = _BEFORE.search(before)
    return bool(match) or _last_word(before) in units.SETTINGS


def _is_label(before: str) -> bool:
    return _last_word(before) in units.ORDINALS


def _last_word(before: str) -> str:
    match = _WORD_BEFORE.search(before)
    if not match:
        return ""
    if match[1]:
        return match[1].lower()
    word = match[2]
    known = (word[i:] for i in range(len(word)))
    return next((w for w in known if w in units.ORDINALS or w in units.SETTINGS), "")


def _number(text: str) -> int:
    """A number times `SCALE`, from digits or words."""
    lower = text.lower().replace(",", "")
    if lower in _ENGLISH:
        return _ENGLISH[lower] * SCALE
    if lower in _FEW:
        return _FEW[lower] * SCALE
    if not lower[-1].isdigit():
        return _han_number(lower)
    sign = -1 if lower[0] == "-" else 1
    whole, _, rest = lower.lstrip("+-").partition(".")
    return sign * (int(whole) * SCALE + int(rest[:6].ljust(6, "0")))


def _han_number(text: str) -> int:
    """`三`, `十五`, `两百`, `三半` (three and a half) times `SCALE`."""
    total = digit = 0
    for sign in text.rstrip("半"):
        at = _DIGITS.index(sign)
        if sign in "十百":
            total += (digit or 1) * (10 if sign == "十" else 100)
            digit = 0
        else:
            digit = (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9)[at]
    return (total + digit) * SCALE + (SCALE // 2 if text.endswith("半") else 0)
