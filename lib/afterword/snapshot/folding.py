"""Entries while they are folded: drafts that grow, and the registers that find them.

`Drafts` knows every entry begun so far by what it can be called (key, title, fact id,
source), by what joins it, and by its topic. Each look-up costs the same however many
entries have ended. Pure; imports `fact`, `folded`, `topic`, `values` and words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from afterword.snapshot import topic, values, words
from afterword.snapshot.fact import Fact, normalised, order
from afterword.snapshot.folded import Ending, Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    # What a fact can be called by, and how: ("key", "payment.timeout").
    Name = tuple[str, str]

KEY, TITLE, ID, STEM = "key", "title", "id", "stem"
# How many entries one fact is held against: by its key, its title, its topic each. Of
# more values than these for one key, each is in conflict with the first ones.
NEAREST = 8
# How many facts of an entry a new one is held against, from its beginning and its end.
FACTS = 8
UNKNOWN = "unknown"


class DraftEntry:
    """An entry of one target in the making.

    `keys` are those of its facts. `ending` is what a fact said of it and nothing takes
    back; `lost` are its endings by conflicts, by the conflict's number, as long as their
    resolutions agree.
    """

    __slots__ = ("ending", "facts", "keys", "lost", "number", "target")

    def __init__(self, target: str, number: int) -> None:
        self.target = target
        self.number = number
        self.facts: list[Fact] = []
        self.keys: set[str] = set()
        self.ending: Ending | None = None
        self.lost: dict[int, Ending] = {}

    @property
    def head(self) -> Fact:
        return self.facts[0]

    @property
    def is_current(self) -> bool:
        return self.ending is None and not self.lost

    def meets(self, fact: Fact) -> bool:
        """Whether a later fact can contradict it: it is current, or was when that was said.

        A withdrawn statement stood until its day, for all but what its own increment
        says instead. Adopted text that says of itself that it ended stood for nobody.
        """
        gone = self.head.withdrawn
        if not gone or not self.head.sources:
            return self.is_current
        stems = {stem for stem, _ in self.head.sources}
        is_other = not any(stem in stems for stem, _ in fact.sources)
        return is_other and fact.recorded[:10] <= gone

    def compared(self, fact: Fact) -> Iterator[Fact]:
        """The facts that a new one is held against: those of its key have one value."""
        few = len(self.facts) <= 2 * FACTS
        facts = self.facts if few else self.facts[:FACTS] + self.facts[-FACTS:]
        is_exact = bool(fact.key and fact.value)
        keys: set[str] = set()
        for one in facts:
            key = one.key if is_exact and one.value else ""
            if key not in keys:
                yield one
            if key:
                keys.add(key)

    def finished(self) -> Entry:
        """The entry, with the earliest of its endings."""
        endings = [*([self.ending] if self.ending else []), *self.lost.values()]
        ending = min(endings, key=lambda one: one.order, default=None)
        return Entry(target=self.target, facts=_with_kept(self.facts), ending=ending)


def _with_kept(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """An entry's facts, the first with all lines that persons wrote into the entry.

    Whichever fact was the first when they did.
    """
    if not any(fact.kept for fact in facts[1:]):
        return tuple(facts)
    kept = dict.fromkeys(line for fact in facts for line in fact.kept)
    head, *others = facts
    plain = (fact.replaced(kept=()) for fact in others)
    return head.replaced(kept=tuple(kept)), *plain


class Register:
    """Entries by a name each, earliest first; it remembers the names of those that left."""

    def __init__(self) -> None:
        self._found: dict[object, dict[int, DraftEntry]] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def add(self, name: object, entry: DraftEntry) -> None:
        self._found.setdefault(name, {})[entry.number] = entry

    def drop(self, name: object, entry: DraftEntry) -> None:
        self._found[name].pop(entry.number, None)

    def all(self, name: object) -> Iterable[DraftEntry]:
        return self._found.get(name, {}).values()


class Drafts:
    """Every entry begun so far; `of_fact` are those that hold a fact, one in each target."""

    def __init__(self) -> None:
        self.entries: list[DraftEntry] = []
        self.of_fact: dict[str, list[DraftEntry]] = {}
        self.named = Register()
        self._joinable = Register()
        self._about = Register()
        self._indexes: dict[tuple[str, str], topic.Index] = {}
        self._topics: dict[str, frozenset[str]] = {}

    def begin(self, target: str, fact: Fact) -> DraftEntry:
        """A new entry of a target."""
        entry = DraftEntry(target, len(self.entries))
        self.entries.append(entry)
        self.join(entry, fact)
        return entry

    def join(self, entry: DraftEntry, fact: Fact) -> None:
        """One more fact of an entry."""
        entry.facts.append(fact)
        if fact.key:
            entry.keys.add(fact.key)
        self.of_fact.setdefault(fact.id, []).append(entry)
        for register, name in self._places(entry, fact):
            register.add(name, entry)
        if fact.kind in words.CLAIMS:
            tokens = self._topic(fact)
            self._index(entry.target, fact.kind).add(_number(entry, fact), tokens)

    def end(self, entry: DraftEntry, ending: Ending) -> None:
        """End an entry for good; the first that ends it counts."""
        if entry.ending is not None:
            return
        entry.ending = ending
        for fact in entry.facts:
            for register, name in self._places(entry, fact):
                register.drop(name, entry)
            if fact.kind in words.CLAIMS:
                self._index(entry.target, fact.kind).remove(_number(entry, fact))

    def _places(
        self, entry: DraftEntry, fact: Fact
    ) -> Iterator[tuple[Register, object]]:
        for name in names(fact):
            yield self.named, name
            yield self.named, (entry.target, *name)
        if fact.key and fact.value:
            yield self._joinable, _by_value(entry.target, fact)
        yield self._joinable, _by_title(entry.target, fact)
        if fact.kind in words.CLAIMS:
            yield self._about, (fact.kind, self._topic(fact))

    def _index(self, target: str, kind: str) -> topic.Index:
        return self._indexes.setdefault((target, kind), topic.Index())

    def _topic(self, fact: Fact) -> frozenset[str]:
        known = self._topics.get(fact.id)
        if known is None:
            known = self._topics[fact.id] = topic.tokens(fact)
        return known

    def of_value(self, target: str, fact: Fact) -> list[DraftEntry]:
        """The first current entry of a target with a fact's key and value."""
        if not (fact.key and fact.value):
            return []
        known = self._joinable.all(_by_value(target, fact))
        return _first(1, known, lambda entry: entry.is_current)

    def of_title(self, target: str, fact: Fact) -> list[DraftEntry]:
        """The current entries of a target with a fact's title, and no other key than its."""
        known = self._joinable.all(_by_title(target, fact))
        found = _first(NEAREST, known, lambda entry: entry.is_current)
        return [one for one in found if not fact.key or one.keys <= {fact.key}]

    def of_key(self, fact: Fact) -> list[DraftEntry]:
        """The entries of any target with a fact's key, that it can contradict."""
        if not fact.key:
            return []
        known = self.named.all((KEY, fact.key))
        return _first(NEAREST, known, lambda entry: entry.meets(fact))

    def near(self, target: str, fact: Fact) -> list[DraftEntry]:
        """The entries of a target that are called as a fact, or about what it is about."""
        titled = self._joinable.all(_by_title(target, fact))
        found = _first(NEAREST, titled, lambda entry: entry.meets(fact))
        return [*found, *self._likest(self._index(target, fact.kind), fact)]

    def _likest(self, index: topic.Index, fact: Fact) -> list[DraftEntry]:
        most = NEAREST
        while True:
            keys = index.candidates(self._topic(fact), most)
            known = [self.entries[int(key.partition(" ")[0])] for key, _ in keys]
            found = _first(NEAREST, known, lambda entry: entry.meets(fact))
            if len(found) == NEAREST or len(keys) < most:
                return found
            most *= 4  # entries that lost a conflict stood in front

    def elsewhere(self, targets: Iterable[str], fact: Fact) -> list[DraftEntry]:
        """The entries of other targets about exactly what a fact is about."""
        tokens = self._topic(fact)
        known = self._about.all((fact.kind, tokens)) if tokens else ()
        others = (entry for entry in known if entry.target not in targets)
        return _first(NEAREST, others, lambda entry: entry.meets(fact))


def names(fact: Fact) -> Iterator[Name]:
    """What a fact can be called by, the most exact first."""
    if fact.key:
        yield KEY, fact.key
    yield TITLE, normalised(fact.title)
    yield ID, fact.id
    for stem, _ in fact.sources:
        yield STEM, stem


def _by_value(target: str, fact: Fact) -> object:
    value = values.canonical(fact.value)
    return target, fact.kind, fact.part, KEY, fact.key, value


def _by_title(target: str, fact: Fact) -> object:
    return target, fact.kind, fact.part, TITLE, normalised(fact.title)


def _number(entry: DraftEntry, fact: Fact) -> str:
    return f"{entry.number} {fact.id}"


def _first(
    most: int, entries: Iterable[DraftEntry], fits: Callable[[DraftEntry], bool]
) -> list[DraftEntry]:
    """The first entries that fit, each once."""
    found: dict[int, DraftEntry] = {}
    for entry in entries:
        if entry.number not in found and fits(entry):
            found[entry.number] = entry
            if len(found) == most:
                break
    return list(found.values())


def day(text: str) -> str:
    """The date of a moment as files show it."""
    return text[:10] or UNKNOWN


def ended_by(fact: Fact, word: str, reason: str) -> Ending:
    """What a fact says of an entry that it ends."""
    return Ending(
        word=word,
        date=day(fact.recorded),
        author=fact.author or UNKNOWN,
        reason=reason,
        by=fact.id,
        order=order(fact),
    )
