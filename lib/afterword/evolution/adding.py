"""Putting a queue item or a reflection into its file, so that none is ever lost.

Under the lock `evolution`, which is waited for: twenty at once give twenty (Q5, R12).
The caller has masked secrets. The bytes are those of `queue` and `reflection_log`.
"""

from __future__ import annotations

from afterword.evolution import guarded, queue, queue_text, reflection_log
from afterword.model import Model
from afterword.store import jsonline, safe_text
from afterword.store.config import Config
from afterword.store.layout import Store

QUEUE, QUEUE_ARCHIVE, LOG = "queue", "queue_archive", "reflections"
TITLE_MOST = 100  # characters of a title that is taken from the text


class Added(Model):
    """A new queue item; `path` from the root, `lowered` headings of its text made level 4."""

    id: str
    path: str
    title: str
    lowered: int
    said: tuple[str, ...] = ()


class AddedReflection(Model):
    """A new reflection; `date` is its day, `lowered` headings of its text made level 4."""

    date: str
    title: str
    path: str
    lowered: int
    said: tuple[str, ...] = ()


def learn(
    store: Store,
    config: Config,
    *,
    text: str,
    title: str,
    priority: str,
    source: str,
    metadata: str,
    today: str,
    wait: float,
) -> Added:
    """Add a pending item to the learning queue; without `title` the text's first line is it.

    `metadata` is `key=value, key=value` or "", `today` is `YYYY-MM-DD`. `LockHeld` when the
    files are being edited for longer than `wait` seconds.
    """
    named = safe_text.one_line(title) or title_of(text)
    identity = ""

    def plan(main: bytes | None) -> bytes:
        nonlocal identity
        identity = queue.new_identity(_next_number(store, main), named, text)
        new = queue.New(
            identity=identity,
            title=named,
            priority=priority,
            source=source,
            added=today,
            content=text,
            metadata=metadata,
        )
        return queue.add(main, new, config["language"])

    with guarded.editing(store, wait) as said:
        guarded.change(store, QUEUE, plan)
    path = store.paths[QUEUE]
    return Added(
        id=identity, path=path, title=named, lowered=queue_text.lowered(text), said=said
    )


def _next_number(store: Store, main: bytes | None) -> int:
    """Above every number in the queue and in its archive: none is given twice (Q4)."""
    archive = guarded.read(store, QUEUE_ARCHIVE)
    return queue.next_number(main or b"", archive or b"")


def title_of(text: str) -> str:
    """The first line that says something, without the marks of a heading or a list."""
    lines = (safe_text.one_line(line).lstrip("#-*+> ") for line in text.splitlines())
    first = next(filter(None, lines), "")
    return first if len(first) <= TITLE_MOST else f"{first[: TITLE_MOST - 1]}…"


def add_reflection(
    store: Store,
    config: Config,
    *,
    title: str,
    text: str,
    at: str,
    session: str,
    wait: float,
) -> AddedReflection:
    """Add a reflection to the log; `at` is `YYYY-MM-DD HH:MM`, `session` an id or ""."""
    raw = jsonline.clean(text).encode()

    def plan(log: bytes | None) -> bytes:
        return reflection_log.add(
            log,
            title=title,
            text=raw,
            at=at,
            session=session,
            language=config["language"],
        )

    with guarded.editing(store, wait) as said:
        guarded.change(store, LOG, plan)
    return AddedReflection(
        date=at[:10],
        title=title,
        path=store.paths[LOG],
        lowered=reflection_log.lowered(raw)[1],
        said=said,
    )
