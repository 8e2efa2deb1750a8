"""Which items, reflections and increments this machine recorded: what a start may quote.

The files that hold them come from anybody's branch, so a briefing shows a title only
where it is the one that was recorded here, word for word (DESIGN 12). No hook lists the
ledgers; the commands that record keep one digest a line beside them, a cache that is
made anew from the ledgers where it is missing. Part of a hook's path.
"""

import os

from afterword.episode import events, ledger
from afterword.errors import LockHeld
from afterword.model import TYPE_CHECKING
from afterword.store import atomic, digest
from afterword.store.layout import Store
from afterword.store.locks import COMMAND_WAIT, Lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LOCK = "recorded"
TITLE = 200  # characters of a title that are compared: more than a start shows
_LENGTH = 16
# Digests that a start reads, the newest; what is older is shown without its title.
_MOST_READ = 4000 * (_LENGTH + 1)


def _path(store: Store) -> str:
    return store.local_path("cache", "recorded")


def _digest(key: str, title: str) -> str:
    text = f"{key}\0{title[:TITLE]}".encode("utf-8", "surrogatepass")
    return digest.hexdigest(text)[:_LENGTH]


def note(store: Store, key: str, title: str) -> None:
    """Remember what a ledger line has just recorded: an item's id, a reflection's date or
    an increment's stem.

    Best effort: without it a start shows no title.
    """
    try:
        with Lock(store, LOCK, wait=COMMAND_WAIT):
            if not os.path.exists(_path(store)):
                _make(store)
            line = f"{_digest(key, title)}\n".encode()
            ledger.append_line(_path(store), line, durable=False)
    except (OSError, LockHeld):
        return


def _make(store: Store) -> None:
    """The digests of all ledgers of this worktree."""
    digests = [_digest(*pair) for pair in _pairs(store)]
    data = "".join(f"{one}\n" for one in digests).encode()
    atomic.write(_path(store), data, durable=False)


def _pairs(store: Store) -> "Iterator[tuple[str, str]]":
    from afterword.episode import history

    for event, key in (
        (events.QueueAdded._name, "id"),
        (events.ReflectionAdded._name, "date"),
        (events.IncrementAdded._name, "stem"),
    ):
        query = history.Query(event=event)
        for raw in history.select(store, query, lambda _: None):
            line: dict[str, Any] = ledger.parse_line(raw) or {}
            yield str(line.get(key, "")), str(line.get("title", ""))


def known(store: Store) -> "frozenset[str]":
    """What `has` asks; read once at a start."""
    descriptor = ledger.open_to_read(_path(store))
    if descriptor < 0:
        return frozenset()
    try:
        size = os.fstat(descriptor).st_size
        data = os.pread(descriptor, _MOST_READ, max(size - _MOST_READ, 0))
    finally:
        os.close(descriptor)
    lines = data.decode("ascii", "replace").split("\n")
    return frozenset(line for line in lines if len(line) == _LENGTH)


def has(known: "frozenset[str]", key: str, title: str) -> bool:
    """Whether this machine's ledger recorded this title for this id, date or stem."""
    return _digest(key, title) in known
