"""Which merge a file has, by where it lies in the repository.

The places of the defaults and those of `paths:` in `.ai/config.yaml` both count, for
one side of the merge may have moved them, and the settings may be in conflict
themselves. Imports `store` and `merge`'s own merges.
"""

from __future__ import annotations

import os
import posixpath
from functools import partial
from importlib import import_module
from types import MappingProxyType

from afterword.model import TYPE_CHECKING, Model
from afterword.store import atomic, cold
from afterword.store.config import NAME
from afterword.store.layout import PATHS, is_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from afterword.merge.laws import Merged
    from afterword.store.config import Config

    Merge = Callable[[bytes, bytes, bytes], Merged | None]


class Kind(Model):
    """How files of one place are merged: by which function of which module of `merge`.

    `is_text` says that they have to be UTF-8; the others are merged whatever their bytes.
    `given` are the further arguments of its merge: the module whose knowledge it holds, the
    language of new text.
    """

    module: str
    function: str = "merge"
    is_text: bool = False
    given: Mapping[str, str] = MappingProxyType({})

    @property
    def merge(self) -> Merge:
        """The merge itself; its module is loaded here, for git calls once for each file."""
        module = import_module(f"afterword.merge.{self.module}")
        merge: Merge = partial(getattr(module, self.function), **self.given)
        return merge

    def with_given(self, **values: str) -> Kind:
        """The kind with further arguments for its merge."""
        return self.replace(given={**self.given, **values})


DEFAULT_LANGUAGE = "en"
_RECORD = Kind(module="record", is_text=True)
_INCREMENT = Kind(module="increments")
_COMPILED = Kind(module="snapshot")
_KINDS = {
    "candidates": _RECORD,
    "curated": _RECORD,
    "sessions": Kind(module="session", is_text=True),
    "queue": Kind(module="queue"),
    "queue_archive": Kind(module="archives", function="of_queue"),
    "reflections": Kind(module="reflections"),
    "reflections_archive": Kind(module="archives", function="of_reflections"),
    "knowledge_base": Kind(module="knowledge_base"),
    "entries": _RECORD,
    "increments": _INCREMENT,
    "snapshot": _COMPILED,
    "snapshot_history": Kind(module="histories"),
}
# What lies in the folder of modules, and in each module's own, as a small store.
_REGISTRY = Kind(module="modules", function="of_index")
_OF_MODULE = {
    "cross-refs.md": Kind(module="modules", function="of_cross_refs"),
    "progress.md": Kind(module="modules", function="of_progress"),
}
_IN_MODULE = {
    "snapshot": "knowledge.md",
    "snapshot_history": "archive/decisions-history.md",
    "increments": "increments",
}
# Folders whose files also lie one level deeper: all of them, or in one folder.
_DEEP = {"sessions": "", "increments": "archive"}


def find(path: str, root: str) -> Kind | None:
    """The kind of a path relative to the repository's top; None: git's own merge for text."""
    kind = named(path, PATHS) or named(path, configured(root))
    if kind and kind.module == _COMPILED.module:
        return kind.with_given(language=language(root))
    return kind


def named(path: str, places: Mapping[str, str]) -> Kind | None:
    """The kind of a path where the kinds lie in `places`; None where it is none of them."""
    if not path.endswith(".md"):
        return None
    folder, name = posixpath.split(path)
    for key, kind in _KINDS.items():
        place = places.get(key, "").rstrip("/")
        is_below = folder == place or (key in _DEEP and _is_deep(folder, place, key))
        in_folder = name != "README.md" and is_below
        if place and (path == place if is_file(key) else in_folder):
            return kind
    modules = places.get("modules", "").rstrip("/")
    is_in = modules and path.startswith(f"{modules}/")
    return _of_module(path[len(modules) + 1 :]) if is_in else None


def _is_deep(folder: str, place: str, key: str) -> bool:
    below = _DEEP[key]
    return folder == f"{place}/{below}" if below else folder.startswith(f"{place}/")


def _of_module(path: str) -> Kind | None:
    """The kind of a path in the folder of modules, of which each has a folder of its own."""
    if path == "_index.md":
        return _REGISTRY
    owner, _, inner = path.partition("/")
    if inner in _OF_MODULE:
        return _OF_MODULE[inner]
    found = named(inner, _IN_MODULE) if inner else None
    return found.with_given(owner=owner) if found is _COMPILED else found


def configured(root: str) -> Mapping[str, str]:
    """The places that this worktree's settings name, {} where they cannot be read.

    Not through the settings' cache: a merge writes nothing but the file it merges.
    """
    found = _settings(root, b"paths")
    return found.paths() if found else {}


def language(root: str) -> str:
    """The language that this worktree's settings name, else the default."""
    found = _settings(root, b"language")
    return str(found["language"]) if found else DEFAULT_LANGUAGE


def _settings(root: str, key: bytes) -> Config | None:
    """This worktree's settings, where they name a key and can be read."""
    path = os.path.join(root, ".ai", NAME)
    try:
        data = atomic.read(path, limit=1 << 20) or b""
        if not any(line.startswith(key) for line in data.splitlines()):
            return None
        cold.enable()
        from afterword.store import config_file

        return config_file.read(path)
    except Exception:
        # Whatever is wrong with the settings, the defaults hold and doctor tells it.
        return None
