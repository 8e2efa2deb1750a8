"""Merge markers in a file of ours: told by line, so that no command reads past them.

git leaves them where two branches wrote what the driver would not guess between
(HAZARDS H44). The rule itself is front matter's, which refuses to parse past them.
"""

from __future__ import annotations

from afterword.store import frontmatter


def first_line(data: bytes) -> int:
    """The number of the first line that opens or closes a conflict; 0 where there is none.

    `=======` alone is a heading in Markdown and proves nothing.
    """
    return frontmatter.find_markers(data) or 0
