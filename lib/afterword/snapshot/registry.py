"""The registry of modules: what `_index.md` says, with whatever a person wrote there.

Reads the table of modules and the discovery patterns; `registry_text` writes. A row
that cannot be a module is a problem with its line, never an error. Pure; imports
`tables`, `words` and `store` only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from afterword.model import Model
from afterword.snapshot import tables
from afterword.snapshot.tables import Row, Table
from afterword.store import blocks, layout

ACTIVE, DORMANT, REMOVED = "active", "dormant", "removed"
MODULES, DEPENDENCIES, CONFLICTS, DISCOVERY = (
    "Modules",
    "Cross-Module Dependencies",
    "Cross-Module Conflicts",
    "Auto-Discovery Config",
)
# Names of the columns, case-folded; the first is what we write.
NAME = ("module", "模块", "name", "模块名")
PATH = ("code path", "path", "代码路径", "路径")
PURPOSE = ("purpose", "用途", "职责", "说明", "role")
STATUS = ("status", "状态")
SOURCE, TARGET = (
    ("source", "source module", "来源"),
    ("target", "target module", "目标"),
)
TYPE = ("dependency type", "type", "依赖类型", "类型")

# Spec 8: what makes a directory a module. Each is a file name's glob.
PATTERNS = {
    "Java": ("*Controller.java", "*Service.java"),
    "TypeScript/JavaScript": (
        "*Controller.ts",
        "*Handler.ts",
        "router.ts",
        "*Controller.js",
        "*Handler.js",
        "router.js",
    ),
    "Go": ("handler.go", "controller.go"),
    "Python": ("*views.py", "*api.py", "*handler.py"),
}
ROOTS = ("src", "app")
EXCLUSIONS = (
    "test",
    "__tests__",
    "spec",
    "fixtures",
    "shared",
    "common",
    "util",
    "helpers",
)
_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_SEPARATOR = re.compile(r"[,，、;；]|<br ?/?>")
_PATTERN_HEADINGS = ("discovery patterns", "patterns", "发现规则")
_EXCLUSION_HEADINGS = ("exclusions", "排除规则", "排除")
# What a folder may not be called on some system, beside what `layout` closes.
_UNSAFE = frozenset('<>:"/\\|?*')
_CLOSED = layout.FORBIDDEN_PARTS | layout.INSTRUCTION_FILES | {"_index.md"}
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789"]
)


class Module(Model):
    """A module: its name is that of its folder; paths are directories, files or globs.

    `line` is its row's in `_index.md`, 0 where it has none (yet).
    """

    name: str
    paths: tuple[str, ...] = ()
    purpose: str = ""
    status: str = ACTIVE
    line: int = 0


class Registry(Model):
    """What is known of modules. `problems` are (line, text) of rows that are none.

    `patterns`, `roots` and `exclusions` say how modules are discovered: globs of file
    names, directories whose subdirectories are looked at, names of directories.
    """

    modules: tuple[Module, ...] = ()
    patterns: tuple[str, ...] = ()
    roots: tuple[str, ...] = ROOTS
    exclusions: tuple[str, ...] = EXCLUSIONS
    problems: tuple[tuple[int, str], ...] = ()

    @property
    def names(self) -> frozenset[str]:
        return frozenset(module.name for module in self.modules)


def read(index: bytes | None, folders: Sequence[str]) -> Registry:
    """The modules of `_index.md`, and those that only have a folder.

    `folders` are the names below the folder of modules. Names are compared as written;
    of two that differ in case only, one folder on some systems, the second is a problem.
    """
    data = index or b""
    problems: list[tuple[int, str]] = []
    modules: dict[str, Module] = {}
    for module in _rows(data):
        _take(module, modules, problems)
    for name in sorted(folders):
        if name not in modules and is_name(name):
            _take(Module(name=name), modules, problems)
    patterns, roots, exclusions = _discovery(data)
    return Registry(
        modules=tuple(modules.values()),
        patterns=patterns,
        roots=roots,
        exclusions=exclusions,
        problems=tuple(problems),
    )


def _take(
    module: Module, modules: dict[str, Module], problems: list[tuple[int, str]]
) -> None:
    """Add a module, unite it with its other row, or say why it is none."""
    same = {name.casefold(): name for name in modules}.get(module.name.casefold(), "")
    if not is_name(module.name):
        text = f"{module.name!r} cannot be a folder's name, so its row names no module"
        problems.append((module.line, text))
    elif same and same != module.name:
        text = f"{module.name} and {same} are one folder on some systems"
        problems.append((module.line, f"{text}: rename one of them"))
    elif same:
        first = modules[same]
        paths = tuple(dict.fromkeys((*first.paths, *module.paths)))
        modules[same] = first.replace(paths=paths)
        text = f"{same} stands in line {first.line} too: their code paths are united"
        problems.append((module.line, text))
    else:
        modules[module.name] = module


def _rows(data: bytes) -> Iterator[Module]:
    table = modules_table(data)
    if table is None:
        return
    for row in table.rows:
        if not row.is_placeholder and module_name(table, row):
            yield _module(table, row)


def _module(table: Table, row: Row) -> Module:
    status = tables.cell(row, table.column(STATUS, 3)).strip("*`").casefold()
    return Module(
        name=module_name(table, row),
        paths=paths_of(tables.cell(row, table.column(PATH, 1))),
        purpose=tables.cell(row, table.column(PURPOSE, 2)),
        status=status or ACTIVE,
        line=row.line,
    )


def modules_table(data: bytes) -> Table | None:
    """The table of modules: the one with their columns, else the one under its heading."""
    found = tables.read(data)
    for table in found:
        if table.column(NAME) >= 0 and table.column(PATH) >= 0:
            return table
    return next((one for one in found if one.above.casefold() == "modules"), None)


def module_name(table: Table, row: Row) -> str:
    """The name that a row gives its module, without marks or a link."""
    text = tables.cell(row, table.column(NAME, 0))
    return _LINK.sub(r"\1", text).strip("*` ")


def paths_of(cell: str) -> tuple[str, ...]:
    """The code paths of a cell: separated by commas, in backticks or bare."""
    bare = (one.strip().strip("`").strip() for one in _SEPARATOR.split(cell))
    found = (one.replace("\\", "/").removeprefix("./").lstrip("/") for one in bare)
    return tuple(dict.fromkeys(one for one in found if one))


def is_name(name: str) -> bool:
    """Whether a module may be called so: as one folder's name, on every system."""
    if not name or len(name.encode("utf-8", "surrogateescape")) > 120:
        return False
    if name != name.strip() or name.endswith(".") or name.startswith((".", "-")):
        return False
    folded = name.casefold()
    if not _UNSAFE.isdisjoint(name) or not folded.isprintable() or folded in _CLOSED:
        return False
    is_short = "~" in folded and folded[-1].isdigit()  # a short name of Windows
    return not is_short and folded.partition(".")[0] not in _DEVICES


def _discovery(
    data: bytes,
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Patterns, roots and exclusions, as the file has them, else the defaults."""
    patterns = _marked(data, _PATTERN_HEADINGS)
    exclusions = _marked(data, _EXCLUSION_HEADINGS)
    if patterns is None:
        globs: tuple[str, ...] = tuple(
            one for some in PATTERNS.values() for one in some
        )
        roots: tuple[str, ...] = ROOTS
    else:
        globs = tuple(one for one in patterns if _is_glob_of_file(one))
        roots = tuple(one.strip("/") for one in patterns if one.endswith("/"))
    if exclusions is None:
        return globs, roots, EXCLUSIONS
    return globs, roots, tuple(one.strip("/") for one in exclusions)


def _is_glob_of_file(text: str) -> bool:
    """Not a directory, and not an annotation: only the list of files is looked at."""
    return not text.endswith("/") and not text.startswith("@") and " " not in text


def _marked(data: bytes, names: Sequence[str]) -> list[str] | None:
    """What stands in backticks in the bullets under a heading; None without that heading."""
    found: list[str] | None = None
    is_inside = False
    for start, end, kind in blocks.lines(data):
        if kind != blocks.TEXT:
            continue
        text = data[start:end].decode("utf-8", "surrogateescape").strip()
        if heading := blocks.heading_of(data[start:end]):
            name = heading[1].decode("utf-8", "surrogateescape")
            is_inside = name.strip().casefold() in names
            found = [] if is_inside and found is None else found
        elif is_inside and found is not None and text.startswith(("-", "*", "+")):
            found += [one.strip() for one in _CODE.findall(text)]
    return found
