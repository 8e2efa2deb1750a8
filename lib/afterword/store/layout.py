"""Where everything lies in a user's repository, and which paths may be written.

`Store` names the places of DESIGN section 3; `confine` keeps every path inside the
repository; `claim` tells our own local half from one that a clone brought along.
Part of a hook's path: standard library, `store.git.head` and `errors` only.
"""

import os

from afterword.errors import NotARepository, UnsafePath
from afterword.model import TYPE_CHECKING, Model
from afterword.store.git.head import GitPlace, locate

if TYPE_CHECKING:
    from collections.abc import Mapping

PATHS = {
    "candidates": ".ai/repo/knowledge/candidates",
    "curated": ".ai/repo/knowledge/curated",
    "sessions": ".ai/repo/sessions",
    "queue": ".ai/repo/evolution/learning_queue.md",
    "queue_archive": ".ai/repo/evolution/learning_queue_archive.md",
    "reflections": ".ai/repo/evolution/reflection_log.md",
    "reflections_archive": ".ai/repo/evolution/reflection_log_archive.md",
    "knowledge_base": ".ai/repo/evolution/knowledge_base.md",
    "entries": ".ai/repo/evolution/entries",
    "increments": ".ai/repo/increments",
    "snapshot": ".ai/repo/snapshot.md",
    "snapshot_history": ".ai/repo/archive/decisions-history.md",
    "modules": ".ai/repo/modules",
}
# Which of the places lies beside which other one, unless a setting says where.
BESIDE = {
    "queue_archive": "queue",
    "reflections_archive": "reflections",
    "entries": "knowledge_base",
    "snapshot_history": "snapshot",
}
# A place that an adopted memory has and ours does not: "" unless a setting names it.
OPTIONAL = ("active_context",)


def is_file(key: str) -> bool:
    """Whether a place is one file; the others are folders."""
    return key in OPTIONAL or PATHS[key].endswith(".md")


# A path of ours never enters these: git's own, the agents' settings, and files
# that agents read as instructions. Compared without case.
# A dot folder is some tool's own, and new agents bring new ones: only those of the
# memories that can be adopted are open to us.
OPEN_DOT_FOLDERS = frozenset((".ai", ".omc", ".ai-context", ".kb"))
FORBIDDEN_PARTS = frozenset(("node_modules",))
INSTRUCTION_FILES = frozenset(
    "claude.md claude.local.md agents.md agent.md gemini.md qwen.md copilot-instructions.md"
    " .cursorrules .mcp.json".split()
)
STAMP_NAME = "afterword-stamp"


class Store(Model):
    """The memory of one worktree: absolute paths, `/`-joined, nothing is created by looking.

    `paths` are the tracked places by key of `PATHS`, relative to `root`.
    """

    place: GitPlace
    paths: "Mapping[str, str]" = PATHS

    @property
    def root(self) -> str:
        return self.place.root

    @property
    def ai(self) -> str:
        return os.path.join(self.place.root, ".ai")

    @property
    def local(self) -> str:
        return os.path.join(self.place.root, ".ai", "local")

    def local_path(self, *parts: str) -> str:
        """A path in this worktree's ignored half."""
        return os.path.join(self.place.root, ".ai", "local", *parts)

    def tracked(self, key: str, *parts: str) -> str:
        """A path in the team's tracked half, checked: `UnsafePath` when it leaves it."""
        relative = "/".join((self.paths[key], *parts))
        return confine(self.place.root, relative)

    def folder(self, key: str) -> str:
        """The folder of a place in the tracked half: its own, or the one its file lies in."""
        path = self.tracked(key)
        return os.path.dirname(path) if is_file(key) else path

    def relative(self, path: str) -> str:
        """The path as it stands in records and messages: from the root, with `/`."""
        return os.path.relpath(path, self.place.root).replace(os.sep, "/")


def find(start: str) -> "Store | None":
    """The store around a directory: the nearest ancestor that has both `.git` and `.ai`.

    A submodule or a nested repository without a memory of its own belongs to the
    one around it. None: no memory here.
    """
    for folder in _ancestors(start):
        if os.path.isdir(os.path.join(folder, ".ai")):
            place = locate(folder)
            if place is not None:
                return Store(place=place)
    return None


def repository(start: str) -> GitPlace:
    """The nearest repository around a directory, with or without `.ai/`."""
    for folder in _ancestors(start):
        place = locate(folder)
        if place is not None:
            return place
    raise NotARepository(
        f"{start}: not inside a git repository",
        hint="cd into one, or name it: --repo DIR",
    )


def need(start: str) -> Store:
    """The store around a directory; `NotARepository` says what to type where there is none."""
    store = find(start)
    if store is None:
        place = repository(start)
        raise NotARepository(
            f"{place.root}: no .ai/ here, so nothing to remember with",
            hint="create it: afterword init",
        )
    return store


def _ancestors(start: str) -> "list[str]":
    folder = os.path.abspath(start)
    found = [folder]
    while os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
        found.append(folder)
    return found


def confine(root: str, relative: str) -> str:
    """The absolute path of a repository-relative one; `UnsafePath` when it may not be written.

    Refused: absolute paths, `..`, drive letters, control characters, `.git`, agents'
    settings folders, instruction files, and any symlink that leaves the repository.
    """
    parts = relative.split("/")
    if not relative or "\\" in relative or any(char < " " for char in relative):
        raise UnsafePath(f"{relative!r}: not a path inside the repository")
    for part in parts:
        if part in ("", ".", "..") or ":" in part or part.endswith((".", " ")):
            raise UnsafePath(f"{relative}: {part!r} cannot be part of a path here")
        if _is_closed(part):
            raise UnsafePath(f"{relative}: afterword never writes to {part}")
    path = os.path.join(root, *parts)
    real_root = os.path.realpath(root)
    real = os.path.realpath(path)
    if real != os.path.join(real_root, *parts) and not _inside(real, real_root):
        raise UnsafePath(
            f"{relative}: leads out of the repository, to {real}",
            hint="put a file or folder of this repository in the place of the link",
        )
    return path


def is_open(part: str) -> bool:
    """Whether a name may be a part of one of our paths, on any system."""
    if part in ("", ".", "..") or part.endswith((".", " ")):
        return False
    return not ("/" in part or "\\" in part or ":" in part or _is_closed(part))


def _is_closed(part: str) -> bool:
    """Whether a part of a path belongs to somebody else, in whatever spelling.

    A file system may ignore case and characters that nobody sees, and give long names
    short ones (`GIT~1`); our own temps are the only other names that begin with a dot.
    """
    name = part.casefold()
    if not name.isprintable() or ("~" in name and name[-1:].isdigit()):
        return True
    if name in FORBIDDEN_PARTS or name in INSTRUCTION_FILES:
        return True
    is_ours = name in OPEN_DOT_FOLDERS or name.endswith((".tmp", ".orphan"))
    return name.startswith(".") and not is_ours


def _inside(real: str, real_root: str) -> bool:
    """Whether a resolved path lies in the repository and names nothing closed to us."""
    if not real.startswith(real_root + os.sep):
        return False
    return not any(map(_is_closed, real[len(real_root) + 1 :].split(os.sep)))
