"""What is wrong with the bytes of any evolution file: marks, encoding, line ends, fences.

Told, never mended: every reader keeps such bytes as they are. Pure; imports `store`
and `finding` only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from afterword.finding import ERROR, WARNING, Finding
from afterword.store import blocks, merge_markers

MOST = 3  # findings of one kind in one file; what is more is counted
_ENDS = {"LF": rb"(?<!\r)\n", "CRLF": rb"\r\n", "CR": rb"\r(?!\n)"}
_COMMENT_END = b"-->"


def markers(path: str, data: bytes) -> Iterator[Finding]:
    """The first merge marker: a file that has one is read by nobody."""
    line = merge_markers.first_line(data)
    if line:
        yield Finding(
            severity=ERROR,
            code="merge_markers",
            path=path,
            line=line,
            message="holds merge markers",
            fix=f"edit {path}: delete the side that does not hold, and the marker lines"
            f" themselves; then: git add {path}",
        )


def findings(path: str, data: bytes, *, front: bool = True) -> Iterator[Finding]:
    """All about a file without merge markers; `front` where it may have front matter."""
    yield from _nuls(path, data)
    yield from _not_utf8(path, data)
    yield from _line_ends(path, data)
    yield from _unclosed(path, data, front)


def _nuls(path: str, data: bytes) -> Iterator[Finding]:
    count = data.count(0)
    if count:
        noun = "NUL byte" if count == 1 else "NUL bytes"
        yield Finding(
            severity=WARNING,
            code="nul",
            path=path,
            line=blocks.line_number(data, data.index(0)),
            message=f"holds {count} {noun}: grep and git take it for a binary file",
            fix=f"take them out of {path}; afterword keeps them as they are",
        )


def _not_utf8(path: str, data: bytes) -> Iterator[Finding]:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        yield Finding(
            severity=WARNING,
            code="not-utf8",
            path=path,
            line=blocks.line_number(data, error.start),
            message=f"is no UTF-8 at byte {error.start}",
            fix=f"save {path} as UTF-8; afterword keeps its bytes as they are",
        )


def _line_ends(path: str, data: bytes) -> Iterator[Finding]:
    crlf = data.count(b"\r\n")
    lf, cr = data.count(b"\n") - crlf, data.count(b"\r") - crlf
    counts = {"LF": lf, "CRLF": crlf, "CR": cr}
    used = sorted(filter(counts.get, counts), key=lambda name: -counts[name])
    if len(used) > 1:
        odd = re.search(_ENDS[used[-1]], data)
        assert odd is not None  # it was counted
        told = ", ".join(f"{counts[name]} in {name}" for name in used)
        yield Finding(
            severity=WARNING,
            code="line-ends",
            path=path,
            line=blocks.line_number(data, odd.start()),
            message=f"has lines that end in different ways: {told}",
            fix=f"save {path} with one kind of line end; afterword keeps those it has",
        )


def _unclosed(path: str, data: bytes, front: bool) -> Iterator[Finding]:
    left = blocks.unclosed(data, front)
    if left is None:
        return
    line, mark = left
    what = "a comment" if mark == _COMMENT_END else "a code fence"
    below = blocks.line_number(data, len(data.rstrip(b"\r\n"))) - line
    swallowed = f"the {below} lines below are" if below > 1 else "what follows is"
    yield Finding(
        severity=WARNING,
        code="unclosed",
        path=path,
        line=line,
        message=f"{what} is opened here and never closed: {swallowed} read as part of it",
        fix=f"close it with a line {mark.decode()}",
    )


def bounded(found: Iterable[Finding], most: int = MOST) -> list[Finding]:
    """The first findings of each kind in each file, and how many more there are."""
    counts: dict[tuple[str, str], int] = {}
    last: dict[tuple[str, str], Finding] = {}
    kept: list[Finding] = []
    for one in found:
        kind = one.path, one.code
        counts[kind] = counts.get(kind, 0) + 1
        if counts[kind] <= most:
            kept.append(one)
        else:
            last.setdefault(kind, one)
    for kind, one in last.items():
        kept.append(one.replace(message=f"and {counts[kind] - most} more", fix=""))
    return kept
