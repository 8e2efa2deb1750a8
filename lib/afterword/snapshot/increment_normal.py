"""A fact in the form in which increments hold facts, made from what somebody gave.

Text stays text: what looks like a field in a detail is a line of the body, so that nobody
verifies or resolves anything by a detail. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from afterword.snapshot import increment_paths as paths
from afterword.snapshot import increment_shapes as shapes
from afterword.snapshot import increment_title as titles
from afterword.snapshot import increment_values as values
from afterword.snapshot import words
from afterword.snapshot.fact import Fact, Supersedes
from afterword.snapshot.increment_body import Body
from afterword.store.safe_text import one_line

_BREAK = re.compile(r"\r\n?|\n")


def described(
    title: str, detail: Sequence[str], kind: str, part: str = ""
) -> tuple[str, tuple[str, ...]]:
    """The title in one line and the detail in canonical lines.

    Without a detail, what stands behind the colon of a term, a setting or a part of the
    architecture is its description, as it is in a file.
    """
    named, body = one_line(title), Body(_lines(detail)).lines
    found = titles.split(named, kind, part)
    if body or not found.said:
        return named, body
    return found.text, Body([f"- {found.said}"]).lines


def in_order(fact: Fact) -> Fact:
    """The fact as it is read back from what `increment_writing` makes of it, its source apart."""
    author = one_line(fact.author)
    key, resolves = _value(fact.key), _value(fact.resolves)
    files = (path for one in fact.files for path in paths.paths(paths.ticked(one))[0])
    return Fact(
        kind=fact.kind,
        title=one_line(fact.title),
        body=Body(_lines(fact.body)).lines,
        part=fact.part if fact.kind == words.ARCHITECTURE else "",
        key=key,
        value=_value(fact.value) if key else "",
        supersedes=tuple(dict.fromkeys(_targets(fact.supersedes))),
        resolves=resolves,
        keep=fact.keep if resolves else "",
        after=fact.after if resolves else (),
        confidence=fact.confidence,
        status=fact.status,
        author="" if shapes.is_nothing(author) else author,
        recorded=fact.recorded,
        files=tuple(dict.fromkeys(files)),
        domains=values.names(", ".join(fact.domains)),
    )


def _lines(texts: Sequence[str]) -> list[str]:
    return [line for text in texts for line in _BREAK.split(text)]


def _value(text: str) -> str:
    """A value in one line, "" for one that a template would hold."""
    value = one_line(text)
    return "" if shapes.is_placeholder(value) else value


def _targets(given: Iterable[Supersedes]) -> Iterator[Supersedes]:
    for one in given:
        target = _value(one.target)
        if target:
            yield Supersedes(target, one_line(one.reason))
