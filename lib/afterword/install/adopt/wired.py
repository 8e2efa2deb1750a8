"""The settings in which the hooks of another system are still wired. Reads files only."""

from __future__ import annotations

import os
import re

from afterword.errors import UnsafePath
from afterword.store import atomic

_SETTINGS = (
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks.json",
    ".codex/hooks.json",
    ".codex/config.toml",
    "hooks/hooks.json",
)
_LIMIT = 1 << 20
# What a command is in JSON and in TOML, and a plugin that is switched on.
_CALLS = re.compile(
    rb'"?command"?\s*[:=]\s*"(?P<command>(?:[^"\\]|\\.)*)"'
    rb'|"(?P<plugin>[^"\s]+@[^"\s]+)"\s*:\s*true'
)


def naming(root: str, mark: bytes) -> list[str]:
    """The settings files of agents that hold a text."""
    return [shown for shown, data in _found(root) if mark in data]


def calling(root: str, name: re.Pattern[bytes]) -> list[str]:
    """The settings files of which a command or a plugin that is on matches a pattern."""
    return [
        shown
        for shown, data in _found(root)
        if any(
            name.search(call["command"] or call["plugin"] or b"")
            for call in _CALLS.finditer(data)
        )
    ]


def _found(root: str) -> list[tuple[str, bytes]]:
    found = []
    for shown in _SETTINGS:
        path = os.path.join(root, *shown.split("/"))
        try:
            data = atomic.read(path, limit=_LIMIT) if os.path.isfile(path) else None
        except (OSError, UnsafePath):
            continue  # what cannot be read is the business of those who wire it
        found += [(shown, data)] if data else []
    return found
