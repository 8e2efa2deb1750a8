"""What a hook of ours looks like in an agent's settings, and what its undo must know.

The small types that `settings`, `parts` and `receipt` share. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from afterword.host.protocol import EVENTS
from afterword.install.jsontext import Node

_OURS = re.compile(
    r"(?:^|[/\\\s\"'])afterword-(" + "|".join(EVENTS) + r")(?=$|[\s\"';&|)])"
)


@dataclass(frozen=True)
class Entry:
    """One hook to wire: the host's event name, ours, its command and time-out."""

    event_name: str
    event: str
    command: str
    timeout: int

    def group(self) -> dict[str, Any]:
        """The entry as settings hold it; without a matcher it stands for every case."""
        hook = {"type": "command", "command": self.command, "timeout": self.timeout}
        return {"hooks": [hook]}


@dataclass(frozen=True)
class Memo:
    """What an exact undo needs to know: the lists and objects that we made, and what
    stood between empty brackets that we filled. Keys are "", `hooks`, `hooks.<Event>`;
    `blank` is the whole text where it held no value.
    """

    made: tuple[str, ...] = ()
    inner: dict[str, str] = field(default_factory=dict)
    blank: str | None = None


def called(group: Node) -> set[str]:
    """Our events that a group's hooks call."""
    hooks = group.member("hooks") if group.kind == "object" else None
    children = hooks.children if hooks is not None and hooks.kind == "list" else ()
    return {event for hook in children if (event := shim_event(hook))}


def shim_event(hook: Node) -> str:
    """The event of ours that one hook calls, "" when it calls none."""
    command = hook.member("command") if hook.kind == "object" else None
    text = command.value if command is not None else None
    match = _OURS.search(text) if isinstance(text, str) else None
    return match.group(1) if match else ""
