"""The registry of modules: what `_index.md` says, with whatever a person wrote there.

A row that cannot be a module is a problem with its line, never an error. Pure; imports
`tables`, `sections`, `cross_refs`, `discovery_config` and `store` only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from afterword.model import Model
from afterword.snapshot import cross_refs, discovery_config, sections, tables
from afterword.snapshot.cross_refs import Dependency
from afterword.snapshot.folded import Conflict
from afterword.snapshot.tables import Row, Table
from afterword.store import layout
from afterword.store.newline import newline_of

ACTIVE, DORMANT, REMOVED = "active", "dormant", "removed"
# The sections in their order.
MODULES, DEPENDENCIES = "Modules", cross_refs.DEPENDENCIES
CONFLICTS, DISCOVERY = cross_refs.CONFLICTS, discovery_config.HEADING
_FOLLOWING = (DEPENDENCIES, CONFLICTS, DISCOVERY)
_COLUMNS = ("Module", "Code Path", "Purpose", "Status")
# Names of the columns, case-folded.
NAME = ("module", "模块", "name", "模块名")
PATH = ("code path", "path", "代码路径", "路径")
PURPOSE = ("purpose", "用途", "职责", "说明", "role")
STATUS = ("status", "状态")
_ROLES = (NAME, PATH, PURPOSE, STATUS)
SOURCE, TARGET, TYPE = cross_refs.SOURCE, cross_refs.TARGET, cross_refs.TYPE

_INTRO = {
    "en": "> Kept by `afterword compile` and `afterword modules discover`. Rows and notes of yours stay.",
    "zh": "> 由 `afterword compile` 和 `afterword modules discover` 维护，人工添加的行和备注会保留。",
}
_DATE = "(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|\\{\\{[^}\r\n]*\\}\\}|-)"
_UPDATED = re.compile(
    f"(^>[^\r\n]*?(?:Last updated|最后更新)(?::|：)[ \t]*){_DATE}".encode(),
    re.MULTILINE,
)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_SEPARATOR = re.compile(r"[,，、;；]|<br ?/?>")
# What a folder may not be called on some system.
_UNSAFE = frozenset('<>:"/\\|?*')
_CLOSED = layout.FORBIDDEN_PARTS | layout.INSTRUCTION_FILES | {"_index.md"}
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789"]
)
_MAX_NAME = 120  # bytes; a file system takes 255


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
    patterns: tuple[str, ...] = discovery_config.GLOBS
    roots: tuple[str, ...] = discovery_config.ROOTS
    exclusions: tuple[str, ...] = discovery_config.EXCLUSIONS
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
    patterns, roots, exclusions = discovery_config.read(data)
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
    folded = module.name.casefold()
    same = next((name for name in modules if name.casefold() == folded), "")
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
    name, paths, purpose, status = sections.given(row.cells, table.columns_of(_ROLES))
    return Module(
        name=_bare(name),
        paths=paths_of(paths),
        purpose=purpose,
        status=status.strip("*`").casefold() or ACTIVE,
        line=row.line,
    )


def modules_table(data: bytes) -> Table | None:
    """The table of modules: the one with their columns, else the one under its heading."""
    for table in tables.read(data):
        if table.column(NAME) >= 0 and table.column(PATH) >= 0:
            return table
    return sections.table_under(data, MODULES)


def module_name(table: Table, row: Row) -> str:
    """The name that a row gives its module, without marks or a link."""
    return _bare(tables.cell(row, table.columns_of(_ROLES)[0]))


def _bare(text: str) -> str:
    return _LINK.sub(r"\1", text).strip("*` ")


def paths_of(cell: str) -> tuple[str, ...]:
    """The code paths of a cell: separated by commas, in backticks or bare."""
    bare = (one.strip().strip("`").strip() for one in _SEPARATOR.split(cell))
    found = (one.replace("\\", "/").removeprefix("./").lstrip("/") for one in bare)
    return tuple(dict.fromkeys(one for one in found if one))


def is_name(name: str) -> bool:
    """Whether a module may be called so: as one folder's name, on every system."""
    if not name or len(name.encode("utf-8", "surrogateescape")) > _MAX_NAME:
        return False
    if name != name.strip() or name.endswith(".") or name.startswith((".", "-")):
        return False
    folded = name.casefold()
    if not _UNSAFE.isdisjoint(name) or not folded.isprintable() or folded in _CLOSED:
        return False
    is_short = "~" in folded and folded[-1].isdigit()  # a short name of Windows
    return not is_short and folded.partition(".")[0] not in _DEVICES


def compose(
    before: bytes | None,
    registry: Registry,
    *,
    new: Sequence[Module] = (),
    dependencies: Sequence[Dependency] = (),
    conflicts: Sequence[Conflict] = (),
    purposes: Mapping[str, str] = MappingProxyType({}),
    date: str,
    language: str,
) -> bytes:
    """`_index.md` with the modules that have no row yet, and what is known across modules.

    Rows that stand there keep their bytes, but for the status of a module that differs
    from the registry's, and empty cells that can be filled: a code path that was found,
    a purpose (G16: `purposes` by module). `Last updated` changes only when something
    else does.
    """
    data = before if before is not None and before.strip() else _new(language)
    modules = {
        module.name: module.replace(
            purpose=module.purpose or purposes.get(module.name, "")
        )
        for module in (*registry.modules, *new)
    }
    data = _with_modules(_with_cells(data, modules), modules)
    data = cross_refs.with_dependencies(data, dependencies, _FOLLOWING[1:])
    data = cross_refs.with_conflicts(data, conflicts, _FOLLOWING[2:])
    return data if data == before else _dated(data, date)


def _with_cells(data: bytes, modules: Mapping[str, Module]) -> bytes:
    """The changes of single cells in the first row of each module."""
    table = modules_table(data)
    if table is None:
        return data
    edits: list[tables.Edit] = []
    left = dict(modules)
    for row in table.rows:
        known = left.pop(module_name(table, row), None)
        if known is not None:
            edits += _cells(table, row, known)
    return tables.changed(data, edits, newline_of(data))


def _cells(table: Table, row: Row, known: Module) -> Iterator[tables.Edit]:
    """What one row of a module does not say yet, or says no longer rightly."""
    is_now = _module(table, row)
    _, paths, purpose, status = table.columns_of(_ROLES)
    texts: dict[int, str] = {}
    if known.paths and not is_now.paths:
        texts[paths] = _shown(known.paths)
    if known.purpose and not is_now.purpose:
        texts[purpose] = known.purpose
    if known.status != is_now.status:
        texts[status] = known.status
    texts.pop(-1, None)  # the table has no such column
    yield from tables.with_cells(row, texts)


def _with_modules(data: bytes, modules: Mapping[str, Module]) -> bytes:
    table = modules_table(data)
    has_row = {module_name(table, row) for row in table.rows} if table else set()
    rows = [
        (module.name, _shown(module.paths), module.purpose, module.status)
        for module in modules.values()
        if module.name not in has_row
    ]
    return sections.with_rows(
        data,
        MODULES,
        _COLUMNS,
        rows,
        table=table,
        roles=_ROLES,
        key=lambda cells: (_bare(cells[0]),),
        following=_FOLLOWING,
    )


def _shown(paths: Sequence[str]) -> str:
    return ", ".join(f"`{path}`" for path in paths)


def _new(language: str) -> bytes:
    head = (
        f"# Module Index\n\n{_INTRO[language]}\n> Last updated: -\n\n## {MODULES}\n\n"
    )
    return head.encode() + tables.new(_COLUMNS, ()) + b"\n" + discovery_config.text()


def _dated(data: bytes, date: str) -> bytes:
    """With the date of the change, where the file says when it was changed last."""
    found = _UPDATED.search(data)
    if found is None:
        return data
    return data[: found.end(1)] + date.encode() + data[found.end() :]
