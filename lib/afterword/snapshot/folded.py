"""What a fold makes of facts: entries, conflicts, pending items, by target.

A target is "" for the snapshot or the name of a module. Frozen models that `fold` makes,
`rendering` shows and `sizing` divides. Pure; imports `fact`, `words` and `model`.
"""

from __future__ import annotations

from collections.abc import Mapping

from afterword.model import Model
from afterword.snapshot import words
from afterword.snapshot.fact import Fact, order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from afterword.snapshot.fact import Order


class Ending(Model):
    """That an entry holds no longer: since when, by whom, why, and the fact that says so.

    `word` is what the file shows, `Superseded` or `Resolved`; `order` the place of the fact
    that ended it, by which entries leave for the history.
    """

    word: str
    date: str
    author: str
    reason: str
    by: str
    order: Order


class Entry(Model):
    """One heading of a target file: a fact, and those that say more under the same title.

    `facts` are in order; the first gives id, title, kind and part.
    """

    target: str
    facts: tuple[Fact, ...]
    ending: Ending | None = None

    @property
    def head(self) -> Fact:
        return self.facts[0]

    @property
    def id(self) -> str:
        return self.facts[0].id

    @property
    def is_current(self) -> bool:
        return self.ending is None

    @property
    def is_confirmed(self) -> bool:
        """Whether no `[待验证]` stands before its title (L057, L058, G18)."""
        return any(
            fact.confidence == words.HIGH or fact.status == words.VERIFIED
            for fact in self.facts
        )

    @property
    def place(self) -> tuple[Order, str]:
        """Its place among the entries of its section."""
        return order(self.facts[0]), self.facts[0].id


class Side(Model):
    """What one side of a conflict says, as the block shows it; `target` is where it stands."""

    fact: str
    target: str
    says: str
    recorded: str
    author: str
    status: str


class Conflict(Model):
    """Two entries that cannot both hold. Only verified resolutions end it (L031, G11).

    `id` is `c-` and eight hex digits over the sorted pair of the sides' fact ids, `aliases`
    those over every other pair of facts of the two entries. `state` is `pending_resolution`
    or `resolved`, `keep` what the effective resolutions agree on.
    """

    id: str
    aliases: tuple[str, ...]
    kind: str
    topic: str
    old: Side
    new: Side
    order: Order
    state: str = words.PENDING_RESOLUTION
    keep: str = ""
    resolutions: tuple[Fact, ...] = ()

    @property
    def targets(self) -> tuple[str, ...]:
        """The files that show it: those of both sides."""
        return tuple(sorted({self.old.target, self.new.target}))

    @property
    def is_open(self) -> bool:
        return self.state == words.PENDING_RESOLUTION


class PendingItem(Model):
    """A fact of low confidence: listed, not compiled (L059, L060); G8: what it contradicts."""

    target: str
    fact: Fact
    contradicts: str = ""


class Overlap(Model):
    """Two entries that may say the same or the contrary: for the report only (10.5, tier 3)."""

    target: str
    kind: str
    one: str
    other: str
    why: str


class Target(Model):
    """All that one file shows. `loose` are resolutions of conflicts that nobody knows (yet)."""

    name: str
    entries: tuple[Entry, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    pending: tuple[PendingItem, ...] = ()
    loose: tuple[Fact, ...] = ()

    @property
    def ids(self) -> frozenset[str]:
        """Every fact that the file holds, for the guard against vanishing ones."""
        found = {fact.id for entry in self.entries for fact in entry.facts}
        found.update(item.fact.id for item in self.pending)
        found.update(fact.id for one in self.conflicts for fact in one.resolutions)
        found.update(fact.id for fact in self.loose)
        return frozenset(found)


class Folded(Model):
    """The targets by name, overlaps and warnings (`where: text`) for the report."""

    targets: Mapping[str, Target]
    overlaps: tuple[Overlap, ...] = ()
    warnings: tuple[str, ...] = ()
