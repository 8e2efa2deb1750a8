"""The tracked session records, ours and adopted ones: closed keys, one record an episode.

Findings of spec/episodes 9, `session-records`: no foreign key, no absolute path, no
two records of one episode; untracked ones are a warning.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping

from afterword.doctor.scene import Scene, some
from afterword.episode import session_record
from afterword.errors import AfterwordError
from afterword.finding import ERROR, WARNING, Finding
from afterword.knowledge import session_index, shelf
from afterword.store import (
    atomic,
    frontmatter,
    safe_text,
    secrets,
    template,
)
from afterword.store.git import queries

# What the older system's records hold beside ours (spec/episodes 3.6).
_ADOPTED = frozenset(
    "created_at task_id profile repository_id worktree_id working_tree changed_files"
    " changed_files_excluded changed_files_excluded_by worker start_working_tree issues"
    " milestones checkpoints handovers evidence attribution completeness".split()
)
KEYS = frozenset(session_record.KEYS) | _ADOPTED
REQUIRED = ("schema", "kind", "session_id", "started_at", "closed_at", "outcome")


def check(scene: Scene) -> Iterator[Finding]:
    """Every session record by itself, then what can only be told of all of them."""
    by_id: defaultdict[str, list[str]] = defaultdict(list)
    shown = []
    for path in session_index.paths(scene.store):
        relative = scene.shown(path)
        shown.append(relative)
        if os.path.islink(path):
            text = "a symlink, and a record is a file of its own"
            yield _error("session-unreadable", relative, 1, text)
            continue
        try:
            data = atomic.read(path) or b""
        except (OSError, AfterwordError) as error:
            reason = getattr(error, "strerror", None) or error
            yield _error("session-unreadable", relative, 1, f"cannot be read: {reason}")
            continue
        if frontmatter.find_markers(data):
            continue  # the markers' own check names the line
        fields, findings = of_record(relative, data)
        yield from findings
        identity = fields.get("session_id")
        if isinstance(identity, str):
            by_id[identity].append(relative)
    for identity, paths in by_id.items():
        for path in paths if len(paths) > 1 else ():
            others = ", ".join(other for other in paths if other != path)
            text = f"episode {identity} has another record: {others}"
            yield _error("session-duplicate", path, 1, text)
    yield from _untracked(scene, shown)


def _error(code: str, path: str, line: int, message: str) -> Finding:
    return Finding(
        severity=ERROR,
        code=code,
        path=path,
        line=line,
        message=message,
        fix=f"mend {path} by hand, or: git checkout -- {path}",
    )


def of_record(path: str, data: bytes) -> tuple[Mapping[str, object], list[Finding]]:
    """The front matter of one session record and what is wrong with it; pure."""
    fields: Mapping[str, object] | None = template.quick_fields(data)
    if fields is None:
        try:
            fields = frontmatter.parse(data, path)
        except AfterwordError as error:
            return {}, [_error("session-shape", path, 1, error.message)]
    found = [*_keys(path, data, fields), *_values(path, data, fields)]
    return fields, [*found, *_lines(path, data)]


def _line(data: bytes, key: str) -> int:
    for number, line in enumerate(data.splitlines(), 1):
        if line.startswith(key.encode() + b":"):
            return number
    return 1


def _keys(path: str, data: bytes, fields: Mapping[str, object]) -> Iterator[Finding]:
    for key in fields:
        if key not in KEYS:
            text = f"{key}: not a key of a session record"
            yield _error("session-key", path, _line(data, key), text)
    for key in REQUIRED:
        if not fields.get(key):
            yield _error("session-missing", path, 1, f"{key} is missing")


def _values(path: str, data: bytes, fields: Mapping[str, object]) -> Iterator[Finding]:
    for key, allowed in (
        ("schema", (session_record.SCHEMA,)),
        ("kind", (session_record.KIND,)),
        ("outcome", session_record.OUTCOMES),
    ):
        if fields.get(key) and fields[key] not in allowed:
            text = f"{key} is {fields[key]!r}, not {' or '.join(allowed)}"
            yield _error("session-value", path, _line(data, key), text)
    for key, value in fields.items():
        for text in _texts(value):
            if is_absolute(text):
                message = f"{key} holds an absolute path: {text[:80]}"
                yield _error("session-path", path, _line(data, key), message)


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, str)]


def is_absolute(text: str) -> bool:
    """Whether a value is a path of one machine: `/home/...`, `C:\\...`, `~/...`."""
    is_drive = (
        len(text) > 2 and text[0].isalpha() and text[1] == ":" and text[2] in "\\/"
    )
    is_path = text.startswith("/") and "/" in text[1:] and " " not in text.split("/")[1]
    return is_drive or is_path or text.startswith("~/")


def _lines(path: str, data: bytes) -> Iterator[Finding]:
    """Transcript markers at a line's start and secrets anywhere."""
    first = data[: len(data) - len(template.body(data))].count(b"\n") + 1
    for offset, line in enumerate(shelf.text_of(template.body(data)).split("\n")):
        marker = safe_text.transcript_marker(line)
        if marker:
            text = f"a line begins with {marker!r}, as a transcript does"
            yield _error("session-transcript", path, first + offset, text)
        kind = secrets.hits_prefix(line)
        if kind:
            text = f"holds what looks like a secret ({kind})"
            yield _error("session-secret", path, first + offset, text)


def _untracked(scene: Scene, paths: list[str]) -> Iterator[Finding]:
    tracked = queries.tracked(scene.store.place, paths) if paths else frozenset()
    missing = [path for path in paths if path not in tracked]
    if missing:
        yield Finding(
            severity=WARNING,
            code="sessions-untracked",
            path=missing[0],
            message=f"git does not track {len(missing)} session record(s): {some(missing)}",
            fix=f"git add {scene.store.paths['sessions']} && git commit",
        )
