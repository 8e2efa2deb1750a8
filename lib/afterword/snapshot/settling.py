"""A plan made again from its own result, until nothing is left to change.

What persons and other systems wrote becomes an entry of ours where an operation touches
it, and then has a place in the order of the fold; so one plan may leave something for
the next. A second compile has to change nothing (10.1). Pure; imports the room's models.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from afterword.snapshot.archiving import Move
from afterword.snapshot.places import HISTORY, Places
from afterword.snapshot.sources import IncrementFile, Inputs, TargetFiles
from afterword.store.batch import Change

# More rounds than any text was seen to need; each costs a whole plan.
ROUNDS = 3

TYPE_CHECKING = False
if TYPE_CHECKING:
    Texts = tuple[Change, ...]


def settled(
    inputs: Inputs,
    texts: Texts,
    moves: Sequence[Move],
    again: Callable[[Inputs], Texts],
) -> Texts:
    """The texts of a plan, with those that `again` finds in what the plan would leave."""
    for _ in range(ROUNDS):
        more = again(_left(inputs, texts, moves)) if texts else ()
        if not more:
            break
        texts = _joined(inputs, texts, more)
    return texts


def _left(inputs: Inputs, texts: Texts, moves: Sequence[Move]) -> Inputs:
    """The inputs as they are once a plan was carried out; no more modules are looked for."""
    data = {one.path: one.data for one in texts}
    gone = {move.source: move for move in moves}
    names = {*inputs.targets, *_named(inputs.places, data)}
    return inputs.replace(
        targets={name: _files(inputs, name, data) for name in sorted(names)},
        index=data.get(inputs.places.index, inputs.index),
        waiting=tuple(one for one in inputs.waiting if one.path not in gone),
        archived=(*inputs.archived, *_archived(inputs, gone)),
        tree=None,
        discover="",
        rebuild=False,
    )


def _named(where: Places, data: dict[str, bytes | None]) -> set[str]:
    """The modules that got a folder."""
    below = [
        path[len(where.modules) + 1 :]
        for path in data
        if path.startswith(f"{where.modules}/")
    ]
    return {path.partition("/")[0] for path in below if "/" in path}


def _files(inputs: Inputs, name: str, data: dict[str, bytes | None]) -> TargetFiles:
    before = inputs.targets.get(name, TargetFiles()).values()
    paths = inputs.places.files(name)
    return TargetFiles(
        **{field: data.get(path, before[field]) for field, path in paths.items()}
    )


def _archived(inputs: Inputs, gone: dict[str, Move]) -> list[IncrementFile]:
    files = [one for one in inputs.waiting if one.path in gone]
    return [
        one.replace(
            path=gone[one.path].path, name=gone[one.path].path.rpartition("/")[2]
        )
        for one in files
        if not gone[one.path].is_there
    ]


def _joined(inputs: Inputs, texts: Texts, more: Texts) -> Texts:
    """Each file once, from the bytes that were read to the last ones planned, in order."""
    first = {one.path: one for one in texts}
    for one in more:
        known = first.get(one.path, one)
        first[one.path] = Change(path=one.path, before=known.before, data=one.data)
    snapshot = inputs.places.snapshot
    return tuple(
        sorted(
            first.values(),
            key=lambda one: (one.path == snapshot, not one.path.endswith(HISTORY)),
        )
    )
