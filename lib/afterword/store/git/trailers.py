"""The trailers of a commit message, by git's own rule, in both readers alike.

git's parser depends on its version and on the repository's configuration; what is
recorded may not, so the rule stands here and a test holds it to git's. Pure, part
of a hook's path.
"""

from afterword.model import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# What a commit may say that becomes a record (DESIGN, "Commit trailers").
KEYS = ("Decision", "Constraint", "Lesson", "Fact")
_BY_LOWER = {key.lower(): key for key in KEYS}
# Lines that git itself writes; one of them makes a mixed paragraph a trailer block.
_GENERATED = ("Signed-off-by: ", "(cherry picked from commit ")
_CUT = "# ------------------------ >8 ------------------------"
_SPACE = " \t\r\n"  # what git calls space; Python's idea is wider
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")


def watched(message: str) -> "tuple[tuple[str, str], ...]":
    """The trailers under one of `KEYS`, capitalised as there, each text in one line."""
    found = []
    for token, value in parse(message):
        key = _BY_LOWER.get(token.lower())
        text = " ".join(value.split())
        if key and text:
            found.append((key, text))
    return tuple(found)


def parse(message: str) -> "Iterator[tuple[str, str]]":
    """Every trailer of the last paragraph: token and value, continuation lines joined."""
    if ":" not in message:
        return
    lines = _lines(message)
    token, value = "", ""
    for line in lines[_block(lines) :]:
        if token and line[:1] in (" ", "\t", "\r", ""):
            value += " " + line
            continue
        if token:
            yield token, value.strip(_SPACE)
        at = separator(line)
        token, value = (
            (line[:at].rstrip(_SPACE), line[at + 1 :]) if at > 0 else ("", "")
        )
    if token:
        yield token, value.strip(_SPACE)


def separator(line: str) -> int:
    """Where the colon after a token stands, -1 when the line has no token before one."""
    spaced = False
    for at, char in enumerate(line):
        if char == ":":
            return at
        if char in _WORD and not spaced:
            continue
        if at and char in " \t":
            spaced = True
            continue
        return -1
    return -1


def _lines(message: str) -> "list[str]":
    """The message's lines without blank ones before it and comments and conflicts after it."""
    lines = message.split("\n")
    last = lines.pop()  # "" where the message ends with a newline, as git writes it
    if _CUT in lines:
        lines, last = lines[: lines.index(_CUT)], ""
    end = _end(lines, last)
    lines = [*lines, last][:end]
    while lines and _is_blank(lines[0]):
        lines.pop(0)
    return lines


def _end(lines: "list[str]", last: str) -> int:
    """Where the closing run of comment lines, empty lines and old conflict notes begins.

    `last` is a line without its newline, which cannot head conflict notes.
    """
    begin, conflicts = 0, False
    for at, line in enumerate([*lines, last] if last else lines):
        if line == "" or line.startswith("#"):
            begin = begin or at
        elif line == "Conflicts:" and at < len(lines):
            conflicts = True
            begin = begin or at
        elif not (conflicts and line.startswith("\t")):
            begin, conflicts = 0, False
    return begin or len(lines) + bool(last)


def _block(lines: "list[str]") -> int:
    """The first line of the trailer block; the number of lines when there is none.

    The last paragraph that is not the title counts when all its lines are trailers, or
    when git generated one of them and a quarter are trailers.
    """
    title = _title_end(lines)
    trailers = others = loose = 0
    generated, only_spaces = False, True
    for at in range(len(lines) - 1, title - 1, -1):
        line = lines[at]
        if line.startswith("#"):
            others, loose = others + loose, 0
        elif _is_blank(line):
            if only_spaces:
                continue
            others += loose
            good = trailers * 3 >= others if generated else trailers and not others
            return at + 1 if good else len(lines)
        else:
            only_spaces = False
            if line.startswith(_GENERATED):
                trailers, loose, generated = trailers + 1, 0, True
            elif line[0] in _SPACE:
                loose += 1
            elif separator(line) >= 1:
                trailers, loose = trailers + 1, 0
            else:
                others, loose = others + loose + 1, 0
    return len(lines)


def _title_end(lines: "list[str]") -> int:
    """The blank line after the first paragraph, which is never a trailer block."""
    for at, line in enumerate(lines):
        if not line.startswith("#") and _is_blank(line):
            return at
    return len(lines)


def _is_blank(line: str) -> bool:
    return not line.strip(_SPACE)
