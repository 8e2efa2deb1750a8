"""The open episodes of this worktree: one small file each, beside the spans of all.

An open file is made by whatever event comes first and removed when the episode is
closed. `spans.jsonl` says when episodes were open, so that a commit made while
several were can be told. Part of a hook's path: standard library only.
"""

import os

from afterword.episode import ledger
from afterword.model import TYPE_CHECKING, Model
from afterword.store import atomic, clock, jsonline, safe_text
from afterword.store.layout import Store

if TYPE_CHECKING:
    from typing import Any


# `outside` and `closed` are names in `ledger/`, a README stands beside the records.
_RESERVED = frozenset((ledger.OUTSIDE, "closed", "readme"))


class OpenEpisode(Model):
    """An episode that nobody has closed. `started_at` is a UTC stamp."""

    episode: str
    host: str
    started_at: str
    head: "str | None" = None
    branch: "str | None" = None
    process: "dict[str, Any] | None" = None


def episode_id(session: str) -> str:
    """The id of an episode: the host's session id, made safe for file names."""
    return safe_text.safe_name(session, reserved=_RESERVED)


def path_of(store: Store, episode: str) -> str:
    return store.local_path("open", f"{episode}.json")


def load(store: Store, episode: str) -> "OpenEpisode | None":
    """The open episode of that id; None when it is not open.

    A file that cannot be read still says that the episode is open, and its own time
    stamp since when: it was made without a sync, and what the ledger holds must not
    be forgotten.
    """
    path = path_of(store, episode)
    try:
        changed = os.lstat(path).st_mtime
    except OSError:
        return None
    try:
        found = _parsed((atomic.read(path, limit=1 << 16) or b"").decode())
    except (ValueError, TypeError, KeyError, OSError):
        found = None
    if found is not None and found.episode == episode:
        return found
    return OpenEpisode(episode=episode, host="", started_at=clock.stamp(changed))


def _parsed(text: str) -> "OpenEpisode | None":
    """What an open file says; None or an error of its values when it makes no sense."""
    values = jsonline.loads(text)
    if not isinstance(values, dict):
        return None
    clock.seconds(values["started_at"])
    texts = (values["host"], values.get("head") or "", values.get("branch") or "")
    if not all(isinstance(text, str) for text in texts):
        return None
    known = {key: values[key] for key in OpenEpisode._fields if key in values}
    return OpenEpisode(**known)


def every(store: Store) -> "tuple[OpenEpisode, ...]":
    """All open episodes of this worktree, in the order in which they were opened."""
    try:
        names = os.listdir(store.local_path("open"))
    except (FileNotFoundError, NotADirectoryError):
        return ()
    ids = [
        name[: -len(".json")]
        for name in names
        if name.endswith(".json") and name[0] != "."
    ]
    found = [episode for episode in (load(store, name) for name in ids) if episode]
    return tuple(
        sorted(found, key=lambda episode: (episode.started_at, episode.episode))
    )


def save(store: Store, opened: OpenEpisode) -> None:
    """Write the open file; the first time also note in the spans that it was opened."""
    path = path_of(store, opened.episode)
    fresh = not os.path.lexists(path)
    atomic.write(path, jsonline.to_line(opened.values()), durable=False)
    if fresh:
        _note(store, opened.episode, "opened", opened.started_at)


def remove(store: Store, episode: str, at: str = "") -> None:
    """The episode is closed: note it in the spans, then remove the file.

    `at` is when it ended, where that was before now: its last sign of life.
    """
    if os.path.lexists(path_of(store, episode)):
        _note(store, episode, "closed", at or clock.stamp())
        atomic.unlink(path_of(store, episode))


def _note(store: Store, episode: str, what: str, at: str) -> None:
    """Best effort: without a note, a commit made beside another episode is not told apart."""
    values = {"episode": episode, "at": at, "what": what, "noted": clock.stamp()}
    line = jsonline.to_line(values)
    try:
        ledger.append_line(store.local_path("spans.jsonl"), line, durable=False)
    except OSError:
        return


def beside(
    store: Store, episode: str, since: float, until: float
) -> "tuple[tuple[float, float], ...]":
    """When other episodes were open, as (from, to) in seconds, `to` infinite while open.

    Only spans that overlap the one from `since` to `until`, to the millisecond: an
    episode that ended before this one began was not beside it, also within one second.
    `from` is minus infinity where it lies before. Costs what happened since, not what
    happened ever.
    """
    spans: list[tuple[float, float]] = []
    began: dict[str, float] = {}
    for line in _notes_since(store, since):
        name, at = line["episode"], clock.seconds(line["at"])
        if line["what"] == "opened":
            began.setdefault(name, at)
        elif name != episode:
            spans.append((began.pop(name, float("-inf")), at))
    for other in every(store):
        if other.episode != episode:
            spans.append((clock.seconds(other.started_at), float("inf")))
    return tuple(span for span in spans if span[1] > since and span[0] < until)


def _notes_since(store: Store, since: float) -> "list[dict[str, Any]]":
    """The notes of `spans.jsonl` from a little before `since` on, read from the end."""
    try:
        descriptor = os.open(
            store.local_path("spans.jsonl"),
            os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK,
        )
    except OSError:
        return []
    try:
        start, step, data = os.fstat(descriptor).st_size, 1 << 11, b""
        while True:
            step = min(2 * step, start)
            start -= step
            data = os.pread(descriptor, step, start) + data
            lines = _newest(data.split(b"\n"), since)
            if start == 0 or (lines and _noted(lines[0]) < since):
                return lines
    finally:
        os.close(descriptor)


def _newest(raws: "list[bytes]", since: float) -> "list[dict[str, Any]]":
    """The notes down to the first one before `since`, oldest first.

    The first line of a part of the file may be cut; it is not a note then.
    """
    found: list[dict[str, Any]] = []
    for raw in reversed(raws):
        line = _span_line(raw)
        if line is not None:
            found.append(line)
            if _noted(line) < since:
                break
    return found[::-1]


def _noted(line: "dict[str, Any]") -> float:
    """When a note was written; the notes are in this order."""
    return clock.seconds(line.get("noted") or line["at"])


def _span_line(raw: bytes) -> "dict[str, Any] | None":
    try:
        line = jsonline.loads(raw.decode())
        clock.seconds(line["at"])
        _noted(line)
        return line if isinstance(line["episode"], str) and line["what"] else None
    except (ValueError, TypeError, KeyError):
        return None
