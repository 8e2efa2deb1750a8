"""A target's file as it is to be: the bytes that are there, changed by operations.

Entries are added, updated, marked and removed where they stand; text of persons keeps its
bytes and its place (DESIGN 8). Composing what a file already says gives its own bytes.
Pure; imports the room's `document`, `rendering`, `placing` and `header`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from afterword.model import Model
from afterword.snapshot import (
    blocks_shown,
    conflict_blocks,
    cutting,
    document,
    header,
    metadata,
    rendering,
    slots,
    texts,
    tiles,
    words,
)
from afterword.snapshot.document import Held
from afterword.snapshot.folded import Conflict, Entry, PendingItem, Target
from afterword.snapshot.header import Wanted
from afterword.snapshot.placing import Slots
from afterword.snapshot.slots import Slot
from afterword.store import blocks
from afterword.store.newline import newline_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_STATUS, _PURPOSE = "status", "purpose"


class Given(Model):
    """What a file shows beside its target: all from outside of the fold."""

    date: str
    language: str = "en"
    module_path: tuple[str, ...] = ()
    purpose: str = ""
    status: str = ""
    history_count: int = 0
    stems: tuple[str, ...] = ()


def compose(
    before: bytes | None,
    target: Target,
    *,
    date: str,
    language: str = "en",
    module_path: str | Sequence[str] = (),
    purpose: str = "",
    status: str = "",
    history_count: int = 0,
    stems: Sequence[str] = (),
) -> bytes:
    """The bytes of a target's file; `before` itself where it says all that already.

    `date` stands in the header if anything else changes. `module_path`, `purpose` and
    `status` are those of a module's row in the registry; `history_count` is how many
    blocks its history holds.
    """
    shown = given(
        date=date,
        language=language,
        module_path=module_path,
        purpose=purpose,
        status=status,
        history_count=history_count,
        stems=stems,
    )
    return Page(before, target.name).composed(target, shown)


def given(*, module_path: str | Sequence[str] = (), **more: Any) -> Given:
    """What `compose` shows beside a target, from its arguments."""
    paths = (module_path,) if isinstance(module_path, str) else module_path
    stems = tuple(more.pop("stems", ()))
    return Given(module_path=tuple(filter(None, paths)), stems=stems, **more)


class Page:
    """One file, read once, of which several targets can be composed."""

    def __init__(self, before: bytes | None, name: str) -> None:
        self._before = before or b""
        self._newline = newline_of(self._before)
        front = blocks.has_front(self._before)
        self._data = self._before
        if blocks.unclosed(self._before, front):
            self._data = blocks.finished(self._before, self._newline, front)
        self._name = name
        self.held = document.held(cutting.cut(self._data), name)
        self._shown: dict[str, bytes] = {}

    def composed(self, target: Target, given: Given) -> bytes:
        """The file that shows a target."""
        here = Slots(self.held, self._newline, self._name)
        _Composition(self, here, target, given).run()
        head = self.held[0].tile.raw
        was = header.read(head).compiled or given.date
        same = here.joined(self._header(head, given.replace(date=was)))
        if same == self._data:
            return self._before
        return here.joined(self._header(head, given))

    def _header(self, raw: bytes, given: Given) -> bytes:
        wanted = Wanted(
            name=self._name,
            date=given.date,
            stems=given.stems,
            path=given.module_path,
            older=given.history_count,
        )
        return header.compose(raw, wanted, self._newline)

    def block(self, entry: Entry, held: Held | None) -> bytes:
        """The bytes of an entry with its metadata, in the shape in which it stands."""
        if entry.id not in self._shown:
            lines = blocks_shown.entry(entry, held)
            self._shown[entry.id] = self.raw(lines)
        return self._shown[entry.id]

    def holding(self, one: Entry | Conflict) -> Held:
        """The block that shows an entry or conflict in the file as it was read."""
        return self._by_id[one.id]

    @cached_property
    def _by_id(self) -> dict[str, Held]:
        found: dict[str, Held] = {}
        for held in self.held:
            if held.conflict:
                found.setdefault(held.conflict.id, held)
            if held.tile.role == tiles.ENTRY:
                found.update((fact.id, held) for fact in held.facts)
        return found

    def raw(self, lines: Sequence[str]) -> bytes:
        """Lines as bytes of this file."""
        text = "".join(f"{line}\n" for line in lines)
        return blocks.with_newline(texts.encoded(text), self._newline)


class _Composition:
    """One target on its way into the slots of a file."""

    def __init__(self, page: Page, here: Slots, target: Target, given: Given) -> None:
        self._page = page
        self._slots = here
        self._target = target
        self._given = given

    def run(self) -> None:
        self._fields()
        self._entries()
        conflict_blocks.show(
            self._page, self._slots, self._target, self._given.language
        )
        self._pending()
        self._slots.drop_empty()

    # What a module is (7.2).

    def _fields(self) -> None:
        wanted = {_PURPOSE: self._given.purpose, _STATUS: self._given.status}
        found = {slot.tile.name: slot for slot in self._slots.of(tiles.FIELD)}
        if not found and self._slots.has_section(words.OVERVIEW):
            return
        lines = []
        for name, text in wanted.items():
            if name in found:
                self._field(found[name], name, texts.one_line(text))
            elif text and not found:
                lines.append(f"- {name.capitalize()}: {texts.one_line(text)}")
        if lines:
            raw = self._page.raw(lines)
            self._slots.add_lead(words.OVERVIEW, raw)

    def _field(self, slot: Slot, name: str, text: str) -> None:
        """A module's status as it is now; its purpose only where nobody wrote one."""
        line = texts.decoded(slot.raw).rstrip("\r\n")
        now = texts.value(line)
        is_open = not now or now.startswith("{{")
        if text and now != text and (name == _STATUS or is_open):
            start = line[: len(line) - len(now)] if now else f"{line.rstrip()} "
            slot.raw = self._page.raw([start + text])

    # Entries.

    def _entries(self) -> None:
        groups = self._groups()
        ordered = sorted(self._target.entries, key=lambda entry: entry.place)
        zones: dict[tuple[str, str], list[tuple[Entry, Slot | None]]] = {}
        for entry in ordered:
            slot = self._entry(entry, groups.get(entry.id, []))
            head = entry.head
            part = head.part if head.part in words.PARTS else ""
            kind = slots.section_of(head.kind)
            zone = (kind, part if kind == words.ARCHITECTURE else "")
            zones.setdefault(zone, []).append((entry, slot))
        for zone, found in zones.items():
            self._slots.place(
                zone,
                [
                    (slot, self._page.block(entry, None) if slot is None else b"")
                    for entry, slot in found
                ],
            )

    def _groups(self) -> dict[str, list[Slot]]:
        """The slots that show each entry; those that show none any longer go."""
        by_fact = {
            fact.id: entry for entry in self._target.entries for fact in entry.facts
        }
        groups: dict[str, list[Slot]] = {}
        for slot in self._slots.of(tiles.ENTRY):
            entries = (by_fact.get(fact.id) for fact in slot.held.facts)
            entry = next((one for one in entries if one), None)
            if entry:
                groups.setdefault(entry.id, []).append(slot)
            elif slot.held.facts:
                slot.drop()
        return groups

    def _entry(self, entry: Entry, group: list[Slot]) -> Slot | None:
        """The slot that shows an entry as it is to be; None where it has none yet."""
        if not group:
            return None
        first = group[0]
        if len(group) == 1 and blocks_shown.is_same(entry, first.held):
            return first
        if _are_adopted(entry, group):
            return first
        copies = [slot.held for slot in group if _are_copies(slot, first)]
        whole = blocks_shown.with_lines_of(entry, copies) if copies[1:] else entry
        first.raw = self._page.block(whole, first.held)
        for slot in group[1:]:
            slot.drop()
        return first

    # Pending items (7.6).

    def _pending(self) -> None:
        wanted = {item.fact.id: item for item in self._target.pending}
        found: dict[str, Slot] = {}
        for slot in self._slots.of(tiles.PENDING):
            if not slot.held.facts:
                continue
            name = slot.held.facts[0].id
            if name not in wanted or name in found:
                slot.drop()
                continue
            found[name] = slot
            if not blocks_shown.is_same_item(wanted[name], slot.held):
                slot.raw = self._item(wanted[name])
        ordered = sorted(wanted.values(), key=slots.item_place)
        pairs = [
            (
                found.get(item.fact.id),
                b"" if item.fact.id in found else self._item(item),
            )
            for item in ordered
        ]
        self._slots.place(slots.PENDING_ZONE, pairs)

    def _item(self, item: PendingItem) -> bytes:
        return self._page.raw(list(_item_lines(item)))


def _item_lines(item: PendingItem) -> Iterator[str]:
    fact = item.fact
    yield rendering.pending(item)
    yield from (f"  {line}" for line in rendering.kept(fact))
    data: Mapping[str, object] = metadata.of_fact(fact, whole=True)
    yield "  " + metadata.to_line({**data, "contradicts": item.contradicts})


def _are_adopted(entry: Entry, group: Sequence[Slot]) -> bool:
    """Whether an entry is nothing but adopted blocks of one title, which stay as they are."""
    ids = {fact.id for slot in group for fact in slot.held.facts}
    return (
        all(slot.held.is_adopted for slot in group)
        and not rendering.mark(entry)
        and not any(fact.sources for fact in entry.facts)
        and ids == {fact.id for fact in entry.facts}
    )


def _are_copies(slot: Slot, other: Slot) -> bool:
    """Whether two blocks are of one fact, as a merge of text may leave them."""
    return slot.held.facts[0].id == other.held.facts[0].id
