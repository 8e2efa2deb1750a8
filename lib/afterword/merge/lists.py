"""Lists of front matter united item by item, with the comments of their items.

Reads the block form (`- item` lines, of words or of small mappings) and the flow form
(`[a, b]`); any other is nobody's to unite. Pure; imports `merge.front`, `merge.laws`
and `model` only.
"""

from __future__ import annotations

from afterword.merge.front import rest_of, unquoted
from afterword.merge.laws import Differ, differ, lf, lines, three_way
from afterword.model import TYPE_CHECKING, Model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Order = Callable[[Sequence[str], Sequence[str]], list[str]]


class Listing(Model):
    """A key with a list. `items` are the items' lines, dedented, by their values.

    `label` is the key with its colon, `header` the key's line as block form has it.
    """

    text: str
    label: str
    flow: bool
    header: str
    indent: str
    items: dict[str, str]


def read(text: str) -> Listing | None:
    """The list of an entry; None for a value of another shape, or with an item twice."""
    first, *below = lines(text)
    rest = rest_of(first)
    label = first[: first.rfind(rest)].rstrip() if rest else first.rstrip()
    if rest.startswith("["):
        return _flow(text, label, rest) if not below else None
    if rest and not rest.startswith("#"):
        return None
    parted = _parted(below)
    if parted is None:
        return None
    indent, items = parted
    found = {value_of(item): item for item in items}
    if len(found) != len(items):
        return None
    return Listing(
        text=text, label=label, flow=False, header=first, indent=indent, items=found
    )


def _flow(text: str, label: str, rest: str) -> Listing | None:
    inner = rest[1:-1]
    if not rest.endswith("]") or any(char in inner for char in "\"'[]{}#&*!\n"):
        return None
    words = [word.strip() for word in inner.split(",") if word.strip()]
    if len(set(words)) != len(words):
        return None
    items = {word: f"- {word}\n" for word in words}
    header = f"{label}\n"
    return Listing(
        text=text, label=label, flow=True, header=header, indent="", items=items
    )


def _parted(below: Sequence[str]) -> tuple[str, list[str]] | None:
    """The indent of the items, and each item's lines without it; None for no list."""
    start = next((line for line in below if line.lstrip(" ").startswith("- ")), "")
    indent = start[: len(start) - len(start.lstrip(" "))]
    items: list[str] = []
    waiting = ""
    for line in below:
        flat = line[len(indent) :]
        if line.strip() and not line.startswith(indent):
            return None
        if not flat.strip() or flat.lstrip().startswith("#"):
            waiting += flat if flat.strip() else line
        elif flat.startswith("- "):
            items.append(waiting + flat)
            waiting = ""
        elif items and flat.startswith(" "):
            items[-1] += waiting + flat
            waiting = ""
        else:
            return None
    return None if waiting else (indent, items)


def value_of(item: str) -> str:
    """What makes two items the same: the word, or the pairs whatever their order."""
    said = [line for line in lines(lf(item)) if line.strip()]
    pieces = [line[2:] for line in said if not line.lstrip().startswith("#")]
    if len(pieces) == 1:
        return _bare(pieces[0])
    return "\n".join(sorted(_pair(piece) for piece in pieces))


def _pair(text: str) -> str:
    key, colon, value = text.partition(": ")
    return f"{key.strip()}: {_bare(value)}" if colon else text.strip()


def _bare(text: str) -> str:
    """A word without quotes and without the comment behind it."""
    flat = text.strip()
    if flat[:1] in ("'", '"'):
        end = flat.rfind(flat[0])
        behind = flat[end + 1 :].strip()
        return unquoted(flat[: end + 1] if not behind or behind[0] == "#" else flat)
    return flat.partition(" #")[0].rstrip()


def unite(before: str | None, ours: str, theirs: str, order: Order) -> str:
    """An entry with all items of both sides, in the shape of the side that has one.

    Raises `Differ` where a side is no list, or both changed the form of one item.
    """
    a, b = read(ours), read(theirs)
    if a is None or b is None:
        raise Differ
    o = read(before) if before is not None else None
    items = {value: _item(value, o, a, b) for value in order([*a.items], [*b.items])}
    header = three_way(o.header if o else None, a.header, b.header, differ) or ""
    stands = [lf(side.text) for side in (a, b) if _is(side, items, header)]
    return max(stands) if stands else _rendered(a, b, header, items)


def _item(value: str, before: Listing | None, ours: Listing, theirs: Listing) -> str:
    a, b = ours.items.get(value), theirs.items.get(value)
    if a is None or b is None:
        return a or b or ""
    o = before.items.get(value) if before else None
    return three_way(o, a, b, differ) or ""


def _is(side: Listing, items: dict[str, str], header: str) -> bool:
    """Whether a side is the result already, the comment behind its key included."""
    return side.header == header and [*side.items.items()] == [*items.items()]


def _rendered(
    ours: Listing, theirs: Listing, header: str, items: dict[str, str]
) -> str:
    blocks = [side for side in (ours, theirs) if side.items and not side.flow]
    if not blocks and header == f"{ours.label}\n":
        return f"{ours.label} [{', '.join(items)}]\n"
    indents = {side.indent for side in blocks}
    indent = indents.pop() if len(indents) == 1 else "  "
    return header + "".join(_indented(item, indent) for item in items.values())


def _indented(item: str, indent: str) -> str:
    return "".join(indent + line if line.strip() else line for line in lines(item))
