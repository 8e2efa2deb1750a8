r"""One row of a pipe table: its line cut into cells, and cells made a line again.

Reads pipes escaped (`\|`) or not, rows glued together in one line (`|| k-064 |`),
separators as people and formatters write them (spec/evolution.md 1.5, K2, K3). Pure;
imports `store.safe_text` only.
"""

from __future__ import annotations

import re

from afterword.store import safe_text

# What an id looks like wherever one may stand: `k-001`, `KB-001`, `K001`, `k-1f2e3d4c`.
_IDENTITY = re.compile(r"[A-Za-z]{1,8}(?:-[0-9a-f]{8}|-[0-9]{1,9}|[0-9]{3,9})")
_PIPE = re.compile(r"(?<!\\)\|")
_DASHES = re.compile(r":?-+:?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,9})?|\.[0-9]{1,9})(?:[ \t]*([%％]))?")
_LEAST = 2  # cells of a row that is glued to another
_MARKS = " \t*`_"  # emphasis around a text


def bare(cell: str) -> str:
    """A cell's text without emphasis around it."""
    return cell.strip(_MARKS)


def is_identity(cell: str) -> bool:
    """Whether a cell holds what looks like an entry's id."""
    return _IDENTITY.fullmatch(bare(cell)) is not None


def cells(raw: bytes) -> list[str]:
    """The cells of a line as they stand between its pipes, neither trimmed nor unescaped."""
    text = raw.decode("utf-8", "replace").strip().removeprefix("|")
    if text.endswith("|") and not text.endswith("\\|"):
        text = text[:-1]
    return _PIPE.split(text)


def is_separator(found: list[str]) -> bool:
    """`|----|`, `| ---- |`, `|:--:|`: a formatter puts spaces around the dashes (K2)."""
    return all(_DASHES.fullmatch(cell.strip()) for cell in found)


def rows(found: list[str], columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The rows that stand in one line, usually one; a text for each of the columns."""
    fitted = [_fitted(part, columns) for part in _parts(found, len(columns))]
    texts = [tuple(map(_text, row)) for row in fitted]
    return [row for row in texts if any(row)]


def _parts(found: list[str], width: int) -> list[list[str]]:
    """The cells of each row of a line: an empty cell and an id begin the next one (K3)."""
    if len(found) <= width:
        return [found]
    parts, at = [], 0
    for here in range(_LEAST, len(found) - _LEAST):
        is_seam = not found[here].strip() and is_identity(found[here + 1])
        if is_seam and here - at >= _LEAST:
            parts.append(found[at:here])
            at = here + 1
    return [*parts, found[at:]]


def _fitted(found: list[str], columns: tuple[str, ...]) -> list[str]:
    """As many cells as columns: what is too much are pipes in the title, or a tail (K3)."""
    surplus = len(found) - len(columns)
    if surplus <= 0:
        return [*found, *[""] * -surplus]
    cut = found[: len(columns)]
    if "title" not in columns:
        return cut
    at = columns.index("title")
    title = "|".join(found[at : at + surplus + 1])
    joined = [*found[:at], title, *found[at + surplus + 1 :]]
    return cut if _likely(cut, columns) > _likely(joined, columns) else joined


def _likely(found: list[str], columns: tuple[str, ...]) -> int:
    """How many cells look like what their column holds."""
    count = 0
    for cell, column in zip(found, columns, strict=True):
        if column == "confidence":
            count += number(cell) is not None
        elif column == "created":
            count += _DATE.fullmatch(cell.strip()) is not None
    return count


def _text(cell: str) -> str:
    return cell.strip().replace("\\|", "|")


def number(text: str) -> float | None:
    """A confidence from 0 to 1: `0.9`, `95%`, `95`; None for other text. 0 stays 0 (K4)."""
    whole = bare(text)
    found = _NUMBER.match(whole)
    if found is None:
        return None
    value = float(found[1])
    if found[2] or (value > 1 and found[0] == whole):
        value /= 100
    return value if value <= 1 else None


def line(columns: tuple[str, ...], values: dict[str, str]) -> bytes:
    """A row without its line end; texts are made one line, their pipes escaped."""
    written = [_escaped(values.get(column, "")) for column in columns]
    return f"| {' | '.join(written)} |".encode("utf-8", "replace")


def _escaped(text: str) -> str:
    return safe_text.one_line(text).replace("|", "\\|")
