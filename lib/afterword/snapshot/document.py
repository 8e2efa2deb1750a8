"""A target file read: its facts, conflicts and header (spec/snapshot.md 7).

The file is the container of its facts: `read(compose(target))` gives them back, so that
compiling, merging and rebuilding are one fold. Pure; imports `passages` and `header`.
"""

from __future__ import annotations

from collections.abc import Sequence

from afterword.model import Model
from afterword.snapshot import header, metadata, passages, rendering
from afterword.snapshot.fact import Fact
from afterword.snapshot.folded import Conflict
from afterword.snapshot.passages import Passage
from afterword.store import blocks


class Document(Model):
    """What a target file says.

    `stems` are those its header lists, `date` that of its last compile. `conflicts` are
    all blocks, adopted ones too. `problems` are (line, text).
    """

    passages: Sequence[Passage]
    facts: tuple[Fact, ...]
    conflicts: tuple[Conflict, ...]
    stems: tuple[str, ...]
    date: str
    title: str
    problems: tuple[tuple[int, str], ...]


def read(data: bytes, *, module: str = "", language: str = "en") -> Document:
    """Read a target file of a module, "" for the snapshot; never raises for its content."""
    found = passages.cut(data, module)
    head = header.read(found[0].raw if found else b"")
    return Document(
        passages=found,
        facts=tuple(fact for one in found for fact in one.facts),
        conflicts=tuple(one.conflict for one in found if one.conflict is not None),
        stems=head.stems,
        date=head.date,
        title=head.title,
        problems=tuple((one.line, one.problem) for one in found if one.problem),
    )


def facts(data: bytes) -> tuple[Fact, ...]:
    """The facts of a history: of its entries, and the resolutions of its conflicts."""
    return tuple(fact for one in blocks_of(data) for fact in one.facts)


def blocks_of(data: bytes) -> list[Passage]:
    """The passages of a history: owned blocks under whichever headings, and all else as text."""
    return passages.of_history(data)


def without_markers(data: bytes) -> bytes:
    """A file with merge markers as the union of its sides: for a rebuild.

    What stood before the branches parted (between `|||||||` and `=======`) is left out.
    """
    kept: list[bytes] = []
    is_base = in_conflict = False
    for start, end, _ in blocks.lines(data):
        line = data[start:end]
        if line.startswith(b"<<<<<<<"):
            in_conflict, is_base = True, False
        elif in_conflict and line.startswith(b"|||||||"):
            is_base = True
        elif in_conflict and line.rstrip() == b"=======":
            is_base = False
        elif in_conflict and line.startswith(b">>>>>>>"):
            in_conflict = is_base = False
        elif not is_base:
            kept.append(line)
    return b"".join(kept)


def metadata_of(raw: bytes) -> metadata.Data | None:
    """The object of the last metadata line of an owned block."""
    lines = rendering.decoded(raw).splitlines()
    found = (metadata.from_line(line) for line in reversed(lines))
    return next((one for one in found if one is not None), None)
