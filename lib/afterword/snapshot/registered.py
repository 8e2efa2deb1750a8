"""The registry as it lies on the disk, for commands that show it or ask it.

`compiling` reads the same with everything else. Standard library, `store` and `errors`
only, with the room's own rules.
"""

from __future__ import annotations

import os

from afterword.errors import AfterwordError, UnsafePath
from afterword.snapshot import places, registry
from afterword.snapshot.registry import Registry
from afterword.store import atomic, frontmatter
from afterword.store.layout import Store, confine


def read(store: Store) -> Registry:
    """The modules of `_index.md` and of folders; `StoreDamaged` for merge markers in it."""
    where = places.of(store.paths)
    try:
        data = atomic.read(confine(store.root, where.index))
    except UnsafePath as error:
        raise UnsafePath(
            f"{where.index}: not a regular file",
            hint="move it away, then run this again",
        ) from error
    except OSError as error:
        raise AfterwordError(
            f"{where.index}: cannot be read: {error.strerror}"
        ) from error
    if data is not None:
        frontmatter.refuse_markers(data, where.index)
    return registry.read(data, _folders(store, where.modules))


def _folders(store: Store, path: str) -> list[str]:
    """The names of folders below the one of modules; none where it cannot be read."""
    try:
        with os.scandir(confine(store.root, path)) as entries:
            return [entry.name for entry in entries if entry.is_dir()]
    except OSError:
        return []
