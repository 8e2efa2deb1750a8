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
from afterword.snapshot.fact import Fact, identity, joined, normalised

if TYPE_CHECKING:
    from collections.abc import Sequence

    Facts = Mapping[str, Fact]
    Said = tuple[object, ...]


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
    speakers = _speakers(before, ours, theirs)
    return tuple(_as_said(both, speaker) for speaker in speakers)


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


def _speakers(before: Fact | None, ours: Fact, theirs: Fact) -> tuple[Fact, ...]:
    """Whose texts stand, for our side and for theirs.

    What a person changed in the file no longer fits the fact's id; a statement of the
    same that differs in marks and spaces is no change.
    """
    one, other, old = _said(ours), _said(theirs), _said(before) if before else None
    if one == other:
        first = joined(ours, theirs)
        return first, first
    if other == old:
        return ours, ours
    if one == old:
        return theirs, theirs
    changed = [fact for fact in (ours, theirs) if _is_changed(fact)]
    if len(changed) == 1:
        return changed[0], changed[0]
    return ours, theirs


def _said(fact: Fact) -> Said:
    """What a fact says, as texts are compared."""
    lines = (normalised(line) for line in fact.body)
    exact = (normalised(fact.value), fact.key.strip(), fact.resolves.strip(), fact.keep)
    return (fact.kind, fact.part, normalised(fact.title), *lines, "", *exact)


def _is_changed(fact: Fact) -> bool:
    return fact.id != identity(
        fact.kind,
        fact.part,
        fact.title,
        fact.body,
        fact.key,
        fact.value,
        fact.resolves,
        fact.keep,
    )


def _as_said(both: Fact, speaker: Fact) -> Fact:
    """The united fact with the texts of one statement of it."""
    names = ("kind", "part", "title", "body", "key", "value", "resolves", "keep")
    return both.replaced(**{name: getattr(speaker, name) for name in names})
