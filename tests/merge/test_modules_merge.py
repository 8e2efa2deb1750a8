"""`_index.md`, cross-refs and progress: rows by name, cells by rule, lists united."""

from __future__ import annotations

import itertools

import pytest

from afterword.merge.modules import of_cross_refs, of_index, of_progress

from .building import edit, joined, swapped, united

BASE = b"""# Module Index

> Last updated: 2026-11-01

## Modules

| Module | Code Path | Purpose | Status |
|---|---|---|---|
| order | `src/order/` | Orders | active |

## Cross-Module Dependencies

| Source | Target | Dependency Type | Description |
|---|---|---|---|
| (none yet) | | | |

## Auto-Discovery Config

### Discovery patterns
- Python: `*views.py`

### Exclusions
- `test`
"""
ORDER = "| order | `src/order/` | Orders | active |\n"
NONE = "| (none yet) | | | |\n"


def row(name: str, status: str = "active", purpose: str = "What it is for") -> str:
    return f"| {name} | `src/{name}/` | {purpose} | {status} |\n"


def added(*names: str, date: str = "2026-11-02", base: bytes = BASE) -> bytes:
    data = edit(base, "2026-11-01", date)
    return edit(data, ORDER, "".join(sorted([ORDER, *map(row, names)])))


def test_modules_that_both_found_stand_by_name_with_the_later_date():
    ours, theirs = added("pay", "zoo"), added("auth", "pay", date="2026-11-05")
    wanted = added("auth", "pay", "zoo", date="2026-11-05")
    assert united(of_index, BASE, ours, theirs) == wanted
    assert united(of_index, b"", ours, theirs) == wanted


def test_any_order_of_merges_has_one_result():
    versions = [added("pay"), added("auth", "pay"), added("a", "zoo")]
    results = set()
    for one, two, three in itertools.permutations(versions):
        results.add(united(of_index, BASE, united(of_index, BASE, one, two), three))
    assert results == {added("a", "auth", "pay", "zoo")}


def test_code_paths_are_united_and_of_two_purposes_one_stands():
    ours = edit(BASE, "`src/order/` | Orders", "`src/order/`, `src/b/` | Selling")
    theirs = edit(BASE, "`src/order/` | Orders", "`src/order/`, `src/a/` | Buying")
    found = united(of_index, BASE, ours, theirs)
    wanted = "`src/a/`, `src/b/`, `src/order/` | Buying"
    assert found == edit(BASE, "`src/order/` | Orders", wanted)


def test_two_states_of_a_module_are_a_conflict_in_its_row():
    ours = edit(BASE, "active", "dormant")
    found = joined(
        of_index,
        BASE,
        edit(ours, "`test`", "`testing`"),
        edit(BASE, "active", "removed"),
    )
    assert found.conflicts == ("order",)
    lines = [ORDER.replace("active", state) for state in ("dormant", "removed")]
    text = found.data.decode()
    assert f"<<<<<<< ours\n{lines[0]}=======\n{lines[1]}>>>>>>> theirs\n" in text
    assert "- `testing`\n" in text
    assert found.data.count(b"<<<<<<<") == 1


def test_one_state_changed_is_taken():
    ours = added("pay")
    theirs = edit(BASE, "active", "dormant")
    found = united(of_index, BASE, ours, theirs)
    assert ORDER.replace("active", "dormant") in found.decode()


def test_dependencies_are_told_by_source_target_and_type():
    calls = "| order | pay | calls | pays |\n"
    events = "| order | pay | events | tells |\n"
    ours, theirs = edit(BASE, NONE, calls), edit(BASE, NONE, events)
    wanted = edit(BASE, NONE, calls + events)
    assert united(of_index, BASE, ours, theirs) == wanted
    assert united(of_index, b"", BASE, theirs) == theirs


def test_conflicts_between_modules_are_generated_and_never_contradict():
    head = (
        "\n## Cross-Module Conflicts\n\n| Conflict | Modules | State |\n|---|---|---|\n"
    )

    def with_state(state: str) -> bytes:
        return BASE + f"{head}| Timeout | order, pay | {state} |\n".encode()

    sides = with_state("pending_resolution"), with_state("resolved 2026-11-03 by Ines")
    assert united(of_index, BASE, *sides) == sides[1]


def test_lists_of_the_discovery_are_united():
    ours = edit(BASE, "- `test`\n", "- `test`\n- `vendor`\n")
    theirs = edit(BASE, "- `test`\n", "- `test`\n- `gen`\n")
    wanted = edit(BASE, "- `test`\n", "- `test`\n- `gen`\n- `vendor`\n")
    assert united(of_index, BASE, ours, theirs) == wanted


CROSS = b"""# Cross references: order

## Module Dependencies

| Target Module | Dependency Type | Description |
|---|---|---|
| (none yet) | | |

## Dependents

| Source Module | Dependency Type | Description |
|---|---|---|
| (none yet) | | |

## Notes

By hand.
"""


def test_cross_refs_of_both_stay_in_their_tables():
    target = edit(
        CROSS,
        "|---|---|---|\n| (none yet) | | |\n\n## Dep",
        "|---|---|---|\n| pay | calls | x |\n\n## Dep",
    )
    source = edit(
        CROSS, "| (none yet) | | |\n\n## Notes", "| web | calls | y |\n\n## Notes"
    )
    found = united(of_cross_refs, CROSS, target, source)
    assert b"| pay | calls | x |\n\n## Dependents" in found
    assert b"| web | calls | y |\n\n## Notes" in found
    assert b"none yet" not in found


def test_two_descriptions_of_one_dependency_are_a_conflict():
    sides = [
        edit(
            CROSS,
            "| (none yet) | | |\n\n## Notes",
            f"| web | calls | {text} |\n\n## Notes",
        )
        for text in ("one", "two")
    ]
    assert joined(of_cross_refs, CROSS, *sides).conflicts == ("web / calls",)


PROGRESS = b"""# Progress: order

## Current State
- Last knowledge update: 2026-11-01
- Knowledge items: 3 (2 decisions, 1 constraints, 0 architecture)
- Specs: 0 proposed, 0 implemented

## Recent Activity
- 2026-11-01: 3 new entries

## Open Questions
- Who owns refunds?
"""


def worked(day: int, items: int) -> bytes:
    data = edit(PROGRESS, "update: 2026-11-01", f"update: 2026-11-{day:02d}")
    data = edit(data, "items: 3", f"items: {items}")
    return edit(
        data,
        "## Recent Activity\n",
        f"## Recent Activity\n- 2026-11-{day:02d}: {items - 3} new entries\n",
    )


def test_counts_never_contradict_and_activity_is_united():
    found = united(of_progress, PROGRESS, worked(2, 4), worked(9, 10))
    text = found.decode()
    assert "update: 2026-11-09\n- Knowledge items: 10 (2" in text
    assert "- 2026-11-02: 1 new entries\n" in text
    assert "- 2026-11-09: 7 new entries\n" in text


@pytest.mark.parametrize("merge", [of_index, of_cross_refs, of_progress])
@pytest.mark.parametrize(
    "base", [BASE, CROSS, PROGRESS, b"", b"\xff| a |\n|---|\n| b |"]
)
def test_any_bytes_never_raise(merge, base):
    sides = base + b"\xfe\xff| x |\n", b"| \xff |\n" + base
    one, other = merge(base, *sides), merge(base, *reversed(sides))
    assert (one is None) == (other is None)
    assert one is None or one.data == swapped(other.data)


def test_what_only_says_none_goes_when_something_is_there():
    none = PROGRESS.replace(b"- Who owns refunds?", b"- (none yet)")
    none = none.replace(b"- 2026-11-01: 3 new entries", b"- (none yet)")
    none = none.replace(b"update: 2026-11-01", b"update: -")
    ours = edit(none, "update: -", "update: 2026-11-02")
    ours = edit(ours, "Activity\n- (none yet)", "Activity\n- 2026-11-02: [DECISION] A")
    theirs = edit(none, "update: -", "update: 2026-11-03")
    theirs = edit(
        theirs, "Activity\n- (none yet)", "Activity\n- 2026-11-03: [DECISION] B"
    )
    for before in (none, b""):
        text = united(of_progress, before, ours, theirs).decode()
        assert "- Last knowledge update: 2026-11-03\n" in text
        assert "- 2026-11-03: [DECISION] B\n- 2026-11-02: [DECISION] A\n\n" in text
        assert text.endswith("## Open Questions\n- (none yet)\n")


def test_states_that_contradict_are_shown_whatever_the_base():
    for before in (BASE, b""):
        sides = [edit(BASE, "active", state) for state in ("dormant", "removed")]
        assert joined(of_index, before, *sides).conflicts == ("order",)
