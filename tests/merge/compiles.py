"""A memory of increments and what they compile into, as functions of its files' bytes.

A `Memory` holds files by their paths from the repository's top. Acts are what programs
and people do to it; merges of two memories play what git does, file by file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from afterword.merge import kinds
from afterword.snapshot import document, places, plan
from afterword.snapshot.fact import source_hash
from afterword.snapshot.folded import Conflict
from afterword.snapshot.sources import IncrementFile, Inputs, TargetFiles
from afterword.store.layout import PATHS
from afterword.store.merge_markers import first_line

Memory = Mapping[str, bytes]
TOP = ".ai/repo"
SNAPSHOT, INDEX = f"{TOP}/snapshot.md", f"{TOP}/modules/_index.md"
ORDER = f"{TOP}/modules/order"
HEADINGS = {
    "decision": "Decisions",
    "constraint": "Constraints",
    "architecture": "Architecture Impact",
    "external": "External Dependencies",
    "config": "Config Index",
    "glossary": "Glossary",
}
REGISTRY = b"""# Module Index

> Last updated: 2026-01-01

## Modules

| Module | Code Path | Purpose | Status |
|---|---|---|---|
| order | `src/order/` | Orders | active |
| pay | `src/pay/` | Payments | active |
"""


@dataclass(frozen=True)
class Said:
    """One entry of one increment; `name` makes it one of many, `day` is of November."""

    name: str
    title: str
    details: tuple[str, ...] = ()
    kind: str = "decision"
    day: int = 1
    author: str = "Ines"
    confidence: str = "high"
    status: str = "unverified"
    domain: str = ""

    @property
    def path(self) -> str:
        return f"{TOP}/increments/2026-11-{self.day:02d}_{self.name}.md"

    @property
    def data(self) -> bytes:
        date = f"2026-11-{self.day:02d}"
        meta = [f"author: {self.author}", f"timestamp: {date} 10:00:00"]
        meta += ["trigger: manual", f"confidence: {self.confidence}"]
        meta += [f"domain: {self.domain}"] * bool(self.domain)
        lines = [f"# {date} {self.name}", "", "## Meta", *(f"- {one}" for one in meta)]
        lines += ["", f"## {HEADINGS[self.kind]}", f"- {self.title}"]
        lines += [f"  - {detail}" for detail in self.details]
        lines += ["", "## Evidence", f"- 来源: {self.author}"]
        return "\n".join([*lines, f"- 验证状态: {self.status}", ""]).encode()

    def apply(self, memory: Memory) -> Memory:
        return {**memory, self.path: self.data}


@dataclass(frozen=True)
class Compiled:
    """A compile of all that waits."""

    day: int = 30
    most: int = 200
    language: str = "en"

    def apply(self, memory: Memory) -> Memory:
        planned = plan.plan(self._inputs(memory))
        found = dict(memory)
        for change in planned.changes:
            if change.data is None:
                found.pop(change.path)
            else:
                found[change.path] = change.data
        return found

    def _inputs(self, memory: Memory) -> Inputs:
        where = places.of(PATHS)
        names = (
            "",
            *sorted({path.split("/")[3] for path in memory if _is_inner(path)}),
        )
        targets = {
            name: TargetFiles(
                **{field: memory.get(path) for field, path in where.files(name).items()}
            )
            for name in names
        }
        return Inputs(
            places=where,
            date=f"2026-11-{self.day:02d}",
            language=self.language,
            max_lines=self.most,
            targets=targets,
            index=memory.get(INDEX),
            waiting=_increments(
                memory, [(name, where.increments(name)) for name in names]
            ),
            archived=_increments(
                memory, [(name, where.archive(name)) for name in names]
            ),
        )


def _is_inner(path: str) -> bool:
    """Whether a path lies in the folder of a module."""
    return path.startswith(f"{TOP}/modules/") and path.count("/") > 3


def _increments(
    memory: Memory, folders: Sequence[tuple[str, str]]
) -> tuple[IncrementFile, ...]:
    return tuple(
        IncrementFile(
            module=module,
            name=path.rpartition("/")[2],
            path=path,
            data=memory[path],
            hash=source_hash(memory[path]),
        )
        for module, folder in folders
        for path in sorted(memory)
        if path.rpartition("/")[0] == folder
    )


@dataclass(frozen=True)
class Resolved:
    """A person's decision of the first conflict that is open, as its command records it."""

    name: str
    keep: str = "new"
    day: int = 20
    author: str = "Zoe"

    def apply(self, memory: Memory) -> Memory:
        found = [one for one in conflicts(memory) if one.is_open]
        return decided(memory, found[0], self) if found else memory


def decided(memory: Memory, conflict: Conflict, how: Resolved) -> Memory:
    """The increment that decides one conflict, after all decisions known now."""
    after = [f"after: {one.id}" for one in conflict.resolutions]
    said = Said(
        name=how.name,
        title=f"Decision of the conflict: {conflict.topic}",
        details=(
            f"resolves: {conflict.id}",
            f"keep: {how.keep}",
            *after,
            "reason: talked",
        ),
        kind=conflict.kind,
        day=how.day,
        author=how.author,
        status="verified",
    )
    return said.apply(memory)


@dataclass(frozen=True)
class Edited:
    """A person's change of a file: the old text, which may not be there, by the new one."""

    old: str
    new: str
    path: str = SNAPSHOT

    def apply(self, memory: Memory) -> Memory:
        if self.path not in memory:
            return memory
        data = memory[self.path].replace(self.old.encode(), self.new.encode(), 1)
        return {**memory, self.path: data}


@dataclass(frozen=True)
class Noted:
    """A person's text at the end of a file, in a section of its own."""

    name: str
    path: str = SNAPSHOT

    def apply(self, memory: Memory) -> Memory:
        if self.path not in memory:
            return memory
        text = f"\n## Notes of {self.name}\n\n- seen by {self.name}\n"
        return {**memory, self.path: memory[self.path] + text.encode()}


Act = Said | Compiled | Resolved | Edited | Noted


def done(acts: Sequence[Act], memory: Memory) -> Memory:
    for act in acts:
        memory = act.apply(memory)
    return memory


def merged(before: Memory, ours: Memory, theirs: Memory) -> tuple[Memory, list[str]]:
    """The files of both as git merges them, and what is in conflict.

    A file that one side removed is gone: what was compiled was moved, not edited.
    """
    found: dict[str, bytes] = {}
    marks: list[str] = []
    for path in sorted({*ours, *theirs}):
        o, a, b = (side.get(path) for side in (before, ours, theirs))
        if a is None or b is None:
            if o is None or (a or b) != o:
                found[path] = a or b or b""
            continue
        kind = kinds.named(path, PATHS)
        result = kind.merge(o or b"", a, b) if kind else None
        assert result is not None, f"{path} cannot be taken apart"
        assert bool(result.conflicts) == bool(first_line(result.data))
        found[path] = result.data
        marks += [f"{path}: {what}" for what in result.conflicts]
    return found, marks


_TARGETS = re.compile(r"(snapshot|knowledge|decisions-history)\.md\Z")
_ID = re.compile(rb'"id": ?"([ec]-[0-9a-f]+)"')


def ids(memory: Memory) -> set[str]:
    """The ids of all facts and conflicts in target files and histories."""
    texts = [data for path, data in memory.items() if _TARGETS.search(path)]
    named = {one.decode() for data in texts for one in _ID.findall(data)}
    return named | {fact.id for data in texts for fact in document.facts(data)}


def conflicts(memory: Memory) -> list[Conflict]:
    """The conflicts that the target files show, each once, in the files' order."""
    found: dict[str, Conflict] = {}
    for path in sorted(memory):
        if path.endswith(("snapshot.md", "knowledge.md")):
            module = path.split("/")[3] if _is_inner(path) else ""
            for one in document.read(memory[path], module=module).conflicts:
                found.setdefault(one.id, one)
    return list(found.values())


def stems(memory: Memory) -> set[str]:
    """The names of all increments, wherever they lie."""
    return {path.rpartition("/")[2] for path in memory if "/increments/" in path}


def snapshot(memory: Memory) -> str:
    return memory[SNAPSHOT].decode()
