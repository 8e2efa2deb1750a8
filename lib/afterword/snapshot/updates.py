"""What later facts of one entry add to the first: their new lines, dated and signed.

In kinds of fields a newer text replaces that of its label, the old one beside it (L050,
L052, 10.4). Pure; imports `texts`, `fact`, words and `store.blocks`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from afterword.snapshot import texts, words
from afterword.snapshot.fact import Fact, normalised
from afterword.store import blocks
from afterword.store.blocks import Record


class Update(Record):
    """What a later fact adds: a bullet with its lines below, who signs it, its label if
    it replaces the line of that label."""

    __slots__ = ("label", "lines", "signed")
    lines: tuple[str, ...]
    signed: str
    label: str

    def __init__(self, lines: tuple[str, ...], signed: str, label: str) -> None:
        self._set(lines=lines, signed=signed, label=label)

    def shown(self, old: str = "") -> list[str]:
        """The lines, dated and signed, with the text beside it that they replace."""
        first = self.lines[0]
        if not texts.is_bullet(first):
            return list(self.lines)
        was = f" (was {old})" if old else ""
        signed = f" ({self.signed})" if self.signed else ""
        return [first + was + signed, *self.lines[1:]]


class _Known:
    """The lines of an entry so far, so that each is shown once."""

    def __init__(self, head: Fact) -> None:
        self._is_fielded = head.kind in words.FIELDED
        self._texts = {normalised(head.title)}
        self._texts.update(_text(block) for block in _blocks(head.body))
        self._fields: dict[str, str] = {}
        for line in head.body:
            name = texts.label(line)
            if name:
                self._fields.setdefault(name, normalised(texts.value(line)))

    def label(self, block: Sequence[str]) -> str:
        """The label whose text a block replaces, "" for a block that only adds."""
        is_field = self._is_fielded and len(block) == 1
        return texts.label(block[0]) if is_field else ""

    def is_news(self, block: Sequence[str]) -> bool:
        """Whether a block says what was not said yet; then it is from now on."""
        name, text = self.label(block), _text(block)
        said = normalised(texts.value(block[0]))
        if name and name in self._fields:
            is_new = self._fields[name] != said
        else:
            is_new = text not in self._texts
        self._texts.add(text)
        if name:
            self._fields[name] = said
        return is_new


def of(facts: Sequence[Fact]) -> list[Update]:
    """What the facts behind the first add, in their order, each new line once."""
    head = facts[0]
    if len(facts) == 1:
        return []
    is_confirmed = any(map(_is_confirmed, facts))
    known = _Known(head)
    found: list[Update] = []
    for fact in facts[1:]:
        for block in _blocks(_said(fact, head)):
            name = known.label(block)
            if known.is_news(block):
                lines = (_marked(block[0], fact, is_confirmed), *block[1:])
                found.append(Update(lines, _signature(fact), name))
    return found


def merged(facts: Sequence[Fact]) -> list[str]:
    """The lines of the first fact with what the others add."""
    lines = list(facts[0].body)
    for update in of(facts):
        name = update.label
        places = (at for at, line in enumerate(lines) if name and _names(line, name))
        at = next(places, -1)
        if at < 0:
            lines += update.shown()
        else:
            lines[at : at + 1] = update.shown(texts.value(lines[at]))
    return lines


def _names(line: str, name: str) -> bool:
    """Whether a bullet has that label, confirmed or not."""
    return texts.label(line.replace(f"{words.UNCONFIRMED} ", "", 1)) == name


def _said(fact: Fact, head: Fact) -> list[str]:
    """A fact's lines, its title among them where it is another than the entry's."""
    is_same = normalised(fact.title) == normalised(head.title)
    own = [] if is_same else [f"- {texts.one_line(fact.title)}"]
    return [*own, *fact.body]


def _is_confirmed(fact: Fact) -> bool:
    return fact.confidence == words.HIGH or fact.status == words.VERIFIED


def _text(block: Sequence[str]) -> str:
    return normalised("\n".join(block))


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Lines by first-level bullets; a fence stays with the bullet that it follows."""
    data = "".join(f"{line}\n" for line in map(texts.without_ends, lines)).encode(
        "utf-8", "surrogatepass"
    )
    kinds = [kind for _, _, kind in blocks.lines(data, front=False)]
    found: list[list[str]] = []
    for line, kind in zip(lines, kinds, strict=False):
        if not line.strip() and not found:
            continue
        if not found or (kind == blocks.TEXT and texts.is_bullet(line)):
            found.append([line])
        else:
            found[-1].append(line)
    yield from found


def _marked(line: str, fact: Fact, is_confirmed: bool) -> str:
    """A bullet, marked while nothing confirmed it in an entry that is confirmed."""
    if not texts.is_bullet(line):
        return line
    mark = f"{words.UNCONFIRMED} " if is_confirmed and not _is_confirmed(fact) else ""
    return f"{line[:2]}{mark}{line[2:].strip()}"


def _signature(fact: Fact) -> str:
    return ", ".join(filter(None, (fact.recorded[:10], texts.one_line(fact.author))))
