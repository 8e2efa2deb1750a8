"""What a scan of an increment fills: blocks, the section at hand, entries, rows of tables.

Models in the making, changed by `increment_scan` alone and read by `increment`.
"""

from __future__ import annotations

import functools
import itertools
import re

from afterword.snapshot import increment_paths as paths
from afterword.snapshot import increment_shapes as shapes
from afterword.snapshot import words

BULLET, HEADING, TAGGED, PARAGRAPH, ROW = "bullet heading tagged paragraph row".split()
META_FIELDS = frozenset(
    "author timestamp recorded date trigger confidence domain module source status"
    " verifier".split()
)
# What is left out because nobody filled it in (a key of `Block.left_out`).
TEMPLATE = "{{}}"
_KINDS = frozenset(words.TYPES)
_CJK = 0x2E7F  # characters above it stand without spaces
_CELLS = re.compile(r"(?<!\\)\|")
_SEPARATOR = re.compile(r"[\s:|-]+\Z")


class Section:
    """The heading that lines stand under: its role, and for a type its part and state.

    `is_bold` tells of a line in bold that is meant as a heading, below which a true one
    of any level begins something new.
    """

    def __init__(
        self, role: str = "", level: int = 0, text: str = "", *, is_bold: bool = False
    ) -> None:
        self.role, self.level, self.text, self.is_bold = role, level, text, is_bold
        self.kind = role if role in _KINDS else ""
        self.part, self.state = "", ""
        self.deeper = 0  # the level of the heading that gave part or state
        self.is_structure = text.casefold().startswith("l1")
        if self.kind == words.ARCHITECTURE:
            self.part = shapes.part_of(text)


class Raw:
    """An entry before it is read: where it stands, under what, its first line and the rest."""

    def __init__(self, line: int, mode: str, title: str, section: Section) -> None:
        self.line, self.mode, self.said = line, mode, [title]
        self.kind, self.part, self.state = section.kind, section.part, section.state
        self.is_structure, self.under = section.is_structure, section.text
        self.lines: list[str] = []
        self.indent = 0
        self.level = 0

    @property
    def title(self) -> str:
        """Its first line with those that go on with it: one sentence in one line."""
        kept = self.said[:1]
        for before, line in itertools.pairwise(self.said):
            kept += [line] if _is_dense(before, line) else [" ", line]
        return "".join(kept)


def _is_dense(one: str, more: str) -> bool:
    """Whether no space stands between two lines: both sides are Chinese."""
    return ord(one[-1:] or " ") > _CJK and ord(more[:1] or " ") > _CJK


class Block:
    """One increment of a file: its Meta, its files, its entries, what was left out."""

    def __init__(self, line: int, heading: str = "") -> None:
        self.line, self.heading = line, heading
        self.meta: dict[str, str] = {}
        self.affected: list[paths.Affected] = []
        self.changes: list[str] = []
        self.entries: list[Raw] = []
        self.sections: set[str] = set()
        self.left_out: dict[str, int] = {}

    @functools.cached_property
    def kinds(self) -> dict[str, frozenset[str]]:
        """The types that Affected Files gives each path, once all of it is read."""
        return paths.kinds_of(self.affected)

    def tell(self, line: str) -> bool:
        """Note a line of the Meta, `label: value`; whether it is one.

        The first that says something counts.
        """
        found = shapes.label(line)
        if not found or found.field not in META_FIELDS:
            return False
        if not shapes.is_nothing(found.value):
            self.meta.setdefault(found.field, found.value)
        return True

    def front(self, text: str) -> None:
        """The fields of a front matter, and the files that it lists."""
        is_list = False
        for line in text.replace("\ufeff", "").splitlines():
            found, item = shapes.label(line), shapes.bullet(line)
            if item is None:
                is_list = found is not None and found.field == "file"
                value = found.value.strip("[]\"' ") if found else ""
                self.tell(f"{found.name}: {value}" if found else "")
            if is_list:
                said = found.value.strip("[]") if found and item is None else item or ""
                self.affected.append(paths.affected(said.strip("\"'")))


def rows(table: list[tuple[int, str]]) -> list[tuple[int, str, list[str]]]:
    """Of the lines of a table each but the head: line, title, and a bullet for each cell."""
    cells = [(number, _cells(line)) for number, line in table]
    has_head = len(cells) > 1 and all(map(_SEPARATOR.match, cells[1][1]))
    names = cells[0][1] if has_head else []
    found = []
    for number, row in cells[2:] if has_head else cells:
        if not all(map(shapes.is_nothing, row)):
            found.append((number, *_titled(row, names)))
    return found


def _titled(row: list[str], names: list[str]) -> tuple[str, list[str]]:
    """A row's first cell that is more than a number, and the others under their names."""
    at = next((at for at, cell in enumerate(row) if cell.strip("0123456789.# ")), 0)
    said = []
    for place, cell in enumerate(row):
        if cell and place != at:
            name = names[place] if place < len(names) else ""
            said.append(f"- {name}: {cell}" if name else f"- {cell}")
    return row[at], said


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _CELLS.split(inner)]
