"""How long an end may take: what the host's settings declare for our hook.

Read at SessionEnd only. Part of a hook's path: standard library only.
"""

import os

from afterword.host.protocol import END, Host
from afterword.model import TYPE_CHECKING
from afterword.store import atomic, jsonline

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MARK = "afterword-session-end"
SHARE = 0.8
MAX_SECONDS = 30.0


def of_end(host: Host, root: str) -> float:
    """Seconds for our part of a SessionEnd: four fifths of the declared time-out.

    The smallest one found in the project's, the local and the user's settings, 30 s
    at most; where none declares any, what the host grants by itself.
    """
    home = os.environ.get("HOME", "")
    paths = [os.path.join(root, host.settings), os.path.join(root, host.local_settings)]
    if home:
        paths.append(os.path.join(home, host.settings))
    declared = [seconds for path in paths for seconds in _declared(path, host)]
    if not declared:
        return host.end_budget
    return SHARE * min(*declared, host.end_timeout_cap, MAX_SECONDS / SHARE)


def _declared(path: str, host: Host) -> "Iterator[float]":
    """The time-outs of our end hook in one settings file; unreadable settings declare none."""
    try:
        data = atomic.read(path, limit=1 << 20)
        settings = jsonline.loads(data.decode("utf-8-sig")) if data else None
        groups = (
            settings["hooks"][host.wired[END]] if isinstance(settings, dict) else []
        )
        entries = [entry for group in groups for entry in group["hooks"]]
    except (ValueError, KeyError, TypeError, OSError):
        return
    for entry in entries:
        timeout: Any = entry.get("timeout") if isinstance(entry, dict) else None
        is_ours = isinstance(entry, dict) and MARK in str(entry.get("command", ""))
        if is_ours and isinstance(timeout, int | float) and timeout > 0:
            yield timeout * host.timeout_unit
