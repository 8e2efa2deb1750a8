"""One change of several files that a crash cannot leave half done (DESIGN section 10).

Temps are written and synced, then one intent, then the renames and unlinks, then
the intent goes. Whoever takes the same lock next rolls an intent forward. Part of
a hook's recovery path: standard library only.
"""

import os

from afterword.errors import AfterwordError
from afterword.model import TYPE_CHECKING, Model
from afterword.store import atomic, digest, jsonline, sweep
from afterword.store.layout import Store, confine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class Change(Model):
    """What becomes of one file: `path` from the root, `data` None to remove it.

    `before` are the bytes it was planned from (None: absent).
    """

    path: str
    before: "bytes | None"
    data: "bytes | None"


def _hash(data: "bytes | None") -> str:
    return "" if data is None else digest.hexdigest(data)


def apply(store: Store, lock: str, changes: "Sequence[Change]") -> None:
    """Carry out the changes together; the caller holds `lock`.

    Refuses, with nothing changed, when a file is no longer what the plan was made from.
    A file that changes in the moment of its rename is left alone, nothing is removed,
    and the error names where the new text is kept.
    """
    for change in changes:
        if atomic.read(confine(store.root, change.path)) != change.before:
            raise AfterwordError(
                f"{change.path}: changed by someone else meanwhile",
                hint="run the command again",
            )
    # The lock's name in it: who holds that lock may sweep what a killed process left.
    identity = f"{lock}.{os.getpid()}-{os.urandom(6).hex()}"
    path = store.local_path("batch", f"{identity}.json")
    intent: list[dict[str, Any]] = []
    try:
        for change in changes:
            intent.append(_stage(store, change))
        atomic.write(path, jsonline.to_line({"lock": lock, "files": intent}))
    except OSError:
        # Nothing has changed yet: the disk refused a temp or the intent.
        for entry in intent:
            if entry["temp"]:
                atomic.unlink(confine(store.root, entry["temp"]))
        raise
    said = _roll(store, intent)
    atomic.unlink(path)
    if said:
        raise AfterwordError("\n".join(said), hint="run the command again")


def _stage(store: Store, change: Change) -> "dict[str, Any]":
    temp = ""
    if change.data is not None:
        temp = store.relative(
            atomic.stage(confine(store.root, change.path), change.data)
        )
    return {
        "path": change.path,
        "temp": temp,
        "before": _hash(change.before),
        "after": _hash(change.data),
    }


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
    said: list[str] = []
    for entry in sorted(files, key=lambda entry: not entry["after"]):
        path = confine(store.root, entry["path"])
        temp = confine(store.root, entry["temp"]) if entry["temp"] else ""
        now = _hash(atomic.read(path))
        if now == entry["after"]:
            if temp:
                atomic.unlink(temp)
        elif not entry["after"] and said:
            said.append(f"{entry['path']}: kept")
        elif now != entry["before"]:
            said.append(_keep_orphan(entry, temp))
        elif not temp:
            atomic.unlink(path)
            atomic.make_durable(os.path.dirname(path))
        elif os.path.exists(temp):
            os.replace(temp, os.path.realpath(path))
            atomic.make_durable(os.path.dirname(path))
        else:
            said.append(f"{entry['path']}: what was to be written is gone")
    return said


def _keep_orphan(entry: "dict[str, Any]", temp: str) -> str:
    left = f"{entry['path']}: changed by someone else meanwhile"
    if not temp or not os.path.exists(temp):
        return f"{left}, left as it is"
    os.replace(temp, f"{temp[: -len('.tmp')]}.orphan")
    kept = f"{entry['temp'][: -len('.tmp')]}.orphan"
    return f"{left}; what was to be written is kept in {kept}"
