"""What the program does to the evolution files, as functions of their bytes.

A `Memory` is the five files of a clone and its entry files, by their names; merges of
two of them play what git does, file by file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from afterword.evolution import (
    entry,
    evolve_plan,
    knowledge_base,
    queue,
    queue_archive,
    reflection,
    reflection_log,
    words,
)
from afterword.merge import archives, record, reflections
from afterword.merge import knowledge_base as base_merge
from afterword.merge import queue as queue_merge

QUEUE, QUEUE_ARCHIVE = "learning_queue.md", "learning_queue_archive.md"
LOG, LOG_ARCHIVE = "reflection_log.md", "reflection_log_archive.md"
BASE = "knowledge_base.md"
MERGES = {
    QUEUE: queue_merge.merge,
    QUEUE_ARCHIVE: archives.of_queue,
    LOG: reflections.merge,
    LOG_ARCHIVE: archives.of_reflections,
    BASE: base_merge.merge,
}
Memory = Mapping[str, bytes]


@dataclass(frozen=True)
class Act:
    """One act of the program; `day` is of November 2026, `name` makes it one of many."""

    what: str
    day: int = 1
    name: str = ""

    def apply(self, data: Memory) -> Memory:
        return _ACTS[self.what](data, self)

    @property
    def date(self) -> str:
        return f"2026-11-{self.day:02d}"

    @property
    def stamp(self) -> str:
        return f"{self.date}T12:00:00Z"


def _learn(memory: Memory, act: Act) -> Memory:
    main, archive = memory.get(QUEUE), memory.get(QUEUE_ARCHIVE, b"")
    number = queue.next_number(main or b"", archive)
    new = queue.New(
        identity=queue.new_identity(number, act.name),
        title=f"Title {act.name}",
        priority=f"P{act.day % 4}",
        source="session",
        added=act.date,
        content=f"What {act.name} says",
    )
    return {**memory, QUEUE: queue.add(main, new, "en")}


def _begin(memory: Memory, act: Act) -> Memory:
    """An item is marked as being worked on; a killed run leaves it so."""
    found = queue.read(memory.get(QUEUE, b""))
    for one in evolve_plan.waiting(found)[:1]:
        raw = queue.put_state(one.raw, words.PROCESSING, language="en")
        return {**memory, QUEUE: queue.replaced(found, {one: raw})}
    return memory


def _evolve(memory: Memory, act: Act) -> Memory:
    found = queue.read(memory.get(QUEUE, b""))
    for one in evolve_plan.waiting(found)[:1]:
        made = entry.of_item(one, one.raw)
        raw = queue.put_state(
            one.raw, words.DONE, processed=act.date, product=made.id, language="en"
        )
        base = knowledge_base.add_row(memory.get(BASE), made.row, "en")
        main = queue.replaced(found, {one: raw})
        return {**memory, QUEUE: main, BASE: base, made.name: made.data}
    return memory


def _archive(memory: Memory, act: Act, keep: int = 2) -> Memory:
    main, archive = memory.get(QUEUE, b""), memory.get(QUEUE_ARCHIVE, b"")
    moved = queue_archive.plan(main, archive, keep, act.stamp, "en")
    if not moved.triggered:
        return memory
    whole = archive + moved.addition.data
    return {**memory, QUEUE: moved.main, QUEUE_ARCHIVE: whole}


def _reflect(memory: Memory, act: Act) -> Memory:
    log = reflection_log.add(
        memory.get(LOG),
        title="",
        text=f"### What went well\n\n{act.name} went well\n".encode(),
        at=f"{act.date} 10:{ord(act.name[-1]) % 60:02d}",
        session=f"session-{act.name}",
        language="en",
    )
    return {**memory, LOG: log}


def _roll(memory: Memory, act: Act, keep: int = 2) -> Memory:
    log, archive = memory.get(LOG, b""), memory.get(LOG_ARCHIVE, b"")
    moved = reflection_log.roll(log, archive, keep, act.stamp, "en")
    if not moved.triggered:
        return memory
    return {**memory, LOG: moved.main, LOG_ARCHIVE: archive + moved.addition.data}


_ACTS: dict[str, Callable[[Memory, Act], Memory]] = {
    "learn": _learn,
    "begin": _begin,
    "evolve": _evolve,
    "archive": _archive,
    "reflect": _reflect,
    "roll": _roll,
}


def done(todo: list[Act], memory: Memory) -> Memory:
    for act in todo:
        memory = act.apply(memory)
    return memory


def merged(before: Memory, ours: Memory, theirs: Memory) -> tuple[Memory, list[str]]:
    """The files of both as git merges them, and what is in conflict."""
    found: dict[str, bytes] = {}
    conflicts: list[str] = []
    for name in sorted({*ours, *theirs}):
        o, a, b = before.get(name, b""), ours.get(name), theirs.get(name)
        if a is None or b is None:
            found[name] = a if b is None else b
            continue
        result = MERGES.get(name, record.merge)(o, a, b)
        assert result is not None, f"{name} cannot be taken apart"
        found[name] = result.data
        conflicts += [f"{name}: {what}" for what in result.conflicts]
    return found, conflicts


def items(memory: Memory) -> list[str]:
    """The ids of the queue's items, in the file's order."""
    return [one.identity for one in queue.read(memory.get(QUEUE, b"")).items]


def archived(memory: Memory) -> list[str]:
    found = queue.read(memory.get(QUEUE_ARCHIVE, b"")).items
    return [one.identity for one in found]


def sessions(memory: Memory, name: str = LOG) -> list[str]:
    """The sessions of the reflections of a log or its archive."""
    return [one.session for one in reflection.read(memory.get(name, b"")).entries]


def rows(memory: Memory) -> list[str]:
    """The ids of the knowledge base."""
    return [one.id for one in knowledge_base.read(memory.get(BASE, b"")).entries]
