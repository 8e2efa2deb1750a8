"""The tree of majordomus, `.ai/repo/`: its folders are ours too, so it needs no `paths:`.

Copies the settings of its policy.yaml that have a name here and lists those that have
none (spec/episodes 8). Reads files, changes none.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from afterword.install.adopt import files, wired
from afterword.install.adopt.adoption import Tree
from afterword.store import atomic, config

POLICY = ".ai/repo/policy.yaml"
LEDGER = ".ai/local/state/ledger.jsonl"
_SESSIONS = ".ai/repo/sessions"


def detect(root: str) -> Tree | None:
    """The tree in a worktree, None where there is none."""
    policy_path = os.path.join(root, *POLICY.split("/"))
    data = atomic.read(policy_path) if os.path.isfile(policy_path) else None
    if data is None and not _has_records(root):
        return None
    settings, notes = carried(data.decode("utf-8-sig", "replace")) if data else ({}, ())
    notes = (*notes, *_still_wired(root))
    return Tree("majordomus", ".ai/repo", settings, notes, has_local=True)


def _has_records(root: str) -> bool:
    if os.path.isfile(os.path.join(root, *LEDGER.split("/"))):
        return True
    folder = os.path.join(root, *_SESSIONS.split("/"))
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return any(name.endswith(".md") and name.count("--") >= 2 for name in names)


def _still_wired(root: str) -> tuple[str, ...]:
    """The other system's hooks, which would derive the same evidence a second time."""
    return tuple(
        f"{settings}: the hooks of majordomus are still wired; take them out,"
        " or both systems derive candidates"
        for settings in wired.naming(root, b"majordomus-session")
    )


def _switch(text: str) -> Any:
    return {"true": True, "false": False}[text]


def _duration(text: str) -> Any:
    config.duration(text)
    return text


def _minutes(text: str) -> Any:
    return f"{files.count(text)}m"


# Their key, our key, and how the value is read (spec/episodes section 8).
_CARRIED: dict[str, tuple[str, Callable[[str], Any]]] = {
    "session.briefing_on_start": ("session.briefing_on_start", _switch),
    "session.briefing_budget_lines": ("briefing.max_lines", files.count),
    "session.knowledge_on_end": ("session.knowledge_on_end", _switch),
    "session.knowledge_on_compact": ("session.knowledge_on_compact", _switch),
    "session.stranded_after": ("episode.stranded_after", _duration),
    "session.freshness.stale_minutes": ("knowledge.stale_after", _minutes),
    "knowledge.candidates_max_files": ("knowledge.candidates_max_files", files.count),
    "knowledge.candidate_max_age_minutes": ("knowledge.candidate_max_age", _minutes),
}


def carried(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The settings of a policy.yaml under our names, and a line for each that has none."""
    return files.carried(POLICY, text, _CARRIED)
