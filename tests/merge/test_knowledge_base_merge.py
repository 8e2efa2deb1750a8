"""Two versions of a knowledge base and their ancestor, row by row; and of its entry files."""

from __future__ import annotations

import functools

import pytest

from afterword.evolution import entry, knowledge_base, queue
from afterword.merge import knowledge_base as base_merge
from afterword.merge import record
from afterword.merge.laws import Merged

from .building import edit, joined, real, united

TABLE = (
    "| ID | Title | Category | Confidence | Created | Status |\n"
    "|----|-------|----------|------------|---------|--------|\n"
)


def row(name: str, title: str = "T", category: str = "workflow", **more: str) -> str:
    confidence = more.get("confidence", "0.5")
    return f"| {name} | {title} | {category} | {confidence} | 2026-11-01 | active |\n"


def base_of(*rows: str, head: str = "", tail: str = "") -> bytes:
    return (
        f"{head}# Knowledge base\n\n## Index\n\n{TABLE}{''.join(rows)}{tail}".encode()
    )


merged = functools.partial(joined, base_merge.merge)
clean = functools.partial(united, base_merge.merge)


def ids(data: bytes) -> list[str]:
    return [one.id for one in knowledge_base.read(data).entries]


OLD = row("k-001")
OWN = [row(f"k-0000000{digit}") for digit in range(4)]


@pytest.mark.parametrize(
    "before", [base_of(OLD), base_of(), b""], ids=["base", "other", "none"]
)
def test_rows_of_the_program_stand_sorted_behind_those_of_people(before):
    ours, theirs = base_of(OLD, OWN[2], OWN[0]), base_of(OWN[1], OLD, OWN[3])
    assert clean(before, ours, theirs) == base_of(OLD, *OWN)


def test_k1_rows_of_people_keep_their_order_and_none_is_lost():
    """The index starts with 039, 040, 041 (TRUTH); both sides add a row at its end."""
    base = real("knowledge_base.2026-02-28")
    last = "| k-062 |"
    line = next(one for one in base.decode().splitlines(True) if one.startswith(last))
    ours, theirs = (edit(base, line, line + row(name)) for name in ("k-064", "k-063"))
    found = clean(base, ours, theirs)
    assert found == edit(base, line, line + row("k-063") + row("k-064"))
    assert ids(found)[:4] == ["k-039", "k-040", "k-041", "k-001"]


def test_two_clones_that_evolve_one_item_write_one_row_and_one_entry():
    raw = (
        b"### LQ-001-1a2b3c: Retry three times\n- Priority: P1\n- Source: error\n"
        b"- Status: %b\n- Added: 2026-11-01\n- Content: not more\n"
    )
    made = []
    for state, other in (
        (b"pending", row("k-0000000a")),
        (b"processing", row("k-00000001")),
    ):
        (item,) = queue.read(raw % state).items
        one = entry.of_item(item, item.raw)
        made.append((knowledge_base.add_row(base_of(other), one.row, "en"), one))
    assert made[0][1] == made[1][1]
    found = clean(base_of(), *(data for data, _ in made))
    assert ids(found) == ["k-00000001", "k-0000000a", made[0][1].id]


def test_a_base_made_on_two_clones_is_one_base():
    made = [
        knowledge_base.add_row(
            None,
            knowledge_base.Entry(
                id=name,
                title="T",
                category="workflow",
                confidence=0.5,
                created="2026-11-01",
                status="active",
                line=0,
            ),
            "en",
        )
        for name in ("k-0000000b", "k-0000000a")
    ]
    found = clean(b"", *made)
    assert ids(found) == ["k-0000000a", "k-0000000b"]
    assert len(found) == len(made[0]) + len(made[0].splitlines()[-1]) + 1


def test_cells_that_one_side_changed_are_taken_from_both():
    base = base_of(row("k-001"), row("k-002"))
    ours = base_of(row("k-001", title="New"), row("k-002"))
    theirs = base_of(row("k-001", confidence="0.9"), row("k-002"))
    found = clean(base, ours, theirs)
    assert found == base_of(row("k-001", "New", confidence="0.9"), row("k-002"))


def test_one_cell_in_two_texts_is_a_conflict_of_that_row():
    base = base_of(row("k-001"), row("k-002"), row("k-003"))
    sides = [
        base_of(row("k-001"), row("k-002", title), row("k-003"), row(f"k-00{at}"))
        for at, title in ((4, "One"), (5, "Two"))
    ]
    found = merged(base, *sides)
    assert found.conflicts == ("k-002",)
    rows = [row("k-002", "One"), "=======\n", row("k-002", "Two")]
    wanted = ["<<<<<<< ours\n", *rows, ">>>>>>> theirs\n"]
    assert found.data == base_of(
        row("k-001"), *wanted, row("k-003"), row("k-004"), row("k-005")
    )


def test_k3_pipes_in_a_title_and_glued_rows_keep_their_bytes():
    odd = "| k-002 | a \\| b `|` c | workflow | 0.5 | 2026-11-01 | active |\n"
    glued = "| k-063 | A | w | 0.9 | 2026-03-01 | active || k-064 | B | w | 0.9 | 2026-03-01 | active |\n"
    base = base_of(odd, glued, OLD)
    ours, theirs = (
        base_of(odd, glued, line) for line in (OLD + OWN[0], OLD.replace("T", "U"))
    )
    assert clean(base, ours, theirs) == base_of(
        odd, glued, OLD.replace("T", "U") + OWN[0]
    )


def test_an_id_with_two_meanings_is_told_apart_by_its_content():
    """K007 exists twice (spec/evolution.md 1.5)."""
    twice = [row("k-007", "one"), row("k-007", "other")]
    base = base_of(*twice)
    ours = base_of(twice[0], row("k-007", "other", "tooling"))
    found = clean(base, ours, base_of(*twice, OWN[0]))
    assert found == base_of(twice[0], row("k-007", "other", "tooling"), OWN[0])


COUNTS = "\n## Counts\n\n| Category | Count |\n|---|---|\n| workflow | {} |\n| tooling | {} |\n"
FRONT = "---\nversion: 1.0\nlast_updated: {}\nentries: {}\n---\n\n"


def counted(day: str, number: int, counts: tuple[int, int], *rows: str) -> bytes:
    return base_of(*rows, head=FRONT.format(day, number), tail=COUNTS.format(*counts))


def test_numbers_that_both_sides_changed_are_counted_anew():
    base = counted("2026-11-01", 1, (1, 0), OLD)
    ours = counted("2026-11-03", 2, (2, 0), OLD, row("k-002"))
    theirs = counted(
        "2026-11-02", 3, (2, 1), OLD, row("k-003"), row("k-004", "T", "tooling")
    )
    rows = [OLD, row("k-002"), row("k-003"), row("k-004", "T", "tooling")]
    assert clean(base, ours, theirs) == counted("2026-11-03", 4, (3, 1), *rows)


def test_a_number_that_one_side_keeps_is_that_side_s():
    """The file's own numbers are wrong most of the time: never trusted, and never touched."""
    base = counted("2026-11-01", 59, (7, 8), OLD)
    ours = counted("2026-11-01", 60, (8, 8), OLD, row("k-002"))
    theirs = counted("2026-11-01", 59, (7, 8), OLD, row("k-003"))
    rows = [OLD, row("k-002"), row("k-003")]
    assert clean(base, ours, theirs) == counted("2026-11-01", 60, (8, 8), *rows)


def test_numbers_are_counted_beside_a_conflict():
    base = counted("2026-11-01", 1, (1, 0), OLD)
    sides = [
        counted("2026-11-01", 2, (2, 0), row("k-001", word), row(name))
        for word, name in (("One", "k-002"), ("Two", "k-003"))
    ]
    found = merged(base, *sides)
    assert found.conflicts == ("k-001",)
    assert b"entries: 3\n" in found.data and b"| workflow | 3 |" in found.data


def test_other_front_matter_that_both_changed_is_shown():
    base = base_of(OLD, head="---\ndescription: a\n---\n\n")
    sides = [edit(base, "description: a", f"description: {word}") for word in "bc"]
    found = merged(base, *sides)
    assert found.conflicts == ("the text on top: description",)
    assert found.data.startswith(b"---\n<<<<<<< ours\ndescription: b\n=======\n")


def test_entries_that_are_sections_are_merged_field_by_field():
    base = real("knowledge_base.2026-03-09")
    ours = base.replace("**置信度**: 95%".encode(), "**置信度**: 96%".encode(), 1)
    new = "\n### KB-012: New\n**置信度**: 50%\n"
    theirs = edit(base, "### KB-001: Skill", "### KB-001: The skill") + new.encode()
    found = clean(base, ours, theirs)
    assert len(ids(found)) == 12
    assert (
        "### KB-001: The skill Frontmatter 必需字段\n**置信度**: 96%\n"
        in found.decode()
    )
    clash = base.replace("**置信度**: 95%".encode(), "**置信度**: 90%".encode(), 1)
    marked = merged(base, ours, clash)
    assert marked.conflicts == ("KB-001: 置信度",)


def test_sections_and_text_are_merged_by_lines():
    base = real("knowledge_base.2026-02-28")
    ours = edit(base, "- flutter: 10\n", "- flutter: 11\n")
    theirs = edit(base, "- documentation: 1\n", "- documentation: 2\n")
    assert clean(base, ours, theirs) == edit(
        theirs, "- flutter: 10\n", "- flutter: 11\n"
    )


def test_a_row_that_was_changed_keeps_the_table_that_the_other_side_took_away():
    base = base_of(OLD, tail=COUNTS.format(1, 0))
    theirs = base_of(OLD, tail=COUNTS.format(1, 7))
    found = clean(base, base_of(OLD, OWN[0]), theirs)
    left = COUNTS.format(1, 7).replace("| workflow | 1 |\n", "")
    assert found == base_of(OLD, OWN[0], tail=left)
    gone = clean(base, base_of(OLD), base_of(OLD, OWN[1], tail=COUNTS.format(1, 0)))
    assert gone == base_of(OLD, OWN[1])


@pytest.mark.parametrize("ending", [b"\r\n", b"\n"], ids=["crlf", "lf"])
@pytest.mark.parametrize("final", [True, False], ids=["final", "no final"])
def test_line_ends_and_the_end_of_the_file_stay(ending, final):
    def whole(*rows: str) -> bytes:
        data = base_of(*rows).rstrip(b"\n") + b"\n" * final
        return data.replace(b"\n", ending)

    found = clean(whole(OLD), whole(OLD, OWN[0]), whole(OLD, OWN[1]))
    assert found == whole(OLD, OWN[0], OWN[1])


ENTRY = """---
id: k-1f2e3d4c
title: "Retry"
category: workflow
confidence: 0.5
created: 2026-11-02
references:
  - LQ-001-1a2b3c
---

- Content: text
"""


def test_an_entry_is_merged_as_a_record_is():
    base = ENTRY.encode()
    ours = edit(base, "  - LQ-001-1a2b3c\n", "  - LQ-001-1a2b3c\n  - LQ-009\n")
    theirs = edit(base, "  - LQ-001-1a2b3c\n", "  - LQ-001-1a2b3c\n  - LQ-007\n")
    theirs = edit(theirs, "confidence: 0.5", "confidence: 0.9")
    found = record.merge(base, ours, theirs)
    assert found is not None and found.conflicts == ()
    assert entry.references(found.data) == ("LQ-001-1a2b3c", "LQ-007", "LQ-009")
    assert b"confidence: 0.9\n" in found.data
    dates = [base.replace(b"2026-11-02", day) for day in (b"2026-11-01", b"2026-11-03")]
    assert record.merge(base, *dates) == Merged(data=dates[0])
    texts = [edit(base, "text", word) for word in ("one", "two")]
    clash = record.merge(base, *texts)
    assert clash is not None and clash.conflicts == ("body",)
