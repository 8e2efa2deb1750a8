"""The conflicts of a target in its file: their blocks, the log, decisions of none (7.5).

Those that facts make follow the fold; a block that another system wrote stays as it is
until a person decides it. Pure; imports the room's `blocks_shown`, `rendering`, `slots`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from afterword.snapshot import (
    blocks_shown,
    metadata,
    rendering,
    resolution,
    slots,
    texts,
    tiles,
)
from afterword.snapshot.document import Held
from afterword.snapshot.fact import Fact, normalised
from afterword.snapshot.folded import Conflict, Target
from afterword.snapshot.placing import Slots
from afterword.snapshot.slots import Slot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from afterword.snapshot.composing import Page


def show(page: Page, here: Slots, target: Target, language: str) -> None:
    """Bring blocks, log and loose resolutions of a file in line with its target."""
    _Shown(page, here, target, language).run()


class _Shown:
    """The conflicts of one target on their way into its file."""

    def __init__(self, page: Page, here: Slots, target: Target, language: str) -> None:
        self._page = page
        self._slots = here
        self._target = target
        self._language = language
        self._loose = list(target.loose)

    def run(self) -> None:
        self._log(self._conflicts())
        self._loose_ones()

    def _conflicts(self) -> list[Conflict]:
        """Show every conflict of the target; gives those that the log is about."""
        wanted = sorted(self._target.conflicts, key=lambda one: (one.order, one.id))
        named = {name: one for one in wanted for name in (one.id, *one.aliases)}
        found: dict[str, Slot] = {}
        own: list[Conflict] = []
        for slot in self._slots.of(tiles.CONFLICT):
            one = _named(slot.held.conflict, named)
            if one is None:
                own += self._adopted_conflict(slot)
            elif one.id in found:
                slot.drop()
            else:
                found[one.id] = slot
                self._conflict(slot, one)
        zones: dict[str, list[tuple[Slot | None, bytes]]] = {}
        for one in wanted:
            slot_ = found.get(one.id)
            raw = b"" if slot_ else self._page.raw(self._lines(one))
            zones.setdefault(slots.section_of(one.kind), []).append((slot_, raw))
        for kind, pairs in zones.items():
            self._slots.place((kind, slots.CONFLICTS), pairs)
        return [*wanted, *own]

    def _conflict(self, slot: Slot, one: Conflict) -> None:
        if slot.held.conflict != one or slot.tile.data is None:
            slot.raw = self._page.raw(self._lines(one, slot.held))

    def _lines(self, one: Conflict, held: Held | None = None) -> list[str]:
        return blocks_shown.conflict(one, self._target.name, self._language, held)

    def _adopted_conflict(self, slot: Slot) -> list[Conflict]:
        """A block that no facts make: an adopted one stays, decided or not; else it goes."""
        one, data = slot.held.conflict, slot.tile.data
        if one is None or (data is not None and data.get("adopted") is not True):
            slot.drop()
            return []
        decided = [fact for fact in self._target.loose if _resolves(fact, one)]
        self._loose = [fact for fact in self._loose if fact not in decided]
        if not decided and data is None:
            return []
        changed = blocks_shown.decided(one, decided)
        if changed != one:
            lines = blocks_shown.adopted_conflict(slot.tile, changed, self._language)
            slot.raw = self._page.raw(lines)
        return [changed]

    def _log(self, shown: Sequence[Conflict]) -> None:
        held = (one.conflict for one in self._page.held if not one.is_adopted)
        topics = {_topic(one.topic) for one in (*held, *shown) if one}
        own = [
            slot
            for slot in self._slots.of(tiles.LOG)
            if _topic(slot.tile.name) in topics
        ]
        wanted = [
            self._page.raw(
                [
                    rendering.log_line(
                        one, self._slots.heading(slots.section_of(one.kind))
                    )
                ]
            )
            for one in shown
        ]
        if [slot.raw for slot in own] != wanted:
            self._slots.replace(slots.LOG_ZONE, own, wanted)

    def _loose_ones(self) -> None:
        wanted = {fact.id: fact for fact in self._loose}
        own = [slot for slot in self._slots.of(tiles.LOOSE) if slot.held.facts]
        if [slot.held.facts[0] for slot in own] == list(wanted.values()):
            return
        lines = [
            self._page.raw([metadata.to_line(metadata.of_fact(fact, whole=True))])
            for fact in wanted.values()
        ]
        self._slots.replace(slots.LOOSE_ZONE, own, lines)


def _named(one: Conflict | None, named: Mapping[str, Conflict]) -> Conflict | None:
    """The conflict of the target that a block shows, by any of its names."""
    names = (one.id, *one.aliases) if one else ()
    return next((named[name] for name in names if name in named), None)


def _resolves(fact: Fact, one: Conflict) -> bool:
    names = (one.id, *one.aliases)
    topic = resolution.topic_name(fact.resolves)
    return fact.resolves.strip() in names or topic == normalised(one.topic)


def _topic(text: str) -> str:
    return normalised(texts.one_line(text))
