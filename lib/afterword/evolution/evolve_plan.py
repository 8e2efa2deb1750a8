"""Which queue items are evolved, in which order (DESIGN 7, C23). Pure."""

from __future__ import annotations

from afterword.evolution import words
from afterword.evolution.item import Item, newest
from afterword.evolution.queue import Queue

_RANKS = {"P0": 0, "P1": 1, "P2": 2, "P3": 3}
_UNKNOWN = 2


def waiting(queue: Queue) -> list[Item]:
    """What a killed run left in `processing`, then what is pending, most urgent first.

    An item that leaves a fence or comment open is left to a person: where it ends is a
    guess, and an entry made of it might repeat half the file.
    """
    states = (words.PROCESSING, words.PENDING)
    found = [one for one in queue.items if one.state in states and not one.is_open]
    return sorted(found, key=_urgency)


def open_ended(queue: Queue) -> list[Item]:
    """The waiting items that are left to a person."""
    states = (words.PROCESSING, words.PENDING)
    return [one for one in queue.items if one.state in states and one.is_open]


def _urgency(item: Item) -> tuple[bool, int, tuple[str, int, int]]:
    """Left-over work first, then by priority, then the oldest, which `newest` puts last."""
    return item.state == words.PENDING, rank(item.priority), newest(item)


def rank(priority: str) -> int:
    """0 to 3 for `P0` to `P3`, also with a note behind it; any other text as `P2`."""
    is_longer = priority[2:3].isalnum()  # `P10` is not `P1`
    return _UNKNOWN if is_longer else _RANKS.get(priority[:2].upper(), _UNKNOWN)


def twins(item: Item, *queues: Queue) -> int:
    """How many items of these files have the item's id, itself among them (Q16)."""
    alike = (
        one
        for queue in queues
        for one in queue.items
        if (one.number, one.prefix, one.suffix)
        == (item.number, item.prefix, item.suffix)
    )
    return sum(one.identity == item.identity for one in alike)
