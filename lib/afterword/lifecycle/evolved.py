"""Whether an episode evolved already: by its ledger, or by an adopted active_context.md.

Told before anything of the queue is read (spec/evolution.md C16, C22; T4.2). Part of a
hook's path: standard library only.
"""

from afterword.episode import events
from afterword.lifecycle.moment import Moment
from afterword.model import TYPE_CHECKING
from afterword.store import atomic, template
from afterword.store.layout import Store

if TYPE_CHECKING:
    from afterword.episode.window import Window

BY_HAND, BY_AN_END = "by hand", "by an end"
_HEAD = 1 << 16  # bytes of an active_context.md: its front matter stands at the top


def how(found: "Window") -> str:
    """How the episode evolved since it was last opened: `BY_HAND`, `BY_AN_END`, or "".

    What it did before an earlier close counts no more: a resumed episode may have queued
    items since, and its end may evolve again. A run of an end that was killed before it
    closed the episode counts, for that end is completed, not repeated.
    """
    by = ""
    for line in reversed(found.lines):
        if line["event"] == events.SessionStarted._name:
            break
        if line["event"] == events.EvolveRan._name:
            if line.get("automatic") is not True:
                return BY_HAND
            by = BY_AN_END
    return by


def is_flagged(moment: Moment, found: "Window") -> bool:
    """Whether `auto_evolve_done: true` stands there beside this very session's id.

    The file outlives sessions and nobody resets it, so that a flag alone would keep all
    later ones from evolving.
    """
    session = flagged_session(moment.store)
    return session is not None and session in _names(moment, found)


def flagged_session(store: Store) -> "str | None":
    """The session beside `auto_evolve_done: true`, "" where none is named; None: no flag."""
    if not store.paths.get("active_context"):
        return None
    try:
        data = atomic.read(store.tracked("active_context"), limit=_HEAD)
    except OSError:
        return None
    fields = _front_matter(data or b"")
    is_done = fields.get("auto_evolve_done", "").casefold() == "true"
    return fields.get("session_id", "") if is_done else None


def _names(moment: Moment, found: "Window") -> "set[str]":
    """The episode's id, and what its host calls the session."""
    starts = found.of(events.SessionStarted._name)
    given = {str(line.get("host_session") or "") for line in starts}
    return {found.episode, moment.payload.session, *given} - {""}


def _front_matter(data: bytes) -> "dict[str, str]":
    """Its plain `key: value` lines; a reader of YAML would cost an end its time."""
    span = template.front_span(data)
    text = data[span[0] : span[1]].decode("utf-8", "replace") if span else ""
    pairs = (line.partition(":") for line in text.split("\n"))
    return {
        key.strip(): value.partition(" #")[0].strip().strip("\"'")
        for key, _, value in pairs
    }
