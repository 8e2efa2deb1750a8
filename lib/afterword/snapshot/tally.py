"""What a report counts, from what was folded and from the bytes before and after.

Pure; imports `document`, the models of the room and `store.blocks`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from afterword.snapshot import document, words
from afterword.snapshot.document import Document
from afterword.snapshot.folded import Conflict, Entry, Folded, Target
from afterword.store import blocks

# The headings of knowledge, in the order in which a report names them.
SECTIONS = (words.MODULE_OVERVIEW, *words.SECTIONS)


def added(
    folded: Folded, known: frozenset[str]
) -> tuple[dict[str, int], dict[str, dict[str, int]]]:
    """New entries by kind, in all and by module; one that stands in several counts once.

    `known` are the ids of the facts that the files held before: an entry of which one
    fact was known is an update, and one that says the same is no news (10.4).
    """
    of_all: dict[str, str] = {}
    by_module: dict[str, dict[str, int]] = {}
    for name, target in folded.targets.items():
        news = [entry for entry in target.entries if _is_new(entry, known)]
        of_all.update({entry.id: entry.head.kind for entry in news})
        if name and news:
            by_module[name] = _by_kind(entry.head.kind for entry in news)
    return _by_kind(of_all.values()), by_module


def _is_new(entry: Entry, known: frozenset[str]) -> bool:
    return not any(fact.id in known for fact in entry.facts)


def _by_kind(kinds: Iterable[str]) -> dict[str, int]:
    counts = Counter(kinds)
    return {kind: counts[kind] for kind in words.TYPES if counts[kind]}


def conflicts(folded: Folded) -> dict[str, Conflict]:
    """The conflicts by id, each once, in their order."""
    found = {
        one.id: one for target in folded.targets.values() for one in target.conflicts
    }
    return dict(sorted(found.items(), key=lambda pair: (pair[1].order, pair[0])))


def adopted(
    before: Mapping[str, Document], after: Mapping[str, bytes], folded: Folded
) -> tuple[Conflict, ...]:
    """The conflicts of adopted blocks, as they will stand: no facts make them."""
    made = conflicts(folded)
    holding = (
        name
        for name, one in before.items()
        if name in after and any(each.id not in made for each in one.conflicts)
    )
    return tuple(
        one
        for name in holding
        for one in document.read(after[name], module=name).conflicts
        if one.id not in made
    )


def pending(folded: Folded) -> int:
    """How many facts of low confidence are listed, each once."""
    return len(
        {item.fact.id for target in folded.targets.values() for item in target.pending}
    )


def sections(pairs: Iterable[tuple[bytes | None, bytes]]) -> tuple[str, ...]:
    """The sections of knowledge that differ between the files before and after (L084)."""
    found: set[str] = set()
    for before, after in pairs:
        if before != after:
            found |= _changed(_sections(before or b""), _sections(after))
    return tuple(name for name in SECTIONS if name in found)


def _changed(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> set[str]:
    return {name for name, text in after.items() if before.get(name) != text} | (
        before.keys() - after.keys()
    )


def _sections(data: bytes) -> dict[str, bytes]:
    """The text of each section of level two, by its heading."""
    found: dict[str, bytes] = {}
    for block in blocks.cut(data, starts=2):
        if block.heading is not None and block.heading.level == 2:
            name = block.heading.text.decode("utf-8", "replace")
            if name not in SECTIONS:
                name = words.SECTION_OF.get(words.type_of_heading(name), name)
            found[name] = found.get(name, b"") + block.raw.strip()
    return found


def ids(targets: Iterable[Target]) -> Iterator[str]:
    """Every fact that the targets hold."""
    for target in targets:
        yield from target.ids
