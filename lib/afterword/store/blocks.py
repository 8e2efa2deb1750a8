r"""The lossless reader of every Markdown file in the store: headings, blocks, nothing lost.

Works on bytes and understands four things: lines (`\n`, `\r\n`, `\r`), headings with
`#`, code fences, HTML comments; and the front matter at the top. All else is kept byte
for byte, also what is no UTF-8. A heading underlined with `---` is text here: in real
logs that line ends a block. Linear in time; imports `re` and the modules of `store`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from afterword.store import template
from afterword.store.newline import newline_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    # A line with its end: from, to, and one of the kinds below.
    Line = tuple[int, int, str]
    # Which headings begin a block: all up to this level, or those that the rule takes.
    Starts = int | Callable[["Heading"], bool]

TEXT, FENCE, COMMENT, FRONT = "text", "fence", "comment", "front"
_BOM = b"\xef\xbb\xbf"
_LINE = re.compile(rb"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
# Also as the first thing in a list item, whose text it ends with.
_FENCE = re.compile(
    rb" {0,3}(?P<list>(?:[-*+]|[0-9]{1,9}[.)]) {1,4})?(?P<mark>`{3,}(?=[^`]*\Z)|~{3,})"
)
_FENCE_END = re.compile(rb" {0,3}(`{3,}|~{3,})[ \t]*(?:\r\n?|\n)?\Z")
_COMMENT_END = b"-->"
_SPACE = ord(" ")
# What a line begins with that opens a fence or a comment; the first also in a list.
_MAY_OPEN, _MAY_LIST = b" `~<", b"-*+0123456789"
_COMMENT = re.compile(rb" {0,3}<!--")
_NO_FRONT = re.compile(rb"(?:^|\r) {0,3}(?:#{2,6}[ \t]|\|)", re.MULTILINE)


class Record:
    """Frozen and small: a large file has many, and a `Model` needs four times the memory."""

    __slots__: tuple[str, ...] = ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name}")

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        pairs = zip(self.__slots__, self._values(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in pairs)})"


class Heading(Record):
    """A heading: level 1 to 6, its text without marks, the span of its line with its end."""

    __slots__ = ("end", "level", "start", "text")
    level: int
    text: bytes
    start: int
    end: int

    def __init__(self, level: int, text: bytes, start: int, end: int) -> None:
        self._set(level=level, text=text, start=start, end=end)


class Block(Record):
    """A heading and what follows it; the first block of a file may have none.

    The heading's span is counted from the beginning of `raw`.
    """

    __slots__ = ("heading", "raw")
    raw: bytes
    heading: Heading | None

    def __init__(self, raw: bytes, heading: Heading | None = None) -> None:
        self._set(raw=raw, heading=heading)


def lines(data: bytes, front: bool = True) -> Iterator[Line]:
    """Every line with its kind; the lines that open and close a fence or comment are of it.

    An open fence or comment goes on to the end of the text, as in any Markdown reader.
    Front matter is one `line`; without `front` none is looked for (parts of a file).
    """
    for start, end, kind, _ in _scan(data, front):
        yield start, end, kind


def _scan(data: bytes, front: bool = True) -> Iterator[tuple[int, int, str, bytes]]:
    """The lines, and what is still open behind each: the mark that would close it.

    The mark of a fence in a list item is indented as far as the item's text.
    """
    span = template.front_span(data) if front else None
    at = span[2] if span else len(_BOM) if data.startswith(_BOM) else 0
    if at:
        yield 0, at, FRONT, b""
    mark = b""
    for found in _LINE.finditer(data, at):
        line = found.group()
        if not mark or _ends_list(line, mark):
            kind, mark = _opened(line)
        elif _closes(line, mark):
            mark = b""
        yield found.start(), found.end(), kind, mark


def _opened(line: bytes) -> tuple[str, bytes]:
    """The kind of a line of text, and the mark that closes what it leaves open."""
    if line[0] not in _MAY_OPEN and (
        line[0] not in _MAY_LIST or (b"```" not in line and b"~~~" not in line)
    ):
        return TEXT, b""
    if fence := _FENCE.match(line):
        indent = fence.start("mark") if fence["list"] else 0
        return FENCE, b" " * indent + fence["mark"]
    if opening := _COMMENT.match(line):
        # `<!-->` is a whole comment: its end may use the dashes of its beginning
        whole = _COMMENT_END in line[opening.end() - 2 :]
        return COMMENT, b"" if whole else _COMMENT_END
    return TEXT, b""


def _closes(line: bytes, mark: bytes) -> bool:
    if mark == _COMMENT_END:
        return mark in line
    bare = mark.lstrip(b" ")
    found = _FENCE_END.match(line[len(mark) - len(bare) :])
    return found is not None and found.group(1).startswith(bare)


def _ends_list(line: bytes, mark: bytes) -> bool:
    """Whether a line ends the list item that holds the open fence, and the fence with it."""
    if mark[0] != _SPACE or not line.strip():
        return False
    lead = line[: len(line) - len(line.lstrip(b" \t"))]
    return len(lead.expandtabs(4)) < len(mark) - len(mark.lstrip(b" "))


def has_front(data: bytes) -> bool:
    """Whether a file that begins with `---` begins with front matter, and not with a rule.

    Between the two lines of front matter stands no heading of level 2 or more, and no
    row of a table. For files that hold items or rows, so that none of them is hidden.
    """
    span = template.front_span(data)
    return span is None or not _NO_FRONT.search(data, span[0], span[1])


def headings(data: bytes, front: bool = True) -> Iterator[Heading]:
    """The headings outside fences, comments and front matter, in order."""
    for start, end, kind in lines(data, front):
        if kind == TEXT and b"#" in data[start : start + 4]:
            found = heading_of(data[start:end])
            if found:
                yield Heading(found[0], found[1], start, end)


def heading_of(line: bytes) -> tuple[int, bytes] | None:
    """Level and text of a heading line: at most three spaces, `#` to `######`, a space.

    For a line of kind `TEXT`; who reads other lines too in one pass needs no second one.
    """
    body = line.rstrip(b"\r\n").lstrip(b" ")
    text = body.lstrip(b"#")
    level = len(body) - len(text)
    indent = len(line.rstrip(b"\r\n")) - len(body)
    if indent > 3 or not 1 <= level <= 6 or text[:1] not in (b"", b" ", b"\t"):
        return None
    text = text.strip(b" \t")
    bare = text.rstrip(b"#")  # closing marks count when they stand apart
    return level, bare.rstrip(b" \t") if bare[-1:] in (b"", b" ", b"\t") else text


def cut(data: bytes, starts: Starts = 6) -> list[Block]:
    """The file in blocks, each up to the next heading that `starts` one; `join` undoes it.

    What stands before the first such heading is a block without heading, left out
    when it is empty.
    """
    found: list[Block] = []
    start, heading = 0, None
    for one in headings(data):
        if _is_start(one, starts):
            if one.start:
                found.append(Block(data[start : one.start], heading))
            start = one.start
            heading = Heading(one.level, one.text, 0, one.end - start)
    if start < len(data):
        found.append(Block(data[start:], heading))
    return found


def _is_start(heading: Heading, starts: Starts) -> bool:
    return heading.level <= starts if isinstance(starts, int) else starts(heading)


def join(blocks: list[Block]) -> bytes:
    """The bytes of the blocks one after the other."""
    return b"".join(block.raw for block in blocks)


def block(raw: bytes) -> Block:
    """Bytes as a block, with the heading that their first line is, if it is one."""
    first = next(headings(raw), None)
    return Block(raw, first if first and first.start == 0 else None)


def section(data: bytes, heading: Heading, any_level: bool = False) -> tuple[int, int]:
    """The span from a heading of `data` to the next of its level or above, or of any level."""
    for one in headings(data):
        if one.start > heading.start and (any_level or one.level <= heading.level):
            return heading.start, one.start
    return heading.start, len(data)


def replace(blocks: list[Block], at: int, raw: bytes) -> list[Block]:
    """The blocks with other bytes at one place, a line end added where one must follow."""
    return insert([*blocks[:at], *blocks[at + 1 :]], at, raw, _newline(blocks))


def insert(
    blocks: list[Block], at: int, raw: bytes, newline: bytes = b""
) -> list[Block]:
    """The blocks with one more before place `at`; its neighbours keep their bytes.

    A block that had no final line end gets one, the file's own, when something now
    follows it.
    """
    end = newline or _newline(blocks)
    before, after = blocks[:at], blocks[at:]
    if before:
        last = before[-1]
        before[-1] = Block(completed(last.raw, end), last.heading)
    return [*before, block(completed(raw, end) if after else raw), *after]


def remove(blocks: list[Block], at: int) -> list[Block]:
    """The blocks without one of them."""
    return [*blocks[:at], *blocks[at + 1 :]]


def append(data: bytes, raw: bytes, blank: bool = True, newline: bytes = b"") -> bytes:
    """The file with a block at its end, its last line completed in its own line end.

    `blank` asks for an empty line between the two; `newline` is the line end to use where
    `data` is only a part of the file.
    """
    newline = newline or newline_of(data or raw)
    whole = completed(data, newline)
    if blank and whole.strip() and not _ends_blank(whole):
        whole += newline
    return whole + raw


def _ends_blank(data: bytes) -> bool:
    """Whether the last line is empty."""
    tail = data[-4:].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return tail.endswith(b"\n\n")


def _newline(blocks: list[Block]) -> bytes:
    return newline_of(join(blocks))


def completed(raw: bytes, newline: bytes) -> bytes:
    """The bytes with a final line end, unless they are empty."""
    return raw if not raw or raw.endswith((b"\n", b"\r")) else raw + newline


def finished(raw: bytes, newline: bytes, front: bool = True) -> bytes:
    """Completed bytes that leave nothing open: what follows them is not swallowed."""
    whole = completed(raw, newline)
    left = unclosed(whole, front)
    return whole + left[1] + newline if left else whole


def unclosed(data: bytes, front: bool = True) -> tuple[int, bytes] | None:
    """The line (from 1) of a fence or comment that nothing closes, and what would close it."""
    opening, open_mark = 0, b""
    for start, _, _, mark in _scan(data, front):
        if mark and not open_mark:
            opening = start
        open_mark = mark
    return (line_number(data, opening), open_mark) if open_mark else None


def lowered(raw: bytes, above: Starts = 2, to: int = 4) -> tuple[bytes, int]:
    """Given text with some headings made level `to`, and how many; part of a file.

    `above` is the level down to which they are lowered, or the rule that takes them.
    """
    kept, at, count = [], 0, 0
    for one in headings(raw, front=False):
        if _is_start(one, above):
            marks = raw.index(b"#", one.start)
            kept += [raw[at:marks], b"#" * to]
            at, count = marks + one.level, count + 1
    return b"".join([*kept, raw[at:]]), count


def with_newline(raw: bytes, newline: bytes) -> bytes:
    """The bytes with every line end made this one."""
    text = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return text if newline == b"\n" else text.replace(b"\n", newline)


def normalised(raw: bytes) -> bytes:
    """What two copies of a block have in common: LF ends, no empty lines around it."""
    text = with_newline(raw, b"\n")
    kept = text.split(b"\n")
    while kept and not kept[-1].strip():
        kept.pop()
    while kept and not kept[0].strip():
        kept.pop(0)
    return b"\n".join(kept) + b"\n" if kept else b""


def line_number(data: bytes, at: int) -> int:
    """The line, from 1, of a place in the file, for messages."""
    before = data[:at]
    return before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1
