"""Whether a derivation has anything to do, told from the end of the ledger.

Compaction events can come on every model step, so this is apart from the derivation
itself and loads nothing of it. Part of a hook's path: standard library only.
"""

from afterword.episode import events, ledger
from afterword.lifecycle.moment import Moment
from afterword.model import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_DONE = events.KnowledgeDerived._name


def _since_last(moment: Moment, episode: str) -> "list[dict[str, Any]]":
    """The last derivation's line and what follows it; empty when there was none."""
    return ledger.tail_since(ledger.path_of(moment.store, episode), _DONE) or []


def is_new(moment: Moment, episode: str) -> bool:
    """Whether there is evidence, or another HEAD, since the last derivation of the episode."""
    lines = _since_last(moment, episode)
    if not lines or lines[0].get("head") != moment.head.sha:
        return True
    return any(line["event"] in events.EVIDENCE for line in lines[1:])


def repeat(moment: Moment, episode: str) -> None:
    """Nothing is new: say that it ran, with the earlier counts as unchanged."""
    earlier = (_since_last(moment, episode) or [{}])[0]
    counts = {key: earlier.get(key) for key in ("written", "unchanged", "skipped")}
    known = {key: count for key, count in counts.items() if isinstance(count, int)}
    moment.log(
        episode,
        events.KnowledgeDerived(
            episode=episode,
            written=0,
            unchanged=known.get("written", 0) + known.get("unchanged", 0),
            skipped=known.get("skipped", 0),
            paths=[],
            hashes=[],
        ),
    )
