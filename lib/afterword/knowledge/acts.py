"""An act of review as something that a kill cannot tear: the note kept until it is logged.

The files change in one batch; the ledger line follows it. Between the two a note in
`local/review/` holds the line, and whoever takes the lock next writes what is missing.
Commands only.
"""

from __future__ import annotations

import os
from typing import Any

from afterword.episode import events, ledger, process
from afterword.errors import AfterwordError
from afterword.model import Model
from afterword.store import atomic, batch, digest, jsonline
from afterword.store.git.head import Head
from afterword.store.layout import Store

LOCK = "review"
FOLDER = "review"


class Desk(Model):
    """Where, when and by whom.

    `ledger` takes the act's line: an episode or `OUTSIDE`; `source` is the reference
    to the open episode, "" for none. `today` is the UTC day; `said` collects lines for
    stderr.
    """

    store: Store
    head: Head
    ledger: str
    source: str
    today: str
    is_agent: bool
    said: list[str]


class Note(Model):
    """What an act has to log, and how to tell whether its files were changed.

    `target` has the hash `after` when they were; `source` has `before` until then.
    """

    episode: str
    event: events.Event
    target: str
    after: str
    source: str
    before: str

    @property
    def identity(self) -> str:
        return str(self.event.fields()["id"])


def path_of(store: Store, identity: str) -> str:
    """Where the note of an act on that record lies."""
    return store.local_path(FOLDER, f"{identity}.json")


def keep(store: Store, note: Note) -> None:
    """Write the note, durable before any file changes."""
    values = {
        **{key: value for key, value in note.values().items() if key != "event"},
        "event": note.event._name,
        "fields": note.event.fields(),
    }
    atomic.write(path_of(store, note.identity), jsonline.to_line(values))


def drop(store: Store, note: Note) -> None:
    """The act is logged, or never began."""
    atomic.unlink(path_of(store, note.identity))


def log(desk: Desk, note: Note) -> None:
    """The ledger line, then the note goes."""
    ledger.append(desk.store, note.episode, note.event, desk.head)
    drop(desk.store, note)


def complete(desk: Desk) -> None:
    """Finish what killed acts began: their batches, then their lines; the caller holds the lock."""
    desk.said.extend(batch.roll_forward(desk.store, LOCK))
    for left in _temps(desk.store.local_path(FOLDER)):
        atomic.unlink(desk.store.local_path(FOLDER, left))
    for note in pending(desk.store):
        _sweep(desk.store, note)
        if not _was_done(desk.store, note) or _is_logged(desk.store, note):
            drop(desk.store, note)
        else:
            log(desk, note)
            desk.said.append(
                f"{note.identity}: an act that was cut short is now logged"
            )


def pending(store: Store) -> list[Note]:
    """The notes that are left; one that cannot be read tells nothing and stays for doctor."""
    folder = store.local_path(FOLDER)
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    found = []
    for name in names:
        if name.endswith(".json") and not name.startswith("."):
            note = _read(os.path.join(folder, name))
            if note is not None:
                found.append(note)
    return found


def _read(path: str) -> Note | None:
    try:
        values: dict[str, Any] = jsonline.loads((atomic.read(path) or b"").decode())
        event = events.EVENTS[values.pop("event")](**values.pop("fields"))
        return Note(event=event, **values)
    except (ValueError, TypeError, KeyError, AttributeError, AfterwordError):
        return None


def _was_done(store: Store, note: Note) -> bool:
    """Whether the files were changed: also when a person has edited them since."""
    if _hash(store, note.target) == note.after:
        return True
    return _hash(store, note.source) != note.before


def _hash(store: Store, path: str) -> str:
    data = atomic.read(os.path.join(store.root, *path.split("/")))
    return "" if data is None else digest.hexdigest(data)


def _is_logged(store: Store, note: Note) -> bool:
    """Whether the ledger has the line already: the kill came between line and note."""
    lines = ledger.read(ledger.path_of(store, note.episode)).lines
    return any(
        line["event"] == note.event._name and line.get("id") == note.identity
        for line in lines
    )


def _sweep(store: Store, note: Note) -> None:
    """Remove the temps that a killed act left beside its files; the caller holds the lock.

    A derivation writes candidates under another lock, so one that lives is left alone.
    """
    for path in {note.target, note.source}:
        folder, name = os.path.split(os.path.join(store.root, *path.split("/")))
        for left in _temps(folder):
            is_own = left.startswith(f".{name[:120]}.")
            if is_own and not process.is_alive(int(left.split(".")[-3])):
                atomic.unlink(os.path.join(folder, left))


def _temps(folder: str) -> list[str]:
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return [name for name in names if atomic.is_temp(name)]
