"""What a start tells of the snapshot: sizes, claims, open conflicts, without reading the files.

Kept in `local/cache/snapshot.json`, for each target beside what tells whether its file
changed. Part of a hook's path: standard library and `store`; a file is parsed only where
the cache does not fit, by `summing`.
"""

import os

from afterword.model import TYPE_CHECKING, Model
from afterword.snapshot import places, waiting
from afterword.store import atomic, file_key, jsonline, stamp
from afterword.store.layout import Store

if TYPE_CHECKING:
    from typing import Any

    Values = dict[str, Any]

_CACHE = ("cache", "snapshot.json")
_CACHE_MOST = 1 << 20  # bytes; a larger one is not ours
# A start reads no larger file; what it holds is told by a command.
MOST_BYTES = 1 << 18


class Claim(Model):
    """A decision or constraint in force; `sources` are stems of increments and ids of records."""

    id: str
    kind: str
    title: str
    recorded: str
    is_verified: bool
    files: "tuple[str, ...]"
    sources: "tuple[str, ...]"


class View(Model):
    """One target: the lines of its file, its claims (the newest last), its open conflicts.

    `conflicts` are (id, topic). With a `problem`, a few words, nothing was read.
    """

    target: str
    path: str
    lines: int = 0
    claims: "tuple[Claim, ...]" = ()
    conflicts: "tuple[tuple[str, str], ...]" = ()
    problem: str = ""


class Overview(Model):
    """The targets that have a file, the snapshot first; and how many increments wait."""

    views: "tuple[View, ...]"
    waiting: int

    @property
    def conflicts(self) -> "dict[str, str]":
        """Topic by id of every open conflict; one of two modules stands in both files."""
        return {found: topic for view in self.views for found, topic in view.conflicts}


def look(store: Store, *, most_bytes: int = MOST_BYTES, keep: bool = True) -> Overview:
    """What the files hold, by the cache, else by reading those of at most `most_bytes`.

    Never raises for what it finds. Without `keep` nothing is written, no cache either.
    """
    is_ours = stamp.ours(store)
    cached = _load(store) if is_ours else {}
    entries: Values = {}
    views = []
    for target, path in _targets(store):
        values, entry = _look(store, target, path, cached.get(target), most_bytes)
        if entry is not None:
            entries[target] = entry
        if values is not None:
            views.append(_view(target, path, values))
    if keep and is_ours and entries != cached:
        _save(store, entries)
    return Overview(views=tuple(views), waiting=len(waiting.names(store)))


def _targets(store: Store) -> "list[tuple[str, str]]":
    """Name and path, from the root, of the snapshot and of each module's knowledge."""
    where = places.of(store.paths)
    modules = waiting.modules(store)
    return [(name, where.target(name)) for name in ("", *modules)]


def _look(
    store: Store, target: str, path: str, cached: object, most_bytes: int
) -> "tuple[Values | None, Values | None]":
    """The values of a view, None where there is no file; and what the cache should hold."""
    try:
        now = file_key.of(os.stat(os.path.join(store.root, path)))
    except OSError:
        return None, None
    if isinstance(cached, dict) and cached.get("key") == now:
        return cached.get("view"), cached
    if now[2] > most_bytes:
        return {"problem": "too large for a start"}, None
    from afterword.snapshot import summing

    values = summing.read(store, target, path)
    is_settled = file_key.is_settled(now) and _key(store, path) == now
    return values, {"key": now, "view": values} if is_settled else None


def _key(store: Store, path: str) -> "list[int] | None":
    try:
        return file_key.of(os.stat(os.path.join(store.root, path)))
    except OSError:
        return None


def _view(target: str, path: str, values: object) -> View:
    """A view of cached values; what is not of its shape says so, and nothing else."""
    try:
        assert isinstance(values, dict)
        claims = tuple(_claim(row) for row in values.get("claims", ()))
        conflicts = tuple((str(a), str(b)) for a, b in values.get("conflicts", ()))
        problem, lines = str(values.get("problem", "")), int(values.get("lines", 0))
    except (AssertionError, TypeError, ValueError, KeyError):
        return View(target=target, path=path, problem="its cache is damaged")
    return View(
        target=target,
        path=path,
        lines=lines,
        claims=claims,
        conflicts=conflicts,
        problem=problem,
    )


def _claim(row: "Values") -> Claim:
    return Claim(
        id=str(row["id"]),
        kind=str(row["kind"]),
        title=str(row["title"]),
        recorded=str(row["recorded"]),
        is_verified=row["verified"] is True,
        files=tuple(map(str, row["files"])),
        sources=tuple(map(str, row["sources"])),
    )


def _load(store: Store) -> "Values":
    try:
        data = atomic.read(store.local_path(*_CACHE), limit=_CACHE_MOST) or b""
        values = jsonline.loads(data.decode())
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}


def _save(store: Store, values: "Values") -> None:
    try:
        path = store.local_path(*_CACHE)
        atomic.write(path, jsonline.to_line(values), durable=False)
    except OSError:
        return  # a cache that cannot be written is only slow
