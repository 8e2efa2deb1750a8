"""A compile as the rim carries it out: locked, read, planned, written in one batch.

Whatever kills it, the next compile or start rolls the batch forward; whatever refuses
it, nothing has changed. Loaded only where there is work to do. Standard library, `store`
and `errors` only, with the room's own rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from afterword.errors import LockHeld
from afterword.model import Model
from afterword.snapshot import due, sources
from afterword.snapshot import plan as planning
from afterword.snapshot.archiving import Move
from afterword.snapshot.fact import Fact
from afterword.snapshot.plan import Plan
from afterword.snapshot.report import Report
from afterword.store import atomic, batch, sweep
from afterword.store.batch import Change, ChangedMeanwhile
from afterword.store.config import Config
from afterword.store.layout import Store
from afterword.store.locks import Lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from afterword.snapshot.due import Watch

# An OS lock: it dies with its holder. Everything that this room writes is written under it.
LOCK = "compile"
# How often a compile is planned anew because an editor was quicker (DESIGN 10: twice more).
TRIES = 3
ROUNDS = "rounds"


class Compiled(Model):
    """What a compile did; in a dry run what it would do.

    `paths` are the files it wrote, from the root, without those that only moved to the
    archive. `held`: another process compiles, nothing was done. `said` are lines about
    files that a killed run left and somebody else changed. `diff` is a dry run's.
    """

    report: Report = Report()
    paths: tuple[str, ...] = ()
    held: bool = False
    said: tuple[str, ...] = ()
    diff: str = ""
    plan: Plan = Plan()

    @property
    def discoverable(self) -> bool:
        """Whether modules could be made, where this run did not look for them."""
        return self.plan.discoverable

    @property
    def is_changed(self) -> bool:
        """Whether anything was written or moved."""
        return bool(self.plan.changes)


def compile_(
    store: Store,
    config: Config,
    promoted: Sequence[Fact] = (),
    *,
    date: str,
    wait: float,
    dry_run: bool = False,
    rebuild: bool = False,
    discover: str = "",
    whole: bool = False,
    watch: Watch = due.unwatched,
) -> Compiled:
    """Compile what is due into the target files, and archive it.

    `date` is YYYY-MM-DD. With `wait` 0 a held lock is `held`, else `LockHeld` after so
    many seconds. `whole` looks for increments that were edited in the archive; without
    it only waiting ones are read, as a hook can afford. `discover` looks for new modules:
    `sources.USED` or `ALL`.
    Raises `StoreDamaged` with path:line, `UnsafePath`, `AfterwordError`, `OSError`, with
    nothing changed.
    """
    run = _Run(store, config, promoted, date, rebuild, discover, whole, watch)
    if dry_run:
        planned = run.planned()
        return _told(planned, diff=diff(planned))
    try:
        with Lock(store, LOCK, wait=wait):
            return run.carry_out()
    except LockHeld:
        if wait:
            raise
        return Compiled(held=True)


class _Run:
    """One compile: where, by which settings, of what."""

    def __init__(
        self,
        store: Store,
        config: Config,
        promoted: Sequence[Fact],
        date: str,
        rebuild: bool,
        discover: str,
        whole: bool,
        watch: Watch,
    ) -> None:
        self._store = store
        self._config = config
        self._promoted = promoted
        self._date = date
        self._rebuild = rebuild
        self._discover = discover
        self._whole = whole
        self._watch = watch

    def carry_out(self) -> Compiled:
        """Under the lock: complete what a killed run began, then plan and write."""
        said = tuple(batch.roll_forward(self._store, LOCK))
        self._sweep()
        planned = self._written()
        atomic.unlink(self._store.local_path(ROUNDS))
        return _told(planned, said=said)

    def _written(self) -> Plan:
        """The plan that was carried out, made anew where an editor was quicker."""
        for left in reversed(range(TRIES)):
            planned = self.planned()
            try:
                if planned.changes:
                    batch.apply(self._store, LOCK, planned.changes)
            except ChangedMeanwhile:
                if not left:
                    raise
            else:
                return planned
        raise AssertionError("unreachable")

    def planned(self) -> Plan:
        """The plan from what is there now."""
        found = planning.plan(self._read(self._whole), self._watch)
        if found.needs_all:
            return planning.plan(self._read(whole=True), self._watch)
        return found

    def _read(self, whole: bool) -> sources.Inputs:
        return sources.read(
            self._store,
            self._config,
            self._promoted,
            date=self._date,
            whole=whole,
            rebuild=self._rebuild,
            discover=self._discover,
        )

    def _sweep(self) -> None:
        """Remove what killed runs left beside the files that are written under this lock."""
        for folder, names in sources.written(self._store).items():
            sweep.sweep(folder, _any if names is None else names.__contains__)


def _any(_: str) -> bool:
    return True


def _told(planned: Plan, said: tuple[str, ...] = (), diff: str = "") -> Compiled:
    return Compiled(
        report=planned.report,
        paths=tuple(change.path for change in planned.texts),
        said=said,
        diff=diff,
        plan=planned,
    )


def diff(planned: Plan) -> str:
    """The plan as git shows a diff: what moves to the archive has no text of its own."""
    texts = (line for change in planned.texts for line in _diff(change))
    moved = (line for move in planned.moves for line in _moved(move))
    return "".join((*texts, *moved))


def _moved(move: Move) -> Iterator[str]:
    if move.is_there:
        yield from _diff(*move.changes)
        return
    yield f"diff --git a/{move.source} b/{move.path}\nsimilarity index 100%\n"
    yield f"rename from {move.source}\nrename to {move.path}\n"


def _diff(change: Change) -> Iterator[str]:
    import difflib  # a hook shows no diff

    before, after = _text(change.before), _text(change.data)
    old = f"a/{change.path}" if change.before is not None else "/dev/null"
    new = f"b/{change.path}" if change.data is not None else "/dev/null"
    for line in difflib.unified_diff(before, after, old, new):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _text(data: bytes | None) -> list[str]:
    """The lines with their ends, as git counts them: at LF only."""
    text = (data or b"").decode("utf-8", "replace")
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [
        line for line in text.split("\n")[-1:] if line
    ]
