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
    """Refuse where an id of `known` stands nowhere in `after`, the bytes by module.

    Metadata spells ids out; only adopted text, which has none, is read again. Raises
    `AfterwordError` of code "guard".
    """
    titles = {fact.id: fact.title for fact in known}
    written = [one for some in after.values() for one in some]
    found = {name.decode() for data in written for name in _ID.findall(data)}
    missing = titles.keys() - found
    if missing:
        missing -= _read_again(after)
    if missing:
        shown = ", ".join(f"{one} ({titles[one]})" for one in sorted(missing)[:5])
        raise AfterwordError(
            f"{len(missing)} entries would vanish: {shown}",
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
