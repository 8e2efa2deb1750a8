"""Merge markers in a file of ours: told by line, so that no command reads past them.

git leaves them where two branches wrote what the driver would not guess between
(HAZARDS H44). Pure; imports `errors` only.
"""

from __future__ import annotations

from afterword.errors import StoreDamaged

_SIGNS = (b"<<<<<<<", b">>>>>>>")


def first_line(data: bytes) -> int:
    """The number of the first line that opens or closes a conflict; 0 where there is none.

    `=======` alone is a heading in Markdown and proves nothing.
    """
    if not any(sign in data for sign in _SIGNS):
        return 0
    for number, line in enumerate(data.splitlines(), 1):
        if line.startswith(_SIGNS) and line.lstrip(line[:1])[:1] in (b"", b" "):
            return number
    return 0


def refuse(data: bytes, path: str) -> None:
    """`StoreDamaged` with file:line when the bytes hold a conflict; nothing was changed."""
    line = first_line(data)
    if line:
        raise StoreDamaged(
            f"{path}:{line}: holds merge markers",
            hint="resolve the conflict in this file, then run the command again",
        )
