"""The tree `.ai-context/`: snapshot, increments and modules stay where they lie.

What has a name here is carried over: the places, the limit of the snapshot, when a
compile is due, the language (spec/snapshot.md 2 and 5). The rest is told: entries in its
buffer, its hooks and skills, what nothing here reads. Reads files, changes none.
"""

from __future__ import annotations

import os
import re
from typing import Any

from afterword.install.adopt import files, wired
from afterword.install.adopt.adoption import Governed, Tree

SYSTEM = "context"
WHERE = ".ai-context"
PLACES = {
    "increments": f"{WHERE}/increments",
    "snapshot": f"{WHERE}/snapshot.md",
    "snapshot_history": f"{WHERE}/archive/decisions-history.md",
    "modules": f"{WHERE}/modules",
}
SETTINGS = f"{WHERE}/config.yaml"
BUFFER = f"{WHERE}/buffer.md"
HOOKS = ".lore-hooks"
_MODULE = f"{PLACES['modules'][len(WHERE) + 1 :]}/*"
GOVERNED = (
    Governed(
        WHERE,
        (
            "snapshot.md",
            "archive/decisions-history.md",
            "increments/*.md",
            "increments/archive/*.md",
            "modules/_index.md",
            f"{_MODULE}/knowledge.md",
            f"{_MODULE}/cross-refs.md",
            f"{_MODULE}/progress.md",
            f"{_MODULE}/increments/*.md",
            f"{_MODULE}/increments/archive/*.md",
            f"{_MODULE}/archive/decisions-history.md",
        ),
    ),
)
# Their key, our key, and how the value is read.
_CARRIED = {
    "knowledge.snapshot.max_lines": ("snapshot.max_lines", files.count),
    "evolve.round_threshold_hard": ("compile.after_rounds", files.count),
    "evolve.increments_hard": ("compile.after_increments", files.count),
}
# What that system keeps beside them and nothing here reads or writes.
_UNUSED = ("constraints.md", "specs", ".last-flush-time")
_ENTRY = re.compile(r"^\[(?:round|entry):", re.MULTILINE)
_CALLS = re.compile(rb"lore-hooks")
_INSTRUCTIONS = ("CLAUDE.md", "AGENTS.md", ".claude/CLAUDE.md")
_SKILLS = ".claude/skills"
# What is Chinese in an English tree of that system too: labels, marks, one sentence.
_FORMAT = re.compile(
    r"^\s*[-*] *[\u4e00-\u9fff]+ *[:\uff1a]|^\s*- *处理.*$|\[待验证\]|\[待修正\]"
    r"|来源: |需验证",
    re.MULTILINE,
)
_MOST_READ = 50  # files that tell the language


def detect(root: str) -> Tree | None:
    """The tree in a worktree, None where there is none.

    `Refused` when a part of it is a symlink out of the repository.
    """
    if not _is_there(root):
        return None
    for place in PLACES.values():
        files.confine(root, place)
    settings: dict[str, Any] = {f"paths.{key}": place for key, place in PLACES.items()}
    carried, notes = _settings(root)
    settings.update(carried)
    if files.is_chinese(_texts(root)):
        settings["language"] = "zh"
    return Tree(SYSTEM, WHERE, settings, (*notes, *_notes(root)), GOVERNED)


def _is_there(root: str) -> bool:
    folders = (PLACES["increments"], PLACES["modules"])
    names = (PLACES["snapshot"], SETTINGS, BUFFER)
    return any(os.path.isdir(files.path(root, shown)) for shown in folders) or any(
        os.path.isfile(files.path(root, shown)) for shown in names
    )


def _settings(root: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    content = files.text(files.path(root, SETTINGS))
    return files.carried(SETTINGS, content, _CARRIED)


def _texts(root: str) -> list[str]:
    """What the files of the tree say, without what is Chinese in each of them."""
    names = [PLACES["snapshot"], BUFFER]
    names += [f"{place}/knowledge.md" for place in _folders(root, PLACES["modules"])]
    increments = PLACES["increments"]
    for folder in (increments, f"{increments}/archive"):
        names += [f"{folder}/{name}" for name in _markdown(root, folder)]
    found = [files.text(files.path(root, name)) for name in names[:_MOST_READ]]
    return [_FORMAT.sub("", text) for text in found]


def _folders(root: str, where: str) -> list[str]:
    names = (f"{where}/{name}" for name in files.listed(files.path(root, where)))
    return [name for name in names if os.path.isdir(files.path(root, name))]


def _markdown(root: str, where: str) -> list[str]:
    names = files.listed(files.path(root, where))
    return [name for name in names if name.endswith(".md")]


def _notes(root: str) -> tuple[str, ...]:
    return (
        *_buffered(root),
        *_unused(root),
        *files.out_of_sight(root, PLACES),
        *_still_wired(root),
        *_still_told(root),
        *_still_skilled(root),
    )


def _buffered(root: str) -> list[str]:
    """Raw entries that the other system has not made an increment of yet."""
    count = len(_ENTRY.findall(files.text(files.path(root, BUFFER))))
    if not count:
        return []
    held = f"{count} raw entries" if count > 1 else "one raw entry"
    target = f"{PLACES['increments']}/YYYY-MM-DD_buffer.md"
    return [
        f"{BUFFER}: holds {held}, and nothing here reads a buffer; make an increment of"
        f" it, with the day as its date: mv {BUFFER} {target}"
    ]


def _unused(root: str) -> list[str]:
    """Files of that system that have no counterpart here."""
    names = [
        name for name in _UNUSED if os.path.exists(files.path(root, f"{WHERE}/{name}"))
    ]
    told = f"{WHERE}: afterword has no use for {', '.join(names)}; left as they are"
    return [told] if names else []


def _still_wired(root: str) -> list[str]:
    """That system's own hooks: named with what to do, never taken out by us."""
    calling = wired.calling(root, _CALLS)
    told = [
        f"{settings}: still calls the hooks in {HOOKS}, which ask the agent to edit the"
        " same files; take their groups out by hand"
        for settings in calling
    ]
    if os.path.isdir(files.path(root, HOOKS)) and not calling:
        told.append(
            f"{HOOKS}: hooks of that system, which no agent's settings here call;"
            " delete them by hand"
        )
    return told


def _still_told(root: str) -> list[str]:
    """Instructions that send agents to the buffer."""
    return [
        f"{name}: tells agents to write {BUFFER}, which nothing here reads; let it say:"
        " .ai/bin/afterword increment add"
        for name in _INSTRUCTIONS
        if _sends_to_buffer(files.text(files.path(root, name)))
    ]


def _sends_to_buffer(text: str) -> bool:
    return "LORE_INJECT_START" in text or BUFFER in text


def _still_skilled(root: str) -> list[str]:
    """Prompts of that system that do by hand what the program does now."""
    names = [
        os.path.basename(place)
        for place in _folders(root, _SKILLS)
        if os.path.basename(place).startswith("lore-")
        and not _is_ours(files.text(files.path(root, f"{place}/SKILL.md")))
    ]
    told = (
        f"{_SKILLS}: {', '.join(names)} of that system edit the same files by hand; move"
        " away those whose work the program does, lore-evolve and lore-modularize first"
    )
    return [told] if names else []


def _is_ours(text: str) -> bool:
    return ".ai/bin/afterword" in text
