"""What the commands that move blocks into an archive do, say and record, for both archives.

Used by `queue`, `evolve` and `reflect`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from afterword.cli.acting import Recorder
from afterword.cli.frame import Frame
from afterword.episode import events
from afterword.errors import AfterwordError
from afterword.evolution import archiving, notices
from afterword.evolution.archiving import Archived
from afterword.lifecycle import evolution
from afterword.store.locks import COMMAND_WAIT
from afterword.store.safe_text import shown

SHOWN = 300


class Kind(NamedTuple):
    """One of the two archives: how it is filled, and what is said and recorded of it."""

    run: Callable[..., Archived]
    notice: Callable[[int, str, str], str]
    event: type[events.QueueArchived] | type[events.ReflectionsRolled]
    what: tuple[str, str]
    keep: str
    idle: str
    not_yet: str


QUEUE = Kind(
    archiving.archive_queue,
    notices.queue_archived,
    events.QueueArchived,
    ("done item", "done items"),
    "queue.keep_done",
    "nothing to archive: {kept} done, and the queue keeps {keep}",
    "not archived yet",
)
REFLECTIONS = Kind(
    archiving.roll,
    notices.reflections_rolled,
    events.ReflectionsRolled,
    ("reflection", "reflections"),
    "reflections.keep",
    "nothing to roll: {kept} dated reflections, and the log keeps {keep}",
    "not rolled yet",
)


def move(frame: Frame, kind: Kind, recorder: Recorder | None) -> Archived:
    """Move what is too much and record it; a dry run without a `recorder`.

    `LockHeld` when the files are being edited for long. Where another process archives,
    nothing is done, for it does this very work.
    """
    done = kind.run(
        frame.store,
        frame.config,
        evolution.run_stamp(),
        wait=COMMAND_WAIT,
        dry_run=recorder is None,
    )
    if recorder is not None and done.moved:
        recorder.log(kind.event(moved=done.moved, kept=done.kept, archive=done.archive))
    return done


def move_after(frame: Frame, kind: Kind, recorder: Recorder) -> Archived | None:
    """`move` behind work that is written already; None where it is refused.

    What refuses it is told and no failure of the command, which would be taken for
    "nothing was done", and the work for one to be done again.
    """
    try:
        return move(frame, kind, recorder)
    except AfterwordError as error:
        frame.say(f"{kind.not_yet}: {error}")
        return None


def tell(frame: Frame, kind: Kind, done: Archived, *, is_dry: bool = False) -> None:
    """The notices of a run, on stderr; of a dry one what would move, on stdout."""
    language = frame.config["language"]
    for line in done.said:
        frame.say(line)
    if done.held:
        frame.say(notices.archive_held(language))
    elif done.moved and is_dry:
        if not frame.json:
            noun = kind.what[done.moved > 1]
            frame.out(f"would move {done.moved} {noun} to {shown(done.archive, SHOWN)}")
    elif done.moved:
        frame.say(kind.notice(done.moved, evolution.name_of(done.archive), language))
    for line in evolution.remarks(done, frame.config):
        frame.say(line)


def alone(frame: Frame, kind: Kind, episode: str, *, is_dry: bool) -> None:
    """A whole command that moves and does nothing else: says also that nothing was to be done."""
    done = move(frame, kind, None if is_dry else Recorder(frame, episode))
    tell(frame, kind, done, is_dry=is_dry)
    if frame.json:
        frame.emit({"dry_run": is_dry, **row(done)})
    elif not done.moved and not done.held:
        frame.say(kind.idle.format(kept=done.kept, keep=frame.config[kind.keep]))


def row(done: Archived) -> dict[str, Any]:
    """A run in JSON."""
    keys = ("moved", "kept", "archive", "lines", "held")
    values = done.values()
    return {**{key: values[key] for key in keys}, "collisions": list(done.collisions)}
