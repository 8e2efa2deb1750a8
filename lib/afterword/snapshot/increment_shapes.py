"""How single lines of an increment are shaped: headings, list items, tags, labels.

Both languages, full-width marks, and what people make of a template by hand. Pure
look-ups on one line of text.
"""

from __future__ import annotations

import functools
import re

from afterword.snapshot import increment_words as spelled
from afterword.snapshot import words
from afterword.store.blocks import Record

# Numbers, emoji and marks before the name of a section.
_LEAD = re.compile(
    r"^(?:[\W\d_]|[一二三四五六七八九十]+[、.．]|第[一二三四五六七八九十]+)+"
)
_APART = re.compile(r"[/／|｜&()（）\[\]—–]|\s(?:-|and)\s|[与和及]")
# A tag in brackets; one that a link or a reference begins with is none.
_ROUND = re.compile(
    r"\[(?:round|entry|轮次|第)\s*[:：#]?[^\[\]\n]{0,40}\]\s*", re.IGNORECASE
)
_TAG = re.compile(r"(?:\[([^\[\]\n]{1,40})\]|【([^【】\n]{1,40})】)(?![(\[])")
_SHOUTED = re.compile(r"[A-Z][A-Z0-9]*(?:[ _/-][A-Z0-9]+)*")
_BULLET = re.compile(
    r"([ \t]*)(?:[-*+•·●]|\d{1,3}[.)](?=[ \t])|\d{1,3}、)(?:[ \t]+|(?<=[、•·●]))"
)
_ITEMS = frozenset("-*+•·●0123456789")
_RULE = re.compile(
    r"[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,})\Z"
)
_LABEL = re.compile(
    r"(?:\*\*|__|`)?([^:：*`]{1,40}?)(?:\*\*|__|`)?\s*(\\*)[:：](?!//)(?:\*\*|__)?\s*(.*)\Z",
    re.DOTALL,
)
_PLACEHOLDER = re.compile(r"(?:`?\{\{[^{}]*\}\}`?|<[^<>]*>)\Z")
# Marks of a snapshot in brackets, which are no types.
_MARKS = frozenset(("conflict", "promotion candidate", "x"))


@functools.lru_cache(maxsize=1000)
def role_of(heading: str) -> str:
    """What a section's heading says it holds: META and the like, a type, or ""."""
    for name in _names(heading):
        role = section(name)
        if role:
            return role
    return ""


def section(name: str) -> str:
    """What a section of exactly this name holds, "" for a name that is unknown."""
    bare = name.strip().rstrip(":：").strip()
    return words.type_of_heading(bare) or spelled.SECTIONS.get(bare.casefold(), "")


def _names(heading: str) -> list[str]:
    """The ways to read a heading: whole, without its number, each of its two languages."""
    whole = heading.strip().strip("*_ ").rstrip(":：").strip()
    bare = _LEAD.sub("", whole).strip()
    parts = [part.strip() for part in _APART.split(bare)]
    return [name for name in (whole, bare, *parts) if name]


def part_of(heading: str) -> str:
    """The part of Architecture that a heading or label names, "" for none."""
    bare = heading.strip().strip("*_ ").rstrip(":：").strip()
    return words.part_of_heading(bare) or spelled.PARTS.get(bare.casefold(), "")


def state_of(heading: str) -> str:
    """Whether a heading or mark says added, changed or removed; "" where it does not."""
    return spelled.STATES.get(heading.strip().strip("*_:： ").casefold(), "")


def is_nothing(text: str) -> bool:
    """Whether a line says that there is nothing, or is a template's that nobody filled."""
    bare = text.strip().strip("*_").rstrip(".。").strip()
    return bare.casefold() in spelled.NOTHING or not bare or is_placeholder(bare)


def is_placeholder(text: str) -> bool:
    """Whether a text is a template's `{{...}}` or `<...>`."""
    return bool(_PLACEHOLDER.match(text.strip()))


def indent(line: str) -> int:
    """The width of the white space before a line, a tab up to the next place of four."""
    lead = line[: len(line) - len(line.lstrip(" \t"))]
    return len(lead.expandtabs(4))


def bullet(line: str) -> str | None:
    """The text of a list item, `-`, `*`, `1.` or `•`; None for any other line."""
    if line.lstrip(" \t")[:1] not in _ITEMS or _RULE.match(line):
        return None
    found = _BULLET.match(line)
    if found:
        return line[found.end() :].strip()
    return "" if line.strip() in ("-", "*", "+") else None


def is_ordered(line: str) -> bool:
    """Whether a list item has a number."""
    return line.lstrip(" \t")[:1].isdigit()


def is_rule(line: str) -> bool:
    """Whether a line only separates: `---`, `***`, `===`."""
    return bool(_RULE.match(line))


def is_locked(line: str) -> bool:
    """Whether it is the mark of a buffer that a commit is emptying (spec 3)."""
    return line.startswith("[LOCKED")


class Tagged(Record):
    """A line's `[TYPE]` and what follows it; `tag` is as written, `kind` "" if unknown."""

    __slots__ = ("kind", "rest", "tag")
    tag: str
    kind: str
    rest: str

    def __init__(self, tag: str, kind: str, rest: str) -> None:
        self._set(tag=tag, kind=kind, rest=rest)


def tagged(text: str) -> Tagged | None:
    """The type tag that a line begins with, after `[round: N]` if there is one.

    A tag is a known type in brackets, or an unknown word in capitals; a round without a
    tag has the tag "".
    """
    bare = text.strip()
    marks = "**" if bare.startswith("**") else ""
    inner = bare[len(marks) :]
    if inner[:1] not in ("[", "【"):
        return None
    turn = _ROUND.match(inner)
    inner = inner[turn.end() :] if turn else inner
    found = _TAG.match(inner)
    tag = (found[1] or found[2]).strip() if found else ""
    kind = kind_of(tag)
    if found and (kind or _is_type(tag)):
        return Tagged(tag, kind, _after_tag(inner[found.end() :], marks))
    return Tagged("", "", _after_tag(inner, marks)) if turn else None


def _is_type(tag: str) -> bool:
    """Whether an unknown tag is meant as a type: in capitals, and no mark."""
    is_mark = tag.casefold() in _MARKS or state_of(tag)
    return len(tag) > 1 and bool(_SHOUTED.fullmatch(tag)) and not is_mark


def kind_of(tag: str) -> str:
    """The type that a tag names, "" for none."""
    name = tag.strip().casefold()
    return words.TAGS.get(name, "") or spelled.TAGS.get(name, "")


def _after_tag(text: str, marks: str) -> str:
    rest = text.strip()
    if marks and rest.startswith(marks):
        rest = rest[len(marks) :]
    elif marks and rest.endswith(marks):
        rest = rest[: -len(marks)]
    return rest.lstrip(":： \t").strip()


class Label(Record):
    """`label: value` of a line: the label as written, its field here or "", the value.

    `escapes` backslashes stood before the colon: then it is text (`increment_writing`).
    """

    __slots__ = ("escapes", "field", "name", "value")
    name: str
    field: str
    value: str
    escapes: int

    def __init__(self, name: str, field: str, value: str, escapes: int) -> None:
        self._set(name=name, field=field, value=value, escapes=escapes)


def label(text: str) -> Label | None:
    """The label of a line and its value; None where no colon follows a few words."""
    found = _LABEL.match(text.strip())
    if not found:
        return None
    name = found[1].strip()
    field = words.field_of(name) or spelled.LABELS.get(name.casefold(), "")
    return Label(name, field, found[3].strip(), len(found[2]))
