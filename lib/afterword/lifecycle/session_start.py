"""SessionStart: open or continue the episode, brief it, then recover stranded ones.

The briefing is given before the recovery and before a large queue is counted, so that an
agent waits for neither. With source `compact` new evidence is derived first, since the
host may have fired no compaction event. Part of a hook's path: standard library only.
"""

from afterword import briefing
from afterword.briefing import evolution
from afterword.errors import AfterwordError, LockHeld
from afterword.evolution import overview
from afterword.host import shims
from afterword.host.protocol import START
from afterword.lifecycle import freshness, opening, recovery
from afterword.lifecycle.moment import Moment
from afterword.model import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

COMPACT_SOURCE = "compact"
# Bytes of a file; it is read at twice this rate.
COUNTED_A_SECOND = 3 << 20
RECALLING = ("compact", "resume")


def run(
    moment: Moment, episode: str, reply: "Callable[[str], None]", env_file: str
) -> None:
    """`reply` takes the host's one JSON document, or ""; `episode` is "" without a session id."""
    source = moment.payload.source
    if episode and not moment.payload.agent:
        _open(moment, episode, env_file)
        if source == COMPACT_SOURCE:
            _derive_if_new(moment, episode)
    reply(brief(moment, episode))
    recovery.recover(moment, episode)
    _count_large(moment)


def _open(moment: Moment, episode: str, env_file: str) -> None:
    """Open the episode; what the disk or another process refuses costs no briefing."""
    try:
        opening.open_or_continue(moment, episode, moment.payload.source)
    except (OSError, LockHeld) as error:
        moment.say(f"episode {episode} was not opened, its next event will: {error}")
    try:
        if env_file:
            opening.export(episode, env_file)
    except OSError as error:
        moment.say(f"the agent's shell was not told its episode: {error}")


def _derive_if_new(moment: Moment, episode: str) -> None:
    if moment.config["session.knowledge_on_compact"] is False or moment.hands_off:
        return
    if freshness.is_new(moment, episode):
        from afterword.lifecycle import evidence

        try:
            evidence.derive_episode(moment, episode)
        except (OSError, AfterwordError) as error:
            moment.say(f"knowledge not derived: {error}")


def _count_large(moment: Moment) -> None:
    """Count a large queue or log for the end, which may have no time to; nothing waits for it."""
    if not moment.payload.agent:
        left = int(max(moment.left, 0) * COUNTED_A_SECOND)
        most = min(left, overview.MOST_BYTES)
        overview.count_large(moment.store, above=evolution.MOST_BYTES, most_bytes=most)


def brief(moment: Moment, episode: str) -> str:
    """The host's JSON document with the briefing, "" where there is none to give."""
    if moment.config["session.briefing_on_start"] is False:
        moment.say("no briefing: session.briefing_on_start is false")
        return ""
    if moment.payload.agent:
        return ""  # a sub-agent works for a session that has been briefed
    text = briefing.compose(
        moment.store,
        moment.config,
        moment.head,
        episode,
        recalling=moment.payload.source in RECALLING,
        changed_shims=shims.changed(moment.host, moment.store.root),
    )
    return moment.host.reply(START, context=text)
