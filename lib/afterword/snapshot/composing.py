"""A target file as a compile leaves it: operations on the passages of the file before.

Entries, conflicts and items of the program take the places that such had; adopted
entries and all text of persons stay where they are, byte for byte (DESIGN 8). Pure;
imports the room's readers and `rendering`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from afterword.model import Model
from afterword.snapshot import header, passages, rendering, section_text, words
from afterword.snapshot.folded import Entry, Target
from afterword.snapshot.passages import Passage
from afterword.snapshot.section_text import Chunk
from afterword.store import blocks
from afterword.store.newline import newline_of

RANKS = (*words.SECTIONS, words.CONFLICT_LOG, words.PENDING)


class Section(Model):
    """A section of a file: its name of ours, "" for others, and its passages."""

    name: str
    passages: Sequence[Passage]


def compose(
    before: bytes | None,
    target: Target,
    *,
    date: str,
    language: str = "en",
    module_path: Sequence[str] = (),
    purpose: str = "",
    status: str = "",
    stems: Sequence[str] = (),
    history: str = "",
) -> bytes:
    """The file of a target; the bytes before where nothing but the date would change.

    `history` is what the header says of entries that left, "" where none did.
    """
    data = before or header.new(target.name)
    found = passages.cut(data, target.name)
    newline = newline_of(data)
    shown = _Shown(target, found, language)
    sections = [shown.changed(one) for one in _sections(found[1:])]
    sections = _with_new(sections, shown, purpose, status)
    body = section_text.joined(_flat(sections), newline)
    path = ", ".join(module_path) if target.name else ""
    head = found[0].raw
    old = header.read(head)
    of_head = {"stems": stems, "path": path, "history": history}
    if before is not None:
        is_same = body == before[len(head) :] and tuple(stems) == old.stems
        kept = header.changed(head, date=old.date, **of_head) if old.date else head  # type: ignore[arg-type]  # all are of the types named
        if is_same and kept == head:
            return before
    head = header.changed(head, date=date, **of_head)  # type: ignore[arg-type]  # as above
    return _whole(head, body, newline)


def _whole(head: bytes, body: bytes, newline: bytes) -> bytes:
    """Header and sections, an empty line between them where none is yet."""
    return blocks.append(head, body, newline=newline) if body else head


def _sections(found: Iterable[Passage]) -> list[Section]:
    """The passages by section; what stands in none of ours is a section without a name."""
    sections: list[Section] = []
    for one in found:
        begins = one.role == passages.HEADING and not one.part
        if begins or not sections:
            sections.append(Section(name=one.section, passages=[one]))
        else:
            sections[-1] = sections[-1].replace(passages=[*sections[-1].passages, one])
    return sections


class _Named(Model):
    """A section as it will be: `is_gone` where nothing is left of it."""

    name: str
    chunks: Sequence[Chunk]
    is_gone: bool = False


def _flat(sections: Iterable[_Named]) -> list[Chunk]:
    return [chunk for one in sections if not one.is_gone for chunk in one.chunks]


class _Shown:
    """What a target shows, and what of it no section has taken yet."""

    def __init__(self, target: Target, found: Sequence[Passage], language: str) -> None:
        self._target = target
        self._language = language
        self._by_fact = {
            fact.id: entry for entry in target.entries for fact in entry.facts
        }
        self._pending_ids = {item.fact.id for item in target.pending}
        there = [one for one in found if one.role in (passages.ADOPTED, passages.SAID)]
        self._adopted = {fact.id: one for one in there for fact in one.facts}
        owned = [entry for entry in target.entries if not self._stays(entry)]
        self._entries: dict[tuple[str, str], list[Entry]] = {}
        for entry in sorted(owned, key=lambda entry: entry.place):
            self._entries.setdefault(_place(entry), []).append(entry)
        self._conflicts: dict[str, list[Chunk]] = {}
        for one in target.conflicts:
            name = words.SECTION_OF.get(one.kind, words.SECTION_OF[words.UNCATEGORIZED])
            chunk = section_text.of_conflict(one, target.name, language)
            self._conflicts.setdefault(name, []).append(chunk)
        self._items = [
            section_text.of_item(item)
            for item in target.pending
            if self._is_new(item.fact.id)
        ]
        kept = [one for one in found if one.role == passages.CONFLICT]
        self._log = section_text.log(target, kept)

    @property
    def is_module(self) -> bool:
        return bool(self._target.name)

    def _is_new(self, identity: str) -> bool:
        return identity not in self._adopted

    def _stays(self, entry: Entry) -> bool:
        """Whether an entry is adopted and stands in the file: as it is, or changed in place."""
        there = self._adopted.get(entry.id)
        if there is None:
            return False
        return there.role == passages.ADOPTED or not _is_touched(entry)

    def names(self) -> set[str]:
        """The sections that something of the program has to stand in."""
        found = {name for name, _ in self._entries}
        found.update(self._conflicts)
        found.update([words.CONFLICT_LOG] if self._log else [])
        found.update([words.PENDING] if self._items else [])
        return found

    def changed(self, section: Section) -> _Named:
        """A section that is there, with what the program shows in it now."""
        old = section.passages
        if section.name == words.PENDING:
            chunks = self._exchanged(old, passages.PENDING, self._taken_items())
        elif section.name == words.CONFLICT_LOG:
            chunks = self._exchanged(old, passages.LOG, self._taken_log())
        elif section.name:
            chunks = self._knowledge(section)
        else:
            return _Named(name="", chunks=[Chunk(raw=one.raw) for one in old])
        had = any(one.role not in (passages.TEXT, passages.HEADING) for one in old)
        left = [one for one in chunks[1:] if one.raw.strip() and not one.is_heading]
        return _Named(name=section.name, chunks=chunks, is_gone=had and not left)

    def _taken_items(self) -> list[Chunk]:
        taken, self._items = self._items, []
        return taken

    def _taken_log(self) -> list[Chunk]:
        taken, self._log = self._log, []
        return taken

    def _exchanged(
        self, old: Sequence[Passage], role: str, new: list[Chunk]
    ) -> list[Chunk]:
        """The passages with those of a role exchanged for new ones, in the same places."""
        slots = [at for at, one in enumerate(old) if one.role == role]
        last = slots[-1] if slots else len(old) - 1
        found: list[Chunk] = []
        for at, one in enumerate(old):
            if one.role == role:
                found += [new.pop(0)] if new else []
            elif not (one.role == passages.SAID and self._is_gone(one)):
                found.append(section_text.of_passage(one))
            if at == last:
                found += new
        return found

    def _is_gone(self, one: Passage) -> bool:
        return not any(
            fact.id in self._by_fact or fact.id in self._pending_ids
            for fact in one.facts
        )

    def _knowledge(self, section: Section) -> list[Chunk]:
        """A section of entries: each part with its own, the conflicts behind them."""
        conflicts = self._conflicts.pop(section.name, [])
        last = _last(section.passages)
        found: list[Chunk] = []
        for at, one in enumerate(section.passages):
            waiting = self._entries.get((section.name, one.part), [])
            if one.role == passages.ENTRY:
                found += [self._entry(waiting.pop(0))] if waiting else []
            elif one.role == passages.CONFLICT and section_text.is_owned(one):
                found += [conflicts.pop(0)] if conflicts else []
            else:
                found += self._as_it_is(one)
            if last.get(one.part) == at:
                found += map(self._entry, waiting)
                self._entries.pop((section.name, one.part), None)
        found = self._with_parts(section.name, found)
        return [*found, *conflicts]

    def _as_it_is(self, one: Passage) -> list[Chunk]:
        if one.role == passages.CONFLICT:
            return [section_text.settled(one, self._target, self._language)]
        if one.role not in (passages.ADOPTED, passages.SAID):
            return [section_text.of_passage(one)]
        if self._is_gone(one):
            return []
        entry = self._by_fact.get(one.facts[0].id)
        if entry is None or one.role == passages.SAID or not _is_touched(entry):
            return [section_text.of_passage(one)]
        return [self._entry(entry, one.shown)]

    @staticmethod
    def _entry(entry: Entry, shown: str = "") -> Chunk:
        return section_text.of_lines(rendering.entry(entry, shown), entry.head.part)

    def _with_parts(self, name: str, chunks: list[Chunk]) -> list[Chunk]:
        """The section with the parts that it does not have yet, in their order."""
        for part in words.PARTS:
            waiting = self._entries.pop((name, part), [])
            if waiting:
                chunks = section_text.with_part(chunks, part, map(self._entry, waiting))
        return chunks

    def made(self, name: str, heading: str) -> _Named:
        """A section that is not there yet."""
        chunks = [section_text.of_heading(2, heading)]
        if name == words.PENDING:
            chunks += self._taken_items()
        elif name == words.CONFLICT_LOG:
            chunks += self._taken_log()
        else:
            chunks += map(self._entry, self._entries.pop((name, ""), []))
            chunks = self._with_parts(name, chunks)
            chunks += self._conflicts.pop(name, [])
        return _Named(name=name, chunks=chunks)


def _place(entry: Entry) -> tuple[str, str]:
    name = words.SECTION_OF.get(entry.head.kind, words.SECTION_OF[words.UNCATEGORIZED])
    part = entry.head.part if entry.head.part in words.PARTS else ""
    return name, part if words.SECTIONS[name] == words.ARCHITECTURE else ""


def _is_touched(entry: Entry) -> bool:
    """Whether an adopted entry says more than its text: then its block is written anew."""
    is_ended = entry.ending is not None and not rendering.has_own_mark(entry.head)
    return len(entry.facts) > 1 or is_ended or bool(entry.head.sources)


def _last(found: Sequence[Passage]) -> dict[str, int]:
    """Where further entries of each part go: behind its last entry, else behind its text."""
    last: dict[str, int] = {}
    for at, one in enumerate(found):
        if one.role == passages.ENTRY:
            last[one.part] = at
    for at, one in enumerate(found):
        is_conflict = one.role == passages.CONFLICT
        has_entry = any(
            other.role == passages.ENTRY and other.part == one.part for other in found
        )
        if not has_entry and not is_conflict:
            is_first_run = last.get(one.part, at - 1) == at - 1
            if one.part or is_first_run or one.part not in last:
                last[one.part] = at
    return last


def _with_new(
    sections: list[_Named], shown: _Shown, purpose: str, status: str
) -> list[_Named]:
    """The sections with those that are not there yet, each at its place in the order."""
    found = list(sections)
    there = {one.name for one in found if not one.is_gone}
    wanted = shown.names()
    of_module = shown.is_module
    if of_module and (purpose or status):
        wanted.add(words.SECTION_OF[words.OVERVIEW])
    for name in sorted(wanted - there, key=RANKS.index):
        heading = words.PENDING_HEADING if name == words.PENDING else name
        if of_module and name == words.SECTION_OF[words.OVERVIEW]:
            heading = words.MODULE_OVERVIEW
        made = shown.made(name, heading)
        found.insert(_at(found, name), made)
    if of_module:
        found = [section_text_of(one, purpose, status) for one in found]
    return found


def section_text_of(one: _Named, purpose: str, status: str) -> _Named:
    """A module's overview with the lines of its purpose and status."""
    if one.name != words.SECTION_OF[words.OVERVIEW]:
        return one
    return one.replace(chunks=section_text.described(one.chunks, purpose, status))


def _at(sections: Sequence[_Named], name: str) -> int:
    """Before the first section that comes later in the order, else at the end."""
    rank = RANKS.index(name)
    for at, one in enumerate(sections):
        if one.name and RANKS.index(one.name) > rank:
            return at
    return len(sections)
