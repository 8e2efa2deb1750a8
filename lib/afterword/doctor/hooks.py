"""The hooks of ours that stand in an agent's settings, as the agent will read them.

Pure: bytes in, hooks out, each with its line. What does not parse is refused by
`install.settings` with file:line.
"""

from __future__ import annotations

import re

from afterword.host.protocol import EVENTS
from afterword.install import jsontext, settings, shims
from afterword.install.jsontext import Node
from afterword.model import Model

_CALLED = re.compile(
    r"[/\\]" + re.escape(shims.name("")) + r"(" + "|".join(EVENTS) + r")(?![\w.-])"
)


class Hook(Model):
    """One entry: the host's event name, ours, its command, its time-out in the host's unit.

    `offset` tells it from the others of its file, `line` is for people.
    """

    event_name: str
    event: str
    command: str
    timeout: float | None
    line: int
    offset: int


def of_settings(data: bytes, where: str) -> list[Hook]:
    """Our hooks in the order of the file. `SettingsError` for text that does not parse."""
    if not settings.wired_events(data, where):
        return []
    text = data.removeprefix(settings.BOM).decode()
    root = jsontext.parse(text).root
    hooks = root.member("hooks") if root else None
    if hooks is None or hooks.kind != "object":
        return []
    return [
        hook
        for name, groups in zip(hooks.keys, hooks.children, strict=True)
        for group in groups.children
        for entry in _entries(group)
        if (hook := _hook(text, name, entry)) is not None
    ]


def _entries(group: Node) -> tuple[Node, ...]:
    inside = group.member("hooks") if group.kind == "object" else None
    return inside.children if inside is not None and inside.kind == "list" else ()


def _hook(text: str, name: str, entry: Node) -> Hook | None:
    command = entry.member("command") if entry.kind == "object" else None
    called = _CALLED.search(str(command.value)) if command else None
    if command is None or called is None:
        return None
    timeout = entry.member("timeout")
    is_number = timeout is not None and timeout.kind == "number"
    return Hook(
        event_name=name,
        event=called.group(1),
        command=str(command.value),
        timeout=float(text[timeout.start : timeout.end])
        if timeout is not None and is_number
        else None,
        line=jsontext.line_of(text, entry.start),
        offset=entry.start,
    )
