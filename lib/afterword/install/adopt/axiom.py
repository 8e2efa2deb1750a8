"""The tree of axiom, `.omc/axiom/`: queue, reflections and knowledge base stay where they lie.

That system has no settings file (its thresholds are constants), so what is carried over
are the places (spec/evolution.md 1; the log lies one level above the others, C29) and
the language that the files are written in. Reads files, changes none.
"""

from __future__ import annotations

import os
import re
from typing import Any

from afterword.install.adopt import files, wired
from afterword.install.adopt.adoption import Governed, Tree

WHERE = ".omc/axiom"
PLACES = {
    "queue": f"{WHERE}/evolution/learning_queue.md",
    "queue_archive": f"{WHERE}/evolution/learning_queue_archive.md",
    "reflections": f"{WHERE}/reflection_log.md",
    "reflections_archive": f"{WHERE}/evolution/reflection_log_archive.md",
    "knowledge_base": f"{WHERE}/evolution/knowledge_base.md",
    "entries": ".omc/knowledge",
}
ACTIVE_CONTEXT = f"{WHERE}/active_context.md"
_FILES = [path for path in PLACES.values() if path.endswith(".md")]
GOVERNED = (
    Governed(WHERE, tuple(path[len(WHERE) + 1 :] for path in _FILES)),
    Governed(PLACES["entries"], ("*.md",)),
)
# What that system keeps beside them and nothing here reads.
_UNUSED = ("pattern_library.md", "workflow_metrics.md", "usage_metrics.json")
_LITTER = re.compile(r"\.(?:archive|evolve)\.lock|\..+\.tmp\.[0-9a-fA-F-]{8,}")
_MOST_SHOWN = 3
_CALLS = re.compile(rb"(?i)axiom|\.omc\b|ultrapower")


def detect(root: str) -> Tree | None:
    """The tree in a worktree, None where there is none.

    `Refused` when a part of it is a symlink out of the repository.
    """
    if not _is_there(root):
        return None
    # Also where that system has not made the file yet: its flag counts once it does.
    places = {**PLACES, "active_context": ACTIVE_CONTEXT}
    for path in places.values():
        files.confine(root, path)
    settings: dict[str, Any] = {f"paths.{key}": path for key, path in places.items()}
    if _is_chinese(root):
        settings["language"] = "zh"
    return Tree("axiom", WHERE, settings, _notes(root), GOVERNED)


def _is_there(root: str) -> bool:
    return os.path.isdir(files.path(root, f"{WHERE}/evolution")) or any(
        os.path.isfile(files.path(root, shown)) for shown in (*_FILES, ACTIVE_CONTEXT)
    )


def _is_chinese(root: str) -> bool:
    """Labels alone do not tell: the index of an otherwise Chinese tree has English columns."""
    shown = (*_FILES, ACTIVE_CONTEXT)
    return files.is_chinese(files.text(files.path(root, name)) for name in shown)


def _notes(root: str) -> tuple[str, ...]:
    return (
        *_unused(root),
        *_litter(root),
        *files.out_of_sight(root, PLACES),
        *_still_wired(root),
    )


def _unused(root: str) -> list[str]:
    """Files of that system that have no counterpart here."""
    folder = f"{WHERE}/evolution"
    names = [
        name for name in _UNUSED if os.path.isfile(files.path(root, f"{folder}/{name}"))
    ]
    told = f"{folder}: afterword has no use for {', '.join(names)}; left as they are"
    return [told] if names else []


def _litter(root: str) -> list[str]:
    """Locks and temporary files of that system's dead processes: named, not removed."""
    found = [
        f"{folder}/{name}"
        for folder in (".omc", WHERE, f"{WHERE}/evolution", PLACES["entries"])
        for name in files.listed(files.path(root, folder))
        if _LITTER.fullmatch(name)
    ]
    more = len(found) - _MOST_SHOWN
    shown = ", ".join(found[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")
    told = f"{shown}: left behind by axiom, read by nothing here; delete by hand"
    return [told] if found else []


def _still_wired(root: str) -> list[str]:
    """That system's own hooks, which would write the same files under other locks."""
    return [
        f"{settings}: the hooks of axiom are still wired; take them out,"
        " or both systems write the same files"
        for settings in wired.calling(root, _CALLS)
    ]
