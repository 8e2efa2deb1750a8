"""A fact in the form in which increments hold facts, made from what somebody gave.

Text stays text: what looks like a field in a detail is a line of the body, so that nobody
verifies or resolves anything by a detail. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from afterword.snapshot import increment_shapes as shapes
from afterword.snapshot import increment_title as titles
from afterword.snapshot import words
from afterword.snapshot.fact import Fact, Supersedes
from afterword.snapshot.increment_body import Body
from afterword.store.safe_text import one_line


def described(
    title: str, detail: Sequence[str], kind: str, part: str = ""
) -> tuple[str, tuple[str, ...]]:
    """The title in one line and the detail in canonical lines.

    Without a detail, what stands behind the colon of a term, a setting or a part of the
    architecture is its description, as it is in a file.
    """
    named, body = one_line(title), Body(detail).lines
    found = titles.split(named, kind, part)
    if body or not found.said:
        return named, body
    return found.text, Body([f"- {found.said}"]).lines


def in_order(fact: Fact) -> Fact:
    """The fact as it is read back from what `increment_writing` makes of it, its source apart."""
    paths = (shapes.path_of(one) for one in fact.files)
    return Fact(
        kind=fact.kind,
        title=one_line(fact.title),
        body=Body(fact.body).lines,
        part=fact.part if fact.kind == words.ARCHITECTURE else "",
        key=one_line(fact.key),
        value=one_line(fact.value) if fact.key.strip() else "",
        supersedes=tuple(dict.fromkeys(map(_in_lines, fact.supersedes))),
        resolves=one_line(fact.resolves),
        keep=fact.keep if fact.resolves.strip() else "",
        after=fact.after if fact.resolves.strip() else (),
        confidence=fact.confidence,
        status=fact.status,
        author=one_line(fact.author),
        recorded=fact.recorded,
        files=tuple(dict.fromkeys(filter(None, paths))),
        domains=shapes.names(", ".join(fact.domains)),
    )


def _in_lines(one: Supersedes) -> Supersedes:
    return Supersedes(one_line(one.target), one_line(one.reason))
