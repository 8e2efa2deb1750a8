"""The merge driver: what git calls as `merge-driver %O %A %B %P` for a governed file.

Exit 0: %A holds the merge. 1: %A holds it with markers around what contradicts. 2: %A
is untouched and git's own merge has to do it. Writes %A and nothing else, and never
raises: whoever called is in the middle of a merge.
"""

from __future__ import annotations

import os
import sys

from afterword.errors import AfterwordError, GitError
from afterword.merge import kinds, laws
from afterword.merge.laws import Merged
from afterword.model import TYPE_CHECKING
from afterword.store import atomic, layout, merge_markers, safe_text
from afterword.store.git import program

if TYPE_CHECKING:
    from collections.abc import Sequence

CLEAN, CONFLICT, UNTOUCHED = 0, 1, 2
LIMIT = 16 << 20
_MOST_NAMES = 10  # of what is in conflict, in one line
USAGE = "usage: afterword merge-driver BASE OURS THEIRS PATH (git: %O %A %B %P)"


def main(words: Sequence[str]) -> int:
    """Run the driver in the current directory on its four words; the exit code."""
    if len(words) != 4:
        _say(USAGE)
        return UNTOUCHED
    base, ours, theirs, path = words
    try:
        return run(base, ours, theirs, path)
    except Exception as error:
        # Also what nobody expected: git's own merge shows both sides, a traceback would not.
        said = error.message if isinstance(error, AfterwordError) else str(error)
        kind = "" if isinstance(error, (AfterwordError, OSError)) else "unexpected "
        return _left(path, f"{kind}{type(error).__name__}: {said}")


def run(base: str, ours: str, theirs: str, path: str) -> int:
    """Merge three files into `ours`; `path` is the file's own, from the repository's top."""
    versions = [_read(name) for name in (base, ours, theirs)]
    kind = kinds.find(path, os.getcwd())
    fits = laws.unmarked if kind and not kind.is_text else laws.usable
    for name, data in zip(("ours", "theirs"), versions[1:], strict=True):
        if not fits(data):
            return _left(path, f"{name}: {_trouble(data)}")
    first = versions[0] if fits(versions[0]) else b""
    merged = kind.merge(first, versions[1], versions[2]) if kind else None
    if merged is None:
        merged = _by_lines(base, ours, theirs)
    if merged is None:
        return _left(path, "git merge-file could not be asked")
    if merged.data != versions[1]:
        # git has its own copy of both sides: a crash here loses nothing.
        atomic.write(ours, merged.data, durable=False)
    if not merged.conflicts:
        return CLEAN
    _say(_told(path, merged.conflicts))
    return CONFLICT


def _read(name: str) -> bytes:
    data = atomic.read(name, limit=LIMIT + 1)
    if data is None:
        raise FileNotFoundError(f"{name}: no such file")
    if len(data) > LIMIT:
        raise OSError(f"{name}: larger than {LIMIT >> 20} MB")
    return data


def _trouble(data: bytes) -> str:
    line = merge_markers.first_line(data)
    return f"holds merge markers in line {line}" if line else "is not UTF-8 text"


def _by_lines(base: str, ours: str, theirs: str) -> Merged | None:
    """The merge that git makes of any text; None where git cannot be asked.

    Its exit code counts the conflicts, so it is asked again for a text with markers
    only where there is no clean one.
    """
    try:
        place = layout.repository(os.getcwd())
    except AfterwordError:
        return None
    labels = [word for name in ("ours", "base", "theirs") for word in ("-L", name)]
    files = [os.path.abspath(name) for name in (ours, base, theirs)]
    words = ("merge-file", "-p", "-q", *labels, *files)
    try:
        return Merged(data=program.run(place, *words))
    except (program.GitMissing, program.GitTimeout):
        return None
    except GitError:
        pass
    try:
        data = program.run(place, *words, ok=tuple(range(1, 128)))
    except GitError:
        return None
    return Merged(data=data, conflicts=("the same lines",))


def _told(path: str, conflicts: Sequence[str]) -> str:
    shown = safe_text.one_line(path)
    if conflicts[0] in ("id", "session_id"):
        return (
            f"{shown}: two different records met in one file, both are in it whole;"
            " keep one and give the other a file of its own, then git add both"
        )
    names = [safe_text.one_line(name) for name in conflicts[:_MOST_NAMES]]
    more = len(conflicts) - len(names)
    names += [f"{more} more"] if more else []
    return (
        f"{shown}: both sides changed {', '.join(names)};"
        " choose between the markers, then git add it"
    )


def _left(path: str, reason: str) -> int:
    flat = safe_text.one_line(reason)
    _say(f"{safe_text.one_line(path)}: left to git's own merge: {flat}")
    return UNTOUCHED


def _say(text: str) -> None:
    """One line to stderr, which git shows; nobody may be listening."""
    try:
        sys.stderr.write(f"afterword: {text}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return
