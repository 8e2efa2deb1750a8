"""Which increments a compile folds, which it only archives, and which facts were withdrawn.

Compiled means that (stem, hash of the text) stands among the sources of a fact that a
target file holds (DESIGN 8, G3): so an increment that was edited after its compile, also
in the archive, is due again, and an interrupted run is completed. Pure; imports the
room's readers only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from afterword.errors import StoreDamaged
from afterword.model import Model
from afterword.snapshot import increment, words
from afterword.snapshot.fact import Fact
from afterword.snapshot.sources import IncrementFile, Inputs
from afterword.store import merge_markers

TYPE_CHECKING = False
if TYPE_CHECKING:
    # What is told of progress: what is being done, how much of it is done, of how much.
    Watch = Callable[[str, int, int], None]

_NUMBERED = re.compile(r"-\d+\Z")
# Increments that another system compiled are known by one fact that says nothing else:
# a resolution of no conflict, so that every file, merge and fold keeps it as it is.
ADOPTED = "increments compiled before adoption"


def unwatched(what: str, done: int, of: int) -> None:
    """Nobody looks at the progress."""


class Due(Model):
    """What a run takes in.

    `facts` are those of the increments to fold, `compiled` the waiting files that are
    done with this run, `stems` those of the increments folded. `current` are the hashes
    of the sources that are there now, by stem.
    """

    facts: tuple[Fact, ...] = ()
    compiled: tuple[IncrementFile, ...] = ()
    stems: tuple[str, ...] = ()
    current: Mapping[str, frozenset[str]]
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def of(
    inputs: Inputs,
    known: Iterable[Fact],
    listed: Sequence[str],
    watch: Watch = unwatched,
) -> Due:
    """What is due, by the facts that the target files and histories hold.

    `listed` are the stems in the headers of those files, which count for increments that
    another system compiled. `StoreDamaged` with `path:line` for merge markers.
    """
    gathered = _Gathered(known)
    if listed and gathered.is_first:
        gathered.adopt(inputs, frozenset(listed))
    every = (*inputs.waiting, *inputs.archived)
    for number, one in enumerate(every):
        watch("reading", number, len(every))
        if number < len(inputs.waiting):
            gathered.take(one)
        else:
            gathered.look(one)
    for fact in inputs.promoted:
        gathered.count(*fact.sources[0])
    return gathered.due()


def needs_all(known: Iterable[Fact], listed: Sequence[str]) -> bool:
    """Whether this is the first compile of an adopted memory, which looks at its archive."""
    return bool(listed) and not any(fact.sources for fact in known)


class _Gathered:
    """The increments of one run as they are looked at, one after the other."""

    def __init__(self, known: Iterable[Fact]) -> None:
        # Of each source also the modules whose folder held it: a copy in another one is
        # another statement. By its name, and by its text alone, for names may change.
        self._known: set[tuple[str, ...]] = set()
        self._stems: set[str] = set()
        for fact in known:
            for stem, digest in fact.sources:
                self._stems.add(stem)
                for folder in ("", *fact.folders):
                    self._note(stem, digest, folder)
        self.is_first = not self._stems
        self._facts: list[Fact] = []
        self._compiled: list[IncrementFile] = []
        self._folded: list[str] = []
        self._current: dict[str, set[str]] = {}
        self._unreadable: set[str] = set()
        self._problems: list[str] = []
        self._warnings: list[str] = []

    def _note(self, stem: str, digest: str, folder: str) -> None:
        self._known |= {(stem, digest, folder), (digest, folder)}

    def adopt(self, inputs: Inputs, listed: frozenset[str]) -> None:
        """Take what the other system compiled as known: its archive, and what it lists (G3)."""
        before = [one for one in inputs.waiting if one.stem in listed]
        files = (*inputs.archived, *before)
        found = {(one.stem, one.hash) for one in files}
        for one in files:
            self._note(one.stem, one.hash, one.module)
        if found:
            self._facts.append(
                Fact(
                    kind=words.UNCATEGORIZED,
                    title=ADOPTED,
                    resolves=ADOPTED,
                    keep="both",
                    confidence=words.HIGH,
                    status=words.VERIFIED,
                    sources=tuple(sorted(found)),
                    # Its increments in the folders of modules are known by these.
                    folders=tuple(sorted({one.module for one in files})),
                )
            )

    def count(self, stem: str, digest: str) -> None:
        """Note that a source is there with this text."""
        self._current.setdefault(stem, set()).add(digest)

    def take(self, one: IncrementFile) -> None:
        """A waiting increment: to fold, to archive only, or to leave with a problem."""
        is_known = (one.stem, one.hash, one.module) in self._known
        if is_known or self._read(one):
            self.count(one.stem, one.hash)
            self._compiled.append(one)

    def look(self, one: IncrementFile) -> None:
        """An archived increment: due again when its text is one that nobody compiled."""
        names = {one.stem, _NUMBERED.sub("", one.stem)}
        is_known = (one.hash, one.module) in self._known
        if is_known or self._read(one, archived=True):
            for name in names:
                self.count(name, one.hash)

    def _read(self, one: IncrementFile, *, archived: bool = False) -> bool:
        """Fold a file's facts; False, with a problem, where it holds none that can be read."""
        _refuse_markers(one)
        found = increment.read(one.data, one.stem, folder=one.module, digest=one.hash)
        notes = [f"{one.path}:{line}: {text}" for line, text in found.problems]
        if not found.is_readable:
            self._unreadable.add(one.stem)
            # What else lies in an archive is nobody's increment; an edited one is said.
            if not archived or one.stem in self._stems:
                self._problems += notes or [f"{one.path}: holds nothing to compile"]
            return False
        self._warnings += notes
        self._facts += found.facts
        if found.facts or not archived:
            self._folded.append(one.stem)
        return True

    def due(self) -> Due:
        for stem in self._unreadable:
            self._current.pop(stem, None)
        return Due(
            facts=tuple(self._facts),
            compiled=tuple(self._compiled),
            stems=tuple(self._folded),
            current={stem: frozenset(some) for stem, some in self._current.items()},
            problems=tuple(self._problems),
            warnings=tuple(self._warnings),
        )


def _refuse_markers(one: IncrementFile) -> None:
    line = merge_markers.first_line(one.data)
    if line:
        raise StoreDamaged(
            f"{one.path}:{line}: a merge left its conflict markers here",
            hint="Resolve the conflict, remove the markers, then run this again.",
        )


def with_withdrawn(
    facts: Iterable[Fact], current: Mapping[str, frozenset[str]], date: str
) -> tuple[Fact, ...]:
    """The facts, those that no source states any more withdrawn since `date`.

    A fact is withdrawn when each of its sources is there with another text. One source
    that is not there, or not read in this run, leaves it as it is: nothing is lost.
    """
    return tuple(_judged(fact, current, date) for fact in facts)


def _judged(fact: Fact, current: Mapping[str, frozenset[str]], date: str) -> Fact:
    if not fact.sources or fact.resolves == ADOPTED:
        return fact
    if any(digest in current.get(stem, ()) for stem, digest in fact.sources):
        return fact.replaced(withdrawn="") if fact.withdrawn else fact
    if fact.withdrawn or not all(stem in current for stem, _ in fact.sources):
        return fact
    return fact.replaced(withdrawn=date)
