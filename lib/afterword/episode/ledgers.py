"""Every ledger that this worktree can read, line by line: live, outside, joined, adopted.

For commands that look at all of history: a check, doctor. One pass holds one line in
memory, whatever the size behind it. Hooks never come here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from afterword.episode import archive, ledger
from afterword.model import Model
from afterword.store.layout import Store

ADOPTED = ("state", "ledger.jsonl")
_ADOPTED_PREFIX = "ledger."


class Source(Model):
    """One ledger: `path` absolute, `episode` "" where it holds many (an adopted one).

    `start` and `size` are a joined ledger's place in its archive; 0 and None elsewhere.
    """

    path: str
    episode: str = ""
    start: int = 0
    size: int | None = None


def sources(store: Store) -> Iterator[Source]:
    """All ledgers, each episode once: a live file before a joined one, the longest of those."""
    folder = store.local_path("ledger")
    live = set()
    for name in sorted(_names(folder)):
        if name.endswith(archive.SUFFIX) and not name.startswith("."):
            episode = name[: -len(archive.SUFFIX)]
            live.add(episode)
            yield Source(path=os.path.join(folder, name), episode=episode)
    yield from _joined(store, live)
    yield from _adopted(store)


def _joined(store: Store, live: set[str]) -> Iterator[Source]:
    longest: dict[str, archive.Entry] = {}
    for entry in archive.entries(store):
        known = longest.get(entry.episode)
        if entry.episode not in live and (known is None or entry.size > known.size):
            longest[entry.episode] = entry
    for episode, entry in longest.items():
        yield Source(
            path=entry.archive, episode=episode, start=entry.start, size=entry.size
        )


def _adopted(store: Store) -> Iterator[Source]:
    """The one ledger of the system that was adopted in place, and its rotated parts."""
    folder = store.local_path(ADOPTED[0])
    for name in sorted(_names(folder)):
        if name.startswith(_ADOPTED_PREFIX) and ".jsonl" in name:
            yield Source(path=os.path.join(folder, name))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []


def raw_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """The non-blank lines with their numbers, counted from where the ledger begins.

    `OSError` for what cannot be read; a symlink or a FIFO in a ledger's place is one.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    with os.fdopen(os.open(source.path, flags), "rb") as file:
        file.seek(source.start)
        left = source.size
        for number, raw in enumerate(file, 1):
            if left is not None:
                if left <= 0:
                    return
                left -= len(raw)
            if raw.strip():
                yield number, raw


def lines_before(source: Source) -> int:
    """How many lines of its file stand before a joined ledger."""
    count, left = 0, source.start
    if left:
        with open(source.path, "rb") as file:
            while left > 0 and (piece := file.read(min(left, 1 << 20))):
                count += piece.count(b"\n")
                left -= len(piece)
    return count


def lines(source: Source) -> Iterator[tuple[int, dict[str, object]]]:
    """The lines that can be read, with their numbers; torn ones are passed over."""
    for number, raw in raw_lines(source):
        line = ledger.parse_line(raw)
        if line is not None:
            yield number, line
