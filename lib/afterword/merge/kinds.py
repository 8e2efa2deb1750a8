"""Which merge a file has, by where it lies in the repository.

The places of the defaults and those of `paths:` in `.ai/config.yaml` both count, for
one side of the merge may have moved them, and the settings may be in conflict
themselves. Imports `store` and `merge`'s own merges.
"""

from __future__ import annotations

import os
import posixpath

from afterword.merge import record, session
from afterword.model import TYPE_CHECKING
from afterword.store import atomic, cold
from afterword.store.config import NAME
from afterword.store.layout import PATHS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from afterword.merge.laws import Merged

    Merge = Callable[[bytes, bytes, bytes], Merged | None]

_MERGES: dict[str, Merge] = {
    "candidates": record.merge,
    "curated": record.merge,
    "sessions": session.merge,
}


def find(path: str, root: str) -> Merge | None:
    """The merge of a path relative to the repository's top; None: git's own for text."""
    return named(path, PATHS) or named(path, configured(root))


def named(path: str, places: Mapping[str, str]) -> Merge | None:
    """The merge of a path where the kinds lie in `places`; None where it is none of them."""
    folder, name = posixpath.split(path)
    if not name.endswith(".md") or name == "README.md":
        return None
    for kind, merge in _MERGES.items():
        place = places.get(kind, "").rstrip("/")
        is_deep = kind == "sessions" and folder.startswith(f"{place}/")
        if place and (folder == place or is_deep):
            return merge
    return None


def configured(root: str) -> Mapping[str, str]:
    """The places that this worktree's settings name, {} where they cannot be read.

    Not through the settings' cache: a merge writes nothing but the file it merges.
    """
    path = os.path.join(root, ".ai", NAME)
    try:
        data = atomic.read(path, limit=1 << 20) or b""
        if not any(line.startswith(b"paths") for line in data.splitlines()):
            return {}
        cold.enable()
        from afterword.store import config_file

        return config_file.read(path).paths()
    except Exception:
        # Whatever is wrong with the settings, the defaults hold and doctor tells it.
        return {}
