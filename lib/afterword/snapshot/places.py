"""Where the files of snapshot and modules lie, as paths from the repository's top.

Pure; imports `model` only. `Store.tracked` checks them before anything is read or written.
Part of a hook's path.
"""

from afterword.model import TYPE_CHECKING, Model

if TYPE_CHECKING:
    from collections.abc import Mapping

INDEX, KNOWLEDGE = "_index.md", "knowledge.md"
CROSS_REFS, PROGRESS = "cross-refs.md", "progress.md"
HISTORY, INCREMENTS, ARCHIVE = "decisions-history.md", "increments", "archive"


class Places(Model):
    """The configured places; a target is "" for the snapshot or a module's name."""

    snapshot: str
    snapshot_history: str
    global_increments: str
    modules: str

    @property
    def index(self) -> str:
        return f"{self.modules}/{INDEX}"

    def target(self, name: str) -> str:
        """The file that shows a target."""
        return self.module(name, KNOWLEDGE) if name else self.snapshot

    def history(self, name: str) -> str:
        """What left a target's file for its size."""
        return self.module(name, ARCHIVE, HISTORY) if name else self.snapshot_history

    def increments(self, name: str) -> str:
        """The folder of waiting increments, of a module or global."""
        return self.module(name, INCREMENTS) if name else self.global_increments

    def archive(self, name: str) -> str:
        """The folder of compiled increments."""
        return f"{self.increments(name)}/{ARCHIVE}"

    def cross_refs(self, name: str) -> str:
        """What a module depends on, and what depends on it."""
        return self.module(name, CROSS_REFS)

    def progress(self, name: str) -> str:
        """What happened in a module lately."""
        return self.module(name, PROGRESS)

    def files(self, name: str) -> dict[str, str]:
        """The paths of a target's files by what they are; a module has two more."""
        found = {"data": self.target(name), "history": self.history(name)}
        if name:
            found |= {
                "cross_refs": self.cross_refs(name),
                "progress": self.progress(name),
            }
        return found

    def module(self, name: str, *parts: str) -> str:
        """A path in a module's folder."""
        return "/".join((self.modules, name, *parts))


def of(paths: "Mapping[str, str]") -> Places:
    """The places by the keys of `layout.PATHS`."""
    return Places(
        snapshot=paths["snapshot"],
        snapshot_history=paths["snapshot_history"],
        global_increments=paths["increments"],
        modules=paths["modules"],
    )
