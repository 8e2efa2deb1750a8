"""Whether the memory can be written at all, and whether its local half is still there.

Told without writing: from the file system's flags, the room left, and the rights of
folders and files (HAZARDS H32, H33, H46).
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from afterword.doctor.scene import Scene
from afterword.episode import ledger, opened
from afterword.finding import ERROR, INFO, WARNING, Finding
from afterword.store import stamp
from afterword.store.layout import STAMP_NAME

# What an end with a handful of candidates takes, with room for a ledger to grow.
LEAST_BYTES = 1 << 20
LEAST_FILES = 16
_GONE = (
    "the ledgers of this worktree with what no derivation had read, its open episodes,"
    " the active task and the open questions"
)


def check(scene: Scene) -> Iterator[Finding]:
    """Each folder that hooks write to: writable, on a writable file system, with room."""
    said: set[tuple[str, str]] = set()
    for folder in _folders(scene):
        for code, message, fix in _judge(scene, folder):
            if (code, message) not in said:
                said.add((code, message))
                yield Finding(
                    severity=ERROR,
                    code=code,
                    path=scene.shown(folder),
                    message=message,
                    fix=fix,
                )
    yield from _files(scene)


def _folders(scene: Scene) -> list[str]:
    """The folders themselves, or where one is missing, what it would be made in."""
    store = scene.store
    local = [store.local_path(name) for name in ("ledger", "open", "locks", "batch")]
    wanted = [store.ai, store.local, *local, *scene.folders]
    return list(dict.fromkeys(_existing(folder) for folder in wanted))


def _existing(path: str) -> str:
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return path


def _judge(scene: Scene, folder: str) -> Iterator[tuple[str, str, str]]:
    if not os.path.isdir(folder):
        yield (
            "not-a-folder",
            f"{scene.shown(folder)} is not a folder",
            f"move {scene.shown(folder)} away",
        )
        return
    status = os.statvfs(folder)
    if status.f_flag & os.ST_RDONLY:
        yield (
            "read-only",
            "lies on a file system that is mounted read-only: nothing can be remembered",
            "mount it for writing",
        )
    elif not os.access(folder, os.W_OK | os.X_OK):
        yield (
            "read-only",
            f"{scene.shown(folder)} cannot be written to by this user",
            f"chmod u+rwx '{scene.shown(folder)}', or give it back to yourself",
        )
    if status.f_bavail * status.f_frsize < LEAST_BYTES:
        left = status.f_bavail * status.f_frsize // 1024
        yield "disk-full", f"only {left} KiB are left on this disk", "make room"
    elif status.f_files and status.f_favail < LEAST_FILES:
        yield "disk-full", "no more files can be made on this disk", "make room"


def _files(scene: Scene) -> Iterator[Finding]:
    """The files that the next event appends to."""
    if not scene.is_ours:
        return
    store = scene.store
    names = [ledger.OUTSIDE, *(episode.episode for episode in opened.every(store))]
    paths = [ledger.path_of(store, name) for name in names]
    for path in [*paths, store.local_path("state.json"), store.local_path("rounds")]:
        if os.path.exists(path) and not os.access(path, os.W_OK):
            yield Finding(
                severity=ERROR,
                code="read-only",
                path=scene.shown(path),
                message="cannot be written to by this user: its next line is lost",
                fix=f"chmod u+w '{scene.shown(path)}'",
            )


def check_local(scene: Scene) -> Iterator[Finding]:
    """Whether `.ai/local` is there and this worktree's own; what is gone when it is not."""
    store = scene.store
    was_here = os.path.exists(os.path.join(store.place.git_dir, STAMP_NAME))
    shown = store.relative(store.local)
    if not os.path.lexists(store.local):
        if was_here:
            yield Finding(
                severity=WARNING,
                code="local-gone",
                path=shown,
                message=f"was here and is gone (git clean -x takes it away): {_GONE}",
                fix="nothing brings it back; what is tracked in .ai/repo is not concerned",
            )
        else:
            yield Finding(
                severity=INFO,
                code="unused",
                message="no episode has been in this worktree yet",
            )
    elif not scene.is_ours:
        yield _foreign(scene, shown, was_here=was_here)


def _foreign(scene: Scene, shown: str, *, was_here: bool) -> Finding:
    """A local half without our stamp: what the next event does with it."""
    if not was_here and stamp.adoptable(scene.store):
        return Finding(
            severity=INFO,
            code="unstamped",
            path=shown,
            message="was begun without access to git's directory; the next hook completes it",
        )
    return Finding(
        severity=ERROR,
        code="foreign-local",
        path=shown,
        message="was not made by this worktree, so nothing in it is read; the next event"
        f" moves it aside. If it was yours, this is gone with its stamp: {_GONE}",
        fix=f"look into {shown}; delete it if you do not know it",
    )
