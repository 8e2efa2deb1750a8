"""Which increments a file's header names as compiled into it (L066, G4).

A function of what the file holds, not of the runs that made it, so that every order of
compiles and merges gives one list. Pure; imports the models of the room only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from afterword.snapshot.fact import Fact
from afterword.snapshot.folded import Target

_DATE = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})")
# A promoted record's id ends in twelve digits of a hash; an increment's name does not.
_RECORD = re.compile(r".*-[0-9a-f]{12}\Z")


def of(target: Target, listed: Iterable[str] = ()) -> tuple[str, ...]:
    """The stems, oldest first: those of its facts, and those that its header `listed`.

    People and other systems end a list with dots; those are no stem.
    """
    found = {stem for fact in _facts(target) for stem, _ in fact.sources}
    named = {stem for stem in listed if stem.strip(". …")}
    return tuple(sorted({*filter(_is_increment, found), *named}, key=_place))


def _facts(target: Target) -> Iterator[Fact]:
    for entry in target.entries:
        yield from entry.facts
    for item in target.pending:
        yield item.fact
    for conflict in target.conflicts:
        yield from conflict.resolutions
    yield from target.loose


def _is_increment(stem: str) -> bool:
    return bool(_DATE.match(stem)) or not _RECORD.match(stem)


def _place(stem: str) -> tuple[str, str]:
    """By the date in a name, wherever it stands in it (`emergency-20260401-120000`)."""
    found = _DATE.search(stem)
    return "".join(found.groups()) if found else "", stem
