"""What one compiled file shows and does not explain: endings and conflicts of other files.

A compile folds all files at once, a merge sees one. So each version is folded alone: what
it shows and its own facts do not give came from elsewhere, and stays; what they would
give and it does not show was settled elsewhere, and does not come back. Pure; imports
`snapshot`'s rules , `merge.compiled` and `merge.laws`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from afterword.merge import compiled, laws
from afterword.model import TYPE_CHECKING, Model
from afterword.snapshot import document, fold, resolution, words
from afterword.snapshot.fact import Fact, united
from afterword.snapshot.folded import Conflict, Ending, Entry, Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

_MARK = re.compile(r"- (Superseded|Resolved): (\S+) by (.*?)(?: - (.*))?\Z", re.DOTALL)


class Version(Model):
    """One version of a file: the ids of its facts, and what it shows.

    `conflicts` are by id, `alone` are those that its facts give by themselves. `endings` are
    by fact, those of its entries that its facts do not give.
    """

    ids: frozenset[str]
    conflicts: Mapping[str, Conflict]
    alone: tuple[Conflict, ...]
    endings: Mapping[str, Ending]

    def shown(self, conflict: Conflict) -> Conflict | None:
        """A conflict as the version shows it, under whichever of its names."""
        names = (conflict.id, *conflict.aliases)
        known = (self.conflicts[name] for name in names if name in self.conflicts)
        return next(known, None)

    def is_settled(self, conflict: Conflict) -> bool:
        """Whether its facts give a conflict that it does not show."""
        names = {conflict.id, *conflict.aliases}
        is_given = any(
            not names.isdisjoint((one.id, *one.aliases)) for one in self.alone
        )
        return is_given and self.shown(conflict) is None


def of(data: bytes, owner: str) -> Version:
    """What a file of a module, "" for the snapshot, shows and does not explain."""
    found = document.read(data, module=owner)
    target = folded(found.facts, owner)
    ended = {entry.id for entry in target.entries if entry.ending}
    said = [
        one
        for piece in compiled.pieces_of(data)
        if (one := compiled.metadata_of(piece.body))
    ]
    endings = {str(one.get("id", "")): _ending(one) for one in said}
    return Version(
        ids=frozenset(fact.id for fact in found.facts),
        conflicts={
            name: one
            for one in found.conflicts
            for name in (one.id, *one.aliases)
            if one.old.fact
        },
        alone=target.conflicts,
        endings={
            name: one for name, one in endings.items() if one and name not in ended
        },
    )


def folded(facts: Iterable[Fact], owner: str) -> Target:
    """What facts show in one file that holds them all."""
    found = fold.fold(facts, lambda _: (owner,))
    return found.targets.get(owner, Target(name=owner))


def _ending(said: Mapping[str, Any]) -> Ending | None:
    """The ending that an entry's line of metadata repeats."""
    mark = said.get("mark")
    found = _MARK.match(mark) if isinstance(mark, str) else None
    if found is None:
        return None
    word, date, author, reason = found.groups(default="")
    order = (1, date, "", "", 0)
    return Ending(
        word=word, date=date, author=author, reason=reason, by="", order=order
    )


def kept(target: Target, versions: Sequence[Version]) -> Target:
    """The merged file with what came from elsewhere; `versions` are the base and both sides."""
    before, ours, theirs = versions
    conflicts = {
        one.id: one
        for one in target.conflicts
        if not _is_gone(one, before, ours, theirs)
    }
    known = {name for one in conflicts.values() for name in (one.id, *one.aliases)}
    for one in {**ours.conflicts, **theirs.conflicts}.values():
        if one.id not in known and not _is_gone(one, before, ours, theirs):
            both = _joined(*(side.shown(one) for side in versions))
            conflicts[both.id] = both
            known.update((both.id, *both.aliases))
    given = {fact.id for one in conflicts.values() for fact in one.resolutions}
    return target.replace(
        entries=tuple(_ended(entry, versions) for entry in target.entries),
        conflicts=tuple(sorted(conflicts.values(), key=_place)),
        loose=tuple(fact for fact in target.loose if fact.id not in given),
    )


def _place(conflict: Conflict) -> tuple[object, str]:
    return conflict.order, conflict.id


def _is_gone(
    conflict: Conflict, before: Version, ours: Version, theirs: Version
) -> bool:
    """Whether a side moved a conflict away, and the other has nothing new to say of it."""
    old = before.shown(conflict)
    for one, other in ((ours, theirs), (theirs, ours)):
        said = other.shown(conflict)
        is_left = one.shown(conflict) is None and (one.is_settled(conflict) or old)
        if is_left and (said is None or said == old):
            return True
    return False


def _joined(
    before: Conflict | None, ours: Conflict | None, theirs: Conflict | None
) -> Conflict:
    """A conflict as both sides show it: all names, all resolutions, and what these decide."""
    sides = [one for one in (ours, theirs) if one is not None]
    one = min(sides, key=repr)
    facts = united(fact for side in sides for fact in side.resolutions)
    kept = resolution.agreed(tuple(facts.values()))
    state = words.RESOLVED if kept else words.PENDING_RESOLUTION
    if not facts:
        old = before.state if before else None
        state = laws.three_way(old, sides[0].state, sides[-1].state, max) or state
    names = {name for side in sides for name in (side.id, *side.aliases)}
    return one.replace(
        aliases=tuple(sorted(names - {one.id})),
        state=state,
        keep=kept,
        resolutions=tuple(facts.values()),
    )


def _ended(entry: Entry, versions: Sequence[Version]) -> Entry:
    """An entry with the ending that it has from elsewhere."""
    if entry.ending:
        return entry
    sides = [side for side in versions[1:] if entry.id in side.ids]
    marks = [side.endings.get(entry.id) for side in sides]
    old = versions[0].endings.get(entry.id)
    changed = [mark for mark in marks if mark != old] or marks
    ending = min((mark for mark in changed if mark), key=_date, default=None)
    return entry.replace(ending=ending) if ending else entry


def _date(ending: Ending) -> tuple[object, str]:
    return ending.order, repr(ending)
