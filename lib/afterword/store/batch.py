"""One change of several files that a crash cannot leave half done (DESIGN section 10).

Temps are written and synced, then one intent, then the renames and unlinks, then
the intent goes. Whoever takes the same lock next rolls an intent forward. Part of
a hook's recovery path: standard library only.
"""

import errno
import os

from afterword.errors import AfterwordError
from afterword.model import TYPE_CHECKING, Model
from afterword.store import atomic, digest, jsonline, layout, sweep
from afterword.store.layout import Store, confine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class ChangedMeanwhile(AfterwordError):
    """A file is no longer what the plan was made from; nothing was changed."""


class Change(Model):
    """What becomes of one file: `path` from the root, `data` None to remove it.

    `before` are the bytes it was planned from (None: absent). `source` is a file that
    holds `data` already and goes in the same batch: it is linked there, not copied.
    """

    path: str
    before: "bytes | None"
    data: "bytes | None"
    source: str = ""


def _hash(data: "bytes | None") -> str:
    return "" if data is None else digest.hexdigest(data)


class _Confined:
    """The paths of one batch, checked by `confine`; each folder is looked at once."""

    def __init__(self, store: Store) -> None:
        self._root = store.root
        self._folders: dict[str, str] = {}

    def __call__(self, relative: str) -> str:
        folder, _, name = relative.rpartition("/")
        known = self._folders.get(folder)
        if known is not None and layout.is_open(name):
            path = os.path.join(known, name)
            if not os.path.islink(path):
                return path
        path = confine(self._root, relative)
        self._folders[folder] = os.path.dirname(path)
        return path


def apply(store: Store, lock: str, changes: "Sequence[Change]") -> None:
    """Carry out the changes together; the caller holds `lock`.

    `ChangedMeanwhile`, with nothing changed, when a file is no longer what the plan was
    made from. A file that changes in the moment of its rename is left alone, nothing is
    removed, and the error names where the new text is kept.
    """
    confined = _Confined(store)
    for change in changes:
        if atomic.read(confined(change.path)) != change.before:
            raise ChangedMeanwhile(
                f"{change.path}: changed by someone else meanwhile",
                hint="run the command again",
            )
    # The lock's name in it: who holds that lock may sweep what a killed process left.
    identity = f"{lock}.{os.getpid()}-{os.urandom(6).hex()}"
    path = store.local_path("batch", f"{identity}.json")
    intent: list[dict[str, Any]] = []
    try:
        for change in changes:
            intent.append(_stage(store, confined, change))
        atomic.write(path, jsonline.to_line({"lock": lock, "files": intent}))
    except OSError:
        # Nothing has changed yet: the disk refused a temp or the intent.
        for entry in intent:
            if entry["temp"]:
                atomic.unlink(confined(entry["temp"]))
        raise
    said = _roll(store, intent)
    atomic.unlink(path)
    if said:
        raise AfterwordError("\n".join(said), hint="run the command again")


def _stage(store: Store, confined: _Confined, change: Change) -> "dict[str, Any]":
    temp = ""
    path = confined(change.path)
    if change.data is None:
        _may_unlink(path)
    else:
        source = confined(change.source) if change.source else ""
        linked = atomic.link(source, path) if source else ""
        temp = store.relative(linked or atomic.stage(path, change.data))
    return {
        "path": change.path,
        "temp": temp,
        "before": _hash(change.before),
        "after": _hash(change.data),
    }


def _may_unlink(path: str) -> None:
    """`OSError` while nothing has changed yet, where a file could not be removed later."""
    folder = os.path.dirname(path)
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)


def roll_forward(store: Store, lock: str) -> "list[str]":
    """Complete what a killed process began under this lock; the caller holds it.

    Returns a line for each file that was left alone because neither hash fits.
    """
    said: list[str] = []
    sweep.sweep(store.local_path("batch"), lambda name: name.partition(".")[0] == lock)
    for path, intent in pending(store):
        if intent.get("lock") == lock:
            said += _roll(store, intent["files"])
            atomic.unlink(path)
    return said


def pending(store: Store) -> "list[tuple[str, dict[str, Any]]]":
    """The intents that wait, oldest name first; an unreadable one is skipped."""
    folder = store.local_path("batch")
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except FileNotFoundError:
        return []
    found = []
    for name in names:
        path = os.path.join(folder, name)
        try:
            intent = jsonline.loads((atomic.read(path) or b"").decode())
        except ValueError:
            continue
        if isinstance(intent, dict) and _is_whole(intent.get("files")):
            found.append((path, intent))
    return found


def _is_whole(files: object) -> bool:
    keys = ("path", "temp", "before", "after")
    return isinstance(files, list) and all(
        isinstance(entry, dict) and all(isinstance(entry.get(k), str) for k in keys)
        for entry in files
    )


def _roll(store: Store, files: "list[dict[str, Any]]") -> "list[str]":
    """Renames first, then unlinks: a destination is durable before its source goes.

    Where one rename could not be done, no source goes.
    """
    confined = _Confined(store)
    said: list[str] = []
    for are_renames in (True, False):
        folders: set[str] = set()
        for entry in files:
            if bool(entry["after"]) == are_renames:
                said += _one(confined, entry, folders, keep=bool(said))
        for folder in sorted(folders):
            atomic.make_durable(folder)
    return said


def _one(
    confined: _Confined, entry: "dict[str, Any]", folders: "set[str]", *, keep: bool
) -> "list[str]":
    """Rename or unlink one file; what is to be said where that was not done."""
    path = confined(entry["path"])
    temp = confined(entry["temp"]) if entry["temp"] else ""
    now = _hash(atomic.read(path))
    if now == entry["after"]:
        if temp:
            atomic.unlink(temp)
    elif not entry["after"] and keep:
        return [f"{entry['path']}: kept"]
    elif now != entry["before"]:
        return [_keep_orphan(entry, temp)]
    elif not temp:
        atomic.unlink(path)
    elif os.path.exists(temp):
        os.replace(temp, os.path.realpath(path) if os.path.islink(path) else path)
    else:
        return [f"{entry['path']}: what was to be written is gone"]
    # Also of what was as it should be: a killed process may not have come so far.
    folders.add(
        os.path.dirname(os.path.realpath(path) if os.path.islink(path) else path)
    )
    return []


def _keep_orphan(entry: "dict[str, Any]", temp: str) -> str:
    left = f"{entry['path']}: changed by someone else meanwhile"
    if not temp or not os.path.exists(temp):
        return f"{left}, left as it is"
    os.replace(temp, f"{temp[: -len('.tmp')]}.orphan")
    kept = f"{entry['temp'][: -len('.tmp')]}.orphan"
    return f"{left}; what was to be written is kept in {kept}"
