"""What facts say of others by name: that they replace them, or that they hold no longer.

A name is a key, a title, a fact's id, or the increment or record that it came from. What
only the text says ("replaces <title>", G10) counts as well, "changed from X to Y" does
not. Pure; imports the room's `folding`, `fact` and words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from afterword.model import Model
from afterword.snapshot import words
from afterword.snapshot.fact import Fact, normalised
from afterword.snapshot.folded import Ending
from afterword.snapshot.folding import (
    ID,
    KEY,
    STEM,
    TITLE,
    UNKNOWN,
    DraftEntry,
    Drafts,
    ended_by,
    names,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from afterword.snapshot.folding import Name

SUPERSEDED, RESOLVED = "Superseded", "Resolved"
EDITED = "the increment was edited"
_REPLACES = re.compile(r"\b(?:replaces|supersedes)\b|(?<![不未没被])(?:取代|替代)")
_NEGATED = re.compile(r"(?:\bnot|\bnever|\bno longer|\bn't)\s*\Z")
# What may stand between the verb and the title, and right behind the title.
_QUOTES = r"[\s:：\"'“”‘’「」『』《》<>()（）\[\]]*"
_LEAD = re.compile(
    _QUOTES
    + r"(?:(?:(?:the|our|old|earlier|previous|former|decision|constraint|entry)\b"
    + r"|旧的?|原来的|原有的?|之前的|了|决策|约束)"
    + f"{_QUOTES})*"
)
_BEHIND = re.compile(
    r"\s*(?:\Z|[.,;:!?()\[\]\"'”’」』》>。，；：！？、（）—–]|- "
    r"|\b(?:because|since|as|due|which|so|after|when|from|with)\b|因为|由于)"
)
_TITLE_MOST = 200


class Wish(Model):
    """That a name's entry is ended, by a fact that knew of it before it was met."""

    fact: Fact
    name: str
    word: str
    ending: Ending


class Endings:
    """Ends entries as facts say; what is named too early waits for what it names."""

    def __init__(
        self, drafts: Drafts, conflicts: Callable[[str], Sequence[object]]
    ) -> None:
        """`conflicts` gives those of a name."""
        self._drafts = drafts
        self._conflicts = conflicts
        self._said: list[str] = []
        self._waiting: dict[Name, list[Wish]] = {}
        self._met: set[int] = set()
        self._wishes: list[Wish] = []

    def by(self, fact: Fact, targets: Sequence[str]) -> None:
        """End what a fact supersedes or resolves, by its fields and by its text."""
        for one in fact.supersedes:
            reason = one.reason or fact.title
            self._end(fact, targets, one.target, SUPERSEDED, reason)
        if fact.resolves and not fact.keep:
            self._end(fact, targets, fact.resolves, RESOLVED, fact.title)
        for title in replaced_titles(fact, self._is_title):
            found = self._called([(TITLE, title)], targets) or []
            own = [entry for entry in found if entry.head.kind == fact.kind]
            self._apply(own, ended_by(fact, SUPERSEDED, fact.title))

    def _end(
        self, fact: Fact, targets: Sequence[str], name: str, word: str, reason: str
    ) -> None:
        found = self._called(names_of(name), targets)
        ending = ended_by(fact, word, reason)
        if found is None:
            self._wait(Wish(fact=fact, name=name, word=word, ending=ending))
            return
        kind = words.CONSTRAINT if word == RESOLVED else fact.kind
        meant = [one for one in found if one.head.kind == kind]
        if not meant and word == RESOLVED and self._conflicts(name):
            self._said.append(
                f"{said_by(fact)}: resolves {name}, a conflict, but does not say "
                "keep: old, new or both"
            )
            return
        self._apply(meant or found, ending)

    def _called(
        self, known_as: Sequence[Name], targets: Sequence[str]
    ) -> list[DraftEntry] | None:
        """The entries of a name that hold, the nearest; None where no entry ever had it."""
        was_known = False
        for places in ([(target,) for target in targets], [()]):
            for name in known_as:
                spelled = [(*place, *name) for place in places]
                was_known = was_known or any(
                    one in self._drafts.named for one in spelled
                )
                found = {
                    entry.number: entry
                    for one in spelled
                    for entry in self._drafts.named.all(one)
                    if entry.ending is None
                }
                if found:
                    return [found[number] for number in sorted(found)]
        return [] if was_known else None

    def _apply(self, entries: Sequence[DraftEntry], ending: Ending) -> None:
        """End entries, in every target that shows them."""
        for entry in entries:
            for copy in tuple(self._drafts.of_fact[entry.head.id]):
                if copy.head.id == entry.head.id:
                    self._drafts.end(copy, worded(copy, ending))

    def _is_title(self, text: str) -> bool:
        return (TITLE, text) in self._drafts.named

    def _wait(self, wish: Wish) -> None:
        self._wishes.append(wish)
        for name in names_of(wish.name):
            self._waiting.setdefault(name, []).append(wish)

    def awaited(self, fact: Fact) -> Ending | None:
        """How a fact ended before it was met, if one that stands before it says so.

        Two increments of one day without a time have no order of their own; an id or a
        stem means its fact whenever it was recorded.
        """
        for name in names(fact):
            for wish in self._waiting.get(name, ()):
                if _means(wish, name, fact):
                    self._met.add(id(wish))
                    return wish.ending
        return None

    def unmet(self) -> Iterator[str]:
        """What is to be said of names that ended nothing."""
        yield from self._said
        for wish in self._wishes:
            if id(wish) not in self._met:
                verb = "resolves" if wish.word == RESOLVED else "supersedes"
                yield f"{said_by(wish.fact)}: {verb} {wish.name}, which no entry is called"


def names_of(text: str) -> list[Name]:
    """What a text may mean as a name, the most exact first."""
    bare = text.strip()
    return [
        (KEY, bare),
        (TITLE, normalised(bare)),
        (ID, bare),
        (STEM, bare.removesuffix(".md")),
    ]


def worded(entry: DraftEntry, ending: Ending) -> Ending:
    """An ending in the word of its entry's kind: constraints are resolved (L044, L048)."""
    is_constraint = entry.head.kind == words.CONSTRAINT
    return ending.replace(word=RESOLVED) if is_constraint else ending


def withdrawn(fact: Fact) -> Ending:
    """How a statement ended that an edited increment makes no longer."""
    stem = fact.sources[0][0] if fact.sources else ""
    return Ending(
        word=RESOLVED if fact.kind == words.CONSTRAINT else SUPERSEDED,
        date=fact.withdrawn[:10],
        author=fact.author or UNKNOWN,
        reason=EDITED,
        by=fact.id,
        order=(1, fact.withdrawn[:10], fact.withdrawn[11:], stem, fact.ordinal),
    )


def said_by(fact: Fact) -> str:
    """Where a message says that a fact comes from."""
    return fact.sources[0][0] if fact.sources else fact.id


def _means(wish: Wish, name: Name, fact: Fact) -> bool:
    if name[0] in (ID, STEM):
        return True
    kind = words.CONSTRAINT if wish.word == RESOLVED else wish.fact.kind
    return fact.kind == kind and is_beside(fact, wish.fact)


def is_beside(fact: Fact, other: Fact) -> bool:
    """Whether two facts are of one moment, as far as is known: a day stands for its times."""
    one, two = fact.recorded, other.recorded
    return one[:10] == two[:10] and (one == two or not one[11:] or not two[11:])


def replaced_titles(fact: Fact, is_title: Callable[[str], bool]) -> Iterator[str]:
    """The titles that a fact's text says it replaces, normalised, the longest that fit."""
    for line in (fact.title, *fact.body):
        text = normalised(line)
        for verb in _REPLACES.finditer(text):
            if not _NEGATED.search(text, 0, verb.start()):
                yield from _title_at(text, verb.end(), is_title)


def _title_at(text: str, at: int, is_title: Callable[[str], bool]) -> Iterator[str]:
    lead = _LEAD.match(text, at)
    bare = len(text[at:]) - len(text[at:].lstrip(" :："))
    for start in dict.fromkeys((at + bare, lead.end() if lead else at)):
        for end in range(min(len(text), start + _TITLE_MOST), start, -1):
            if _BEHIND.match(text, end) and is_title(text[start:end]):
                yield text[start:end]
                return
