"""The tree of axiom, `.omc/axiom/`: queue, reflections and knowledge base stay where they lie.

That system has no settings file (its thresholds are constants), so what is carried over
are the places (spec/evolution.md 1; the log lies one level above the others, C29) and
the language that the files are written in. Reads files, changes none.
"""

from __future__ import annotations

import os
import re
from typing import Any

from afterword.errors import UnsafePath
from afterword.install import planning
from afterword.install.adopt import wired
from afterword.install.adopt.adoption import Governed, Tree
from afterword.store import atomic, layout

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
_CHINESE = re.compile("[\u4e00-\u9fff]")
_LATIN = re.compile("[A-Za-z]")
_SAMPLE = 1 << 18  # bytes of a file that tell its language


def detect(root: str) -> Tree | None:
    """The tree in a worktree, None where there is none.

    `Refused` when a part of it is a symlink out of the repository.
    """
    if not _is_there(root):
        return None
    # Also where that system has not made the file yet: its flag counts once it does.
    places = {**PLACES, "active_context": ACTIVE_CONTEXT}
    for path in places.values():
        _confine(root, path)
    settings: dict[str, Any] = {f"paths.{key}": path for key, path in places.items()}
    if _is_chinese(root):
        settings["language"] = "zh"
    return Tree("axiom", WHERE, settings, _notes(root), GOVERNED)


def _path(root: str, shown: str) -> str:
    return os.path.join(root, *shown.split("/"))


def _is_there(root: str) -> bool:
    return os.path.isdir(_path(root, f"{WHERE}/evolution")) or any(
        os.path.isfile(_path(root, shown)) for shown in (*_FILES, ACTIVE_CONTEXT)
    )


def _confine(root: str, shown: str) -> None:
    try:
        layout.confine(root, shown)
    except UnsafePath as error:
        raise planning.Refused(
            f"{error.message}; not adopted",
            hint="put plain files in its place, or leave the tree alone: --no-adopt",
        ) from None


def _is_chinese(root: str) -> bool:
    """Whether more than one letter in ten of its files is Chinese.

    Labels alone do not tell: the index of an otherwise Chinese tree has English columns.
    """
    text = "".join(_sample(_path(root, shown)) for shown in (*_FILES, ACTIVE_CONTEXT))
    return 10 * len(_CHINESE.findall(text)) > len(_LATIN.findall(text)) + len(
        _CHINESE.findall(text)
    )


def _sample(path: str) -> str:
    """The beginning of a file, whatever its bytes; "" where there is none."""
    try:
        data = atomic.read(path, limit=_SAMPLE) or b""
    except (OSError, UnsafePath):
        return ""
    return data.decode("utf-8", "replace")


def _notes(root: str) -> tuple[str, ...]:
    return (*_unused(root), *_litter(root), *_out_of_sight(root), *_still_wired(root))


def _unused(root: str) -> list[str]:
    """Files of that system that have no counterpart here."""
    folder = f"{WHERE}/evolution"
    names = [
        name for name in _UNUSED if os.path.isfile(_path(root, f"{folder}/{name}"))
    ]
    told = f"{folder}: afterword has no use for {', '.join(names)}; left as they are"
    return [told] if names else []


def _litter(root: str) -> list[str]:
    """Locks and temporary files of that system's dead processes: named, not removed."""
    found = [
        f"{folder}/{name}"
        for folder in (".omc", WHERE, f"{WHERE}/evolution", PLACES["entries"])
        for name in _listed(_path(root, folder))
        if _LITTER.fullmatch(name)
    ]
    more = len(found) - _MOST_SHOWN
    shown = ", ".join(found[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")
    told = f"{shown}: left behind by axiom, read by nothing here; delete by hand"
    return [told] if found else []


def _listed(folder: str) -> list[str]:
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def _out_of_sight(root: str) -> list[str]:
    """Files of ours in the usual places, which nothing reads once the settings point away."""
    return [
        f"{layout.PATHS[key]}: exists too, and nothing reads it any more where {PLACES[key]}"
        " is used; move over what it holds by hand"
        for key in PLACES
        if os.path.exists(_path(root, layout.PATHS[key]))
    ]


def _still_wired(root: str) -> list[str]:
    """That system's own hooks, which would write the same files under other locks."""
    return [
        f"{settings}: the hooks of axiom are still wired; take them out,"
        " or both systems write the same files"
        for settings in wired.calling(root, _CALLS)
    ]
