"""The body of an entry: its lines in one canonical form, and the fields that stand in them.

Canonical lines can stand below any heading of a target file: the first is not indented,
no heading, comment or open fence among them, prose as `- ` bullets. Nothing that was
said is lost (D5). Pure; imports `increment_shapes` only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from afterword.snapshot import increment_paths as paths
from afterword.snapshot import increment_shapes as shapes
from afterword.snapshot import increment_values as values
from afterword.snapshot import words
from afterword.store import blocks

# As `store.blocks` tells fences, so that both see the same lines as code.
_FENCE = re.compile(
    r"(?P<lead> {0,3}(?:(?:[-*+]|[0-9]{1,9}[.)]) {1,4})?)(?P<mark>`{3,}(?=[^`]*\Z)|~{3,})"
)
# The mark of a merge at the left of a file: with it that file would be refused.
_CONFLICTED = re.compile(r"<{7}|>{7}|\|{7}")
_NESTED = 2  # columns from which a line belongs to the bullet above it
# Fields that are taken out of the body, for the entry's own; others are its text.
TAKEN = frozenset(
    "key value supersedes resolves keep after part confidence status author recorded"
    " timestamp file".split()
)

# What is told of an entry in its body, what may stand more than once, and what counts
# only beside another one.
_TOLD = frozenset(("source", "reason", "detail", "verifier"))
_SEVERAL = frozenset(("supersedes", "after", "file"))
_ONLY_WITH = {"value": "key", "keep": "resolves", "after": "resolves"}


class _Fence:
    """Whether lines, one after the other, are code: where it begins, and what closes it."""

    def __init__(self) -> None:
        self.mark = ""
        self.width = 0

    def holds(self, line: str) -> bool:
        """Whether the line is of a fence, the lines that open and close it included."""
        if self.mark:
            if self.closes(line):
                self.mark = ""
            return True
        found = _FENCE.match(line)
        if found:
            self.mark, self.width = found["mark"], len(found["lead"])
        return bool(found)

    def closes(self, line: str) -> bool:
        bare = line.strip(" \t")
        width = len(line) - len(line.lstrip(" "))
        is_mark = bare.startswith(self.mark) and not bare.strip(self.mark[0])
        return is_mark and width <= self.width + 3


def code(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """The lines, each with whether it is of a code fence."""
    fence = _Fence()
    for line in lines:
        yield line, fence.holds(line)


def dedented(lines: Sequence[str]) -> list[str]:
    """The lines as far to the left as the first that is not empty allows."""
    first = next((line for line in lines if line.strip()), "")
    width = shapes.indent(first)
    return [_cut(line, width) for line in lines]


def _cut(line: str, width: int) -> str:
    if not line.strip():
        return ""
    if line[:width] == " " * width:
        return line[width:]
    lead = line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4)
    return lead[width:] + line.lstrip(" \t")


class Body:
    """Canonical lines in the making; `is_open` tells of a fence that nothing closed.

    With `is_free` each line of prose is a bullet of its own, as in an import block.
    """

    def __init__(self, lines: Sequence[str], *, is_free: bool = False) -> None:
        self.is_open = False
        self._is_free = is_free
        self._after_heading = False
        self._lines: list[str] = []
        self._fence = _Fence()
        for line in dedented(lines):
            self._add(line)
        if self._fence.mark:
            self.is_open = True
            self._lines.append(" " * self._fence.width + self._fence.mark)

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(_trimmed(self._lines))

    def _add(self, line: str) -> None:
        if self._fence.mark:
            self._lines.append(self._of_code(line))
            return
        made = self._of_text(line.strip(), shapes.indent(line))
        if made is None or shapes.is_rule(made):
            return
        if not made and not (self._lines and self._lines[-1]):
            return  # one empty line at most, and none in front
        self._fence.holds(made)
        self._lines.append(made)

    def _of_code(self, line: str) -> str:
        """A line of code, at least as far in as its fence: so it is code wherever it stands."""
        lead = " " * self._fence.width
        if self._fence.closes(line):
            self._fence.mark = ""
            return lead + line.strip(" \t")
        if not line.strip():
            return ""
        if _CONFLICTED.match(line):
            return f" {lead}{line}"
        return line if line.startswith(lead) else lead + line.lstrip(" ")

    def _of_text(self, text: str, width: int) -> str | None:
        """The line in canonical form, None for one that says nothing."""
        if not text:
            return ""
        if shapes.is_rule(text):
            return None
        lead = " " * (width if self._lines and width >= _NESTED else 0)
        is_first, self._after_heading = self._after_heading, False
        heading = blocks.heading_of(_bytes(text)) if text[0] == "#" else None
        if heading:
            self._after_heading = True
            return _strong(lead, heading[1].decode("utf-8", "surrogatepass"))
        if _FENCE.match(lead + text):
            return lead + text
        if text.startswith("<!--") or _CONFLICTED.match(lead + text):
            return f"{lead}- {text}"
        item = shapes.bullet(text)
        if item is not None:
            return _item(lead, text, item)
        if text[0] in "|>" or lead:
            return lead + text
        return f"- {text}" if is_first else self._prose(text)

    def _prose(self, text: str) -> str:
        """A line of prose at the left: it goes on with the line above, or is a bullet."""
        above = self._lines[-1] if self._lines else ""
        known = shapes.label(text)
        is_more = above and not self._is_free and above.lstrip()[0] not in "|>`~"
        return f"- {text}" if not is_more or (known and known.field) else f"  {text}"


def _trimmed(lines: list[str]) -> list[str]:
    """The lines without the empty ones around them."""
    first = next((at for at, line in enumerate(lines) if line), len(lines))
    last = next((at for at, line in enumerate(reversed(lines)) if line), 0)
    return lines[first : len(lines) - last]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _strong(lead: str, text: str) -> str | None:
    bare = text.strip()
    if not bare:
        return None
    return f"{lead}- {bare}" if "**" in bare else f"{lead}- **{bare}**"


def _item(lead: str, text: str, item: str) -> str | None:
    if not item:
        return None
    return lead + text if shapes.is_ordered(text) else f"{lead}- {item}"


class Fields:
    """What the first-level bullets of a body say in labels that are known, and the rest.

    `lines` is the body without those that are a field and nothing else. `odd` are labels
    whose value is none that can be.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.values: dict[str, list[str]] = {}
        self.odd: list[shapes.Label] = []
        pairs = list(code(_in_one_line(lines)))
        labels = {
            found.field for line, is_code in pairs if not is_code for found in _of(line)
        }
        self._open = TAKEN - {
            name for name, other in _ONLY_WITH.items() if other not in labels
        }
        kept = []
        for (line, is_code), is_alone in zip(pairs, _alone(pairs), strict=True):
            if is_code or not self._takes(line, is_alone=is_alone):
                kept.append(line if is_code else _unescaped(line))
        self.lines = tuple(_trimmed(kept))

    def _takes(self, line: str, *, is_alone: bool) -> bool:
        """Whether a line is only a field, which then need not stand in the body."""
        found = next(_of(line), None)
        if not found or found.field not in self._open or not found.value:
            return False
        if found.field in self.values and found.field not in _SEVERAL:
            return False
        value, is_whole = _value(found)
        if value:
            self.values.setdefault(found.field, []).append(value)
        elif found.field in ("confidence", "keep"):
            self.odd.append(found)
        return bool(value) and is_whole and is_alone

    def first(self, *names: str) -> str:
        """The first value of the first of these fields that has one."""
        return next((self.values[name][0] for name in names if name in self.values), "")

    def every(self, name: str) -> list[str]:
        return self.values.get(name, [])


def _alone(pairs: Sequence[tuple[str, bool]]) -> list[bool]:
    """Of each line, whether nothing further in stands below it, empty lines apart."""
    found, below = [], ""
    for line, _ in reversed(pairs):
        found.append(not below.startswith(" "))
        below = line or below
    return found[::-1]


def _of(line: str) -> Iterator[shapes.Label]:
    """The label of a first-level bullet that may be a field."""
    found = shapes.label(line[2:]) if line.startswith("- ") else None
    if found and found.field in TAKEN and not found.escapes:
        yield found


def _in_one_line(lines: Sequence[str]) -> Iterator[str]:
    """The lines, a label `Files:` with a list of nothing but paths below it made one line."""
    at = 0
    while at < len(lines):
        line, at = lines[at], at + 1
        found = next(_of(line), None)
        if found and found.field == "file" and not found.value:
            end = next(
                (n for n in range(at, len(lines)) if lines[n][:1] != " "), len(lines)
            )
            below = [shapes.bullet(one) for one in lines[at:end]]
            if below and all(
                one and paths.paths(one, is_strict=True)[1] for one in below
            ):
                line, at = f"{line} {', '.join(filter(None, below))}", end
        yield line


def is_field(text: str) -> bool:
    """Whether the text of a bullet says something about an entry, and is none by itself."""
    found = shapes.label(text)
    if not found or not found.field or not found.value:
        return False
    if found.field in TAKEN:
        return bool(_value(found)[0])
    return found.field in _TOLD


def _value(found: shapes.Label) -> tuple[str, bool]:
    """The value as it counts, "" for one that is none, and whether nothing else is said."""
    said, field = found.value, found.field
    if field == "confidence":
        return values.confidence(said), not values.has_comment(said)
    if field == "status":
        return values.status(said), not values.has_comment(said)
    if field in ("timestamp", "recorded"):
        return values.moment(said), True
    if field == "keep":
        first = said.split()[0].strip("*_`").casefold()
        return (first if first in words.KEEP else ""), len(said.split()) == 1
    if field == "part":
        return shapes.part_of(said), True
    if field == "file":
        named, is_whole = paths.paths(said, is_strict=True)
        return "\n".join(named), is_whole
    target = values.superseded(said).target if field == "supersedes" else said
    return ("" if shapes.is_placeholder(target) else said), True


def _unescaped(line: str) -> str:
    """A bullet whose label was kept from being a field, as it was before (`escaped`)."""
    found = shapes.label(line[2:]) if line.startswith("- ") else None
    if not found or found.field not in TAKEN or not found.escapes:
        return line
    return re.sub(r"\\(?=\s*[:：])", "", line, count=1)


def escaped(lines: Sequence[str]) -> list[str]:
    """Canonical lines as they are written, so that none of them is read as a field."""
    return [line if is_code else _escaped(line) for line, is_code in code(lines)]


def _escaped(line: str) -> str:
    found = shapes.label(line[2:]) if line.startswith("- ") else None
    if not found or found.field not in TAKEN:
        return line
    return re.sub(r"(?=[:：])", r"\\", line, count=1)
