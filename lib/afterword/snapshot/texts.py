"""Lines of text in a target file: in one line, safe below a heading, a person's or not.

What increments and persons wrote may hold anything; here it is made to stand where it
cannot be taken for something else. Pure; imports `metadata`, `fact` and `store` only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from afterword.snapshot import metadata
from afterword.snapshot.fact import normalised
from afterword.store import blocks, jsonline

_QUOTE = "> "
# What headings, fences and comments are made of: text without it needs no closer look.
_STRUCTURE = ("#", "```", "~~~", "<!--")
_LABELLED = re.compile(
    r"[-*+]\s{1,8}([^:：\s][^:：]{0,59}?)\s{0,8}[:：]\s*(.*)\Z", re.DOTALL
)
_BULLET = re.compile(r"[-*+]\s")


def one_line(text: str) -> str:
    """Text in one line, as it can be written as UTF-8."""
    return " ".join(part.strip() for part in re.split(r"[\r\n]+", text)).strip()


def without_ends(text: str) -> str:
    """Text without line ends, everything else in place."""
    return re.sub(r"[\r\n]", " ", text)


def is_bullet(line: str) -> bool:
    """Whether a line is a bullet of the first level."""
    return _BULLET.match(line) is not None


def label(line: str) -> str:
    """The label of a first-level bullet `- label: text`, "" for any other line."""
    found = _LABELLED.match(line)
    return normalised(found.group(1)) if found else ""


def value(line: str) -> str:
    """What stands behind the label of a bullet."""
    found = _LABELLED.match(line)
    return found.group(2).strip() if found else ""


def safe(lines: Sequence[str], level: int) -> list[str]:
    """Lines as they can stand below a heading of that level and above metadata.

    As they are wherever they leave nothing open and begin nothing new; else quoted.
    """
    plain = list(lines)
    while plain and not plain[-1].strip():
        plain.pop()
    return plain if _is_contained(plain, level) else quoted(plain)


def quoted(lines: Sequence[str]) -> list[str]:
    """Lines as a quotation, which no reader takes for structure."""
    return [f"{_QUOTE}{without_ends(line)}".rstrip() for line in lines]


def _is_contained(lines: Sequence[str], level: int) -> bool:
    text = "".join(f"{line}\n" for line in lines)
    if "\r" in text or text.count("\n") != len(lines):
        return False
    if text.isascii() and not any(mark in text for mark in _STRUCTURE):
        return True
    data = encoded(text)
    if decoded(data) != text:
        return False
    if b"<!--" in data and any(metadata.is_like(line) for line in lines):
        return False
    if blocks.unclosed(data, front=False):
        return False
    return all(one.level > level for one in blocks.headings(data, front=False))


def encoded(text: str) -> bytes:
    """Text as bytes of a file: those that were no UTF-8 are what they were."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return jsonline.clean(text).encode()


def decoded(data: bytes) -> str:
    """The text of bytes, which `encoded` undoes whatever they are."""
    return data.decode("utf-8", "surrogateescape")


def without(lines: Iterable[str], shown: Sequence[str]) -> list[str]:
    """The lines of a person: those of `lines` that are not `shown` there in order."""
    found, own = list(lines), list(shown)
    if found == own:
        return []
    if found[: len(own)] == own:
        return _trimmed(found[len(own) :])
    import difflib

    matcher = difflib.SequenceMatcher(None, own, found, autojunk=False)
    added: list[str] = []
    for operation, _, _, start, end in matcher.get_opcodes():
        if operation in ("insert", "replace"):
            added += found[start:end]
    return _trimmed(added)


def _trimmed(lines: list[str]) -> list[str]:
    """Without empty lines around them."""
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    return lines
