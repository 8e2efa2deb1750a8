"""What a briefing says of the learning queue and the reflections: counts, a few titles (N16).

Never their text, and never read here: `evolution.overview` has the counts. A title is
shown only where this machine's ledger recorded it word for word; of other items, which
may come from anybody's branch, id and priority are (DESIGN 12). Part of a hook's path.
"""

from afterword.briefing.fence import Section
from afterword.episode import recorded
from afterword.evolution import overview
from afterword.evolution.overview import QueueView, ReflectionsView
from afterword.model import TYPE_CHECKING
from afterword.store.layout import Store
from afterword.store.safe_text import own_words, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

# A briefing never waits for a larger file: it is counted behind it, or by a command.
MOST_BYTES = 1 << 18
TITLES, NEWEST = 5, 3
TITLE, PROBLEM = 120, 160
QUEUE_LIST = ".ai/bin/afterword queue list"
REFLECT_LIST = ".ai/bin/afterword reflect list"
_PRIORITIES = frozenset(("P0", "P1", "P2", "P3"))


def waiting(store: Store, *, keep: bool = True) -> "list[Section]":
    """Up to two sections: none of a file that is not there or holds nothing."""
    seen = overview.look(store, most_bytes=MOST_BYTES, keep=keep)
    return [*_queue(store, seen.queue), *_reflections(store, seen.reflections)]


def _queue(store: Store, view: "QueueView | None") -> "Iterator[Section]":
    if view is None or view.problem:
        yield _unread("Learning queue", view.problem if view else "", QUEUE_LIST)
        return
    counts = {"pending": view.pending, "processing": view.processing, "done": view.done}
    if not view.other and not any(counts.values()):
        return
    if view.other:
        counts["of another status"] = view.other
    shown = view.waiting[:TITLES]
    yield Section(
        heading=f"Learning queue: {', '.join(f'{n} {what}' for what, n in counts.items())}",
        items=_lines(store, shown),
        left_out=view.pending + view.processing - len(shown),
        hint=QUEUE_LIST,
    )


def _lines(
    store: Store, items: "tuple[tuple[str, str, str], ...]"
) -> "tuple[str, ...]":
    known = recorded.known(store) if items else frozenset()
    found = []
    for identity, priority, title in items:
        line = plain(identity, 40)
        if priority in _PRIORITIES:
            line += f" ({priority})"
        if recorded.has(known, identity, title):
            line += f": {plain(title, TITLE)}"
        found.append(line)
    return tuple(found)


def _reflections(store: Store, view: "ReflectionsView | None") -> "Iterator[Section]":
    if view is None or view.problem:
        yield _unread("Reflections", view.problem if view else "", REFLECT_LIST)
        return
    if not view.total:
        return
    known = recorded.known(store) if view.newest else frozenset()
    items = [
        f"{date}: {plain(title, TITLE)}"
        for date, title in view.newest
        if title and recorded.has(known, date, title)
    ]
    newest = f", the newest of {view.newest[0][0]}" if view.newest else ""
    yield Section(
        heading=f"Reflections: {view.total}{newest} ({REFLECT_LIST})",
        items=tuple(items[:NEWEST]),
    )


def _unread(what: str, problem: str, command: str) -> Section:
    reason = plain(own_words(problem), PROBLEM) if problem else "too large for a start"
    return Section(heading=f"{what}: not counted ({reason}); see: {command}")
