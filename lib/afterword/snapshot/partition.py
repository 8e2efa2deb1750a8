"""What a search for modules did: which were found or are gone, which entries moved.

Told from the files before and what the fold makes of them. Pure; imports `document`,
`registry` and the models of the room.
"""

from __future__ import annotations

from collections.abc import Iterator

from afterword.model import Model
from afterword.snapshot import document, registry
from afterword.snapshot.folded import Folded
from afterword.snapshot.registry import Module

SNAPSHOT = ""


class Moved(Model):
    """An entry that left the snapshot: its fact's id, kind and title, and the modules it went to."""

    id: str
    kind: str
    title: str
    modules: tuple[str, ...]


def moved(before: bytes | None, folded: Folded) -> tuple[Moved, ...]:
    """The entries of the snapshot as it was that stand in modules now, in their order."""
    return tuple(_moved(before or b"", folded))


def _moved(before: bytes, folded: Folded) -> Iterator[Moved]:
    ids = {name: target.ids for name, target in folded.targets.items()}
    stay = ids.pop(SNAPSHOT, frozenset())
    for fact in document.read(before).facts:
        to = tuple(sorted(name for name in ids if fact.id in ids[name]))
        if to and fact.id not in stay:
            yield Moved(id=fact.id, kind=fact.kind, title=fact.title, modules=to)


def gone(before: bytes | None, after: bytes | None) -> tuple[Module, ...]:
    """The modules that are marked dormant in the registry now, and were active before."""
    was = {one.name: one.status for one in registry.read(before, ()).modules}
    return tuple(
        one
        for one in registry.read(after, ()).modules
        if one.status == registry.DORMANT and was.get(one.name) == registry.ACTIVE
    )
