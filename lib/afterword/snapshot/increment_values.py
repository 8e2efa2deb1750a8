"""The values that stand behind the labels of an increment: levels, dates, names, targets.

Each is read as it is meant: with its remarks, in both languages, in every common form of
a date. Pure; what is no value is "".
"""

from __future__ import annotations

import datetime
import re

from afterword.snapshot import increment_words as spelled
from afterword.snapshot.fact import Supersedes
from afterword.snapshot.increment_shapes import is_nothing

_FIRST_WORD = re.compile(r"[^\s()（），,。；;、|/]+")
_COMMENT = re.compile(r"[(（][^()（）]*[)）]")
_DATE = re.compile(
    r"(?<!\d)(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})(?!\d)日?"
    r"(?:[T ,_]*(\d{1,2})[:：](\d{2})(?:[:：](\d{2}))?)?"
)
_COMPACT = re.compile(
    r"(?<!\d)(\d{4})(\d{2})(\d{2})(?:[-_T]?(\d{2})(\d{2})(\d{2}))?(?!\d)"
)
_CLOCK = re.compile(r"_commit-(\d{2})(\d{2})(\d{2})(?:-\d+)?\Z")
# Between what is superseded and why (4.5), and a dash that is of the title.
_DASH = re.compile(r"(?<=\s)(?:--?|[—–]{1,2})\s+|——")
_ESCAPED = re.compile(r"(?<!\\)\\(\\*[-—–])")
_DASHES = re.compile(r"(?<!\\)\\*[-—–]")
_QUOTES = (('"', '"'), ("'", "'"), ("“", "”"), ("「", "」"))


def confidence(value: str) -> str:
    """The confidence that a value names first, before any comment; "" for none or several."""
    return _first_of(value, spelled.CONFIDENCES)


def status(value: str) -> str:
    """The status that a value names first; "" for none or several (a template's list)."""
    return _first_of(value, spelled.STATUSES)


def _first_of(value: str, known: dict[str, str]) -> str:
    said = _FIRST_WORD.findall(_COMMENT.sub(" ", value).casefold())
    found = [
        known[word]
        for word in (word.strip("*_`{}[].!") for word in said)
        if word in known
    ]
    first = said[0].strip("*_`{}[].!") if said else ""
    return known.get(first, "") if len(set(found)) == 1 else ""


def has_comment(value: str) -> bool:
    """Whether a value says more than its first word, which is then worth keeping."""
    return len(_FIRST_WORD.findall(value)) > 1


def names(value: str) -> tuple[str, ...]:
    """The names of a list of them, without marks and remarks: the domains of a Meta."""
    bare = _COMMENT.sub("", value)
    found = (name.strip(" \t`\"'[]*<>") for name in re.split(r"[,，、;；]", bare))
    return tuple(dict.fromkeys(name for name in found if name and not is_nothing(name)))


def moment(text: str) -> str:
    """The first date of a text as `YYYY-MM-DD`, with ` HH:MM:SS` where a time follows it."""
    found = _DATE.search(text) or _COMPACT.search(text)
    if not found:
        return ""
    numbers = [int(one) if one else 0 for one in found.groups()]
    try:
        at = datetime.datetime(*numbers)  # type: ignore[arg-type]  # six numbers
    except ValueError:
        return ""
    return at.isoformat(" ") if found[4] else at.date().isoformat()


def moment_of_name(stem: str) -> str:
    """The moment in a file's name (4.1), the time of a commit or an emergency included."""
    date = moment(stem)
    clock = _CLOCK.search(stem)
    at = ":".join(clock.groups()) if clock else ""
    return moment(f"{date} {at}") or date if date and at else date


def superseded(value: str) -> Supersedes:
    """`<title or key> - <reason>` as both; the first dash between spaces parts them."""
    found = _DASH.search(value)
    target = value[: found.start()] if found else value
    reason = value[found.end() :] if found else ""
    return Supersedes(_unquoted(_ESCAPED.sub(r"\1", target).strip()), reason.strip())


def _unquoted(text: str) -> str:
    for begin, end in _QUOTES:
        if len(text) > 2 and text.startswith(begin) and text.endswith(end):
            return text[1:-1].strip()
    return text


def written(one: Supersedes) -> str:
    """`<target> - <reason>`, the target so that its own dashes and quotes stay its own."""
    dashes = _DASHES.sub(lambda found: "\\" + found.group(), one.target)
    behind = f" - {one.reason}" if one.reason else ""
    for target in (one.target, f'"{one.target}"', dashes, f'"{dashes}"'):
        if superseded(target + behind) == one:
            return target + behind
    return dashes + behind
