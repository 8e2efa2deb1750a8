"""Whole files, written so that a crash leaves the old one or the new one.

Temp file beside the target, mode kept, fsync, rename, directory fsync. Part of a
hook's path: standard library only.
"""

import os

from afterword.errors import UnsafePath
from afterword.model import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# No limit that a person's file could meet: what is read in part would be written in part.
NO_LIMIT = 1 << 40


def temp_name(path: str) -> str:
    """`.<name>.<pid>.<random>.tmp` beside the target, short enough for any file system."""
    folder, name = os.path.split(path)
    return os.path.join(
        folder, f".{name[:120]}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    )


def is_temp(name: str) -> bool:
    """Whether a file name has the form that `temp_name` gives."""
    parts = name.split(".")
    return (
        name.startswith(".")
        and name.endswith(".tmp")
        and len(parts) >= 5
        and parts[-3].isdigit()
    )


def write(
    path: str, data: bytes, *, durable: bool = True, sync_folder: bool = True
) -> None:
    """Replace or create a file whole. `OSError` leaves the old file as it was.

    A symlink at `path` is replaced, never followed. With `sync_folder` False the
    caller makes the folder durable, once for many files.
    """
    folder, name = os.path.split(path)
    target = os.path.join(os.path.realpath(folder), name)
    temp = _stage(target, data, durable)
    try:
        os.replace(temp, target)
    except OSError:
        _discard(temp)
        raise
    if durable and sync_folder:
        make_durable(os.path.dirname(path))


def stage(path: str, data: bytes, *, durable: bool = True) -> str:
    """Write the temp file of a target, synced; returns its path, in the target's real folder."""
    return _stage(os.path.realpath(path), data, durable)


def link(source: str, path: str) -> str:
    """A temp of a target that is the source under one more name; "" where none can be made.

    Cheaper than a copy, and no less durable than the source is. A file system without
    links, or that has too many of this file, gets a copy from the caller.
    """
    target = os.path.realpath(path) if os.path.islink(path) else path
    temp = temp_name(target)
    try:
        try:
            os.link(source, temp)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.link(source, temp)
    except OSError:
        return ""
    return temp


def _stage(target: str, data: bytes, durable: bool) -> str:
    temp = temp_name(target)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    try:
        descriptor = os.open(temp, flags, 0o666)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        descriptor = os.open(temp, flags, 0o666)
    try:
        _write_all(descriptor, data)
        _keep_mode(descriptor, target)
        if durable:
            os.fsync(descriptor)
    except BaseException:
        _discard(temp)
        raise
    finally:
        os.close(descriptor)
    return temp


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _keep_mode(descriptor: int, target: str) -> None:
    try:
        mode = os.lstat(target).st_mode
    except FileNotFoundError:
        return
    if mode & 0o170000 == 0o100000:
        os.fchmod(descriptor, mode & 0o7777)


def _discard(temp: str) -> None:
    """Best effort: a temp that stays is swept by doctor and by the next batch."""
    try:
        os.unlink(temp)
    except OSError:
        return


def make_durable(folder: str) -> None:
    """Make a rename in a folder durable; where folders cannot be opened, it already is."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        return
    finally:
        os.close(descriptor)


def unlink(path: str) -> bool:
    """Remove a file; whether it was there."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


def read(path: str, limit: int = NO_LIMIT) -> "bytes | None":
    """The bytes of a regular file, None where there is none.

    `UnsafePath` for a FIFO, device or folder in its place: opening one could hang.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        return None
    try:
        return read_open(descriptor, path, limit)
    finally:
        os.close(descriptor)


def read_open(descriptor: int, path: str, limit: int = NO_LIMIT) -> bytes:
    """The bytes of an open regular file, at most `limit` of them."""
    status = os.fstat(descriptor)
    if status.st_mode & 0o170000 != 0o100000:
        raise UnsafePath(f"{path}: not a regular file")
    # All at once and one byte more: a second copy, to join pieces, is made only of a
    # file that grew meanwhile.
    chunks, left = [], limit
    most = min(max(status.st_size + 1, 1 << 16), 1 << 30)
    while left > 0:
        chunk = os.read(descriptor, min(left, most))
        if not chunk:
            break
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def update(
    path: str, change: "Callable[[bytes | None], bytes | None]", *, durable: bool = True
) -> bool:
    """Read, change and replace a file; the caller holds the lock. None means leave it.

    Returns whether it was written.
    """
    before = read(path)
    after = change(before)
    if after is None or after == before:
        return False
    write(path, after, durable=durable)
    return True
