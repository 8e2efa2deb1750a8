"""One call of a hook: its two ways of speaking, and what is known of it so far.

stdout takes exactly one JSON document or nothing, stderr takes lines. Part of a
hook's path: standard library only.
"""

import os
import time

from afterword.host.protocol import Host
from afterword.model import TYPE_CHECKING
from afterword.store.git.head import Head

if TYPE_CHECKING:
    from afterword.store.layout import Store


class Call:
    """What a failure must know to be put where it belongs; filled in as the call goes on."""

    def __init__(self, event: str, host: Host) -> None:
        self.event = event
        self.host = host
        self.began = time.monotonic()
        self.store: Store | None = None
        self.head = Head(sha=None, branch=None)
        self.episode = ""
        self._replied = False

    def say(self, text: str) -> None:
        """One line on stderr; a closed stderr is no reason to fail."""
        line = " ".join(text.split())[:500]
        _write(2, f"afterword {self.event}: {line}\n")

    def reply(self, text: str) -> None:
        """The one JSON document for the host; nothing at all for ""."""
        if text and not self._replied:
            self._replied = True
            _write(1, text + "\n")


def _write(descriptor: int, text: str) -> None:
    """The whole text to a descriptor; a reader that went away is no failure of ours."""
    view = memoryview(text.encode("utf-8", "replace"))
    try:
        while view:
            view = view[os.write(descriptor, view) :]
    except OSError:
        return
