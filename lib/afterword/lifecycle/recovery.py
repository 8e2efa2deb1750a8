"""Episodes that nobody closed: found by the next start, closed as interrupted.

A host known to be dead counts at once, silence only after `episode.stranded_after`,
an end that was asked for and not completed is completed. A live episode is never
closed by another. Part of a hook's path: standard library only.
"""

import os
import time

from afterword.episode import events, ledger, opened, process
from afterword.episode.opened import OpenEpisode
from afterword.errors import AfterwordError, LockHeld
from afterword.lifecycle.ending import UNFINISHED, Ending
from afterword.lifecycle.moment import Moment
from afterword.model import TYPE_CHECKING, Model
from afterword.store import clock
from afterword.store.locks import Lock, episode_bucket

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterword.lifecycle.closing import Closed

LIMIT = 3
SECONDS = 2.0


class Stranded(Model):
    """An open episode that is to be closed, and why."""

    episode: str
    reason: str
    ending: Ending


def find(moment: Moment, own: str) -> "tuple[Stranded, ...]":
    """The stranded episodes of this worktree but `own`, oldest first; changes nothing."""
    return tuple(_each(moment, own))


def _each(moment: Moment, own: str) -> "Iterator[Stranded]":
    for candidate in opened.every(moment.store):
        stranded = _judge(moment, candidate) if candidate.episode != own else None
        if stranded is not None:
            yield stranded


def _judge(moment: Moment, candidate: OpenEpisode) -> "Stranded | None":
    stamp, head = last_sign(moment, candidate.episode)
    ending = Ending(
        reason="stranded", last_sign=stamp or candidate.started_at, last_head=head
    )
    reason = _reason(moment, candidate, stamp or candidate.started_at)
    return (
        Stranded(episode=candidate.episode, reason=reason, ending=ending)
        if reason
        else None
    )


def last_sign(moment: Moment, episode: str) -> "tuple[str, str | None]":
    """Time stamp and head of the newest ledger line that the episode itself left."""
    stamp, head = "", None
    for line in ledger.last_lines(ledger.path_of(moment.store, episode)):
        if line["event"] != events.SessionRecovered._name:
            stamp, head = line["ts"], line.get("head")
    return stamp, head


def _reason(moment: Moment, candidate: OpenEpisode, last: str) -> str:
    if asked_to_end(moment, candidate.episode):
        return "its end was not completed"
    if process.is_dead(candidate.process):
        return "its agent is gone"
    try:
        silent = clock.now() - clock.seconds(last)
    except ValueError:
        return ""  # a time that cannot be read proves nothing
    if silent <= moment.config.seconds("episode.stranded_after"):
        return ""
    return f"silent for more than {moment.config['episode.stranded_after']}"


def asked_to_end(moment: Moment, episode: str) -> bool:
    """Whether an end was asked for that nothing has completed or taken back."""
    path = ledger.path_of(moment.store, episode)
    lines = ledger.tail_since(path, events.SessionEnding._name)
    reopened = (events.SessionStarted._name,)
    return bool(lines) and not any(line["event"] in reopened for line in lines or ())


def recover(
    moment: Moment, own: str, *, limit: int = LIMIT, seconds: float = SECONDS
) -> "Sequence[tuple[Stranded, Closed]]":
    """Close up to `limit` stranded episodes within a time; one that fails does not count.

    Also completes the batches that a killed command left, and derives what an end could
    not. What another process is closing is left to it.
    """
    roll_batches(moment)
    end = min(time.monotonic() + seconds, moment.deadline)
    done: list[tuple[Stranded, Closed]] = []
    failed = []
    for stranded in _each(moment, own):
        if len(done) == limit or time.monotonic() >= end:
            break
        try:
            closed = _close(moment, own, stranded)
        except Exception as error:  # one damaged episode must not keep the others open
            failed.append(f"{stranded.episode} ({error})")
            continue
        if closed is not None:
            done.append((stranded, closed))
    if failed:
        moment.say(f"not recovered: {', '.join(failed[:3])}; {len(failed)} in all")
    _make_up(moment, limit, end)
    return done


def _close(moment: Moment, own: str, stranded: Stranded) -> "Closed | None":
    """Close one; None when another process holds it."""
    from afterword.lifecycle import closing  # slow to load, and seldom needed

    try:
        closed = closing.close(moment, stranded.episode, stranded.ending, wait=0.0)
    except LockHeld:
        return None
    if closed.done:
        _log(moment, own, stranded, closed)
        _sweep(moment, stranded.episode)
    return closed


def _sweep(moment: Moment, episode: str) -> None:
    """Remove the temps that the killed episode left beside its own files."""
    from afterword.store import sweep

    store = moment.store
    try:
        with Lock(store, episode_bucket(episode), wait=0.0):
            sweep.sweep(
                store.tracked("candidates"), lambda name: _is_candidate(name, episode)
            )
    except (LockHeld, OSError, AfterwordError):
        return


def _is_candidate(name: str, episode: str) -> bool:
    """Whether a file's name is that of one of this episode's candidates, none of `ID-x`'s."""
    is_as_long = len(name) == len(episode) + len("-123456789abc.md")
    return is_as_long and name.startswith(f"{episode}-") and name.endswith(".md")


def _make_up(moment: Moment, limit: int, end: float) -> None:
    """Derive for closed episodes whose end met a disk that refused, oldest id first."""
    try:
        names = sorted(os.listdir(moment.store.local_path(UNFINISHED)))[:limit]
    except OSError:
        return
    from afterword.lifecycle import closing

    for name in names:
        if time.monotonic() >= end or moment.hands_off:
            return
        try:
            closing.make_up(moment, name)
        except (OSError, AfterwordError) as error:
            moment.say(f"episode {name} is still not derived: {error}")


def _log(moment: Moment, own: str, stranded: Stranded, closed: "Closed") -> None:
    moment.log(
        own or ledger.OUTSIDE,
        events.SessionRecovered(
            session_id=stranded.episode,
            reason=stranded.reason,
            session_path=closed.session_path,
        ),
    )


def roll_batches(moment: Moment) -> None:
    """Complete what a killed command began, where its lock is free."""
    if not os.path.isdir(moment.store.local_path("batch")) or moment.hands_off:
        return
    from afterword.store import batch

    locks = {str(intent.get("lock", "")) for _, intent in batch.pending(moment.store)}
    for name in sorted(locks):
        try:
            with Lock(moment.store, name, wait=0.0):
                for line in batch.roll_forward(moment.store, name):
                    moment.say(line)
        except (LockHeld, OSError, AfterwordError):
            continue
