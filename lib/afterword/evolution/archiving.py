"""Moving done items and old reflections to their archives, and clearing empty reflections.

The archive is durable before the main file is trimmed: a crash may leave a block in
both, which the next run folds, never in neither (DESIGN 10). What moves is planned by
`queue_archive` and `reflection_log`, which are pure.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from contextlib import ExitStack

from afterword.errors import LockHeld
from afterword.evolution import guarded, queue_archive, reflection_log, words
from afterword.evolution.queue_archive import Moved
from afterword.evolution.reflection import Reflection
from afterword.model import Model
from afterword.store import atomic
from afterword.store.config import Config
from afterword.store.layout import Store, confine
from afterword.store.locks import Lock

# Tried, never waited for: of two archivers the second skips (T1.8, T2.8, A1.7). It is an
# OS lock under `.ai/local/locks`, so no `.archive.lock` can be left behind.
LOCK = "archive"
# 归档路径不可来自文件内容: an archive path must not come from file content (N3). These are
# keys of the settings, which `Store.tracked` confines to the repository.
QUEUE, QUEUE_ARCHIVE = "queue", "queue_archive"
LOG, LOG_ARCHIVE = "reflections", "reflections_archive"

Plan = Callable[[bytes, bytes], Moved]


class Archived(Model):
    """What an archive run did; in a dry run what it would do.

    `moved` blocks left the main file, `kept` done items (dated reflections) stay in it.
    `archive` is the path from the root, `lines` its length afterwards. `held`: another
    process archives, nothing was done. `collisions` are ids that the archive holds with
    other content. `said` are lines for stderr.
    """

    moved: int = 0
    kept: int = 0
    archive: str = ""
    lines: int = 0
    held: bool = False
    collisions: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


class CleanUp(Model):
    """The empty reflections of the log: removed, or what would be.

    `backup` is the path of the copy made before, from the root; "" where none was made.
    """

    removed: tuple[Reflection, ...] = ()
    kept: int = 0
    backup: str = ""
    said: tuple[str, ...] = ()


def archive_queue(
    store: Store, config: Config, stamp: str, *, wait: float, dry_run: bool = False
) -> Archived:
    """Move the done items above `queue.keep_done` to the archive (T1).

    `stamp` is the time of the run, in UTC. Raises `LockHeld` when the
    files are being edited for longer than `wait` seconds, `StoreDamaged`, `UnsafePath`.
    """
    keep, fallback = config["queue.keep_done"], config["language"]

    def plan(main: bytes, archive: bytes) -> Moved:
        language = words.language_of(main, fallback)
        return queue_archive.plan(main, archive, keep, _whole(stamp), language)

    return _run(store, (QUEUE, QUEUE_ARCHIVE), plan, wait, dry_run)


def roll(
    store: Store, config: Config, stamp: str, *, wait: float, dry_run: bool = False
) -> Archived:
    """Move the dated reflections above `reflections.keep`, the oldest, to the archive (T2)."""
    keep, language = config["reflections.keep"], config["language"]

    def plan(main: bytes, archive: bytes) -> Moved:
        return reflection_log.roll(main, archive, keep, _whole(stamp), language)

    return _run(store, (LOG, LOG_ARCHIVE), plan, wait, dry_run)


def _whole(stamp: str) -> str:
    """A time stamp without fractions of a second, as archives have it."""
    return f"{stamp[:19]}Z"


def clean(
    store: Store, config: Config, today: str, *, apply: bool, wait: float
) -> CleanUp:
    """The provably empty reflections of the log; with `apply` they go, a copy is kept (T2.2).

    `today` is `YYYY-MM-DD`. Without `apply` nothing at all is written.
    """
    if not apply:
        guarded.places(store)
        data = guarded.read(store, LOG)
        planned = reflection_log.clean(data or b"")
        return CleanUp(removed=planned.removed, kept=planned.kept)
    with guarded.editing(store, wait) as said:
        return _clean(store, today).replace(said=said)


def _clean(store: Store, today: str) -> CleanUp:
    for _ in range(guarded.TRIES):
        data = guarded.read(store, LOG)
        planned = reflection_log.clean(data or b"")
        if data is None or not planned.removed:
            return CleanUp(kept=planned.kept)
        backup = _back_up(store, today, data)
        if guarded.replace(store, LOG, data, planned.main):
            return CleanUp(removed=planned.removed, kept=planned.kept, backup=backup)
        atomic.unlink(confine(store.root, backup))
    raise guarded.changed(store, LOG)


def _back_up(store: Store, today: str, data: bytes) -> str:
    """A durable copy of the log; its path from the root.

    The second one of a day gets a number: no copy is ever overwritten (C11, R10).
    """
    folder = store.paths[LOG].rpartition("/")[0]
    stem = (f"{folder}/" if folder else "") + guarded.BACKUP + today.replace("-", "")
    for number in itertools.count(1):
        relative = f"{stem}.md" if number == 1 else f"{stem}-{number}.md"
        path = confine(store.root, relative)
        if not os.path.lexists(path):
            break
    atomic.write(path, data)
    return relative


def _run(
    store: Store, keys: tuple[str, str], plan: Plan, wait: float, dry_run: bool
) -> Archived:
    main, archive = keys
    if dry_run:
        guarded.places(store)
        return _told(store, archive, *_planned(store, keys, plan)[1:])
    with ExitStack() as locks:
        try:
            locks.enter_context(Lock(store, LOCK, wait=0.0))
        except LockHeld:
            return Archived(archive=store.paths[archive], held=True)
        said = locks.enter_context(guarded.editing(store, wait))
        for _ in range(guarded.TRIES):
            text, held, moved = _planned(store, keys, plan)
            if moved.main == (text or b"") or _carried_out(
                store, keys, text, held, moved
            ):
                return _told(store, archive, held, moved).replace(said=said)
        raise guarded.changed(store, main)


def _planned(
    store: Store, keys: tuple[str, str], plan: Plan
) -> tuple[bytes | None, bytes | None, Moved]:
    """The two files as they are, and what would leave the first for the second."""
    main, archive = (guarded.read(store, key) for key in keys)
    return main, archive, plan(main or b"", archive or b"")


def _carried_out(
    store: Store,
    keys: tuple[str, str],
    main: bytes | None,
    archive: bytes | None,
    moved: Moved,
) -> bool:
    """Archive first, then trim; False where either file changed since it was read."""
    return guarded.append(
        store, keys[1], archive, moved.addition.data
    ) and guarded.replace(store, keys[0], main, moved.main)


def _told(store: Store, key: str, archive: bytes | None, moved: Moved) -> Archived:
    return Archived(
        moved=moved.moved,
        kept=moved.kept,
        archive=store.paths[key],
        lines=_line_ends(archive or b"") + _line_ends(moved.addition.data),
        collisions=moved.addition.collisions,
    )


def _line_ends(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
