"""What the checks look at: one worktree, its settings, the surroundings, the time.

Made once by the command; the checks read files but no environment and no clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from afterword.doctor.survey import Survey, take
from afterword.errors import UnsafePath
from afterword.knowledge import shelf
from afterword.knowledge.shelf import Shelved
from afterword.store import stamp
from afterword.store.config import Config
from afterword.store.layout import PATHS, Store, is_file


class Scene:
    """`environment` is the process's, `now` seconds since the epoch."""

    def __init__(
        self, store: Store, config: Config, environment: Mapping[str, str], now: float
    ) -> None:
        self.store = store
        self.config = config
        self.environment = environment
        self.now = now

    @cached_property
    def is_ours(self) -> bool:
        """Whether the local half belongs to this worktree: else nothing in it is believed."""
        return stamp.ours(self.store)

    @cached_property
    def survey(self) -> Survey:
        """What the ledgers tell, read once; empty where the local half is not ours."""
        return take(self.store) if self.is_ours else Survey()

    @cached_property
    def records(self) -> tuple[Shelved, ...]:
        """The records on both shelves, read once."""
        return tuple(shelf.every(self.store))

    @cached_property
    def folders(self) -> dict[str, bool]:
        """The folders of the tracked half, and whether all below them is the memory's.

        Beside a place that is one file anything may lie. What leads out of the
        repository is left out: it has a finding of its own.
        """
        found: dict[str, bool] = {}
        for key in PATHS:
            try:
                folder = self.store.folder(key)
            except UnsafePath:
                continue
            found[folder] = found.get(folder, False) or not is_file(key)
        return found

    def shown(self, path: str) -> str:
        """A path as messages show it: from the root, where it lies there."""
        relative = self.store.relative(path)
        return path if relative.startswith("../") else relative


def age(seconds: float) -> str:
    """How long that is, in the largest whole unit: `3 days`, `5 hours`, `2 minutes`."""
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        count = int(seconds // size)
        if count:
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return "less than a minute"


def some(names: list[str], limit: int = 3) -> str:
    """The first few of them, and how many more there are."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
