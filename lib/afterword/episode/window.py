"""The window of an episode: what a derivation needs of its ledger, and its span in time.

Read as a stream, so that a long episode costs a hook no memory; rounds and receipts
are passed over by their bytes. Part of a hook's path: standard library only.
"""

import os

from afterword.episode import events, ledger
from afterword.errors import AfterwordError
from afterword.model import TYPE_CHECKING, Model
from afterword.store import clock
from afterword.store.layout import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# Lines that carry no evidence and can be many; recognised before any parsing.
_PASSED_OVER = tuple(
    f'"event":"{name}"'.encode()
    for name in (
        events.RoundEnded._name,
        events.ProviderEventReceived._name,
        events.ProviderEventFailed._name,
    )
)

# More than any line of ours: what is longer is damage, which must not fill the memory.
_LONGEST = 1 << 20


# A derivation that wrote nothing; compactions can leave thousands of them.
_IDLE = b'"paths":[],"hashes":[]'


class Window(Model):
    """The lines of one episode that matter, in file order, and how many were torn.

    `written` maps each path that this episode's derivations wrote to the hashes of
    what they wrote there, over LF text.
    """

    episode: str
    lines: "tuple[dict[str, Any], ...]"
    torn: int = 0

    def of(self, name: str) -> "list[dict[str, Any]]":
        return [line for line in self.lines if line["event"] == name]

    def first(self, name: str) -> "dict[str, Any] | None":
        return next((line for line in self.lines if line["event"] == name), None)

    def last(self, name: str) -> "dict[str, Any] | None":
        return next(
            (line for line in reversed(self.lines) if line["event"] == name), None
        )

    @property
    def written(self) -> "dict[str, frozenset[str]]":
        found: dict[str, frozenset[str]] = {}
        for line in self.of(events.KnowledgeDerived._name):
            hashes = line.get("hashes")
            paths = _paths(line)
            known = (
                hashes
                if isinstance(hashes, list) and len(hashes) == len(paths)
                else [""] * len(paths)
            )
            for path, value in zip(paths, known, strict=True):
                found[path] = found.get(path, frozenset()) | {str(value)}
        return found

    @property
    def is_closed(self) -> bool:
        """Whether it was closed and neither started nor recorded in since."""
        reopening = (events.SessionStarted._name, events.SessionClosed._name)
        last = next(
            (line for line in reversed(self.lines) if line["event"] in reopening), None
        )
        return last is not None and last["event"] == events.SessionClosed._name


def _paths(line: "dict[str, Any]") -> "list[str]":
    """`paths` of a derivation: a JSON list, or space-joined in ledgers of the older system."""
    paths = line.get("paths")
    if isinstance(paths, str):
        return paths.split()
    return (
        [path for path in paths if isinstance(path, str)]
        if isinstance(paths, list)
        else []
    )


class TooLarge(AfterwordError):
    """An episode recorded more than a hook may hold in memory; a command can read it."""

    code = "too-large"


def read(store: Store, episode: str, most: int = 0) -> Window:
    """The window of an episode, or of `ledger.OUTSIDE`; a joined ledger is given back.

    `most` bytes of evidence may be held, 0 for any number; `TooLarge` above it.
    """
    lines, torn, held = [], 0, 0
    path = ledger.path_of(store, episode)
    if not os.path.exists(path):
        from afterword.episode import archive

        archive.restore(store, episode)
    for raw in _raw_lines(path):
        if any(marker in raw[:120] for marker in _PASSED_OVER) or _IDLE in raw:
            continue
        line = ledger.parse_line(raw) if raw.startswith(b"{") else None
        if line is None:
            torn += 1
        elif line.get("session") == (None if episode == ledger.OUTSIDE else episode):
            lines.append(line)
            held += len(raw)
            if most and held > most:
                raise TooLarge(
                    f"episode {episode} recorded too much for a hook to read",
                    hint=f"close it by hand: .ai/bin/afterword episode close {episode}",
                )
    return Window(episode=episode, lines=tuple(lines), torn=torn)


def _raw_lines(path: str) -> "Iterator[bytes]":
    """The non-blank lines of a file, one at a time; the end of an endless one is one more."""
    descriptor = ledger.open_to_read(path)
    if descriptor < 0:
        return
    with os.fdopen(descriptor, "rb", 1 << 16) as file:
        while raw := file.readline(_LONGEST):
            if raw.strip():
                yield raw


class Bounds(Model):
    """An episode's span: floored seconds and the heads at its ends; None while it is open.

    `opened_at` and `closed_at` are the stamps as written, "" while it is open.
    """

    opened: int
    closed: "int | None"
    opening: "str | None"
    closing: "str | None"
    branch: "str | None"
    opened_at: str = ""
    closed_at: str = ""


def bounds(window: Window) -> "Bounds | None":
    """Where an episode begins and ends, from its lines; None when nothing opened it.

    The opening is that of the first start, whatever was resumed later. Once it is
    ending, the end is that of the last `session.ending`, so that deriving later
    attaches nothing newer.
    """
    first = window.first(events.SessionStarted._name)
    if first is None:
        return None
    end = _end_line(window)
    closed_at, closing = _closing(end) if end else ("", None)
    return Bounds(
        opened=int(clock.seconds(first["ts"])),
        closed=int(clock.seconds(closed_at)) if end else None,
        opening=_absent(first.get("head"), "NONE"),
        closing=_absent(closing, "NONE"),
        branch=_absent(first.get("branch"), "DETACHED"),
        opened_at=first["ts"],
        closed_at=closed_at,
    )


def _closing(end: "dict[str, Any]") -> "tuple[str, object]":
    """When and at which head an episode ended: at its last sign of life, if nobody asked for it."""
    sign = end.get("last_sign")
    try:
        clock.seconds(sign if isinstance(sign, str) else "")
    except ValueError:
        return str(end["ts"]), end.get("head")
    return str(sign), end.get("last_head")


def unfinished_end(window: Window) -> "dict[str, Any] | None":
    """The end that was asked for and not completed, or None."""
    end = _end_line(window)
    return None if end is None or window.is_closed else end


def _end_line(window: Window) -> "dict[str, Any] | None":
    """The last end that no later start or recorded act has taken back."""
    found = None
    for line in window.lines:
        if line["event"] == events.SessionEnding._name:
            found = line
        elif line["event"] == events.SessionStarted._name:
            found = None
    return found


def _absent(value: object, word: str) -> "str | None":
    """Ledgers of the older system write a word where there is no value."""
    return value if isinstance(value, str) and value != word else None
