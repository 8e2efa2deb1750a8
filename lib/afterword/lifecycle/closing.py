"""Closing an episode: the one function that every end goes through.

SessionEnd, `episode close`, `episode recover` and the recovery at a start all call
`close`. Its steps are idempotent and the ledger says which are done, so whatever a
killed end left, the next start finishes. Part of a hook's path.
"""

from afterword.episode import events, opened, session_record, window
from afterword.errors import AfterwordError
from afterword.host.protocol import END
from afterword.knowledge import derivation
from afterword.lifecycle import evidence, evolution, opening
from afterword.lifecycle.ending import UNFINISHED, Ending
from afterword.lifecycle.evidence import Commits
from afterword.lifecycle.moment import Moment
from afterword.model import TYPE_CHECKING, Model
from afterword.store import atomic
from afterword.store.git.program import GitTimeout
from afterword.store.locks import Lock, episode_bucket

if TYPE_CHECKING:
    from afterword.episode.window import Bounds, Window


class Closed(Model):
    """What closing did. `done` is False when the rest is left to the next start."""

    done: bool
    session_path: "str | None" = None
    derived: "derivation.Result | None" = None
    left: str = ""


def close(
    moment: Moment,
    episode: str,
    ending: Ending,
    *,
    wait: float,
    evolves: bool = False,
) -> Closed:
    """Close an episode under its lock. `LockHeld` when another process is closing it.

    An end that somebody asked for `evolves`: it works on the queue and the reflections.
    """
    with Lock(moment.store, episode_bucket(episode), wait=wait):
        try:
            found = evidence.window_of(moment, episode)
        except window.TooLarge as error:
            moment.log(episode, events.SessionEnding(**ending.values()))
            return Closed(done=False, left=str(error))
        if found.is_closed:
            opened.remove(moment.store, episode)
            return Closed(done=True)
        if window.unfinished_end(found) is None:
            moment.log(episode, events.SessionEnding(**ending.values()))
            found = evidence.window_of(moment, episode)
        return _finish(moment, found, evolves)


def _finish(moment: Moment, found: "Window", evolves: bool) -> Closed:
    """The steps behind `session.ending`, each after a look at git and the clock."""
    end = window.unfinished_end(found) or {}
    outcome = str(end.get("outcome", "interrupted"))
    busy = moment.hands_off
    if busy:
        return Closed(done=False, left=f"git is busy ({busy})")
    span = window.bounds(found)
    try:
        commits = evidence.commits_of(moment, found, span)
    except GitTimeout as error:
        if moment.payload.event == END:
            return Closed(done=False, left=error.message)
        # A later attempt had more time and met the same: better without commits than never.
        _failed(moment, found.episode, f"no commits were read: {error.message}")
        commits = Commits()
    path = _project(moment, found, span, outcome, commits)
    if moment.left <= 0:
        return Closed(done=False, session_path=path, left="out of time")
    try:
        derived, failure = _derive(moment, found, commits)
    except derivation.OutOfTime as error:
        return Closed(done=False, session_path=path, left=str(error))
    evolved = evolution.at_end(moment, found) if evolves else ""
    moment.log(found.episode, events.SessionClosed(outcome=outcome, session_path=path))
    opened.remove(moment.store, found.episode, span.closed_at if span else "")
    told = "; ".join(filter(None, (_told(derived, failure), evolved)))
    _remember(moment, found.episode, outcome, told)
    return Closed(done=True, session_path=path, derived=derived)


def _project(
    moment: Moment,
    found: "Window",
    span: "Bounds | None",
    outcome: str,
    commits: Commits,
) -> "str | None":
    """Write the session record if there is anything to tell; its path from the root."""
    if span is None:
        return None
    try:
        path = _write_record(moment, _record(found, span, outcome, commits))
    except OSError as error:
        _failed(moment, found.episode, f"session record not written: {error.strerror}")
        return None
    return path


def _record(
    found: "Window", span: "Bounds", outcome: str, commits: Commits
) -> session_record.SessionRecord:
    return session_record.project(
        found,
        span,
        outcome,
        tuple(commit.sha for commit in commits.own),
        tuple(commit.sha for commit in commits.shared),
    )


def _write_record(moment: Moment, record: session_record.SessionRecord) -> "str | None":
    """Its path from the root; None, and no file, where there is nothing to tell."""
    if record.is_empty:
        return None
    path = session_record.path_of(moment.store, record)
    if atomic.read(path) != record.data():
        atomic.write(path, record.data())
    return moment.store.relative(path)


def make_up(moment: Moment, episode: str) -> None:
    """Record and derive once more for a closed episode; the mark goes when all of it worked.

    `OSError` and `AfterwordError` leave the mark for the next start.
    """
    with Lock(moment.store, episode_bucket(episode), wait=0.0):
        found = evidence.window_of(moment, episode)
        span = window.bounds(found)
        commits = evidence.commits_of(moment, found, span)
        ended = found.last(events.SessionClosed._name) or {}
        outcome = str(ended.get("outcome", "interrupted"))
        if span is not None:
            _write_record(moment, _record(found, span, outcome, commits))
        derived = evidence.derive_now(moment, found, commits)
        atomic.unlink(moment.store.local_path(UNFINISHED, episode))
    _remember(moment, episode, outcome, f"{derived.summary}, later")


def _derive(
    moment: Moment, found: "Window", commits: Commits
) -> "tuple[derivation.Result | None, str]":
    """Derive unless it is switched off; a failure is said, logged, returned, and stops nothing."""
    if moment.config["session.knowledge_on_end"] is False:
        moment.say("knowledge not derived: session.knowledge_on_end is false")
        return None, ""
    try:
        return evidence.derive_now(moment, found, commits), ""
    except derivation.OutOfTime:
        raise
    except (OSError, AfterwordError) as error:
        from afterword.lifecycle import failure

        why = failure.why(moment.store, error)
        _failed(moment, found.episode, f"knowledge not derived: {why}")
        return None, why


def _told(derived: "derivation.Result | None", failure: str) -> str:
    """What became of the derivation, for the next briefing and for stderr."""
    if failure:
        return f"could not derive yet ({failure})"
    return derived.summary if derived else "derived nothing, as it is switched off"


def _failed(moment: Moment, episode: str, reason: str) -> None:
    """Say it, log it, and mark the episode: the next start tries once more."""
    moment.say(reason)
    try:
        atomic.write(moment.store.local_path(UNFINISHED, episode), b"", durable=False)
    except OSError as error:
        moment.say(f"not marked either: {error}")
    moment.log(
        episode,
        events.ProviderEventFailed(
            provider=moment.host.name,
            provider_event=moment.payload.event or "session-end",
            reason=reason[:300],
        ),
    )


def _remember(moment: Moment, episode: str, outcome: str, told: str) -> None:
    """The line with which the next briefing opens."""
    opening.remember_end(moment, f"Episode {episode} ended ({outcome}) and {told}.")
