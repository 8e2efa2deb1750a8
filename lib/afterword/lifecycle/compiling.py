"""What a Stop does when a compile is due: fold what waits, say it in one line, stage nothing.

Skipped in silence where another process compiles, git is in the middle of something, or
the settings keep this branch's files as they are; the next Stop looks again (DESIGN 8).
Loaded by a Stop only when a compile is due.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from afterword.episode import events
from afterword.errors import LockHeld
from afterword.host.protocol import STOP
from afterword.lifecycle import promoted
from afterword.lifecycle.moment import Moment
from afterword.snapshot import compiling, places, waiting
from afterword.snapshot.compiling import Compiled
from afterword.store import clock
from afterword.store.layout import Store

COMMAND = ".ai/bin/afterword compile"
# A compile reads, folds and writes its files at about this rate; larger ones are left to
# the command, for a Stop that its host kills would begin again each time.
BYTES_A_SECOND = 300_000
MODULES_COMMAND = ".ai/bin/afterword modules discover"


def at_stop(moment: Moment, episode: str, reply: Callable[[str], None]) -> None:
    """Compile, log it, tell it in the host's form. Raises what a compile raises."""
    if not _may_compile(moment):
        return
    size, most = sum(_sizes(moment.store)), int(max(moment.left, 0) * BYTES_A_SECOND)
    if size > most:
        moment.say(
            f"a compile is due, but too large for a Stop, so it is left to: {COMMAND}"
        )
        return
    try:
        done = compiling.compile_(
            moment.store,
            moment.config,
            promoted.facts(moment.store),
            date=clock.stamp()[:10],
            wait=0,
        )
    except LockHeld:
        return
    _tell(moment, episode, done, reply)


def _may_compile(moment: Moment) -> bool:
    if moment.config["compile.on_stop"] is False or moment.hands_off:
        return False
    branches = moment.config["compile.branches"]
    return not branches or moment.head.branch in branches


def _sizes(store: Store) -> Iterator[int]:
    """The bytes of the files that a compile reads whole."""
    where = places.of(store.paths)
    for name in ("", *waiting.modules(store)):
        yield _size(store, where.target(name))
        yield _size(store, where.history(name))
    for module, name in waiting.names(store):
        yield _size(store, f"{where.increments(module)}/{name}")


def _size(store: Store, path: str) -> int:
    try:
        return os.stat(os.path.join(store.root, path)).st_size
    except OSError:
        return 0


def _tell(
    moment: Moment, episode: str, done: Compiled, reply: Callable[[str], None]
) -> None:
    for problem in done.report.problems:
        moment.say(problem)
    if not done.report.stems:
        return
    moment.log(episode, event_of(done, automatic=True))
    notice = notice_of(done)
    form = moment.host.reply(STOP, notice=notice)
    if form:
        reply(form)
    else:
        moment.say(notice)


def event_of(done: Compiled, *, automatic: bool) -> events.SnapshotCompiled:
    """The ledger line of a compile."""
    report = done.report
    return events.SnapshotCompiled(
        stems=list(report.stems),
        added=sum(report.added.values()),
        conflicts=len(report.conflicts),
        pending=report.low,
        paths=list(done.paths),
        automatic=automatic,
    )


def notice_of(done: Compiled) -> str:
    """One line for the person: what came in, what is open, and that nothing is staged."""
    report = done.report
    count = len(report.stems)
    what = "1 increment" if count == 1 else f"{count} increments"
    said = [f"afterword compiled {what} into the snapshot: {report.news}"]
    if report.conflicts:
        said.append(f"{len(report.conflicts)} conflicts open")
    if done.discoverable:
        said.append(f"modules could be made of it: {MODULES_COMMAND}")
    return f"{'; '.join(said)} (not staged)"
