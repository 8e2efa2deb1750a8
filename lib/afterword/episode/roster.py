"""The episodes of this worktree, told from both ends of their ledgers.

Joined ones too; nothing is restored or changed by looking. For commands.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from afterword.episode import events, ledger, ledgers, opened
from afterword.episode.ledgers import Source
from afterword.model import Model
from afterword.store.layout import Store

_HEAD, _TAIL = 1 << 13, 1 << 14
_TURNS = (events.SessionStarted._name, events.SessionClosed._name)


class Listed(Model):
    """One episode. Times are stamps; `closed` and `outcome` are None while it is open."""

    episode: str
    host: str = ""
    started: str | None = None
    closed: str | None = None
    outcome: str | None = None
    branch: str | None = None


def every(store: Store) -> list[Listed]:
    """All episodes, in the order of their first starts."""
    is_open = {one.episode for one in opened.every(store)}
    found = [
        _listed(source, source.episode in is_open)
        for source in ledgers.sources(store)
        if source.episode not in ("", ledger.OUTSIDE)
    ]
    return sorted(found, key=lambda one: (one.started or "", one.episode))


def of(store: Store, episode: str) -> Listed:
    """One episode; nothing but its id where it has no ledger yet."""
    is_open = opened.load(store, episode) is not None
    for source in ledgers.sources(store):
        if source.episode == episode:
            return _listed(source, is_open)
    return Listed(episode=episode)


def _listed(source: Source, is_open: bool) -> Listed:
    first, last = _ends(source)
    started = next((line for line in first if line["event"] == _TURNS[0]), None)
    turn = next((line for line in reversed(last) if line["event"] in _TURNS), None)
    if started is None or (turn is None and not is_open):
        lines = list(_turns(source))
        started = next((line for line in lines if line["event"] == _TURNS[0]), None)
        turn = lines[-1] if lines else None
    is_closed = turn is not None and turn["event"] == _TURNS[1] and not is_open
    return Listed(
        episode=source.episode,
        host=_text(started, "host") or "",
        started=_text(started, "ts"),
        closed=_text(turn, "ts") if is_closed else None,
        outcome=_text(turn, "outcome") if is_closed else None,
        branch=_text(started, "branch"),
    )


def _ends(source: Source) -> tuple[tuple[dict[str, Any], ...], ...]:
    """The lines at the beginning and at the end; one that is cut is left out."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(source.path, flags)
    except FileNotFoundError:
        return (), ()
    try:
        size = source.size
        if size is None:
            size = os.fstat(descriptor).st_size
        end = source.start + size
        head = os.pread(descriptor, min(_HEAD, size), source.start)
        tail = os.pread(descriptor, min(_TAIL, size), end - min(_TAIL, size))
        return ledger.parse(head).lines, ledger.parse(tail).lines
    finally:
        os.close(descriptor)


def _turns(source: Source) -> Iterator[dict[str, Any]]:
    for _, line in ledgers.lines(source):
        if line["event"] in _TURNS:
            yield line


def _text(line: dict[str, Any] | None, key: str) -> str | None:
    value = line.get(key) if line else None
    return value if isinstance(value, str) else None
