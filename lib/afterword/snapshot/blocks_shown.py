"""The blocks of entries and conflicts in the shape in which they stand in a file.

A heading with lines, a bullet, a row of a table: adopted ones keep every byte and gain
lines. Tells also whether a block shows an entry already. Pure; imports the room's
`document`, `rendering`, `updates`, `table_row` and `metadata`.
"""

from __future__ import annotations

from collections.abc import Sequence

from afterword.snapshot import (
    document,
    metadata,
    rendering,
    resolution,
    table_row,
    texts,
    tiles,
    updates,
    words,
)
from afterword.snapshot.document import Held
from afterword.snapshot.fact import Fact
from afterword.snapshot.folded import Conflict, Entry, PendingItem
from afterword.snapshot.tiles import Tile
from afterword.store import blocks

_INDENT = "  "


def is_same(entry: Entry, held: Held) -> bool:
    """Whether a block shows an entry as it is to be, so that its bytes stay."""
    mark = rendering.mark(entry)
    if not _are_same(entry.facts, held.facts):
        return False
    tile = held.tile
    if tile.data is None:
        return not mark
    if str(tile.data.get("mark", "")) != mark:
        return False
    if tile.shape != tiles.HEADED:
        return True
    is_open = tile.name.strip().startswith(words.UNCONFIRMED)
    is_level = tile.level == rendering.level_of(entry.head)
    return is_level and is_open != entry.is_confirmed


def _are_same(facts: Sequence[Fact], shown: Sequence[Fact]) -> bool:
    """Whether facts are those of a block; where adopted text stands is no part of them."""
    if len(facts) != len(shown):
        return False
    pairs = zip(facts, shown, strict=True)
    return all(
        one == other
        or (not other.sources and one == other.replaced(ordinal=one.ordinal))
        for one, other in pairs
    )


def is_same_item(item: PendingItem, held: Held) -> bool:
    """Whether a line shows a pending item as it is to be; adopted ones stay as they are."""
    if not _are_same((item.fact,), held.facts):
        return False
    data = held.tile.data
    return data is None or data.get("contradicts", "") == item.contradicts


def entry(one: Entry, held: Held | None) -> list[str]:
    """The lines of an entry, metadata last; `held` is the block that shows it now."""
    if held is None or held.tile.shape == tiles.HEADED:
        return _headed(one, held)
    if held.tile.shape == tiles.ROW:
        return [_row(one, held)]
    return _bullet(one, held)


def with_lines_of(one: Entry, copies: Sequence[Held]) -> Entry:
    """An entry with the lines that a person wrote into any copy of its block."""
    head = one.head
    known = {*head.body, *head.kept}
    bodies = (line for held in copies for line in held.facts[0].body)
    more = (line for line in bodies if line.strip() and line not in known)
    lines = tuple(dict.fromkeys(more))
    if not lines:
        return one
    changed = head.replaced(kept=(*head.kept, *lines))
    return one.replace(facts=(changed, *one.facts[1:]))


def _headed(one: Entry, held: Held | None) -> list[str]:
    shown = ""
    if held and any(fact.title == one.head.title for fact in held.facts[:1]):
        shown = document.shown_title(held.tile)
    lines = rendering.entry(one, shown)
    if held is None or held.tile.data is not None:
        return lines
    is_open = held.tile.name.strip().startswith(words.UNCONFIRMED)
    if is_open != one.is_confirmed and shown:
        first = texts.decoded(held.tile.raw.splitlines()[0])
        lines[0] = first  # an adopted heading keeps its bytes
    return lines


def _bullet(one: Entry, held: Held) -> list[str]:
    """A bullet with what was said of it later, indented below it."""
    tile = held.tile
    base = list(tile.lines)
    if tile.data is not None:
        mark = str(tile.data.get("mark", ""))
        base = texts.without(base, _below(held.facts, mark))
    whole = "".join(f"{line}\n" for line in base)
    closed = blocks.finished(texts.encoded(whole), b"\n", front=False)
    base = texts.decoded(closed).split("\n")[:-1]
    added = _below(one.facts, rendering.mark(one))
    return [*base, *added, _INDENT + rendering.entry_metadata(one, is_headed=False)]


def _below(facts: Sequence[Fact], mark: str) -> list[str]:
    added = [line for one in updates.of(facts) for line in one.shown()]
    lines = [*added, *([mark] if mark else [])]
    safe = texts.safe(lines, rendering.LEVEL)
    return [_INDENT + line for line in safe]


def _row(one: Entry, held: Held) -> str:
    """A row with what was said of it later in the cells that it belongs to."""
    tile = held.tile
    shown = table_row.cells(tile.lines[0])
    base = shown
    if tile.data is not None:
        was = [cell for cell in tile.data.get("row", ()) if isinstance(cell, str)]
        mark = str(tile.data.get("mark", ""))
        made = _cells(was, tile.columns, held.facts, mark)
        base = _edited(was, made, shown)
    row = _cells(base, tile.columns, one.facts, rendering.mark(one))
    line = rendering.entry_metadata(
        one, is_headed=False, row=base, columns=list(tile.columns)
    )
    return table_row.joined(row, line)


def _edited(was: list[str], made: list[str], shown: list[str]) -> list[str]:
    """The cells under what was added to them, as a person changed them since."""
    if len(was) != len(shown):
        return shown
    changed = zip(was, made, shown, strict=True)
    return [old if now == before else now for old, before, now in changed]


def _cells(
    base: Sequence[str], columns: Sequence[str], facts: Sequence[Fact], mark: str
) -> list[str]:
    cells = list(base) or [""]
    names = [texts.label(f"- {name}: x") for name in columns[: len(cells)]]
    for update in updates.of(facts):
        at = names.index(update.label) if update.label in names[1:] else 0
        if at:
            shown = update.shown(cells[at])
            cells[at] = table_row.escaped(texts.value("\n".join(shown)))
        else:
            cells[-1] = _with_more(cells[-1], "\n".join(update.shown()))
    if mark:
        cells[-1] = _with_more(cells[-1], mark)
    return cells


def _with_more(cell: str, text: str) -> str:
    more = table_row.escaped(text.removeprefix("- "))
    return "; ".join(filter(None, (cell, more)))


# Conflicts.


def conflict(one: Conflict, target: str, language: str, held: Held | None) -> list[str]:
    """The lines of a conflict block, metadata last; `held` is the block that shows it now."""
    kept = []
    if held and held.conflict and held.tile.data is not None:
        kept = _kept_of_conflict(held.tile, held.conflict, target)
    data = metadata.to_line(metadata.of_conflict(one))
    return [*rendering.conflict(one, target, language), *kept, data]


def _kept_of_conflict(tile: Tile, was: Conflict, target: str) -> list[str]:
    """The lines of a block that the program did not write, in either language."""
    found = list(tile.lines)
    for language in ("en", "zh"):
        shown = rendering.conflict(was, target, language)[1:]
        found = [line for line in found if line not in shown]
    while found and not found[-1].strip():
        found.pop()
    return texts.safe(found, rendering.LEVEL)


def decided(one: Conflict, resolutions: Sequence[Fact]) -> Conflict:
    """An adopted conflict with what persons decided of it."""
    kept = resolution.agreed(resolutions)
    return one.replace(
        resolutions=tuple(resolutions),
        keep=kept,
        state=words.RESOLVED if kept else words.PENDING_RESOLUTION,
    )


def adopted_conflict(tile: Tile, one: Conflict, language: str) -> list[str]:
    """An adopted block with its new state: only the lines that tell it are other ones."""
    labels = (f"- {words.STATE_LABEL}", f"- {words.HANDLING_LABEL}")
    lines = [line for line in tile.lines if not line.startswith(labels)]
    while lines and not lines[-1].strip():
        lines.pop()
    first = texts.decoded(tile.raw.splitlines()[0])
    data = {**metadata.of_conflict(one), "adopted": True}
    safe = texts.safe(lines, rendering.LEVEL)
    return [first, *safe, *rendering.state_lines(one, language), metadata.to_line(data)]
