"""Which episodes and tasks the tracked session records tell of, ours and adopted ones.

Ours lie in `sessions/<YYYY-MM>/<episode>.md`; the older system's beside each other as
`<utc>--<session id>--<branch>--<head>--<hex>.md`. Commands only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from afterword.errors import AfterwordError, UnsafePath
from afterword.model import Model
from afterword.store import atomic, frontmatter, template
from afterword.store.layout import Store

README = "README.md"
_PART = "--"


class Told(Model):
    """Ids that session records hold in their front matter."""

    sessions: frozenset[str]
    tasks: frozenset[str]


def paths(store: Store) -> Iterator[str]:
    """The session records, by name; absolute paths."""
    top = store.tracked("sessions")
    for parent, folders, names in os.walk(top):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".md") and name != README and not name.startswith("."):
                yield os.path.join(parent, name)


def names(store: Store) -> Iterator[str]:
    """The episodes that the files' names tell, without reading one of them."""
    for path in paths(store):
        yield named(os.path.basename(path))


def named(name: str) -> str:
    """The episode in a session record's file name, of either system."""
    stem = name.removesuffix(".md")
    parts = stem.split(_PART)
    return parts[1] if len(parts) >= 4 and parts[0][:8].isdigit() else stem


def told(store: Store) -> Told:
    """The episodes and tasks in the records' front matter; one that cannot be read tells nothing."""
    sessions: set[str] = set()
    tasks: set[str] = set()
    for path in paths(store):
        fields = fields_of(head_of(path), path)
        sessions.update(_texts(fields.get("session_id")))
        tasks.update(_texts(fields.get("task_id")), _texts(fields.get("tasks")))
    return Told(sessions=frozenset(sessions), tasks=frozenset(tasks - {"none"}))


def head_of(path: str) -> bytes:
    """The first bytes of a file; b"" for what cannot be read, which doctor reports."""
    try:
        return atomic.read(path, limit=1 << 20) or b""
    except (OSError, UnsafePath):
        return b""


def fields_of(data: bytes, path: str) -> Mapping[str, object]:
    """A record's front matter; empty when it cannot be read, which doctor reports."""
    fields: Mapping[str, object] | None = template.quick_fields(data)
    if fields is not None:
        return fields
    try:
        return frontmatter.parse(data, path)
    except AfterwordError:
        return {}


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, str)]
