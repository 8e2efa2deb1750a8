"""The text of sections: chunks of a target file, and how they stand one behind the other.

Between two chunks of persons nothing is changed; around those of the program stands one
empty line, around the lines of a list none. Pure; imports `rendering`, `metadata`, words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from afterword.model import Model
from afterword.snapshot import metadata, passages, rendering, resolution, words
from afterword.snapshot.fact import normalised
from afterword.snapshot.folded import Conflict, PendingItem, Target
from afterword.snapshot.passages import Passage
from afterword.store import blocks

_STATED = re.compile(r"\s*[-*+]\s+(?:状态|处理|state|handling)\s*[:：]", re.IGNORECASE)
_DESCRIBED = re.compile(r"\s*[-*+]\s+\**(purpose|status|目的|状态)\**\s*[:：]", re.IGNORECASE)  # fmt: skip


class Chunk(Model):
    """Bytes of a file. `is_owned` are the program's, with LF ends; `is_tight` a list's line."""

    raw: bytes
    is_owned: bool = False
    is_tight: bool = False
    is_heading: bool = False
    part: str = ""


def joined(chunks: Iterable[Chunk], newline: bytes) -> bytes:
    """The chunks one behind the other."""
    found: list[bytes] = []
    last: Chunk | None = None
    for chunk in chunks:
        is_border = chunk.is_owned or (last is not None and last.is_owned)
        if is_border and not chunk.is_owned and not chunk.raw.strip():
            continue  # empty lines around the program's text are made anew
        raw = blocks.with_newline(chunk.raw, newline) if chunk.is_owned else chunk.raw
        if is_border and found:
            is_list = chunk.is_tight and last is not None and last.is_tight
            _end(found, newline, blank=not is_list)
            raw = raw.lstrip(b"\r\n") if not chunk.is_owned else raw
        found.append(raw)
        last = chunk
    return b"".join(found)


def _end(found: list[bytes], newline: bytes, *, blank: bool) -> None:
    """Complete what stands there: with its line end, and one empty line or none."""
    while len(found) > 1 and not found[-1].strip():
        found.pop()
    found[-1] = found[-1].rstrip(b"\r\n") + newline * (2 if blank else 1)


def of_passage(one: Passage) -> Chunk:
    """A passage as it stands."""
    is_tight = one.role in (passages.SAID, passages.PENDING, passages.LOG)
    is_heading = one.role == passages.HEADING
    return Chunk(raw=one.raw, is_tight=is_tight, is_heading=is_heading, part=one.part)


def of_lines(lines: Sequence[str], part: str = "", *, tight: bool = False) -> Chunk:
    """Lines of the program."""
    raw = rendering.encoded("".join(f"{line}\n" for line in lines))
    return Chunk(raw=raw, is_owned=True, is_tight=tight, part=part)


def of_heading(level: int, text: str, part: str = "") -> Chunk:
    """A heading that the program makes."""
    return of_lines([f"{'#' * level} {text}"], part).replace(is_heading=True)


def of_conflict(one: Conflict, target: str, language: str) -> Chunk:
    """A conflict block with its metadata."""
    lines = rendering.conflict(one, target, language)
    return of_lines([*lines, metadata.to_line(metadata.of_conflict(one))])


def of_item(item: PendingItem) -> Chunk:
    """A pending item, with its fact in the line below."""
    fact = metadata.to_line(metadata.of_fact(item.fact, whole=True))
    return of_lines([rendering.pending(item), f"  {fact}"], tight=True)


def is_owned(one: Passage) -> bool:
    """Whether a conflict block is the program's: its sides name facts."""
    found = one.conflict
    return found is not None and bool(found.old.fact or found.new.fact)


def log(target: Target, blocks_there: Iterable[Passage]) -> list[Chunk]:
    """The lines of the Conflict Log: every conflict, then resolutions of unknown ones (L068)."""
    conflicts = list(target.conflicts)
    others = [
        one.conflict for one in blocks_there if not is_owned(one) and one.conflict
    ]
    known = {one.id for one in conflicts}
    conflicts += [_decided(one, target) for one in others if one.id not in known]
    lines = [
        rendering.log_line(one, words.SECTION_OF.get(one.kind, one.kind))
        for one in conflicts
    ]
    loose = [metadata.to_line(metadata.of_fact(f, whole=True)) for f in target.loose]
    return [of_lines([line], tight=True) for line in (*lines, *loose)]


def _decided(one: Conflict, target: Target) -> Conflict:
    """An adopted conflict with the resolutions that name it."""
    names = {one.id, normalised(one.topic)}
    asked = tuple(
        fact
        for fact in target.loose
        if resolution.is_given(fact)
        and (fact.resolves.strip() in names or normalised(fact.resolves) in names)
    )
    keep = resolution.agreed(asked) if asked else ""
    if not keep:
        return one.replace(resolutions=asked) if asked else one
    return one.replace(resolutions=asked, keep=keep, state=words.RESOLVED)


def settled(one: Passage, target: Target, language: str) -> Chunk:
    """An adopted conflict block; once persons decided it, with the lines that say so."""
    found = _decided(one.conflict, target) if one.conflict else None
    if found is None or not found.resolutions:
        return of_passage(one)
    lines = rendering.decoded(one.raw).splitlines()
    at = next((n for n, line in enumerate(lines) if _STATED.match(line)), len(lines))
    kept = [line for line in lines if not _STATED.match(line)]
    kept[at:at] = rendering.state_lines(found, language)
    return of_lines(kept)


def with_part(chunks: list[Chunk], part: str, entries: Iterable[Chunk]) -> list[Chunk]:
    """The section with a new part, before the parts and conflicts that come behind it."""
    order = list(words.PARTS)
    new = [of_heading(3, words.PARTS[part], part), *entries]
    for at, one in enumerate(chunks):
        is_later = one.part and order.index(one.part) > order.index(part)
        if is_later or one.raw.lstrip().startswith(b"### [CONFLICT]"):
            return [*chunks[:at], *new, *chunks[at:]]
    return [*chunks, *new]


def described(chunks: Sequence[Chunk], purpose: str, status: str) -> list[Chunk]:
    """A module's overview with the lines of purpose and status, its own purpose kept (7.2)."""
    there = "".join(rendering.decoded(one.raw) for one in chunks).splitlines()
    names = {
        found.group(1).casefold() for line in there if (found := _DESCRIBED.match(line))
    }
    missing = []
    if purpose and not names & {"purpose", "目的"}:
        missing.append(f"- Purpose: {rendering.one_line(purpose)}")
    if status and not names & {"status", "状态"}:
        missing.append(f"- Status: {status}")
    changed = [_with_status(one, status) for one in chunks]
    lines = [of_lines([line], tight=True) for line in missing]
    return [*changed[:1], *lines, *changed[1:]]


def _with_status(one: Chunk, status: str) -> Chunk:
    text = rendering.decoded(one.raw)
    found = re.match(r"(\s*[-*+]\s+\**(?:status|状态)\**\s*[:：]\s*)(\S+)", text, re.IGNORECASE)  # fmt: skip
    if not found or not status or found.group(2) == status:
        return one
    raw = rendering.encoded(found.group(1) + status + text[found.end() :])
    return one.replace(raw=raw)
