"""What an entry says: quantities, poles, modality, a chain; read of title, value and body.

Reasons, evidence, sources and rejected alternatives say why and not what, so that no
number in them contradicts anything. Pure; imports `fact`, `topic`, `values`, `polarity`.
"""

from __future__ import annotations

import re

from afterword.snapshot import polarity, topic, units, values, words
from afterword.snapshot.fact import Fact, normalised
from afterword.snapshot.quantity import Quantity

SAYS_MOST = 200  # characters of a body that a conflict block shows
READ_MOST = 4000  # characters of a body that are looked at
ANSWER_MOST = 3  # tokens of a body that is an answer to its title
# Labels of lines that hold nothing, beside those of an increment's own fields.
_ASIDE = frozenset(
    """why because reason reasons rationale background context evidence rejected alternative
    alternatives history note notes example examples source sources
    原因 理由 背景 讨论中提及 证据 备注 说明 示例 例如 替代方案 历史 来源""".split()
)
_TELLING = ("", "value", "detail")  # fields whose lines do hold
_LABEL = re.compile(r"([^:：*`]{1,24})[*`]{0,2}\s?[:：]")
_REASON = re.compile(
    r"\b(?:because|since|due to|so that|in order to)\b.*|(?:因为|由于|以便).*",
    re.IGNORECASE,
)
_OF_NOUN = units.COUNT + ":"
_MARKS = " \t-*>`"


class Statement:
    """What a fact says. Quantities of its title and value count before those of its body.

    `answer` are the tokens of a body that is one short line, as `Redis` under `Session
    store`; `says` is one line for a conflict block.
    """

    __slots__ = (
        "_body",
        "_head",
        "answer",
        "chain",
        "is_negative",
        "modality",
        "poles",
        "says",
        "text",
    )

    def __init__(self, fact: Fact) -> None:
        lines = _holding(fact.body)
        title = values.plain(_REASON.sub("", fact.title[: topic.TITLE_MOST]))
        body = values.plain("\n".join(lines)[:READ_MOST])
        lower = title.lower()
        self.text = "\n".join(map(normalised, (title, fact.value, *lines)))
        self._head = values.quantities(title)
        if fact.value:
            self._head += values.quantities(f": {fact.value}")
        self._body = values.quantities(f"{title}: {body}") if body else ()
        self.poles = polarity.sides(lower) or polarity.sides(body.lower())
        self.modality = polarity.modality(lower)
        self.is_negative = polarity.is_negative(lower)
        self.chain = topic.chain(title) or _first_chain(lines)
        self.answer = _answer(lines)
        self.says = fact.value or _one_line(lines) or _bounded(fact.title)

    def dimensions(self) -> frozenset[str]:
        """The dimensions of its quantities."""
        return frozenset(one.dimension for one in (*self._head, *self._body))

    def counted(self) -> str:
        """The dimension of the one noun that it counts, "" for none or several."""
        nouns = [name for name in self.dimensions() if name.startswith(_OF_NOUN)]
        return nouns[0] if len(nouns) == 1 else ""

    def of(self, dimension: str) -> list[Quantity]:
        """The quantities of a dimension: those of title and value, else of the body."""
        for found in (self._head, self._body):
            if known := [one for one in found if one.dimension == dimension]:
                return known
        return []


def read(fact: Fact) -> Statement:
    """What a fact says."""
    return Statement(fact)


def _holding(body: tuple[str, ...]) -> list[str]:
    """The lines that say what holds, without marks, reasons and fenced text."""
    lines, is_fenced, left = [], False, READ_MOST
    for line in body:
        if left < 0:
            break
        left -= len(line)
        if line.lstrip().startswith(("```", "~~~")):
            is_fenced = not is_fenced
        elif not is_fenced and not _is_aside(line):
            bare = _REASON.sub("", line).strip(_MARKS)
            if bare:
                lines.append(bare)
    return lines


def _is_aside(line: str) -> bool:
    label = _LABEL.match(line.lstrip(_MARKS))
    if not label:
        return False
    name = label[1].strip().casefold()
    return name in _ASIDE or words.field_of(name) not in _TELLING


def _first_chain(lines: list[str]) -> tuple[str, ...]:
    return next((found for found in map(topic.chain, lines) if found), ())


def _answer(lines: list[str]) -> frozenset[str]:
    if len(lines) != 1 or len(lines[0]) > 40 or values.quantities(lines[0]):
        return frozenset()
    tokens = topic.of_text(lines[0])
    return tokens if len(tokens) <= ANSWER_MOST else frozenset()


def _one_line(lines: list[str]) -> str:
    return _bounded("; ".join(lines))


def _bounded(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SAYS_MOST else line[: SAYS_MOST - 3].rstrip() + "..."
