"""A person's decision of a conflict: an increment that says it, and a compile of that (G11).

One tracked mechanism: what ends a conflict is a verified record of the decision, in git
like everything else. Standard library, `store` and `errors` only, with the room's rules.
"""

from __future__ import annotations

from collections.abc import Iterable

from afterword.errors import AfterwordError
from afterword.model import Model
from afterword.snapshot import adding, known, sources, words
from afterword.snapshot.adding import Added
from afterword.snapshot.fact import normalised
from afterword.snapshot.folded import Conflict
from afterword.store.config import Config
from afterword.store.layout import Store

LIST = "see: afterword conflict list"
# What the record of a decision is called; its topic follows.
TITLE = {"en": "Decision of the conflict: ", "zh": "冲突裁决："}


class Shown(Model):
    """A conflict as the target files show it, and the files that do."""

    conflict: Conflict
    where: tuple[str, ...]


def shown(store: Store, config: Config, date: str = "") -> tuple[Shown, ...]:
    """Every conflict in the target files, pending ones first, each once.

    `StoreDamaged` with path:line for merge markers.
    """
    inputs = sources.read(store, config, date=date, whole=False)
    found: dict[str, Shown] = {}
    for name, one in known.read(inputs).documents.items():
        path = inputs.places.target(name)
        for conflict in one.conflicts:
            before = found.get(conflict.id)
            where = (*(before.where if before else ()), path)
            kept = before.conflict if before else conflict
            found[conflict.id] = Shown(conflict=kept, where=where)
    return tuple(sorted(found.values(), key=_place))


def _place(one: Shown) -> tuple[bool, str, str]:
    return not one.conflict.is_open, one.where[0], one.conflict.id


def find(known_ones: Iterable[Shown], identity: str) -> Shown:
    """The conflict of an id, an alias, or a topic that only one has; else it is refused."""
    known_ones = tuple(known_ones)
    for one in known_ones:
        if identity in (one.conflict.id, *one.conflict.aliases):
            return one
    named = [
        one
        for one in known_ones
        if normalised(one.conflict.topic) == normalised(identity)
    ]
    if len(named) == 1:
        return named[0]
    raise AfterwordError(
        f"{len(named)} conflicts are called {identity!r}: name one by its id"
        if named
        else f"no conflict has the id {identity!r}",
        hint=LIST,
        code="unknown-conflict",
    )


class Resolved(Model):
    """A decision as it was recorded, and the conflict before it."""

    conflict: Conflict
    added: Added


def record(
    store: Store,
    config: Config,
    *,
    identity: str,
    keep: str,
    why: str,
    author: str,
    at: str,
    wait: float,
) -> Resolved:
    """Write the increment that decides a conflict: verified, after all decisions known now.

    `at` is `YYYY-MM-DD HH:MM:SS`. Refused where no such conflict is shown (`find`), and
    where the decision in force says the same.
    """
    one = find(shown(store, config), identity).conflict
    if not one.is_open and one.keep == keep:
        raise AfterwordError(
            f"{one.id} is resolved already, and {keep} is kept: {one.topic}",
            hint=LIST,
            code="resolved",
        )
    added = adding.add(
        store,
        config,
        kind=one.kind,
        title=f"{TITLE[config['language']]}{one.topic}",
        body=(f"reason: {why}",),
        resolves=one.id,
        keep=keep,
        after=tuple(sorted(fact.id for fact in one.resolutions)),
        confidence=words.HIGH,
        status=words.VERIFIED,
        author=author,
        at=at,
        wait=wait,
    )
    return Resolved(conflict=one, added=added)
