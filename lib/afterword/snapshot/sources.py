"""What a compile is made from, read whole before anything is planned (L015-L020).

The target files, their histories, the registry, every waiting increment, and the
archived ones: all of them in a whole run, else only those whose names are in the way.
What is no plain file of this repository is a problem, said with its path, and stays.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence

from afterword.errors import AfterwordError, GitError, UnsafePath
from afterword.model import Model
from afterword.snapshot import fact, places, registry, waiting
from afterword.snapshot.fact import Fact
from afterword.snapshot.places import Places
from afterword.store import atomic
from afterword.store.batch import Change
from afterword.store.config import Config
from afterword.store.layout import Store, confine

SUFFIX = ".md"
# Which modules a compile makes of those that the code has (L012, L078).
USED, ALL = "used", "all"
# An increment that is larger is no change set that a person could review.
MAX_BYTES = 1 << 20
# `git ls-files` of a very large tree.
_TREE_BYTES = 256 << 20
# A name of these characters that begins with a digit needs no closer look: ours do.
# Another may be one that git, an agent or some file system keeps for itself.
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")


class IncrementFile(Model):
    """A file of increments, waiting or archived; `module` "" is the global folder."""

    module: str
    name: str
    path: str
    data: bytes
    hash: str

    @property
    def stem(self) -> str:
        return self.name.removesuffix(SUFFIX)


class TargetFiles(Model):
    """What lies beside a target: its file, its history, and a module's tables."""

    data: bytes | None = None
    history: bytes | None = None
    cross_refs: bytes | None = None
    progress: bytes | None = None


class Inputs(Model):
    """Everything that a plan depends on; equal inputs give equal bytes.

    `targets` are by name, "" being the snapshot. `tree` are the files that git tracks,
    None where modules are not looked for; of those found, `USED` takes the ones that a
    fact's files lie in, `ALL` every one. `problems` are `path: what` of files that are
    no increments, `occupied` their paths. In a `whole` run `archived` is the whole
    archive. With `rebuild` merge markers are read past.
    """

    places: Places
    date: str
    language: str
    max_lines: int
    targets: dict[str, TargetFiles]
    index: bytes | None = None
    waiting: tuple[IncrementFile, ...] = ()
    archived: tuple[IncrementFile, ...] = ()
    promoted: tuple[Fact, ...] = ()
    tree: tuple[str, ...] | None = None
    discover: str = ""
    occupied: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()
    whole: bool = True
    rebuild: bool = False

    @property
    def folders(self) -> tuple[str, ...]:
        """The names of the modules that have a folder."""
        return tuple(name for name in self.targets if name)

    def change(self, name: str, field: str, data: bytes | None) -> Iterator[Change]:
        """The change of one file of a target, none where its bytes stay as they were read."""
        before = getattr(self.targets.get(name, TargetFiles()), field)
        if data is not None and data != before:
            path = self.places.files(name)[field]
            yield Change(path=path, before=before, data=data)


def read(
    store: Store,
    config: Config,
    promoted: Sequence[Fact] = (),
    *,
    date: str,
    whole: bool = True,
    rebuild: bool = False,
    discover: str = "",
) -> Inputs:
    """Read all of it; `UnsafePath` where a place itself leads out of the repository."""
    where = places.of(store.paths)
    reader = _Reader(store, where)
    names = ("", *reader.modules())
    arrived = tuple(one for name in names for one in reader.increments(name))
    archived = (
        tuple(one for name in names for one in reader.archived(name))
        if whole
        else tuple(other for one in arrived for other in reader.namesakes(one))
    )
    return Inputs(
        places=where,
        date=date,
        language=config["language"],
        max_lines=config["snapshot.max_lines"],
        targets={name: reader.target(name) for name in names},
        index=reader.file(where.index),
        waiting=arrived,
        archived=archived,
        promoted=tuple(promoted),
        tree=_tree(store) if discover else None,
        discover=discover,
        occupied=frozenset(reader.occupied),
        problems=tuple(reader.problems),
        whole=whole,
        rebuild=rebuild,
    )


def _tree(store: Store) -> tuple[str, ...] | None:
    """The files that git tracks; None where git cannot say."""
    from afterword.store.git import program

    try:
        said = program.run(store.place, "ls-files", "-z", limit=_TREE_BYTES)
    except GitError:
        return None
    names = said.decode("utf-8", "surrogateescape").split("\0")
    return tuple(name for name in names if name)


def written(store: Store) -> dict[str, frozenset[str] | None]:
    """The folders that a compile writes in, and the names of its files there.

    None for an archive, where every file is its. Waiting increments lie in neither:
    they are written by others, under no lock of a compile.
    """
    where = places.of(store.paths)
    files: dict[str, set[str]] = {}
    names = ("", *_Reader(store, where).modules())
    for name in names:
        for path in (where.index, *where.files(name).values()):
            folder, _, own = path.rpartition("/")
            files.setdefault(confine(store.root, folder), set()).add(own)
    archives = [confine(store.root, where.archive(name)) for name in names]
    found = {folder: frozenset(own) for folder, own in files.items()}
    return {**found, **dict.fromkeys(archives)}


class _Reader:
    """Reads below the places of one store, and remembers what could not be read."""

    def __init__(self, store: Store, where: Places) -> None:
        self._store = store
        self._places = where
        self.problems: list[str] = []
        self.occupied: list[str] = []

    def file(self, relative: str) -> bytes | None:
        """The bytes of one file; `UnsafePath` for a link out of here, a folder or a FIFO."""
        path = confine(self._store.root, relative)
        try:
            return atomic.read(path)
        except UnsafePath as error:
            raise UnsafePath(
                f"{relative}: not a regular file",
                hint="move it away, then run this again",
            ) from error
        except OSError as error:
            raise AfterwordError(
                f"{relative}: cannot be read: {error.strerror}"
            ) from error

    def modules(self) -> list[str]:
        """The folders of modules, sorted; a name that no module can have is passed over."""
        found = self._entries(self._places.modules)
        names = (entry.name for entry in found if entry.is_dir())
        return sorted(name for name in names if registry.is_name(name))

    def target(self, name: str) -> TargetFiles:
        """The files of the snapshot, or of a module."""
        paths = self._places.files(name)
        return TargetFiles(**{field: self.file(path) for field, path in paths.items()})

    def increments(self, module: str) -> Iterator[IncrementFile]:
        """The files that wait in a folder, by name."""
        return self._files(module, self._places.increments(module))

    def archived(self, module: str) -> Iterator[IncrementFile]:
        """The compiled files of a folder, by name."""
        return self._files(module, self._places.archive(module))

    def namesakes(self, one: IncrementFile) -> Iterator[IncrementFile]:
        """What stands in the archive under the names that a waiting file may get there."""
        folder = self._places.archive(one.module)
        full = confine(self._store.root, folder)
        for name in candidates(one.name):
            if not os.path.lexists(os.path.join(full, name)):
                return
            yield from self._increment(one.module, name, folder)

    def _files(self, module: str, folder: str) -> Iterator[IncrementFile]:
        names = sorted(entry.name for entry in self._entries(folder))
        for name in filter(waiting.is_increment, names):
            yield from self._increment(module, name, folder)

    def _increment(
        self, module: str, name: str, folder: str
    ) -> Iterator[IncrementFile]:
        """The file of increments of that name; none, with a problem, where it is none."""
        path = f"{folder}/{name}"
        full = os.path.join(self._store.root, *folder.split("/"), name)
        what, data = _unfit(full, name), b""
        if not what:
            try:
                data = atomic.read(full, MAX_BYTES + 1) or b""
            except (OSError, UnsafePath) as error:
                what = f"cannot be read: {getattr(error, 'strerror', error)}"
        if len(data) > MAX_BYTES:
            what = f"is larger than {MAX_BYTES} bytes"
        if what:
            self.problems.append(f"{path}: {what}".encode("utf-8", "replace").decode())
            self.occupied.append(path)
        else:
            digest = fact.source_hash(data)
            yield IncrementFile(
                module=module, name=name, path=path, data=data, hash=digest
            )

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(confine(self._store.root, folder)) as entries:
                return list(entries)
        except FileNotFoundError:
            return []
        except NotADirectoryError:
            raise UnsafePath(
                f"{folder}: is a file, and a folder is needed there",
                hint="move it away, then run this again",
            ) from None
        except UnsafePath:
            raise
        except OSError as error:
            raise AfterwordError(
                f"{folder}: cannot be read: {error.strerror}"
            ) from error


def candidates(name: str) -> Iterator[str]:
    """The names that a file may get in the archive: its own, then with -2, -3, ... (D3)."""
    stem = name.removesuffix(SUFFIX)
    yield name
    number = 2
    while True:
        yield f"{stem}-{number}{SUFFIX}"
        number += 1


def _unfit(path: str, name: str) -> str:
    """Why a directory entry is no increment, "" when it may be one."""
    try:
        mode = os.lstat(path).st_mode
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if stat.S_ISLNK(mode):
        return "a symlink, and an increment is a file of its own"
    if not stat.S_ISREG(mode):
        return "not a regular file"
    if not (name[0].isdigit() and _PLAIN.issuperset(name[: -len(SUFFIX)])):
        try:
            confine("/", name)
        except UnsafePath as error:
            return f"its name cannot be used: {error.message}"
    return ""
