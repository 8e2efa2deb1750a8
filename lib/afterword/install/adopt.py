"""Uses the tree of another memory system in place (DESIGN section 3).

Sees such a tree, copies the settings that have a name here, lists those that have
none, and moves nothing. Here: the `.ai/repo/` tree of majordomus, whose folders are
ours too, so that no `paths:` are needed for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from afterword.install import policy
from afterword.store import atomic, config
from afterword.store.layout import STAMP_NAME
from afterword.store.stamp import STAMP

POLICY = ".ai/repo/policy.yaml"
LEDGER = ".ai/local/state/ledger.jsonl"
_SESSIONS = ".ai/repo/sessions"


@dataclass(frozen=True)
class Adoption:
    """A tree that can be used in place: what it is, and what its settings become here."""

    system: str
    where: str
    settings: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def detect(root: str) -> Adoption | None:
    """The tree of another system in a worktree, None where there is none."""
    policy_path = os.path.join(root, *POLICY.split("/"))
    data = atomic.read(policy_path) if os.path.isfile(policy_path) else None
    if data is None and not _has_records(root):
        return None
    settings, notes = carried(data.decode("utf-8-sig", "replace")) if data else ({}, ())
    return Adoption("majordomus", ".ai/repo", settings, (*notes, *_still_wired(root)))


def _has_records(root: str) -> bool:
    if os.path.isfile(os.path.join(root, *LEDGER.split("/"))):
        return True
    folder = os.path.join(root, *_SESSIONS.split("/"))
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return any(name.endswith(".md") and name.count("--") >= 2 for name in names)


def _still_wired(root: str) -> tuple[str, ...]:
    """The other system's hooks, which would derive the same evidence a second time."""
    notes = []
    for settings in (
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".codex/config.toml",
    ):
        path = os.path.join(root, *settings.split("/"))
        if os.path.isfile(path) and b"majordomus-session" in (atomic.read(path) or b""):
            notes.append(
                f"{settings}: the hooks of majordomus are still wired; take them out,"
                " or both systems derive candidates"
            )
    return tuple(notes)


def _switch(text: str) -> Any:
    return {"true": True, "false": False}[text]


def _count(text: str) -> Any:
    number = int(text)
    if number <= 0:
        raise ValueError(text)
    return number


def _duration(text: str) -> Any:
    config.duration(text)
    return text


def _minutes(text: str) -> Any:
    return f"{_count(text)}m"


# Their key, our key, and how the value is read (spec/episodes section 8).
_CARRIED: dict[str, tuple[str, Callable[[str], Any]]] = {
    "session.briefing_on_start": ("session.briefing_on_start", _switch),
    "session.briefing_budget_lines": ("briefing.max_lines", _count),
    "session.knowledge_on_end": ("session.knowledge_on_end", _switch),
    "session.knowledge_on_compact": ("session.knowledge_on_compact", _switch),
    "session.stranded_after": ("episode.stranded_after", _duration),
    "session.freshness.stale_minutes": ("knowledge.stale_after", _minutes),
    "knowledge.candidates_max_files": ("knowledge.candidates_max_files", _count),
    "knowledge.candidate_max_age_minutes": ("knowledge.candidate_max_age", _minutes),
}


def carried(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The settings of a policy.yaml under our names, and a line for each that has none."""
    settings: dict[str, Any] = {}
    left: list[str] = []
    notes: list[str] = []
    values, unread = policy.read(text)
    for name, value, line in values:
        ours = _CARRIED.get(name)
        if ours is None:
            left.append(name)
            continue
        try:
            settings[ours[0]] = ours[1](value)
        except (ValueError, KeyError):
            notes.append(
                f"{POLICY}:{line}: {name}: {value!r} cannot be used, the default holds"
            )
    notes += [f"{POLICY}:{line}: not understood, not carried over" for line in unread]
    if left:
        notes.append(
            f"{POLICY}: not carried over, afterword has no such setting: {', '.join(left)}"
        )
    return settings, tuple(notes)


def left_to_set(root: str, settings: dict[str, Any]) -> list[str]:
    """What to say of an existing config.yaml: [] when it says what the other system's does."""
    lines = unset(root, settings)
    where = f".ai/{config.NAME}"
    told = f"{where}: exists and stays as it is; set there yourself: {', '.join(lines)}"
    return [told] if lines else []


def unset(root: str, settings: dict[str, Any]) -> list[str]:
    """The carried settings that config.yaml does not hold with that value, as lines to write in it.

    A value that is the default need not stand there. A file that is not plain YAML
    counts as holding nothing.
    """
    path = os.path.join(root, ".ai", config.NAME)
    data = atomic.read(path) if os.path.isfile(path) else None
    values, _ = policy.read((data or b"").decode("utf-8-sig", "replace"))
    stand = {name: value for name, value, _ in values}
    usual = {key.name: _written(key.default) for key in config.KEYS}
    return [
        f"{name}: {_written(value)}"
        for name, value in sorted(settings.items())
        if not _same(stand.get(name, usual.get(name, "")), _written(value))
    ]


def _written(value: Any) -> str:
    """A scalar setting as a person writes it in YAML."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _same(first: str, second: str) -> bool:
    """Whether two texts are one value: 24h and 1440m are."""
    try:
        return config.duration(first) == config.duration(second)
    except ValueError:
        return first.lower() == second.lower()


def claim_local(root: str, git_dir: str) -> list[str]:
    """Stamp a local half that another system made as this worktree's own; what it held.

    Adopting is an act of a person who knows the folder, so nothing is moved aside.
    [] when there is nothing to claim.
    """
    local = os.path.join(root, ".ai", "local")
    real = os.path.join(os.path.realpath(root), ".ai", "local")
    if not os.path.isdir(local) or os.path.realpath(local) != real:
        return []
    mine = os.path.join(git_dir, STAMP_NAME)
    if os.path.lexists(os.path.join(local, STAMP)) or os.path.lexists(mine):
        return []
    held = sorted(os.listdir(local))
    value = os.urandom(16).hex().encode() + b"\n"
    atomic.write(os.path.join(local, STAMP), value)
    atomic.write(mine, value)
    return held
