"""A fact: one assertion of an increment, a promoted record or an adopted text.

Facts with one id are one assertion, however often it is made: `joined` is commutative,
associative and idempotent, so a set of facts has no order of arrival. The fold, the
files and the merges rest on that. Pure; imports `store.digest`, `store.blocks` and words.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from afterword.snapshot import words
from afterword.store import digest
from afterword.store.blocks import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")
    # A place in the fold: (0 adopted | 1, date, time, stem, ordinal).
    Order = tuple[int, str, str, str, int]
    Texts = tuple[str, tuple[str, ...], str]
    Source = tuple[str, str]  # stem of an increment or id of a record, hash of its text

_MARKS = str.maketrans("", "", "*_`")


class Supersedes(Record):
    """What a fact replaces: title, key, fact id, stem or record id; and why."""

    __slots__ = ("reason", "target")
    target: str
    reason: str

    def __init__(self, target: str, reason: str = "") -> None:
        self._set(target=target, reason=reason)


class Fact(Record):
    """One assertion. `body` are its lines as they stand in a target file, below the heading.

    `sources` name every increment that makes it, sorted; adopted text has none. `recorded`
    is `YYYY-MM-DD` or `YYYY-MM-DD HH:MM:SS`, "" where nothing says it. `folders` are the
    modules whose increments/ held it, `domains` those that its Meta names. `withdrawn` is
    the date at which an edited increment stopped making it. `kept` are lines that a person
    wrote into a rendered entry.
    """

    __slots__ = (
        "after",
        "author",
        "body",
        "confidence",
        "domains",
        "files",
        "folders",
        "id",
        "keep",
        "kept",
        "key",
        "kind",
        "ordinal",
        "part",
        "recorded",
        "resolves",
        "sources",
        "status",
        "supersedes",
        "title",
        "value",
        "withdrawn",
    )
    id: str
    kind: str
    title: str
    body: tuple[str, ...]
    part: str
    key: str
    value: str
    supersedes: tuple[Supersedes, ...]
    resolves: str
    keep: str
    after: tuple[str, ...]
    confidence: str
    status: str
    author: str
    recorded: str
    files: tuple[str, ...]
    domains: tuple[str, ...]
    folders: tuple[str, ...]
    sources: tuple[Source, ...]
    ordinal: int
    withdrawn: str
    kept: tuple[str, ...]

    def __init__(
        self,
        *,
        kind: str,
        title: str,
        body: tuple[str, ...] = (),
        part: str = "",
        key: str = "",
        value: str = "",
        supersedes: tuple[Supersedes, ...] = (),
        resolves: str = "",
        keep: str = "",
        after: tuple[str, ...] = (),
        confidence: str = words.MEDIUM,
        status: str = words.UNVERIFIED,
        author: str = "",
        recorded: str = "",
        files: tuple[str, ...] = (),
        domains: tuple[str, ...] = (),
        folders: tuple[str, ...] = (),
        sources: tuple[Source, ...] = (),
        ordinal: int = 0,
        withdrawn: str = "",
        kept: tuple[str, ...] = (),
        id: str = "",  # noqa: A002  # the field's name in every file
    ) -> None:
        given = {name: value for name, value in locals().items() if name != "self"}
        given["id"] = id or identity(
            kind, part, title, body, key, value, resolves, keep, after
        )
        self._set(**given)

    def replaced(self, **changes: object) -> Fact:
        """A copy with some fields changed; the id stays."""
        values = dict(zip(self.__slots__, self._values(), strict=True))
        return Fact(**{**values, **changes})  # type: ignore[arg-type]  # same fields


def identity(
    kind: str,
    part: str,
    title: str,
    body: tuple[str, ...],
    key: str,
    value: str,
    resolves: str = "",
    keep: str = "",
    after: tuple[str, ...] = (),
) -> str:
    """`e-` and ten hex digits of what a fact says, whoever said it and when.

    A person who goes back to a first decision, in the same words, decides again: what a
    resolution comes `after` is a part of what it says.
    """
    said = (kind, part, normalised(title), *(normalised(line) for line in body))
    exact = (key.strip(), value.strip(), resolves.strip(), keep)
    text = "\0".join(line for line in said if line) + "\1" + "\0".join(exact)
    if after:
        text += "\1" + "\0".join(sorted(after))
    return "e-" + digest.hexdigest(text.encode("utf-8", "surrogatepass"))[:10]


def normalised(text: str) -> str:
    """Text as titles are compared: NFKC, case-folded, without marks, single spaces."""
    if text.isascii():
        plain = text.lower()
    else:
        plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(plain.translate(_MARKS).split())


def source_hash(data: bytes) -> str:
    """Twelve hex digits of a source's text; line ends do not count."""
    return digest.of_text(data)[:12]


def order(fact: Fact) -> Order:
    """The place of a fact in every fold: adopted text first, then (recorded, stem, ordinal)."""
    if not fact.sources:
        return (0, "", "", "", fact.ordinal)
    stem = fact.sources[0][0]
    return (1, fact.recorded[:10], fact.recorded[11:], stem, fact.ordinal)


def joined(one: Fact, other: Fact) -> Fact:
    """Two statements of one fact as one: the first in order speaks, what both add is united.

    Adopted text speaks only while no increment says the same: which place a fact has must
    not depend on what it was joined with first. A text that a person changed in its file
    stays, whoever says the same again.
    """
    first, second = (one, other) if _precedes(one, other) else (other, one)
    title, body, value = _texts(first, second)
    return first.replaced(
        title=title,
        body=body,
        value=value,
        confidence=max(first.confidence, second.confidence, key=_of_confidence),
        status=max(first.status, second.status, key=_of_status),
        files=_both(first.files, second.files),
        sources=_leading(first.sources[:1], _both(first.sources, second.sources)),
        supersedes=_both(first.supersedes, second.supersedes),
        after=_both(first.after, second.after),
        domains=_both(first.domains, second.domains),
        folders=_both(first.folders, second.folders),
        withdrawn=min(first.withdrawn, second.withdrawn),
        kept=_both(first.kept, second.kept),
    )


def _texts(first: Fact, second: Fact) -> Texts:
    """Title, body and value of the one that a person changed, else of the first."""
    sides = [(one.title, one.body, one.value) for one in (first, second)]
    if sides[0] == sides[1]:
        return sides[0]
    pairs = zip((first, second), sides, strict=True)
    changed = [side for one, side in pairs if _is_changed(one)]
    is_tie = not changed and _voice(first) == _voice(second)
    return min(changed or (sides if is_tie else sides[:1]))


def _is_changed(fact: Fact) -> bool:
    """Whether a fact's text is no longer the one that its id is made of."""
    return fact.id != fact.replaced(id="").id


def _precedes(one: Fact, other: Fact) -> bool:
    return one is other or _voice(one) <= _voice(other)


def _voice(fact: Fact) -> tuple[object, ...]:
    """What decides who speaks: only what the one that speaks leaves as it is."""
    return (
        not fact.sources,
        order(fact),
        fact.sources[:1],
        fact.recorded,
        fact.author,
        fact.key,
        fact.resolves,
        fact.kind,
        fact.part,
    )


def _both(one: tuple[T, ...], other: tuple[T, ...]) -> tuple[T, ...]:
    """The union of two lists in an order that does not tell which came first."""
    if one == other or not other:
        return one
    return tuple(sorted({*one, *other}, key=repr)) if one else other


def _leading(head: tuple[Source, ...], all_: tuple[Source, ...]) -> tuple[Source, ...]:
    """The sources with the one that speaks in front: `order` asks for it."""
    return head + tuple(sorted(source for source in all_ if source not in head))


def _of_confidence(text: str) -> int:
    return words.CONFIDENCES.index(text) if text in words.CONFIDENCES else -1


def _of_status(text: str) -> int:
    return words.STATUSES.index(text) if text in words.STATUSES else -1


def united(facts: Iterable[Fact]) -> dict[str, Fact]:
    """The facts by id, in their order, each id once."""
    found: dict[str, Fact] = {}
    for fact in facts:
        known = found.get(fact.id)
        found[fact.id] = joined(known, fact) if known else fact
    return {fact.id: fact for fact in sorted(found.values(), key=_place)}


def _place(fact: Fact) -> tuple[Order, str]:
    return order(fact), fact.id
