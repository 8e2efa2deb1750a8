"""Where a repository lies and what its HEAD names, from files alone.

No git program: a hook that only notes a round cannot afford one. Every function
reads a handful of small files, bounded, and follows nothing that is not a regular
file. Part of a hook's path.
"""

import os
import stat

from afterword.model import TYPE_CHECKING, Model

if TYPE_CHECKING:
    from collections.abc import Iterator

# A FIFO or a device in place of a file must not hold us; text is not translated.
READ = os.O_RDONLY | sum(
    getattr(os, flag, 0) for flag in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
)
_SMALL = 4096
_CHUNK = 1 << 20
# The HEAD that git leaves for programs which do not know reftables.
_REFTABLE = b"ref: refs/heads/.invalid"
_HEX = frozenset(b"0123456789abcdef")
_SHA_LENGTHS = (40, 64)
# git follows five symbolic refs and calls more of them broken.
_CHAIN = 5
# Refs that each worktree keeps for itself (gitrepository-layout, "refs").
_OWN_REFS = ("refs/bisect/", "refs/worktree/", "refs/rewritten/")
_BUSY = (
    ("index.lock", "index.lock"),
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("sequencer", "cherry-pick"),
    ("BISECT_LOG", "bisect"),
)


class GitPlace(Model):
    """A worktree: its root, its own git directory, and the one shared by all worktrees.

    Absolute paths; `git_dir` equals `common_dir` except in a linked worktree.
    """

    root: str
    git_dir: str
    common_dir: str


class Head(Model):
    """What HEAD names: `sha` is None before the first commit, `branch` when detached.

    `branch` is without `refs/heads/`; a HEAD on another kind of ref keeps the full name.
    """

    sha: "str | None"
    branch: "str | None"


def locate(directory: str) -> "GitPlace | None":
    """The worktree whose root is this directory; None when it has no usable `.git`.

    A bare repository is None as well, and so is the folder that holds a `.git` with
    `core.bare` true. Parents are not searched.
    """
    root = os.path.abspath(directory)
    git_dir = _git_dir(root)
    if git_dir is None or not os.path.lexists(git_dir + "/HEAD"):
        return None
    common = read_small(git_dir + "/commondir")
    if common is None:
        if _is_bare(git_dir):
            return None
        return GitPlace(root=root, git_dir=git_dir, common_dir=git_dir)
    common_dir = _join(git_dir, common)
    if not os.path.isdir(common_dir + "/objects"):
        return None
    return GitPlace(root=root, git_dir=git_dir, common_dir=common_dir)


def read_head(place: GitPlace) -> Head:
    """The commit and the branch of this worktree; never fails on a damaged repository.

    Raises `GitError` only for a reftable repository, where files say nothing and the
    git program is asked.
    """
    head = place.git_dir + "/HEAD"
    data = read_small(head) or b""
    if data.startswith(_REFTABLE):
        return _asked(place)
    if not data.startswith(b"ref:"):
        linked = _link(head)
        if linked is None:
            return Head(sha=_sha(data), branch=None)
        data = b"ref:" + linked
    ref = b""
    for _ in range(_CHAIN):
        ref = data[4:].strip()
        if not safe_ref(ref):
            return Head(sha=None, branch=None)
        data = _read_ref(place, ref)
        if not data.startswith(b"ref:"):
            return Head(sha=_sha(data), branch=_short(ref))
    return Head(sha=None, branch=_short(ref))


def busy(place: GitPlace) -> str:
    """What keeps the repository in the middle of something, "" when nothing does.

    One of index.lock, rebase, am, merge, cherry-pick, revert, bisect: the time when no
    tracked file may be changed.
    """
    for name, what in _BUSY:
        if os.path.lexists(f"{place.git_dir}/{name}"):
            return what
    return ""


def exclude_file(place: GitPlace) -> str:
    """The ignore file of this clone, which is never part of a commit."""
    return place.common_dir + "/info/exclude"


def is_reftable(place: GitPlace) -> bool:
    """Whether refs and reflogs lie in tables that only git can read."""
    return (read_small(place.git_dir + "/HEAD") or b"").startswith(_REFTABLE)


def safe_ref(ref: bytes) -> bool:
    """Whether a ref's name stays inside the git directory."""
    return (
        ref.startswith(b"refs/")
        and len(ref) < _SMALL
        and not any(byte < 33 or byte == 127 for byte in ref)
        and not any(part in (b"", b".", b"..") for part in ref.split(b"/"))
    )


def read_small(path: str, limit: int = _SMALL) -> "bytes | None":
    """The first bytes of a regular file, None when there is none; never waits on a FIFO."""
    try:
        handle = os.open(path, READ)
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        return os.read(handle, limit)
    except OSError:
        return None
    finally:
        os.close(handle)


def packed_sha(common_dir: str, ref: bytes) -> bytes:
    """The object of a packed ref, b"" when it is not packed; searched, not parsed."""
    wanted = b" " + ref + b"\n"
    tail = b""
    for chunk in _chunks(common_dir + "/packed-refs"):
        data = tail + chunk
        at = data.find(wanted)
        if at >= 0:
            return data[data.rfind(b"\n", 0, at) + 1 : at]
        tail = data[-(len(wanted) + 2 * max(_SHA_LENGTHS)) :]
    return b""


def _git_dir(root: str) -> "str | None":
    """`.git` as a folder, or the folder that a `.git` file points at."""
    path = root + "/.git"
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return None
    if stat.S_ISDIR(mode):
        return path
    pointer = read_small(path) or b""
    if not pointer.startswith(b"gitdir: "):
        return None
    target = _join(root, pointer[8:])
    return target if os.path.isdir(target) else None


def _join(base: str, data: bytes) -> str:
    """A path as git's pointer files hold it, relative to the folder of the file."""
    return os.path.normpath(os.path.join(base, os.fsdecode(data.rstrip(b"\r\n"))))


def _is_bare(git_dir: str) -> bool:
    """What `core.bare` says; parsed only where the file does not hold git's usual line."""
    data = (read_small(git_dir + "/config", _CHUNK) or b"").lower()
    if data.count(b"bare") == data.count(b"\tbare = false\n"):
        return False
    from afterword.store.git import local_config

    found = local_config.read(git_dir + "/config")
    return local_config.truth(found.get("core.bare", ""))


def _read_ref(place: GitPlace, ref: bytes) -> bytes:
    """The content of a ref, loose before packed; b"" when there is none."""
    name = os.fsdecode(ref)
    home = place.git_dir if name.startswith(_OWN_REFS) else place.common_dir
    loose = read_small(f"{home}/{name}")
    return packed_sha(place.common_dir, ref) if loose is None else loose


def _sha(data: bytes) -> "str | None":
    """The object name at the start of a ref's content."""
    word = data.split(None, 1)[0] if data.strip() else b""
    if len(word) in _SHA_LENGTHS and _HEX.issuperset(word) and word.strip(b"0"):
        return word.decode()
    return None


def _short(ref: bytes) -> str:
    return os.fsdecode(ref).removeprefix("refs/heads/")


def _link(path: str) -> "bytes | None":
    """The ref behind HEAD where it is a symbolic link, as very old repositories have it."""
    try:
        target = os.fsencode(os.readlink(path))
    except (OSError, ValueError):
        return None
    return target if safe_ref(target) else None


def _chunks(path: str) -> "Iterator[bytes]":
    try:
        handle = os.open(path, READ)
    except OSError:
        return
    try:
        while chunk := os.read(handle, _CHUNK):
            yield chunk
    finally:
        os.close(handle)


def _asked(place: GitPlace) -> Head:
    from afterword.store.git import program_reader

    return program_reader.head(place)
