"""An increment as the program writes it: one entry in the canonical shape (4.2).

The law is `read(write(fact)) == fact` for every fact that `increment_normal` has put in
order, its source apart: a mark that would be read as something else is written with a
backslash in front. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from afterword.snapshot import increment_body, words
from afterword.snapshot import increment_paths as paths
from afterword.snapshot import increment_title as titles
from afterword.snapshot import increment_values as values
from afterword.snapshot.fact import Fact
from afterword.store import digest

MANUAL = "manual"  # the trigger of what somebody typed (4.2)
SUFFIX = ".md"
_LONGEST_SLUG = 40
# The heading of the section that holds a type.
_HEADINGS = {
    words.OVERVIEW: "Project Overview",
    words.ARCHITECTURE: "Architecture Impact",
    words.DECISION: "Decisions",
    words.CONSTRAINT: "Constraints",
    words.EXTERNAL: "External Dependencies",
    words.CONFIG: "Config",
    words.BUSINESS: "Business Context",
    words.GLOSSARY: "Glossary",
    words.LESSON: "Lessons and Facts",
    words.UNCATEGORIZED: "Uncategorized",
}
_LABELS = {"en": ("source", "status"), "zh": ("来源", "验证状态")}
_NO_FILE = "general"  # what stands under Affected Files when no file is meant


def write(
    fact: Fact,
    *,
    trigger: str = MANUAL,
    timestamp: str,
    author: str,
    language: str = "en",
) -> bytes:
    """The file of one fact; `timestamp` is `YYYY-MM-DD HH:MM:SS`, `language` en or zh."""
    lines = (
        f"# {timestamp[:10]} {slug(fact)}",
        "",
        *_meta(fact, trigger, timestamp, author),
        "",
        "## Affected Files",
        *_affected(fact),
        "",
        f"## {_HEADINGS[fact.kind]}",
        f"- {titles.write(fact.title, fact.kind, fact.part)}",
        *(f"  - {field}" for field in _fields(fact)),
        *(f"  {line}" if line else "" for line in increment_body.escaped(fact.body)),
        "",
        *_evidence(fact, timestamp, author, language),
    )
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


def _meta(fact: Fact, trigger: str, timestamp: str, author: str) -> Iterator[str]:
    yield "## Meta"
    if author:
        yield f"- author: {author}"
    yield f"- timestamp: {timestamp}"
    yield f"- trigger: {trigger}"
    yield f"- confidence: {fact.confidence}"
    if fact.domains:
        yield f"- domain: {', '.join(fact.domains)}"


def _affected(fact: Fact) -> Iterator[str]:
    for path in fact.files:
        yield f"- {paths.ticked(path)} → {fact.kind.upper()}"
    if not fact.files:
        yield f"- {_NO_FILE} → {fact.kind.upper()}"


def _fields(fact: Fact) -> Iterator[str]:
    """The exact keys of an entry (4.5), each a bullet below its title."""
    if fact.key:
        yield f"key: {fact.key}"
    if fact.key and fact.value:
        yield f"value: {fact.value}"
    for one in fact.supersedes:
        yield f"supersedes: {values.written(one)}"
    if fact.resolves:
        yield f"resolves: {fact.resolves}"
    if fact.keep:
        yield f"keep: {fact.keep}"
    if fact.after:
        yield f"after: {', '.join(fact.after)}"
    if fact.part:
        yield f"part: {fact.part}"


def _evidence(fact: Fact, timestamp: str, author: str, language: str) -> Iterator[str]:
    source, status = _LABELS.get(language, _LABELS["en"])
    yield "## Evidence"
    yield f"- {source}: {', '.join(filter(None, (author, timestamp[:10])))}"
    yield f"- {status}: {fact.status}"


def name(fact: Fact, timestamp: str, number: int = 0) -> str:
    """`<date>_<slug>-<6 hex>.md`: sorts by date; the digits are those of all it says.

    `number` gives another name to another file that says the very same.
    """
    said = (
        fact.id,
        timestamp,
        fact.author,
        fact.confidence,
        fact.status,
        *fact.files,
        *fact.domains,
        *(part for one in fact.supersedes for part in (one.target, one.reason)),
        *fact.after,
        str(number or ""),
    )
    text = "\0".join(said).encode("utf-8", "surrogatepass")
    return f"{timestamp[:10]}_{slug(fact)}-{digest.hexdigest(text)[:6]}{SUFFIX}"


def slug(fact: Fact) -> str:
    """The title in at most 40 plain letters, digits and hyphens; else the type."""
    plain = unicodedata.normalize("NFKD", fact.title).encode("ascii", "ignore").decode()
    said = re.findall(r"[a-z0-9]+", plain.replace("'", "").lower())
    found = "-".join(said)
    if len(found) > _LONGEST_SLUG:
        cut = found[: _LONGEST_SLUG + 1].rpartition("-")[0]
        found = cut or found[:_LONGEST_SLUG]
    return found or fact.kind
