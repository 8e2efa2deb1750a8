"""The guard: no fact that a file held may be missing from the files as they are to be.

The last look before anything is written, over the very bytes (DESIGN 8). Pure; imports
the room's readers only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from afterword.errors import AfterwordError
from afterword.snapshot import document
from afterword.snapshot.fact import Fact

_ID = re.compile(rb'"id": ?"(e-[0-9a-f]{10})"')


def check(known: Iterable[Fact], after: Mapping[str, Iterable[bytes]]) -> None:
    """Refuse where a fact of `known` stands nowhere in `after`, the bytes by module.

    Metadata spells ids out. Adopted text has none: it is read again, and where other text
    around it made it another fact, its words are looked for. Raises `AfterwordError` of
    code "guard".
    """
    facts = {fact.id: fact for fact in known}
    written = [one for some in after.values() for one in some]
    found = {name.decode() for data in written for name in _ID.findall(data)}
    missing = facts.keys() - found
    if missing:
        missing -= _read_again(after)
    lost = [facts[one] for one in sorted(missing) if not _stands(facts[one], written)]
    if lost:
        shown = ", ".join(f"{fact.id} ({fact.title})" for fact in lost[:5])
        count = "1 entry" if len(lost) == 1 else f"{len(lost)} entries"
        raise AfterwordError(
            f"{count} would vanish: {shown}",
            hint="nothing was changed; please report this with the files concerned",
            code="guard",
        )


def _read_again(after: Mapping[str, Iterable[bytes]]) -> set[str]:
    return {
        fact.id
        for name, some in after.items()
        for data in some
        for fact in document.read(data, module=name).facts
    }


def _stands(fact: Fact, written: Iterable[bytes]) -> bool:
    """Whether every line of an adopted text is somewhere in what will be written."""
    if fact.sources:
        return False
    whole = b"\n".join(written).decode("utf-8", "surrogateescape")
    lines = (line.strip().lstrip("-*+ ") for line in (fact.title, *fact.body))
    return all(line in whole or _value(line) in whole for line in lines)


def _value(line: str) -> str:
    """What a cell of a table said: as a line it has the column's name in front."""
    return line.partition(": ")[2].strip() or line
