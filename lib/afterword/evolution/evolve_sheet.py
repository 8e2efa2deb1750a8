"""The queue and the index as a run of evolve changes them on the disk, item by item.

The caller holds the lock `evolution`. The queue is parsed once; what becomes of an item
is laid over what was read. Imports `store` and this room's readers.
"""

from __future__ import annotations

from afterword.evolution import evolve_plan, guarded, knowledge_base, queue, words
from afterword.evolution.item import OPEN, Item
from afterword.evolution.knowledge_base import Entry
from afterword.evolution.queue import Queue
from afterword.store import batch
from afterword.store.batch import Change
from afterword.store.config import Config
from afterword.store.layout import Store

QUEUE, QUEUE_ARCHIVE, BASE, ENTRIES = (
    "queue",
    "queue_archive",
    "knowledge_base",
    "entries",
)


class Sheet:
    """What is on the disk now, and the first `most` items that wait, most urgent first.

    `left` counts all that wait. Of a large queue only these items are kept in memory.
    """

    def __init__(self, store: Store, config: Config, most: int) -> None:
        self._store = store
        self._fallback: str = config["language"]
        self._queue_data = guarded.read(store, QUEUE)
        self._base_data = guarded.read(store, BASE)
        data = self._queue_data or b""
        found = queue.read(data)
        waiting = evolve_plan.waiting(found)
        self.left = len(waiting)
        self.waiting = waiting[:most]
        self.complaints = tuple(map(self._complaint, evolve_plan.open_ended(found)))
        self.language = words.language_of(data, self._fallback)
        self._queue = Queue(data, self.waiting)
        self._changed: dict[Item, bytes] = {}

    def _complaint(self, item: Item) -> str:
        path = self._store.paths[QUEUE]
        return f"{path}:{item.line}: {item.identity} {OPEN}: close it, then it can be evolved"

    def is_only(self, item: Item) -> bool:
        """Whether no other item of the queue and its archive has this one's id (Q16)."""
        archive = guarded.read(self._store, QUEUE_ARCHIVE) or b""
        found = (queue.read(data) for data in (self._queue.data, archive))
        return evolve_plan.twins(item, *found) == 1

    def begin(self, item: Item) -> None:
        """Write an item as `processing`."""
        self._replace(self._with(item, words.PROCESSING))

    def finish(
        self, item: Item, row: Entry, today: str, entry: Change | None = None
    ) -> None:
        """One batch of the entry's file, if it is new, and its row; then the item is done.

        Done comes last: an item whose row an editor kept from being written is begun
        still, and the next run adds it. `AfterwordError` when somebody changed a file
        meanwhile, also in `begin`; it says what became of it.
        """
        base = knowledge_base.add_row(self._base_data, row, self._fallback)
        changes = [] if entry is None else [entry]
        if base != self._base_data:
            path = self._store.paths[BASE]
            changes.append(Change(path=path, before=self._base_data, data=base))
        if changes:
            batch.apply(self._store, guarded.LOCK, changes)
            self._base_data = base
        data = self._with(item, words.DONE, processed=today, product=row.id)
        self._replace(data)

    def _replace(self, data: bytes) -> None:
        if not guarded.replace(self._store, QUEUE, self._queue_data, data):
            raise guarded.changed(self._store, QUEUE)
        self._queue_data = data

    def _with(self, item: Item, state: str, **fields: str) -> bytes:
        """The whole queue with an item in another state."""
        raw = self._changed.get(item) or item.raw
        self._changed[item] = queue.put_state(
            raw, state, language=self.language, **fields
        )
        return queue.replaced(self._queue, self._changed)
