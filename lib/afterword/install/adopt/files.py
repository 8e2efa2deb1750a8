"""What the modules of the systems ask of a worktree's files: places, language, settings.

Reads files, changes none. Standard library and `store` only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from afterword.errors import UnsafePath
from afterword.install import planning, policy
from afterword.store import atomic, layout

_CHINESE = re.compile("[\u4e00-\u9fff]")
_LATIN = re.compile("[A-Za-z]")
_SAMPLE = 1 << 18  # bytes of a file that tell its language


def path(root: str, shown: str) -> str:
    """The absolute path of one from the repository's top."""
    return os.path.join(root, *shown.split("/"))


def confine(root: str, shown: str) -> None:
    """`Refused` when a place of another system may not be written."""
    try:
        layout.confine(root, shown)
    except UnsafePath as error:
        raise planning.Refused(
            f"{error.message}; not adopted",
            hint="put plain files in its place, or leave the tree alone: --no-adopt",
        ) from None


def listed(folder: str) -> list[str]:
    """The sorted names in a folder; [] where there is none."""
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def text(where: str) -> str:
    """The beginning of a file, whatever its bytes; "" where there is none."""
    try:
        data = atomic.read(where, limit=_SAMPLE) if os.path.isfile(where) else None
    except (OSError, UnsafePath):
        return ""
    return (data or b"").decode("utf-8-sig", "replace")


def is_chinese(texts: Iterable[str]) -> bool:
    """Whether more than one letter in ten of all texts is Chinese."""
    whole = "".join(texts)
    chinese = len(_CHINESE.findall(whole))
    return 10 * chinese > len(_LATIN.findall(whole)) + chinese


def out_of_sight(root: str, places: Mapping[str, str]) -> list[str]:
    """Files of ours in the usual places, which nothing reads once the settings point away."""
    return [
        f"{layout.PATHS[key]}: exists too, and nothing reads it any more where {place}"
        " is used; move over what it holds by hand"
        for key, place in places.items()
        if os.path.exists(path(root, layout.PATHS[key]))
    ]


def count(number: str) -> Any:
    """A setting that counts, as `ValueError` where it is no number above 0."""
    value = int(number)
    if value <= 0:
        raise ValueError(number)
    return value


def carried(
    where: str, content: str, table: Mapping[str, tuple[str, Callable[[str], Any]]]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The settings of a YAML file under our names, and a line for each that has none.

    `table` has their keys, each with ours and the reading of its value.
    """
    settings: dict[str, Any] = {}
    left: list[str] = []
    notes: list[str] = []
    values, unread = policy.read(content)
    for name, value, line in values:
        ours = table.get(name)
        if ours is None:
            left.append(name)
            continue
        try:
            settings[ours[0]] = ours[1](value)
        except (ValueError, KeyError):
            notes.append(
                f"{where}:{line}: {name}: {value!r} cannot be used, the default holds"
            )
    notes += [f"{where}:{line}: not understood, not carried over" for line in unread]
    if left:
        names = ", ".join(dict.fromkeys(left))
        notes.append(
            f"{where}: not carried over, afterword has no such setting: {names}"
        )
    return settings, tuple(notes)
