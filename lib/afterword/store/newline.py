"""Which line end a file uses, so that what we add to it uses the same. Imports nothing."""

from __future__ import annotations


def newline_of(data: bytes) -> bytes:
    r"""The line end that most lines have: `\r\n`, `\n` or `\r`; `\n` when there is none."""
    crlf = data.count(b"\r\n")
    counts = {
        b"\n": data.count(b"\n") - crlf,
        b"\r\n": crlf,
        b"\r": data.count(b"\r") - crlf,
    }
    return max(counts, key=lambda end: counts[end])
