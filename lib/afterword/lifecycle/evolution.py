"""What an end does for the learning queue and the reflections: evolve, roll, archive.

Only an end that somebody asked for: SessionEnd and `episode close`, never a Stop, a
compaction or a recovery (spec/evolution.md T4.1). Each step looks at git and the clock,
fails on its own, and is told in the one line of the next briefing. Part of a hook's
path; what reads and writes the files is loaded where there is work to do.
"""

import os
import time

from afterword.episode import events
from afterword.errors import LockHeld
from afterword.evolution import notices, overview
from afterword.lifecycle import evolved, workload
from afterword.lifecycle.moment import Moment
from afterword.lifecycle.workload import Work
from afterword.model import TYPE_CHECKING
from afterword.store import clock
from afterword.store.locks import COMMAND_WAIT, HOOK_WAIT

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterword.episode.window import Window
    from afterword.evolution.archiving import Archived
    from afterword.evolution.evolving import Evolved
    from afterword.store.config import Config


def at_end(moment: Moment, found: "Window") -> str:
    """Evolve, roll and archive for an episode that is closing; what that did, in words.

    `found` is its window, `session.ending` included. Never raises: whatever becomes of
    this, the end goes on (N9).
    """
    if moment.config["session.evolve_on_end"] is False:
        moment.say("queue not evolved: session.evolve_on_end is false")
        return ""
    end = _End(moment, found)
    told = (
        _guarded(moment, found.episode, name, step)
        for name, step in (
            ("look at the queue", end.look),
            ("evolve", end.evolve),
            ("roll", end.roll),
            ("archive", end.archive),
        )
    )
    return ", ".join(filter(None, told))


def _guarded(moment: Moment, episode: str, name: str, step: "Callable[[], str]") -> str:
    """One step, told in words, also that it failed."""
    try:
        return step()
    except Exception as error:
        return f"could not {name} ({_failed(moment, episode, name, error)})"


def _failed(moment: Moment, episode: str, name: str, error: Exception) -> str:
    """Say it, one line in the ledger, the traceback in the log; why, for the briefing."""
    from afterword.lifecycle import failure
    from afterword.store.safe_text import own_words

    reason = failure.why(moment.store, error)
    moment.say(f"could not {name}: {reason}")
    event = moment.payload.event or "session-end"
    try:
        failure.record(moment.store, moment.head, moment.host, event, episode, error)
    except OSError as second:
        moment.say(f"and nothing could be recorded: {second}")
    return own_words(reason)


class _End:
    """The steps of one end, and what they know of the files before they begin."""

    def __init__(self, moment: Moment, found: "Window") -> None:
        self._moment = moment
        self._found = found
        self._language: str = moment.config["language"]
        self._wait = HOOK_WAIT if moment.in_hook else COMMAND_WAIT
        self._seen = overview.Overview(
            queue=overview.QueueView(), reflections=overview.ReflectionsView()
        )
        self._evolved = 0

    def look(self) -> str:
        """Ask what there is to do; a file that cannot be worked on is said, and left."""
        most = workload.most_bytes(self._moment.left)
        seen = self._seen = overview.look(self._moment.store, most_bytes=most)
        for view, what, command in (
            (seen.queue, "the learning queue", "evolve"),
            (seen.reflections, "the reflection log", "reflect roll"),
        ):
            if view is None:
                self._say(workload.left_to(what, most, command))
            elif view.problem:
                self._say(view.problem)
        return ""

    def _fits(self, work: Work) -> bool:
        """Whether there is time for a step's files; else they are left, and it is said."""
        most = workload.most_bytes(self._moment.left)
        fits = work.size(self._moment.store) <= most
        if not fits:
            self._say(workload.left_to(work.what, most, work.command))
        return fits

    def evolve(self) -> str:
        """Make entries of the most urgent items; silence when none waits (T4.9, A4.11)."""
        view = self._seen.queue
        if view is None or not (view.pending or view.processing):
            return ""
        by = evolved.how(self._found)
        if by:
            return self._skip(notices.BY_HAND) if by == evolved.BY_HAND else ""
        if evolved.is_flagged(self._moment, self._found):
            return self._skip(notices.FLAGGED)
        if not self._may_write("queue not evolved"):
            return ""
        if self._moment.left <= 0:
            return self._skip(notices.NO_TIME)
        if not self._fits(workload.EVOLVE):
            return ""
        done = self._run()
        return self._skip(notices.HELD) if done is None else self._tell_evolved(done)

    def _run(self) -> "Evolved | None":
        """What a run did; None while another process is at it (T4.4, A4.6)."""
        from afterword.evolution import evolving

        config = self._moment.config
        limit = time.monotonic() + config.seconds("evolve.time_limit")
        try:
            done = evolving.evolve(
                self._moment.store,
                config,
                most=config["evolve.max_per_session"],
                stamp=run_stamp(),
                deadline=min(self._moment.deadline, limit),
                wait=self._wait,
            )
        except LockHeld:
            return None
        return None if done.held else done

    def _tell_evolved(self, done: "Evolved") -> str:
        self._evolved = len(done.items)
        self._moment.log(self._found.episode, event_of(done, automatic=True))
        self._say(*done.said)
        if done.items:
            self._say(notices.evolved_at_end(len(done.items), self._language))
        if done.out_of_time:
            self._skip(notices.NO_TIME)
        return f"evolved {_count(len(done.items), 'queue item')}" if done.items else ""

    def _skip(self, reason: str) -> str:
        """Say the true reason (C21); nothing was done that a briefing should tell."""
        self._say(notices.evolve_skipped(reason, self._language))
        return ""

    def roll(self) -> str:
        """Move the reflections above the window to their archive."""
        view = self._seen.reflections
        if view is None or view.dated <= self._moment.config["reflections.keep"]:
            return ""
        from afterword.evolution import archiving

        moved = self._move(
            "reflections not rolled",
            workload.ROLL,
            archiving.roll,
            notices.reflections_rolled,
            events.ReflectionsRolled,
        )
        return f"rolled {_count(moved, 'reflection')}" if moved else ""

    def archive(self) -> str:
        """Move the done items above `queue.keep_done` to their archive (T1.5a)."""
        view, keep = self._seen.queue, self._moment.config["queue.keep_done"]
        if view is None or view.done + self._evolved <= keep:
            return ""
        from afterword.evolution import archiving

        moved = self._move(
            "queue not archived",
            workload.ARCHIVE,
            archiving.archive_queue,
            notices.queue_archived,
            events.QueueArchived,
        )
        return f"archived {_count(moved, 'done item')}" if moved else ""

    def _move(
        self,
        not_done: str,
        work: Work,
        run: "Callable[..., Archived]",
        notice: "Callable[[int, str, str], str]",
        kind: "type[events.QueueArchived] | type[events.ReflectionsRolled]",
    ) -> int:
        """How many blocks an archive run moved; said and recorded, or said why it did not run."""
        moment = self._moment
        if not self._may_write(not_done):
            return 0
        if moment.left <= 0:
            self._say(f"{not_done}: no time is left; the next end goes on")
            return 0
        if not self._fits(work):
            return 0
        try:
            done = run(moment.store, moment.config, run_stamp(), wait=self._wait)
        except LockHeld:
            done = None
        if done is None or done.held:
            self._say(notices.archive_held(self._language))
            return 0
        self._say(*done.said)
        if done.moved:
            name = name_of(done.archive)
            self._say(notice(done.moved, name, self._language))
            self._say(*remarks(done, moment.config))
            event = kind(moved=done.moved, kept=done.kept, archive=done.archive)
            moment.log(self._found.episode, event)
        return done.moved

    def _may_write(self, what: str) -> bool:
        busy = self._moment.hands_off
        if busy:
            self._say(f"{what}: git is busy ({busy})")
        return not busy

    def _say(self, *lines: str) -> None:
        for line in lines:
            self._moment.say(line)


def event_of(done: "Evolved", *, automatic: bool) -> events.EvolveRan:
    """The ledger line of a run."""
    return events.EvolveRan(
        processed=len(done.items),
        items=[item for item, _, _ in done.items],
        products=[entry for _, entry, _ in done.items],
        automatic=automatic,
    )


def remarks(done: "Archived", config: "Config") -> "list[str]":
    """What else is to be said of an archive run: doubled ids, a long archive (C5, C28)."""
    said = [
        f"{done.archive}: holds {identity} with other content; both are kept"
        for identity in done.collisions
    ]
    most = config["archive.warn_lines"]
    if done.lines > most:
        name = name_of(done.archive)
        said.append(notices.archive_long(name, most, config["language"]))
    return said


def run_stamp() -> str:
    """The time of a run as archives have it: `YYYY-MM-DDTHH:MM:SSZ`."""
    return f"{clock.stamp()[:19]}Z"


def name_of(path: str) -> str:
    """The name by which notices call a file."""
    return os.path.basename(path)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
