"""The fold: what a set of facts shows in each target, whatever order they came in.

The facts go by in their own order (`fact.order`), each once: it ends what it names, joins
an entry or begins one, contradicts others or does not. Nothing but the facts and the
route decides. Pure; imports the room's `folding`, `ending`, `conflicting`, `resolution`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from afterword.snapshot import conflicting, ending, resolution, words
from afterword.snapshot.conflicting import Conflicts
from afterword.snapshot.ending import Endings, said_by
from afterword.snapshot.fact import Fact, united
from afterword.snapshot.folded import Conflict, Folded, Overlap, PendingItem, Target
from afterword.snapshot.folding import DraftEntry, Drafts
from afterword.snapshot.resolution import conflict_id as conflict_id  # noqa: PLC0414

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")
    Route = Callable[[Fact], tuple[str, ...]]
    Placed = tuple[Fact, tuple[str, ...]]  # a fact and its targets


def fold(facts: Iterable[Fact], route: Route) -> Folded:
    """The targets that facts make; `route` names those of a fact, "" for the snapshot.

    A function of the set of facts and the route: order, doubles and earlier folds do not
    count. Linear but for topics that hundreds of entries share.
    """
    folding = _Folding()
    for fact in united(facts).values():
        folding.take(fact, tuple(sorted(set(route(fact)))) or ("",))
    return folding.finished()


class _Folding:
    """What is known while the facts go by."""

    def __init__(self) -> None:
        self.drafts = Drafts()
        self.conflicts = Conflicts(self.drafts)
        self.endings = Endings(self.drafts, self.conflicts.called)
        self.resolutions: list[Placed] = []
        self.low: list[Placed] = []
        self.unverified: list[Fact] = []
        self.overlaps: list[Overlap] = []

    def take(self, fact: Fact, targets: tuple[str, ...]) -> None:
        """One fact, after all those before it."""
        if resolution.is_given(fact):
            self.resolutions.append((fact, targets))
            self._attach(fact)
            return
        if resolution.is_asked(fact):
            self.unverified.append(fact)
        if fact.withdrawn:
            self._begin_withdrawn(fact, targets)
        elif fact.confidence == words.LOW and fact.status != words.VERIFIED:
            self.low.append((fact, targets))
        else:
            self._compile(fact, targets)

    def _attach(self, fact: Fact) -> bool:
        return not fact.withdrawn and self.conflicts.attach(fact)

    def _begin_withdrawn(self, fact: Fact, targets: tuple[str, ...]) -> None:
        """A statement that stood until its increment was edited; what it met stays met."""
        is_sure = fact.confidence != words.LOW or fact.status == words.VERIFIED
        entries = [self.drafts.begin(target, fact) for target in targets]
        if is_sure and fact.sources:
            self._compare(fact, targets, new=())
        for entry in entries:
            entry.ending = ending.withdrawn(fact)

    def _compile(self, fact: Fact, targets: tuple[str, ...]) -> None:
        awaited = self.endings.awaited(fact)
        self.endings.by(fact, targets)
        if awaited:
            for target in targets:
                entry = self.drafts.begin(target, fact)
                self.drafts.end(entry, ending.worded(entry, awaited))
            return
        new = [target for target in targets if not self._join(target, fact)]
        self._compare(fact, targets, new)

    def _join(self, target: str, fact: Fact) -> bool:
        """Let a fact join an entry of a target, else begin one; whether it joined."""
        entry = self._joinable(target, fact)
        if entry is None:
            self.drafts.begin(target, fact)
            return False
        self.drafts.join(entry, fact)
        self.conflicts.joined(entry, fact)
        return True

    def _joinable(self, target: str, fact: Fact) -> DraftEntry | None:
        """The entry that says the same as a fact, or something else under its title."""
        for entry in self.drafts.of_value(target, fact):
            return entry
        for entry in self.drafts.of_title(target, fact):
            if conflicting.against(entry, fact) is None:
                return entry
        return None

    def _compare(
        self, fact: Fact, targets: tuple[str, ...], new: Sequence[str]
    ) -> None:
        """Note what a fact contradicts, and what its new entries may overlap with."""
        mine = self.drafts.of_fact[fact.id]
        for entry in conflicting.candidates(self.drafts, fact, targets):
            clash = conflicting.against(entry, fact)
            if clash:
                self.conflicts.found(entry, mine, fact, clash)
            elif entry.target in new and entry.is_current:
                self.overlaps.extend(conflicting.overlap(entry, fact))

    def finished(self) -> Folded:
        """The whole picture, once every fact went by."""
        loose = [one for one in self.resolutions if not self._attach(one[0])]
        self.conflicts.settle()
        return Folded(
            targets=self._targets(loose),
            overlaps=tuple(self.overlaps),
            warnings=(*self.endings.unmet(), *self._warnings(loose)),
        )

    def _targets(self, loose: Sequence[Placed]) -> dict[str, Target]:
        entries = _by_target(
            (one.target, one.finished()) for one in self.drafts.entries
        )
        conflicts = _by_target(self._conflicts())
        pending = _by_target(self._pending())
        apart = _by_target((name, fact) for fact, names in loose for name in names)
        return {
            name: Target(
                name=name,
                entries=tuple(entries.get(name, ())),
                conflicts=tuple(conflicts.get(name, ())),
                pending=tuple(pending.get(name, ())),
                loose=tuple(apart.get(name, ())),
            )
            for name in sorted({*entries, *conflicts, *pending, *apart})
        }

    def _conflicts(self) -> Iterator[tuple[str, Conflict]]:
        for one in self.conflicts.all:
            for target in one.targets:
                yield target, one.finished(target)

    def _pending(self) -> Iterator[tuple[str, PendingItem]]:
        """The facts of low confidence, held against what holds in the end (G8)."""
        for fact, targets in self.low:
            near = conflicting.candidates(self.drafts, fact, targets)
            opposed = (one for one in near if one.is_current)
            against = (one for one in opposed if conflicting.against(one, fact))
            entry = next(against, None)
            topic = entry.head.title if entry else ""
            for target in targets:
                yield target, PendingItem(target=target, fact=fact, contradicts=topic)

    def _warnings(self, loose: Sequence[Placed]) -> Iterator[str]:
        """What is to be said of resolutions that resolve nothing."""
        for fact, _ in loose:
            if not fact.withdrawn:
                yield f"{said_by(fact)}: resolves {fact.resolves}, which is no conflict"
        for fact in self.unverified:
            for one in self.conflicts.called(fact.resolves):
                yield (
                    f"{said_by(fact)}: nobody verified it, so it resolves nothing; a "
                    f"person types: afterword conflict resolve {one.id} --keep "
                    f"{fact.keep} --why TEXT"
                )


def _by_target(pairs: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    found: dict[str, list[T]] = {}
    for target, one in pairs:
        found.setdefault(target, []).append(one)
    return found
