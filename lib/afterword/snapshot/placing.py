"""Where things go in a target file: new ones to their places, others where they stand.

Where something new goes depends on the file's own blocks and the order of the fold only,
never on the run that brings it. Pure; imports `slots`, `tiles` and words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from afterword.snapshot import tiles, words
from afterword.snapshot.document import Held
from afterword.snapshot.slots import (
    CONFLICTS,
    LEAD,
    LISTS,
    RANKS,
    ZONES,
    Slot,
    begins_section,
    is_home,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from afterword.snapshot.slots import Key, Pair, Zone

_HEADING, _PART_HEADING = -2, -1


class Slots:
    """The slots of a file, and what comes between them; `name` is that of its module."""

    def __init__(self, held: Sequence[Held], newline: bytes, name: str) -> None:
        self._all = [Slot(at, one) for at, one in enumerate(held)]
        self._newline = newline
        self._name = name
        # what is new, by the slot before which it comes
        self._new: dict[int, list[tuple[Key, bytes, bytes]]] = {}
        self._sections: dict[str, int] = {}
        self._parts: dict[str, int] = {}
        self._made: dict[Zone, int] = {}
        for slot in self._all:
            tile = slot.tile
            if tile.role == tiles.SECTION and tile.section:
                self._sections.setdefault(tile.section, slot.at)
            if tile.role == tiles.PART:
                self._parts.setdefault(tile.part, slot.at)

    def of(self, role: str) -> list[Slot]:
        """The slots of a role that are not dropped, in their order."""
        return [
            one for one in self._all if one.tile.role == role and not one.is_dropped
        ]

    def has_section(self, kind: str) -> bool:
        """Whether the file has such a section."""
        return kind in self._sections

    def heading(self, kind: str) -> str:
        """The heading of a section as the file spells it, or as a new one is called."""
        if kind in self._sections:
            return self._all[self._sections[kind]].tile.name
        if kind in LISTS:
            return LISTS[kind]
        is_overview = kind == words.OVERVIEW and self._name
        return words.MODULE_OVERVIEW if is_overview else words.SECTION_OF[kind]

    # What comes where.

    def place(self, zone: Zone, pairs: Sequence[Pair]) -> None:
        """Bring a zone's blocks, given in their order, in order: new ones between the others.

        Adopted blocks stay where they are. A new one goes before its nearest successor
        that has metadata, else behind the last block and the text below it.
        """
        home = [slot for slot, _ in pairs if slot and is_home(slot, zone)]
        self._reorder(home)
        at: int | None = None
        for number in range(len(pairs) - 1, -1, -1):
            slot, raw = pairs[number]
            if slot is None:
                if at is None:
                    at = self._behind_last(home) if home else self._end(zone)
                self._add(at, zone, number, raw)
            elif slot.is_owned and is_home(slot, zone):
                at = slot.at

    def replace(self, zone: Zone, old: Sequence[Slot], raws: Sequence[bytes]) -> None:
        """Other lines in place of some, or at the end of the zone."""
        for slot in old:
            slot.drop()
        if raws:
            at = old[0].at if old else self._end(zone)
            self._add_all(at, zone, list(enumerate(raws)))

    def add_lead(self, kind: str, raw: bytes) -> None:
        """Text right below the heading of a section."""
        zone = (kind, LEAD)
        self._add(self._end(zone), zone, 0, raw)

    def _reorder(self, home: Sequence[Slot]) -> None:
        """Let blocks with metadata stand in the given order, in the places they have."""
        owned = [slot for slot in home if slot.is_owned]
        places = sorted(slot.at for slot in owned)
        if [slot.at for slot in owned] == places:
            return
        leads = [self._all[at].lead for at in places]
        for slot, at, lead in zip(owned, places, leads, strict=True):
            self._all[at] = slot
            slot.at, slot.lead = at, lead

    def _behind_last(self, home: Sequence[Slot]) -> int:
        """The place behind the last of some blocks and the text that stands below it."""
        slot = max(home, key=lambda one: one.at)
        at = slot.at + 1
        section = slot.tile.section
        while at < len(self._all) and self._is_below(self._all[at], section):
            at += 1
        return at

    def _is_below(self, slot: Slot, section: str) -> bool:
        if slot.is_dropped:
            return True
        tile = slot.tile
        return tile.role == tiles.TEXT and tile.section == section and tile.raw != b""

    def _add(self, at: int, zone: Zone, number: int, raw: bytes) -> None:
        lead = b"" if zone[0] in LISTS else self._newline
        key = (RANKS[zone[0]], ZONES[zone[1]], number)
        self._new.setdefault(at, []).append((key, lead, raw))

    def _add_all(self, at: int, zone: Zone, raws: Sequence[tuple[int, bytes]]) -> None:
        for number, raw in raws:
            self._add(at, zone, number, raw)

    # The ends of zones.

    def _end(self, zone: Zone) -> int:
        """Where the first block of a zone goes; its section and part are made if needed."""
        kind, sub = zone
        start = self._sections.get(kind)
        if start is None:
            at = self._section(kind)
            if sub in words.PARTS:
                self._heading((kind, sub), at, 3, words.PARTS[sub], _PART_HEADING)
            return at
        if sub == LEAD:
            return start + 1
        if sub in words.PARTS:
            return self._part_end(kind, sub)
        end = self._section_end(start)
        if sub == CONFLICTS:
            return end
        later = (tiles.PART, tiles.CONFLICT, tiles.LOOSE)
        inside = (slot for slot in self._all[start + 1 : end] if not slot.is_dropped)
        return next((slot.at for slot in inside if slot.tile.role in later), end)

    def _section_end(self, start: int) -> int:
        end = start + 1
        while end < len(self._all) and not begins_section(self._all[end].tile):
            end += 1
        return self._without_blank_end(end)

    def _without_blank_end(self, end: int) -> int:
        """Not behind the empty lines that end a file."""
        is_blank = end == len(self._all) and self._all[-1].tile.raw == b""
        return end - 1 if is_blank and end > 1 else end

    def _section(self, kind: str) -> int:
        """Where a new section goes: behind its nearest predecessor in the order (7.1)."""
        rank = RANKS[kind]
        lower = [one for one in self._sections if RANKS[one] < rank]
        higher = [at for one, at in self._sections.items() if RANKS[one] > rank]
        if lower:
            at = self._section_end(self._sections[max(lower, key=RANKS.__getitem__)])
        else:
            at = min(higher, default=self._without_blank_end(len(self._all)))
        self._heading((kind, ""), at, 2, self.heading(kind), _HEADING)
        return at

    def _part_end(self, kind: str, part: str) -> int:
        start = self._parts.get(part)
        if start is None:
            at = self._new_part_at(kind, part)
            self._heading((kind, part), at, 3, words.PARTS[part], _PART_HEADING)
            return at
        end = start + 1
        while end < len(self._all) and self._is_in_part(self._all[end], part):
            end += 1
        return self._without_blank_end(end)

    def _is_in_part(self, slot: Slot, part: str) -> bool:
        tile = slot.tile
        ends = (tiles.SECTION, tiles.PART, tiles.CONFLICT)
        return tile.role not in ends and tile.part == part

    def _new_part_at(self, kind: str, part: str) -> int:
        lower = [one for one in self._parts if ZONES[one] < ZONES[part]]
        if lower:
            return self._part_end(kind, max(lower, key=ZONES.__getitem__))
        return self._end((kind, ""))

    def _heading(self, zone: Zone, at: int, level: int, text: str, number: int) -> None:
        """A new heading, once."""
        if zone in self._made:
            return
        self._made[zone] = at
        raw = f"{'#' * level} {text}".encode() + self._newline
        rank = 0 if number == _HEADING else ZONES[zone[1]]
        key = (RANKS[zone[0]], rank, number)
        self._new.setdefault(at, []).append((key, self._newline, raw))

    # The file.

    def drop_empty(self) -> None:
        """Take out the headings of parts and sections when the last of their blocks went.

        A heading with nothing under it that nothing left is a person's, and stays.
        """
        for role in (tiles.PART, tiles.SECTION):
            for slot in self.of(role):
                if slot.tile.section and self._is_emptied(slot):
                    slot.drop()

    def _is_emptied(self, heading: Slot) -> bool:
        is_part = heading.tile.role == tiles.PART
        end = heading.at + 1
        while end < len(self._all) and not (
            begins_section(self._all[end].tile)
            or (is_part and not self._is_in_part(self._all[end], heading.tile.part))
        ):
            end += 1
        inside = self._all[heading.at + 1 : end]
        return (
            any(slot.is_dropped for slot in inside)
            and not any(slot.raw and not slot.is_dropped for slot in inside)
            and not self._is_added_to(heading, end)
        )

    def _is_added_to(self, heading: Slot, end: int) -> bool:
        """Whether something new comes below a heading."""
        rank, part = RANKS[heading.tile.section], heading.tile.part
        keys = (
            key
            for at in range(heading.at + 1, end + 1)
            for key, *_ in self._new.get(at, ())
        )
        return any(
            key[0] == rank and (not part or key[1] == ZONES[part]) for key in keys
        )

    def joined(self, header: bytes) -> bytes:
        """The bytes of the file, under another header."""
        found = [header]
        is_ended = not header or header.endswith((b"\n", b"\r"))
        for lead, raw in self._pieces(header):
            if not is_ended and lead + raw:
                found.append(self._newline)
            found += [lead, raw]
            is_ended = (lead + raw).endswith((b"\n", b"\r")) if lead + raw else is_ended
        return b"".join(found)

    def _pieces(self, header: bytes) -> Iterator[tuple[bytes, bytes]]:
        is_new = header != b"" and self._all[0].raw == b""
        for at in range(1, len(self._all) + 1):
            for _, lead, raw in sorted(self._new.get(at, ())):
                yield lead, raw
                is_new = False
            if at < len(self._all) and not self._all[at].is_dropped:
                slot = self._all[at]
                yield slot.lead or (self._newline if is_new else b""), slot.raw
                is_new = False
