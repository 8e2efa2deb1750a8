"""Whether two entries can both hold: exact by their keys, else as far as words tell.

Three tiers (spec/snapshot.md 10.5): values of one key; quantities, opposites, obligations
and chains under one topic; and what a person may want to look at. Only ever flags, never
decides. Which kinds are compared is the caller's affair. Pure; imports `fact`, `topic`,
`statement`, `values`.
"""

from __future__ import annotations

from collections.abc import Iterator

from afterword.snapshot import statement, topic, values
from afterword.snapshot.fact import Fact, normalised
from afterword.snapshot.quantity import Quantity
from afterword.snapshot.statement import Statement
from afterword.snapshot.surroundings import EXACT, LEAST, MOST
from afterword.snapshot.units import COUNT
from afterword.store.blocks import Record

NONE, SAME, CONFLICT, POSSIBLE, OVERLAP = (
    "none",
    "same",
    "conflict",
    "possible",
    "overlap",
)
# A topic that is less like another is a part of it rather than the same.
SAME_FROM = 0.6
CHOSEN_MOST = 3  # tokens that name an alternative
REMEMBERED = 4096  # facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    Says = tuple[str, str]
    Range = set[tuple[str, int]]  # comparators and amounts


class Verdict(Record):
    """How two facts stand to each other, by which tier, why, and what each side says."""

    __slots__ = ("kind", "new_says", "old_says", "tier", "why")
    kind: str
    tier: int
    why: str
    old_says: str
    new_says: str

    def __init__(
        self,
        kind: str,
        tier: int,
        why: str = "",
        says: Says = ("", ""),
    ) -> None:
        old, new = says
        self._set(kind=kind, tier=tier, why=why, old_says=old, new_says=new)


_UNLIKE = Verdict(NONE, 0)
_OTHER_KEY = Verdict(NONE, 1, "other keys")


class _Known:
    """What is read of a fact once: its words at first, its statement when one asks."""

    __slots__ = ("fact", "labels", "said", "tokens", "words")

    def __init__(self, fact: Fact) -> None:
        self.fact = fact
        self.words = topic.words_of(fact)
        self.tokens = frozenset(token for token, _ in self.words)
        self.labels = frozenset(filter(topic.is_label, self.tokens))
        self.said: Statement | None = None

    def is_of(self, fact: Fact) -> bool:
        """Whether it is still true: a person may edit text under an id."""
        own = self.fact
        return own is fact or (
            own.title == fact.title
            and own.body == fact.body
            and own.value == fact.value
            and own.key == fact.key
        )

    def statement(self) -> Statement:
        if self.said is None:
            self.said = statement.read(self.fact)
        return self.said


_known: dict[str, _Known] = {}


def judge(old: Fact, new: Fact) -> Verdict:
    """How a new fact stands to an old one; the sides apart it is symmetric."""
    is_keyed = bool(old.key and new.key)
    if is_keyed and old.key.strip() != new.key.strip():
        return _OTHER_KEY
    if is_keyed and old.value and new.value:
        return _by_key(old, new)
    one, other = _of(old), _of(new)
    if not is_keyed and not _is_one_topic(one, other):
        return _UNLIKE
    return _by_words(one, other, is_keyed)


def forget() -> None:
    """Empties the memory of facts and titles, for measurements."""
    _known.clear()
    topic.forget()


def _of(fact: Fact) -> _Known:
    found = _known.get(fact.id)
    if found is not None and found.is_of(fact):
        return found
    if len(_known) >= REMEMBERED:
        del _known[next(iter(_known))]
    made = _known[fact.id] = _Known(fact)
    return made


def _by_key(old: Fact, new: Fact) -> Verdict:
    says = (old.value, new.value)
    if values.equal(*says):
        return Verdict(SAME, 1, f"{old.key} is the same", says)
    return Verdict(CONFLICT, 1, f"{old.key} differs", says)


def _is_one_topic(one: _Known, other: _Known) -> bool:
    """Whether two titles are about one thing; other numbers name other things."""
    if one.labels != other.labels and not (
        one.labels <= other.labels or other.labels <= one.labels
    ):
        return False
    if not one.tokens and not other.tokens:
        return normalised(one.fact.title) == normalised(other.fact.title)
    return _likeness(one, other) > 0


def _likeness(one: _Known, other: _Known) -> float:
    return topic.similarity(one.tokens, other.tokens)


def _by_words(one: _Known, other: _Known, is_keyed: bool) -> Verdict:
    ours, theirs = one.statement(), other.statement()
    says = ours.says, theirs.says
    if ours.text == theirs.text:
        return Verdict(SAME, 2, "the same words", says)
    found = _clash(ours, theirs)
    left, right = one.tokens - other.tokens, other.tokens - one.tokens
    if left and right and not is_keyed:
        if not found and _are_choices(one, left) and _are_choices(other, right):
            return Verdict(POSSIBLE, 3, f"{_named(left)} against {_named(right)}", says)
        return Verdict(OVERLAP, 3, "topics alike", says)
    if found and not is_keyed and _is_narrower(one, other, left, right):
        return Verdict(
            POSSIBLE,
            3,
            f"{found.why}, one says of what",
            (found.old_says, found.new_says),
        )
    return found or _perhaps(one, other, says)


def _clash(one: Statement, other: Statement) -> Verdict | None:
    """What two statements on one topic contradict each other in, if anything."""
    says = one.says, other.says
    if pair := _quantities(one, other):
        return Verdict(CONFLICT, 2, "quantities differ", pair)
    shared = one.poles.keys() & other.poles.keys()
    if any(one.poles[axis] != other.poles[axis] for axis in shared):
        return Verdict(CONFLICT, 2, "opposites", says)
    if not shared and one.modality * other.modality < 0:
        return Verdict(CONFLICT, 2, "one demands what the other forbids", says)
    if one.chain and other.chain and one.chain[0] == other.chain[0]:
        return _chains(one.chain, other.chain, says)
    return None


def _perhaps(one: _Known, other: _Known, says: Says) -> Verdict:
    """The third tier under one topic: a bare negation, short answers that differ."""
    ours, theirs = one.statement(), other.statement()
    is_settled = bool(ours.poles.keys() & theirs.poles.keys())
    is_same = len(one.tokens & other.tokens) > 1 and _likeness(one, other) >= SAME_FROM
    if is_same and not is_settled and ours.is_negative != theirs.is_negative:
        return Verdict(POSSIBLE, 3, "one of them denies", says)
    if ours.answer and theirs.answer and not ours.answer & theirs.answer:
        return Verdict(POSSIBLE, 3, "short answers differ", says)
    return Verdict(OVERLAP, 3, "one topic", says)


def _are_choices(known: _Known, tokens: frozenset[str]) -> bool:
    """Whether a few words stand where a title says what it chooses."""
    if len(tokens) > CHOSEN_MOST:
        return False
    chosen = (topic.CHOICE, topic.PLACE)
    return all(place in chosen for token, place in known.words if token in tokens)


def _named(tokens: frozenset[str]) -> str:
    return " ".join(sorted(tokens))


def _is_narrower(
    one: _Known, other: _Known, left: frozenset[str], right: frozenset[str]
) -> bool:
    """Whether one topic is a part of the other, so that both may hold."""
    known, more = (one, left) if left else (other, right)
    if not more:
        return False
    limits = (topic.PLACE, topic.SCOPE)
    if known.words[0][0] in more:  # "user cache" beside "cache"
        return True
    if all(place in limits for token, place in known.words if token in more):
        return True
    return _likeness(one, other) < SAME_FROM


def _chains(old: tuple[str, ...], new: tuple[str, ...], says: Says) -> Verdict | None:
    """Chains from one head: the same, one that has more steps, or others."""
    if old == new:
        return Verdict(SAME, 2, "the same chain", says)
    if _is_within(old, new) or _is_within(new, old):
        return None
    return Verdict(CONFLICT, 2, "chains differ", says)


def _is_within(few: tuple[str, ...], many: tuple[str, ...]) -> bool:
    rest = iter(many)
    return all(node in rest for node in few)


def _quantities(one: Statement, other: Statement) -> Says | None:
    """The first quantities of one dimension that cannot both hold, as they are written."""
    for pair in _comparable(one, other):
        ours, theirs = _of_one_attribute(*pair)
        if ours and theirs and _cannot_both(ours, theirs):
            return _written(ours, theirs)
    return None


def _comparable(
    one: Statement, other: Statement
) -> Iterator[tuple[list[Quantity], list[Quantity]]]:
    """The quantities of each common dimension; a bare number counts what the other does."""
    ours, theirs = one.dimensions(), other.dimensions()
    for dimension in sorted(ours & theirs):
        yield one.of(dimension), other.of(dimension)
    if COUNT in ours - theirs and (noun := other.counted()) and noun not in ours:
        yield one.of(COUNT), other.of(noun)
    if COUNT in theirs - ours and (noun := one.counted()) and noun not in theirs:
        yield one.of(noun), other.of(COUNT)


def _of_one_attribute(
    one: list[Quantity], other: list[Quantity]
) -> tuple[list[Quantity], list[Quantity]]:
    """The quantities that may be of one attribute; an unknown one may be of any."""
    ours, theirs = {q.attribute for q in one}, {q.attribute for q in other}
    shared = (ours & theirs) - {""}
    if shared:
        return (
            [q for q in one if q.attribute in shared],
            [q for q in other if q.attribute in shared],
        )
    return (one, other) if "" in ours or "" in theirs else ([], [])


def _cannot_both(one: list[Quantity], other: list[Quantity]) -> bool:
    """One comparator: no constant in common; several: the intervals do not meet."""
    ours = {(q.comparator, q.amount) for q in one}
    theirs = {(q.comparator, q.amount) for q in other}
    if {c for c, _ in ours} & {c for c, _ in theirs}:
        return not {a for _, a in ours} & {a for _, a in theirs}
    return _low(ours) > _high(theirs) or _low(theirs) > _high(ours)


def _low(one: Range) -> float:
    return max((a for c, a in one if c in (EXACT, LEAST)), default=float("-inf"))


def _high(one: Range) -> float:
    return min((a for c, a in one if c in (EXACT, MOST)), default=float("inf"))


def _written(one: list[Quantity], other: list[Quantity]) -> Says:
    """What differs as it is written, with the comparator where that differs too."""
    old, new = one[0], other[0]
    if old.comparator == new.comparator:
        return old.text, new.text
    return _with_comparator(old), _with_comparator(new)


def _with_comparator(one: Quantity) -> str:
    return one.text if one.comparator == EXACT else f"{one.comparator} {one.text}"
