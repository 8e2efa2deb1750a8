"""A module's progress.md: how much is known, what came last, what people note there.

Counts and recent entries are a function of the module's entries, whatever the compiles
that brought them; all other lines and sections stay (7.4). Pure; imports `sections`,
`folded`, `words` and `store` only.
"""

from __future__ import annotations

import re

from afterword.snapshot import sections, words
from afterword.snapshot.fact import Fact
from afterword.snapshot.folded import Target
from afterword.store import blocks, safe_text
from afterword.store.newline import newline_of

STATE, ACTIVITY, QUESTIONS = "Current State", "Recent Activity", "Open Questions"
_COUNTED = (words.DECISION, words.CONSTRAINT, words.ARCHITECTURE)
_UPDATED, _ITEMS = "Last knowledge update", "Knowledge items"
# How many of the newest entries are listed, and how much of a title is shown.
RECENT, SHOWN = 10, 160
_NONE = {"en": "- (none yet)", "zh": "- (暂无)"}
_PLACEHOLDERS = ("- (none yet)", "- (暂无)", "- {{")


def compose(before: bytes | None, target: Target, *, language: str) -> bytes:
    """The file as the module's entries have it now; bytes stay where nothing changed."""
    data = (
        before if before is not None and before.strip() else _new(target.name, language)
    )
    for label, value in _state(target):
        data = _with_state(data, label, value)
    return _with_activity(data, target)


def _new(name: str, language: str) -> bytes:
    none = _NONE[language]
    text = (
        f"# Progress: {name}\n\n## {STATE}\n- {_UPDATED}: -\n- {_ITEMS}: 0\n"
        f"- Specs: 0 proposed, 0 implemented\n\n## {ACTIVITY}\n{none}\n\n"
        f"## {QUESTIONS}\n{none}\n"
    )
    return text.encode()


def _state(target: Target) -> tuple[tuple[str, str], ...]:
    current = [entry for entry in target.entries if entry.is_current]
    decisions, constraints, architecture = (
        sum(entry.head.kind == kind for entry in current) for kind in _COUNTED
    )
    items = (
        f"{len(current)} ({_count(decisions, 'decision')},"
        f" {_count(constraints, 'constraint')}, {architecture} architecture)"
    )
    newest = max((fact.recorded[:10] for fact in _facts(target)), default="")
    return (_UPDATED, newest or "-"), (_ITEMS, items)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _facts(target: Target) -> list[Fact]:
    return [fact for entry in target.entries for fact in entry.facts]


def _with_state(data: bytes, label: str, value: str) -> bytes:
    """The file with one line of Current State, changed in place or added there."""
    line = f"- {label}: {value}".encode("utf-8", "surrogateescape")
    for start, end, text in sections.bullets(data, STATE):
        if text[2:].strip().startswith(f"{label}:"):
            ending = data[start:end][len(data[start:end].rstrip(b"\r\n")) :]
            return data[:start] + line + ending + data[end:]
    newline = newline_of(data)
    found = sections.span(data, STATE)
    if found is None:
        return sections.with_section(data, STATE, line + b"\n", (ACTIVITY, QUESTIONS))
    head = blocks.completed(data[: found[0]], newline)
    return head + line + newline + data[found[0] :]


def _with_activity(data: bytes, target: Target) -> bytes:
    """The newest entries, newest first; lines that no entry explains stay behind them."""
    rendered = [_activity(fact) for fact in sorted(_facts(target), key=_age)]
    newest = list(dict.fromkeys(line for line in rendered if line))[:RECENT]
    bullets = list(sections.bullets(data, ACTIVITY))
    ours = [one for one in bullets if one[2] in rendered or _is_placeholder(one[2])]
    if not newest or [text for _, _, text in ours] == newest:
        return data
    newline = newline_of(data)
    raw = b"".join(line.encode("utf-8", "surrogateescape") + newline for line in newest)
    for start, end, _ in reversed(ours):
        data = data[:start] + data[end:]
    found = sections.span(data, ACTIVITY)
    if found is None:
        return sections.with_section(data, ACTIVITY, raw, (QUESTIONS,))
    at = ours[0][0] if ours else _behind_blank(data, found)
    return blocks.completed(data[:at], newline) + raw + data[at:]


def _behind_blank(data: bytes, found: tuple[int, int]) -> int:
    """Where a section's text begins, behind the empty lines under its heading."""
    blank = re.compile(rb"(?:[ \t]*(?:\r\n?|\n))*").match(data, found[0], found[1])
    at = blank.end() if blank else found[0]
    return at if at < found[1] else found[0]


def _activity(fact: Fact) -> str:
    """`- <date>: [TYPE] <title>`, "" for a fact without a date."""
    day = fact.recorded[:10]
    title = safe_text.shown(fact.title, SHOWN)
    return f"- {day}: [{fact.kind.upper()}] {title}" if day else ""


def _age(fact: Fact) -> tuple[tuple[int, ...], str]:
    """Newest first; of one moment by id."""
    return tuple(-ord(char) for char in fact.recorded), fact.id


def _is_placeholder(text: str) -> bool:
    return text.startswith(_PLACEHOLDERS)
