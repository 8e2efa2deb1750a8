"""Carries out a plan: each file by temp, fsync and rename, each folder when needed.

A second run completes what a killed one began, because every step is planned anew
from what the files are. Temps that a killed run left are swept here.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from afterword.errors import AfterwordError, LockHeld
from afterword.install.planning import Change
from afterword.store import atomic, locks

# What a disk refuses, which is no mistake of ours.
_DISK = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT)


@contextmanager
def alone(folder: str, seconds: float, say: Callable[[str], None]) -> Iterator[None]:
    """One installer at a time, by a lock on a folder itself; it dies with its process.

    `LockHeld` when another one keeps it for longer than that.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if not locks.try_lock(descriptor):
            say(f"waiting for another install.py that works in {folder}")
            if not locks.wait_lock(descriptor, seconds):
                raise LockHeld(
                    f"another install.py has been working in {folder} for {seconds:.0f} s",
                    hint="look for it, then run the same command again",
                )
        yield
    finally:
        os.close(descriptor)


def missing_folders(changes: Iterable[Change]) -> list[str]:
    """The folders that the changes will make, outermost first."""
    made = [
        missing_above(change.path) for change in changes if change.after is not None
    ]
    return list(dict.fromkeys(folder for chain in made for folder in chain))


def missing_above(path: str) -> list[str]:
    """The folders that have to be made for a file, outermost first."""
    folder = os.path.dirname(path)
    chain: list[str] = []
    while not os.path.lexists(folder):
        chain.insert(0, folder)
        folder = os.path.dirname(folder)
    return chain


def apply(change: Change) -> None:
    """Make one change durable. `AfterwordError` when the file is no longer what was planned from."""
    try:
        _sweep(change.path)
        if change.after is None:
            _unchanged(change)
            atomic.unlink(change.path)
            atomic.make_durable(os.path.dirname(change.path))
        elif change.after == change.before and change.mode is not None:
            os.chmod(change.path, change.mode)
        else:
            _replace(change, change.after)
    except OSError as error:
        raise AfterwordError(
            f"{change.shown}: cannot be written ({error.strerror})",
            hint="mend that and run the same command again: it completes what is missing",
        ) from None


def _replace(change: Change, data: bytes) -> None:
    temp = atomic.stage(change.path, data)
    try:
        if change.mode is not None:
            os.chmod(temp, change.mode)
        _unchanged(change)
        os.replace(temp, change.path)
    except BaseException:
        atomic.unlink(temp)
        raise
    atomic.make_durable(os.path.dirname(change.path))


def _unchanged(change: Change) -> None:
    if atomic.read(change.path) != change.before:
        raise AfterwordError(
            f"{change.shown}: was changed by another program just now",
            hint="run the same command again",
        )


def _sweep(path: str) -> None:
    """Remove the temps of this file that dead processes left beside it."""
    folder, name = os.path.split(path)
    if not os.path.isdir(folder):
        return
    for entry in os.listdir(folder):
        if entry.startswith(f".{name[:120]}.") and atomic.is_temp(entry):
            pid = int(entry.split(".")[-3])
            if not _alive(pid):
                atomic.unlink(os.path.join(folder, entry))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def sweep(paths: Iterable[str]) -> None:
    """Remove what killed runs left beside these files."""
    for path in paths:
        _sweep(path)


def prune(folders: Iterable[str]) -> None:
    """Remove the folders that are empty, innermost first; others stay."""
    for folder in sorted(folders, key=len, reverse=True):
        try:
            os.rmdir(folder)
        except OSError:
            continue


def refused_by_disk(error: OSError) -> AfterwordError | None:
    """A disk that is full or may not be written, in words; None for any other error."""
    if error.errno not in _DISK:
        return None
    path = str(error.filename or "the disk")
    where = os.path.dirname(path) if atomic.is_temp(os.path.basename(path)) else path
    return AfterwordError(
        f"{where}: {error.strerror}",
        hint="make room or mend the rights, then run the same command again:"
        " it completes what is missing",
    )
