"""Compiled increments move to the archive: each by its name, never over another (D1-D4).

Only the files of this run move, however many lie beside them by now. Pure; imports
`sources` and `store.batch`'s `Change`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from afterword.model import Model
from afterword.snapshot.places import Places
from afterword.snapshot.sources import IncrementFile, Inputs, candidates
from afterword.store.batch import Change


class Move(Model):
    """One compiled file; `path` is where the archive has it, already so where `is_there`."""

    source: str
    path: str
    data: bytes
    is_there: bool = False

    @property
    def changes(self) -> tuple[Change, ...]:
        """Its part of the batch."""
        gone = Change(path=self.source, before=self.data, data=None)
        if self.is_there:
            return (gone,)
        there = Change(path=self.path, before=None, data=self.data, source=self.source)
        return there, gone


def moves(inputs: Inputs, compiled: Iterable[IncrementFile]) -> Iterator[Move]:
    """Where the compiled files go, none over another (D3).

    Where the archive holds the same bytes under such a name, the source just goes.
    """
    taken: dict[str, bytes | None] = dict.fromkeys(inputs.occupied)
    taken.update((one.path, one.data) for one in inputs.archived)
    for one in compiled:
        path, is_there = _free(one, inputs.places, taken)
        taken[path] = one.data
        yield Move(source=one.path, path=path, data=one.data, is_there=is_there)


def _free(
    one: IncrementFile, where: Places, taken: dict[str, bytes | None]
) -> tuple[str, bool]:
    """The path that a file gets in the archive, and whether its bytes are there already."""
    folder = where.archive(one.module)
    for name in candidates(one.name):
        path = f"{folder}/{name}"
        if path not in taken:
            return path, False
        if taken[path] == one.data:
            return path, True
    raise AssertionError("names do not end")
