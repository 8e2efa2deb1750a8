"""Counts and a few titles of the queue and the log, from the files themselves.

What `overview` keeps for the hooks, as it stands in the cache: `fields of a view ->
numbers and rows`. Loaded where the cache does not fit, and by commands that read a file
anyway. Imports `overview` and the readers.
"""

from __future__ import annotations

from typing import Any

from afterword.errors import AfterwordError
from afterword.evolution import evolve_plan, guarded, overview, queue, reflection
from afterword.evolution.queue import Queue
from afterword.evolution.reflection import Log
from afterword.store.layout import Store

WAITING, NEWEST = 5, 10
_TITLE_MOST = 200

Values = dict[str, Any]


def read(store: Store, key: str) -> Values:
    """The values of a view; of a file that no reader takes, what is wrong with it."""
    try:
        data = guarded.read(store, key) or b""
    except AfterwordError as error:
        return {"problem": error.message}
    if key == "queue":
        return _of_queue(queue.read(data))
    return _of_reflections(reflection.read(data))


def read_queue(store: Store) -> Queue:
    """The whole queue, its counts kept for the hooks. Raises as `guarded.read`."""
    before = overview.seen(store, "queue")
    found = queue.read(guarded.read(store, "queue") or b"")
    overview.keep(store, "queue", before, _of_queue(found))
    return found


def read_reflections(store: Store) -> Log:
    """The whole log, its counts kept for the hooks. Raises as `guarded.read`."""
    before = overview.seen(store, "reflections")
    found = reflection.read(guarded.read(store, "reflections") or b"")
    overview.keep(store, "reflections", before, _of_reflections(found))
    return found


def _of_queue(found: Queue) -> Values:
    waiting = evolve_plan.waiting(found)[:WAITING]
    done = queue.newest_done(found)[:NEWEST]
    return {
        **found.counts(),
        "waiting": [[one.identity, one.priority, _cut(one.title)] for one in waiting],
        "newest_done": [[one.identity, _cut(one.title)] for one in done],
    }


def _of_reflections(log: Log) -> Values:
    dated = log.dated()
    sign = -1 if log.is_newest_first() else 1
    dated.sort(key=lambda one: (one.moment, sign * one.start), reverse=True)
    return {
        "total": len(log.entries),
        "dated": len(dated),
        "newest": [[one.date, _cut(one.title)] for one in dated[:NEWEST]],
    }


def _cut(title: str) -> str:
    return title[:_TITLE_MOST]
