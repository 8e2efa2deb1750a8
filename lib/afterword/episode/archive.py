"""Joined ledgers of closed episodes: `ledger/closed/<YYYY-MM>.jsonl`.

Each entry is a header line with episode, size and hash, then the bytes of the file.
An entry is joined and durable before its source goes, the longest entry of an
episode counts, and `restore` gives a resumed episode its ledger back.
"""

import os
import time

from afterword.episode import ledger
from afterword.model import TYPE_CHECKING, Model
from afterword.store import atomic, digest, jsonline
from afterword.store.layout import Store
from afterword.store.locks import Lock, wait_lock

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCK = "ledger-archive"
SUFFIX = ".jsonl"


class Entry(Model):
    """Where the ledger of one episode lies in an archive: byte offset and size."""

    archive: str
    episode: str
    start: int
    size: int
    sha256: str


def folder(store: Store) -> str:
    return store.local_path("ledger", "closed")


def entries(store: Store) -> "Iterator[Entry]":
    """The headers of all archives, oldest month first; the bytes between are passed over."""
    try:
        names = sorted(os.listdir(folder(store)))
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in names:
        if name.endswith(SUFFIX) and not name.startswith("."):
            yield from _headers(os.path.join(folder(store), name))


def _headers(path: str) -> "Iterator[Entry]":
    with open(path, "rb") as file:
        while True:
            header = file.readline(4096)
            start = file.tell()
            entry = _entry(path, header, start)
            if entry is None:
                return  # the end, or a torn header: what follows it cannot be told apart
            yield entry
            file.seek(start + entry.size)


def _entry(path: str, header: bytes, start: int) -> "Entry | None":
    try:
        values = jsonline.loads(header.decode())
        return Entry(
            archive=path,
            episode=values["episode"],
            start=start,
            size=int(values["size"]),
            sha256=values["sha256"],
        )
    except (ValueError, TypeError, KeyError):
        return None


def read(entry: Entry) -> bytes:
    """The bytes of one joined ledger."""
    with open(entry.archive, "rb") as file:
        file.seek(entry.start)
        return file.read(entry.size)


def restore(store: Store, episode: str) -> bool:
    """Give an episode its joined ledger back as a file of its own; whether there was one."""
    if not os.path.isdir(folder(store)):
        return False
    found = max(
        (entry for entry in entries(store) if entry.episode == episode),
        key=lambda entry: entry.size,
        default=None,
    )
    if found is None:
        return False
    atomic.write(ledger.path_of(store, episode), read(found))
    return True


def join_oldest(store: Store, keep: int, is_open: "frozenset[str]") -> int:
    """Join the oldest ledgers of closed episodes until `keep` files are left; returns how many.

    The order is that of the last change. `LockHeld` when another process joins.
    """
    with Lock(store, LOCK, wait=0.0):
        closed = [item for item in _files(store) if item[1] not in is_open]
        joined = 0
        for changed, episode in sorted(closed)[: max(len(closed) - keep, 0)]:
            joined += _join(store, episode, changed)
        return joined


def _files(store: Store) -> "list[tuple[float, str]]":
    found = []
    with os.scandir(store.local_path("ledger")) as items:
        for item in items:
            name = item.name
            if name.endswith(SUFFIX) and item.is_file(follow_symlinks=False):
                episode = name[: -len(SUFFIX)]
                if episode != ledger.OUTSIDE:
                    found.append((item.stat(follow_symlinks=False).st_mtime, episode))
    return found


def _join(store: Store, episode: str, changed: float) -> int:
    """Move one ledger into the archive of its month, under the lock that appends take."""
    source = ledger.path_of(store, episode)
    descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if not wait_lock(descriptor, ledger.LOCK_WAIT):
            return 0  # somebody is appending to it right now
        data = atomic.read_open(descriptor, source, limit=1 << 40)
        month = time.strftime("%Y-%m", time.gmtime(changed))
        header = {
            "episode": episode,
            "size": len(data),
            "sha256": digest.hexdigest(data),
        }
        _append(_clean_archive(store, month), jsonline.to_line(header) + data)
        atomic.unlink(source)
        return 1
    finally:
        os.close(descriptor)


def _clean_archive(store: Store, month: str) -> str:
    """The archive of a month that ends where its last entry ends.

    One that a killed process left torn is never cut: its part two is begun instead.
    """
    part = 1
    while True:
        name = month if part == 1 else f"{month}-part{part}"
        path = os.path.join(folder(store), name + SUFFIX)
        if not os.path.exists(path):
            return path
        end = max((entry.start + entry.size for entry in _headers(path)), default=0)
        if end == os.path.getsize(path):
            return path
        part += 1


def _append(path: str, data: bytes) -> None:
    """Add an entry, durable before its source goes."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o644)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    atomic.make_durable(os.path.dirname(path))
