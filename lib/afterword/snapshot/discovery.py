"""Modules found in the code's directories: from the list of tracked files alone.

The rules of spec/snapshot.md 8 and G16: a directory that holds a controller, handler,
route, service or API file is a module, and so is one directly under `src/` or `app/` that
holds an entry point. Parts of one module, its layers or subdirectories, are that one
module. Pure; imports `code_tree`, `registry`, `routing` and `store.safe_text` only.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from afterword.snapshot import code_tree
from afterword.snapshot.code_tree import Folder
from afterword.snapshot.fact import Fact
from afterword.snapshot.registry import ACTIVE, DORMANT, Module, Registry, is_name
from afterword.snapshot.routing import CodePaths
from afterword.store import safe_text

# Directories that divide one module by layer.
_LAYERS = frozenset(
    "adapter adapters api application client clients config controller controllers core dao"
    " data db domain dto endpoint endpoints entities entity gateway gateways handler handlers"
    " http impl infra infrastructure interface interfaces internal logic middleware model"
    " models persistence port ports presentation provider providers repositories repository"
    " resource resources rest route router routers routes rpc schema schemas server service"
    " services store usecase usecases view views web".split()
)
# Directories that hold modules and are none.
_CONTAINERS = frozenset(
    "app apps backend cmd cn code com components crates dev domain domains features frontend"
    " go groovy internal io java javascript js kotlin lib libs main modules net org packages"
    " pkg plugins projects python scala services source sources src ts typescript".split()
)
# What separates code paths in a cell, or would end one: a glob's `?` stands for it.
_UNSPEAKABLE = re.compile(r"[,，、;；`\\<\x00-\x1f]")


def discover(files: Sequence[str], registry: Registry) -> tuple[Module, ...]:
    """The modules of a tree that the registry does not know yet, sorted by path.

    `files` are the paths of tracked files. Names are those of the directories, made
    unique and safe as folder names. A module that is registered without a code path is
    given the one found under its name.
    """
    roots = frozenset(root.casefold() for root in registry.roots)
    top = code_tree.build(files, registry)
    paths = _joined([one.path for one in _found(top, roots, is_loose=True)])
    code = CodePaths(registry.modules)
    new = [path for path in paths if not _is_known(path, code, registry)]
    return tuple(sorted(_named(new, registry), key=lambda module: module.paths))


def dormant(files: Sequence[str], registry: Registry) -> tuple[Module, ...]:
    """The active modules in whose code paths no tracked file lies any more, marked so (G17)."""
    there = {path for file in files for path in (file, *code_tree.above(file))}
    gone = []
    for module in registry.modules:
        if module.status != ACTIVE or not module.paths:
            continue
        code = CodePaths([module])
        is_there = any(path.rstrip("/") in there for path in module.paths)
        if not is_there and not any(map(code.of_file, files)):
            gone.append(module.replace(status=DORMANT))
    return tuple(gone)


def holding(modules: Iterable[Module], facts: Iterable[Fact]) -> tuple[Module, ...]:
    """The modules that files of some fact belong to (L012, L078)."""
    found = tuple(modules)
    code = CodePaths(found)
    names = {name for fact in facts for name in code.modules(fact.files)}
    return tuple(module for module in found if module.name in names)


def _found(
    folder: Folder, roots: frozenset[str], *, is_loose: bool
) -> Iterator[Folder]:
    """The modules in a folder, or the folder itself.

    A loose folder is no unit of its own: a container, or all that a loose one has.
    """
    parts = [child for child in folder.children.values() if _bears(child)]
    if folder.path and _is_module(folder, parts, roots, is_loose):
        yield folder
        return
    for child in parts:
        is_wrapper = is_loose and len(parts) == 1
        is_open = is_wrapper or child.name in _CONTAINERS
        yield from _found(child, roots, is_loose=is_open)


def _bears(folder: Folder) -> bool:
    """Whether a folder is a module or has some."""
    is_module = folder.own or folder.entered
    return is_module or any(map(_bears, folder.children.values()))


def _is_module(
    folder: Folder, parts: Sequence[Folder], roots: frozenset[str], is_loose: bool
) -> bool:
    if folder.name in roots:
        return False
    if folder.name in _CONTAINERS:
        return folder.own and not parts
    if folder.own:
        return True
    if is_loose:  # an entry point of what only wraps its modules
        return folder.entered and not parts
    return folder.entered or len(parts) > 1


def _joined(paths: Sequence[str]) -> list[str]:
    """Layers as the module that they divide, where all that is found in it are its layers."""
    whole = {path: _divided(path) for path in paths}
    layers = Counter(whole.values())
    inside = Counter(above for path in paths for above in code_tree.above(path))
    found = {
        module if module and layers[module] == inside[module] else path
        for path, module in whole.items()
    }
    return sorted(path for path in found if found.isdisjoint(code_tree.above(path)))


def _divided(path: str) -> str:
    """The directory whose layer a path is, "" for none."""
    if path.rpartition("/")[2].casefold() not in _LAYERS:
        return ""
    for above in code_tree.above(path):
        name = above.rpartition("/")[2].casefold()
        if name not in _LAYERS and name not in _CONTAINERS:
            return above
    return ""


def _is_known(path: str, code: CodePaths, registry: Registry) -> bool:
    """Whether a directory lies in a module, or holds what the module of its name has."""
    if code.of_file(path) or code.of_file(f"{path}/x"):
        return True
    name = path.rpartition("/")[2].casefold()
    return any(
        one.startswith(f"{path}/")
        for module in registry.modules
        if module.name.casefold() == name
        for one in module.paths
    )


def _named(paths: Iterable[str], registry: Registry) -> Iterator[Module]:
    """The directories as modules, the one nearest to the top first to have its name."""
    taken = {module.name.casefold() for module in registry.modules}
    waiting = {
        module.name.casefold(): module
        for module in registry.modules
        if not module.paths
    }
    for path in sorted(paths, key=lambda path: (path.count("/"), path)):
        code = (f"{_UNSPEAKABLE.sub('?', path)}/",)
        known = waiting.pop(_safe(path.rpartition("/")[2]).casefold(), None)
        if known is not None:
            yield known.replace(paths=code)
            continue
        name = next(one for one in _names(path) if one.casefold() not in taken)
        taken.add(name.casefold())
        yield Module(name=name, paths=code)


def _names(path: str) -> Iterator[str]:
    """What a directory's module may be called: so, else with what is above it, else numbered."""
    name = path.rpartition("/")[2]
    yield _safe(name)
    for above in code_tree.above(path):
        part = above.rpartition("/")[2]
        if part.casefold() not in _CONTAINERS:
            name = f"{part}-{name}"
            yield _safe(name)
    number = 2
    while True:
        yield _safe(f"{name}-{number}")
        number += 1


def _safe(name: str) -> str:
    """A directory's name as that of a folder on every system."""
    name = unicodedata.normalize("NFC", name)
    if is_name(name):
        return name
    safe = safe_text.safe_name(name)
    return safe if is_name(safe) else safe_text.safe_name(safe.replace(".", "-"))
