"""Our lines in a file of lines that others may share (`.gitattributes`, `info/exclude`).

They stand between two mark lines, so that they can be found, renewed and taken out
while everything around them stays byte for byte. Pure: bytes in, bytes out.
"""

from __future__ import annotations

BEGIN = b"# afterword: begin (written by install.py, taken out by --uninstall)"
END = b"# afterword: end"
# Said in the mark itself, because taking our lines out must not leave a newline behind.
_JOINED = b" [no newline stood before this line]"


def put(data: bytes | None, lines: list[str]) -> bytes:
    """The file with our lines at its end, or in place of those that stand there."""
    before, after, found = _around(data or b"")
    end = b"\r\n" if b"\r\n" in (found or before) else b"\n"
    joined = found is None and bool(before) and not before.endswith(b"\n")
    begin = BEGIN + _JOINED if joined or (found and _JOINED in found) else BEGIN
    block = end.join([begin, *(line.encode() for line in lines), END]) + end
    return before + (end if joined else b"") + block + after


def lines_in(data: bytes | None) -> list[str]:
    """The lines of ours that the file holds now."""
    found = _around(data or b"")[2]
    inner = found.splitlines()[1:-1] if found else []
    return [line.decode(errors="replace") for line in inner]


def take_out(data: bytes) -> bytes:
    """The file without our lines; without our marks it comes back as it is."""
    before, after, found = _around(data)
    if found is not None and _JOINED in found.splitlines()[0]:
        # A lone CR before it was the file's own, unless the block itself has CRLF.
        mark = found[: found.index(b"\n") + 1]
        before = before.removesuffix(b"\r\n" if mark.endswith(b"\r\n") else b"\n")
    return before + after


def _around(data: bytes) -> tuple[bytes, bytes, bytes | None]:
    """What stands before and after our block, and the block; all before when there is none."""
    start, limit = data.rfind(BEGIN), len(data)
    while start >= 0:
        end = data.find(END, start, limit)
        if end >= 0 and data[start - 1 : start] in (b"", b"\n"):
            newline = data.find(b"\n", end)
            stop = len(data) if newline < 0 else newline + 1
            return data[:start], data[stop:], data[start:stop]
        # A block without its end: a person or a torn write; it is not ours to judge.
        start, limit = data.rfind(BEGIN, 0, start), start
    return data, b"", None
