"""The evolution files as the rim meets them: read whole, changed under one lock, never half.

What is no regular file of this repository, and what a merge left in pieces, is refused
before anything is written. Loaded only where there is work to do. Standard library,
`store` and `errors` only.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from afterword.errors import AfterwordError, UnsafePath
from afterword.store import atomic, batch, frontmatter, sweep
from afterword.store.layout import Store, is_file
from afterword.store.locks import Lock

# An OS lock: it dies with its holder. So nothing can go stale, be taken over or be
# removed under somebody (F1-F4, F7), as files that say "locked" can.
LOCK = "evolution"
FILES = (
    "queue",
    "queue_archive",
    "reflections",
    "reflections_archive",
    "knowledge_base",
)
# How copies of the log are called, beside it: the seed's name for them (C11).
BACKUP = "reflection_log_backup_"
# How often a change is planned anew because an editor was quicker (DESIGN 10: twice more).
TRIES = 3
_CHUNK = 1 << 16


@contextmanager
def editing(store: Store, wait: float) -> Iterator[tuple[str, ...]]:
    """The lock under which the five files are changed, killed changes completed first.

    Gives what had to be said about those: files that somebody else changed meanwhile.
    `LockHeld` when another process keeps it for longer than `wait` seconds, `UnsafePath`
    where the settings name one file for two of them.
    """
    with Lock(store, LOCK, wait=wait):
        said = tuple(batch.roll_forward(store, LOCK))
        paths = places(store)
        for folder in {os.path.dirname(path) for path in paths}:
            sweep.sweep(folder, _is_ours(paths))
        yield said


def _is_ours(paths: list[str]) -> Callable[[str], bool]:
    """Whether a file is one that is written under this lock: then its temps are litter (F10)."""
    own = {os.path.basename(path)[:120] for path in paths}
    return lambda name: name in own or name.startswith(BACKUP)


def places(store: Store) -> list[str]:
    """The real paths of the five files; `UnsafePath` where two of them are one."""
    found: dict[str, str] = {}
    for key in FILES:
        path = os.path.realpath(store.tracked(key))
        other = found.setdefault(path, key)
        if other != key:
            raise UnsafePath(
                f"{store.paths[key]}: the settings name it for {other} and for {key}",
                hint="give each a file of its own, under paths: in .ai/config.yaml",
            )
    return list(found)


def read(store: Store, key: str, *name: str) -> bytes | None:
    """The bytes of a place's file, or of `name` in its folder; None where there is none.

    `UnsafePath` for a link out of the repository, a folder, FIFO or device in its place;
    `StoreDamaged` with `path:line` where a merge left its markers.
    """
    relative = "/".join((store.paths[key], *name))
    path = store.tracked(key, *name)
    try:
        data = atomic.read(path)
    except UnsafePath as error:
        raise UnsafePath(
            f"{relative}: not a regular file", hint="move it away, then run this again"
        ) from error
    except OSError as error:
        raise AfterwordError(f"{relative}: cannot be read: {error.strerror}") from error
    if data is not None and is_file(key):
        frontmatter.refuse_markers(data, relative)
    return data


def replace(store: Store, key: str, before: bytes | None, data: bytes) -> bool:
    """Exchange a file whole by rename if it still is `before`; whether it was.

    The new bytes are durable before they take the name. `OSError` leaves the old file.
    """
    path = os.path.realpath(store.tracked(key))
    temp = atomic.stage(path, data)
    try:
        fits = _holds(path, before)
        if fits:
            os.replace(temp, path)
    except OSError:
        atomic.unlink(temp)
        raise
    if fits:
        atomic.make_durable(os.path.dirname(path))
    else:
        atomic.unlink(temp)
    return fits


def append(store: Store, key: str, before: bytes | None, data: bytes) -> bool:
    """Add bytes at the end of a file if it still is `before`, durable; whether it was.

    Also with nothing to add: what a killed process appended may not be on the disk yet,
    and a source is trimmed next. `OSError` leaves the file as it was.
    """
    path = os.path.realpath(store.tracked(key))
    if not _holds(path, before):
        return False
    if before is None and not data:
        return True
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)  # T1.6, N5
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    try:
        _add_all(descriptor, path, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    atomic.make_durable(folder)
    return True


def _add_all(descriptor: int, path: str, data: bytes) -> None:
    """All of the bytes or none: a disk that takes a part only gets it cut back."""
    size = os.fstat(descriptor).st_size
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(descriptor, left) :]
    except OSError as error:
        os.ftruncate(descriptor, size)
        raise OSError(error.errno, error.strerror, path) from error


def _holds(path: str, data: bytes | None) -> bool:
    """Whether a file has these bytes, None: is absent; compared without a second copy."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        return data is None
    try:
        return data is not None and _equals(descriptor, memoryview(data))
    finally:
        os.close(descriptor)


def _equals(descriptor: int, data: memoryview) -> bool:
    if os.fstat(descriptor).st_size != len(data):
        return False
    at = 0
    while chunk := os.read(descriptor, _CHUNK):
        if data[at : at + len(chunk)] != chunk:
            return False
        at += len(chunk)
    return at == len(data)


def change(store: Store, key: str, plan: Callable[[bytes | None], bytes]) -> None:
    """Exchange a file for what `plan` makes of it, anew where an editor was quicker."""
    for _ in range(TRIES):
        before = read(store, key)
        if replace(store, key, before, plan(before)):
            return
    raise changed(store, key)


def changed(store: Store, key: str) -> AfterwordError:
    """What is said when an editor was quicker each time."""
    return AfterwordError(
        f"{store.paths[key]}: changed by someone else meanwhile",
        hint="run the command again",
    )
