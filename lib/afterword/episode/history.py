"""What happened in this worktree, from all its ledgers, in order of time.

`select` keeps an index of what matches and reads the lines again from their files,
so that a history of any length needs little memory. Nothing is changed by looking.
For commands.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from afterword.episode import archive, events, ledger, ledgers
from afterword.episode.ledgers import Source
from afterword.model import Model
from afterword.store import clock
from afterword.store.layout import Store

_OPEN_AT_ONCE = 64
_SLACK = 4096


class Query(Model):
    """Which lines are asked for; "" and None ask for nothing in particular.

    `episode` may be `ledger.OUTSIDE`; `since` is in seconds; `limit` keeps the newest.
    """

    event: str = ""
    episode: str = ""
    task: str = ""
    since: float | None = None
    limit: int | None = None


class Torn(Model):
    """What could not be read: a line, by its file from the root and its number in it.

    Number 0: the whole file, for the `reason`.
    """

    path: str
    number: int
    reason: str = "not a ledger line"


class _Place(Model):
    """A source with its number in the order of reading."""

    source: Source
    rank: int


_Index = list[tuple[float, int, int, int]]  # time, rank of the source, offset, length


def select(store: Store, query: Query, torn: Callable[[Torn], None]) -> Iterator[bytes]:
    """The lines that match as they stand in their files, oldest first.

    Of one millisecond, the order of the files. `torn` is told of each line that is
    none, before the first line comes.
    """
    places = [
        _Place(source=source, rank=rank)
        for rank, source in enumerate(ledgers.sources(store))
    ]
    index: _Index = []
    for place in places:
        try:
            _scan(store, place, query, index, torn)
        except OSError as error:
            path = store.relative(place.source.path)
            torn(Torn(path=path, number=0, reason=error.strerror or str(error)))
        if query.limit is not None and len(index) > query.limit + _SLACK:
            _trim(index, query.limit)
    index.sort(key=lambda item: item[0])
    if query.limit is not None:
        _trim(index, query.limit)
    with _Files(store, places) as files:
        for _, rank, offset, length in index:
            yield files.read(rank, offset, length)


def _trim(index: _Index, limit: int) -> None:
    """Leave the newest of an index; sorting keeps the order of equal times."""
    index.sort(key=lambda item: item[0])
    del index[: max(len(index) - limit, 0)]


def _scan(
    store: Store,
    place: _Place,
    query: Query,
    index: _Index,
    torn: Callable[[Torn], None],
) -> None:
    """Add what matches in one ledger; its lines are held one at a time."""
    source = place.source
    for number, offset, raw in _numbered(store, source):
        line = ledger.parse_line(raw)
        if line is None:
            torn(_torn(store, source, number))
            continue
        at = clock.seconds(line["ts"])
        if _matches(line, at, query):
            index.append((at, place.rank, offset, len(raw)))


def _numbered(store: Store, source: Source) -> Iterator[tuple[int, int, bytes]]:
    """Number, offset from the ledger's beginning, and bytes of each line but blank ones."""
    descriptor, start, size = _open(store, source)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        file.seek(start)
        offset = 0
        for number, raw in enumerate(file, 1):
            if size is not None and offset >= size:
                return
            if raw.strip():
                yield number, offset, raw.rstrip(b"\r\n")
            offset += len(raw)


def _open(store: Store, source: Source) -> tuple[int, int, int | None]:
    """A ledger's descriptor, where it begins there, and its size in an archive."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        return os.open(source.path, flags), source.start, source.size
    except FileNotFoundError:
        joined = _joined(store, source.episode)  # a moment ago it was a file of its own
        if joined is None:
            raise
        return os.open(joined.archive, flags), joined.start, joined.size


def _joined(store: Store, episode: str) -> archive.Entry | None:
    found = [entry for entry in archive.entries(store) if entry.episode == episode]
    return max(found, key=lambda entry: entry.size, default=None)


def _matches(line: dict[str, Any], at: float, query: Query) -> bool:
    if query.event and line["event"] != query.event:
        return False
    if query.task and line.get("task_id") != query.task:
        return False
    if query.since is not None and at < query.since:
        return False
    return not query.episode or _belongs(line, query.episode)


def _belongs(line: dict[str, Any], episode: str) -> bool:
    """By the stamp; a derivation names its episode itself, as it may run later."""
    if line["event"] == events.KnowledgeDerived._name and "episode" in line:
        return bool(line["episode"] == episode)
    if episode == ledger.OUTSIDE:
        return "session" not in line
    return bool(line.get("session") == episode)


def _torn(store: Store, source: Source, number: int) -> Torn:
    """Where a line stands in its file, which may hold other ledgers before this one."""
    before = _lines_before(source.path, source.start) if source.start else 0
    return Torn(path=store.relative(source.path), number=before + number)


def _lines_before(path: str, start: int) -> int:
    count = 0
    with open(path, "rb") as file:
        while start > 0:
            piece = file.read(min(start, 1 << 20))
            if not piece:
                break
            count += piece.count(b"\n")
            start -= len(piece)
    return count


class _Files:
    """The ledgers of an index, a bounded number of them open at a time."""

    def __init__(self, store: Store, places: list[_Place]) -> None:
        self._store = store
        self._places = places
        self._open: OrderedDict[int, tuple[int, int]] = OrderedDict()

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor, _start in self._open.values():
            os.close(descriptor)

    def read(self, rank: int, offset: int, length: int) -> bytes:
        if rank not in self._open:
            self._add(rank)
        self._open.move_to_end(rank)
        descriptor, start = self._open[rank]
        return os.pread(descriptor, length, start + offset)

    def _add(self, rank: int) -> None:
        if len(self._open) >= _OPEN_AT_ONCE:
            _, (oldest, _start) = self._open.popitem(last=False)
            os.close(oldest)
        descriptor, start, _size = _open(self._store, self._places[rank].source)
        self._open[rank] = (descriptor, start)
