"""What a compile writes about modules: their knowledge, tables and registry (L069, L070).

Pure; imports `registry`, `cross_refs`, `progress` and the models of the room, and is
loaded where there are modules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from afterword.snapshot import cross_refs, progress, registry, tally
from afterword.snapshot.cross_refs import Dependency
from afterword.snapshot.folded import Folded, Target
from afterword.snapshot.known import Known
from afterword.snapshot.registry import Module, Registry
from afterword.snapshot.sizing import Sized
from afterword.snapshot.sources import Inputs, TargetFiles
from afterword.store.batch import Change


def texts(
    inputs: Inputs,
    there: Known,
    registered: Registry,
    folded: Folded,
    sized: Mapping[str, Sized],
    *,
    placed: Iterable[tuple[str, ...]],
    new: Sequence[Module],
) -> Iterator[Change]:
    """The changes of the modules' files, then of the registry.

    `placed` are the targets of each fact that went to several by its files, `new` the
    modules that were found.
    """
    dependencies = _dependencies(placed, inputs.language)
    for name, one in sized.items():
        if name:
            yield from _of_module(inputs, there, folded, name, one, dependencies)
    data = registry.compose(
        there.index,
        registered,
        dependencies=dependencies,
        conflicts=tuple(tally.conflicts(folded).values()),
        purposes=_purposes(folded, new),
        date=inputs.date,
        language=inputs.language,
    )
    if data != inputs.index:
        yield Change(path=inputs.places.index, before=inputs.index, data=data)


def _of_module(
    inputs: Inputs,
    there: Known,
    folded: Folded,
    name: str,
    sized: Sized,
    dependencies: Sequence[Dependency],
) -> Iterator[Change]:
    """What a module's folder holds: knowledge, cross-refs, progress."""
    files = there.files.get(name, TargetFiles())
    target = folded.targets.get(name, Target(name=name))
    after = {
        "data": sized.data,
        "cross_refs": cross_refs.compose(
            files.cross_refs, name, dependencies=dependencies, language=inputs.language
        ),
        "progress": progress.compose(files.progress, target, language=inputs.language),
    }
    for field, data in after.items():
        yield from inputs.change(name, field, data)


def _dependencies(
    placed: Iterable[tuple[str, ...]], language: str
) -> tuple[Dependency, ...]:
    """The dependencies that facts of several modules show (G5), sorted."""
    pairs = {
        pair for names in placed for pair in combinations(sorted(set(names) - {""}), 2)
    }
    return tuple(cross_refs.shared(*pair, language) for pair in sorted(pairs))


def _purposes(folded: Folded, new: Iterable[Module]) -> dict[str, str]:
    """What each new module is for as far as its entries tell: the first one's title (G16)."""
    found = ((module.name, folded.targets.get(module.name)) for module in new)
    return {
        name: target.entries[0].head.title
        for name, target in found
        if target is not None and target.entries
    }
