"""What a start and an end want to know of the queue and the log, without reading them.

Counts and a few titles, kept in `local/cache/evolution.json` beside what tells whether
the files changed (N16: a briefing has counts and titles only). Part of a hook's path:
standard library, `store` and `errors`; a file is parsed only where the cache does not fit.
"""

import os

from afterword.errors import AfterwordError
from afterword.model import TYPE_CHECKING, Model
from afterword.store import atomic, file_key, jsonline, stamp
from afterword.store.layout import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    V = TypeVar("V")
    Key = list[int]  # as `file_key.of` has it
    # A view as the cache has it: numbers, a line, lists of rows.
    Values = dict[str, Any]

# A larger file is read by commands only.
MOST_BYTES = 6 << 20
_CACHE = ("cache", "evolution.json")
_CACHE_MOST = 1 << 16  # bytes; a larger one is not ours
# The fields of the views that are rows, and how many columns a row has.
_COLUMNS = {"waiting": 3, "newest_done": 2, "newest": 2}


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


def size(store: Store, key: str) -> int:
    """The bytes of a file; 0 for one that is not there or that nobody may read."""
    try:
        return os.stat(store.tracked(key)).st_size
    except OSError:
        return 0


def count_large(store: Store, *, above: int, most_bytes: int) -> None:
    """Count what is larger than `above` bytes, which a start does not read, for the cache.

    Costs two `stat` where both files are small, or too young for their counts to be kept.
    """
    found = (seen(store, key) for key in VIEWS)
    if any(one and one[2] > above and file_key.is_settled(one) for one in found):
        look(store, most_bytes=most_bytes)


def seen(store: Store, key: str) -> "Key | None":
    """What tells later whether a file is still the one that is read next."""
    try:
        return file_key.of(os.stat(store.tracked(key)))
    except OSError:
        return None


def keep(store: Store, key: str, before: "Key | None", values: "Values") -> None:
    """Keep counts that a command made for itself; `before` was seen before it read."""
    if before is None or not stamp.ours(store):
        return
    cached, entry = _load(store), _entry(store, key, before, values)
    if entry is not None and cached.get(key) != entry:
        _save(store, {**dict.fromkeys(VIEWS), **cached, key: entry})


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
    now = file_key.of(status)
    if _fits(cached, now, key):
        return cached["view"], cached  # type: ignore[index]  # `_fits` looked
    if status.st_size > most_bytes:
        return None, None
    from afterword.evolution import counting

    values = counting.read(store, key)
    return values, _entry(store, key, now, values)


def _entry(store: Store, key: str, before: "Key", values: "Values") -> "Values | None":
    """What the cache holds of a file; None for one that may have changed since it was read."""
    if not file_key.is_settled(before) or seen(store, key) != before:
        return None
    return {"key": before, "view": values}


def _fits(cached: object, now: "Key", key: str) -> bool:
    """Whether a cache entry is of this very file and has the shape of a view."""
    if not isinstance(cached, dict) or cached.get("key") != now:
        return False
    values = cached.get("view")
    return isinstance(values, dict) and all(
        name in VIEWS[key]._fields and _is_value(name, value, VIEWS[key])
        for name, value in values.items()
    )


def _is_value(name: str, value: object, kind: "type[Model]") -> bool:
    """Whether a value is of the field's type; of rows, also that each has its columns."""
    if name not in _COLUMNS:
        return isinstance(value, type(getattr(kind, name)))
    return isinstance(value, list) and all(
        isinstance(row, list) and len(row) == _COLUMNS[name] for row in value
    )


def _view(kind: "Callable[..., V]", values: "Values | None") -> "V | None":
    """The view with its rows as tuples of text; None for a file that was not read."""
    if values is None:
        return None
    rows = {
        name: tuple(tuple(map(str, row)) for row in value)
        for name, value in values.items()
        if name in _COLUMNS
    }
    return kind(**{**values, **rows})


def _why(error: OSError) -> str:
    if isinstance(error, AfterwordError):
        from afterword.store.safe_text import own_words

        return own_words(error.message)
    return f"cannot be read: {error.strerror}"


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
