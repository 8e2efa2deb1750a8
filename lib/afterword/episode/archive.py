"""Joined ledgers of closed episodes: `ledger/closed/<YYYY-MM>.jsonl`.

Each entry is a header line with episode, size and hash, then the bytes of the file.
The longest whole entry of an episode counts, and a live file replaces them all: one
is made from its entry, never beside it. `names` says in one read which episodes are
joined. `joining` writes. Part of a hook's path: standard library only.
"""

import os

from afterword.model import TYPE_CHECKING, Model
from afterword.store import atomic, digest, jsonline
from afterword.store.layout import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

SUFFIX = ".jsonl"
FOLDER = "closed"
NAMES = "names"
_CHUNK = 1 << 20


class Entry(Model):
    """Where the ledger of one episode lies in an archive: byte offset and size."""

    archive: str
    episode: str
    start: int
    size: int
    sha256: str


def folder(store: Store) -> str:
    return store.local_path("ledger", FOLDER)


def entries(store: Store) -> "Iterator[Entry]":
    """The entries of all archives, oldest month first; the bytes between are passed over."""
    return entries_in(folder(store))


def entries_in(closed: str) -> "Iterator[Entry]":
    """The whole entries of the archives in a folder; one that a kill cut short is none."""
    try:
        names = sorted(os.listdir(closed))
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in names:
        if name.endswith(SUFFIX) and not name.startswith("."):
            yield from headers(os.path.join(closed, name))


def headers(path: str) -> "Iterator[Entry]":
    """The whole entries of one archive, up to its end or to where it is torn."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    with os.fdopen(os.open(path, flags), "rb") as file:
        end = os.fstat(file.fileno()).st_size
        while True:
            header = file.readline(4096)
            start = file.tell()
            entry = _entry(path, header, start)
            if entry is None or start + entry.size > end:
                return  # what follows a torn header cannot be told apart
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


def header_line(episode: str, size: int, sha256: str) -> bytes:
    """The line before an entry's bytes."""
    return jsonline.to_line({"episode": episode, "size": size, "sha256": sha256})


def holds(store: Store, episode: str) -> bool:
    """Whether an archive may hold the ledger of an episode; one read, whatever is joined."""
    return _holds(folder(store), episode)


def _holds(closed: str, episode: str) -> bool:
    names = atomic.read(os.path.join(closed, NAMES), limit=1 << 28)
    if names is None:  # removed by somebody: the next joining makes it anew
        return any(entry.episode == episode for entry in entries_in(closed))
    return f"\n{episode}\n".encode() in b"\n" + names


def restore(store: Store, episode: str) -> bool:
    """Give an episode its joined ledger back as a file of its own; whether there is one."""
    return restore_in(store.local_path("ledger"), episode)


def restore_in(ledgers: str, episode: str) -> bool:
    """`restore`, for a folder of ledgers. A file that is there already is left alone."""
    closed = os.path.join(ledgers, FOLDER)
    if not _holds(closed, episode):
        return False
    found = [entry for entry in entries_in(closed) if entry.episode == episode]
    for entry in sorted(found, key=lambda entry: -entry.size):
        if _give_back(entry, os.path.join(ledgers, episode + SUFFIX)):
            return True
    return False


def _give_back(entry: Entry, path: str) -> bool:
    """Copy an entry to its place unless its bytes are damaged; never over another file."""
    temp = atomic.temp_name(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(temp, flags, 0o644), "wb") as target:
        is_whole = _copy(entry, target)
        target.flush()
        os.fsync(target.fileno())
    try:
        if is_whole:
            _put_in_place(temp, path)
    finally:
        atomic.unlink(temp)
    return is_whole


def _copy(entry: Entry, target: "BinaryIO") -> bool:
    """Copy the bytes of an entry in pieces; whether they are those that were joined."""
    hashed, left = digest.sha256(), entry.size
    with open(entry.archive, "rb") as source:
        source.seek(entry.start)
        while left > 0:
            piece = source.read(min(left, _CHUNK))
            if not piece:
                return False
            hashed.update(piece)
            target.write(piece)
            left -= len(piece)
    return hashed.hexdigest() == entry.sha256


def _put_in_place(temp: str, path: str) -> None:
    """Link, because a rename would take away a file that another process just made."""
    try:
        os.link(temp, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        if not os.path.lexists(path):
            os.rename(temp, path)
    atomic.make_durable(os.path.dirname(path))
