"""The report of a compile: the exact lines of spec/snapshot.md 10.8, and its JSON (L082-L090)."""

from __future__ import annotations

import pytest

from afterword.snapshot import report, words
from afterword.snapshot.folded import Overlap
from afterword.snapshot.report import Report

FULL = Report(
    modules=2,
    sections=("Architecture", "Key Decisions", "Constraints"),
    added={"decision": 2, "constraint": 1},
    module_changes={"payment": {"constraint": 1}, "order": {"decision": 1}, "zoo": {}},
    conflicts=("Payment timeout",),
    low=1,
    archived=(3, 2),
    sizes={"": 145, "payment": 67, "order": 98},
    stems=("2026-04-23_a",),
    warnings=("w",),
    problems=("p:1: x",),
)


def test_l082_l083_l084_l085_l086_l087_l088_l089_l090_the_lines_are_the_seeds() -> None:
    assert list(FULL.lines()) == [
        "Snapshot compiled:",
        "- Mode: modular (2 modules)",
        "- Updated sections: Architecture, Key Decisions, Constraints",
        "- New knowledge: +2 decisions, +1 constraint",
        "- Module changes: order +1 decision, payment +1 constraint, zoo updated",
        "- Conflicts: 1 pending_resolution (Payment timeout)",
        "- Low confidence: 1 item pending verification",
        "- Archived: 3 global increments, 2 module increments",
        "- Snapshot size: 145 lines (global), 98 (order), 67 (payment)",
    ]


def test_l082_counts_of_zero_are_printed_and_empty_lists_are_none() -> None:
    assert list(Report(sizes={"": 1}).lines()) == [
        "Snapshot compiled:",
        "- Mode: legacy (single-file)",
        "- Updated sections: none",
        "- New knowledge: none",
        "- Module changes: none",
        "- Conflicts: 0 pending_resolution",
        "- Low confidence: 0 items pending verification",
        "- Archived: 0 global increments, 0 module increments",
        "- Snapshot size: 1 line (global)",
    ]


@pytest.mark.parametrize("kind", words.TYPES)
def test_l085_every_type_has_a_name_for_one_and_for_several(kind: str) -> None:
    one, several = report.NOUNS[kind]
    assert Report(added={kind: 1}).news == f"+1 {one}"
    assert Report(added={kind: 2}).news == f"+2 {several}"


def test_l085_kinds_stand_in_the_order_of_the_sections() -> None:
    added = dict.fromkeys(reversed(words.TYPES), 1)
    assert Report(added=added).news == ", ".join(
        f"+1 {report.NOUNS[kind][0]}" for kind in words.TYPES
    )


def test_l087_many_conflicts_are_counted_and_not_all_named() -> None:
    line = next(
        one
        for one in Report(conflicts=tuple(f"t{n}" for n in range(23))).lines()
        if one.startswith("- Conflicts")
    )
    assert line.startswith("- Conflicts: 23 pending_resolution (t0, t1, ")
    assert line.endswith("t19, 3 more)")


def test_overlaps_stand_below_the_report() -> None:
    overlaps = (
        Overlap(target="", kind="decision", one="A", other="B", why="same topic"),
        Overlap(target="order", kind="decision", one="C", other="D", why="one word"),
    )
    assert list(Report(overlaps=overlaps).lines())[-4:] == [
        "",
        "## Possible Overlaps",
        "- A / B (same topic)",
        "- order: C / D (one word)",
    ]


def test_l082_json_mirrors_the_lines() -> None:
    assert FULL.json() == {
        "mode": "modular",
        "modules": 2,
        "updated_sections": ["Architecture", "Key Decisions", "Constraints"],
        "new_knowledge": {"decision": 2, "constraint": 1},
        "module_changes": {
            "order": {"decision": 1},
            "payment": {"constraint": 1},
            "zoo": {},
        },
        "conflicts": {"pending_resolution": 1, "titles": ["Payment timeout"]},
        "low_confidence": 1,
        "archived": {"global": 3, "module": 2},
        "snapshot_size": {"global": 145, "modules": {"order": 98, "payment": 67}},
        "increments": ["2026-04-23_a"],
        "overlaps": [],
        "warnings": ["w"],
        "problems": ["p:1: x"],
    }
    assert Report().json()["mode"] == "legacy"
