"""The `.gitattributes` beside governed files of an adopted tree.

The merge driver serves them as it serves our own. Line ends are fixed only where they
are LF already: a file that git holds with CRLF stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable

from afterword.errors import UnsafePath
from afterword.install import repository, tree
from afterword.install.adopt.adoption import Governed
from afterword.install.parts import Part
from afterword.store import atomic

_MERGED = "merge=afterword"
_LF = "text eol=lf"


def parts(root: str, governed: Iterable[Governed]) -> list[Part]:
    """The attributes of each folder as they should be now."""
    places = list(governed)
    ends = f"{_MERGED} {_LF}" if _is_lf(root, places) else _MERGED
    return [
        tree.attributes(
            root,
            place.folder,
            tuple(f"{pattern} {ends}" for pattern in place.patterns),
            lf=ends != _MERGED,
        )
        for place in places
    ]


def any_form(root: str, governed: Iterable[Governed]) -> list[Part]:
    """The same files, to be taken out of the worktree whatever they say."""
    return [tree.attributes(root, place.folder, ()) for place in governed]


def _is_lf(root: str, places: list[Governed]) -> bool:
    """Whether no governed file of the tree has a CR, asked of git's index first.

    One verdict for the whole tree: a queue and its archive hold the same blocks, and
    their bytes are compared. What git takes for binary is looked at itself.
    """
    names = [
        f"{place.folder}/{pattern}"
        for place in places
        for pattern in (*place.patterns, ".gitattributes")
    ]
    return all(
        ends in ("lf", "none") or (ends == "-text" and _no_cr(root, name))
        for name, ends in repository.line_ends(root, names).items()
    )


def _no_cr(root: str, name: str) -> bool:
    try:
        return b"\r" not in (atomic.read(f"{root}/{name}") or b"")
    except (OSError, UnsafePath):
        return False
