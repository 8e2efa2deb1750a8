"""The file of a knowledge-base entry: made of a queue item, and found by it again.

Id, name and bytes are functions of the item alone, not of its status, so that two
clones that evolve one item write the same file (DESIGN 7). Pure; no YAML library,
because an episode's end writes and searches entries. Imports `evolution.item` for types.
"""

from __future__ import annotations

import re

from afterword.evolution import fields, knowledge_row
from afterword.evolution.knowledge_base import ACTIVE, Entry
from afterword.model import Model
from afterword.store import blocks, digest, safe_text, template

TYPE_CHECKING = False
if TYPE_CHECKING:
    from afterword.evolution.item import Item

CONFIDENCE = 0.5  # of an item that does not say how sure it is
SLUG_MOST = 60
# Fields that change while an item is worked on; an entry never repeats them.
_CHANGING = ("status", "processed", "product")
# `key=value` in metadata, up to the next comma or the end.
_NAMED = r"(?:^|[,，;；\s])(?:{})[ \t]*[=:：][ \t]*([^,，\r\n]*)"
_CATEGORY = re.compile(_NAMED.format("category|分类|类别"), re.IGNORECASE)
_CONFIDENCE = re.compile(_NAMED.format("confidence|置信度"), re.IGNORECASE)
_BY_SOURCE = {"pattern": "pattern", "error": "debugging", "debugging": "debugging"}
_BY_PREFIX = {"bug_fix": "debugging", "security": "security"}
_OTHER_SOURCE = "workflow"
_NOT_SLUG = re.compile(r"[^a-z0-9]+")


class NewEntry(Model):
    """An entry to be written: its id, file name, row of the index, and bytes."""

    id: str
    slug: str
    name: str
    row: Entry
    data: bytes


def of_item(item: Item, raw: bytes) -> NewEntry:
    """The entry of a queue item, whose block is `raw`; the same whatever its status.

    Its labels are the item's own.
    """
    found = fields.read(raw)
    identity = _identity(item)
    row = Entry(
        id=identity,
        title=safe_text.one_line(item.title),
        category=category_of(item, raw),
        confidence=_confidence(found),
        created=safe_text.one_line(item.added),
        status=ACTIVE,
        line=0,
    )
    slug = _slug(item)
    body = _body(raw, found)
    return NewEntry(
        id=identity,
        slug=slug,
        name=f"{identity}-{slug}.md",
        row=row,
        data=_front(row, item) + (b"\n" + body if body else b""),
    )


def _identity(item: Item) -> str:
    """`k-` and 8 hex digits of the item's id, title and content."""
    parts = (item.identity, item.title, item.content)
    text = "\0".join(" ".join(part.split()) for part in parts)
    return f"k-{digest.hexdigest(text.encode('utf-8', 'surrogatepass'))[:8]}"


def _slug(item: Item) -> str:
    text = _NOT_SLUG.sub("-", item.title.lower()).strip("-")[:SLUG_MOST].strip("-")
    return text or _NOT_SLUG.sub("-", item.identity.lower()).strip("-")


def category_of(item: Item, raw: bytes) -> str:
    """The category that an item names in its metadata, else the one of its source type.

    Metadata is no list to be cut at commas: values contain them (spec/evolution.md 1.1).
    """
    own = _own(fields.read(raw), "category", _CATEGORY)
    return own or _by_source(item.source.strip().casefold())


def _own(found: list[fields.Field], name: str, named: re.Pattern[str]) -> str:
    """What an item says in its metadata, else in a field of that name; "" for nothing."""
    matched = named.search(fields.value(found, "metadata"))
    return matched[1].strip() if matched else fields.value(found, name)


def _by_source(source: str) -> str:
    if source in _BY_SOURCE:
        return _BY_SOURCE[source]
    prefixes = (prefix for prefix in _BY_PREFIX if source.startswith(prefix))
    return _BY_PREFIX.get(next(prefixes, ""), _OTHER_SOURCE)


def _confidence(found: list[fields.Field]) -> float:
    own = knowledge_row.number(_own(found, "confidence", _CONFIDENCE))
    return CONFIDENCE if own is None else own


def _front(row: Entry, item: Item) -> bytes:
    made_from: list[template.Scalar] = [template.Plain(item.identity)]
    return template.render(
        [
            ("id", template.Plain(row.id)),
            ("title", row.title),
            ("category", template.Plain(row.category)),
            ("confidence", row.confidence or 0.0),
            ("created", template.Plain(row.created)),
            ("references", made_from),
        ]
    )


def _body(raw: bytes, found: list[fields.Field]) -> bytes:
    """The item's lines as they stand, without its heading and what changes; LF ends.

    Empty lines behind a field are left out: more of them come and go with the lines
    that change.
    """
    heading = blocks.block(raw).heading
    kept, at = [], heading.end if heading else 0
    changing = _changing(found)
    for field in found:
        start = _behind_line(raw, field) if field in changing else field.start
        kept += [raw[at : field.start], blocks.normalised(raw[start : field.end])]
        at = field.end
    return blocks.normalised(b"".join([*kept, raw[at:]]))


def _changing(found: list[fields.Field]) -> list[fields.Field]:
    """The fields that an entry leaves out; a second one of a name is somebody's text."""
    first = (fields.first(found, name) for name in _CHANGING)
    return [field for field in first if field is not None]


def _behind_line(raw: bytes, field: fields.Field) -> int:
    """Where the lines begin that go on with a field: they are not its value's."""
    _, end, _ = next(blocks.lines(raw[field.start : field.end], front=False))
    return field.start + end


def references(data: bytes) -> tuple[str, ...]:
    """What an entry's front matter says that it was made from; () where that is unreadable.

    Read leniently from our own and foreign files: `references: [LQ-001]`, a list below,
    or one word.
    """
    span = template.front_span(data)
    if span is None:
        return ()
    lines = data[span[0] : span[1]].decode("utf-8", "replace").splitlines()
    for at, line in enumerate(lines):
        key, colon, rest = line.partition(":")
        if colon and key.rstrip().strip("\"'") == "references":
            below = lines[at + 1 :]
            return _unique(_flow(rest, below) or _items(below))
    return ()


def _flow(text: str, below: list[str]) -> list[str]:
    """`[a, "b"]`, also on several lines, or `a`, behind the colon."""
    parts = [_uncommented(text)]
    more = iter(below)
    while parts[0].startswith("[") and "]" not in parts[-1]:
        parts.append(_uncommented(next(more, "]")))
    inner = " ".join(parts).removeprefix("[").partition("]")[0]
    return [word for part in inner.split(",") if (word := _unquoted(part))]


def _uncommented(text: str) -> str:
    return text.partition(" #")[0].strip()


def _items(lines: list[str]) -> list[str]:
    """The list below a key, up to the next key."""
    found = []
    for line in lines:
        text = line.strip()
        if text.startswith("- "):
            found.append(_unquoted(_uncommented(text[2:])))
        elif text and not text.startswith("#"):
            break
    return [word for word in found if word]


def _unquoted(text: str) -> str:
    return text.strip().strip("\"'").strip()


def _unique(found: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))
