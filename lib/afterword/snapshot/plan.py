"""The plan of a compile: from everything read to the bytes of every file (spec 10).

A pure function: facts of the target files and of increments, united, folded, divided by
size and composed; then the moves to the archive. Guards that no fact vanishes. Imports
the room's own rules and `store.batch`'s `Change`; what modules need is loaded where
there are some. Touches no file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from afterword.model import Model
from afterword.snapshot import (
    archiving,
    due,
    fold,
    guard,
    known,
    registry,
    routing,
    sizing,
    stems,
    tally,
)
from afterword.snapshot.archiving import Move
from afterword.snapshot.due import Due
from afterword.snapshot.fact import Fact, united
from afterword.snapshot.folded import Conflict, Folded, Target
from afterword.snapshot.known import Known
from afterword.snapshot.registry import Module, Registry
from afterword.snapshot.report import Report
from afterword.snapshot.sizing import Sized
from afterword.snapshot.sources import Inputs, TargetFiles
from afterword.store.batch import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from afterword.snapshot.due import Watch
    from afterword.snapshot.routing import Route

_OURS = b'<!-- {"id":"e-'  # metadata, which adopted entries get when they move, too


class Plan(Model):
    """What a compile writes and moves, and what it tells.

    `texts` are in the order of the batch, `moves` behind them. `new` are the modules that
    it found, `discoverable` whether a look at the tree would find some. `needs_all`:
    nothing was planned, for this run has to see the whole archive.
    """

    texts: tuple[Change, ...] = ()
    moves: tuple[Move, ...] = ()
    report: Report = Report()
    folded: Folded = Folded(targets={})
    new: tuple[Module, ...] = ()
    discoverable: bool = False
    needs_all: bool = False

    @property
    def changes(self) -> tuple[Change, ...]:
        """All of it, for one batch."""
        return (*self.texts, *(one for move in self.moves for one in move.changes))


def plan(inputs: Inputs, watch: Watch = due.unwatched) -> Plan:
    """Plan a compile; `watch` is told how far it is.

    `StoreDamaged` for merge markers, `AfterwordError` of code "guard".
    """
    made, is_ours = _made(inputs, watch)
    if is_ours or not made.texts:
        return made
    from afterword.snapshot import settling

    def again(result: Inputs) -> tuple[Change, ...]:
        return _made(result, due.unwatched)[0].texts

    return made.replace(texts=settling.settled(inputs, made.texts, made.moves, again))


def _made(inputs: Inputs, watch: Watch) -> tuple[Plan, bool]:
    """One plan, and whether the files that it changes held nothing by other hands."""
    there = known.read(inputs)
    if not inputs.whole and due.needs_all(there.facts, there.stems):
        return Plan(needs_all=True), True
    taken = due.of(inputs, there.facts, there.stems, watch)
    facts = united((*there.facts, *taken.facts, *inputs.promoted)).values()
    left = due.with_withdrawn(facts, taken.current, inputs.date)
    made = _Planned(inputs, there, taken, left, watch).plan()
    return made, all(fact.sources and not fact.kept for fact in there.facts)


class _Planned:
    """One plan in the making: what it is made from, and what was found on the way."""

    def __init__(
        self,
        inputs: Inputs,
        there: Known,
        taken: Due,
        facts: Sequence[Fact],
        watch: Watch,
    ) -> None:
        self._inputs = inputs
        self._watch = watch
        self._there = there
        self._taken = taken
        self._facts = facts
        self._warnings: list[str] = []
        self._placed: dict[str, tuple[str, ...]] = {}
        registered = registry.read(there.index, inputs.folders)
        self._modules = {one.name: one for one in registered.modules}
        self._new = self._searched(registered)
        self._registry = registered.replace(modules=tuple(self._modules.values()))

    def _searched(self, registered: Registry) -> tuple[Module, ...]:
        """The modules found in the tree, where it was read; those that are gone marked."""
        if self._inputs.tree is None:
            return ()
        from afterword.snapshot import module_search

        new = module_search.found(self._inputs, registered, self._facts)
        # A module that had no code path yet is found under its name.
        for one in (*module_search.gone(self._inputs, registered), *new):
            self._modules[one.name] = one
        return new

    def _is_discoverable(self) -> bool:
        """Whether modules could be made, where the tree was not read."""
        if self._inputs.tree is not None or not any(one.files for one in self._facts):
            return False
        from afterword.snapshot import module_search

        return module_search.is_possible(self._registry, self._facts)

    def plan(self) -> Plan:
        folded = fold.fold(self._facts, self._route())
        names = self._names(folded)
        sized = {}
        for number, name in enumerate(names):
            self._watch("writing", number, len(names))
            sized[name] = self._sized(name, folded)
        guard.check(self._there.facts, self._after(sized))
        moves = tuple(archiving.moves(self._inputs, self._taken.compiled))
        texts = tuple(self._texts(folded, sized))
        return Plan(
            texts=texts,
            moves=moves,
            report=self._report(folded, sized, moves),
            folded=folded,
            new=self._new,
            discoverable=self._is_discoverable(),
        )

    def _route(self) -> Route:
        """The route of every fact, remembered for the dependencies that it shows."""
        route = routing.router(
            self._registry,
            self._warnings,
            partition=frozenset(module.name for module in self._new),
        )
        passed = count()

        def placed(fact: Fact) -> tuple[str, ...]:
            self._watch("folding", next(passed), len(self._facts))
            targets = route(fact)
            if len(targets) > 1 and not fact.domains:
                self._placed[fact.id] = targets
            return targets

        return placed

    def _names(self, folded: Folded) -> list[str]:
        """The targets that have a file or get one: the snapshot, then modules by name.

        Where there is nothing to show yet, the snapshot is not made either (L077).
        """
        there = {name for name, files in self._there.files.items() if files.data}
        names = {*folded.targets, *there, *(one.name for one in self._new)}
        return sorted({"", *names}) if names else []

    def _sized(self, name: str, folded: Folded) -> Sized:
        """A target's file and history as they are to be."""
        files = self._there.files.get(name, TargetFiles())
        target = folded.targets.get(name, Target(name=name))
        module = self._modules.get(name)
        is_parted = bool(self._new) and not name  # G2: it gets its mark
        if files.data and not is_parted and self._is_foreign(name, target):
            lines = sizing.lines_of(files.data)
            return Sized(data=files.data, history=files.history, moved=0, lines=lines)
        return sizing.divide(
            self._marked(files.data) if not name else files.data,
            files.history,
            target,
            max_lines=self._inputs.max_lines,
            date=self._inputs.date,
            language=self._inputs.language,
            module_path=module.paths if module else (),
            purpose=module.purpose if module else "",
            status=module.status if module else "",
            stems=stems.of(target, self._listed(name)),
        )

    def _is_foreign(self, name: str, target: Target) -> bool:
        """Whether a file holds nothing but what others wrote, and nothing comes to it.

        Then it stays as it is, its header too.
        """
        there = self._there.documents[name].facts
        data = self._there.files[name].data or b""
        is_same = target.ids == {fact.id for fact in there} and _OURS not in data
        return is_same and not any(fact.sources for fact in (*there, *target.loose))

    def _marked(self, data: bytes | None) -> bytes | None:
        """The snapshot, with its mark where modules were parted from it (G2)."""
        if not data or not self._new:
            return data
        from afterword.snapshot import legacy

        return legacy.marked(data, self._inputs.places.index, self._inputs.language)

    def _listed(self, name: str) -> tuple[str, ...]:
        found = self._there.documents.get(name)
        return found.stems if found else ()

    def _after(self, sized: Mapping[str, Sized]) -> dict[str, tuple[bytes, ...]]:
        """The bytes of every target and history as they will stand, for the guard."""
        return {name: (one.data, one.history or b"") for name, one in sized.items()}

    def _texts(self, folded: Folded, sized: Mapping[str, Sized]) -> Iterator[Change]:
        """Histories, modules, registry, snapshot (10.1): where a kill leaves a double, no hole."""
        for name, one in sized.items():
            yield from self._inputs.change(name, "history", one.history)
        if self._registry.modules or self._there.index is not None:
            from afterword.snapshot import module_files

            yield from module_files.texts(
                self._inputs,
                self._there,
                self._registry,
                folded,
                sized,
                placed=self._placed.values(),
                new=self._new,
            )
        if "" in sized:
            yield from self._inputs.change("", "data", sized[""].data)

    def _report(
        self, folded: Folded, sized: Mapping[str, Sized], moves: Sequence[Move]
    ) -> Report:
        of_all, by_module = tally.added(folded, self._there.ids)
        before = {name: self._inputs.targets.get(name) for name in sized}
        pairs = {
            name: (found.data if found else None, sized[name].data)
            for name, found in before.items()
        }
        changed = [name for name, (old, new) in pairs.items() if old != new and name]
        in_modules = sum(one.module != "" for one in self._taken.compiled)
        after = {name: one.data for name, one in sized.items()}
        left = tally.adopted(self._there.documents, after, folded)
        return Report(
            modules=len(self._registry.modules),
            sections=tally.sections(pairs.values()),
            added=of_all,
            module_changes={name: by_module.get(name, {}) for name in changed},
            conflicts=tuple(
                one.topic
                for one in (*tally.conflicts(folded).values(), *left)
                if one.is_open
            ),
            low=tally.pending(folded),
            archived=(len(moves) - in_modules, in_modules),
            sizes={name: one.lines for name, one in sized.items()},
            stems=self._taken.stems,
            overlaps=folded.overlaps,
            warnings=tuple(self._said(folded, sized, left)),
            problems=(*self._inputs.problems, *self._taken.problems),
        )

    def _said(
        self, folded: Folded, sized: Mapping[str, Sized], left: Sequence[Conflict]
    ) -> Iterator[str]:
        """What a person should know, beside what could not be read."""
        ends = tuple(
            f"resolves {name}, which is no conflict"
            for name in (due.ADOPTED, *(one.id for one in left))
        )
        yield from self._there.problems
        index = self._inputs.places.index
        yield from (f"{index}:{line}: {text}" for line, text in self._registry.problems)
        yield from self._taken.warnings
        yield from self._warnings
        yield from (one for one in folded.warnings if not one.endswith(ends))
        yield from (one.warning for one in sized.values() if one.warning)
