"""Rows of the tables in sections: their cells, and a row as later facts change it.

A row keeps its place; what is said of it later goes into the cell of that name, the old
text beside it, and its metadata stands behind the last cell, where no reader of Markdown
shows it. Pure; imports nothing of the room.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_SPLIT = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?\Z")
_METADATA, _END = "<!-- {", "} -->"
_PIPE = "\\u007c"  # in JSON
_NONE = frozenset(("(none yet)", "(none)", "(暂无)", "暂无"))


def cells(line: str) -> list[str]:
    """The cells of a row, with or without a closing pipe."""
    bare = line.strip()
    bare = bare[1:] if bare.startswith("|") else bare
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [cell.strip() for cell in _SPLIT.split(bare)]


def is_delimiter(line: str) -> bool:
    """Whether a line is the one below a table's head."""
    return "|" in line and all(map(_RULE.match, cells(line)))


def is_placeholder(line: str) -> bool:
    """Whether a row stands for no entry: that of a template, or "(none yet)"."""
    found = cells(line)
    first = found[0].strip("*_").casefold()
    return first.startswith("{{") or first in _NONE or not any(found)


def split(line: str) -> tuple[str, str]:
    """A row's own text, and its metadata, "" where it has none."""
    at = line.rfind(_METADATA)  # which metadata itself cannot hold
    if at < 0 or not line.rstrip().endswith(_END):
        return line, ""
    return line[:at].rstrip(), line[at:].strip()


def joined(row: Sequence[str], metadata: str) -> str:
    """The line of a row with its metadata."""
    shown = " | ".join(row)
    return f"| {shown} | {metadata.replace('|', _PIPE)}"


def escaped(text: str) -> str:
    """Text as it may stand in a cell."""
    return _SPLIT.sub(lambda _: "\\|", " ".join(text.split()))
