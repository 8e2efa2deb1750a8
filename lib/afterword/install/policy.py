"""Reads the plain YAML of policy.yaml and config.yaml without a YAML library.

Install runs before any dependency exists. Nested keys with scalar values are read;
what is not of that form is reported by line and never guessed. Pure.
"""

from __future__ import annotations

import re

_LINE = re.compile(
    r"(?P<indent> *)(?P<key>[A-Za-z_][A-Za-z0-9_.-]*):(?:\s+(?P<value>.*))?"
)
_ITEM = re.compile(r" *-(?:\s.*)?")

Value = tuple[str, str, int]


def read(text: str) -> tuple[list[Value], list[int]]:
    """(dotted key, value as written, line) of each scalar, and the lines not understood.

    A key that holds a list counts once, with the value "".
    """
    values: list[Value] = []
    unread: list[int] = []
    path: list[tuple[int, str, int]] = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = _without_comment(raw).rstrip()
        if not line or line in ("---", "..."):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            known = _ITEM.fullmatch(line) and path
            if known and (not values or values[-1][0] != _dotted(path)):
                values.append((_dotted(path), "", path[-1][2]))
            elif not known:
                unread.append(number)
            continue
        indent = len(match["indent"])
        path = [
            *(step for step in path if step[0] < indent),
            (indent, match["key"], number),
        ]
        value = (match["value"] or "").strip()
        if value:
            values.append((_dotted(path), _unquoted(value), number))
    return values, unread


def _dotted(path: list[tuple[int, str, int]]) -> str:
    return ".".join(key for _, key, _ in path)


def _without_comment(line: str) -> str:
    """The line up to a `#` that begins a comment, which stands outside of quotes."""
    quote = ""
    for index, char in enumerate(line):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char == "#" and (index == 0 or line[index - 1] in " \t"):
            return line[:index]
    return line


def _unquoted(value: str) -> str:
    for quote in "\"'":
        if len(value) > 1 and value.startswith(quote) and value.endswith(quote):
            return value[1:-1]
    return value
