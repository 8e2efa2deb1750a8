"""Which increments wait for a compile, and whether one is due. Names only, nothing is read.

Part of a hook's path: standard library, `store` and `places` only.
"""

import os

from afterword.model import TYPE_CHECKING
from afterword.snapshot import places
from afterword.store.layout import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterword.store.config import Config

# What `local/rounds` holds of a Stop: one byte, by whether an increment waited.
WAITED, IDLE = b"w", b"."
_NOT_INCREMENTS = frozenset(("README.md",))


def names(store: Store) -> "list[tuple[str, str]]":
    """(module, file name) of every waiting increment, in order; module "" is the global folder.

    What cannot be listed counts as empty.
    """
    where = places.of(store.paths)
    found = [("", name) for name in _listed(store, where.increments(""))]
    for module in modules(store):
        found += [(module, name) for name in _listed(store, where.increments(module))]
    return found


def _listed(store: Store, folder: str) -> "list[str]":
    return sorted(
        entry.name
        for entry in _scan(os.path.join(store.root, folder))
        if is_increment(entry.name) and entry.is_file()
    )


def is_increment(name: str) -> bool:
    """Whether a file's name is that of an increment: Markdown, no README, not hidden."""
    return name.endswith(".md") and name[0] != "." and name not in _NOT_INCREMENTS


def modules(store: Store) -> "list[str]":
    """The names of the folders of modules, in order."""
    folder = places.of(store.paths).modules
    return sorted(
        entry.name
        for entry in _scan(os.path.join(store.root, folder))
        if entry.name[0] not in "._" and entry.is_dir(follow_symlinks=False)
    )


def _scan(path: str) -> "Iterator[os.DirEntry[str]]":
    try:
        with os.scandir(path) as entries:
            yield from entries
    except OSError:
        return


def rounds(store: Store) -> bytes:
    """What `local/rounds` holds since the last compile, b"" where there is nothing."""
    try:
        descriptor = os.open(store.local_path("rounds"), os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return b""
    try:
        return os.read(descriptor, 1 << 16)
    finally:
        os.close(descriptor)


def is_due(store: Store, config: "Config", waiting: int) -> bool:
    """Whether a Stop compiles (DESIGN 8, L005): enough wait, or some have for long enough."""
    if not waiting:
        return False
    if waiting >= config["compile.after_increments"]:
        return True
    passed = rounds(store).count(WAITED)
    return bool(passed >= config["compile.after_rounds"])
