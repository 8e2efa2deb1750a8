"""What the archives hold, as lines of the knowledge base's listing (`--include-archive`).

An archived queue item keeps its id and gets the category that its entry has; a
reflection is named by its day. Pure; imports this room's readers only.
"""

from __future__ import annotations

from afterword.evolution import entry, knowledge_row, queue, reflection
from afterword.evolution.knowledge_base import Entry

ITEM, REFLECTION = "queue item", "reflection"
ARCHIVED = "archived"


def of_queue(data: bytes) -> list[Entry]:
    """The items of a queue's archive, in the order of the file."""
    found = queue.read(data)
    return [
        Entry(
            id=item.identity,
            title=item.title,
            category=entry.category_of(item, found.raw(item)),
            confidence=knowledge_row.number(item.text("confidence")),
            created=item.added,
            status=ARCHIVED,
            line=item.line,
            form=ITEM,
        )
        for item in found.items
    ]


def of_reflections(data: bytes) -> list[Entry]:
    """The reflections of a log's archive, in the order of the file."""
    return [
        Entry(
            id=one.date,
            title=one.title or one.session,
            category=REFLECTION,
            confidence=None,
            created=one.date,
            status=ARCHIVED,
            line=one.line,
            form=REFLECTION,
        )
        for one in reflection.read(data).entries
    ]
