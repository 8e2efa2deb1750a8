"""PreCompact: the conversation is about to be cut; derive what the ledger holds.

Some hosts fire this on every model step, so without new evidence it costs one look
at the end of the ledger. Part of a hook's path: standard library only.
"""

from afterword.lifecycle import freshness
from afterword.lifecycle.moment import Moment


def run(moment: Moment, episode: str) -> None:
    """Derive if anything is new; say in the ledger that it ran in any case."""
    if moment.config["session.knowledge_on_compact"] is False:
        moment.say("knowledge not derived: session.knowledge_on_compact is false")
    elif not freshness.is_new(moment, episode):
        freshness.repeat(moment, episode)
    elif moment.hands_off:
        moment.say(f"knowledge not derived yet: git is busy ({moment.hands_off})")
    else:
        from afterword.lifecycle import evidence

        evidence.derive_episode(moment, episode)
