"""Evolve: queue items become knowledge-base entries, one after the other (DESIGN 7, T4).

An item is `processing` first; then its entry file and its row of the index change in one
batch, and the item is `done`. Whatever a kill leaves, the next run finds: the item says
that it was begun, the entry files say what was made (T4.3, N8). Time is looked at
between items, so that nothing has to be undone (T4.5, C18).
"""

from __future__ import annotations

import time
from contextlib import ExitStack

from afterword.errors import AfterwordError, LockHeld, StoreDamaged, UnsafePath
from afterword.evolution import entry, guarded
from afterword.evolution.entry import NewEntry
from afterword.evolution.entry_files import EntryFiles
from afterword.evolution.evolve_sheet import ENTRIES, Sheet
from afterword.evolution.item import Item
from afterword.evolution.words import PROCESSING
from afterword.model import Model
from afterword.store.batch import Change
from afterword.store.config import Config
from afterword.store.layout import Store
from afterword.store.locks import Lock

# Tried, never waited for: a second run skips (T4.4, A4.6). An OS lock under
# `.ai/local/locks`: no `.evolve.lock` file can go stale (C20, C24).
LOCK = "evolve"
# For how long a run keeps the files from others, twice as long as it read them at least,
# and for how long it then lets them go: a hook that adds an item waits for 300 ms.
_SLICE, _PAUSE = 0.15, 0.01


class Evolved(Model):
    """What a run did; in a dry run what it would do.

    `items` are (item id, entry id, the entry's path from the root); `left` items still
    wait. `held`: another process evolves, nothing was done. `recovered` counts items
    that an earlier run had begun. `said` are lines for stderr.
    """

    items: tuple[tuple[str, str, str], ...] = ()
    left: int = 0
    held: bool = False
    out_of_time: bool = False
    recovered: int = 0
    said: tuple[str, ...] = ()


def evolve(
    store: Store,
    config: Config,
    *,
    most: int,
    stamp: str,
    deadline: float,
    wait: float,
    dry_run: bool = False,
) -> Evolved:
    """Evolve at most `most` items before `deadline` (`time.monotonic` seconds).

    `stamp` is the time of the run; its day becomes the items' processed date. Raises
    `LockHeld` when the files are being edited for longer than `wait` seconds,
    `StoreDamaged`, `UnsafePath`.
    """
    run = _Run(store, config, most, stamp[:10], deadline)
    if dry_run:
        guarded.places(store)
        return run.show()
    with ExitStack() as locks:
        try:
            locks.enter_context(Lock(store, LOCK, wait=0.0))
        except LockHeld:
            return Evolved(held=True)
        return run.carry_out(wait)


class _Run:
    """One run: what it may do, and what it did so far."""

    def __init__(
        self, store: Store, config: Config, most: int, today: str, deadline: float
    ) -> None:
        self._store = store
        self._config = config
        self._most = most
        self._today = today
        self._deadline = deadline
        self._files = EntryFiles(store)
        self._failures = 0
        self._told = Evolved()

    def carry_out(self, wait: float) -> Evolved:
        """Evolve in slices of time, between which others may edit the files."""
        is_done = False
        while not is_done:
            try:
                is_done = self._slice(wait)
            except LockHeld:
                if not self._told.items:
                    raise
                break
            if not is_done:
                time.sleep(_PAUSE)
        self._files.keep()
        return self._told

    def _slice(self, wait: float) -> bool:
        """Hold the lock for a while; whether all is done that this run may do."""
        with guarded.editing(self._store, wait) as said:
            began = time.monotonic()
            self._files.sweep()
            sheet = self._sheet()
            self._say(*said)
            read = time.monotonic()
            return self._work(sheet, read + max(_SLICE, 2 * (read - began)))

    def _sheet(self) -> Sheet:
        """The files as they are, what a person has to look at told once."""
        sheet = Sheet(self._store, self._config, self._most - len(self._told.items))
        self._say(*(line for line in sheet.complaints if line not in self._told.said))
        return sheet

    def _work(self, sheet: Sheet, until: float) -> bool:
        """Evolve until all is done, time is up or an editor interferes; whether to end."""
        for done, item in enumerate(sheet.waiting):
            self._told = self._told.replace(left=sheet.left - done)
            now = time.monotonic()
            if now >= self._deadline:
                self._told = self._told.replace(out_of_time=True)
                return True
            if now >= until or not self._one(sheet, item):
                return False
        self._told = self._told.replace(left=sheet.left - len(sheet.waiting))
        return True

    def _one(self, sheet: Sheet, item: Item) -> bool:
        """Evolve an item; False, with nothing lost, where somebody changed a file meanwhile."""
        try:
            identity, name = self._evolve(sheet, item)
        except (UnsafePath, StoreDamaged):
            raise
        except AfterwordError as error:
            return self._fail(error)
        self._failures = 0
        self._tell(item, identity, name)
        return True

    def _evolve(self, sheet: Sheet, item: Item) -> tuple[str, str]:
        """Make the entry of an item, or find it; its id and file name."""
        new = entry.of_item(item, item.raw)
        name = self._made(sheet, item, new)
        if name:
            row = self._files.row(name, new.row)
            sheet.finish(item, row, self._today)
            return row.id, name
        if item.state != PROCESSING:
            sheet.begin(item)
        sheet.finish(item, new.row, self._today, self._change(new))
        self._files.add(new.name, item.identity)
        return new.id, new.name

    def _fail(self, error: AfterwordError) -> bool:
        """Somebody was quicker: say so, and try again with what is there now."""
        self._failures += 1
        if self._failures >= guarded.TRIES:
            raise error
        self._say(error.message)
        return False

    def _made(self, sheet: Sheet, item: Item, new: NewEntry) -> str:
        """The file of the entry that was made of the item already; "" for none.

        Its id first, for that is a function of the item; then what any entry refers to,
        if the reference can only mean this item (Q16). A file that a person edited, or
        gave another name, is still the entry of the item.
        """
        if guarded.read(self._store, ENTRIES, new.name):
            return new.name
        name = self._files.named(new.id)
        if name and name != new.name:
            return name
        name = self._files.made_of(item.identity)
        return name if name and name != new.name and sheet.is_only(item) else ""

    def _change(self, new: NewEntry) -> Change:
        before = guarded.read(self._store, ENTRIES, new.name)
        path = f"{self._store.paths[ENTRIES]}/{new.name}"
        return Change(path=path, before=before, data=new.data)

    def show(self) -> Evolved:
        """What would be evolved; nothing is written, no cache either."""
        sheet = self._sheet()
        for item in sheet.waiting:
            new = entry.of_item(item, item.raw)
            name = self._made(sheet, item, new)
            row = self._files.row(name, new.row) if name else new.row
            self._tell(item, row.id, name or new.name)
        return self._told.replace(left=sheet.left - len(sheet.waiting))

    def _tell(self, item: Item, identity: str, name: str) -> None:
        path = f"{self._store.paths[ENTRIES]}/{name}"
        self._told = self._told.replace(
            items=(*self._told.items, (item.identity, identity, path)),
            recovered=self._told.recovered + (item.state == PROCESSING),
        )

    def _say(self, *lines: str) -> None:
        self._told = self._told.replace(said=(*self._told.said, *lines))
