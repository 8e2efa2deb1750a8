"""Closing an episode: the one function that every end goes through.

SessionEnd, `episode close`, `episode recover` and the recovery at a start all call
`close`. Its steps are idempotent and the ledger says which are done, so whatever a
killed end left, the next start finishes. Part of a hook's path.
"""

from afterword.episode import events, opened, session_record, window
from afterword.errors import AfterwordError
from afterword.host.protocol import END
from afterword.knowledge import derivation
from afterword.lifecycle import evidence, opening
from afterword.lifecycle.ending import Ending
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


def close(moment: Moment, episode: str, ending: Ending, *, wait: float) -> Closed:
    """Close an episode under its lock. `LockHeld` when another process is closing it."""
    with Lock(moment.store, episode_bucket(episode), wait=wait):
        found = window.read(moment.store, episode)
        if found.is_closed:
            opened.remove(moment.store, episode)
            return Closed(done=True)
        if window.unfinished_end(found) is None:
            moment.log(episode, events.SessionEnding(**ending.values()))
            found = window.read(moment.store, episode)
        return _finish(moment, found)


def _finish(moment: Moment, found: "Window") -> Closed:
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
    derived = _derive(moment, found, commits)
    moment.log(found.episode, events.SessionClosed(outcome=outcome, session_path=path))
    opened.remove(moment.store, found.episode)
    _remember(moment, found.episode, outcome, derived)
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
    record = session_record.project(
        found,
        span,
        outcome,
        tuple(commit.sha for commit in commits.own),
        tuple(commit.sha for commit in commits.shared),
    )
    if record.is_empty:
        return None
    path = session_record.path_of(moment.store, record)
    try:
        if atomic.read(path) != record.data():
            atomic.write(path, record.data())
    except OSError as error:
        _failed(moment, found.episode, f"session record not written: {error.strerror}")
        return None
    return moment.store.relative(path)


def _derive(
    moment: Moment, found: "Window", commits: Commits
) -> "derivation.Result | None":
    """Derive unless it is switched off; a failure is said and logged and stops nothing."""
    if moment.config["session.knowledge_on_end"] is False:
        moment.say("knowledge not derived: session.knowledge_on_end is false")
        return None
    try:
        return evidence.derive_now(moment, found, commits)
    except (OSError, AfterwordError) as error:
        _failed(moment, found.episode, f"knowledge not derived: {error}")
        return None


def _failed(moment: Moment, episode: str, reason: str) -> None:
    moment.say(reason)
    moment.log(
        episode,
        events.ProviderEventFailed(
            provider=moment.host.name,
            provider_event=moment.payload.event or "session-end",
            reason=reason[:300],
        ),
    )


def _remember(
    moment: Moment, episode: str, outcome: str, derived: "derivation.Result | None"
) -> None:
    """The line with which the next briefing opens."""
    count = len(derived.written) if derived else 0
    noun = "candidate" if count == 1 else "candidates"
    derivation_text = (
        "derived nothing" if derived is None else f"derived {count} new {noun}"
    )
    opening.remember_end(
        moment, f"Episode {episode} ended ({outcome}) and {derivation_text}."
    )
