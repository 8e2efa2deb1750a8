"""Topics by their likeness: who is about what another is about, without comparing all.

A topic is a set of tokens. The answers are those of a comparison with every set; what it
costs does not grow with sets that differ in a number or a name only. Pure; imports
nothing of the package.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator
from itertools import islice


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
        self._frequent: dict[str, list[int]] = {}  # frequent token: its groups
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
                self._frequent[token].append(at)
        return at

    def _make_frequent(self, token: str) -> None:
        """A token became frequent: its few sets go to their new groups."""
        places = self._with.get(token, [])
        for place in places:
            self._leave(place)
        self._frequent[token] = []
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
