"""What a start and an end want to know of the queue and the log, without reading them.

Counts and a few titles, kept in `local/cache/evolution.json` beside what tells whether
the files changed (N16: a briefing has counts and titles only). Part of a hook's path:
standard library, `store` and `errors`; a file is parsed only where the cache does not fit.
"""

import os
import time

from afterword.errors import AfterwordError
from afterword.model import TYPE_CHECKING, Model
from afterword.store import atomic, jsonline, stamp
from afterword.store.layout import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    V = TypeVar("V")
    # A view as the cache has it: numbers, a line, lists of rows.
    Values = dict[str, Any]

_CACHE = ("cache", "evolution.json")
_CACHE_MOST = 1 << 16  # bytes; a larger one is not ours
_SETTLED = 2_000_000_000  # ns; a younger file may change again within its stamp's grain
WAITING, NEWEST = 5, 10
_TITLE_MOST = 200


class QueueView(Model):
    """How many items there are by state, and a few of them.

    `waiting` are (id, priority, title) of the most urgent, `newest_done` (id, title),
    newest first. With a `problem`, one line that says what is wrong, nothing was counted.
    """

    pending: int = 0
    processing: int = 0
    done: int = 0
    other: int = 0
    waiting: "tuple[tuple[str, str, str], ...]" = ()
    newest_done: "tuple[tuple[str, str], ...]" = ()
    problem: str = ""


class ReflectionsView(Model):
    """How many reflections there are, and (date, title) of the newest dated ones."""

    total: int = 0
    dated: int = 0
    newest: "tuple[tuple[str, str], ...]" = ()
    problem: str = ""


VIEWS: "dict[str, type[Model]]" = {"queue": QueueView, "reflections": ReflectionsView}


class Overview(Model):
    """The two files; None for one that is too large to be read here and not in the cache."""

    queue: "QueueView | None"
    reflections: "ReflectionsView | None"

    def is_idle(self, keep_done: int, keep_dated: int) -> bool:
        """Whether an end has nothing to evolve, to archive or to roll, as far as is known.

        A file with a problem is one that an end cannot work on.
        """
        queue, log = self.queue, self.reflections
        if queue is None or log is None:
            return False
        waits = queue.pending or queue.processing or queue.done > keep_done
        return not waits and log.dated <= keep_dated


def look(store: Store, *, most_bytes: int, keep: bool = True) -> Overview:
    """What the two files hold, by the cache, else by reading those of at most `most_bytes`.

    Never raises for what it finds. Without `keep` nothing is written, no cache either.
    """
    is_ours = stamp.ours(store)
    cached = _load(store) if is_ours else {}
    queue, queue_entry = _look(store, "queue", cached.get("queue"), most_bytes)
    log, log_entry = _look(store, "reflections", cached.get("reflections"), most_bytes)
    entries = {"queue": queue_entry, "reflections": log_entry}
    if keep and is_ours and entries != cached:
        _save(store, entries)
    return Overview(
        queue=_view(QueueView, queue), reflections=_view(ReflectionsView, log)
    )


def _look(
    store: Store, key: str, cached: object, most_bytes: int
) -> "tuple[Values | None, Any]":
    """The values of a view, None where they are not known; and what the cache should hold."""
    relative = store.paths[key]
    try:
        path = store.tracked(key)
        status = os.stat(path)
    except FileNotFoundError:
        return {}, None
    except OSError as error:
        return {"problem": f"{relative}: {_why(error)}"}, None
    if status.st_mode & 0o170000 != 0o100000:
        return {"problem": f"{relative}: not a regular file"}, None
    seen = _key_of(status)
    if _fits(cached, seen, key):
        return cached["view"], cached  # type: ignore[index]  # `_fits` looked
    if status.st_size > most_bytes:
        return None, None
    values = _read(store, key)
    is_settled = time.time_ns() - max(seen[:2]) > _SETTLED and _is_still(path, seen)
    return values, {"key": seen, "view": values} if is_settled else None


def _fits(cached: object, seen: "list[int]", key: str) -> bool:
    """Whether a cache entry is of this very file and has the shape of a view."""
    if not isinstance(cached, dict) or cached.get("key") != seen:
        return False
    values, kind = cached.get("view"), VIEWS[key]
    return isinstance(values, dict) and all(
        name in kind._fields and isinstance(value, type(_plain(getattr(kind, name))))
        for name, value in values.items()
    )


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _view(kind: "Callable[..., V]", values: "Values | None") -> "V | None":
    """The view with its rows as tuples; None, as unread, for rows that are none."""
    if values is None:
        return None
    try:
        rows = {
            name: tuple(tuple(map(str, row)) for row in value)
            for name, value in values.items()
            if isinstance(value, list)
        }
    except TypeError:
        return None
    return kind(**{**values, **rows})


def _read(store: Store, key: str) -> "Values":
    """The values of a view, read from the file; this loads the readers."""
    from afterword.evolution import guarded

    try:
        data = guarded.read(store, key) or b""
    except AfterwordError as error:
        return {"problem": error.message}
    return _read_queue(data) if key == "queue" else _read_reflections(data)


def _read_queue(data: bytes) -> "Values":
    from afterword.evolution import evolve_plan, queue

    found = queue.read(data)
    waiting = evolve_plan.waiting(found)[:WAITING]
    done = queue.newest_done(found)[:NEWEST]
    return {
        **found.counts(),
        "waiting": [[one.identity, one.priority, _cut(one.title)] for one in waiting],
        "newest_done": [[one.identity, _cut(one.title)] for one in done],
    }


def _read_reflections(data: bytes) -> "Values":
    from afterword.evolution import reflection

    log = reflection.read(data)
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


def _why(error: OSError) -> str:
    if isinstance(error, AfterwordError):
        return error.message.partition(": ")[2] or error.message
    return f"cannot be read: {error.strerror}"


def _key_of(status: os.stat_result) -> "list[int]":
    return [status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino]


def _is_still(path: str, key: "list[int]") -> bool:
    """Whether the file that was read is the one that was looked at before."""
    try:
        return _key_of(os.stat(path)) == key
    except OSError:
        return False


def _load(store: Store) -> "dict[str, Any]":
    try:
        data = atomic.read(store.local_path(*_CACHE), limit=_CACHE_MOST) or b""
        values = jsonline.loads(data.decode())
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}


def _save(store: Store, values: "dict[str, Any]") -> None:
    try:
        path = store.local_path(*_CACHE)
        atomic.write(path, jsonline.to_line(values), durable=False)
    except OSError:
        return  # a cache that cannot be written is only slow
