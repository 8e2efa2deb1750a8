"""The bytes of an archive: blocks one after the other, each with the time it came in.

An archive is only ever appended to. Behind each block stands a line
`<!-- archived 2026-11-30T12:34:56Z -->`, the mark that the whole block is there; a tail
without it was torn, and is completed (C6, DESIGN 10). What a block is says the caller,
so that queue and reflections share this. Pure; imports `store` and `model` only.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator
from io import BytesIO

from afterword.model import Model
from afterword.store import blocks
from afterword.store.digest import sha256
from afterword.store.newline import newline_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    Cut = Callable[[bytes], list[bytes]]
    Identity = Callable[[bytes], str]

_OPENING, _CLOSING = b"<!-- archived ", b" -->"
_MARK = re.compile(
    rb"<!-- archived ([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z) -->"
    rb"[ \t]*[\r\n]*\Z"
)
_BLANK = b" \t\r\n"
_LINE = re.compile(rb"[^\r\n]*(?:\r\n?|\n)?")
_LINE_START = re.compile(rb"(?:\A|(?<=\n)|(?<=\r)(?!\n))(?=[^\r\n])")


class Addition(Model):
    """What an archive run appends.

    `data` are the bytes, `added` the blocks in them, `folded` those that the archive
    held already; `collisions` are ids that it holds with other content, too (C5).
    """

    data: bytes = b""
    added: int = 0
    folded: int = 0
    collisions: tuple[str, ...] = ()


class Moved(Model):
    """A main file after blocks left it for its archive, and what the archive gets.

    `moved` counts all blocks that left `main` (C27), `kept` those of their kind that
    stay. Nothing is to be written when not `triggered`.
    """

    main: bytes
    addition: Addition = Addition()
    moved: int = 0
    kept: int = 0
    triggered: bool = False


def plan(
    archive: bytes, moving: list[bytes], stamp: str, head: bytes, cut: Cut
) -> Addition:
    """What to append to an archive (empty: none yet) so that it holds the blocks `moving`.

    `stamp` is the time of the run, `head` the beginning of a new archive; `cut` gives the
    blocks in a text. No block may leave a fence or comment open.
    """
    return Archive(archive, cut).addition(moving, stamp, head)


def stamped(archive: bytes) -> Iterator[tuple[bytes, str]]:
    """The text before each mark with its stamp; last what stands behind all, with "".

    The first text holds the head, and whatever a person archived before the first run.
    Together with the marks and their empty lines the texts are the archive.
    """
    for start, end, stamp in _stretches(archive):
        yield archive[start:end], stamp


def mark(stamp: str, newline: bytes) -> bytes:
    """The line behind an archived block, and the empty line behind that."""
    return _OPENING + stamp.encode() + _CLOSING + newline + newline


def trimmed(raw: bytes) -> bytes:
    """A block without the empty lines behind it, which two copies need not share.

    A mark behind it goes, too: it came along when a person copied the block back.
    """
    end = len(raw.rstrip(_BLANK))
    while True:
        start = 1 + max(raw.rfind(b"\n", 0, end), raw.rfind(b"\r", 0, end))
        if not _MARK.match(raw[start:end]):
            break
        end = len(raw[:start].rstrip(_BLANK))
    spaces = len(raw) - end - len(raw[end:].lstrip(b" \t"))
    return raw[: end + spaces]


def is_marked(raw: bytes) -> bool:
    """Whether a mark stands inside a block: in an archive it would be read as two."""
    if _OPENING not in raw:
        return False
    return sum(1 for _ in _stretches(trimmed(raw))) > 1


class Archive:
    """An archive, read once: which blocks it holds, and what more it needs.

    `identity` gives the id of a block, to find equal ids with other content (C5).
    """

    def __init__(self, data: bytes, cut: Cut, identity: Identity | None = None) -> None:
        self._data = data
        self._cut = cut
        self._identity = identity
        self._keys: set[bytes] = set()
        self._ids: set[str] = set()
        self._collisions: list[str] = []
        self._twins: Container[str] | None = None
        self._last = 0  # where the text behind the last mark begins
        for start, end, stamp in _stretches(data):
            self._last = start
            if stamp:
                self._hold(cut(data[start:end]))
        self._tail = {_key(one) for one in cut(data[self._last :])}

    def holds(self, raw: bytes) -> bool:
        """Whether the block is in it, the same but for empty lines at its end (T1.7c)."""
        key = _key(raw)
        return key in self._keys or key in self._tail

    def addition(
        self,
        moving: Iterable[bytes],
        stamp: str,
        head: bytes,
        twins: Container[str] | None = None,
    ) -> Addition:
        """What to append so that the blocks are in it; as `plan`. To be asked once.

        The blocks are taken one by one: those of a large file need not be there twice. For
        the same reason the ids that several of them have can be given as `twins`; the
        others are not remembered then.
        """
        self._twins = twins
        newline = newline_of(head if head.startswith(self._data) else self._data)
        marked = mark(stamp, newline)
        torn = None
        if not head.startswith(self._data) and self._data[self._last :].strip(_BLANK):
            moving = whole = [blocks.completed(one, newline) for one in moving]
            torn = self._torn(whole, head, marked)
            if torn:
                whole.remove(torn.block)
                whole.insert(0, torn.block)
        end = torn.start if torn else len(self._data)
        self._hold(self._cut(self._data[self._last : end]))
        written = BytesIO()
        pieces = self._pieces(moving, torn, head, newline, marked)
        sizes = [written.write(piece) for piece in pieces]
        added = sum(map(bool, sizes))
        return Addition(
            data=written.getvalue(),
            added=added,
            folded=len(sizes) - added,
            collisions=tuple(self._collisions),
        )

    def _torn(self, moving: list[bytes], head: bytes, marked: bytes) -> _Torn | None:
        """The block that the end of the archive begins, if a run ended in its middle."""
        waiting = [one for one in moving if _key(one) not in self._keys]
        torn = _torn(self._data, self._last, waiting, marked) if waiting else None
        is_ours = self._last > 0 or self._data.startswith(head)
        if torn and not is_ours and not torn.rest.removesuffix(marked).strip(_BLANK):
            return None  # a whole block in an archive made by hand, which has no marks
        return torn

    def _pieces(
        self,
        moving: Iterable[bytes],
        torn: _Torn | None,
        head: bytes,
        newline: bytes,
        marked: bytes,
    ) -> Iterator[bytes]:
        """For each block what is to be appended: nothing when the archive holds it."""
        joint = _joint(self._data, self._last, head, newline)
        for one in moving:
            is_fresh = self._take(one)
            if torn:
                yield torn.rest
                torn, joint = None, b""
            elif is_fresh:
                yield joint + blocks.completed(one, newline) + marked
                joint = b""
            else:
                yield b""

    def _hold(self, found: Iterable[bytes]) -> None:
        for one in found:
            self._keys.add(_key(one))
            if self._identity:
                self._ids.add(self._identity(one))

    def _take(self, block: bytes) -> bool:
        """Whether the block is new here; it is held from now on."""
        if (key := _key(block)) in self._keys:
            return False
        name = self._identity(block) if self._identity else ""
        if name in self._ids:
            self._collisions.append(name)
        if self._twins is None or name in self._twins:
            self._keys.add(key)
            if self._identity:
                self._ids.add(name)
        return True


def _key(raw: bytes) -> bytes:
    return sha256(trimmed(raw)).digest()[:16]


def _stretches(archive: bytes) -> Iterator[tuple[int, int, str]]:
    """Spans of the texts between marks, the stamp that closes each, "" for the last."""
    begin, is_behind, is_open = 0, False, False
    for start, end, kind in blocks.lines(archive, blocks.has_front(archive)):
        line = archive[start:end]
        if is_behind and not line.strip(_BLANK):
            begin = end  # the empty line of a mark is of no text
        is_behind = False
        if kind != blocks.COMMENT:
            continue
        was_open, is_open = is_open, _leaves_open(line, is_open)
        found = None if was_open else _MARK.match(line)
        if found:
            yield begin, start, found[1].decode()
            begin, is_behind = end, True
    yield begin, len(archive), ""


def _leaves_open(line: bytes, is_open: bool) -> bool:
    """Whether a line of a comment leaves it open; the first one has its beginning."""
    after = 0 if is_open else line.find(b"<!--") + 2
    return line.find(b"-->", after) < 0


class _Torn(Model):
    """The beginning of a block at the end of an archive: where, and what it lacks."""

    start: int
    block: bytes
    rest: bytes


def _torn(
    archive: bytes, last: int, moving: list[bytes], marked: bytes
) -> _Torn | None:
    """The place behind `last` where a run ended in the middle of one of the blocks.

    Text of a person may stand before it, so that any line may be its first one.
    """
    ordered = sorted(moving)
    beginnings = {_first_line(one) for one in moving}
    longest = len(max(moving, key=len)) + len(marked)
    for found in _LINE_START.finditer(archive, max(last, len(archive) - longest)):
        start = found.start()
        line = _first_line(archive, start)
        if line not in beginnings and start + len(line) < len(archive):
            continue  # so that a text of many lines is not compared from each of them
        missing = _missing(archive[start:], ordered, marked)
        if missing and blocks.unclosed(archive[last:start]) is None:
            return _Torn(start=start, block=missing[0], rest=missing[1])
    return None


def _first_line(text: bytes, start: int = 0) -> bytes:
    found = _LINE.match(text, start)
    return found.group() if found else b""


def _missing(
    text: bytes, ordered: list[bytes], marked: bytes
) -> tuple[bytes, bytes] | None:
    """Which block the text begins, and what it lacks of it and of its mark."""
    at = bisect_left(ordered, text)
    if at < len(ordered) and ordered[at].startswith(text):
        return ordered[at], ordered[at][len(text) :] + marked
    begin = 1 + max(text.rfind(b"\n"), text.rfind(b"\r"))
    line, body = text[begin:], text[:begin]
    at = bisect_left(ordered, body)
    if not line or at == len(ordered) or ordered[at] != body:
        return None
    missing = marked[len(line) :]
    return (body, missing) if _MARK.match(line + missing) else None


def _joint(archive: bytes, last: int, head: bytes, newline: bytes) -> bytes:
    """What stands between an archive and what is added: its head, or an empty line."""
    if head.startswith(archive):
        return head[len(archive) :]
    start = archive.rfind(_OPENING, 0, last) if last else 0
    tail = archive[start:]
    whole = blocks.finished(tail, newline)
    return blocks.append(whole, b"", newline=newline)[len(tail) :]
