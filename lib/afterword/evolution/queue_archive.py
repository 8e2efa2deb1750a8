"""Which done items leave the learning queue for its archive, and what both files become.

The surplus above the newest ones goes (T1.1-T1.4, DESIGN 7); nothing else moves and no
byte of an item changes (N15). Pure; imports `store` and this room's `queue`,
`archive_text`, `item` and `words`.
"""

from __future__ import annotations

import itertools
from array import array
from io import BytesIO

from afterword.evolution import archive_text, item, queue, words
from afterword.evolution.archive_text import Archive
from afterword.evolution.archive_text import Moved as Moved  # noqa: PLC0414 re-exported
from afterword.evolution.item import Item
from afterword.evolution.queue import Queue
from afterword.store import blocks
from afterword.store.newline import newline_of

_HEADS = {
    words.EN: b"# Learning queue archive\n\n",
    words.ZH: "# 学习队列归档\n\n".encode(),
}


def plan(main: bytes, archive: bytes, keep: int, stamp: str, language: str) -> Moved:
    """What an archive run does to the queue and appends to its archive (empty: none yet).

    It runs when `count > 10`, strictly, for a `keep` of 10: eleven done items trigger it,
    ten do not (T1.1). Done items that the archive holds leave first, then the oldest. An
    item that leaves something open, or holds the mark of an archived one, stays whatever
    its age. `stamp` is the time of the
    run, `language` that of a new archive's head.
    """
    found = queue.read(main)
    done = queue.newest_done(found)
    if len(done) <= keep:
        return Moved(main=main, kept=len(done))
    held = Archive(archive, cut, identity)
    staying, leaving = _parted(found, done, keep, held)
    left = _without(main, staying, leaving)
    moved, kept, twins = len(leaving), len(done) - len(leaving), _twins(leaving)
    spans = array("q", (at for one in leaving for at in (one.start, one.end)))
    del found, done, staying, leaving  # a large file's items need more than its bytes
    head = blocks.with_newline(_HEADS[language], newline_of(main))
    moving = (
        main[start:end] for start, end in zip(spans[::2], spans[1::2], strict=True)
    )
    addition = held.addition(moving, stamp, head, twins)
    return Moved(main=left, addition=addition, moved=moved, kept=kept, triggered=True)


def _parted(
    found: Queue, done: list[Item], keep: int, held: Archive
) -> tuple[list[Item], list[Item]]:
    """The done items that stay, newest first, and those that leave, oldest first."""
    movable = [one for one in done if _is_movable(one)]
    fresh = [one for one in movable if not held.holds(found.raw(one))]
    staying = fresh[: max(0, keep - (len(done) - len(movable)))]
    places = {one.start for one in staying}
    return staying, [one for one in reversed(movable) if one.start not in places]


def _is_movable(one: Item) -> bool:
    """Whether an archive can hold the item and give it back as one."""
    return not (one.is_open or archive_text.is_marked(one.raw))


def cut(text: bytes) -> list[bytes]:
    """The items' bytes in a part of an archive."""
    found = queue.read(text)
    return [found.raw(one) for one in found.items]


def identity(raw: bytes) -> str:
    """The id in the heading of an item's bytes."""
    return item.heading_of(raw)["identity"].decode()


def _twins(leaving: list[Item]) -> frozenset[str]:
    """The ids that more than one of the items have (Q16)."""
    pairs = itertools.pairwise(sorted(leaving, key=lambda one: one.number))
    alike = (pair for pair in pairs if pair[0].number == pair[1].number)
    return frozenset(one.identity for pair in alike for one in pair)


def _without(main: bytes, staying: list[Item], leaving: list[Item]) -> bytes:
    """The file without the items that leave; those that stay, newest first, in their places."""
    places = sorted(one.start for one in staying)
    there = dict(zip(places, staying, strict=True))
    whole, at = BytesIO(), 0
    for place in sorted((*staying, *leaving), key=lambda one: one.start):
        whole.write(main[at : place.start])
        if one := there.get(place.start):
            whole.write(one.raw if one is place else _completed(one))
        at = place.end
    whole.write(main[at:])
    return whole.getvalue()


def _completed(one: Item) -> bytes:
    """An item's bytes for another place: the last of the file gets an empty line behind it."""
    if one.end < len(one.data):
        return one.raw
    return blocks.append(one.raw, b"", newline=newline_of(one.data))
