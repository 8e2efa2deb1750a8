"""`afterword knowledge` without a verb: the knowledge base, whole or what is asked for."""

from __future__ import annotations

import os

from afterword.cli.frame import Frame
from afterword.evolution import (
    guarded,
    knowledge_archive,
    knowledge_base,
    knowledge_filter,
    notices,
)
from afterword.evolution.knowledge_base import Base, Entry
from afterword.model import Model
from afterword.store.layout import Store
from afterword.store.safe_text import shown

SHOWN = 300  # characters of a title
_CELL = 60  # characters of any other cell
_TOLD = 5  # problems that are told one by one
# How many parts between hyphens the id at the beginning of a file name may have.
_ID_PARTS = 2


class Asked(Model):
    """What is to be listed; `keyword` and `category` are None when not asked for."""

    keyword: str | None
    category: str | None
    include_archive: bool

    @property
    def is_filtered(self) -> bool:
        return self.keyword is not None or self.category is not None

    @property
    def is_bare(self) -> bool:
        """Whether nothing was asked for at all."""
        return not (self.is_filtered or self.include_archive)

    def checked(self) -> Asked:
        """Itself; `UsageError` for an option that asks for nothing or too much."""
        if self.keyword is not None:
            knowledge_filter.checked("--filter", self.keyword)
        if self.category is not None:
            knowledge_filter.checked("--category", self.category)
        return self

    def of(self, entries: list[Entry]) -> list[Entry]:
        """Those of the entries that are asked for."""
        return knowledge_filter.filtered(
            entries, self.keyword or "", self.category or ""
        )


def run(frame: Frame, asked: Asked) -> None:
    """List the entries of the knowledge base, and of the archives when asked to."""
    asked.checked()
    store = frame.store
    own = list(_base(frame, store).entries)
    archived = _archived(store) if asked.include_archive else []
    found, old = asked.of(own), [(asked.of(part), path) for part, path in archived]
    total = len(own) + sum(len(part) for part, _ in archived)
    count = len(found) + sum(len(part) for part, _ in old)
    if frame.json:
        files = _files(store) if found else {}
        rows = [_object(one, files.get(one.id.casefold())) for one in found]
        rows += [_object(one, path) for part, path in old for one in part]
        frame.emit({"entries": rows, "shown": count, "total": total})
        return
    frame.columns([_cells(one) for one in (*found, *(o for p, _ in old for o in p))])
    if asked.is_filtered:
        frame.out(notices.shown(count, total, frame.config["language"]))


def _base(frame: Frame, store: Store) -> Base:
    """What the base holds; what is wrong with it is told on stderr."""
    path = store.paths["knowledge_base"]
    data = guarded.read(store, "knowledge_base")
    if data is None:
        frame.say("no knowledge base yet")
        frame.say("begin one: afterword learn TEXT, then afterword evolve")
        return Base(entries=(), problems=(), read=0)
    base = knowledge_base.read(data)
    if not base.entries:
        frame.say(f"{path}: no entry yet")
    for problem in base.problems[:_TOLD]:
        frame.say(f"{path}:{problem.line}: {shown(problem.message, SHOWN)}")
    if len(base.problems) > _TOLD:
        frame.say(f"{path}: and {len(base.problems) - _TOLD} more such problems")
    return base


def _archived(store: Store) -> list[tuple[list[Entry], str]]:
    """What each archive holds, with the archive's path."""
    readers = {
        "queue_archive": knowledge_archive.of_queue,
        "reflections_archive": knowledge_archive.of_reflections,
    }
    return [
        (read(guarded.read(store, key) or b""), store.paths[key])
        for key, read in readers.items()
    ]


def _files(store: Store) -> dict[str, str]:
    """The path of each entry that has a file, by id; the folder is listed once."""
    folder = store.tracked("entries")
    try:
        names = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    found: dict[str, str] = {}
    for name in names:
        parts = name.removesuffix(".md").split("-")
        if name.endswith(".md") and not name.startswith("."):
            for count in range(1, _ID_PARTS + 1):
                identity = "-".join(parts[:count]).casefold()
                found.setdefault(identity, f"{store.paths['entries']}/{name}")
    return found


def _object(entry: Entry, path: str | None) -> dict[str, object]:
    return {
        "id": entry.id,
        "title": entry.title,
        "category": entry.category,
        "confidence": entry.confidence,
        "created": entry.created,
        "status": entry.status,
        "path": path,
    }


def _cells(entry: Entry) -> tuple[str, ...]:
    confidence = "" if entry.confidence is None else f"{entry.confidence:g}"
    texts = (entry.category, confidence, entry.created, entry.status)
    return (
        shown(entry.id, _CELL) or "-",
        shown(entry.title, SHOWN) or "-",
        *(shown(text, _CELL) or "-" for text in texts),
    )
