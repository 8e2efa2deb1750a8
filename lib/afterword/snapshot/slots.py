"""The slots of a target file: places, and the bytes that will stand there.

And the zones in which they lie: the entries of a section, of a part of Architecture, its
conflicts, the log, the pending items. `placing` moves them. Pure; imports `document`.
"""

from __future__ import annotations

from afterword.snapshot import tiles, words
from afterword.snapshot.document import Held
from afterword.snapshot.fact import order
from afterword.snapshot.folded import PendingItem
from afterword.snapshot.tiles import Tile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from afterword.snapshot.fact import Order

    Zone = tuple[str, str]  # a section by what it holds, and a part or one of the below
    Key = tuple[int, int, int]  # among what is new at one place: section, zone, number
    Pair = tuple["Slot | None", bytes]  # where it stands, or the bytes of a new one

CONFLICTS, LEAD = "conflicts", "lead"
LOG_ZONE: Zone = (tiles.IN_LOG, "")
LOOSE_ZONE: Zone = (tiles.IN_LOG, CONFLICTS)
PENDING_ZONE: Zone = (tiles.IN_PENDING, "")
# The sections in their order (7.1), by what they hold.
RANKS = {
    kind: rank
    for rank, kind in enumerate(
        (*words.SECTIONS.values(), tiles.IN_LOG, tiles.IN_PENDING)
    )
}
ZONES = {name: rank for rank, name in enumerate((LEAD, "", *words.PARTS, CONFLICTS))}
# Sections of lists, which stand right below their headings.
LISTS = {
    tiles.IN_LOG: words.CONFLICT_LOG,
    tiles.IN_PENDING: words.PENDING_HEADING,
}


def section_of(kind: str) -> str:
    """The type whose section holds entries of a type; unknown ones stand apart."""
    return kind if kind in words.SECTION_OF else words.UNCATEGORIZED


def item_place(item: PendingItem) -> tuple[Order, str]:
    """The place of a pending item among others."""
    return order(item.fact), item.fact.id


class Slot:
    """A place in the file and the bytes that will stand there."""

    __slots__ = ("at", "held", "is_dropped", "lead", "raw")

    def __init__(self, at: int, held: Held) -> None:
        self.at = at
        self.held = held
        self.lead, self.raw = held.tile.lead, held.tile.raw
        self.is_dropped = False

    @property
    def tile(self) -> Tile:
        return self.held.tile

    @property
    def is_owned(self) -> bool:
        """Whether it has metadata, or gets some now: then it has a place in the fold's order."""
        return self.tile.data is not None or self.raw != self.tile.raw

    def drop(self) -> None:
        """Take it out of the file."""
        self.is_dropped = True


def is_home(slot: Slot, zone: Zone) -> bool:
    """Whether a block stands under a heading of its own zone, so that others go by it."""
    tile = slot.tile
    if slot.is_dropped or tile.section != zone[0]:
        return False
    if tile.role == tiles.ENTRY:
        return tile.shape == tiles.HEADED and tile.part == zone[1]
    return True


def begins_section(tile: Tile) -> bool:
    """Whether a heading ends the section above it."""
    return tile.role == tiles.SECTION or tile.level == 1
