"""What a compile tells: the lines of spec/snapshot.md 10.8, and the same in JSON.

Pure; imports `words`, `folded` and `model` only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from afterword.model import Model
from afterword.snapshot import words
from afterword.snapshot.folded import Overlap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LEGACY, MODULAR = "legacy", "modular"
NONE = "none"
OVERLAPS = "## Possible Overlaps"
# How many titles of conflicts a line shows.
TITLES = 20

# What one of a kind is called, and several.
NOUNS = {
    words.OVERVIEW: ("overview entry", "overview entries"),
    words.ARCHITECTURE: ("architecture entry", "architecture entries"),
    words.DECISION: ("decision", "decisions"),
    words.CONSTRAINT: ("constraint", "constraints"),
    words.EXTERNAL: ("external dependency", "external dependencies"),
    words.CONFIG: ("config entry", "config entries"),
    words.BUSINESS: ("business entry", "business entries"),
    words.GLOSSARY: ("term", "terms"),
    words.LESSON: ("lesson or fact", "lessons and facts"),
    words.UNCATEGORIZED: ("uncategorized entry", "uncategorized entries"),
}


class Report(Model):
    """What a compile did, or in a dry run would do (L082-L090).

    `modules` counts the registered ones. `added` counts new entries by kind, in
    `module_changes` those of each module that changed. `conflicts` are the topics of all
    that are pending now, `low` counts all items in Pending Verification. `archived` are
    increments of this run, global and of modules. `sizes` are lines by target, "" being
    the snapshot. `problems` are `path:line: what` of increments that stayed where they are.
    """

    modules: int = 0
    sections: tuple[str, ...] = ()
    added: Mapping[str, int] = {}
    module_changes: Mapping[str, Mapping[str, int]] = {}
    conflicts: tuple[str, ...] = ()
    low: int = 0
    archived: tuple[int, int] = (0, 0)
    sizes: Mapping[str, int] = {}
    stems: tuple[str, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    warnings: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def mode(self) -> str:
        return MODULAR if self.modules else LEGACY

    @property
    def news(self) -> str:
        """The new entries by kind: `+2 decisions, +1 constraint`, or `none`."""
        return ", ".join(_added(self.added)) or NONE

    def lines(self) -> Iterator[str]:
        """The report as it is printed, without what `warnings` and `problems` say."""
        yield "Snapshot compiled:"
        for label, text in self._rows():
            yield f"- {label}: {text}"
        if self.overlaps:
            yield ""
            yield OVERLAPS
            yield from map(_overlap, self.overlaps)

    def _rows(self) -> Iterator[tuple[str, str]]:
        yield "Mode", self._mode()
        yield "Updated sections", ", ".join(self.sections) or NONE
        yield "New knowledge", self.news
        changes = (f"{name} {_changes(kinds)}" for name, kinds in self._changed())
        yield "Module changes", ", ".join(changes) or NONE
        yield "Conflicts", self._conflicts()
        yield "Low confidence", f"{_count(self.low, 'item')} pending verification"
        of_all, of_modules = self.archived
        yield (
            "Archived",
            f"{_count(of_all, 'global increment')}, {_count(of_modules, 'module increment')}",
        )
        yield "Snapshot size", ", ".join(self._sizes())

    def _mode(self) -> str:
        if not self.modules:
            return "legacy (single-file)"
        return f"modular ({_count(self.modules, 'module')})"

    def _changed(self) -> list[tuple[str, Mapping[str, int]]]:
        return sorted(self.module_changes.items())

    def _conflicts(self) -> str:
        count = f"{len(self.conflicts)} {words.PENDING_RESOLUTION}"
        if not self.conflicts:
            return count
        more = len(self.conflicts) - TITLES
        shown = [*self.conflicts[:TITLES], *([f"{more} more"] if more > 0 else [])]
        return f"{count} ({', '.join(shown)})"

    def _sizes(self) -> Iterator[str]:
        yield f"{_count(self.sizes.get('', 0), 'line')} (global)"
        for name, lines in sorted(self.sizes.items()):
            if name:
                yield f"{lines} ({name})"

    def json(self) -> dict[str, Any]:
        """The fields of the report under the names of its lines, in lower case."""
        sizes = {name: lines for name, lines in sorted(self.sizes.items()) if name}
        return {
            "mode": self.mode,
            "modules": self.modules,
            "updated_sections": list(self.sections),
            "new_knowledge": dict(self.added),
            "module_changes": {name: dict(kinds) for name, kinds in self._changed()},
            "conflicts": {
                words.PENDING_RESOLUTION: len(self.conflicts),
                "titles": list(self.conflicts),
            },
            "low_confidence": self.low,
            "archived": {"global": self.archived[0], "module": self.archived[1]},
            "snapshot_size": {"global": self.sizes.get("", 0), "modules": sizes},
            "increments": list(self.stems),
            "overlaps": [_overlap_row(one) for one in self.overlaps],
            "warnings": list(self.warnings),
            "problems": list(self.problems),
        }


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _added(kinds: Mapping[str, int]) -> Iterator[str]:
    """`+2 decisions`, in the order of the sections."""
    for kind in words.TYPES:
        number = kinds.get(kind, 0)
        if number:
            yield f"+{number} {NOUNS[kind][number > 1]}"


def _changes(kinds: Mapping[str, int]) -> str:
    return " ".join(_added(kinds)) or "updated"


def _overlap(one: Overlap) -> str:
    where = f"{one.target}: " if one.target else ""
    return f"- {where}{one.one} / {one.other} ({one.why})"


def _overlap_row(one: Overlap) -> dict[str, Any]:
    return {
        "module": one.target or None,
        "type": one.kind,
        "one": one.one,
        "other": one.other,
        "why": one.why,
    }
