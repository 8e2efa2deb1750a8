"""Files that a branch brings into `.ai/local`: moved aside before anything reads them.

Git overwrites ignored files when it checks out a branch that tracks them, so the
stamp of the half is not enough. Git is asked once for each state of the index. Part
of a hook's path: standard library only.
"""

import os

from afterword.errors import GitError
from afterword.store import atomic
from afterword.store.layout import Store

# In the git directory: the status of the index when it was last looked at.
KEY_NAME = "afterword-index"


def set_aside(store: Store) -> str:
    """Move what git tracks below `.ai/local` to `.ai/local-<hex>`; what is said about it, or ""."""
    kept = os.path.join(store.place.git_dir, KEY_NAME)
    key = _key(os.path.join(store.place.git_dir, "index"))
    if key == _kept(kept):
        return ""
    moved = _move(store)
    try:
        atomic.write(kept, key, durable=False)
    except OSError:
        return moved  # a sandbox: the next hook looks again
    return moved


def _key(index: str) -> bytes:
    try:
        status = os.stat(index)
    except OSError:
        return b"-"
    return f"{status.st_mtime_ns}.{status.st_size}.{status.st_ino}".encode()


def _kept(path: str) -> bytes:
    try:
        return atomic.read(path, limit=200) or b""
    except OSError:
        return b""


def _move(store: Store) -> str:
    from afterword.store.git import program

    try:
        listed = program.run(store.place, "ls-files", "-z", "--", ".ai/local")
    except GitError:
        return ""  # no git, no checkout by git either; asked again with the next index
    names = [os.fsdecode(name) for name in listed.split(b"\0") if name]
    present = [
        name for name in names if os.path.lexists(os.path.join(store.root, name))
    ]
    if not present:
        return ""
    aside = f"{store.local}-{os.urandom(4).hex()}"
    for name in present:
        target = os.path.join(aside, os.path.relpath(name, ".ai/local"))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.rename(os.path.join(store.root, name), target)
    folder = os.path.basename(aside)
    return (
        f"{len(present)} files of .ai/local came with a branch: moved to .ai/{folder}"
    )
