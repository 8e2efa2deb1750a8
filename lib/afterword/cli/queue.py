"""`afterword queue`: what there is to learn, and the archive of what was learned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from afterword.cli import acting, moving
from afterword.cli.frame import Frame, group, pass_frame
from afterword.evolution import counting, item
from afterword.evolution.item import Item
from afterword.evolution.queue import Queue
from afterword.store import blocks
from afterword.store.safe_text import shown

SHOWN = 300
# Lines on stderr about one kind of oddity in a file.
TOLD = 5


@group("queue")
def queue() -> None:
    """List the learning queue; move what is done and old to its archive."""


@queue.command("list")
@click.option(
    "--status",
    metavar="S",
    help="pending, processing, done, other, or a status as it stands in the file.",
)
@pass_frame
def list_(frame: Frame, status: str | None) -> None:
    """The items of the learning queue, in the order of the file."""
    path = frame.store.paths["queue"]
    found = counting.read_queue(frame.store)
    items = [one for one in found.items if status in (None, one.state, one.status)]
    if frame.json:
        for one in items:
            frame.emit(_object(one, path))
    elif items:
        frame.columns([_row(one) for one in items])
    if not frame.json:
        counts = ", ".join(f"{n} {state}" for state, n in found.counts().items())
        frame.out(f"queue list: {counts}")
    for line in _oddities(found, path):
        frame.say(line)


def _object(one: Item, path: str) -> dict[str, Any]:
    return {
        "id": one.identity,
        "status": one.status,
        "priority": one.priority,
        "source": one.source,
        "added": one.added,
        "processed": one.processed,
        "title": one.title,
        "malformed": list(one.malformed),
        "where": f"{path}:{one.line}",
    }


def _row(one: Item) -> tuple[str, ...]:
    return (
        one.identity,
        shown(one.status or "-", 20),
        shown(one.priority or "-", 20),
        shown(one.processed or one.added or "-", 20),
        shown(one.title, SHOWN),
    )


def _oddities(found: Queue, path: str) -> Iterator[str]:
    """What a person should look at; a few lines of each kind."""
    wrong = [
        f"{path}:{one.line}: {one.identity}: {shown('; '.join(one.malformed), SHOWN)}"
        for one in found.items
        if one.malformed
    ]
    yield from _first(wrong)
    yield from _first(list(_doubled(found, path)))
    without = _without_id(found.data)
    if without:
        noun = "heading names" if len(without) == 1 else "headings name"
        line = blocks.line_number(found.data, without[0])
        yield f"{path}:{line}: {len(without)} {noun} no item: left as they are"


def _first(lines: list[str]) -> Iterator[str]:
    yield from lines[:TOLD]
    if len(lines) > TOLD:
        yield f"... and {len(lines) - TOLD} more"


def _doubled(found: Queue, path: str) -> Iterator[str]:
    """Ids that several items have (Q16)."""
    places: dict[str, list[int]] = {}
    for one in found.items:
        places.setdefault(one.identity, []).append(one.line)
    for identity, lines in places.items():
        if len(lines) > 1:
            others = ", ".join(map(str, lines[1:]))
            yield f"{path}:{lines[0]}: {identity} stands again in line {others}"


def _without_id(data: bytes) -> list[int]:
    """Where headings of an item's level stand that begin none (Q7, Q11)."""
    return [
        one.start
        for one in blocks.headings(data)
        if one.level == item.LEVEL and item.match(one.level, one.text) is None
    ]


@queue.command("archive")
@click.option("--dry-run", is_flag=True, help="Say what would be moved.")
@acting.episode_option
@pass_frame
def archive(frame: Frame, dry_run: bool, episode: str) -> None:
    """Move the oldest done items to the archive when the queue holds too many.

    While another process archives nothing is done, for that one does the same.
    """
    moving.alone(frame, moving.QUEUE, episode, is_dry=dry_run)
