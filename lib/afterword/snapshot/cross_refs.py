"""What lies across modules: dependencies and conflicts, in cross-refs.md and `_index.md`.

Rows and notes that a person wrote stay; what is missing is added, so the files need no
history (7.3, 7.4, L034, G5). Pure; imports `sections`, `tables`, `folded` and `store` only.
"""

from __future__ import annotations

from collections.abc import Sequence

from afterword.model import Model
from afterword.snapshot import sections, tables
from afterword.snapshot.folded import Conflict
from afterword.store.newline import newline_of

DEPENDENCIES, CONFLICTS = "Cross-Module Dependencies", "Cross-Module Conflicts"
DEPENDS_ON, DEPENDENTS, NOTES = "Module Dependencies", "Dependents", "Notes"
# Names of the columns, case-folded.
SOURCE = ("source", "source module", "来源", "来源模块")
TARGET = ("target", "target module", "目标", "目标模块")
TYPE = ("dependency type", "type", "依赖类型", "类型")
# The type of a dependency that a compile finds (G5), and what it says.
SHARED = "shared knowledge"
_WHY = {"en": "entries name files of both", "zh": "有条目同时涉及两个模块的文件"}
_GLOBAL = "(snapshot)"
_NONE = "(none yet)"
_DEPENDENCY = ("Dependency Type", "Description")
_ROLES = {
    "Source": SOURCE,
    "Source Module": SOURCE,
    "Target": TARGET,
    "Target Module": TARGET,
    "Dependency Type": TYPE,
    "Description": ("description", "描述", "说明"),
}
_CONFLICT = ("Conflict", "Topic", "Modules", "State")
_INTRO = {
    "en": "> Kept by `afterword compile`. Rows and notes of yours stay.",
    "zh": "> 由 `afterword compile` 维护，人工添加的行和备注会保留。",
}
_HINT = {
    "en": "- Write down here what the code means to depend on.",
    "zh": "- 在此记录有意的架构依赖。",
}


class Dependency(Model):
    """That one module depends on another; `type` and the two names are its identity."""

    source: str
    target: str
    type: str
    description: str = ""


def shared(one: str, other: str, language: str) -> Dependency:
    """The dependency of two modules whose files one entry names; their order is their names'."""
    source, target = sorted((one, other))
    return Dependency(
        source=source, target=target, type=SHARED, description=_WHY[language]
    )


def with_dependencies(
    data: bytes, dependencies: Sequence[Dependency], following: Sequence[str] = ()
) -> bytes:
    """`_index.md` with a row for each dependency that has none."""
    rows = [(one.source, one.target, one.type, one.description) for one in dependencies]
    return _added(
        data, DEPENDENCIES, ("Source", "Target", *_DEPENDENCY), rows, 3, following
    )


def _added(
    data: bytes,
    title: str,
    columns: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    keys: int,
    following: Sequence[str] = (),
) -> bytes:
    """The file with those rows in a section's table whose first `keys` cells are new there."""
    table = sections.table_under(data, title)
    roles = [_ROLES.get(name, (name.casefold(),)) for name in columns]

    def key(cells: Sequence[str]) -> tuple[str, ...]:
        return tuple(cell.strip("*` ").casefold() for cell in cells[:keys])

    places = table.columns_of(roles) if table else ()
    rows_now = table.rows if table else ()
    known = {key(sections.given(row.cells, places)) for row in rows_now}
    missing = {key(row): row for row in rows if key(row) not in known}
    return sections.with_rows(
        data,
        title,
        columns,
        list(missing.values()),
        table=table,
        roles=roles,
        key=key,
        following=following,
    )


def with_conflicts(
    data: bytes, conflicts: Sequence[Conflict], following: Sequence[str] = ()
) -> bytes:
    """`_index.md` with a row for each conflict between targets, its cells as they are now.

    A row is known by the conflict's id; rows of other ids stay as they stand.
    """
    across = [one for one in conflicts if len(one.targets) > 1]
    data = _with_states(data, across)
    rows = [_conflict(one) for one in across]
    return _added(data, CONFLICTS, _CONFLICT, rows, 1, following)


def _conflict(one: Conflict) -> tuple[str, ...]:
    where = ", ".join(name or _GLOBAL for name in one.targets)
    return one.id, one.topic, where, one.state


def _with_states(data: bytes, conflicts: Sequence[Conflict]) -> bytes:
    table = sections.table_under(data, CONFLICTS)
    if table is None:
        return data
    known = {one.id: _conflict(one) for one in conflicts}
    columns = table.columns_of([(name.casefold(),) for name in _CONFLICT])
    edits: list[tables.Edit] = []
    for row in table.rows:
        values = known.get(tables.cell(row, columns[0]).strip("`"), ())
        texts = {
            at: text
            for at, text in zip(columns[1:], values[1:], strict=False)
            if at >= 0 and tables.cell(row, at) != tables.shown(text)
        }
        edits += tables.with_cells(row, texts)
    return tables.changed(data, edits, newline_of(data))


def compose(
    before: bytes | None,
    name: str,
    *,
    dependencies: Sequence[Dependency],
    language: str,
) -> bytes:
    """A module's cross-refs.md with what it depends on and what depends on it."""
    data = before if before is not None and before.strip() else _new(name, language)
    targets = [
        (one.target, one.type, one.description)
        for one in dependencies
        if one.source == name
    ]
    sources = [
        (one.source, one.type, one.description)
        for one in dependencies
        if one.target == name
    ]
    data = _added(
        data,
        DEPENDS_ON,
        ("Target Module", *_DEPENDENCY),
        targets,
        2,
        (DEPENDENTS, NOTES),
    )
    return _added(
        data, DEPENDENTS, ("Source Module", *_DEPENDENCY), sources, 2, (NOTES,)
    )


def _new(name: str, language: str) -> bytes:
    none = ((_NONE, "", ""),)
    parts = (
        f"# Cross-Refs: {name}\n\n{_INTRO[language]}\n\n## {DEPENDS_ON}\n\n".encode(),
        tables.new(("Target Module", *_DEPENDENCY), none),
        f"\n## {DEPENDENTS}\n\n".encode(),
        tables.new(("Source Module", *_DEPENDENCY), none),
        f"\n## {NOTES}\n\n{_HINT[language]}\n".encode(),
    )
    return b"".join(parts)
