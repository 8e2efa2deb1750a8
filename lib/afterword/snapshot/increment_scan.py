"""An increment's text cut into what its lines are: blocks, sections, entries still unread.

One pass over the lines. A block is what one `# date slug` or `## Meta` begins; its entries
are bullets, headings, tagged lines, rows and paragraphs (spec/snapshot.md 3, 4.2, 4.3),
each with the lines that belong to it. `increment` makes facts of them. Pure.
"""

from __future__ import annotations

import re

from afterword.snapshot import increment_body, words
from afterword.snapshot import increment_paths as paths
from afterword.snapshot import increment_shapes as shapes
from afterword.snapshot import increment_title as titles
from afterword.snapshot import increment_values as values
from afterword.snapshot import increment_words as spelled
from afterword.snapshot.increment_block import (
    BULLET,
    HEADING,
    PARAGRAPH,
    ROW,
    TAGGED,
    TEMPLATE,
    Block,
    Raw,
    Section,
    rows,
)
from afterword.store import blocks

_END = "END"  # behind the last block of an import (4.3, deviation 3)
_LABELLED = re.compile(r"[^\s:：][^:：]{0,20}[:：](?:\s|\Z|[^\x00-\x7f/])")
_TAGS = frozenset("[【*_")  # what a type in front of a title begins with
_OPENS = ("<!--", "```", "~~~")


class Scan:
    """The pass over the lines; `blocks` are what it found."""

    def __init__(self, data: bytes) -> None:
        self.blocks = [Block(1)]
        self._section = Section()
        self._entry: Raw | None = None
        self._after_blank = False
        self._table: list[tuple[int, str]] = []
        number = 1
        for start, end, kind in blocks.lines(data, front=blocks.has_front(data)):
            raw = data[start:end]
            self._take(number, kind, raw)
            number += blocks.line_number(raw, len(raw)) - 1 if kind == "front" else 1
        self._end_table()

    @property
    def _block(self) -> Block:
        return self.blocks[-1]

    def _take(self, number: int, kind: str, raw: bytes) -> None:
        text = raw.rstrip(b"\r\n").decode()
        if kind == blocks.FRONT:
            self._block.front(text)
        elif kind == blocks.FENCE:
            self._code(number, text)
        elif kind == blocks.TEXT and text.strip():
            self._text(number, text, raw)
        elif kind == blocks.TEXT:
            self._blank()

    def _blank(self) -> None:
        if self._entry is not None:
            self._entry.lines.append("")
        self._after_blank = True

    def _code(self, number: int, text: str) -> None:
        """A line of a code fence: of the open entry, else of one called as its section is."""
        if self._section.kind and self._entry is None:
            self._open(number, HEADING, self._section.text, self._section.level)
        if self._entry is not None:
            self._entry.lines.append(text)
        elif self._section.role == spelled.AFFECTED:
            self._block.affected.append(paths.affected(text))
        self._after_blank = False

    def _text(self, number: int, text: str, raw: bytes) -> None:
        if self._table and not text.lstrip().startswith("|"):
            self._end_table()
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
            and not bare.startswith(_OPENS)
            and not shapes.is_rule(bare)
            and not _LABELLED.match(bare)
        )
        (entry.said if is_title else entry.lines).append(bare if is_title else text)

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
            name = bare.strip("*_:： ")
            self._begin(Section(shapes.role_of(name), 2, name, is_bold=True))
        elif self._is_tagged(bare):
            self._list_item(number, text, shapes.bullet(text))
        elif self._entry is None or not self._goes_on(self._entry, text, bare):
            self._content(number, text, bare)

    def _close_list(self) -> None:
        if self._entry is not None and self._entry.mode != HEADING:
            self._entry = None

    def _is_bold_section(self, bare: str) -> bool:
        """`**Decisions**` or `Decisions:` alone on a line, where no true heading is open."""
        is_marked = bare.startswith("**") and bare.rstrip(":：").endswith("**")
        if not is_marked and not bare.endswith((":", "：")):
            return False
        is_free = self._section.is_bold or not self._section.text
        return is_free and bool(shapes.section(bare.strip("*_:： ")))

    # --- headings

    def _heading(self, number: int, level: int, text: str) -> None:
        role = shapes.section(text) if level == 1 else shapes.role_of(text)
        if values.moment(text) and level == 1:
            self._begin_block(number, text)
        elif self._is_entry(text):
            self._open(number, HEADING, text, level)
        elif role and not (self._section.kind and level > max(self._section.level, 2)):
            self._begin(Section(role, level, text))
        elif level == 1:
            self._begin_block(number, text)
        elif self._section.kind and level > self._section.level:
            self._inner(number, level, text)
        else:
            self._begin(Section(role, level, text))

    def _is_entry(self, text: str) -> bool:
        """Whether a heading is an entry wherever it stands: `[TYPE] title`, `Type: title`."""
        found = titles.read(text, self._section.kind, is_heading=True)
        return bool(found.kind) and (
            found.kind != words.UNCATEGORIZED or self._is_typed
        )

    @property
    def _is_typed(self) -> bool:
        return bool(self._section.kind)

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
        elif not shapes.is_nothing(text):
            self._open(number, HEADING, text, level)

    def _begin(self, section: Section) -> None:
        block = self._block
        if section.role == spelled.META and (
            block.entries or spelled.META in block.sections
        ):
            self.blocks.append(Block(block.line, block.heading))
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
        said = bare if item is None else item
        if said[:1] not in _TAGS:
            return False
        found = titles.read(said, self._section.kind)
        is_in_heading = self._entry is not None and self._entry.mode == HEADING
        is_known = found.kind not in ("", words.UNCATEGORIZED)
        return is_known or bool(found.kind and not (item and is_in_heading))

    def _list_item(self, number: int, text: str, item: str | None) -> None:
        mode = TAGGED if item is None else BULLET
        entry = self._open(number, mode, text.strip() if item is None else item)
        entry.indent = shapes.indent(text)

    def _goes_on(self, entry: Raw, text: str, bare: str) -> bool:
        """Whether a line at the left belongs to the open entry; then it is added to it."""
        item = shapes.bullet(text)
        if entry.mode == HEADING or (entry.mode == TAGGED and not self._after_blank):
            entry.lines.append(text)
            return True
        if entry.mode == PARAGRAPH:
            return self._is_more_prose(entry, bare, item)
        if self._after_blank or entry.mode == ROW:
            self._entry = None
            return False
        if bare[0] == "|" or (item is not None and not _is_field_of(entry, item)):
            return False
        self._extend(entry, text if item is None else " " * (entry.indent + 2) + bare)
        return True

    def _is_more_prose(self, entry: Raw, bare: str, item: str | None) -> bool:
        """A paragraph goes on to the next empty line; one that opens a list is no entry."""
        if item is None and bare[0] not in "|>" and not self._after_blank:
            entry.said.append(bare)
            return True
        if entry.said[-1].endswith((":", "：")) and (item or bare[0] == "|"):
            self._block.entries.pop()
        self._entry = None
        return False

    # --- what belongs to no open entry

    def _content(self, number: int, text: str, bare: str) -> None:
        item, role = shapes.bullet(text), self._section.role
        said = bare if item is None else item
        if role in (spelled.META, spelled.EVIDENCE):
            self._block.tell(said)
        elif role == spelled.AFFECTED:
            self._block.affected.append(paths.affected(said))
        elif role == spelled.CHANGES:
            self._block.changes.append(said)
        elif not self._section.kind:
            self._untyped(number, text, item)
        elif bare.startswith("|"):
            self._table.append((number, bare))
        elif shapes.is_nothing(said):
            self._pass_over(number, text, said)
        elif item is not None:
            self._list_item(number, text, item)
        elif not bare.startswith(">"):
            self._open(number, PARAGRAPH, bare)

    def _pass_over(self, number: int, text: str, said: str) -> None:
        """An item that says nothing: the lines below it are not taken for others."""
        if shapes.is_placeholder(said):
            self._block.left_out.setdefault(TEMPLATE, number)
        self._entry = Raw(number, BULLET, said, self._section)
        self._entry.indent = shapes.indent(text)

    def _untyped(self, number: int, text: str, item: str | None) -> None:
        """A line under no type: Meta below the title, else a bullet kept for its file's type."""
        bare = text.strip()
        is_top = not self._section.text
        if is_top and self._block.tell(item or bare.lstrip("> ")):
            return
        if item is not None and not shapes.is_nothing(item):
            self._list_item(number, text, item)
        elif not is_top and bare[0] not in ">|" and item is None:
            self._block.left_out.setdefault(self._section.text, number)

    def _end_table(self) -> None:
        """The rows of a table that has ended: each is an entry."""
        table, self._table = self._table, []
        for number, title, lines in rows(table):
            self._open(number, ROW, title).lines += lines
        self._entry = None


def _is_field_of(entry: Raw, item: str) -> bool:
    """Whether a bullet beside an entry's own says something about that entry.

    Of the types whose entries have names of their own, such as terms, none does.
    """
    return not titles.takes_name(entry.kind, "") and increment_body.is_field(item)
