"""JSON text with the place of every value, so that an edit touches nothing around it.

Strict JSON plus `//` and `/* */` comments, which some hosts accept and which are
reported for those that do not. Pure; imports the standard library only.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

MAX_DEPTH = 100
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_BLANK = " \t\r\n"
_LITERALS = {"true": True, "false": False, "null": None}


class JsonError(ValueError):
    """The text is not JSON; `line` counts from 1."""

    def __init__(self, message: str, text: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line_of(text, offset)


def line_of(text: str, offset: int) -> int:
    """The line of an offset, from 1; CR, LF and CRLF end a line."""
    before = text[:offset]
    return 1 + before.count("\n") + before.replace("\r\n", "").count("\r")


@dataclass(frozen=True)
class Node:
    """A value and the span `start:end` of its text.

    `value` is that of a string or a literal; a number's is never needed. `children`
    are the values of an object or a list, `keys` the names of an object's members,
    `starts` where each child's text begins (its key's, in an object), `commas` the
    offsets of the commas between them.
    """

    kind: str  # object, list, string, number or other
    start: int
    end: int
    value: object = None
    keys: tuple[str, ...] = ()
    children: tuple[Node, ...] = ()
    starts: tuple[int, ...] = ()
    commas: tuple[int, ...] = ()

    def index(self, key: str) -> int:
        """Which member has that name, -1 for none; the last of a doubled one, as hosts read it."""
        for position in range(len(self.keys) - 1, -1, -1):
            if self.keys[position] == key:
                return position
        return -1

    def member(self, key: str) -> Node | None:
        """The value of the member of that name."""
        position = self.index(key)
        return None if position < 0 else self.children[position]


@dataclass(frozen=True)
class Document:
    """A whole text: its value, None when there is nothing but blanks, and its comments."""

    text: str
    root: Node | None
    comments: tuple[int, ...]


def parse(text: str) -> Document:
    """The places of all values. `JsonError` for anything that is not one JSON value."""
    scanner = _Scanner(text)
    offset = scanner.skip(0)
    if offset == len(text):
        return Document(text, None, tuple(scanner.comments))
    root = scanner.value(offset, 0)
    rest = scanner.skip(root.end)
    if rest != len(text):
        raise JsonError("more text after the JSON value", text, rest)
    return Document(text, root, tuple(scanner.comments))


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.comments: list[int] = []

    def fail(self, message: str, offset: int) -> JsonError:
        return JsonError(message, self.text, offset)

    def skip(self, offset: int) -> int:
        """The first offset that is neither blank nor part of a comment."""
        text = self.text
        while True:
            while offset < len(text) and text[offset] in _BLANK:
                offset += 1
            if not text.startswith(("//", "/*"), offset):
                return offset
            self.comments.append(offset)
            offset = self.comment_end(offset)

    def comment_end(self, offset: int) -> int:
        if self.text.startswith("/*", offset):
            end = self.text.find("*/", offset + 2)
            if end < 0:
                raise self.fail("a comment that never ends", offset)
            return end + 2
        ends = [self.text.find(mark, offset) for mark in "\r\n"]
        return min([end for end in ends if end >= 0], default=len(self.text))

    def value(self, offset: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.fail(f"nested more than {MAX_DEPTH} levels deep", offset)
        first = self.text[offset : offset + 1]
        if first == "{":
            return self.container(offset, depth, "object", "}")
        if first == "[":
            return self.container(offset, depth, "list", "]")
        if first == '"':
            return self.string(offset)
        return self.scalar(offset)

    def string(self, offset: int) -> Node:
        match = _STRING.match(self.text, offset)
        if not match:
            raise self.fail(
                "a text that is not closed, or holds a bad character", offset
            )
        return Node("string", offset, match.end(), json.loads(match.group()))

    def scalar(self, offset: int) -> Node:
        match = _NUMBER.match(self.text, offset)
        if match:
            return Node("number", offset, match.end())
        for word, value in _LITERALS.items():
            if self.text.startswith(word, offset):
                return Node("other", offset, offset + len(word), value)
        found = self.text[offset : offset + 1]
        problem = f"{found!r} where a value should be" if found else "cut short"
        raise self.fail(problem, offset)

    def container(self, start: int, depth: int, kind: str, close: str) -> Node:
        keys: list[str] = []
        children: list[Node] = []
        starts: list[int] = []
        commas: list[int] = []
        offset = self.skip(start + 1)
        while not (self.text.startswith(close, offset) and not commas):
            starts.append(offset)
            if kind == "object":
                key, offset = self.key(offset)
                keys.append(key)
            child = self.value(offset, depth + 1)
            children.append(child)
            offset = self.skip(child.end)
            if self.text.startswith(close, offset):
                break
            if not self.text.startswith(",", offset):
                raise self.fail(self.missing(close, offset), offset)
            commas.append(offset)
            offset = self.skip(offset + 1)
            if self.text.startswith(close, offset):
                raise self.fail(f"a comma before {close!r}", commas[-1])
        return Node(
            kind,
            start,
            offset + 1,
            None,
            tuple(keys),
            tuple(children),
            tuple(starts),
            tuple(commas),
        )

    def missing(self, close: str, offset: int) -> str:
        found = self.text[offset : offset + 1]
        return f"{found!r} where ',' or {close!r} should be" if found else "cut short"

    def key(self, offset: int) -> tuple[str, int]:
        """A member's name and the offset of its value."""
        if not self.text.startswith('"', offset):
            found = self.text[offset : offset + 1]
            problem = (
                f"{found!r} where a quoted name should be" if found else "cut short"
            )
            raise self.fail(problem, offset)
        name = self.string(offset)
        colon = self.skip(name.end)
        if not self.text.startswith(":", colon):
            raise self.fail("a name without ':'", colon)
        return str(name.value), self.skip(colon + 1)
