"""One call of a hook: its two ways of speaking, and what is known of it so far.

stdout takes exactly one JSON document or nothing, stderr one line or nothing. Part of a
hook's path: standard library only.
"""

import os
import select
import time

from afterword.host.protocol import Host
from afterword.model import TYPE_CHECKING
from afterword.store.git.head import Head

if TYPE_CHECKING:
    from afterword.store.layout import Store

# Seconds that a host may leave its end of a pipe unread.
READER_WAIT = 1.0


class Call:
    """What a failure must know to be put where it belongs; filled in as the call goes on."""

    def __init__(self, event: str, host: Host) -> None:
        self.event = event
        self.host = host
        self.began = time.monotonic()
        self.store: Store | None = None
        self.head = Head(sha=None, branch=None)
        self.episode = ""
        self.is_plugin = False
        self._replied = False
        self._said: list[str] = []

    def say(self, text: str) -> None:
        """Something for stderr; said once, and all of it in one line, by `flush`."""
        line = " ".join(text.split())[:500]
        if not line.isprintable():  # the name of a file is anybody's text
            from afterword.store.safe_text import shown

            line = shown(line, 500)
        if line not in self._said:
            self._said.append(line)

    def flush(self) -> None:
        """The one line on stderr, if there is anything to say."""
        if self._said:
            _write(2, f"afterword {self.event}: {'; '.join(self._said)[:2000]}\n")
            self._said.clear()

    def reply(self, text: str) -> None:
        """The one JSON document for the host; nothing at all for ""."""
        if text and not self._replied:
            self._replied = True
            _write(1, text + "\n")


def _write(descriptor: int, text: str) -> None:
    """The whole text to a descriptor, unless its reader went away or does not read.

    In pieces that a pipe takes at once when it takes any, so that none can block.
    """
    view = memoryview(text.encode("utf-8", "replace"))
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    end = time.monotonic() + READER_WAIT
    try:
        while view and poll.poll(max(end - time.monotonic(), 0) * 1000):
            view = view[os.write(descriptor, view[: select.PIPE_BUF]) :]
    except OSError:
        return
