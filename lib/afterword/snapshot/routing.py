"""Where a fact belongs: the snapshot, or the modules of its domain, folder or files.

The rules of spec/snapshot.md 10.3, L022-L025 and G5-G7, as one function of a fact and
the registry. Pure; imports `fact` and `registry` only.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Sequence

from afterword.snapshot.fact import Fact
from afterword.snapshot.registry import Module, Registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    Route = Callable[[Fact], tuple[str, ...]]

SNAPSHOT = ""
_GLOB = frozenset("*?[")
_WILD = re.compile(r"\*+|\?|\[[^\]]*\]")
_LINE_NUMBER = re.compile(r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)\Z")
_EXTENSION = re.compile(r"\.\w{1,8}\Z")
_SENTENCE = re.compile(r"[。，；！？]|[,;!?] |[.!?]\Z")


def router(
    registry: Registry,
    warnings: list[str],
    *,
    partition: frozenset[str] = frozenset(),
) -> Route:
    """The function that gives a fact's targets, sorted, never none; "" is the snapshot.

    What a person should know is added to `warnings`, as `stem: text`, each once. Adopted
    facts stay in the file they were read from, unless `partition` names a new module
    that their files belong to: then they go to all modules of their files.
    """
    paths = CodePaths(registry.modules)
    names = registry.names

    def route(fact: Fact) -> tuple[str, ...]:
        if not fact.sources:
            return _of_adopted(fact, paths, partition)
        folders = tuple(sorted({one for one in fact.folders if one}))
        domains = tuple(filter(None, map(_domain, fact.domains)))
        if domains:
            _warn(fact, domains, folders, names, warnings)
            found = {one if one in names else SNAPSHOT for one in domains}
            return tuple(sorted(found))
        return folders or paths.modules(fact.files) or (SNAPSHOT,)

    return route


def _of_adopted(
    fact: Fact, paths: CodePaths, partition: frozenset[str]
) -> tuple[str, ...]:
    """Where it stands; one that another clone moved into a module goes with that."""
    stands = tuple(sorted(set(fact.folders))) or (SNAPSHOT,)
    if SNAPSHOT not in stands:
        return stands
    belongs = set(paths.modules(fact.files))
    if belongs & partition:
        return tuple(sorted(belongs | (set(stands) - {SNAPSHOT})))
    return tuple(one for one in stands if one) if belongs & set(stands) else stands


def _domain(text: str) -> str:
    return text.strip().strip("`").strip()


def _warn(
    fact: Fact,
    domains: Sequence[str],
    folders: Sequence[str],
    names: frozenset[str],
    warnings: list[str],
) -> None:
    """L025: a domain that is no module; G6: a domain that is not the folder's module."""
    said = []
    for name in domains:
        if name not in names:
            said.append(f"domain {name} is no module: its entries go to the snapshot")
    for folder in folders:
        if folder not in domains:
            said.append(f"lies in the module {folder}, but its domain is {domains[0]}")
    stem = fact.sources[0][0]
    for text in said:
        if f"{stem}: {text}" not in warnings:
            warnings.append(f"{stem}: {text}")


class CodePaths:
    """The code paths of modules, to be asked for files; answers are remembered."""

    def __init__(self, modules: Iterable[Module]) -> None:
        self._literal: dict[str, list[str]] = {}
        self._globs: list[tuple[int, list[str], str]] = []
        self._known: dict[str, tuple[str, ...]] = {}
        for module in modules:
            for path in module.paths:
                self._add(path.rstrip("/"), module.name)

    def _add(self, path: str, name: str) -> None:
        self._literal.setdefault(path, []).append(name)
        if not _GLOB.isdisjoint(path):
            self._globs.append((_weight(path), path.split("/"), name))

    def modules(self, files: Iterable[str]) -> tuple[str, ...]:
        """The modules that files belong to: of each file those of its longest path (G5)."""
        found = {name for file in files for name in self.of_file(file)}
        return tuple(sorted(found))

    def of_file(self, file: str) -> tuple[str, ...]:
        """The modules with the longest code path that holds a file, () for none."""
        path = path_of(file)
        if path not in self._known:
            self._known[path] = self._look_up(path) if path else ()
        return self._known[path]

    def _look_up(self, path: str) -> tuple[str, ...]:
        parts = path.split("/")
        best, names = 0, set[str]()
        for weight, name in (*self._held(parts), *self._matched(parts)):
            if weight > best:
                best, names = weight, set()
            if weight == best:
                names.add(name)
        return tuple(sorted(names))

    def _held(self, parts: list[str]) -> Iterable[tuple[int, str]]:
        """By each directory above a file, and by its own path."""
        for count in range(1, len(parts) + 1):
            path = "/".join(parts[:count])
            for name in self._literal.get(path, ()):
                yield len(path), name

    def _matched(self, parts: list[str]) -> Iterable[tuple[int, str]]:
        for weight, pattern, name in self._globs:
            if _matches(pattern, parts):
                yield weight, name


def _weight(glob: str) -> int:
    """How much a glob says: its characters but wildcards, as a directory's path has them."""
    parts = glob.split("/")
    while len(parts) > 1 and not parts[-1].strip("*"):
        parts.pop()
    return len(_WILD.sub("", "/".join(parts)))


def _matches(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether a glob matches a path or a directory above it; `**` is any number of parts.

    Each part of the pattern is tried at the places that its forerunner leaves open.
    """
    places = {0}
    for one in pattern:
        if one == "**":
            places = set(range(min(places), len(parts) + 1))
        else:
            places = {
                at + 1
                for at in places
                if at < len(parts) and fnmatch.fnmatchcase(parts[at], one)
            }
        if not places:
            return False
    return True


def path_of(text: str) -> str:
    """The path that an affected file names, "" for a sentence, `general` or nothing.

    Without backticks, a leading `./`, a line number; with `/`, whatever the system.
    """
    bare = text.strip().strip("`").strip().replace("\\", "/")
    path = _LINE_NUMBER.sub("", bare).removeprefix("./").rstrip("/")
    if path.casefold() == "general" or _SENTENCE.search(bare):
        return ""
    if any(one.isspace() for one in path) and not _may_have_spaces(path):
        return ""
    return path


def _may_have_spaces(path: str) -> bool:
    """Whether words with spaces are a path all the same: `docs/our plan.md`."""
    parts = path.split("/")
    is_tidy = all(part == part.strip() for part in parts)
    return is_tidy and len(parts) > 1 and _EXTENSION.search(path) is not None
