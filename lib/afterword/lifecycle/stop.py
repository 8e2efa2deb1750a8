"""Stop: the agent finished answering. One line, one byte; a notice when it compiled.

Never a word to the agent. Part of a hook's path: standard library only; what derives or
compiles is loaded where that is due.
"""

from afterword.episode import events
from afterword.lifecycle import opening
from afterword.lifecycle.moment import Moment
from afterword.model import TYPE_CHECKING
from afterword.snapshot import waiting

if TYPE_CHECKING:
    from collections.abc import Callable


def run(moment: Moment, episode: str, reply: "Callable[[str], None]") -> None:
    """Count the round; derive where the host may never say that the session ended; compile.

    `reply` takes the host's one JSON document; it is called at most once.
    """
    agent = moment.payload.agent
    moment.log(episode, events.RoundEnded(agent=agent or None))
    if agent:
        return
    waits = len(waiting.names(moment.store))
    opening.count_round(moment, waiting.WAITED if waits else waiting.IDLE)
    if _derives(moment):
        _derive(moment, episode)
    if waiting.is_due(moment.store, moment.config, waits):
        from afterword.lifecycle import compiling

        compiling.at_stop(moment, episode, reply)


def _derives(moment: Moment) -> bool:
    setting = moment.config["session.knowledge_on_stop"]
    return setting == "true" or (setting == "auto" and not moment.host.dependable_end)


def _derive(moment: Moment, episode: str) -> None:
    from afterword.lifecycle import freshness

    if not moment.hands_off and freshness.is_new(moment, episode):
        from afterword.lifecycle import evidence

        evidence.derive_episode(moment, episode)
