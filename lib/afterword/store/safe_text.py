"""Text of strangers made safe: for a line, a terminal, the briefing, a file name.

What the store holds was written by agents and by other people's branches (DESIGN
12, HAZARDS H62, H65). Part of a hook's path: no `re`, tables of a few hundred entries. Imports
`store.digest` (when a name has to change), `store.jsonline` and `store.markup` only.
"""

from __future__ import annotations

from afterword.store import jsonline

_CONTROLS = [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029]
_BREAK = dict.fromkeys(_CONTROLS, "\n")

# Characters that a reader does not see: bidi controls, zero-width and joining
# marks, fillers, variation selectors, tags, annotation marks, non-characters.
_UNSEEN = [
    *(0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0),
    *range(0x180B, 0x1810),
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xFDD0, 0xFDF0),
    *range(0xFE00, 0xFE10),
    *range(0xFFF0, 0xFFFD),
    *(0xFFFE, 0xFFFF),
    *range(0x1D173, 0x1D17B),
    *range(0xE0000, 0xE0080),
    *range(0xE0100, 0xE01F0),
]
_UNSEEN_MAP = dict.fromkeys(_UNSEEN, "")
_ANGLES = {0x3C: "\u2039", 0x3E: "\u203a"}

_ESC, _CSI, _BEL, _ST = "\x1b", "\x9b", "\x07", "\x9c"
_STRING_INTRODUCERS = {"\x90", "\x98", "\x9d", "\x9e", "\x9f"}  # DCS SOS OSC PM APC
_MARKERS = ("transcript", "messages", "assistant", "completion", "response")

_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_NAME_FIRST = _LETTERS | frozenset("0123456789")
_NAME = _NAME_FIRST | frozenset("._-")
# What Windows keeps for itself, with any extension and in any case.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789"]
)
RESERVED_NAMES = frozenset(["outside", "readme"])


def one_line(text: str) -> str:
    """The text in one trimmed line: a run of line breaks and controls is one space."""
    lines = jsonline.clean(text).translate(_BREAK).split("\n")
    return " ".join(line.strip() for line in lines if line.strip())


def shown(text: str, limit: int) -> str:
    """One line for a terminal, of at most `limit` characters: the text as it is, visible.

    Gone are controls, terminal sequences and unseen characters, nothing else; a cut is
    shown by an ellipsis. Giving it the result again changes nothing.
    """
    return _cut(_visible(text, limit), limit)


def plain(text: str, limit: int) -> str:
    """One line for the briefing, of at most `limit` characters, without anything active.

    Gone are controls, terminal sequences, unseen characters, HTML and link targets;
    angle brackets become quotation marks, so that `List<int>` stays readable; a cut is
    shown by an ellipsis. Giving it the result again changes nothing.
    """
    from afterword.store import markup

    text = markup.without_html(_visible(text, limit)).translate(_ANGLES)
    text = markup.without_urls(markup.without_links(text))
    return _cut(" ".join(text.split()), limit)


def own_words(message: str) -> str:
    """What an error says, without the path before it and where a link leads.

    Those come from anybody's branch, and a path can spell a sentence: for a briefing.
    """
    place, colon, reason = message.partition(": ")
    line = place.rpartition(":")[2]
    at = f"line {line}: " if line.isdigit() else ""
    return f"{at}{reason.partition(', to ')[0]}" if colon else message


def _visible(text: str, limit: int) -> str:
    text = jsonline.clean(text[: 20 * limit + 1000])  # hostile text may be megabytes
    return one_line(_without_sequences(text).translate(_UNSEEN_MAP))


def _cut(text: str, limit: int) -> str:
    return (
        text
        if len(text) <= limit
        else text[: max(limit - 1, 0)].rstrip() + "\u2026"[:limit]
    )


def _without_sequences(text: str) -> str:
    """Terminal control sequences removed whole, with the strings that they carry."""
    if text.isprintable():
        return text
    kept, at = [], 0
    while at < len(text):
        if text[at] == _ESC or text[at] == _CSI or text[at] in _STRING_INTRODUCERS:
            at = _sequence_end(text, at)
        else:
            kept.append(text[at])
            at += 1
    return "".join(kept)


def _sequence_end(text: str, at: int) -> int:
    """The index behind the sequence that begins at `at` (ECMA-48, 5.4 and 5.6)."""
    first = text[at]
    if first == _ESC and text[at + 1 : at + 2] in ("]", "P", "X", "^", "_"):
        return _string_end(text, at + 2)
    if first in _STRING_INTRODUCERS:
        return _string_end(text, at + 1)
    at += 2 if first == _ESC and text[at + 1 : at + 2] == "[" else 1
    while (
        at < len(text) and " " <= text[at] <= "?" and not _ends_escape(text, at, first)
    ):
        at += 1
    return at + 1 if at < len(text) and " " <= text[at] <= "~" else at


def _ends_escape(text: str, at: int, first: str) -> bool:
    """`ESC 7` and the like end with a digit, which inside a CSI is a parameter."""
    return first == _ESC and text[at - 1] == _ESC and text[at] >= "0"


def _string_end(text: str, at: int) -> int:
    """Behind the terminator; an unterminated string ends with its line."""
    while at < len(text) and text[at] != "\n":
        if text[at] in (_BEL, _ST):
            return at + 1
        if text[at] == _ESC:
            return at + 2 if text[at + 1 : at + 2] == "\\" else at
        at += 1
    return at


def transcript_marker(text: str) -> str:
    """The transcript marker that begins a line of the text, or "" (spec/episodes 4.6).

    Look before the text is made one line: a marker counts at column 0 only.
    """
    for line in text.replace("\r", "\n").split("\n"):
        for marker in _MARKERS:
            if line.startswith(marker) and line[len(marker) : len(marker) + 1] in (
                ":",
                " ",
            ):
                return marker
    return ""


def safe_name(
    text: str, limit: int = 96, reserved: frozenset[str] = RESERVED_NAMES
) -> str:
    """The text as a file name on any system; changed or shortened ones end in `-` + 8 hex.

    Kept as it is when it matches `[A-Za-z0-9][A-Za-z0-9._-]*`, is at most `limit`
    characters long, does not end with a dot, and is neither `reserved` (lower case)
    nor a device of Windows. The hash is of the original, so two texts stay apart.
    """
    if _is_safe(text, limit, reserved):
        return text
    from afterword.store import digest

    words = "".join(
        char if char in _NAME_FIRST or char == "_" else "-"
        for char in text[: 4 * limit]
    )
    name = "-".join(word for word in words.split("-") if word.strip("_"))
    name = name[: limit - 9].strip("-_") or "id"
    return f"{name}-{digest.hexdigest(text.encode('utf-8', 'surrogatepass'))[:8]}"


def _is_safe(text: str, limit: int, reserved: frozenset[str]) -> bool:
    if (
        not text
        or len(text) > limit
        or text[0] not in _NAME_FIRST
        or not _NAME.issuperset(text)
    ):
        return False
    name = text.lower()
    return (
        text[-1] != "."
        and name.partition(".")[0] not in _DEVICES
        and name not in reserved
    )
