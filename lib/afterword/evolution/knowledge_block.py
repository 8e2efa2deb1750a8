"""Knowledge-base entries that are sections: `### KB-001: title` and the lines below.

Eras K0, K2, K3 and K4 of spec/evolution.md 1.5. Which of them only detail a row of
the index is told by `knowledge_base`. Pure; imports `store.blocks`, `evolution.fields`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterword.evolution import fields
from afterword.evolution.knowledge_row import number
from afterword.store import blocks

# `k-072: title`, `✅ KB-001：title`, `K001 - title`; no `P1: title`, which is a priority.
_HEADING = re.compile(
    r"(?:✅[ \t]*)?(?P<id>(?:KB?|P(?:AT)?)(?:-[0-9a-f]{8}|-[0-9]{1,9}|[0-9]{3,9}))"
    r"(?:[ \t]*[:：][ \t]*|[ \t]+[-–—][ \t]+|[ \t]+|\Z)(?P<title>.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
# Sections whose level-3 headings are entries without an id (K3).
_BARE = frozenset(("patterns", "insights", "模式", "洞察"))
_BARE_SECTION, _BARE_ENTRY = 2, 3
_TOP = 2  # level of the file's parts; a category is a heading below one


class Section(blocks.Record):
    """An entry that is a section: its bytes, span and line, what its fields say.

    `above` is the text of the heading that it stands under.
    """

    __slots__ = (
        "above",
        "category",
        "confidence",
        "created",
        "end",
        "identity",
        "line",
        "raw",
        "start",
        "status",
        "title",
    )
    above: str
    line: int
    start: int
    end: int
    raw: bytes
    identity: str
    title: str
    category: str
    confidence: float | None
    created: str
    status: str

    def __init__(self, **values: object) -> None:
        self._set(**values)


def sections(data: bytes) -> list[Section]:
    """The entries that are sections, in order, outside fences and comments."""
    heads = list(blocks.headings(data, blocks.has_front(data)))
    names = [_named(head, path) for head, path in _paths(heads)]
    found = []
    lines = _Lines(data)
    for at, (head, path) in enumerate(_paths(heads)):
        name = names[at]
        if name is not None:
            end = _end(heads, names, at, len(data))
            found.append(_section(data, head, path, name, end, lines.of(head.start)))
    return found


def _paths(
    heads: list[blocks.Heading],
) -> Iterator[tuple[blocks.Heading, list[blocks.Heading]]]:
    """Each heading with those that it stands under, the outermost first."""
    path: list[blocks.Heading] = []
    for head in heads:
        path = [one for one in path if one.level < head.level]
        yield head, list(path)
        path.append(head)


def _named(head: blocks.Heading, path: list[blocks.Heading]) -> tuple[str, str] | None:
    """Id and title of a heading that is an entry's."""
    text = _text(head)
    found = _HEADING.match(text)
    if found is not None and head.level > 1:
        return found["id"], found["title"].strip()
    if head.level == _BARE_ENTRY and path and path[-1].level == _BARE_SECTION:
        return ("", text) if _text(path[-1]).casefold() in _BARE and text else None
    return None


def _end(
    heads: list[blocks.Heading],
    names: list[tuple[str, str] | None],
    at: int,
    length: int,
) -> int:
    """Where an entry ends: before the next heading of its level or above, or the next entry."""
    for later in range(at + 1, len(heads)):
        if names[later] is not None or heads[later].level <= heads[at].level:
            return heads[later].start
    return length


def _section(
    data: bytes,
    head: blocks.Heading,
    path: list[blocks.Heading],
    name: tuple[str, str],
    end: int,
    line: int,
) -> Section:
    raw = data[head.start : end]
    found = fields.read(raw)
    heading = _text(path[-1]) if path else ""
    is_category = bool(path) and _is_category(path)
    return Section(
        line=line,
        start=head.start,
        end=end,
        raw=raw,
        identity=name[0],
        title=name[1],
        category=fields.value(found, "category") or (heading if is_category else ""),
        confidence=number(fields.value(found, "confidence")),
        created=fields.value(found, "created") or fields.value(found, "added"),
        status=fields.value(found, "status"),
        above=heading,
    )


def _is_category(path: list[blocks.Heading]) -> bool:
    """`### testing` above `#### K001: ...` (K4); an entry with entries below is none."""
    return path[-1].level > _TOP and _named(path[-1], path[:-1]) is None


def _text(head: blocks.Heading) -> str:
    return head.text.decode("utf-8", "replace").strip()


class _Lines:
    """Line numbers of places that are asked for in rising order, counted once."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at, self._line = 0, 1

    def of(self, at: int) -> int:
        self._line += blocks.line_number(self._data[self._at : at], at - self._at) - 1
        self._at = at
        return self._line
