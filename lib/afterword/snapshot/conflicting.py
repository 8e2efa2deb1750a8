"""Conflicts while entries are folded: found, told apart, ended by resolutions.

A conflict lies between two entries, whatever facts of theirs clash: later clashes of the
same two are further names (aliases) of it, also when they meet in several targets. Pure;
imports the room's `folding`, `ending`, `contradiction`, `resolution`, `fact`, words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from afterword.snapshot import contradiction, resolution, words
from afterword.snapshot.ending import SUPERSEDED, worded
from afterword.snapshot.fact import Fact, order
from afterword.snapshot.folded import Conflict, Ending, Overlap, Side
from afterword.snapshot.folding import (
    UNKNOWN,
    DraftEntry,
    Drafts,
    day,
    ended_by,
)
from afterword.snapshot.resolution import conflict_id, topic_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    Clash = tuple[Fact, contradiction.Verdict]  # the older of two facts, and how it is

# How many facts of each side name a conflict.
NAMING = 16


class DraftConflict:
    """A conflict in the making; `sides` are its entries in every target, old and new."""

    __slots__ = ("ids", "new", "number", "old", "resolutions", "sides", "verdict")

    def __init__(self, number: int, new: Fact, clash: Clash) -> None:
        self.number = number
        self.old, self.verdict = clash
        self.new = new
        self.ids = {conflict_id(self.old.id, new.id): None}
        self.sides: tuple[dict[int, DraftEntry], dict[int, DraftEntry]] = ({}, {})
        self.resolutions: list[Fact] = []

    @property
    def id(self) -> str:
        return next(iter(self.ids))

    @property
    def targets(self) -> list[str]:
        """The files that show it."""
        return sorted({one.target for side in self.sides for one in side.values()})

    @property
    def keep(self) -> str:
        """What its resolutions agree on; "" while it is open."""
        return resolution.agreed(self.resolutions, *map(_ids, self.sides))

    def finished(self, target: str) -> Conflict:
        """The conflict as one of its targets shows it."""
        kept = self.keep
        return Conflict(
            id=self.id,
            aliases=tuple(sorted(name for name in self.ids if name != self.id)),
            kind=self.old.kind,
            topic=self.old.title,
            old=self._side(0, self.old, self.verdict.old_says, target),
            new=self._side(1, self.new, self._new_says(), target),
            order=order(self.new),
            state=words.RESOLVED if kept else words.PENDING_RESOLUTION,
            keep=kept,
            resolutions=tuple(self.resolutions),
        )

    def _side(self, at: int, fact: Fact, says: str, target: str) -> Side:
        places = sorted({entry.target for entry in self.sides[at].values()})
        return Side(
            fact=fact.id,
            target=target if target in places else places[0],
            says=says,
            recorded=day(fact.recorded),
            author=fact.author or UNKNOWN,
            status=fact.status,
        )

    def _new_says(self) -> str:
        """What the new side says, marked while nothing has confirmed it (G9)."""
        facts = [one for entry in self.sides[1].values() for one in entry.facts]
        is_sure = any(
            one.confidence == words.HIGH or one.status == words.VERIFIED
            for one in facts
        )
        says = self.verdict.new_says
        return says if is_sure else f"{words.UNCONFIRMED} {says}"


class Conflicts:
    """Every conflict found so far, by its names and by its entries."""

    def __init__(self, drafts: Drafts) -> None:
        self.all: list[DraftConflict] = []
        self._drafts = drafts
        self._by_id: dict[str, DraftConflict] = {}
        self._by_topic: dict[str, dict[int, DraftConflict]] = {}
        self._of_entry: dict[int, dict[int, DraftConflict]] = {}

    def found(
        self, entry: DraftEntry, mine: Sequence[DraftEntry], new: Fact, clash: Clash
    ) -> None:
        """Note that a fact of an entry and a new one, which stands in `mine`, contradict."""
        known = self._known(entry, mine, new)
        conflict = known or self._begun(new, clash)
        at = 1 if entry.number in conflict.sides[1] or _has(conflict, 1, entry) else 0
        self._link(conflict, at, entry)
        for one in mine:
            self._link(conflict, 1 - at, one)

    def _known(
        self, entry: DraftEntry, mine: Sequence[DraftEntry], new: Fact
    ) -> DraftConflict | None:
        """The conflict that lies between two entries already, or goes by the same names."""
        of_entry = self._of_entry.get(entry.number, {})
        for one in mine:
            for number in self._of_entry.get(one.number, {}).keys() & of_entry.keys():
                return of_entry[number]
        named = (conflict_id(one.id, new.id) for one in entry.facts[:NAMING])
        return next((self._by_id[one] for one in named if one in self._by_id), None)

    def _begun(self, new: Fact, clash: Clash) -> DraftConflict:
        conflict = DraftConflict(len(self.all), new, clash)
        self.all.append(conflict)
        self._by_id.setdefault(conflict.id, conflict)
        return conflict

    def _link(self, conflict: DraftConflict, at: int, entry: DraftEntry) -> None:
        """Let an entry stand on a side of a conflict."""
        if entry.number not in conflict.sides[at]:
            conflict.sides[at][entry.number] = entry
            self._of_entry.setdefault(entry.number, {})[conflict.number] = conflict
            for fact in entry.facts[:NAMING]:
                self._name(conflict, 1 - at, fact)

    def joined(self, entry: DraftEntry, fact: Fact) -> None:
        """A fact has joined an entry: the conflicts of the entry have more names."""
        if len(entry.facts) <= NAMING:
            for conflict in self._of_entry.get(entry.number, {}).values():
                self._name(conflict, int(entry.number in conflict.sides[0]), fact)

    def _name(self, conflict: DraftConflict, other: int, fact: Fact) -> None:
        """Name a conflict by a fact, against those of the side that it is not on."""
        for entry in conflict.sides[other].values():
            for one in entry.facts[:NAMING]:
                name = conflict_id(one.id, fact.id)
                conflict.ids[name] = None
                self._by_id.setdefault(name, conflict)
        for text in (fact.title, fact.key):
            if text:
                called = self._by_topic.setdefault(topic_name(text), {})
                called[conflict.number] = conflict

    def called(self, text: str) -> list[DraftConflict]:
        """The conflicts of an id, an alias or a topic."""
        known = self._by_id.get(text.strip())
        return [known] if known else self._about(topic_name(text))

    def _about(self, name: str) -> list[DraftConflict]:
        found = list(self._by_topic.get(name, {}).values())
        exact = [one for one in found if topic_name(one.old.title) == name]
        return exact or found

    def attach(self, fact: Fact) -> bool:
        """Let a resolution count for the conflicts that it means; whether there are any."""
        found = self._meant(fact)
        for conflict in found:
            if fact.id not in {one.id for one in conflict.resolutions}:
                conflict.resolutions.append(fact)
                conflict.resolutions.sort(key=lambda one: (order(one), one.id))
                self._settle(conflict)
        return bool(found)

    def _meant(self, fact: Fact) -> list[DraftConflict]:
        """By id a resolution means one for good, by topic those of its time.

        Nothing that comes later under the same title is resolved by it.
        """
        found = self.called(fact.resolves)
        if fact.resolves.strip() in self._by_id:
            return found
        met = [one for one in found if fact in one.resolutions]
        open_ = [one for one in found if not _is_later(one.new, fact)]
        return met or [one for one in open_ if not one.keep] or open_

    def settle(self) -> None:
        """Let every resolution count for all that its conflict lies between in the end."""
        for conflict in self.all:
            if conflict.resolutions:
                self._settle(conflict)

    def _settle(self, conflict: DraftConflict) -> None:
        """End the entries of the side that lost, or none where nothing is decided."""
        kept = conflict.keep
        for at, other in enumerate((words.KEEP_NEW, words.KEEP_OLD)):
            for entry in conflict.sides[at].values():
                entry.lost.pop(conflict.number, None)
                if kept == other:
                    entry.lost[conflict.number] = _loss(conflict, entry)


def _has(conflict: DraftConflict, at: int, entry: DraftEntry) -> bool:
    """Whether a side holds a fact of an entry, in whichever target."""
    own = {fact.id for fact in entry.facts[:NAMING]}
    facts = (one for side in conflict.sides[at].values() for one in side.facts)
    return any(fact.id in own for fact in facts)


def _ids(side: Mapping[int, DraftEntry]) -> frozenset[str]:
    return frozenset(fact.id for entry in side.values() for fact in entry.facts)


def _is_later(fact: Fact, than: Fact) -> bool:
    """Whether a fact was certainly recorded later; a day without time is any of its times."""
    on, other = fact.recorded[:10], than.recorded[:10]
    if on != other:
        return on > other
    return bool(than.recorded[11:]) and fact.recorded > than.recorded


def _loss(conflict: DraftConflict, entry: DraftEntry) -> Ending:
    last = resolution.effective(conflict.resolutions)[-1]
    return worded(entry, ended_by(last, SUPERSEDED, resolution.why(last)))


def candidates(
    drafts: Drafts, fact: Fact, targets: Sequence[str]
) -> Iterable[DraftEntry]:
    """The entries that a fact is held against, in their order, without its own."""
    own = {entry.number for entry in drafts.of_fact.get(fact.id, ())}
    found = {entry.number: entry for entry in drafts.of_key(fact)}
    if fact.kind in words.CLAIMS:
        for target in targets:
            found.update((one.number, one) for one in drafts.near(target, fact))
        others = drafts.elsewhere(targets, fact)
        found.update((one.number, one) for one in others)
    return [found[number] for number in sorted(found) if number not in own]


def against(entry: DraftEntry, fact: Fact) -> Clash | None:
    """The first fact of an entry that a fact contradicts, and how; None where none does."""
    for old in entry.compared(fact):
        verdict = contradiction.judge(old, fact)
        if is_conflict(verdict, old, fact):
            return old, verdict
    return None


def overlap(entry: DraftEntry, fact: Fact) -> Iterator[Overlap]:
    """That an entry may say the same as a fact or the contrary (10.5, tier 3)."""
    verdict = contradiction.judge(entry.head, fact)
    if verdict.kind in (contradiction.POSSIBLE, contradiction.OVERLAP):
        yield Overlap(
            target=entry.target,
            kind=fact.kind,
            one=entry.head.title,
            other=fact.title,
            why=verdict.why,
        )


def is_conflict(verdict: contradiction.Verdict, old: Fact, new: Fact) -> bool:
    """Whether a verdict counts for two kinds: keys across claims, text within one kind."""
    if verdict.kind != "conflict":
        return False
    are_claims = {old.kind, new.kind} <= words.CLAIMS
    if verdict.tier == 1:
        return are_claims or old.kind == new.kind
    return are_claims and old.kind == new.kind
