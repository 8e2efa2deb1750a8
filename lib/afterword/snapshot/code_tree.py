"""The directories of the code, and what in them says that they are modules.

Built from the names of tracked files alone; `discovery` decides. Pure; imports
`registry` for its patterns only.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Sequence

from afterword.snapshot.registry import Registry

# File names without extension, case-folded, by which a directory is entered.
_ENTRIES = frozenset(
    "main index app application server cli mod lib router routes route page handler"
    " handlers controller controllers service services api views __main__".split()
)
# What makes a module too, where it is not the only file (spec 8: a data model).
_MODEL = re.compile(r"(?:.*[._-])?(?:models?|entity|schema)\Z")
_PACKAGE = "__init__"
_SOURCES = frozenset(
    "c cc cjs clj cpp cs cts dart erl ex exs go groovy h hpp java jl js jsx kt kts lua mjs"
    " mts php pl prisma proto py r rb rs scala sol svelte swift ts tsx vue zig".split()
)
# Never looked into, whatever `_index.md` excludes.
_CLOSED = frozenset(
    "node_modules vendor third_party dist build target out bin obj coverage testdata mocks"
    " __mocks__ __pycache__ e2e docs doc example examples migrations".split()
)
_TEST = re.compile(r"test_.*|.*(?:_test|_spec|\.test|\.spec|\.stories|\.d)")
# Deeper than any module lies.
_DEPTH = 64


class Folder:
    """A directory with source files in it or below; `name` is case-folded.

    `own`: it holds a file of the patterns. `entered`: it stands directly under a root and
    holds an entry point or a data model (G16).
    """

    __slots__ = ("children", "entered", "files", "name", "own", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = path.rpartition("/")[2].casefold()
        self.children: dict[str, Folder] = {}
        self.files: list[str] = []  # stems, case-folded
        self.own = self.entered = False

    @property
    def has_more(self) -> bool:
        """Whether it is more than a single file."""
        return len(self.files) > 1 or bool(self.children)


def build(files: Iterable[str], registry: Registry) -> Folder:
    """The tree of directories with source files, without tests and excluded ones."""
    globs = [re.compile(fnmatch.translate(one.casefold())) for one in registry.patterns]
    roots = frozenset(root.casefold() for root in registry.roots)
    excluded = _Excluded(registry.exclusions)
    top = Folder("")
    folders: dict[str, Folder | None] = {"": top}
    for file in files:
        path, _, name = file.rpartition("/")
        if path.count("/") < _DEPTH and _is_source(name):
            folder = _folder(path, folders, excluded)
            if folder is not None:
                _note(folder, name.casefold(), globs)
    for folder in folders.values():
        if folder is not None and folder.name in roots:
            _enter(folder)
    return top


def above(path: str) -> Iterator[str]:
    """The directories above a path, the nearest first; not the top."""
    path = path.rpartition("/")[0]
    while path:
        yield path
        path = path.rpartition("/")[0]


class _Excluded:
    """Whether a directory holds no modules: by its name, or by its path from the top.

    An excluded name excludes its plural too.
    """

    def __init__(self, exclusions: Sequence[str]) -> None:
        names = [one.casefold() for one in exclusions]
        self._names = _CLOSED.union(names, [f"{one}s" for one in names])
        self._globs = [one for one in names if "*" in one]

    def __call__(self, path: str) -> bool:
        path = path.casefold()
        name = path.rpartition("/")[2]
        if name in self._names or path in self._names or name.startswith("."):
            return True
        return any(fnmatch.fnmatchcase(name, one) for one in self._globs)


def _folder(
    path: str, folders: dict[str, Folder | None], excluded: _Excluded
) -> Folder | None:
    """The folder of a path, made with those above it; None in an excluded one."""
    if path in folders:
        return folders[path]
    parent_path, _, name = path.rpartition("/")
    parent = _folder(parent_path, folders, excluded)
    if parent is None or excluded(path):
        folders[path] = None
        return None
    made = folders[path] = parent.children[name] = Folder(path)
    return made


def _is_source(name: str) -> bool:
    """Whether a file is code, and no test."""
    stem, _, extension = name.casefold().rpartition(".")
    return extension in _SOURCES and _TEST.fullmatch(stem) is None


def _note(folder: Folder, name: str, globs: Iterable[re.Pattern[str]]) -> None:
    folder.files.append(name.rpartition(".")[0])
    folder.own = folder.own or any(glob.match(name) for glob in globs)


def _enter(root: Folder) -> None:
    """Which directories under a root are entered from outside.

    A package of Python is one where others stand beside it: alone it wraps them all.
    """
    children = root.children.values()
    packages = sum(_PACKAGE in child.files for child in children)
    for child in children:
        is_package = _PACKAGE in child.files and packages > 1
        is_model = any(map(_MODEL.match, child.files))
        child.entered = not _ENTRIES.isdisjoint(child.files) or (
            child.has_more and (is_package or is_model)
        )
