"""A program that is spoken to and always ends: fed, read, bounded in time, reaped.

`posix_spawn` and `poll`, because `subprocess` costs a hook its whole budget (1.0 of a
bare interpreter); where a system has neither, `subprocess` it is. Standard library
only, knows nothing of git.
"""

import os
import select
import time

from afterword.model import TYPE_CHECKING, Model

if TYPE_CHECKING:
    from collections.abc import Iterable

_STDERR_LIMIT = 8192
_CHUNK = 1 << 16
# How long a silent program is waited for before asking whether it has ended already:
# one that it left behind may hold our pipe open.
_SLICE_MS = 50
# `signal` pulls in `enum`; these two are the same everywhere.
_SIGPIPE, _SIGKILL = 13, 9


class Ended(Model):
    """What a finished program left: `status` is its exit code, negative for a signal."""

    status: int
    out: bytes
    err: bytes


def converse(
    argv: "list[str]", env: "dict[str, str]", data: bytes, until: float, limit: int
) -> "Ended | None":
    """Start, feed, read, wait; None when the time is over. The child never outlives it.

    `until` is on `time.monotonic()`'s clock; more than `limit` bytes of output end the
    program with status 0. Raises `OSError` when it cannot be started.
    """
    if not hasattr(os, "posix_spawn"):
        return portably(argv, env, data, until)
    feed_end, feed = _pipe() if data else (-1, -1)
    out, out_end = _pipe()
    err, err_end = _pipe()
    actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = [
        (os.POSIX_SPAWN_DUP2, feed_end, 0)
        if data
        else (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, out_end, 1),
        (os.POSIX_SPAWN_DUP2, err_end, 2),
    ]
    ours = [handle for handle in (feed, out, err) if handle >= 0]
    try:
        pid = os.posix_spawn(
            argv[0], argv, env, file_actions=actions, setpgroup=0, setsigdef=[_SIGPIPE]
        )
    except OSError:
        _close(ours)
        raise
    finally:
        _close([handle for handle in (feed_end, out_end, err_end) if handle >= 0])
    status = None
    try:
        talk = _Talk(pid, feed, out, err, data, limit)
        status = talk.finish(until)
        return (
            None if status is None else Ended(status=status, out=talk.out, err=talk.err)
        )
    finally:
        _close(ours)
        if status is None:
            _end(pid)


class _Talk:
    """The pipes of one running program; `finish` returns its exit code or None when late."""

    def __init__(
        self, pid: int, feed: int, out: int, err: int, data: bytes, limit: int
    ) -> None:
        self.pid, self.limit = pid, limit
        self.status: int | None = None
        self._left = memoryview(data)
        self._feed = feed
        self._parts: dict[int, list[bytes]] = {out: [], err: []}
        self._sizes = {out: 0, err: 0}
        self._bounds = {out: limit + 1, err: _STDERR_LIMIT}
        self._out, self._err = out, err
        self._poller = select.poll()
        for handle in (out, err):
            self._poller.register(handle, select.POLLIN)
        self._open = {out, err}
        if feed >= 0:
            os.set_blocking(feed, False)
            self._poller.register(feed, select.POLLOUT)
            self._open.add(feed)

    @property
    def out(self) -> bytes:
        return b"".join(self._parts[self._out])

    @property
    def err(self) -> bytes:
        return b"".join(self._parts[self._err])

    def finish(self, until: float) -> "int | None":
        """Read until both outputs end and the program is gone, or it has printed too much."""
        while self._open - {self._feed}:
            left = until - time.monotonic()
            if left <= 0:
                return None
            events = self._poller.poll(min(left * 1000, _SLICE_MS) + 1)
            for handle, _ in events:
                self._serve(handle)
            if self._sizes[self._out] > self.limit:
                _end(self.pid)
                return 0
            if not events and self._ended():
                break
        return self._wait(until)

    def _serve(self, handle: int) -> None:
        if handle == self._feed:
            self._write()
            return
        chunk = os.read(handle, _CHUNK)
        if not chunk:
            self._drop(handle)
        elif self._sizes[handle] < self._bounds[handle]:
            self._parts[handle].append(chunk)
            self._sizes[handle] += len(chunk)

    def _write(self) -> None:
        try:
            self._left = self._left[os.write(self._feed, self._left[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:  # git has closed its standard input; its exit code says why
            self._left = self._left[:0]
        if not self._left:
            self._drop(self._feed)

    def _drop(self, handle: int) -> None:
        self._poller.unregister(handle)
        self._open.discard(handle)
        if handle == self._feed:
            # The end of its input is what it waits for. The number stays taken, so
            # that closing it once more at the end cannot hit another file.
            null = os.open(os.devnull, os.O_RDONLY)
            os.dup2(null, handle, inheritable=False)
            os.close(null)

    def _ended(self) -> bool:
        """Whether the program is gone; keeps its exit code."""
        if self.status is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except (
                ChildProcessError
            ):  # SIGCHLD is ignored here: nobody keeps exit codes
                self.status = 1 if self._sizes[self._err] else 0
                return True
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is not None

    def _wait(self, until: float) -> "int | None":
        pause = 0.0002
        while not self._ended():
            if time.monotonic() > until:
                return None
            time.sleep(pause)
            pause = min(pause * 2, 0.01)
        return self.status


def _pipe() -> "tuple[int, int]":
    """A pipe whose ends are above the three standard numbers, also when ours are closed."""
    ends = list(os.pipe())
    for at, handle in enumerate(ends):
        if handle < 3:
            import fcntl

            ends[at] = fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, 3)
            os.close(handle)
    return ends[0], ends[1]


def _close(handles: "Iterable[int]") -> None:
    for handle in handles:
        os.close(handle)


def _end(pid: int) -> None:
    """Kill the program with all it started, and reap it."""
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, _SIGKILL)
        except OSError:
            continue
    until = time.monotonic() + 1.0
    while time.monotonic() < until:
        try:
            if os.waitpid(pid, os.WNOHANG)[0]:
                return
        except ChildProcessError:
            return
        time.sleep(0.001)


def portably(
    argv: "list[str]", env: "dict[str, str]", data: bytes, until: float
) -> "Ended | None":
    """The same by `subprocess`, for systems without `posix_spawn`; output is not bounded."""
    import subprocess

    try:
        done = subprocess.run(
            argv,
            env=env,
            input=data,
            capture_output=True,
            check=False,
            timeout=max(0.0, until - time.monotonic()),
        )
    except subprocess.TimeoutExpired:
        return None
    return Ended(status=done.returncode, out=done.stdout, err=done.stderr)
