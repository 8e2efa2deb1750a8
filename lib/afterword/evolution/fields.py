"""Labelled lines of a block, `- label: value` in every spelling, read and edited in place.

Bullets `-`, `*`, `+` or none; plain or bold labels; half-width and full-width colons;
only in column 0 and outside of fences, so that a nested list and an example are no
fields. All other bytes stay. Pure; imports `store.blocks` and `evolution.words` only.
"""

from __future__ import annotations

import re

from afterword.evolution import words
from afterword.store import blocks
from afterword.store.newline import newline_of

_LINE = re.compile(
    rb"(?P<lead>(?:[-*+][ \t]+)?(?P<bold>\*\*)?)(?P<label>[^\s:*#|`\xef][^:*#|`\r\n]{0,80}?)"
    rb"(?P<colon>(?:[ \t]*(?::|\xef\xbc\x9a)(?:\*\*)?|(?:\*\*)[ \t]*(?::|\xef\xbc\x9a)))"
    rb"(?P<gap>[ \t]*)(?P<value>[^\r\n]*?)[ \t]*(?P<end>[\r\n]*)\Z"
)


class Field(blocks.Record):
    """One labelled line of a block; spans are counted from the beginning of the block.

    `name` is that of `words`, "" for a label that no rule reads. `value` is the text of
    the line itself; lines up to `end` that are no fields go on with it.
    """

    __slots__ = ("end", "label", "name", "start", "value", "value_end", "value_start")
    name: str
    label: str
    value: str
    start: int
    end: int
    value_start: int
    value_end: int

    def __init__(
        self,
        name: str,
        label: str,
        value: str,
        start: int,
        end: int,
        value_start: int,
        value_end: int,
    ) -> None:
        self._set(
            name=name,
            label=label,
            value=value,
            start=start,
            end=end,
            value_start=value_start,
            value_end=value_end,
        )


def match(line: bytes) -> re.Match[bytes] | None:
    """The parts of a labelled line (lead, label, colon, gap, value, end), if it is one."""
    if line[:1] in (b" ", b"\t", b"#", b"\r", b"\n", b"|", b"`", b">"):
        return None
    return _LINE.match(line)


def name_of(found: re.Match[bytes]) -> str | None:
    """The field's name by its label; None where the label is unknown."""
    return words.field(found["label"].decode("utf-8", "replace"))


def value_of(found: re.Match[bytes]) -> str:
    """The text behind the colon, without the bold marks that a label may leave in it."""
    return found["value"].decode("utf-8", "replace").strip()


def read(raw: bytes) -> list[Field]:
    """The fields of a block in order; one ends at the next field or heading, or at the end."""
    found: list[Field] = []
    for start, end, kind in blocks.lines(raw, front=False):
        line = raw[start:end]
        matched = match(line) if kind == blocks.TEXT else None
        name = name_of(matched) if matched else None
        if matched is None or name is None:
            if found and found[-1].end == start and not _is_heading(line, kind):
                found[-1] = _longer(found[-1], end)
            continue
        found.append(
            Field(
                name,
                matched["label"].decode("utf-8", "replace").strip(),
                value_of(matched),
                start,
                end,
                start + matched.start("value"),
                start + matched.end("value"),
            )
        )
    return found


def _is_heading(line: bytes, kind: str) -> bool:
    return kind == blocks.TEXT and blocks.heading_of(line) is not None


def _longer(field: Field, end: int) -> Field:
    return Field(
        field.name,
        field.label,
        field.value,
        field.start,
        end,
        field.value_start,
        field.value_end,
    )


def first(found: list[Field], name: str) -> Field | None:
    """The first field of a name: a second one is somebody's text, not the program's."""
    return next((field for field in found if field.name == name), None)


def value(found: list[Field], name: str) -> str:
    """The text of the first field of a name, "" where there is none."""
    field = first(found, name)
    return field.value if field else ""


def text(raw: bytes, name: str) -> str:
    """A field's text with the lines that go on with it, their indentation of two taken off."""
    field = first(read(raw), name)
    if field is None:
        return ""
    lines = _decoded(raw[field.value_start : field.end]).split("\n")
    return "\n".join([lines[0], *(_outdented(line) for line in lines[1:])]).strip()


def _decoded(raw: bytes) -> str:
    return blocks.with_newline(raw, b"\n").decode("utf-8", "replace")


def _outdented(line: str) -> str:
    return line[2:] if line.startswith("  ") else line


def put(
    raw: bytes, name: str, text: str, after: tuple[str, ...], language: str
) -> bytes:
    """The block with a field set: its value exchanged, or a line in the style of its neighbour.

    A new line goes behind the last field present of `after`, else behind the heading.
    `text` is one line. The label is in the language of the neighbour's.
    """
    found = read(raw)
    present = first(found, name)
    value = text.encode()
    if present is not None:
        space = (
            b"" if raw[present.value_start - 1 : present.value_start] == b" " else b" "
        )
        lead = b"" if present.value_end > present.value_start else space
        return raw[: present.value_start] + lead + value + raw[present.value_end :]
    neighbours = [first(found, other) for other in after]
    anchors = [field for field in neighbours if field is not None]
    anchor = max(anchors, key=lambda field: field.start, default=None)
    return _inserted(raw, found, anchor, (name, value), language)


def _inserted(
    raw: bytes,
    found: list[Field],
    anchor: Field | None,
    pair: tuple[str, bytes],
    language: str,
) -> bytes:
    newline = newline_of(raw)
    if anchor is None:
        line = b"- " + words.written(pair[0], language).encode() + b": " + pair[1]
        at = found[0].start if found else _behind_heading(raw)
        head = blocks.completed(raw[:at], newline)
        return head + line + newline + raw[at:]
    own = raw[anchor.start : anchor.value_end]
    matched = match(own)
    assert matched is not None  # it was read as a field
    is_chinese = not anchor.label.isascii()
    label = words.written(pair[0], words.ZH if is_chinese else words.EN).encode()
    line = matched["lead"] + label + matched["colon"] + (matched["gap"] or b" ")
    at = _end_of_text(raw, anchor)
    spread = raw[at : anchor.end].strip(b" \t") == newline and anchor is not found[-1]
    between = newline if spread else b""
    head = blocks.completed(raw[:at], newline)
    return head + between + line + pair[1] + newline + raw[at:]


def _end_of_text(raw: bytes, field: Field) -> int:
    """Where a field's last line with text ends, its line end included."""
    text = raw[field.start : field.end]
    kept = len(text.rstrip())
    tail = text[kept:]
    for end in (b"\r\n", b"\n", b"\r"):
        if tail.lstrip(b" \t").startswith(end):
            spaces = len(tail) - len(tail.lstrip(b" \t"))
            return field.start + kept + spaces + len(end)
    return field.end


def _behind_heading(raw: bytes) -> int:
    heading = next(blocks.headings(raw, front=False), None)
    return heading.end if heading is not None and heading.start == 0 else 0
