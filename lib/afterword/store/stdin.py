"""Reads a hook's stdin: one whole JSON value, or as much as comes in a bounded time;
and a command's: all of a text, unless nobody writes it.

Hosts leave the pipe open, send it in pieces, close it, or give none at all; a hook
must neither hang nor crash on any of it. Part of a hook's path.
"""

import os
import select
import time

from afterword.store import jsonline

# A busy machine may take a while between starting a hook and writing to it.
FIRST_WAIT = 0.6
WHOLE_WAIT = 0.7
# A command waits as long for the first of a text; and then for the next of it.
TEXT_WAIT = 2.0
TEXT_MORE = 20.0
LIMIT = 2 * 1024 * 1024
_CLOSERS = (b"}", b"]", b"}\0", b"]\0")
_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


def read_json(descriptor: int) -> bytes:
    """The bytes up to the end of the first whole JSON value, the end of file or the wait.

    Waits 0.6 s for a first byte and 0.7 s in all; a terminal is not read. At most
    `LIMIT` bytes.
    """
    try:
        if os.isatty(descriptor):
            return b""
        return _read(descriptor)
    except OSError:
        return b""


def _read(descriptor: int) -> bytes:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP)
    end = time.monotonic() + WHOLE_WAIT
    data = b""
    while len(data) < LIMIT:
        wait = min(end - time.monotonic(), FIRST_WAIT if not data else WHOLE_WAIT)
        if wait <= 0 or not _ready(poll, wait):
            return data
        chunk = os.read(descriptor, 1 << 16)
        if not chunk:
            return data
        data += chunk
        if data.rstrip().endswith(_CLOSERS) and not _more(poll) and _is_whole(data):
            return data
    return data


def _ready(poll: select.poll, seconds: float) -> bool:
    events = poll.poll(int(seconds * 1000))
    return bool(events) and not events[0][1] & select.POLLNVAL


def _more(poll: select.poll) -> bool:
    """Whether bytes wait already: then it is too early to look for the end."""
    events = poll.poll(0)
    return (
        bool(events)
        and bool(events[0][1] & select.POLLIN)
        and not events[0][1] & select.POLLHUP
    )


def read_text(
    descriptor: int, limit: int, first: float = TEXT_WAIT, more: float = TEXT_MORE
) -> "bytes | None":
    """All bytes of a text for a command, more than `limit` only to show that there are.

    b"" at a terminal and where stdin is closed, None where it is open and nothing comes
    within `first` seconds: many agents start a command so. `TimeoutError` when what began
    does not go on for `more` seconds.
    """
    try:
        if os.isatty(descriptor):
            return b""
        return _read_text(descriptor, limit, first, more)
    except TimeoutError:
        raise
    except OSError:
        return b""


def _read_text(
    descriptor: int, limit: int, first: float, more: float
) -> "bytes | None":
    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP)
    data = b""
    while len(data) <= limit:
        if not poll.poll(int((more if data else first) * 1000)):
            if data:
                raise TimeoutError
            return None
        chunk = os.read(descriptor, 1 << 16)
        if not chunk:
            return data
        data += chunk
    return data


def decoded(data: bytes) -> str:
    """The text, in the encoding that its byte order mark names; UTF-8 without one."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    return data.decode("utf-8", "replace")


def _is_whole(data: bytes) -> bool:
    try:
        jsonline.loads(decoded(data))
    except ValueError:
        return False
    return True
