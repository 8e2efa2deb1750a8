"""The registry of modules, cross-refs and progress: read leniently, changed losslessly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.snapshot import cross_refs, places, progress, registry, tables
from afterword.snapshot.cross_refs import Dependency, shared
from afterword.snapshot.fact import Fact
from afterword.snapshot.folded import Conflict, Ending, Entry, Side, Target
from afterword.snapshot.registry import Module, Registry
from afterword.store import layout

DATE = "2026-05-01"
# As the older system's template has it: no closing pipe, notes of a person, another section.
INDEX = """# Module Index

> Auto-managed by /lore-evolve and /lore-sync. Last updated: 2026-04-01.
> This file serves as the registry for all modules in the project.

## Modules

The team's own note.

| Module | Code Path | Purpose | Status |
|--------|-----------|---------|--------|
| order | `src/order/` | Orders \\| lines | active
| [zoo](zoo/knowledge.md) | `src/zoo/**`, `src/old zoo/` | | Dormant | extra |

## Our own section

| Module | Owner |
|---|---|
| order | Ines |

## Cross-Module Dependencies

| Source | Target | Dependency Type | Description |
|--------|--------|----------------|-------------|
| order | zoo | API call | by hand

## Auto-Discovery Config

### Exclusions

- `legacy/` is not ours
"""


def composed(
    before: str | bytes | None, *new: Module, date: str = DATE, **given: object
) -> bytes:
    data = before.encode() if isinstance(before, str) else before
    known = registry.read(data, [])
    return registry.compose(data, known, new=new, date=date, language="en", **given)  # type: ignore[arg-type]


def test_modules_are_read_from_tables_without_closing_pipes() -> None:
    found = registry.read(INDEX.encode(), [])
    assert found.modules == (
        Module(name="order", paths=("src/order/",), purpose="Orders | lines", line=12),
        Module(
            name="zoo", paths=("src/zoo/**", "src/old zoo/"), status="dormant", line=13
        ),
    )
    assert found.exclusions == ("legacy",)
    assert found.problems == ()


@pytest.mark.parametrize(
    ("cell", "paths"),
    [
        ("`src/order/`", ("src/order/",)),
        ("src/order", ("src/order",)),
        ("./src/order/", ("src/order/",)),
        ("`src/a/`, `src/b/**`", ("src/a/", "src/b/**")),
        ("`src/a/, src/b/`", ("src/a/", "src/b/")),
        ("src/a/<br>src/b/", ("src/a/", "src/b/")),
        ("`src/a/`、`src/a/`", ("src/a/",)),
        ("src\\a", ("src/a",)),
        ("", ()),
    ],
)
def test_a_code_path_is_one_or_several(cell: str, paths: tuple[str, ...]) -> None:
    assert registry.paths_of(cell) == paths


def test_columns_are_found_by_their_names_in_both_languages() -> None:
    text = "## 模块\n\n| 负责人 | 模块 | 状态 | 代码路径 |\n|-|-|-|-|\n| 张三 | order | 停用 | `a/` |\n"
    (module,) = registry.read(text.encode(), []).modules
    assert (module.name, module.paths, module.status) == ("order", ("a/",), "停用")
    added = composed(text, Module(name="b", paths=("b/",)))
    assert added.decode().splitlines()[-2] == "|  | b | active | `b/` |"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("../up", "'../up' cannot be a folder's name, so its row names no module"),
        ("nul", "'nul' cannot be a folder's name, so its row names no module"),
        ("Order", "Order and order are one folder on some systems: rename one of them"),
        ("order", "order stands in line 3 too: their code paths are united"),
    ],
)
def test_a_row_that_names_no_module_of_its_own_is_a_problem_and_stays(
    name: str, says: str
) -> None:
    text = f"| Module | Code Path |\n|-|-|\n| order | `a/` |\n| {name} | `b/` |\n"
    found = registry.read(text.encode(), [])
    assert found.names == {"order"}
    assert found.problems == ((4, says),)
    assert composed(text) == text.encode()


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            ".x",
            "a/b",
            "a\\b",
            "a:b",
            "a.",
            " a",
            "con",
            "COM1.x",
            "a\n",
            "a*",
            "-x",
        ),
        *("_index.md", "AGENTS.md", "node_modules", "progra~1", "\u202ea", "x" * 121),
    ],
)
def test_names_that_some_system_or_tool_takes_otherwise_are_no_names(name: str) -> None:
    assert not registry.is_name(name)


@pytest.mark.parametrize("name", ["order", "订单", "Größe", "a b", "v2.1", "_x", "a~b"])
def test_other_names_are(name: str) -> None:
    assert registry.is_name(name)


def test_a_folder_without_a_row_is_a_module_and_gets_one() -> None:
    found = registry.read(INDEX.encode(), ["order", "stray", ".git", "Zoo"])
    assert [(one.name, one.line) for one in found.modules][2:] == [("stray", 0)]
    data = registry.compose(INDEX.encode(), found, date=DATE, language="en")
    assert b"| stray |  |  | active |\n" in data


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_l070_l078_a_new_module_is_one_row_and_everything_else_stays(end: str) -> None:
    text = INDEX.replace("\n", end)
    made = composed(text, Module(name="pay", paths=("src/pay/",), purpose="A|B"))
    row = f"| pay | `src/pay/` | A\\|B | active |{end}"
    at = text.index("| [zoo]")
    expected = (text[:at] + row + text[at:]).replace("2026-04-01", DATE)
    assert made == expected.encode()
    assert composed(made, date="2030-01-01") == made


def test_g16_only_empty_cells_of_a_row_are_filled_and_a_status_changed() -> None:
    text = "## Modules\n\n| Module | Code Path | Purpose | Status |\n|-|-|-|-|\n| a |\n| b | `b/` | B | active\n"
    known = registry.read(text.encode(), [])
    first, second = known.modules
    known = known.replace(
        modules=(
            first.replace(paths=("a/",)),
            second.replace(status="dormant", purpose="other"),
        )
    )
    made = registry.compose(
        text.encode(), known, purposes={"a": "Why"}, date=DATE, language="en"
    )
    assert made.decode().splitlines()[-2:] == [
        "| a | `a/` | Why |",
        "| b | `b/` | B | dormant",
    ]


def test_g5_dependencies_are_added_by_source_target_and_type() -> None:
    known = (
        shared("zoo", "order", "en"),
        Dependency(source="Order", target="zoo", type="api CALL"),
    )
    made = composed(INDEX, dependencies=known)
    row = "| order | zoo | shared knowledge | entries name files of both |\n"
    line = "| order | zoo | API call | by hand\n"
    assert made.decode() == INDEX.replace(line, line + row).replace("2026-04-01", DATE)
    assert composed(made, dependencies=known) == made


def conflict(state: str = "pending_resolution", *, other: str = "zoo") -> Conflict:
    def side(target: str) -> Side:
        return Side(
            fact="e-0", target=target, says="1", recorded="", author="", status=""
        )

    return Conflict(
        id="c-01234567",
        aliases=(),
        kind="decision",
        topic="Timeout | limit",
        old=side("order"),
        new=side(other),
        order=(1, "", "", "", 0),
        state=state,
    )


def test_l034_conflicts_across_modules_stand_in_the_index_with_their_state() -> None:
    made = composed(INDEX, conflicts=[conflict()])
    section = (
        "## Cross-Module Conflicts\n\n| Conflict | Topic | Modules | State |\n"
        "|---|---|---|---|\n"
        "| c-01234567 | Timeout \\| limit | order, zoo | pending_resolution |\n\n"
    )
    at = INDEX.index("## Auto-Discovery")
    expected = (INDEX[:at] + section + INDEX[at:]).replace("2026-04-01", DATE)
    assert made.decode() == expected
    assert composed(made, conflicts=[conflict()], date="2030-01-01") == made
    ended = composed(made, conflicts=[conflict("resolved")])
    assert ended.decode() == expected.replace("pending_resolution", "resolved")


def test_l034_a_conflict_inside_one_module_does_not() -> None:
    assert composed(INDEX, conflicts=[conflict(other="order")]) == INDEX.encode()


def test_a_conflict_with_the_snapshot_names_it() -> None:
    made = composed(INDEX, conflicts=[conflict(other="")])
    assert b"| (snapshot), order |" in made


def test_a_new_index_is_read_as_it_was_written() -> None:
    made = composed(None, Module(name="b"), Module(name="a", paths=("src/a/",)))
    found = registry.read(made, [])
    assert [one.name for one in found.modules] == ["a", "b"]
    assert found.replace(modules=()) == Registry()
    assert f"> Last updated: {DATE}\n".encode() in made
    assert composed(made, date="2030-01-01") == made


def test_g20_a_module_has_its_knowledge_in_a_folder_of_its_name() -> None:
    where = places.of(layout.PATHS)
    assert where.target("order") == ".ai/repo/modules/order/knowledge.md"
    assert where.index == ".ai/repo/modules/_index.md"


_NAMES = st.sampled_from(["a", "b", "Bee", "订单", "z z"])


@given(st.lists(_NAMES, unique=True), st.integers(0, 5))
def test_the_order_in_which_modules_come_does_not_matter(
    names: list[str], at: int
) -> None:
    modules = [Module(name=name, paths=(f"src/{name}/",)) for name in names]
    at_once = composed(None, *modules)
    one_by_one = composed(composed(None, *modules[at:]), *modules[:at])
    assert one_by_one == at_once


@given(st.binary(max_size=60))
def test_any_bytes_are_read_and_kept(noise: bytes) -> None:
    data = noise + b"\n\n| Module | Code Path |\n|--|--|\n| a | `a/` |" + noise
    found = registry.read(data, ["b"])
    assert (
        registry.compose(data, registry.read(data, []), date=DATE, language="en")
        == data
    )
    made = registry.compose(data, found, date=DATE, language="en")
    assert tables.read(made) or not tables.read(data)
    for line in data.splitlines():
        assert line in made


CROSS = """# Cross-Refs: order

## Module Dependencies

| Target Module | Dependency Type | Description |
|-------------|----------------|-------------|
| (none yet) | | |

## Dependents

| Source Module | Dependency Type | Description |
|-------------|----------------|-------------|
| ledger | events | ours

## Notes

- Written by a person.
"""


def test_cross_refs_gain_rows_and_lose_only_the_row_that_says_none() -> None:
    known = [
        shared("order", "zoo", "en"),
        shared("a", "order", "en"),
        shared("x", "y", "en"),
    ]
    made = cross_refs.compose(
        CROSS.encode(), "order", dependencies=known, language="en"
    )
    expected = CROSS.replace(
        "| (none yet) | | |\n",
        "| zoo | shared knowledge | entries name files of both |\n",
    ).replace(
        "| ledger |",
        "| a | shared knowledge | entries name files of both |\n| ledger |",
    )
    assert made.decode() == expected
    again = cross_refs.compose(made, "order", dependencies=known, language="zh")
    assert again == made


def test_cross_refs_without_news_keep_their_bytes() -> None:
    data = CROSS.replace("\n", "\r\n").encode()
    assert cross_refs.compose(data, "order", dependencies=(), language="en") == data


def test_new_cross_refs_say_that_there_are_none_until_there_are() -> None:
    empty = cross_refs.compose(None, "a", dependencies=(), language="en")
    assert empty.count(b"| (none yet) |") == 2
    known = [shared("a", "b", "en")]
    assert cross_refs.compose(empty, "a", dependencies=known, language="en") == (
        cross_refs.compose(None, "a", dependencies=known, language="en")
    )


def entry(kind: str, title: str, recorded: str, *, is_over: bool = False) -> Entry:
    fact = Fact(
        kind=kind, title=title, recorded=recorded, sources=((f"{recorded}_x", "0"),)
    )
    order = (1, recorded, "", "", 0)
    end = Ending(
        word="Superseded", date="", author="", reason="", by="e-1", order=order
    )
    return Entry(target="order", facts=(fact,), ending=end if is_over else None)


PROGRESS = """# Progress: order

## Current State
- Last knowledge update: {{YYYY-MM-DD}}
- Knowledge items: {{count}} ({{decisions}} decisions, ...)
- Specs: 3 proposed, 1 implemented
- Owner: Ines

## Recent Activity
- 2026-03-01: wrote the first spec
- {{YYYY-MM-DD}}: {{what changed}}

## Open Questions
- Who pays?

## Ours
text
"""
TARGET = Target(
    name="order",
    entries=(
        entry("decision", "One queue", "2026-04-01"),
        entry("decision", "Two queues", "2026-04-03 10:00:00", is_over=True),
        entry("constraint", "At most five", "2026-04-02"),
        entry("glossary", "Order", ""),
    ),
)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_progress_counts_what_holds_and_lists_the_newest(end: str) -> None:
    made = progress.compose(PROGRESS.replace("\n", end).encode(), TARGET, language="en")
    expected = (
        PROGRESS.replace("update: {{YYYY-MM-DD}}", "update: 2026-04-03")
        .replace(
            "{{count}} ({{decisions}} decisions, ...)",
            "3 (1 decision, 1 constraint, 0 architecture)",
        )
        .replace(
            "- {{YYYY-MM-DD}}: {{what changed}}\n",
            "- 2026-04-03: [DECISION] Two queues\n"
            "- 2026-04-02: [CONSTRAINT] At most five\n"
            "- 2026-04-01: [DECISION] One queue\n",
        )
    )
    assert made.decode() == expected.replace("\n", end)
    assert progress.compose(made, TARGET, language="zh") == made


def test_progress_is_the_same_whatever_compiles_brought_the_entries() -> None:
    at_once = progress.compose(None, TARGET, language="en")
    data = None
    for count in range(1, 5):
        part = TARGET.replace(entries=TARGET.entries[:count])
        data = progress.compose(data, part, language="en")
    assert data == at_once


def test_progress_lists_ten_and_keeps_what_a_person_added() -> None:
    many = [
        entry("decision", f"Number {day}", f"2026-04-{day:02}") for day in range(1, 15)
    ]
    target = Target(name="order", entries=tuple(many[:11]))
    data = progress.compose(None, target, language="en")
    data = data.replace(b"## Recent Activity\n", b"## Recent Activity\n- by hand\n")
    data = progress.compose(data, target.replace(entries=tuple(many)), language="en")
    lines = data.decode().split("## Recent Activity\n")[1].split("\n\n")[0].split("\n")
    assert lines[0] == "- by hand"
    assert lines[1].endswith("Number 14")
    assert lines[-1].endswith("Number 5")
    assert len(lines) == 11
