"""`afterword evolve`: queue items become knowledge-base entries."""

from __future__ import annotations

from typing import Any

import click

from afterword.cli import acting, moving
from afterword.cli.acting import Recorder
from afterword.cli.frame import Frame, command, pass_frame
from afterword.episode import events
from afterword.errors import LockHeld
from afterword.evolution import evolving, guarded
from afterword.evolution import queue as reading
from afterword.evolution.archiving import Archived
from afterword.evolution.evolving import Evolved
from afterword.lifecycle import evolution
from afterword.store.locks import COMMAND_WAIT
from afterword.store.safe_text import shown

SHOWN = 200


@command("evolve")
@click.option(
    "--max",
    "most",
    metavar="N",
    type=click.IntRange(min=1),
    help="At most N items; default: evolve.max_per_session, 3 unless set.",
)
@click.option(
    "--archive-queue", is_flag=True, help="Only move old done items to the archive."
)
@click.option("--dry-run", is_flag=True, help="Say what would be done.")
@acting.episode_option
@pass_frame
def evolve(
    frame: Frame, most: int | None, archive_queue: bool, dry_run: bool, episode: str
) -> None:
    """Make knowledge-base entries of the most urgent queue items, then archive.

    The end of an episode does the same, unless it was done by hand in that episode.
    """
    if archive_queue:
        moving.alone(frame, moving.QUEUE, episode, is_dry=dry_run)
        return
    recorder = None if dry_run else Recorder(frame, episode)
    evolved = _evolved(frame, most or frame.config["evolve.max_per_session"], recorder)
    _tell(frame, evolved, is_dry=dry_run)
    archived = _archived(frame, evolved, recorder)
    if archived is not None:
        moving.tell(frame, moving.QUEUE, archived, is_dry=dry_run)
    if frame.json:
        frame.emit(_object(evolved, archived, dry_run))


def _evolved(frame: Frame, most: int, recorder: Recorder | None) -> Evolved:
    """Run it, and record that it ran, also for nothing: then the end need not (C22)."""
    done = evolving.evolve(
        frame.store,
        frame.config,
        most=most,
        stamp=evolution.run_stamp(),
        deadline=frame.moment().deadline,
        wait=COMMAND_WAIT,
        dry_run=recorder is None,
    )
    if done.held:
        raise LockHeld(
            "another process is evolving, so nothing was done",
            hint="try again in a moment: afterword evolve",
        )
    if recorder is not None:
        recorder.log(evolution.event_of(done, automatic=False))
    return done


def _archived(
    frame: Frame, evolved: Evolved, recorder: Recorder | None
) -> Archived | None:
    """Archive what is done and too much (T1.5a), in a dry run what would be.

    None where that is refused once items are evolved; before, the command is refused.
    """
    if recorder is None:
        now = moving.move(frame, moving.QUEUE, None)
        return _as_it_would_be(frame, now, len(evolved.items))
    if not evolved.items:
        return moving.move(frame, moving.QUEUE, recorder)
    return moving.move_after(frame, moving.QUEUE, recorder)


def _tell(frame: Frame, done: Evolved, *, is_dry: bool) -> None:
    for line in done.said:
        frame.say(line)
    if frame.json:
        return
    titles = _titles(frame) if is_dry else {}
    for identity, entry, path in done.items:
        if is_dry:
            title = shown(titles.get(identity, ""), SHOWN)
            frame.out(f"would evolve {identity} -> {entry} {title}".rstrip())
        else:
            frame.out(f"evolved {identity} -> {entry} {shown(path, SHOWN)}")
    verb = "to evolve" if is_dry else "evolved"
    frame.say(f"evolve: {len(done.items)} {verb}, {done.left} more waiting")


def _titles(frame: Frame) -> dict[str, str]:
    """The titles of the queue's items by id, the first of a doubled one."""
    found = reading.read(guarded.read(frame.store, "queue") or b"")
    return {one.identity: one.title for one in reversed(found.items)}


def _as_it_would_be(frame: Frame, now: Archived, more: int) -> Archived:
    """What archiving would move once so many more items are done."""
    done, keep = now.moved + now.kept + more, frame.config["queue.keep_done"]
    if done <= keep:
        return now.replace(moved=0, kept=done)
    return now.replace(moved=max(now.moved, done - keep), kept=keep)


def _object(
    evolved: Evolved, archived: Archived | None, dry_run: bool
) -> dict[str, Any]:
    items = [
        {"id": identity, "entry": entry, "path": path}
        for identity, entry, path in evolved.items
    ]
    return {
        "event": events.EvolveRan._name,
        "dry_run": dry_run,
        "processed": len(items),
        "items": items,
        "left": evolved.left,
        "recovered": evolved.recovered,
        "archived": moving.row(archived) if archived else None,
    }
