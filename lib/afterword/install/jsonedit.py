"""Adds a child to a JSON object or list, or takes one out, as edits of its text.

What is added looks like its neighbours (indentation, line ends, one line or many);
taking out the last child added gives back the very text from before, but for the
blanks inside an empty pair of brackets, which the caller remembers. Pure.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from afterword.install.jsontext import Document, Node

_BLANK = " \t\r\n"


@dataclass(frozen=True)
class Style:
    """How a document is written: line end, one step of indentation, one line or many."""

    newline: str
    step: str
    many_lines: bool
    gap: str  # what follows a comma or a colon within one line


def style_of(document: Document) -> Style:
    """The document's own habits; two blanks and LF where it shows none."""
    text, root = document.text, document.root
    end = text.find("\n")
    newline = "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"
    if root is None or not root.children:
        return Style(newline, "  ", True, " ")
    many = "\n" in text[root.start : root.end]
    indent = _own_indent(text, root, 0)
    gap = " " if any(mark in text for mark in ('": ', ", ")) else ""
    return Style(newline, "  " if indent is None else indent, many, gap)


def add(
    document: Document, container: Node, value: object, key: str | None = None
) -> str:
    """The text with one more child at the container's end; `key` names it in an object."""
    style = style_of(document)
    if container.children:
        return _add_last(document.text, container, value, key, style)
    return _add_first(document.text, container, value, key, style)


def _add_last(
    text: str, container: Node, value: object, key: str | None, style: Style
) -> str:
    last = len(container.children) - 1
    end = container.children[last].end
    tail = text[end : container.end - 1]
    place = end + len(tail.rstrip(_BLANK))
    indent = _own_indent(text, container, last)
    comment = text[end:place]
    if indent is None and "//" in comment:
        indent = _line_indent(text, container.start) + style.step
    if indent is None:
        added = style.gap + _one_line(value, key, style)
    else:
        added = style.newline + indent + _many_lines(value, key, style, indent)
    return text[:end] + "," + comment + added + text[place:]


def _add_first(
    text: str, container: Node, value: object, key: str | None, style: Style
) -> str:
    inner = text[container.start + 1 : container.end - 1]
    place = container.start + 1 + len(inner.rstrip(_BLANK))
    after = text[place : container.end - 1]
    if not style.many_lines and "//" not in inner:
        return text[:place] + _one_line(value, key, style) + text[place:]
    outer = _line_indent(text, container.start)
    indent = outer + style.step
    added = style.newline + indent + _many_lines(value, key, style, indent)
    if "\n" not in after:
        after = style.newline + outer
    return text[:place] + added + after + text[container.end - 1 :]


def _one_line(value: object, key: str | None, style: Style) -> str:
    separators = ("," + style.gap, ":" + style.gap)
    text = json.dumps(value, ensure_ascii=False, separators=separators)
    return text if key is None else json.dumps(key) + separators[1] + text


def _many_lines(value: object, key: str | None, style: Style, indent: str) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=style.step)
    if key is not None:
        text = f"{json.dumps(key)}: {text}"
    return text.replace("\n", style.newline + indent)


def _line_indent(text: str, offset: int) -> str:
    """The blanks at the beginning of the offset's line."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _own_indent(text: str, container: Node, index: int) -> str | None:
    """The blanks before a child that begins a line; None when it does not."""
    start = container.starts[index]
    line = text[text.rfind("\n", 0, start) + 1 : start]
    newline = "\n" in text[container.start : start]
    return line if newline and not line.strip(" \t") else None


def remove(text: str, container: Node, index: int) -> str:
    """The text without one child and the comma that belonged to it; comments stay."""
    start, end = container.starts[index], container.children[index].end
    lead = len(text[:start].rstrip(_BLANK))
    if len(container.children) == 1:
        return _remove_only(text, container, (lead, start, end))
    if index == len(container.children) - 1:
        comma = container.commas[index - 1]
        comment = text[comma + 1 : lead]
        gap = text[lead:start] if _runs_on(comment, text[end:]) else ""
        return text[:comma] + comment + gap + text[end:]
    comma = container.commas[index]
    rest = text[end:comma] + text[comma + 1 :]
    if "\n" in _leading_blanks(rest):
        return text[:lead] + rest
    return text[:start] + rest.lstrip(" \t")


def _remove_only(text: str, container: Node, span: tuple[int, int, int]) -> str:
    lead, start, end = span
    before = text[container.start + 1 : lead]
    after = text[end : container.end - 1]
    if "\n" in text[lead:start] and not after.strip(_BLANK) and "//" not in before:
        after = ""
    gap = text[lead:start] if _runs_on(before, after) else ""
    return (
        text[: container.start + 1] + before + gap + after + text[container.end - 1 :]
    )


def _leading_blanks(text: str) -> str:
    return text[: len(text) - len(text.lstrip(_BLANK))]


def _runs_on(comment: str, rest: str) -> bool:
    """Whether a `//` comment would swallow what follows it."""
    return "//" in comment and "\n" not in _leading_blanks(rest)
