"""Which entries of a knowledge base a person asks for (T3.0-T3.5, DESIGN 7).

A substring test in code, never a regular expression and never a model. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

from afterword.errors import UsageError
from afterword.evolution.knowledge_base import Entry

MOST = 256  # code points of a keyword (T3.5, C15)


def checked(option: str, text: str) -> str:
    """The text of an option; `UsageError` for an empty one and for more than `MOST`."""
    if not text.strip():
        raise UsageError(
            f"{option} is empty", hint="leave it out to see the whole knowledge base"
        )
    if len(text) > MOST:
        raise UsageError(
            f"{option} has {len(text)} characters, {MOST} at most are allowed",
            hint="a shorter part of the title or the category is enough",
        )
    return text


def filtered(
    entries: Iterable[Entry], keyword: str = "", category: str = ""
) -> list[Entry]:
    """The entries whose title or category contains the keyword, and of the whole category.

    Case does not count; "" asks for nothing; both together mean both (C14, C15).
    """
    word, whole = keyword.casefold(), category.strip().casefold()
    return [
        entry
        for entry in entries
        if (not word or _contains(entry, word))
        and (not whole or entry.category.strip().casefold() == whole)
    ]


def _contains(entry: Entry, word: str) -> bool:
    return word in entry.title.casefold() or word in entry.category.casefold()
