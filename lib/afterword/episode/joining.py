"""Joins the ledgers of closed episodes by month, so that their number stays bounded.

Nothing is removed before it is durable elsewhere: the entries are appended and
synced, then each source goes, under the lock that appends take and only if it is
still what was copied. Killed at any step, a source stays beside its entry. For
commands; a hook reads archives but makes none.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from afterword.episode import archive, ledger
from afterword.model import Model
from afterword.store import atomic, digest
from afterword.store.layout import Store
from afterword.store.locks import Lock, wait_lock

LOCK = "ledger-archive"
# Files held open at once between being copied and going.
_TOGETHER = 128
_CHUNK = 1 << 20


class Closed(Model):
    """A live ledger that may be joined: its episode and its last change, in seconds."""

    episode: str
    changed: float


class Joined(Model):
    """How many ledgers went into one archive, named by its path."""

    archive: str
    count: int


class _Copied(Model):
    """A source that is in the archive now: its open descriptor and what it was then."""

    episode: str
    descriptor: int
    size: int
    changed_ns: int


def closed_ledgers(store: Store, is_open: frozenset[str]) -> list[Closed]:
    """The live ledgers of episodes that are not open, the one longest unchanged first."""
    found = []
    try:
        items = os.scandir(store.local_path("ledger"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    with items:
        for item in items:
            name = item.name
            if name.endswith(archive.SUFFIX) and not name.startswith("."):
                episode = name[: -len(archive.SUFFIX)]
                if episode != ledger.OUTSIDE and episode not in is_open:
                    changed = _changed(item)
                    if changed is not None:
                        found.append(Closed(episode=episode, changed=changed))
    return sorted(found, key=lambda one: (one.changed, one.episode))


def _changed(item: os.DirEntry[str]) -> float | None:
    try:
        if item.is_file(follow_symlinks=False):
            return item.stat(follow_symlinks=False).st_mtime
    except FileNotFoundError:
        return None  # joined by another process meanwhile
    return None


def join_oldest(
    store: Store, keep: int, is_open: frozenset[str], seconds: float = 10.0
) -> list[Joined]:
    """Join the oldest ledgers until `keep` are left or the time is over.

    `LockHeld` when another process joins.
    """
    end = time.monotonic() + seconds
    joined: dict[str, int] = {}
    with Lock(store, LOCK, wait=0.0):
        _make_names(store)
        found = closed_ledgers(store, is_open)
        for month, group in _groups(found[: max(len(found) - keep, 0)]):
            if time.monotonic() >= end:
                break
            path = _clean_archive(store, month)
            joined[path] = joined.get(path, 0) + _join(store, path, group)
    return [Joined(archive=path, count=count) for path, count in joined.items()]


def _names(store: Store) -> str:
    return os.path.join(archive.folder(store), archive.NAMES)


def _make_names(store: Store) -> None:
    """The list of joined episodes, from the archives where somebody removed it.

    Before anything is joined: whoever misses a ledger looks there.
    """
    if not os.path.exists(_names(store)):
        joined = {entry.episode for entry in archive.entries(store)}
        names = "".join(f"{episode}\n" for episode in sorted(joined)).encode()
        atomic.write(_names(store), names)


def _groups(found: Sequence[Closed]) -> Iterator[tuple[str, list[Closed]]]:
    """The ledgers by the month of their last change, a bounded number at a time."""
    group: list[Closed] = []
    last = ""
    for one in found:
        month = time.strftime("%Y-%m", time.gmtime(one.changed))
        if group and (month != last or len(group) >= _TOGETHER):
            yield last, group
            group = []
        last = month
        group.append(one)
    if group:
        yield last, group


def _clean_archive(store: Store, month: str) -> str:
    """The archive of a month that ends where its last whole entry ends.

    One that a killed process left torn is never cut: its part two is begun instead.
    """
    part = 1
    while True:
        name = month if part == 1 else f"{month}-part{part}"
        path = os.path.join(archive.folder(store), name + archive.SUFFIX)
        if not os.path.exists(path):
            return path
        ends = [entry.start + entry.size for entry in archive.headers(path)]
        if max(ends, default=0) == os.path.getsize(path):
            return path
        part += 1


def _join(store: Store, path: str, group: Sequence[Closed]) -> int:
    """Copy a group into an archive, make it durable, then let the sources go."""
    copied: list[_Copied] = []
    try:
        _copy_all(store, path, group, copied)
        names = "".join(f"{one.episode}\n" for one in copied).encode()
        if names:
            archive.holds(
                store, copied[0].episode
            )  # a list that is missing comes first
            listed = os.path.join(archive.folder(store), archive.NAMES)
            ledger.append_line(listed, names, durable=True)
        return sum(_let_go(store, one) for one in copied)
    finally:
        for one in copied:
            os.close(one.descriptor)


def _copy_all(
    store: Store, path: str, group: Sequence[Closed], copied: list[_Copied]
) -> None:
    """Append the entries of a group to an archive and sync it; `copied` is filled."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    with os.fdopen(os.open(path, flags, 0o644), "wb") as target:
        for one in group:
            source = _source(store, one.episode)
            if source is not None:
                copied.append(source)
                _write_entry(source, target)
        target.flush()
        os.fsync(target.fileno())
    atomic.make_durable(os.path.dirname(path))


def _source(store: Store, episode: str) -> _Copied | None:
    """A ledger opened for copying; None when it is gone or no regular file."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(ledger.path_of(store, episode), flags)
    except OSError:
        return None
    status = os.fstat(descriptor)
    return _Copied(
        episode=episode,
        descriptor=descriptor,
        size=status.st_size,
        changed_ns=status.st_mtime_ns,
    )


def _write_entry(source: _Copied, target: BinaryIO) -> None:
    """Header and bytes of one source, read twice: for the hash, then for the copy."""
    hashed = digest.sha256()
    for piece in _pieces(source):
        hashed.update(piece)
    target.write(archive.header_line(source.episode, source.size, hashed.hexdigest()))
    left = source.size
    for piece in _pieces(source):
        target.write(piece)
        left -= len(piece)
    target.write(
        b" " * left
    )  # cut back meanwhile: the entry keeps its size, its hash fails


def _pieces(source: _Copied) -> Iterator[bytes]:
    at = 0
    while at < source.size:
        piece = os.pread(source.descriptor, min(_CHUNK, source.size - at), at)
        if not piece:
            return
        at += len(piece)
        yield piece


def _let_go(store: Store, source: _Copied) -> bool:
    """Remove a source that is still what was copied; False when it is in use again."""
    if not wait_lock(source.descriptor, ledger.LOCK_WAIT):
        return False  # somebody is appending to it right now
    status = os.fstat(source.descriptor)
    if (status.st_size, status.st_mtime_ns) != (source.size, source.changed_ns):
        return False
    path = ledger.path_of(store, source.episode)
    atomic.unlink(path)
    # An appender that waited too long for the lock goes on without it: what it wrote
    # between the look and the removal is written again, behind the restored ledger.
    late = os.fstat(source.descriptor).st_size - source.size
    if late > 0:
        data = os.pread(source.descriptor, late, source.size)
        ledger.append_line(path, data, durable=True)
    return late <= 0
