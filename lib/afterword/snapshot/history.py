"""decisions-history.md: what left a target file for its size, as it stood there (L072, L074).

Grouped by the day on which entries ended, which the facts say and no run: so every order
of compiles and merges gives the same bytes. Pure; imports the room's readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from afterword.snapshot import passages, rendering, section_text
from afterword.snapshot.passages import Passage
from afterword.snapshot.section_text import Chunk
from afterword.store import blocks
from afterword.store.newline import newline_of

TITLES = {"en": "# Decisions history", "zh": "# 决策历史"}
UNDATED = "undated"

TYPE_CHECKING = False
if TYPE_CHECKING:
    # A block that moved: its id, the day it ended, its text.
    Moved = tuple[str, str, Chunk]


def ids(data: bytes | None) -> frozenset[str]:
    """The ids of the entries and conflicts that a history holds."""
    return frozenset(
        name for one in passages.of_history(data or b"") for name in _names(one)
    )


def _names(one: Passage) -> list[str]:
    if one.conflict is not None:
        return [one.conflict.id, *one.conflict.aliases]
    return [fact.id for fact in one.facts]


def count(data: bytes | None) -> int:
    """How many entries and conflicts it holds."""
    return sum(bool(_names(one)) for one in passages.of_history(data or b""))


def compose(
    before: bytes | None, moved: Sequence[Moved], language: str
) -> bytes | None:
    """The history with these blocks; those it holds already are brought up to date in place.

    None where there is nothing to hold and was no file.
    """
    if not moved:
        return before
    title = TITLES.get(language, TITLES["en"])
    data = before or f"{title}\n".encode()
    newline = newline_of(data)
    texts = {name: chunk for name, _, chunk in moved}
    chunks, held = _updated(passages.of_history(data), texts)
    new = [one for one in moved if one[0] not in held]
    for name, date, chunk in new:
        chunks = _with(chunks, date or UNDATED, chunk.replace(part=name))
    found = section_text.joined(chunks, newline)
    is_same = before is not None and found.split() == before.split() and not new
    return before if is_same else found


def _updated(
    found: Iterable[Passage], texts: Mapping[str, Chunk]
) -> tuple[list[Chunk], set[str]]:
    """The chunks there, owned ones exchanged for their newer text; and the ids held."""
    chunks: list[Chunk] = []
    held: set[str] = set()
    for one in found:
        names = _names(one)
        name = next((name for name in names if name in texts), "")
        chunk = texts[name] if name else _as_it_is(one, bool(names))
        chunks.append(chunk)
        held.update(names)
    return chunks, held


def _as_it_is(one: Passage, is_owned: bool) -> Chunk:
    text = section_text.of_passage(one)
    if not is_owned:
        return text
    return text.replace(raw=blocks.with_newline(one.raw, b"\n"), is_owned=True)


def _with(chunks: list[Chunk], date: str, chunk: Chunk) -> list[Chunk]:
    """The chunks with one more, at the end of its day; days ascend, the undated come first."""
    at = len(chunks)
    for number, one in enumerate(chunks):
        day = _day(one)
        if day == date:
            behind = (n for n in range(number + 1, len(chunks)) if _day(chunks[n]))
            at = next(behind, len(chunks))
            return [*chunks[:at], chunk, *chunks[at:]]
        if day and _rank(day) > _rank(date):
            at = number
            break
    return [*chunks[:at], section_text.of_heading(2, date), chunk, *chunks[at:]]


def _day(one: Chunk) -> str:
    """The day that a heading of level 2 names, "" for any other chunk."""
    line = one.raw.lstrip(b"\r\n").splitlines()[:1]
    found = blocks.heading_of(line[0]) if line else None
    return rendering.decoded(found[1]) if found and found[0] == 2 else ""


def _rank(day: str) -> str:
    return "" if day == UNDATED else day
