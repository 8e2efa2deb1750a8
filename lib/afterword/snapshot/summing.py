"""What a start wants to know of one target file, read from it: for `overview`'s cache.

Claims in force and open conflicts, from their metadata lines; adopted entries, which have
none, are counted with the lines only. Never raises for what it finds.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from afterword.snapshot import adopted, metadata, words
from afterword.store import atomic, blocks, merge_markers
from afterword.store.layout import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Values = dict[str, Any]

# The newest claims of one file that a start looks at.
MOST_CLAIMS = 100
_CLAIMS = (words.DECISION, words.CONSTRAINT)
_METADATA = b"<!-- {"


def read(store: Store, target: str, path: str) -> Values:
    """The values of an `overview.View`, as JSON has them; a `problem` where it cannot be read."""
    try:
        data = atomic.read(os.path.join(store.root, path)) or b""
    except OSError as error:
        return {"problem": error.strerror or "not a regular file"}
    line = merge_markers.first_line(data)
    if line:
        return {"problem": f"a merge left its conflict markers in line {line}"}
    claims: list[Values] = []
    conflicts: list[list[str]] = []
    for block in blocks.cut(data, starts=4):
        found = _metadata(block.raw)
        if found is not None and metadata.is_conflict(found):
            conflicts += _open(found)
        elif found is not None:
            claims += _claim(found, block)
        else:
            conflicts += _adopted(block, target)
    claims.sort(key=lambda claim: (claim["recorded"], claim["id"]))
    count = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    return {"lines": count, "claims": claims[-MOST_CLAIMS:], "conflicts": conflicts}


def _metadata(raw: bytes) -> Values | None:
    """The object of a block's last metadata line."""
    at = raw.rfind(_METADATA)
    if at < 0 or (at and raw[at - 1 : at] not in b"\n\r"):
        return None
    line = raw[at:].splitlines()[0]
    return metadata.from_line(line.decode("utf-8", "replace"))


def _open(found: Values) -> Iterator[list[str]]:
    if found.get("state") == words.PENDING_RESOLUTION:
        yield [str(found.get("id", "")), str(found.get("topic", ""))]


def _claim(found: Values, block: blocks.Block) -> Iterator[Values]:
    facts = found.get("facts")
    head = facts[0] if isinstance(facts, list) and facts else found
    if found.get("mark") or not isinstance(head, dict) or block.heading is None:
        return
    fact = metadata.fact_of(head, module="", title=_title(block.heading))
    if fact.kind in _CLAIMS:
        yield {
            "id": fact.id,
            "kind": fact.kind,
            "title": fact.title,
            "recorded": fact.recorded,
            "verified": fact.status == words.VERIFIED,
            "files": list(fact.files),
            "sources": [stem for stem, _ in fact.sources],
        }


def _title(heading: blocks.Heading) -> str:
    text = heading.text.decode("utf-8", "replace")
    return text.removeprefix(words.UNCONFIRMED).strip()


def _adopted(block: blocks.Block, target: str) -> Iterator[list[str]]:
    """A conflict block that another system wrote, or a person."""
    heading = _title(block.heading) if block.heading is not None else ""
    if not heading.startswith(words.CONFLICT):
        return
    topic = heading.removeprefix(words.CONFLICT).strip()
    lines = block.raw.decode("utf-8", "replace").splitlines()[1:]
    where = adopted.Where(module=target, kind=words.DECISION, part="", ordinal=0)
    found = adopted.conflict(where, topic, lines)
    if found.is_open:
        yield [found.id, topic]
