"""Whether two entries can both hold: exact by their keys, else as far as words tell.

Three tiers (spec/snapshot.md 10.5): values of one key; quantities, opposites, obligations
and chains under one topic; overlaps that a person may want to look at. Only ever flags,
never decides. The kinds of the facts are the caller's affair. Pure; imports `fact`,
`topic`, `values`, `polarity`.
"""

from __future__ import annotations

import re

from afterword.snapshot import polarity, topic, values, words
from afterword.snapshot.fact import Fact, normalised
from afterword.snapshot.values import EXACT, LEAST, MOST, Quantity
from afterword.store.blocks import Record

NONE, SAME, CONFLICT, POSSIBLE, OVERLAP = (
    "none",
    "same",
    "conflict",
    "possible",
    "overlap",
)
SAYS_MOST = 200  # characters of a body that a conflict block shows
_CACHE_MOST = 4096
# Lines that say why, by whom or instead of what: nothing in them holds.
_NOT_SAID = frozenset(
    """why because reason reasons rationale background context evidence source author status confidence
    recorded date rejected alternatives alternative history note notes example examples file files
    verified by supersedes resolves keep after part key trigger timestamp
    原因 理由 背景 讨论中提及 来源 证据 作者 状态 验证状态 验证人 置信度 备注 说明 示例 例如 替代方案 历史 关联文件 文件""".split()
)
_LABEL = re.compile(r"[\s>*-]*(?:\*\*|`)?([^:：*`]{1,24})(?:\*\*|`)?\s*[:：]")
_REASON = re.compile(
    r"\b(?:because|since|due to|so that|in order to)\b.*|(?:因为|由于|以便|,? as it\b).*"
)
_ARROW = re.compile(r"\s*(?:->|→|=>|⇒|-->|➜)\s*")


class Verdict(Record):
    """How two facts stand to each other, by which tier, why, and what each side says."""

    __slots__ = ("kind", "new_says", "old_says", "tier", "why")
    kind: str
    tier: int
    why: str
    old_says: str
    new_says: str

    def __init__(
        self,
        kind: str,
        tier: int,
        why: str = "",
        old_says: str = "",
        new_says: str = "",
    ) -> None:
        self._set(kind=kind, tier=tier, why=why, old_says=old_says, new_says=new_says)


class _Topic:
    """What is read of a fact once: its topic, and what it says when somebody asks."""

    __slots__ = ("fact", "labels", "said", "tokens")

    def __init__(self, fact: Fact) -> None:
        self.fact = fact
        self.tokens = topic.tokens(fact)
        self.labels = frozenset(t for t in self.tokens if t[0].isdigit())
        self.said: _Said | None = None


class _Said:
    """What a fact says: the quantities, poles, modality and chain of its statements."""

    __slots__ = (
        "chain",
        "modality",
        "negations",
        "poles",
        "quantities",
        "title_quantities",
    )

    def __init__(self, fact: Fact) -> None:
        title = _REASON.sub("", fact.title)
        rest = "\n".join(
            [f": {fact.value}" if fact.value else "", *_statements(fact.body)]
        )
        plain = values.plain(title).lower()
        self.title_quantities = values.quantities(title)
        self.quantities = self.title_quantities + values.quantities(rest)
        self.poles = polarity.poles(plain) or polarity.poles(values.plain(rest).lower())
        self.modality = polarity.modality(plain)
        self.negations = polarity.negations(plain)
        self.chain = _chain(title) or _chain(rest)


def _statements(body: tuple[str, ...]) -> list[str]:
    """The lines that say what holds; not why, since when or by whom."""
    said = []
    for line in body:
        label = _LABEL.match(line)
        if label and (
            label[1].strip().casefold() in _NOT_SAID
            or words.field_of(label[1]) not in ("", "value", "detail")
        ):
            continue
        said.append(_REASON.sub("", line))
    return said


def _chain(text: str) -> tuple[str, ...]:
    """The first chain of at least three nodes that arrows join."""
    for line in text.split("\n"):
        if ("→" in line or ">" in line or "⇒" in line) and _ARROW.search(line):
            nodes = _ARROW.split(line.split(":", 1)[-1].split("：", 1)[-1])
            if len(nodes) >= 3:
                return tuple(normalised(node).strip(" -.。;；,，") for node in nodes)
    return ()


_known: dict[str, _Topic] = {}


def _topic_of(fact: Fact) -> _Topic:
    """What is known of a fact; an id may stand for edited text, so the fact is compared."""
    found = _known.get(fact.id)
    if found is not None and (
        found.fact is fact
        or (
            found.fact.title == fact.title
            and found.fact.body == fact.body
            and found.fact.key == fact.key
            and found.fact.value == fact.value
        )
    ):
        return found
    if len(_known) >= _CACHE_MOST:
        _known.clear()
    made = _known[fact.id] = _Topic(fact)
    return made


def judge(old: Fact, new: Fact) -> Verdict:
    """How a new fact stands to an old one; symmetric but for the sides."""
    if old.key and new.key and old.value and new.value:
        return _by_key(old, new)
    if old.key and new.key and old.key != new.key:
        return Verdict(NONE, 1, "other keys")
    is_keyed = bool(old.key) and old.key == new.key
    one, other = _topic_of(old), _topic_of(new)
    if not is_keyed and not _is_same_topic(one, other):
        return Verdict(NONE, 0)
    return _by_words(one, other, is_keyed)


def _by_key(old: Fact, new: Fact) -> Verdict:
    if old.key.strip() != new.key.strip():
        return Verdict(NONE, 1, "other keys")
    if values.equal(old.value, new.value):
        return Verdict(SAME, 1, f"{old.key} is the same", old.value, new.value)
    return Verdict(CONFLICT, 1, f"{old.key} differs", old.value, new.value)


def _is_same_topic(one: _Topic, other: _Topic) -> bool:
    if (
        one.labels != other.labels
        and one.labels - other.labels
        and other.labels - one.labels
    ):
        return False
    if not one.tokens and not other.tokens:
        return normalised(one.fact.title) == normalised(other.fact.title)
    return topic.similarity(one.tokens, other.tokens) > 0


def _by_words(one: _Topic, other: _Topic, is_keyed: bool) -> Verdict:
    old, new = one.fact, other.fact
    if old.title == new.title and old.body == new.body and old.value == new.value:
        return Verdict(SAME, 2, "the same words", _says(old), _says(new))
    one.said = one.said or _Said(old)
    other.said = other.said or _Said(new)
    left, right = one.tokens - other.tokens, other.tokens - one.tokens
    is_one_subject = is_keyed or not left or not right
    found = _differs(one, other)
    if found and is_one_subject:
        return found
    if not is_one_subject:
        if not found and len(left) == len(right) == 1:
            a, b = next(iter(left)), next(iter(right))
            return Verdict(POSSIBLE, 3, f"{a} against {b}", _says(old), _says(new))
        return Verdict(OVERLAP, 3, "one topic", _says(old), _says(new))
    if (one.said.negations - other.said.negations) % 2:
        return Verdict(POSSIBLE, 3, "one of them negates", _says(old), _says(new))
    return Verdict(OVERLAP, 3, "one topic", _says(old), _says(new))


def _differs(one: _Topic, other: _Topic) -> Verdict | None:
    assert one.said and other.said
    old, new = one.fact, other.fact
    pair = _quantities_differ(one.said, other.said)
    if pair:
        return Verdict(
            CONFLICT, 2, "quantities differ", old.value or pair[0], new.value or pair[1]
        )
    says = _says(old), _says(new)
    for axis, side in one.said.poles.items():
        if other.said.poles.get(axis, side) != side:
            return Verdict(CONFLICT, 2, "opposites", *says)
    if one.said.modality * other.said.modality < 0:
        return Verdict(CONFLICT, 2, "one demands what the other forbids", *says)
    if one.said.chain and other.said.chain and one.said.chain[0] == other.said.chain[0]:
        return _chains(one.said.chain, other.said.chain, says)
    return None


def _chains(
    old: tuple[str, ...], new: tuple[str, ...], says: tuple[str, str]
) -> Verdict | None:
    if old == new:
        return Verdict(SAME, 2, "the same chain", *says)
    rest = iter(new)
    if all(node in rest for node in old):
        return None
    return Verdict(CONFLICT, 2, "chains differ", *says)


def _quantities_differ(one: _Said, other: _Said) -> tuple[str, str] | None:
    """The first quantities of one dimension that cannot both hold, as they are written."""
    dimensions = dict.fromkeys(q.dimension for q in one.quantities)
    for dimension in dimensions:
        a = [q for q in one.quantities if q.dimension == dimension]
        b = [q for q in other.quantities if q.dimension == dimension]
        a, b = _of_one_attribute(a, b)
        if a and b and _disjoint(a, b):
            return a[0].text, b[0].text
    return None


def _of_one_attribute(
    one: list[Quantity], other: list[Quantity]
) -> tuple[list[Quantity], list[Quantity]]:
    """The quantities that may be of one attribute: an unknown one may be any."""
    ours, theirs = {q.attribute for q in one}, {q.attribute for q in other}
    shared = (ours & theirs) - {""}
    if shared:
        return [q for q in one if q.attribute in shared], [
            q for q in other if q.attribute in shared
        ]
    if "" in ours or "" in theirs:
        return one, other
    return [], []


def _disjoint(one: list[Quantity], other: list[Quantity]) -> bool:
    ours = {(q.comparator, q.amount) for q in one}
    theirs = {(q.comparator, q.amount) for q in other}
    amounts = {a for _, a in ours} & {a for _, a in theirs}
    if {c for c, _ in ours} & {c for c, _ in theirs}:
        return not amounts
    return _low(ours) > _high(theirs) or _low(theirs) > _high(ours)


def _low(one: set[tuple[str, int]]) -> float:
    return max((a for c, a in one if c in (EXACT, LEAST)), default=float("-inf"))


def _high(one: set[tuple[str, int]]) -> float:
    return min((a for c, a in one if c in (EXACT, MOST)), default=float("inf"))


def _says(fact: Fact) -> str:
    """What a side of a conflict says: its value, else its body or title in one line."""
    if fact.value:
        return fact.value
    said = "; ".join(
        line.strip(" -*") for line in _statements(fact.body) if line.strip()
    )
    text = " ".join((said or fact.title).split())
    return text if len(text) <= SAYS_MOST else text[: SAYS_MOST - 3].rstrip() + "..."
