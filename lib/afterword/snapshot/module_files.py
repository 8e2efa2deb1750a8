"""What entries tell about modules: what depends on what, and what each is for.

Pure; imports `cross_refs` and the models of the room.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from afterword.snapshot import cross_refs
from afterword.snapshot.cross_refs import Dependency
from afterword.snapshot.folded import Folded
from afterword.snapshot.registry import Module


def dependencies(
    placed: Iterable[tuple[str, ...]], language: str
) -> tuple[Dependency, ...]:
    """The dependencies that facts of several modules show (G5), sorted.

    `placed` are the targets of each fact that went by its files.
    """
    pairs = {
        pair for names in placed for pair in combinations(sorted(set(names) - {""}), 2)
    }
    return tuple(cross_refs.shared(*pair, language) for pair in sorted(pairs))


def purposes(folded: Folded, new: Iterable[Module]) -> dict[str, str]:
    """What each new module is for as far as its entries tell: the first one's title (G16)."""
    found = ((module.name, folded.targets.get(module.name)) for module in new)
    return {
        name: target.entries[0].head.title
        for name, target in found
        if target is not None and target.entries
    }
