"""Whether `.ai/local` is this worktree's own, or came along with a clone.

`local/.stamp` must equal the value kept in the git directory of the worktree: a
clone can plant files, but nothing in a git directory. Part of a hook's path.
"""

import os
import time

from afterword.errors import UnsafePath
from afterword.store import planted
from afterword.store.layout import STAMP_NAME, Store
from afterword.store.locks import wait_lock

STAMP = ".stamp"
CLAIM_WAIT = 0.5
# What must be a folder or absent: a link in its place would lead our writing away.
FOLDERS = (
    "ledger",
    "ledger/closed",
    "open",
    "locks",
    "cache",
    "batch",
    "acts",
    "unfinished",
)


def ours(store: Store) -> bool:
    """Whether the local half exists, holds no symlink on its way, and carries our stamp."""
    return _is_stamped(store) and not _odd_folders(store.local)


def _is_stamped(store: Store) -> bool:
    local = store.local
    real_root = os.path.realpath(store.root)
    if os.path.realpath(local) != os.path.join(real_root, ".ai", "local"):
        return False
    mine = _read(os.path.join(store.place.git_dir, STAMP_NAME))
    return bool(mine) and _read(os.path.join(local, STAMP)) == mine


def claim(store: Store) -> str:
    """Make the local half ours; returns what had to be said about it, or "".

    A half that is not ours is moved aside, never read. One that only lacks the
    value in the git directory (it was made inside a sandbox that cannot write
    there) is taken over if git tracks nothing in it. `OSError` when the disk refuses.
    """
    local = store.local
    if os.path.lexists(os.path.join(store.ai, ".git")):
        raise UnsafePath(
            f"{store.ai}: is a repository of its own, nothing is kept there"
        )
    if _is_stamped(store):
        said = planted.set_aside(store)
        return said or _set_aside(store, _odd_folders(local))
    if os.path.realpath(store.ai) != os.path.join(os.path.realpath(store.root), ".ai"):
        raise UnsafePath(f"{store.ai}: leads out of the repository")
    # One at a time: what looks planted may be what another process of ours just made.
    descriptor = os.open(store.place.git_dir, os.O_RDONLY)
    try:
        wait_lock(descriptor, CLAIM_WAIT)
        said = "" if _is_stamped(store) else _make(store)
        return said or planted.set_aside(store)
    finally:
        os.close(descriptor)


def _make(store: Store) -> str:
    local, said = store.local, ""
    if os.path.lexists(local) and not adoptable(store):
        aside = f"{local}-{os.urandom(4).hex()}"
        os.rename(local, aside)
        said = f"{store.relative(local)} was not made by this worktree: moved to {os.path.basename(aside)}"
    os.makedirs(local, exist_ok=True)
    kept = os.path.join(store.place.git_dir, STAMP_NAME)
    value = _settled(os.path.join(local, STAMP), _read(kept) or os.urandom(16).hex())
    try:
        _replace(kept, value)
    except OSError:
        # A sandbox that lets an agent write in the workspace only: the next hook,
        # which runs outside it, completes the stamp.
        return said
    return said


def _odd_folders(local: str) -> "list[str]":
    """Those of our folders that are something else: a link, a file, a FIFO."""
    odd = []
    for name in FOLDERS:
        try:
            mode = os.lstat(f"{local}/{name}").st_mode
        except OSError:
            continue
        if mode & 0o170000 != 0o040000:
            odd.append(name)
    return odd


def _set_aside(store: Store, odd: "list[str]") -> str:
    """Rename what stands in a folder's place; what is said about it, or ""."""
    for name in odd:
        path = store.local_path(name)
        os.rename(path, f"{path}-{os.urandom(4).hex()}")
    return f"not folders, moved aside: {', '.join(odd)}" if odd else ""


def adoptable(store: Store) -> bool:
    """A plain directory without a planted file: no value in the git directory yet, nothing tracked."""
    if os.path.islink(store.local) or not os.path.isdir(store.local):
        return False
    names = os.listdir(store.local)
    if not names:
        return True
    mine = _read(os.path.join(store.place.git_dir, STAMP_NAME))
    if mine:
        # Another process of ours may be making it this very moment.
        return names == [STAMP] and _read(os.path.join(store.local, STAMP)) in (
            "",
            mine,
        )
    from afterword.store.git import program

    listed = program.run(store.place, "ls-files", "-z", "--", ".ai/local")
    return not listed


def _settled(path: str, fresh: str) -> str:
    """The value of a stamp that is made once, whoever comes first; `fresh` where none is there."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    try:
        descriptor = os.open(path, flags, 0o644)
    except FileExistsError:
        for _ in range(25):
            value = _read(path)
            if value:
                return value
            time.sleep(0.002)  # its maker is about to write it
        _replace(path, fresh)  # its maker was killed
        return fresh
    _fill(descriptor, fresh)
    return fresh


def _read(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        return os.read(descriptor, 200).decode("ascii", "replace").strip()
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def _replace(path: str, value: str) -> None:
    """Write a stamp whole, so that no reader meets half of one."""
    temp = f"{path}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    _fill(os.open(temp, flags, 0o644), value)
    os.replace(temp, path)


def _fill(descriptor: int, value: str) -> None:
    try:
        os.write(descriptor, value.encode() + b"\n")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
