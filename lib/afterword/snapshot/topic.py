"""What an entry is about: the tokens of its title, and an index of the like ones.

Latin words without stop words and endings, Chinese bigrams; quantities, negations and
the two sides of antonyms are what an entry says about its topic, and no part of it
(spec/snapshot.md 10.5). Pure; imports `fact`, `values`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from afterword.snapshot import values
from afterword.snapshot.fact import Fact
from afterword.snapshot.polarity import POLAR_HAN, POLAR_WORDS

_STOP = frozenset(
    """a an and are as at be been being by can could did do does for from had has have if in into
    is it its may might must need needs never no nor not of off on only or our ought per shall
    should so than that the their them then there these they this those to was we were when which
    while will with without would you your via vs about than about all also any each every
    use uses used using set sets get gets make makes made let lets now always instead rather
    most least more less up down out over under within between exceed exceeds max maximum min minimum
    change changes changed changing raise raised raises lower lowered lowers increase increased
    increases decrease decreased reduce reduced adjust adjusted update updated switch switched
    move moved adopt adopted prefer preferred choose chosen keep keeps default defaults value values
    cannot dont doesnt isnt arent wont cant shouldnt mustnt new old allowed allow allows""".split()
)
# Runs of Chinese are cut at these; the longer first.
_HAN_STOP = sorted(
    """改为 改成 改用 设为 设成 设置为 调整为 调整到 调整 调到 调为 变更为 变更 更新为 升级为 提高到 提高 降低到 降低 增加到 增加
    减少到 减少 统一为 统一 默认为 默认值 默认 必须 应该 应当 需要 不能 不得 不可 不许 不要 不允许 禁止 严禁 不再 不会 没有 可以 允许
    不超过 不能超过 不得超过 不低于 不少于 超过 最多 最少 至多 至少 最大 最小 最长 上限 下限 使用 采用 选用 通过 基于 以及 或者
    如果 因为 由于 所以 时候 进行 为 是 的 了 在 把 将 被 与 和 及 或 从 到 由 对 用 以 于 都 也 再 仅 只 且 并 均 应 须 需 可 会 不 无 非 未
    之 其 该 此 这 那 每 个 中 时 后 前 内 外 上 下 而 则 即 等 各""".split(),
    key=len,
    reverse=True,
)
_WORD = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?|[\u3400-\u9fff]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_CUT = re.compile("|".join([*POLAR_HAN, *_HAN_STOP]))
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?|\d{4}年\d{1,2}月(?:\d{1,2}日)?")
_VERSION = re.compile(r"\bv?(\d+(?:\.\d+)+)\b", re.IGNORECASE)
# What follows one of these is why, not what.
_WHY = re.compile(
    r"\b(?:because|since|due to|so that|in order to)\b|因为|由于|以便|,? as it\b",
    re.IGNORECASE,
)
_ENDINGS = ("ing", "ied", "ies", "ed", "es", "s")


def tokens(fact: Fact) -> frozenset[str]:
    """The topic tokens of a fact: those of its title, else of its key."""
    return of_text(fact.title) or of_text(fact.key)


def of_text(text: str) -> frozenset[str]:
    """The topic tokens of a title; quantities, dates and reasons give none."""
    return frozenset(words_of(text))


def words_of(text: str) -> Iterator[str]:
    """The topic tokens of a title in order."""
    plain = _DATE.sub(" ", _without_quantities(values.plain(text)))
    if why := _WHY.search(plain, 1):
        plain = plain[: why.start()]
    plain = _HUMP.sub(" ", _VERSION.sub(_dotted, plain)).lower()
    for word in _WORD.findall(plain):
        if word[0] >= "\u3400":
            yield from _bigrams(word)
        elif word not in _STOP and word not in POLAR_WORDS:
            yield stem(word)


def _dotted(match: re.Match[str]) -> str:
    return "v" + match[1].replace(".", "p")


def _without_quantities(text: str) -> str:
    parts, at = [], 0
    for one in values.quantities(text):
        parts.append(text[at : one.start])
        at = one.end
    return " ".join([*parts, text[at:]])


def _bigrams(run: str) -> Iterator[str]:
    for part in _CUT.split(run):
        if len(part) == 1:
            yield part
        for at in range(len(part) - 1):
            yield part[at : at + 2]


def stem(word: str) -> str:
    """A word without its ending, so that `retries`, `retried`, `retry` are one."""
    word = word.replace("’", "'").partition("'")[0]
    for ending in _ENDINGS:
        left = len(word) - len(ending)
        if word.endswith(ending) and left >= 3 + (ending == "ing"):
            if ending == "s" and word[left - 1] in "sui":
                return word
            word = word[:left] + ("y" if ending in ("ied", "ies") else "")
            break
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word


class _Group:
    """Sets with the same frequent tokens and as many rare ones: alike for most queries."""

    __slots__ = ("common", "places", "rare")

    def __init__(self, common: frozenset[str], rare: int) -> None:
        self.common, self.rare = common, rare
        self.places: list[int] = []  # in order of arrival


class Index:
    """Topics by their likeness; answers as a comparison with every set would.

    A token that few sets have is rare. Who shares no rare token with a query is as like
    to it as all of its group, so that one look at a group serves: titles that differ in a
    number cost no more than one title.
    """

    RARE = 16

    def __init__(self) -> None:
        self._place: dict[str, int] = {}
        self._keys: list[str] = []
        self._sets: list[frozenset[str]] = []
        self._with: dict[str, list[int]] = {}  # rare token: its sets
        self._frequent: dict[str, dict[int, None]] = {}  # frequent token: its groups
        self._groups: list[_Group] = []
        self._group_of: dict[tuple[frozenset[str], int], int] = {}

    def add(self, key: str, tokens: frozenset[str]) -> None:
        """A key with its topic, behind all others; one that is known is removed first."""
        self.remove(key)
        place = len(self._keys)
        self._keys.append(key)
        self._sets.append(tokens)
        self._place[key] = place
        crossed = []
        for token in tokens:
            if token not in self._frequent:
                known = self._with.setdefault(token, [])
                known.append(place)
                if len(known) > self.RARE:
                    crossed.append(token)
        self._join(place)
        for token in crossed:
            self._make_frequent(token)

    def remove(self, key: str) -> None:
        """Forgets a key; an unknown one is none."""
        place = self._place.pop(key, None)
        if place is None:
            return
        self._leave(place)
        for token in self._sets[place]:
            if token not in self._frequent:
                self._with[token].remove(place)

    def candidates(self, tokens: frozenset[str], most: int) -> list[tuple[str, float]]:
        """The keys alike, with their Jaccard index: the likest first, then the earliest.

        Alike are sets that share half of what both name, and at least two tokens unless
        they are equal.
        """
        found: dict[int, float] = {}
        for token in tokens:
            for place in self._with.get(token, ()):
                if place not in found:
                    found[place] = similarity(tokens, self._sets[place])
        near = list(found.items())
        for group, likeness in self._near_groups(tokens):
            others = (p for p in group.places if p not in found)
            near.extend((place, likeness) for place in islice(others, most))
        near.sort(key=lambda one: (-one[1], one[0]))
        return [(self._keys[p], likeness) for p, likeness in near[:most] if likeness]

    def _near_groups(self, tokens: frozenset[str]) -> Iterator[tuple[_Group, float]]:
        shared: Counter[int] = Counter()
        for token in tokens:
            shared.update(self._frequent.get(token, ()))
        for at, count in shared.items():
            group = self._groups[at]
            union = len(group.common) + group.rare + len(tokens) - count
            if 2 * count >= union and (count > 1 or union == 1):
                yield group, count / union

    def _join(self, place: int) -> None:
        at = self._group(self._sets[place])
        insort(self._groups[at].places, place)

    def _leave(self, place: int) -> None:
        places = self._groups[self._group(self._sets[place])].places
        del places[bisect_left(places, place)]

    def _group(self, tokens: frozenset[str]) -> int:
        common = frozenset(t for t in tokens if t in self._frequent)
        name = (common, len(tokens) - len(common))
        at = self._group_of.get(name)
        if at is None:
            at = self._group_of[name] = len(self._groups)
            self._groups.append(_Group(*name))
            for token in common:
                self._frequent[token][at] = None
        return at

    def _make_frequent(self, token: str) -> None:
        """A token became frequent: its few sets go to their new groups."""
        places = self._with.get(token, [])
        for place in places:
            self._leave(place)
        self._frequent[token] = {}
        self._with.pop(token, None)
        for place in places:
            self._join(place)


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """The Jaccard index of two topics that are alike, 0 for others."""
    shared = len(one & other)
    union = len(one) + len(other) - shared
    if not shared or 2 * shared < union or (shared < 2 and union > 1):
        return 0.0
    return shared / union
