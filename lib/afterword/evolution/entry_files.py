"""The entry files as a run of evolve meets them: which entry was made of which item.

Asked before anything is made a second time (T4.3, C17, N8). What the files say is kept
in `local/cache/`, so that a run's cost does not grow with thousands of entries.
Imports `store` and `evolution.entry`.
"""

from __future__ import annotations

import os
import stat
import time

from afterword.evolution import entry
from afterword.evolution.knowledge_base import Entry
from afterword.store import atomic, file_key, jsonline, safe_text, sweep, template
from afterword.store.layout import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    Key = list[int]  # as `file_key.of` has it
    # By name: its key and the items that it refers to.
    Files = dict[str, tuple[Key, list[str]]]

_CACHE = ("cache", "entries.json")
_HEAD = 1 << 16  # bytes of an entry that are read: its front matter stands at the top


class EntryFiles:
    """The entries of a store by file name, read when they are first asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._folder = store.tracked("entries")
        self._made_of: dict[str, tuple[str, ...]] | None = None
        self._fresh: dict[str, object] | None = None

    def sweep(self) -> None:
        """Remove the temps that killed runs left; the caller holds the lock (F10)."""
        sweep.sweep(os.path.realpath(self._folder), lambda _: True)

    def named(self, identity: str) -> str:
        """The file of an entry with this id, also under another slug; "" for none."""
        names = (f"{identity}.md", f"{identity}-")
        found = (name for name in sorted(self._all()) if name.startswith(names))
        return next(found, "")

    def made_of(self, item: str) -> str:
        """The file of the first entry whose `references` names the item; "" for none."""
        found = (name for name, items in sorted(self._all().items()) if item in items)
        return next(found, "")

    def add(self, name: str, item: str) -> None:
        """An entry that this run wrote."""
        self._all()[name] = (item,)

    def row(self, name: str, made: Entry) -> Entry:
        """The index row of an entry, by its front matter; else as `made` of the item.

        Without a readable front matter its id is how the file's name begins.
        """
        data = atomic.read(os.path.join(self._folder, name), limit=_HEAD) or b""
        fields = template.quick_fields(data) or {}
        stem = name.removesuffix(".md")
        own = {"id": stem if stem == made.id else "-".join(stem.split("-")[:2])}
        for key in ("id", "title", "category", "created"):
            value = fields.get(key)
            if isinstance(value, str) and value.strip():
                own[key] = safe_text.one_line(value)
        return made.replace(**own)

    def keep(self) -> None:
        """Write what was read to the cache, if anything was."""
        if self._fresh is None:
            return
        path = self._store.local_path(*_CACHE)
        try:
            atomic.write(path, jsonline.to_line(self._fresh), durable=False)
        except OSError:
            return  # a cache that cannot be written is only slow

    def _all(self) -> dict[str, tuple[str, ...]]:
        if self._made_of is None:
            self._made_of = self._read()
        return self._made_of

    def _read(self) -> dict[str, tuple[str, ...]]:
        """All files with their items: as they were last seen if the folder has not changed."""
        key = _key(self._folder)
        if key is None:
            return {}
        seen, files = _load(self._store)
        if seen != key:
            now = time.time_ns()
            files = _listed(self._folder, files)
            settled = {
                name: one
                for name, one in files.items()
                if file_key.is_settled(one[0], now)
            }
            is_settled = file_key.is_settled(key, now)
            self._fresh = {"folder": key if is_settled else None, "files": settled}
        return {name: tuple(items) for name, (_, items) in files.items()}


def _listed(folder: str, known: Files) -> Files:
    """The entries in the folder; only those that changed since they were `known` are read."""
    files: Files = {}
    with os.scandir(folder) as found:
        for one in found:
            if not one.name.endswith(".md") or one.name.startswith("."):
                continue
            status = one.stat(follow_symlinks=False)
            if stat.S_ISREG(status.st_mode):
                key, before = file_key.of(status), known.get(one.name)
                if before is None or before[0] != key:
                    before = key, _items(one.path)
                files[one.name] = before
    return files


def _items(path: str) -> list[str]:
    """What an entry refers to; nothing for one that cannot be read or vanished."""
    try:
        return list(entry.references(atomic.read(path, limit=_HEAD) or b""))
    except OSError:
        return []


def _load(store: Store) -> tuple[Key | None, Files]:
    """What the cache remembers of the folder and its files."""
    try:
        data = atomic.read(store.local_path(*_CACHE)) or b""
        values = jsonline.loads(data.decode())
        files = {
            str(name): (list(key), [str(item) for item in items])
            for name, (key, items) in values["files"].items()
        }
        return values["folder"], files
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None, {}


def _key(path: str) -> Key | None:
    try:
        return file_key.of(os.stat(path))
    except OSError:
        return None
