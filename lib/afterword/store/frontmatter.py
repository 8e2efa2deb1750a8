"""Front matter as people write it: strict reading, and edits that keep every other byte.

For commands. What cannot be parsed is named with file and line and never replaced
(HAZARDS H56); the template's own shape has a faster reader in `store.template`.
Imports `store.strict_yaml`, `store.template`, `store.newline`.
"""

from __future__ import annotations

import re

from afterword.errors import StoreDamaged
from afterword.model import Model
from afterword.store import strict_yaml, template
from afterword.store.newline import newline_of
from afterword.store.strict_yaml import FrontMatterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["REMOVE", "Document", "FrontMatterError", "Remove"]
__all__ += ["edit", "find_markers", "parse", "refuse_markers", "split"]

_BOM = b"\xef\xbb\xbf"
_MARKER = re.compile(rb"^(?:<{7}|>{7})(?: |\r?$)", re.MULTILINE)


class Remove:
    """The type of `REMOVE`."""


REMOVE = Remove()


class Document(Model):
    """A file cut at its front matter; the parts put together are the file.

    `opening` and `closing` are the `---` lines, empty when there is no front matter;
    `front` are the lines between them; `newline` is the line end that new lines take.
    """

    bom: bytes
    opening: bytes
    front: bytes
    closing: bytes
    body: bytes
    newline: bytes

    def join(self) -> bytes:
        """The bytes of the file."""
        return self.bom + self.opening + self.front + self.closing + self.body


def split(data: bytes) -> Document:
    """Cut a file at its front matter; without a closing line it is all body."""
    bom = _BOM if data.startswith(_BOM) else b""
    span = template.front_span(data)
    first, last, after = span or (len(bom), len(bom), len(bom))
    return Document(
        bom=bom,
        opening=data[len(bom) : first],
        front=data[first:last],
        closing=data[last:after],
        body=data[after:],
        newline=newline_of(data[:after] if span else data),
    )


def find_markers(data: bytes) -> int | None:
    """The line (from 1) of the first merge marker; `=======` alone underlines a heading."""
    found = _MARKER.search(data) if b"<<<<<<<" in data or b">>>>>>>" in data else None
    return data.count(b"\n", 0, found.start()) + 1 if found else None


def refuse_markers(data: bytes, path: str) -> None:
    """Raise `StoreDamaged` with `path:line` when a merge left its markers (HAZARDS H44)."""
    line = find_markers(data)
    if line is not None:
        raise StoreDamaged(
            f"{path}:{line}: a merge left its conflict markers here",
            hint="Resolve the conflict, remove the markers, then run this again.",
        )


def parse(data: bytes, path: str) -> dict[str, Any]:
    """The fields of the front matter, the first of a doubled key; `{}` when there is none.

    Values are those of YAML 1.2, but dates stay text. Raises `StoreDamaged` for merge
    markers and `FrontMatterError` for what no strict parser reads.
    """
    refuse_markers(data, path)
    found = split(data)
    if not found.opening and found.body.split(b"\n", 1)[0].rstrip() == b"---":
        raise strict_yaml.complaint(
            path, 1, "the front matter is not closed by a line ---"
        )
    return _fields(found.front, path)


def _fields(front: bytes, path: str) -> dict[str, Any]:
    value = strict_yaml.load(strict_yaml.text_of(front, path), path)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise strict_yaml.complaint(
            path, 2, "the front matter is not a list of keys and values"
        )
    for key in value:
        if not isinstance(key, str):
            raise strict_yaml.complaint(path, 2, f"the key {key!r} is not text")
    return value


def edit(
    data: bytes,
    changes: dict[str, template.Value | Remove],
    after: dict[str, str] | None = None,
    path: str = "front matter",
) -> bytes:
    """The file with these top-level keys set or removed and every other byte as it was.

    A new key goes behind its anchor in `after`, else to the end; a value that is the
    same already is not touched. Raises `FrontMatterError` when the file cannot be
    parsed, or when the change would reach further than its key.
    """
    before = parse(data, path)
    found = split(data)
    wanted = {
        key: value
        for key, value in changes.items()
        if (
            key in before
            if isinstance(value, Remove)
            else before.get(key) != _as_read(value)
        )
    }
    if not wanted:
        return data
    front = _edited(found, wanted, after or {}, path)
    opening = found.opening or b"---" + found.newline
    closing = found.closing or b"---" + found.newline * (2 if found.body else 1)
    result = found.replace(opening=opening, front=front, closing=closing).join()
    _check(result, before, wanted, path)
    return result


def _edited(
    found: Document, changes: dict[str, Any], after: dict[str, str], path: str
) -> bytes:
    text = strict_yaml.text_of(found.front, path)
    entries = _entries(text, path)
    edits: list[tuple[int, int, str]] = []
    newline = found.newline.decode()
    for key, value in changes.items():
        mine = [entry for entry in entries if entry.key == key]
        if isinstance(value, Remove):
            edits += [(entry.start, entry.end, "") for entry in mine]
        elif mine:
            edits.append(_replacement(mine[0], value, newline))
        else:
            edits.append(
                _addition(entries, after.get(key), len(text), key, value, newline)
            )
    for start, end, new in sorted(edits, key=lambda one: one[:2], reverse=True):
        text = text[:start] + new + text[end:]
    return text[len("---\n") :].encode()


class _Entry(Model):
    """One top-level key: its lines in the text, and its value when that stands in one line."""

    key: str
    start: int
    end: int
    indent: str
    value: tuple[int, int] | None
    plain: bool


def _entries(text: str, path: str) -> list[_Entry]:
    node = strict_yaml.compose(text, path)
    if node is None:
        return []
    starts = [key.start_mark.index for key, _ in node.value]
    found = []
    for at, (key, value) in enumerate(node.value):
        start = text.rfind("\n", 0, starts[at]) + 1
        indent = text[start : starts[at]]
        if node.flow_style or indent.strip(" "):
            line = key.start_mark.line + 1
            raise strict_yaml.complaint(
                path, line, "write each key on a line of its own"
            )
        following = starts[at + 1] if at + 1 < len(starts) else len(text)
        end = _last_content(text, start, text.rfind("\n", 0, following) + 1)
        found.append(
            _Entry(
                key=str(key.value),
                start=start,
                end=end,
                indent=indent,
                value=_one_line_value(value),
                plain=getattr(value, "style", None) is None,
            )
        )
    return found


def _last_content(text: str, start: int, end: int) -> int:
    """The end of an entry without the blank lines and comments that follow it."""
    while True:
        last = text.rfind("\n", start, end - 1) + 1
        line = text[last:end]
        if last <= start or (line.strip() and not line.startswith("#")):
            return end
        end = last


def _one_line_value(value: Any) -> tuple[int, int] | None:
    """The span of a scalar that can be replaced alone, with the comment behind it kept."""
    if not isinstance(value.value, str) or not value.value or value.style in ("|", ">"):
        return None
    return value.start_mark.index, value.end_mark.index


def _replacement(entry: _Entry, value: Any, newline: str) -> tuple[int, int, str]:
    if entry.value and not isinstance(value, (list, dict)):
        if entry.plain and type(value) is str:
            value = template.Plain(value)
        return *entry.value, template.scalar(value)
    return entry.start, entry.end, _lines(entry.key, value, entry.indent, newline)


def _addition(
    entries: list[_Entry],
    anchor: str | None,
    length: int,
    key: str,
    value: Any,
    newline: str,
) -> tuple[int, int, str]:
    place = next((entry.end for entry in entries if entry.key == anchor), length)
    indent = entries[0].indent if entries else ""
    return place, place, _lines(key, value, indent, newline)


def _lines(key: str, value: Any, indent: str, newline: str) -> str:
    return "".join(indent + line + newline for line in template.lines(key, value))


def _check(
    result: bytes, before: dict[str, Any], changes: dict[str, Any], path: str
) -> None:
    """An edit by position must have done what was asked and nothing else (anchors, tags)."""
    expected = {key: one for key, one in before.items() if key not in changes}
    for key, value in changes.items():
        if not isinstance(value, Remove):
            expected[key] = _as_read(value)
    try:
        done = parse(result, path) == expected
    except StoreDamaged:
        done = False
    if not done:
        names = ", ".join(changes)
        raise strict_yaml.complaint(
            path, 1, f"{names} cannot be changed without changing more"
        )


def _as_read(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_read(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_as_read(one) for one in value]
    return template.flat(value) if isinstance(value, str) else value
