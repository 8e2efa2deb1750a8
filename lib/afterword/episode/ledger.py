"""The ledger: append-only JSONL, one file per episode (DESIGN section 6).

Appending is one `os.write` under a lock on the file; a torn tail is closed with a
newline first, a short write is cut back. Readers skip and report what is torn and
never fail. Part of a hook's path: standard library only.
"""

import os

from afterword import __version__
from afterword.episode import events
from afterword.errors import AfterwordError, UnsafePath
from afterword.model import TYPE_CHECKING, Model
from afterword.store import atomic, clock, jsonline
from afterword.store.git.head import Head
from afterword.store.layout import Store
from afterword.store.locks import wait_lock

if TYPE_CHECKING:
    from typing import Any

OUTSIDE = "outside"
LOCK_WAIT = 0.1
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

# Rounds and receipts may be lost with the machine; what was decided may not.
_NOT_SYNCED = (
    events.RoundEnded,
    events.ProviderEventReceived,
    events.ProviderEventFailed,
)


class Torn(Model):
    """A line that is no ledger line: where it stands and its first bytes."""

    number: int
    excerpt: str


class Ledger(Model):
    """The lines of one file in order, and what could not be read."""

    lines: "tuple[dict[str, Any], ...]"
    torn: "tuple[Torn, ...]" = ()


def path_of(store: Store, episode: str) -> str:
    """The ledger file of an episode, or of `OUTSIDE`: what was recorded outside any."""
    return store.local_path("ledger", f"{episode}.jsonl")


def append(store: Store, episode: str, event: events.Event, head: Head) -> None:
    """Append one event; `OSError` when the disk refuses, with nothing half written.

    `episode` is an episode id or `OUTSIDE`, whose lines carry no `session`.
    """
    if events.EVENTS.get(event._name) is not type(event):
        raise AfterwordError(
            f"{event._name or type(event).__name__}: not an event of the ledger"
        )
    line: dict[str, Any] = {
        "ts": clock.stamp(),
        "event": event._name,
        "head": head.sha,
        "branch": head.branch,
        "by": f"afterword/{__version__}",
    }
    if episode != OUTSIDE:
        line["session"] = episode
    fields = event.fields()
    taken = set(fields) & set(events.ENVELOPE)
    if taken:
        raise AfterwordError(
            f"{event._name}: {sorted(taken)[0]} is a name of the envelope"
        )
    line.update(fields)
    append_line(
        path_of(store, episode),
        jsonline.to_line(line),
        not isinstance(event, _NOT_SYNCED),
    )


def append_line(path: str, data: bytes, durable: bool) -> None:
    """One line at the end of a JSONL file of ours, which is made if it is missing."""
    for _ in range(8):
        descriptor, is_alone = _open(path)
        try:
            _add(descriptor, data, durable)
            # Without the lock, the file may have been joined away under the line.
            if is_alone or os.fstat(descriptor).st_nlink > 0:
                return
        finally:
            os.close(descriptor)
    raise OSError(f"{path}: taken away again and again")


def _add(descriptor: int, data: bytes, durable: bool) -> None:
    end = os.fstat(descriptor).st_size
    torn = end > 0 and os.pread(descriptor, 1, end - 1) != b"\n"
    _write_or_cut_back(descriptor, b"\n" + data if torn else data, end)
    if durable:
        os.fsync(descriptor)


def _open(path: str) -> "tuple[int, bool]":
    """The file, and whether it is locked; opened again if it was joined away meanwhile."""
    for _ in range(8):
        descriptor = _open_or_make(path)
        status = os.fstat(descriptor)
        if status.st_mode & 0o170000 != 0o100000:
            os.close(descriptor)
            raise UnsafePath(f"{path}: not a regular file")
        is_alone = wait_lock(descriptor, LOCK_WAIT)
        if os.fstat(descriptor).st_nlink > 0:
            return descriptor, is_alone
        os.close(descriptor)
    raise OSError(f"{path}: taken away again and again")


def _open_or_make(path: str) -> int:
    try:
        return os.open(path, _FLAGS)
    except FileNotFoundError:
        folder, name = os.path.split(path)
    if os.path.isdir(os.path.join(folder, "closed")):
        from afterword.episode import archive

        # An episode that was joined gets its whole ledger back before it goes on.
        archive.restore_in(folder, name.removesuffix(".jsonl"))
    os.makedirs(folder, exist_ok=True)
    return os.open(path, _FLAGS | os.O_CREAT, 0o644)


def _write_or_cut_back(descriptor: int, data: bytes, end: int) -> None:
    written = 0
    try:
        written = os.write(descriptor, data)
        if written < len(data):
            raise OSError(28, "No space left on device")
    except OSError:
        if written and os.fstat(descriptor).st_size == end + written:
            os.ftruncate(descriptor, end)
        raise


def read(path: str) -> Ledger:
    """All lines of a ledger file; a missing one is empty."""
    data = atomic.read(path, limit=1 << 40)
    return parse(data) if data else Ledger(lines=())


def parse(data: bytes) -> Ledger:
    """The lines of a ledger's bytes; any bytes at all can be read."""
    lines, torn = [], []
    for number, raw in enumerate(data.split(b"\n"), 1):
        if not raw.strip():
            continue
        line = parse_line(raw)
        if line is None:
            torn.append(
                Torn(number=number, excerpt=raw[:80].decode("utf-8", "replace"))
            )
        else:
            lines.append(line)
    return Ledger(lines=tuple(lines), torn=tuple(torn))


def parse_line(raw: bytes) -> "dict[str, Any] | None":
    """One line, None when it is torn or lacks `event` or a `ts` that can be read."""
    try:
        line = jsonline.loads(raw.decode())
        if not isinstance(line, dict) or not isinstance(line.get("event"), str):
            return None
        clock.seconds(line.get("ts") or "")
    except (ValueError, TypeError):
        return None
    return line


TAIL_LIMIT = 1024 * 1024
_TAIL_STEP = 128 * 1024


def open_to_read(path: str) -> int:
    """A descriptor of a ledger file; -1 where there is none, or something else in its place."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return -1
    if os.fstat(descriptor).st_mode & 0o170000 == 0o100000:
        return descriptor
    os.close(descriptor)
    return -1


def tail_since(path: str, event: str) -> "list[dict[str, Any]] | None":
    """The lines from the last one of `event` on, read from the end.

    The cost is that of the lines returned, whatever stands before them. None where
    there is none in the last `TAIL_LIMIT` bytes.
    """
    marker = b'"event":"' + event.encode() + b'"'
    data = _tail(path, marker)
    if data is None:
        return None
    lines = list(parse(data).lines)
    last = max(
        (i for i, line in enumerate(lines) if line["event"] == event), default=None
    )
    return None if last is None else lines[last:]


def _tail(path: str, marker: bytes) -> "bytes | None":
    """The end of a file from a line start before the last occurrence of `marker`."""
    descriptor = open_to_read(path)
    if descriptor < 0:
        return None
    try:
        start = os.fstat(descriptor).st_size
        data, step = b"", 1 << 14
        while start > 0 and len(data) < TAIL_LIMIT:
            step = min(2 * step, _TAIL_STEP, start)
            start -= step
            data = os.pread(descriptor, step, start) + data
            found = data.rfind(marker)
            line_start = data.rfind(b"\n", 0, found) + 1 if found >= 0 else 0
            if found >= 0 and (line_start > 0 or start == 0):
                return data[line_start:]
        return None
    finally:
        os.close(descriptor)


def last_lines(path: str, size: int = 1 << 14) -> "tuple[dict[str, Any], ...]":
    """The lines in the last `size` bytes of a ledger; a cut first one is left out."""
    descriptor = open_to_read(path)
    if descriptor < 0:
        return ()
    try:
        end = os.fstat(descriptor).st_size
        return parse(os.pread(descriptor, size, max(end - size, 0))).lines
    finally:
        os.close(descriptor)


def first_lines(path: str, size: int = 1 << 13) -> "tuple[dict[str, Any], ...]":
    """The lines in the first `size` bytes of a ledger; a cut last one is left out."""
    descriptor = open_to_read(path)
    if descriptor < 0:
        return ()
    try:
        return parse(os.pread(descriptor, size, 0)).lines
    finally:
        os.close(descriptor)
