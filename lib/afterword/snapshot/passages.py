"""A target file cut into passages: entries, conflict blocks, pending items, and all else.

Joining the passages of `cut` gives the file back byte for byte; what the program does
not own is a passage of its own and stays where it is. Pure; imports the room's readers
and `store.blocks`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from afterword.model import Model
from afterword.snapshot import adopted, metadata, rendering, table_row, words
from afterword.snapshot.adopted import Where
from afterword.snapshot.fact import Fact
from afterword.snapshot.folded import Conflict
from afterword.store import blocks

# What a passage is. TEXT is a person's, or of another system; HEADING begins a section or
# a part of one; ADOPTED is an entry under a heading, SAID one in a bullet or row.
TEXT, HEADING, ENTRY, ADOPTED, SAID, CONFLICT, PENDING, LOG = (
    "text",
    "heading",
    "entry",
    "adopted",
    "said",
    "conflict",
    "pending",
    "log",
)
OWNED = frozenset((ENTRY, CONFLICT, PENDING, LOG))
_META = b"<!-- {"
_NOTHING = ("", "none", "none yet", "无", "暂无", "n/a")
_DESCRIPTION = re.compile(r"[-*+]\s+\**(?:purpose|status|目的|状态)\**\s*[:：]", re.IGNORECASE)  # fmt: skip


class Passage(Model):
    """A stretch of a file. `section` is the name of ours that it stands in, "" for others.

    `facts` are those of an entry, an item or of resolutions; `shown` is an entry's title as
    its heading has it, `mark` the line that says since when it holds no longer.
    """

    raw: bytes
    role: str = TEXT
    section: str = ""
    part: str = ""
    line: int = 1
    facts: tuple[Fact, ...] = ()
    conflict: Conflict | None = None
    shown: str = ""
    problem: str = ""


def cut(data: bytes, module: str = "") -> list[Passage]:
    """The passages of a file in their order; the first is all before the first section."""
    found = _cut(data, lambda heading: heading.level <= 2)
    passages: list[Passage] = []
    reader = _Reader(module)
    for heading, raw in found:
        level = heading.level if heading is not None else 0
        name = section_of(_text(heading.text)) if heading and level == 2 else ""
        if not name or heading is None:
            passages.append(Passage(raw=raw, role=HEADING if level == 2 else TEXT))
        else:
            passages += reader.section(name, heading, raw)
    return _numbered(passages)


def of_history(data: bytes) -> list[Passage]:
    """The passages of a history, where an entry stands under the date of its ending."""
    reader = _Reader("")
    found: list[Passage] = []
    for heading, raw in _cut(data, 4):
        if heading is None or heading.level < 3 or not _metadata_end(raw):
            found.append(Passage(raw=raw, role=HEADING if heading else TEXT))
        else:
            found += reader.block("", "", heading, raw)
    return found


def _numbered(passages: Sequence[Passage]) -> list[Passage]:
    """The passages with the lines, from 1, at which they begin."""
    line, found = 1, []
    for one in passages:
        found.append(one.replace(line=line) if line > 1 else one)
        line += blocks.line_number(one.raw, len(one.raw)) - 1
    return found


def _cut(
    data: bytes, starts: blocks.Starts, front: bool = True
) -> Iterator[tuple[blocks.Heading | None, bytes]]:
    """The text in blocks; a heading's span is counted from its block's beginning."""
    at: int = 0
    last: blocks.Heading | None = None
    for one in blocks.headings(data, front):
        if one.level <= starts if isinstance(starts, int) else starts(one):
            if one.start > at:
                yield last, data[at : one.start]
            at = one.start
            last = blocks.Heading(one.level, one.text, 0, one.end - at)
    if at < len(data):
        yield last, data[at:]


def section_of(text: str) -> str:
    """The section of ours that a heading names, in any of its spellings; "" for none."""
    bare = text.strip()
    if bare.casefold().startswith(words.PENDING.casefold()):
        return words.PENDING
    if bare.casefold() in (words.CONFLICT_LOG.casefold(), "冲突日志", "冲突记录"):
        return words.CONFLICT_LOG
    if bare.casefold().startswith("待验证"):
        return words.PENDING
    kind = words.type_of_heading(bare)
    return words.SECTION_OF[kind] if kind else ""


def _text(raw: bytes) -> str:
    return rendering.decoded(raw)


def _lines(raw: bytes) -> list[str]:
    """Lines without their ends."""
    text = _text(raw).replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n").split("\n") if text else []


class _Reader:
    """Reads the sections of one file; counts adopted texts, whose place is their order."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._count = 0

    def section(
        self, name: str, heading: blocks.Heading, raw: bytes
    ) -> Iterator[Passage]:
        yield Passage(raw=raw[: heading.end], role=HEADING, section=name)
        body = raw[heading.end :]
        if name == words.PENDING:
            yield from self._pending(body)
        elif name == words.CONFLICT_LOG:
            yield from self._log(body)
        else:
            yield from self._entries(name, body)

    def _entries(self, name: str, body: bytes) -> Iterator[Passage]:
        """Entries below headings of level 3, and of level 4 in a part of Architecture."""
        part = ""
        for heading, raw in _cut(body, lambda one: one.level <= 3, front=False):
            if heading is None:
                yield from self._loose(name, "", raw)
                continue
            part = self._part(name, heading)
            if not part:
                yield from self.block(name, "", heading, raw)
                continue
            for inner, text in _cut(raw, lambda one: one.level <= 4, front=False):
                if inner is None or inner.level < 4:
                    end = heading.end
                    yield Passage(raw=text[:end], role=HEADING, section=name, part=part)
                    yield from self._loose(name, part, text[end:])
                else:
                    yield from self.block(name, part, inner, text)

    @staticmethod
    def _part(name: str, heading: blocks.Heading) -> str:
        if words.SECTIONS.get(name) != words.ARCHITECTURE or heading.level != 3:
            return ""
        return words.part_of_heading(_text(heading.text))

    def _where(self, name: str, part: str) -> Where:
        self._count += 1
        kind = words.SECTIONS.get(name, words.UNCATEGORIZED)
        return Where(kind=kind, part=part, module=self._module, ordinal=self._count)

    def block(
        self, name: str, part: str, heading: blocks.Heading, raw: bytes
    ) -> Iterator[Passage]:
        """An entry or conflict block, and what a person wrote behind its metadata."""
        end = _metadata_end(raw)
        own = raw[:end] if end else raw
        lines = _lines(own[heading.end :])
        data = metadata.from_line(lines[-1]) if end and lines else None
        place: dict[str, Any] = {"section": name, "part": part}
        title = _text(heading.text)
        if data is None:
            yield self._adopted(name, part, title, heading, raw)
            return
        if metadata.is_conflict(data):
            found = metadata.conflict_of(data, module=self._module, topic=title)
            yield Passage(raw=own, role=CONFLICT, conflict=found, facts=found.resolutions, **place)  # fmt: skip
        else:
            facts = self._facts(data, title, lines[:-1], name, part)
            shown = data.get("shown")
            yield Passage(
                raw=own,
                role=ENTRY,
                facts=facts,
                shown=shown if isinstance(shown, str) else "",
                **place,
            )
        if raw[len(own) :].strip():
            yield Passage(raw=raw[len(own) :], **place)

    def _facts(
        self, data: metadata.Data, title: str, lines: list[str], name: str, part: str
    ) -> tuple[Fact, ...]:
        """The facts of an owned entry; lines that they do not explain are a person's."""
        mark = data.get("mark")
        if isinstance(mark, str) and mark in lines:
            at = len(lines) - 1 - lines[::-1].index(mark)
            lines = lines[:at] + lines[at + 1 :]
        kind = words.SECTIONS.get(name, "")
        listed = metadata.facts_of(data, module=self._module)
        if listed:
            own = rendering.without(lines, rendering.visible(listed))
            return (listed[0].replaced(kept=tuple(own)), *listed[1:])
        bare = title.removeprefix(words.UNCONFIRMED).lstrip()
        fact = metadata.fact_of(
            data, module=self._module, kind=kind, title=bare, body=_trimmed(lines)
        )
        return (fact if fact.part or not part else fact.replaced(part=part),)

    def _adopted(
        self, name: str, part: str, title: str, heading: blocks.Heading, raw: bytes
    ) -> Passage:
        where = self._where(name, part)
        lines = _trimmed(_lines(raw[heading.end :]))
        place: dict[str, Any] = {"raw": raw, "section": name, "part": part}
        if title.startswith(words.CONFLICT):
            topic = title.removeprefix(words.CONFLICT).strip()
            found = adopted.conflict(where, topic, lines)
            return Passage(role=CONFLICT, conflict=found, **place)
        fact = adopted.entry(where, title, lines)
        broken = any(map(metadata.is_like, lines))
        problem = "its metadata cannot be read" if broken else ""
        return Passage(role=ADOPTED, facts=(fact,), shown=title, problem=problem, **place)  # fmt: skip

    def _loose(self, name: str, part: str, raw: bytes) -> Iterator[Passage]:
        """What stands below a section's heading before any entry: bullets, tables, text."""
        columns: list[str] = []
        for text, kind in _items(raw):
            line = _lines(text)[0] if text.strip() else ""
            facts: tuple[Fact, ...] = ()
            if kind == "row":
                if not columns:
                    columns = table_row.cells(line)
                elif not table_row.is_delimiter(line) and not table_row.is_placeholder(line):  # fmt: skip
                    cells = table_row.cells(line)
                    if cells and cells[0]:
                        facts = (adopted.row(self._where(name, part), columns, cells),)
            else:
                columns = []
            if kind == "bullet" and not self._is_nothing(name, line):
                lines = _lines(text)
                lines[0] = adopted.without_bullet(lines[0])
                facts = (adopted.bullet(self._where(name, part), lines),)
            role = SAID if facts else TEXT
            yield Passage(raw=text, role=role, section=name, part=part, facts=facts)

    def _is_nothing(self, name: str, line: str) -> bool:
        """Whether a bullet is no entry: a placeholder, or a module's purpose or status (7.2)."""
        is_overview = words.SECTIONS.get(name) == words.OVERVIEW and bool(self._module)
        if is_overview and _DESCRIPTION.match(line):
            return True
        bare = adopted.without_bullet(line).strip(" -*_()（）.。").casefold()
        return bare in _NOTHING

    def _pending(self, raw: bytes) -> Iterator[Passage]:
        """The items, each with the fact that its metadata line holds, or as adopted text."""
        for text, kind in _items(raw):
            lines = _lines(text)
            data = metadata.from_line(lines[1]) if len(lines) > 1 else None
            if kind == "bullet" and data is not None:
                fact = metadata.fact_of(data, module=self._module)
                yield Passage(raw=text, role=PENDING, section=words.PENDING, facts=(fact,))  # fmt: skip
            elif kind == "bullet" and "[" in lines[0]:
                where = self._where(words.PENDING, "")
                bare = [adopted.without_bullet(lines[0]), *lines[1:]]
                facts = (adopted.pending(where, bare),)
                yield Passage(raw=text, role=SAID, section=words.PENDING, facts=facts)
            else:
                yield Passage(raw=text, section=words.PENDING)

    def _log(self, raw: bytes) -> Iterator[Passage]:
        """The lines of conflicts, and resolutions of conflicts that nobody knows."""
        for start, end, _ in blocks.lines(raw, front=False):
            text = raw[start:end]
            line = _text(text).strip()
            data = metadata.from_line(line)
            if data is not None:
                facts = (metadata.fact_of(data, module=self._module),)
                yield Passage(raw=text, role=LOG, section=words.CONFLICT_LOG, facts=facts)  # fmt: skip
            elif line.startswith(f"- {words.CONFLICT}"):
                yield Passage(raw=text, role=LOG, section=words.CONFLICT_LOG)
            else:
                yield Passage(raw=text, section=words.CONFLICT_LOG)


def _metadata_end(raw: bytes) -> int:
    """Where the last metadata line at the beginning of a line ends; 0 without one."""
    at = len(raw)
    while (at := raw.rfind(_META, 0, at)) >= 0:
        if at == 0 or raw[at - 1 : at] in b"\n\r":
            ends = [raw.find(mark, at) for mark in (b"\n", b"\r")]
            end = min([one for one in ends if one >= 0], default=len(raw) - 1) + 1
            return end + (raw[end - 1 : end + 1] == b"\r\n")
    return 0


def _trimmed(lines: Sequence[str]) -> list[str]:
    found = list(lines)
    while found and not found[-1].strip():
        found.pop()
    while found and not found[0].strip():
        found.pop(0)
    return found


def _items(raw: bytes) -> Iterator[tuple[bytes, str]]:
    """Stretches of text: a first-level bullet with what is indented below it, a row, other."""
    held, kind = b"", ""
    for start, end, of in blocks.lines(raw, front=False):
        line = raw[start:end]
        begins = _kind_of(line) if of == blocks.TEXT else ""
        is_inside = kind == "bullet" and bool(line.strip()) and line[:1] in b" \t"
        if begins or not (is_inside or (held and not kind)):
            if held:
                yield held, kind
            held, kind = line, begins
        else:
            held += line
    if held:
        yield held, kind


def _kind_of(line: bytes) -> str:
    if line[:2] in (b"- ", b"* ", b"+ "):
        return "bullet"
    return "row" if line.lstrip()[:1] == b"|" else ""
