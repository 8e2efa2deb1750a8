"""What a snapshot says that the program did not write: entries without metadata (DESIGN 8).

Headings with bullets, plain bullets, rows of tables, pending items, conflict blocks, in
the shapes that real snapshots have, in both languages (spec/snapshot.md 7). Adopted text
is verified unless it says otherwise. Pure; imports the room's models and words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from afterword.model import Model
from afterword.snapshot import increment_paths, words
from afterword.snapshot.fact import Fact, normalised
from afterword.snapshot.folded import Conflict, Side
from afterword.store import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_DATED = re.compile(rf"[(（]\s{{0,8}}({_DATE})\s{{0,8}}[)）]\Z")
_LABELLED = re.compile(
    r"(\s*)[-*+]\s{1,8}([^:：\s][^:：]{0,39})[:：]\s*(.*)\Z", re.DOTALL
)
_MARK = re.compile(
    rf"[\s>*_-]*(?:Superseded|Resolved|已取代|已被取代|已解决)[*_]*\s*[:：]\s*[*_]*\s*({_DATE})?",
    re.IGNORECASE,
)
_BULLET = re.compile(r"[-*+]\s+")
_TERM = re.compile(
    r"\*{0,3}(.{1,60}?)\*{0,3}\s{0,8}[:：]\s{0,8}\*{0,3}\s{0,8}(\S.*)\Z", re.DOTALL
)
_TAGGED = re.compile(r"\[([^\]]{1,40})\](.*)\Z", re.DOTALL)
_ORIGIN = re.compile(r"(?:—|--?|–)\s{0,8}(?:来源|source)\s{0,8}[:：]", re.IGNORECASE)
_REMARK = re.compile(
    r"[,，]\s{0,8}(?:需验证|needs? verification)(?:[,，\s]\s{0,8}contradicts\b.*)?\s{0,8}\Z",
    re.DOTALL | re.IGNORECASE,
)
_SIDES = (
    (
        "old",
        re.compile(r"(?:Snapshot says|已有快照说)[^:：]{0,80}[:：]", re.IGNORECASE),
    ),
    (
        "new",
        re.compile(
            r"(?:New increment says|新增增量说)[^:：]{0,80}[:：]", re.IGNORECASE
        ),
    ),
)
_BRACKETED = re.compile(r"[(（]([^()（）]*)[)）]\Z")
_FIELDS = {
    "recorded": ("recorded", "记录于", "记录时间", "记录"),
    "author": ("author", "作者"),
    "status": ("status", "状态"),
}
_STATE = re.compile(r"[-*+]\s+(?:状态|state|status)\s*[:：]\s*(.*)\Z", re.IGNORECASE)
_CONFIDENCES = {"高": words.HIGH, "中": words.MEDIUM, "低": words.LOW}
_STATUSES = {
    "已验证": words.VERIFIED,
    "未验证": words.UNVERIFIED,
    "待验证": words.UNVERIFIED,
    "有争议": words.CHALLENGED,
    "存疑": words.CHALLENGED,
}
# Types of which a bullet `term: text` is an entry called by the term.
_TERMED = frozenset((words.GLOSSARY, words.EXTERNAL, words.CONFIG))
_KEYS = frozenset(("key", "item", "配置项", "配置键", "键"))
_VALUES = frozenset(("value", "default", "值", "默认值", "当前值"))
# Columns of a table that say where something lies.
_PLACES = frozenset(("location", "位置", "path", "路径"))
_TICKED = re.compile(r"`([^`\s]{1,400})`")
_AUTHOR_MOST = 40
_NO_DATE = "0000-00-00"


class Where(Model):
    """Where adopted text stands: the kind and part of its section, its file, its place."""

    kind: str
    part: str
    module: str
    ordinal: int


def titled(text: str) -> tuple[str, str, bool]:
    """Title, date and whether it is unconfirmed, of a heading or bullet as it stands."""
    bare = text.strip()
    is_open = bare.startswith(words.UNCONFIRMED)
    bare = bare.removeprefix(words.UNCONFIRMED).strip() if is_open else bare
    dated = _DATED.search(bare)
    if dated and dated.start():
        return bare[: dated.start()].rstrip(), dated.group(1), is_open
    return bare, "", is_open


def entry(where: Where, heading: str, lines: Sequence[str]) -> Fact:
    """The fact of a heading with the lines below it."""
    title, recorded, is_open = titled(heading)
    return _fact(where, title, tuple(lines), recorded, is_open, lines)


def bullet(where: Where, lines: Sequence[str]) -> Fact:
    """The fact of a first-level bullet with its continuation, given without its marks."""
    title, recorded, is_open = titled(lines[0])
    body = tuple(line for line in lines[1:] if line.strip())
    term = _TERM.match(title) if where.kind in _TERMED else None
    if term and "://" not in term.group(1) + ":" + term.group(2)[:2]:
        title, body = term.group(1).strip("*` "), (f"- {term.group(2)}", *body)
    return _fact(where, title, body, recorded, is_open, lines[1:])


def row(where: Where, columns: Sequence[str], cells: Sequence[str]) -> Fact:
    """The fact of a row of a table: called by its first cell, a line for each other one."""
    title, recorded, is_open = titled(cells[0])
    named = list(zip(columns[1:], cells[1:], strict=False))
    body = tuple(f"- {name}: {cell}" for name, cell in named if cell)
    found = {name.strip("*` ").casefold(): cell.strip("` ") for name, cell in named}
    value = next((found[name] for name in _VALUES if found.get(name)), "")
    key = next((found[name] for name in _KEYS if found.get(name)), "")
    exact = {"key": key, "value": value} if key and value and " " not in key else {}
    return _fact(where, title, body, recorded, is_open, body, exact)


def _fact(
    where: Where,
    title: str,
    body: tuple[str, ...],
    recorded: str,
    is_open: bool,
    said_in: Iterable[str],
    exact: Mapping[str, Any] | None = None,
) -> Fact:
    said = fields(said_in)
    recorded = said.get("recorded", "") or said.get("timestamp", "") or recorded
    status = said.get("status") or (words.UNVERIFIED if is_open else words.VERIFIED)
    default = words.MEDIUM if is_open else words.HIGH
    return Fact(
        kind=where.kind,
        part=where.part,
        title=title,
        body=body,
        confidence=said.get("confidence", default),
        status=status,
        author=said.get("author", "") or said.get("source", ""),
        recorded=recorded,
        files=_files(title, body),
        folders=(where.module,),
        ordinal=where.ordinal,
        withdrawn=_ended(body, recorded),
        **(exact or {}),
    )


def fields(lines: Iterable[str]) -> dict[str, str]:
    """What labelled bullets say of author, date, status and confidence, the first of each."""
    found: dict[str, str] = {}
    for line in lines:
        labelled = _LABELLED.match(line)
        name = words.field_of(labelled.group(2)) if labelled else ""
        value = _value(name, labelled.group(3).strip()) if labelled and name else ""
        if value:
            found.setdefault(name, value)
    return found


def _files(title: str, body: Sequence[str]) -> tuple[str, ...]:
    """The paths that adopted text names, by which it finds its module (L012).

    Those behind a label for files, and any with a slash that stands in backticks.
    """
    found: list[str] = []
    for line in (title, *body):
        labelled = _LABELLED.match(line)
        label = labelled.group(2).strip("*` ").casefold() if labelled else ""
        if labelled and (label in _PLACES or words.field_of(label) == "file"):
            found += increment_paths.paths(labelled.group(3).strip(), is_strict=True)[0]
        named = (one for one in _TICKED.findall(line) if "/" in one)
        found += (increment_paths.path_of(one) for one in named if "://" not in one)
    return tuple(dict.fromkeys(found))


def _value(name: str, text: str) -> str:
    first = re.split(r"[\s(（,，;；]", text, maxsplit=1)[0].casefold()
    if name == "confidence":
        named = _CONFIDENCES.get(first, first)
        # what stands in a section was let in: low is no reason to take it out again
        named = words.MEDIUM if named == words.LOW else named
        return named if named in words.CONFIDENCES else ""
    if name == "status":
        named = _STATUSES.get(first, first)
        return named if named in words.STATUSES else ""
    if name in ("recorded", "timestamp"):
        dated = re.match(rf"{_DATE}(?: [0-9:]{{8}})?", text)
        return dated.group() if dated else ""
    return text if name in ("author", "source") and len(text) <= _AUTHOR_MOST else ""


def is_mark(line: str) -> bool:
    """Whether a line says that its entry was superseded or resolved."""
    return _MARK.match(line) is not None


def _ended(lines: Iterable[str], recorded: str) -> str:
    """The date since which adopted text says of itself that it holds no longer."""
    marks = (_MARK.match(line) for line in lines)
    found = next((mark for mark in marks if mark), None)
    return (found.group(1) or recorded or _NO_DATE) if found else ""


def pending(where: Where, lines: Sequence[str]) -> Fact:
    """The fact of an item under Pending Verification; one without a type has none."""
    found = _TAGGED.match(lines[0])
    tag, rest = found.groups() if found else ("", lines[0])
    remark = _REMARK.search(rest)
    text, origin = _with_origin(rest[: remark.start()] if remark else rest)
    return Fact(
        kind=words.type_of_tag(tag) if tag else words.UNCATEGORIZED,
        title=text or tag.strip(),
        body=tuple(line for line in lines[1:] if line.strip()),
        confidence=words.LOW,
        author=origin,
        folders=(where.module,),
        ordinal=where.ordinal,
    )


def _with_origin(text: str) -> tuple[str, str]:
    """The text of a pending item, and where it says that it comes from."""
    marks = [*_ORIGIN.finditer(text)]
    if not marks:
        return text.strip(), ""
    return text[: marks[-1].start()].strip(), text[marks[-1].end() :].strip()


def conflict(where: Where, topic: str, lines: Sequence[str]) -> Conflict:
    """The conflict of a block without metadata; its sides name no facts."""
    sides = {name: Side(**_EMPTY_SIDE) for name, _ in _SIDES}
    for line in lines:
        for name, pattern in _SIDES:
            said = pattern.search(line)
            if said and not sides[name].says:
                sides[name] = _side(line[said.end() :].strip(), where.module)
    state = next(
        (found.group(1) for line in lines if (found := _STATE.match(line))), ""
    )
    is_done = state.strip().startswith(words.RESOLVED)
    return Conflict(
        id=conflict_id(where.kind, topic, sides["old"].says, sides["new"].says),
        aliases=(),
        kind=where.kind or words.UNCATEGORIZED,
        topic=topic,
        old=sides["old"],
        new=sides["new"],
        order=(0, "", "", "", where.ordinal),
        state=words.RESOLVED if is_done else words.PENDING_RESOLUTION,
    )


_EMPTY_SIDE = dict.fromkeys(
    ("fact", "target", "says", "recorded", "author", "status"), ""
)


def conflict_id(kind: str, topic: str, old: str, new: str) -> str:
    """`c-` and eight hex digits of what an adopted block says: it has no facts to pair."""
    text = "\0".join((kind, normalised(topic), *sorted((old, new))))
    return "c-" + digest.hexdigest(text.encode("utf-8", "surrogatepass"))[:8]


def _side(text: str, target: str) -> Side:
    bracketed = _BRACKETED.search(text)
    said = dict(_EMPTY_SIDE, target=target, says=text)
    if not bracketed:
        return Side(**said)
    found = _bracketed(bracketed.group(1))
    return Side(
        **{**said, "says": text[: bracketed.start()].rstrip(), **found}
        if found
        else said
    )


def _bracketed(text: str) -> dict[str, str]:
    """The fields of `(recorded 2026-04-01, author: Zhang, status: verified)`."""
    found: dict[str, str] = {}
    for part in re.split(r"[,，;；]", text):
        for name, labels in _FIELDS.items():
            for label in labels:
                bare = part.strip()
                if bare.casefold().startswith(label):
                    value = bare[len(label) :].strip().lstrip(":：").strip()
                    found.setdefault(name, value)
                    break
    return found


def without_bullet(line: str) -> str:
    """A first-level bullet's text."""
    return _BULLET.sub("", line, count=1) if _BULLET.match(line) else line
