"""Stop: the agent finished answering. One line, one byte; never a word to the agent.

Part of a hook's path: standard library only.
"""

from afterword.episode import events
from afterword.lifecycle import opening
from afterword.lifecycle.moment import Moment


def run(moment: Moment, episode: str) -> None:
    """Count the round; derive where the host may never say that the session ended."""
    agent = moment.payload.agent
    moment.log(episode, events.RoundEnded(agent=agent or None))
    if agent:
        return
    opening.count_round(moment)
    if _derives(moment):
        from afterword.lifecycle import freshness

        if not moment.hands_off and freshness.is_new(moment, episode):
            from afterword.lifecycle import evidence

            evidence.derive_episode(moment, episode)


def _derives(moment: Moment) -> bool:
    setting = moment.config["session.knowledge_on_stop"]
    return setting == "true" or (setting == "auto" and not moment.host.dependable_end)
