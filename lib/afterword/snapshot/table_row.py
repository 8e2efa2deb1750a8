"""Rows of the tables in sections: their cells, and a row as later facts change it.

A row keeps its place; what is said of it later goes into the cell of that name, the old
text beside it, and its metadata stands behind the last cell, where no reader of Markdown
shows it. Pure; imports the room's `rendering` and words, and the standard library.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_SPLIT = re.compile(r"(?<!\\)\|")
_DELIMITER = re.compile(r"\s*\|?\s*:?-{1,}:?\s*(?:\|\s*:?-{1,}:?\s*)*\|?\s*\Z")
_METADATA = re.compile(r"\s*(<!-- \{.*\} -->)\s*\Z", re.DOTALL)
_PLACEHOLDER = re.compile(
    r"\{\{|\A[\s|(（_*-]*(?:none yet|暂无|none|无)?[\s|)）_*-]*\Z"
)


def cells(line: str) -> list[str]:
    """The cells of a row, with or without a closing pipe."""
    bare = line.strip()
    bare = bare[1:] if bare.startswith("|") else bare
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [cell.strip() for cell in _SPLIT.split(bare)]


def is_delimiter(line: str) -> bool:
    """Whether a line is the one below a table's head."""
    return "-" in line and "|" in line and _DELIMITER.match(line) is not None


def is_placeholder(line: str) -> bool:
    """Whether a row stands for no entry: that of a template, or "(none yet)"."""
    return _PLACEHOLDER.search(line) is not None


def split(line: str) -> tuple[str, str]:
    """A row's own text, and its metadata, "" where it has none."""
    found = _METADATA.search(line)
    return (line[: found.start()], found.group(1)) if found else (line, "")


def joined(row: Sequence[str], metadata: str) -> str:
    """The line of a row with its metadata."""
    shown = " | ".join(row)
    return f"| {shown} | {metadata.replace('|', _PIPE)}"


_PIPE = "\\u007c"


def escaped(text: str) -> str:
    """Text as it may stand in a cell."""
    return _SPLIT.sub(lambda _: "\\|", " ".join(text.split()))
