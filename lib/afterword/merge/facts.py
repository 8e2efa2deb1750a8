"""The merge of the facts of a compiled file: which stay, and what each of them says.

The union, but for what one side moved to its history and the other left alone. A fact of
both is one statement: what only grows is united, a text that a person changed in the file
stays. Two such texts of one fact are a contradiction. Pure; imports `snapshot.fact` and
words, `merge.laws`.
"""

from __future__ import annotations

from collections.abc import Mapping

from afterword.merge import laws
from afterword.model import TYPE_CHECKING
from afterword.snapshot import words
from afterword.snapshot.fact import Fact, joined, normalised

if TYPE_CHECKING:
    from collections.abc import Sequence

    Facts = Mapping[str, Fact]

# What the id of a fact is made of.
_TEXTS = ("kind", "part", "title", "body", "key", "value", "resolves", "keep")


def merge(before: Facts, ours: Facts, theirs: Facts) -> tuple[dict[str, Fact], ...]:
    """The facts by id as our side would have them, and as theirs; mostly the same.

    They differ in the texts of facts that both sides changed.
    """
    found: tuple[dict[str, Fact], dict[str, Fact]] = ({}, {})
    for name in {**ours, **theirs}:
        pair = _merged(before.get(name), ours.get(name), theirs.get(name))
        for side, fact in zip(found, pair, strict=False):
            side[name] = fact
    return found


def _merged(
    before: Fact | None, ours: Fact | None, theirs: Fact | None
) -> tuple[Fact, ...]:
    if ours is None or theirs is None:
        left = ours or theirs
        return () if left is None or left == before else (left, left)
    if ours == theirs:
        return ours, ours
    both = _united(before, ours, theirs)
    texts = {name: _texts(name, before, ours, theirs, both) for name in _TEXTS}
    return tuple(
        both.replaced(**{name: pair[at] for name, pair in texts.items()})
        for at in range(2)
    )


def _united(before: Fact | None, ours: Fact, theirs: Fact) -> Fact:
    """All that grows of both; what one side took back is gone."""
    both = joined(ours, theirs)
    values = {
        "confidence": _ranked(words.CONFIDENCES, "confidence", before, ours, theirs),
        "status": _ranked(words.STATUSES, "status", before, ours, theirs),
        "withdrawn": _withdrawn(before, ours, theirs),
    }
    old = frozenset(before.kept if before else ())
    gone = old.difference(ours.kept) | old.difference(theirs.kept)
    kept = tuple(line for line in both.kept if line not in gone)
    return both.replaced(**values, kept=kept)


def _ranked(
    ranks: Sequence[str], name: str, before: Fact | None, ours: Fact, theirs: Fact
) -> str:
    """The value that a side changed; where both did, the higher one."""

    def higher(one: str, other: str) -> str:
        return max(
            one,
            other,
            key=lambda text: (ranks.index(text) if text in ranks else -1, text),
        )

    old = getattr(before, name) if before else None
    return laws.three_way(old, getattr(ours, name), getattr(theirs, name), higher) or ""


def _withdrawn(before: Fact | None, ours: Fact, theirs: Fact) -> str:
    """Since when nobody says it any more; who still says it where nobody knew it wins."""
    old = before.withdrawn if before else None
    return laws.three_way(old, ours.withdrawn, theirs.withdrawn, min) or ""


def _texts(
    name: str, before: Fact | None, ours: Fact, theirs: Fact, both: Fact
) -> tuple[object, object]:
    """What a field says for our side and for theirs; mostly the same.

    What a person changed in the file no longer fits the fact's id; a statement of the
    same that differs in marks and spaces is no change.
    """
    one, other, first = (getattr(side, name) for side in (ours, theirs, both))
    if _same(one, other):
        return first, first
    old = getattr(before, name) if before else None
    if _same(other, old):
        return one, one
    if _same(one, old):
        return other, other
    changed = [getattr(fact, name) for fact in (ours, theirs) if _is_changed(fact)]
    return (changed[0], changed[0]) if len(changed) == 1 else (one, other)


def _same(one: object, other: object) -> bool:
    return one == other or _plain(one) == _plain(other)


def _plain(value: object) -> object:
    """A text as texts are compared, or lines of it."""
    if isinstance(value, tuple):
        return tuple(normalised(line) for line in value)
    return normalised(value) if isinstance(value, str) else value


def _is_changed(fact: Fact) -> bool:
    return fact.id != fact.replaced(id="").id
