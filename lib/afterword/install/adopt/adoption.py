"""What an adoption is: the trees that are used in place, and what that changes here.

The small types that the modules of the systems, `install.project` and the command
line share. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Governed:
    """A folder of another system whose files our merge driver serves.

    `patterns` are those of its `.gitattributes`, which git matches from that folder on.
    """

    folder: str
    patterns: tuple[str, ...]


@dataclass(frozen=True)
class Tree:
    """The memory of one other system: where it lies, and what its settings become here.

    `notes` are what a person should know; `governed` the folders that get attributes;
    `has_local` says that `.ai/local` may be that system's.
    """

    system: str
    where: str
    settings: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    governed: tuple[Governed, ...] = ()
    has_local: bool = False


@dataclass(frozen=True)
class Adoption:
    """The trees that one repository holds, used together; at least one."""

    trees: tuple[Tree, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(tree.system for tree in self.trees)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of all trees; only `language` is one that several systems have."""
        return {
            name: value for tree in self.trees for name, value in tree.settings.items()
        }

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(note for tree in self.trees for note in tree.notes)

    @property
    def governed(self) -> tuple[Governed, ...]:
        return tuple(place for tree in self.trees for place in tree.governed)

    @property
    def has_local(self) -> bool:
        return any(tree.has_local for tree in self.trees)

    @property
    def ignored(self) -> tuple[str, ...]:
        """Ignore patterns for what a killed write of ours leaves in the adopted folders."""
        return tuple(
            f"/{place.folder}/**/.*{ending}"
            for place in self.governed
            for ending in (".tmp", ".orphan")
        )

    def of(self, wanted: tuple[str, ...]) -> Adoption | None:
        """The adoption of the trees in these places alone; None when there is none."""
        trees = tuple(tree for tree in self.trees if tree.where in wanted)
        return Adoption(trees) if trees else None
