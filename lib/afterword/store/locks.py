"""Locks between processes: OS locks on side files that are never unlinked.

They die with their holder, so none is ever stale. `fcntl` on POSIX; portalocker
where there is none. Order: episode < evolve < archive < compile < file; a ledger
append is a leaf. Part of a hook's path: standard library only.
"""

import errno
import os
import time

from afterword.errors import LockHeld, UnsafePath
from afterword.model import TYPE_CHECKING
from afterword.store.layout import Store

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

try:
    import fcntl
except ImportError:  # Windows: portalocker is behind the same door
    fcntl = None  # type: ignore[assignment]

BUCKETS = 64
HOOK_WAIT = 0.3
COMMAND_WAIT = 10.0


def try_lock(descriptor: int) -> bool:
    """Take an exclusive lock on an open file at once, or say that it is held."""
    if fcntl is None:
        import portalocker

        try:
            portalocker.lock(descriptor, portalocker.LOCK_EX | portalocker.LOCK_NB)
        except portalocker.exceptions.BaseLockException:
            return False
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def wait_lock(descriptor: int, seconds: float) -> bool:
    """Take the lock within a time, asking every 5 ms."""
    end = time.monotonic() + seconds
    while not try_lock(descriptor):
        if time.monotonic() >= end:
            return False
        time.sleep(0.005)
    return True


class Lock:
    """A named lock of this worktree, held between `with` and its end.

    `LockHeld` when another process keeps it for longer than `wait` seconds.
    """

    def __init__(self, store: Store, name: str, wait: float = HOOK_WAIT) -> None:
        if not name or name.startswith(".") or "/" in name:
            raise UnsafePath(f"{name!r}: not the name of a lock")
        self._path = store.local_path("locks", name)
        self._wait = wait
        self._name = name
        self._descriptor = -1

    def __enter__(self) -> "Self":
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            self._descriptor = os.open(self._path, flags, 0o644)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            self._descriptor = os.open(self._path, flags, 0o644)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):
                raise UnsafePath(f"{self._path}: not a lock file of ours") from error
            raise
        if not wait_lock(self._descriptor, self._wait):
            self._release()
            raise LockHeld(
                f"another afterword process holds the lock {self._name!r}",
                hint="try again in a moment",
            )
        return self

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        error: "BaseException | None",
        trace: "TracebackType | None",
    ) -> None:
        self._release()

    def _release(self) -> None:
        os.close(self._descriptor)
        self._descriptor = -1


def episode_bucket(episode: str) -> str:
    """The lock of an episode: one of 64, so that the folder never grows."""
    from afterword.store import digest

    return f"episode-{int(digest.hexdigest(episode.encode())[:8], 16) % BUCKETS:02d}"
