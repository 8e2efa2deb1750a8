"""One change of several files that a crash cannot leave half done (DESIGN section 10).

Temps are written and synced, then one intent, then the renames and unlinks, then
the intent goes. Whoever takes the same lock next rolls an intent forward. Part of
a hook's recovery path: standard library only.
"""

import os

from afterword.errors import AfterwordError
from afterword.model import TYPE_CHECKING, Model
from afterword.store import atomic, digest, jsonline
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
    """
    for change in changes:
        if atomic.read(confine(store.root, change.path)) != change.before:
            raise AfterwordError(
                f"{change.path}: changed by someone else meanwhile",
                hint="run the command again",
            )
    intent = [_stage(store, change) for change in changes]
    identity = f"{os.getpid()}-{os.urandom(6).hex()}"
    path = store.local_path("batch", f"{identity}.json")
    atomic.write(path, jsonline.to_line({"lock": lock, "files": intent}))
    _roll(store, intent)
    atomic.unlink(path)


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
        if isinstance(intent, dict) and isinstance(intent.get("files"), list):
            found.append((path, intent))
    return found


def _roll(store: Store, files: "list[dict[str, Any]]") -> "list[str]":
    """Renames first, then unlinks: a destination is durable before its source goes."""
    said = []
    for entry in sorted(files, key=lambda entry: not entry["after"]):
        path = confine(store.root, entry["path"])
        temp = confine(store.root, entry["temp"]) if entry["temp"] else ""
        now = _hash(atomic.read(path))
        if now == entry["after"]:
            if temp:
                atomic.unlink(temp)
        elif now != entry["before"]:
            said.append(_keep_orphan(entry["path"], temp))
        elif not temp:
            atomic.unlink(path)
            atomic.make_durable(os.path.dirname(path))
        elif os.path.exists(temp):
            os.replace(temp, os.path.realpath(path))
            atomic.make_durable(os.path.dirname(path))
    return said


def _keep_orphan(path: str, temp: str) -> str:
    if not temp or not os.path.exists(temp):
        return f"{path}: changed by someone else meanwhile, left as it is"
    orphan = f"{temp[: -len('.tmp')]}.orphan"
    os.replace(temp, orphan)
    return f"{path}: changed by someone else meanwhile; what was to be written is kept in {orphan}"
