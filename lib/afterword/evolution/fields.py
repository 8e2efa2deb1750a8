"""Labelled lines of a block, `- label: value` in every spelling, read and edited in place.

Bullets `-`, `*`, `+` or none; plain or bold labels; half-width and full-width colons;
only in column 0 and outside of fences, so that a nested list and an example are no
fields. All other bytes stay. Pure; imports `store.blocks` and `evolution.words` only.
"""

from __future__ import annotations

import re
from functools import lru_cache

from afterword.evolution import words
from afterword.store import blocks
from afterword.store.newline import newline_of

# Everything before the value. The marks of a bold label close before or behind its colon.
_LEAD = re.compile(
    rb"(?P<lead>(?:[-*+][ \t]+)?(?P<bold>\*\*)?)"
    rb"(?P<label>[^\s:*#|`>\xef][^:*#|`\r\n]{0,80}?)"
    rb"(?P<colon>(?(bold)(?:[ \t]*(?::|\xef\xbc\x9a)\*\*|\*\*[ \t]*(?::|\xef\xbc\x9a))"
    rb"|[ \t]*(?::|\xef\xbc\x9a)))"
    rb"(?P<gap>[ \t]*)"
)
_BLANK = b" \t\r\n"
_REST_OF_LINE = re.compile(rb"[ \t]*(?:\r\n?|\n)?")


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
    """The parts of a labelled line before its value: lead, bold, label, colon, gap."""
    return _LEAD.match(line)


def name_of(found: re.Match[bytes]) -> str | None:
    """The field's name by its label; None where the label is unknown."""
    return _name(found["label"])


@lru_cache(maxsize=256)
def _name(label: bytes) -> str | None:
    return words.field(_text(label))


def value_of(line: bytes, found: re.Match[bytes]) -> str:
    """The text behind the colon, to the end of the line, verbatim."""
    return _text(line[found.end() :].strip(_BLANK))


def read(raw: bytes) -> list[Field]:
    """The fields of a block in order; one ends at the next field or heading, or at the end."""
    found: list[Field] = []
    for start, end, kind in blocks.lines(raw, front=False):
        line = raw[start:end]
        field = _field(line, start) if kind == blocks.TEXT else None
        if field:
            found.append(field)
        elif found and found[-1].end == start and not _is_heading(line, kind):
            found[-1] = _longer(found[-1], end)
    return found


def _field(line: bytes, start: int) -> Field | None:
    """The line as a field, if it is one of a known label."""
    matched = match(line)
    name = name_of(matched) if matched else None
    if matched is None or name is None:
        return None
    value_start = matched.end()
    value_end = max(value_start, len(line.rstrip(_BLANK)))
    return Field(
        name,
        _text(matched["label"]).strip(),
        value_of(line, matched),
        start,
        start + len(line),
        start + value_start,
        start + value_end,
    )


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
    """The line of the first field of a name, "" where there is none."""
    field = first(found, name)
    return field.value if field else ""


def text(raw: bytes, name: str) -> str:
    """A field's text with the lines that go on with it, their indentation of two taken off."""
    field = first(read(raw), name)
    if field is None:
        return ""
    whole = blocks.with_newline(raw[field.value_start : field.end], b"\n")
    first_line, *others = _text(whole).split("\n")
    return "\n".join((first_line, *map(_outdented, others))).strip()


def _outdented(line: str) -> str:
    return line[2:] if line.startswith("  ") else line


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def put(
    raw: bytes, name: str, text: str, after: tuple[str, ...], language: str
) -> bytes:
    """The block with a field set: its value exchanged, or a line in the style of its neighbour.

    `text` is one line; lines that go on with an old value stay. A new line goes behind the
    last field present of `after`, else before the first field, else behind the heading.
    Its label is in the language of the neighbour's, in `language` without one.
    """
    found = read(raw)
    present = first(found, name)
    if present is not None:
        return _exchanged(raw, present, text.encode())
    # behind what is never closed a line would be none; only the last field can leave it so
    closed = found[:-1] if blocks.unclosed(raw) else found
    anchors = [one for one in closed if one is first(closed, one.name)]
    anchor = next((one for one in reversed(anchors) if one.name in after), None)
    if anchor:
        return _behind(raw, found, anchor, _line(raw, anchor, name, text))
    if found:
        return _before(raw, found, _line(raw, found[0], name, text))
    label = words.written(name, language).encode()
    return _at(raw, _behind_heading(raw), b"- " + label + b": " + text.encode())


def _exchanged(raw: bytes, present: Field, value: bytes) -> bytes:
    before, after = raw[: present.value_start], raw[present.value_end :]
    space = b"" if before.endswith((b" ", b"\t")) or present.value else b" "
    return before + space + value + after


def _line(raw: bytes, neighbour: Field, name: str, text: str) -> bytes:
    """A labelled line as the neighbour's is written, without line end."""
    matched = match(raw[neighbour.start : neighbour.value_end])
    assert matched is not None  # it was read as a field
    language = words.EN if neighbour.label.isascii() else words.ZH
    label = words.written(name, language).encode()
    gap = matched["gap"] if neighbour.value else b" "
    return matched["lead"] + label + matched["colon"] + gap + text.encode()


def _behind(raw: bytes, found: list[Field], anchor: Field, line: bytes) -> bytes:
    """The line behind the text of a field; with an empty line between where they are spread."""
    at = anchor.start + len(raw[anchor.start : anchor.end].rstrip(_BLANK))
    line_end = _REST_OF_LINE.match(raw, at, anchor.end)
    at = line_end.end() if line_end else at
    index = found.index(anchor)
    model = anchor if index + 1 < len(found) else found[max(0, index - 1)]
    return _at(raw, at, line, model is not found[-1] and _is_spread(raw, model))


def _before(raw: bytes, found: list[Field], line: bytes) -> bytes:
    is_spread = len(found) > 1 and _is_spread(raw, found[0])
    return _at(raw, found[0].start, line + newline_of(raw) * is_spread)


def _is_spread(raw: bytes, field: Field) -> bool:
    """Whether exactly one empty line stands behind a field's text, as a formatter does it."""
    whole = raw[field.start : field.end]
    rest = blocks.with_newline(whole[len(whole.rstrip(_BLANK)) :], b"\n")
    return rest.count(b"\n") == 2


def _at(raw: bytes, at: int, line: bytes, is_spread: bool = False) -> bytes:
    """The block with a line more; one that had no line end at its end still has none."""
    newline = newline_of(raw)
    head = blocks.completed(raw[:at], newline) + newline * is_spread
    is_end = at == len(raw) and not raw.endswith((b"\n", b"\r"))
    return head + line + (b"" if is_end else newline) + raw[at:]


def _behind_heading(raw: bytes) -> int:
    heading = next(blocks.headings(raw, front=False), None)
    return heading.end if heading is not None and heading.start == 0 else 0
