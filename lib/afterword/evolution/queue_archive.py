"""Which done items leave the learning queue for its archive, and what both files become.

The surplus above the newest ones goes (T1.1-T1.4, DESIGN 7); nothing else moves and no
byte of an item changes (N15). Pure; imports `store` and this room's `queue`,
`archive_text`, `item` and `words`.
"""

from __future__ import annotations

from collections.abc import Iterator

from afterword.evolution import item, queue, words
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
    item that leaves something open stays whatever its age. `stamp` is the time of the
    run, `language` that of a new archive's head.
    """
    found = queue.read(main)
    done = queue.newest_done(found)
    if len(done) <= keep:
        return Moved(main=main, kept=len(done))
    held = Archive(archive, cut, identity)
    staying, leaving = _parted(found, done, keep, held)
    left = _without(found, staying, leaving)
    moved, kept = len(leaving), len(done) - len(leaving)
    moving = [found.raw(one) for one in reversed(leaving)]
    del found, done, staying, leaving  # a large file's items need as much as its bytes
    head = blocks.with_newline(_HEADS[language], newline_of(main))
    addition = held.addition(_used_up(moving), stamp, head)
    return Moved(main=left, addition=addition, moved=moved, kept=kept, triggered=True)


def _used_up(found: list[bytes]) -> Iterator[bytes]:
    """From the last to the first, each let go of as it is passed on."""
    while found:
        yield found.pop()


def _parted(
    found: Queue, done: list[Item], keep: int, held: Archive
) -> tuple[list[Item], list[Item]]:
    """The done items that stay, newest first, and those that leave, oldest first."""
    movable = [one for one in done if not one.is_open]
    fresh = [one for one in movable if not held.holds(found.raw(one))]
    staying = fresh[: max(0, keep - (len(done) - len(movable)))]
    places = {one.start for one in staying}
    return staying, [one for one in reversed(movable) if one.start not in places]


def cut(text: bytes) -> list[bytes]:
    """The items' bytes in a part of an archive."""
    found = queue.read(text)
    return [found.raw(one) for one in found.items]


def identity(raw: bytes) -> str:
    """The id in the heading of an item's bytes."""
    return item.heading_of(raw)["identity"].decode()


def _without(found: Queue, staying: list[Item], leaving: list[Item]) -> bytes:
    """The file without the items that leave; those that stay, newest first, in their places."""
    changed = dict.fromkeys(leaving, b"")
    places = sorted(staying, key=lambda one: one.start)
    for place, one in zip(places, staying, strict=True):
        changed[place] = _moved(found, one, place)
    return queue.replaced(found, changed)


def _moved(found: Queue, one: Item, place: Item) -> bytes:
    """An item's bytes for another place: the last of the file gets an empty line behind it."""
    raw = found.raw(one)
    if place is one or one.end < len(found.data):
        return raw
    return blocks.append(raw, b"", newline=newline_of(found.data))
