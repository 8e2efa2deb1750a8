"""The metadata line of an entry, a conflict or a pending item: one comment, one JSON object.

`to_line` and `from_line` undo one another for every fact and conflict, whatever text they
hold: the line is one line of UTF-8 and cannot end its comment early (DESIGN 8). What a
hand broke is read as far as it goes. Pure; imports `fact`, `folded`, `words` and
`store.jsonline`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from afterword.snapshot import words
from afterword.snapshot.fact import Fact, Supersedes
from afterword.snapshot.folded import Conflict, Side
from afterword.store import jsonline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from afterword.snapshot.fact import Source

    T = TypeVar("T")
    Data = dict[str, Any]

_OPEN, _CLOSE = "<!-- ", " -->"
_LINE = re.compile(r"[ \t]*<!--[ \t]*(\{.*\})[ \t]*-->[ \t]*\Z", re.DOTALL)
_ESCAPED = re.compile("[<>\ud800-\udfff]|(?<=-)-")
# Names of fields in the order they are written; the file's name where it differs.
_TEXTS = ("author", "recorded", "key", "value", "resolves", "keep", "withdrawn")
_LISTS = ("files", "after", "domains", "folders")
_SIDE = ("fact", "target", "says", "recorded", "author", "status")
_MOST_ORDINAL = 1 << 53


def to_line(data: Mapping[str, Any]) -> str:
    """The object as one comment, without what is empty in it and without a line end."""
    text = jsonline.dumps({key: value for key, value in data.items() if _is_set(value)})
    return _OPEN + _ESCAPED.sub(_escape, text) + _CLOSE


def _is_set(value: object) -> bool:
    return value not in ("", None, [], {}, 0) or value is False


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"


def from_line(line: str) -> Data | None:
    """The object of a metadata line, None for any other line; `id` or `facts` makes it one."""
    found = _LINE.match(line.rstrip("\r\n"))
    if not found:
        return None
    try:
        data = jsonline.loads(found.group(1))
    except ValueError:
        return None
    is_ours = isinstance(data, dict) and ("id" in data or "facts" in data)
    return data if is_ours else None


def is_like(line: str) -> bool:
    """Whether a line looks like metadata, readable or not."""
    return line.lstrip(" \t").startswith("<!-- {")


def of_fact(fact: Fact, *, whole: bool) -> Data:
    """What the line says of a fact; `whole` with title and body, where they are not shown."""
    shown = {"title": fact.title, "body": list(fact.body)} if whole else {}
    said = {
        "id": fact.id,
        "kind": fact.kind,
        "part": fact.part,
        **shown,
        "confidence": fact.confidence,
        "status": fact.status,
        "author": fact.author,
        "recorded": fact.recorded,
        "files": list(fact.files),
        "from": [list(source) for source in fact.sources],
        "key": fact.key,
        "value": fact.value,
        "supersedes": [[one.target, one.reason] for one in fact.supersedes],
        "resolves": fact.resolves,
        "keep": fact.keep,
        "after": list(fact.after),
        "domains": list(fact.domains),
        "folders": list(fact.folders) if fact.sources else [],
        "ordinal": fact.ordinal,
        "withdrawn": fact.withdrawn,
    }
    return {key: value for key, value in said.items() if _is_set(value)}


def fact_of(
    data: Mapping[str, Any],
    *,
    module: str,
    kind: str = "",
    title: str = "",
    body: Sequence[str] = (),
) -> Fact:
    """The fact of an object; what it does not say itself is what the file shows.

    Values of another type than expected count as absent. Adopted facts belong to the
    file they stand in (`module`).
    """
    sources = _pairs(data.get("from"))
    values: Data = {name: _text(data.get(name)) for name in _TEXTS}
    lists: Data = {name: _texts(data.get(name)) for name in _LISTS}
    if not sources:
        lists["folders"] = (module,)
    return Fact(
        id=_text(data.get("id")),
        kind=_text(data.get("kind")) or kind or words.UNCATEGORIZED,
        part=_text(data.get("part")),
        title=_text(data.get("title")) if "title" in data else title,
        body=_texts(data.get("body")) if "body" in data else tuple(body),
        confidence=_text(data.get("confidence")) or words.MEDIUM,
        status=_text(data.get("status")) or words.UNVERIFIED,
        sources=sources,
        supersedes=tuple(Supersedes(*one) for one in _pairs(data.get("supersedes"))),
        ordinal=_number(data.get("ordinal")),
        **values,
        **lists,
    )


def facts_of(data: Mapping[str, Any], *, module: str) -> tuple[Fact, ...]:
    """The facts that an object lists in full, under `facts`."""
    return _facts(data.get("facts"), module)


def _facts(value: object, module: str) -> tuple[Fact, ...]:
    found = value if isinstance(value, list) else []
    return tuple(
        fact_of(one, module=module)
        for one in found
        if isinstance(one, dict) and _text(one.get("id"))
    )


def of_conflict(conflict: Conflict) -> Data:
    """What the line of a conflict block says."""
    return {
        "id": conflict.id,
        "aliases": list(conflict.aliases),
        "old": _of_side(conflict.old),
        "new": _of_side(conflict.new),
        "kind": conflict.kind,
        "topic": conflict.topic,
        "order": list(conflict.order),
        "state": conflict.state,
        "keep": conflict.keep,
        "resolutions": [of_fact(one, whole=True) for one in conflict.resolutions],
    }


def _of_side(side: Side) -> Data:
    values = {name: getattr(side, name) for name in _SIDE}
    return {name: value for name, value in values.items() if value}


def conflict_of(
    data: Mapping[str, Any], *, module: str, kind: str = "", topic: str = ""
) -> Conflict:
    """The conflict of an object; what it does not say itself is what the file shows."""
    return Conflict(
        id=_text(data.get("id")),
        aliases=_texts(data.get("aliases")),
        kind=_text(data.get("kind")) or kind,
        topic=_text(data.get("topic")) if "topic" in data else topic,
        old=_side(data.get("old")),
        new=_side(data.get("new")),
        order=_order(data.get("order")),
        state=_text(data.get("state")) or words.PENDING_RESOLUTION,
        keep=_text(data.get("keep")),
        resolutions=_facts(data.get("resolutions"), module),
    )


def is_conflict(data: Mapping[str, Any]) -> bool:
    """Whether an object is that of a conflict block."""
    return isinstance(data.get("old"), dict) and isinstance(data.get("new"), dict)


def _side(value: object) -> Side:
    found = value if isinstance(value, dict) else {}
    return Side(**{name: _text(found.get(name)) for name in _SIDE})


def _order(value: object) -> tuple[int, str, str, str, int]:
    if not isinstance(value, list) or len(value) != 5:
        return (0, "", "", "", 0)
    rank, date, time, stem, ordinal = value
    return _number(rank), _text(date), _text(time), _text(stem), _number(ordinal)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        return 0
    return value if abs(value) < _MOST_ORDINAL else 0


def _texts(value: object) -> tuple[str, ...]:
    return _all(value, lambda one: one if isinstance(one, str) else None)


def _pairs(value: object) -> tuple[Source, ...]:
    return _all(value, _pair)


def _pair(value: object) -> Source | None:
    if not isinstance(value, list) or len(value) != 2:
        return None
    one, other = value
    return (one, other) if isinstance(one, str) and isinstance(other, str) else None


def _all(value: object, take: Callable[[object], T | None]) -> tuple[T, ...]:
    taken = [take(one) for one in value] if isinstance(value, list) else []
    return tuple(one for one in taken if one is not None)
