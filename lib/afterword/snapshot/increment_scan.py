"""An increment's text cut into what its lines are: blocks, sections, entries still unread.

One pass over the lines. A block is what one `# date slug` or `## Meta` begins; its entries
are bullets, headings, tagged lines, rows and paragraphs (spec/snapshot.md 3, 4.2, 4.3),
each with the lines that belong to it. `increment` makes facts of them. Pure.
"""

from __future__ import annotations

import functools
import itertools
import re

from afterword.snapshot import increment_paths as paths
from afterword.snapshot import increment_shapes as shapes
from afterword.snapshot import increment_words as spelled
from afterword.snapshot import words
from afterword.store import blocks

BULLET, HEADING, TAGGED, PARAGRAPH, ROW = (
    "bullet",
    "heading",
    "tagged",
    "paragraph",
    "row",
)
_META_FIELDS = frozenset(
    "author timestamp recorded date trigger confidence domain module source status"
    " verifier".split()
)
_KINDS = frozenset(words.TYPES)
_END = "END"
_CJK = 0x2E7F  # characters above it stand without spaces
# What is left out because nobody filled it in (a key of `Block.left_out`).
TEMPLATE = "{{}}"
# Types whose bullets may be called as a field is; elsewhere a bullet `source: ...` at the
# left, right below an entry, belongs to that entry.
_OWN_NAMES = frozenset(
    (words.GLOSSARY, words.CONFIG, words.EXTERNAL, words.BUSINESS, words.OVERVIEW)
)
_LABELLED = re.compile(r"[^\s:：][^:：]{0,20}[:：](?:\s|\Z|[^\x00-\x7f/])")
_CELLS = re.compile(r"(?<!\\)\|")
_SEPARATOR = re.compile(r"[\s:|-]+\Z")


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


class Section:
    """The heading that lines stand under: its role, and for a type its part and state."""

    def __init__(self, role: str = "", level: int = 0, text: str = "") -> None:
        self.role, self.level, self.text = role, level, text
        self.kind = role if role in _KINDS else ""
        self.part, self.state = "", ""
        self.deeper = 0  # the level of the heading that gave part or state
        self.is_structure = text.casefold().startswith("l1")
        if self.kind == words.ARCHITECTURE:
            self.part = shapes.part_of(text)


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

    def say(self, field: str, value: str) -> None:
        """A field of the Meta; the first that says something counts."""
        if field and value and not shapes.is_nothing(value):
            self.meta.setdefault(field, value)


class Scan:
    """The pass over the lines; `blocks` are what it found."""

    def __init__(self, data: bytes) -> None:
        self.blocks = [Block(1)]
        self._section = Section()
        self._entry: Raw | None = None
        self._after_blank = False
        self._rows: list[tuple[int, list[str]]] = []
        has_front = blocks.has_front(data)
        number = 1
        for start, end, kind in blocks.lines(data, front=has_front):
            raw = data[start:end]
            self._take(number, kind, raw)
            number += _breaks(raw) if kind == blocks.FRONT else 1
        self._flush()

    @property
    def _block(self) -> Block:
        return self.blocks[-1]

    def _take(self, number: int, kind: str, raw: bytes) -> None:
        text = raw.rstrip(b"\r\n").decode()
        if kind == blocks.FRONT:
            self._front(text)
        elif kind == blocks.FENCE:
            self._code(number, text)
        elif kind == blocks.TEXT:
            self._text(number, text, raw)

    def _front(self, text: str) -> None:
        for line in text.splitlines():
            found = shapes.label(line.removeprefix("\ufeff"))
            if found and found.field in _META_FIELDS:
                self._block.say(found.field, found.value.strip("\"'"))

    def _code(self, number: int, text: str) -> None:
        if self._section.kind and self._entry is None:
            self._open(number, HEADING, self._section.text, self._section.level)
        if self._entry is not None:
            self._entry.lines.append(text)
        self._after_blank = False

    def _text(self, number: int, text: str, raw: bytes) -> None:
        if not text.strip():
            if self._entry is not None:
                self._entry.lines.append("")
            self._after_blank = True
            return
        if self._rows and not text.lstrip().startswith("|"):
            self._flush()
        if not self._is_below(text):
            self._place(number, text, raw)
        self._after_blank = False

    def _is_below(self, text: str) -> bool:
        """Whether a line is further in than the open entry's first, and so belongs to it."""
        entry = self._entry
        if entry is None or entry.mode not in (BULLET, TAGGED):
            return False
        least = 1 if entry.mode == TAGGED else entry.indent + 2
        if shapes.indent(text) < least:
            return False
        self._extend(entry, text)
        return True

    def _extend(self, entry: Raw, text: str) -> None:
        """A line more of an entry: of its title while that goes on, else of its body."""
        bare = text.strip()
        is_title = (
            entry.mode == BULLET
            and not entry.lines
            and not self._after_blank
            and shapes.bullet(text) is None
            and bare[0] not in "|>#"
            and not bare.startswith(("<!--", "```", "~~~"))
            and not shapes.is_rule(bare)
            and not _LABELLED.match(bare)
        )
        if is_title:
            entry.said.append(bare)
        else:
            entry.lines.append(text)

    def _place(self, number: int, text: str, raw: bytes) -> None:
        """A line that begins something, or stands at the left of what is open."""
        heading = blocks.heading_of(raw)
        bare = text.strip()
        if heading:
            self._heading(number, heading[0], heading[1].decode())
        elif shapes.is_locked(bare) or shapes.is_rule(bare):
            self._close_list()
        elif bare == _END:
            self._entry = None
        elif self._is_bold_section(bare):
            self._begin(Section(shapes.role_of(bare), 2, bare.strip("*_:： ")))
        elif self._is_tagged(bare):
            self._tagged(number, text, bare)
        elif self._section.role in (spelled.META, spelled.EVIDENCE):
            self._fields(bare)
        elif self._section.role == spelled.AFFECTED:
            self._block.affected.append(paths.affected(shapes.bullet(text) or bare))
        elif self._section.role == spelled.CHANGES:
            self._block.changes.append(shapes.bullet(text) or bare)
        else:
            self._content(number, text, bare)

    def _close_list(self) -> None:
        if self._entry is not None and self._entry.mode != HEADING:
            self._entry = None

    def _is_bold_section(self, bare: str) -> bool:
        """`**Decisions**` or `Decisions:` alone on a line, as some write headings."""
        is_marked = bare.startswith("**") and bare.rstrip(":：").endswith("**")
        if not (is_marked or (bare.endswith((":", "：")) and len(bare) < 40)):
            return False
        name = bare.strip("*_:： ").casefold()
        return bool(name) and (name in words.HEADINGS or name in spelled.SECTIONS)

    # --- headings

    def _heading(self, number: int, level: int, text: str) -> None:
        tag = shapes.tagged(text)
        role = shapes.role_of(text)
        if tag and (tag.kind or self._section.kind):
            self._open(number, HEADING, text, level)
        elif self._is_section(level, role):
            self._begin(Section(role, level, text))
        elif level == 1:
            self._begin_block(number, text)
        elif self._section.kind and level > self._section.level:
            self._inner(number, level, text)
        else:
            self._begin(Section(role, level, text))

    def _is_section(self, level: int, role: str) -> bool:
        """Whether a heading of a known name begins a section and is no entry of one."""
        if not role:
            return False
        is_inside = self._section.kind and level > max(self._section.level, 2)
        return not is_inside

    def _inner(self, number: int, level: int, text: str) -> None:
        """A heading in a section of a type: a part, a state, an entry, or a line of one."""
        section, entry = self._section, self._entry
        part = shapes.part_of(text) if section.kind == words.ARCHITECTURE else ""
        state = shapes.state_of(text) if section.is_structure else ""
        if section.deeper and level <= section.deeper:
            section.part = section.state = ""
            section.deeper = 0
        if part or state:
            section.part, section.state, section.deeper = part, state, level
            self._entry = None
        elif entry is not None and entry.mode == HEADING and level > entry.level:
            entry.lines.append("#" * level + " " + text)
        else:
            self._open(number, HEADING, text, level)

    def _begin(self, section: Section) -> None:
        if section.role == spelled.META and (self._block.entries or self._block.meta):
            self.blocks.append(Block(self._block.line, self._block.heading))
        self._section, self._entry = section, None
        self._block.sections.add(section.role)

    def _begin_block(self, number: int, text: str) -> None:
        block = self._block
        if block.entries or block.sections or block.heading:
            self.blocks.append(Block(number, text))
        else:
            block.heading, block.line = text, number
        self._section, self._entry = Section(), None

    # --- entries

    def _open(self, number: int, mode: str, title: str, level: int = 0) -> Raw:
        entry = Raw(number, mode, title, self._section)
        entry.level = level
        self._entry = entry
        self._block.entries.append(entry)
        return entry

    def _is_tagged(self, bare: str) -> bool:
        """Whether a line begins with a type's tag, which makes it an entry wherever it is."""
        item = shapes.bullet(bare)
        tag = shapes.tagged(bare if item is None else item)
        return bool(tag) and not (
            item is not None and not tag.kind and self._is_in_heading()
        )

    def _is_in_heading(self) -> bool:
        return self._entry is not None and self._entry.mode == HEADING

    def _tagged(self, number: int, text: str, bare: str) -> None:
        item = shapes.bullet(text)
        entry = self._open(number, TAGGED if item is None else BULLET, item or bare)
        entry.indent = shapes.indent(text)

    def _fields(self, bare: str) -> None:
        found = shapes.label(shapes.bullet(bare) or bare)
        if found and found.field in _META_FIELDS:
            self._block.say(found.field, found.value)

    def _content(self, number: int, text: str, bare: str) -> None:
        """A line of text in a section of a type, of none, or before the first."""
        entry, item = self._entry, shapes.bullet(text)
        if entry is not None and self._goes_on(entry, text, bare, item):
            return
        if not self._section.kind:
            self._untyped(number, text, item)
        elif item is not None:
            self._item(number, text, item)
        elif bare.startswith("|"):
            self._rows.append((number, _cells(bare)))
        elif not bare.startswith(">"):
            self._open(number, PARAGRAPH, bare)

    def _goes_on(self, entry: Raw, text: str, bare: str, item: str | None) -> bool:
        """Whether a line at the left belongs to the open entry; then it is added to it."""
        if entry.mode == HEADING:
            entry.lines.append(text)
            return True
        if self._after_blank or entry.mode == ROW:
            return False
        if entry.mode == TAGGED:
            entry.lines.append(text)
            return True
        if entry.mode == PARAGRAPH:
            return self._is_more_prose(entry, bare, item)
        if bare[0] == "|" or (item is not None and not self._is_field_of(entry, item)):
            return False
        self._extend(entry, text if item is None else " " * (entry.indent + 2) + bare)
        return True

    def _is_more_prose(self, entry: Raw, bare: str, item: str | None) -> bool:
        """A paragraph goes on to the next empty line; one that opens a list is no entry."""
        if item is None and bare[0] not in "|>":
            entry.said.append(bare)
            return True
        if entry.said[-1].endswith((":", "：")):
            self._block.entries.pop()
        self._entry = None
        return False

    def _is_field_of(self, entry: Raw, item: str) -> bool:
        """Whether a bullet beside an entry's own says something about that entry."""
        found = shapes.label(item)
        return bool(found and found.field) and entry.kind not in _OWN_NAMES

    def _item(self, number: int, text: str, item: str) -> None:
        """A bullet of a section that has a type: an entry, unless it says that there is none."""
        if shapes.is_nothing(item):
            self._entry = None
            if shapes.is_placeholder(item):
                self._block.left_out.setdefault(TEMPLATE, number)
            return
        entry = self._open(number, BULLET, item)
        entry.indent = shapes.indent(text)

    def _untyped(self, number: int, text: str, item: str | None) -> None:
        """A line under no type: Meta right below the title, else kept for its one file's type."""
        bare = text.strip().lstrip("> ")
        found = shapes.label(bare if item is None else item)
        if not self._section.role and not self._section.text:
            if found and found.field in _META_FIELDS:
                self._block.say(found.field, found.value)
                return
            if item is None:
                return
        if item is None or shapes.is_nothing(item):
            if text.lstrip()[0] not in ">|":
                self._leave_out(number)
            return
        entry = self._open(number, BULLET, item)
        entry.indent = shapes.indent(text)

    def _leave_out(self, number: int) -> None:
        if self._section.text:
            self._block.left_out.setdefault(self._section.text, number)

    # --- tables

    def _flush(self) -> None:
        """The rows of a table that has ended: each but the head is an entry."""
        rows, self._rows = self._rows, []
        has_head = len(rows) > 1 and all(map(_SEPARATOR.match, rows[1][1]))
        names = rows[0][1] if has_head else []
        for number, cells in rows[2:] if has_head else rows:
            if any(cells) and not all(map(shapes.is_nothing, cells)):
                self._row(number, cells, names)

    def _row(self, number: int, cells: list[str], names: list[str]) -> None:
        title = next(cell for cell in cells if cell)
        entry = self._open(number, ROW, title)
        at = cells.index(title)
        for place, cell in enumerate(cells):
            if cell and place != at:
                name = names[place] if place < len(names) and names[place] else ""
                entry.lines.append(f"- {name}: {cell}" if name else f"- {cell}")
        self._entry = None


def _cells(row: str) -> list[str]:
    inner = row.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _CELLS.split(inner)]


def _is_dense(one: str, more: str) -> bool:
    """Whether no space stands between two lines: both sides are Chinese."""
    return ord(one[-1:] or " ") > _CJK and ord(more[:1] or " ") > _CJK


def _breaks(raw: bytes) -> int:
    return blocks.line_number(raw, len(raw)) - 1
