"""SessionEnd: close the episode within what the host gives us.

What does not fit is left, with `session.ending` in the ledger, to the next start.
Part of a hook's path: standard library only.
"""

from afterword.episode import opened
from afterword.errors import LockHeld
from afterword.lifecycle import closing
from afterword.lifecycle.ending import Ending
from afterword.lifecycle.moment import Moment
from afterword.store.locks import HOOK_WAIT


def run(moment: Moment, episode: str) -> None:
    """Close an episode that is open here; say so when there is nothing to close."""
    if opened.load(moment.store, episode) is None:
        moment.say(f"nothing to close: episode {episode} is not open here")
        return
    reason = moment.payload.reason
    deliberate = reason in moment.host.deliberate_reasons
    ending = Ending(reason=reason, outcome="closed" if deliberate else "interrupted")
    try:
        closed = closing.close(moment, episode, ending, wait=HOOK_WAIT, evolves=True)
    except LockHeld as error:
        moment.say(f"episode {episode} is left to the next start: {error.message}")
        return
    if not closed.done:
        moment.say(f"episode {episode} is left to the next start: {closed.left}")
    elif closed.derived is not None:
        moment.say(f"knowledge derived: {closed.derived.counts} for episode {episode}")
