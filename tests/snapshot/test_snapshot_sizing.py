"""The limit of lines, and what leaves a target's file for its history.

L071-L074, G12-G15: under the limit, or as near as what ended allows; nothing vanishes.
"""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from snapshot_drawn import LISTS, fact_of, target

from afterword.snapshot import composing, document, sizing, words
from afterword.snapshot.fact import Fact, Supersedes, order
from afterword.snapshot.sizing import Sized

DATE = "2026-11-30"


def divided(
    facts: list[Fact],
    before: Sized | None = None,
    *,
    max_lines: int = 200,
    language: str = "en",
) -> Sized:
    """One run: what the files hold and the facts given, folded and divided."""
    data, older = (before.data, before.history) if before else (None, None)
    known = (*document.facts(data or b""), *document.facts(older or b""))
    return sizing.divide(
        data,
        older,
        target([*known, *facts]),
        max_lines=max_lines,
        date=DATE,
        language=language,
    )


def ids(sized: Sized) -> set[str]:
    """Every fact that the file or its history holds."""
    found = (*document.facts(sized.data), *document.facts(sized.history or b""))
    return {fact.id for fact in found}


def superseded(count: int) -> list[Fact]:
    """A chain of decisions, each of which replaces the one before."""
    return [
        fact_of(
            f"Way number {number}",
            "- why",
            recorded=f"2026-05-{number + 1:02}",
            supersedes=(Supersedes(f"Way number {number - 1}", "slow"),) * bool(number),
            sources=((f"2026-05-{number + 1:02}_way", "0123456789ab"),),
        )
        for number in range(count)
    ]


@settings(max_examples=300, deadline=None)
@given(LISTS, LISTS, st.integers(10, 60))
def test_no_fact_ever_leaves_file_and_history(
    first: list[Fact], second: list[Fact], max_lines: int
) -> None:
    """L074: whatever arrives later, every id stays in the file or its history."""
    one = divided(first, max_lines=max_lines)
    assert ids(one) == {fact.id for fact in first}
    two = divided(second, one, max_lines=max_lines)
    assert ids(two) == {fact.id for fact in (*first, *second)}


@settings(max_examples=200, deadline=None)
@given(LISTS, st.integers(10, 60))
def test_a_second_run_without_news_changes_neither_file(
    facts: list[Fact], max_lines: int
) -> None:
    """G15: the history is idempotent, and so is the file beside it."""
    one = divided(facts, max_lines=max_lines)
    two = divided([], one, max_lines=max_lines)
    assert (two.data, two.history) == (one.data, one.history)
    assert two.moved == 0


@settings(max_examples=200, deadline=None)
@given(LISTS, st.lists(st.integers(0, 8), max_size=3), st.integers(10, 60))
def test_runs_that_keep_the_order_end_as_one_run_of_all(
    facts: list[Fact], cuts: list[int], max_lines: int
) -> None:
    """The prefix law: what moves is a prefix of what ended, however the facts arrive."""
    settled = sorted(
        (one for one in facts if one.confidence != words.LOW and not one.withdrawn),
        key=order,
    )
    once = divided(settled, max_lines=max_lines)
    bounds = [0, *sorted(min(cut, len(settled)) for cut in cuts), len(settled)]
    sized: Sized | None = None
    for start, end in itertools.pairwise(bounds):
        sized = divided(settled[start:end], sized, max_lines=max_lines)
    assert sized is not None
    assert (sized.data, sized.history) == (once.data, once.history)


def lines_of(facts: list[Fact]) -> int:
    return len(composing.compose(None, target(facts), date=DATE).splitlines())


@pytest.mark.parametrize(
    ("short_of", "moved"),
    [(-2, 0), (-1, 0), (0, 1), (1, 1)],
    ids=["198", "199", "200", "201"],
)
def test_g12_l071_a_file_is_to_have_fewer_lines_than_the_limit(
    short_of: int, moved: int
) -> None:
    """199 of 200 are in order, 200 are one too many."""
    facts = superseded(3)
    size = lines_of(facts)
    facts[-1] = facts[-1].replaced(body=("- a line",) * (200 + short_of - size + 1))
    assert lines_of(facts) == 200 + short_of
    sized = divided(facts)
    assert sized.moved == moved
    assert sized.lines == len(sized.data.splitlines()) < 200
    assert sized.warning == ""


def test_l072_l073_what_ended_first_leaves_first_and_only_as_much_as_must() -> None:
    """10.6: superseded decisions by the date of their ending, no more than needed."""
    facts = superseded(5)
    sized = divided(facts, max_lines=lines_of(facts) - 2)
    assert sized.moved == 1
    assert b"### Way number 0" not in sized.data
    assert b"### Way number 1\n" in sized.data
    assert sized.history is not None
    assert b"### Way number 0\n- why\n- Superseded: 2026-05-02 by Ines" in sized.history
    assert b"> History: 1 older entries in archive/decisions-history.md\n" in sized.data


def test_g14_l074_the_history_keeps_blocks_as_they_stood_by_date() -> None:
    facts = superseded(4)
    whole = composing.compose(None, target(facts), date=DATE)
    sized = divided(facts, max_lines=12)
    assert sized.history is not None
    text = sized.history.decode()
    assert text.startswith("# Decisions history\n\n## 2026-05-02\n\n### Way number 0\n")
    heads = [line for line in text.splitlines() if line.startswith("## ")]
    assert heads == ["## 2026-05-02", "## 2026-05-03", "## 2026-05-04"]
    for block in text.split("\n## ")[1:]:
        assert block.split("\n\n", 1)[1].strip() in whole.decode()


def test_the_history_of_a_chinese_tree_has_a_chinese_title() -> None:
    sized = divided(superseded(4), max_lines=20, language="zh")
    assert sized.history is not None
    assert sized.history.decode().startswith("# 决策历史\n")


def test_g13_what_holds_never_moves_and_the_size_is_said() -> None:
    """G13: nothing is dropped; a warning says the size, and the run goes on."""
    facts = [fact_of(f"Rule {number}") for number in range(20)]
    sized = divided(facts, max_lines=30)
    assert (sized.moved, sized.history) == (0, None)
    assert sized.warning == (
        f"snapshot: {sized.lines} lines, not under 30 (snapshot.max_lines), and nothing "
        "in it that could move to the history"
    )
    assert ids(sized) == {fact.id for fact in facts}


def test_l048_l045_resolved_constraints_and_conflicts_leave_too() -> None:
    """10.6: one order of endings for superseded decisions, constraints, conflicts."""
    old = fact_of("No calls at night", kind=words.CONSTRAINT, recorded="2026-04-01")
    done = fact_of(
        "Calls at night are fine", resolves="No calls at night", recorded="2026-05-02"
    )
    sides = [
        fact_of("Timeout", key="a.b", value=value, recorded=f"2026-04-0{day}")
        for day, value in ((2, "3 s"), (3, "5 s"))
    ]
    decided = fact_of(
        "[CONFLICT] Timeout",
        "- reason: asked them",
        resolves="Timeout",
        keep="new",
        status=words.VERIFIED,
        recorded="2026-05-03",
    )
    facts = [old, done, *sides, decided]
    sized = divided(facts, max_lines=10)
    assert sized.history is not None
    text = sized.history.decode()
    assert "- Resolved: 2026-05-02 by Ines - Calls at night are fine" in text
    assert "### [CONFLICT] Timeout" in text
    assert "- 状态: resolved 2026-05-03 by Ines" in text
    assert "- Superseded: 2026-05-03" in text
    assert "Conflict Log" not in sized.data.decode()
    assert ids(sized) == {fact.id for fact in facts}
    again = divided([], sized, max_lines=10)
    assert (again.data, again.history) == (sized.data, sized.history)


def test_a_pending_conflict_never_leaves() -> None:
    """10.6: what a person must decide stays in sight."""
    sides = [
        fact_of("Timeout", key="a.b", value=value, recorded=f"2026-04-0{day}")
        for day, value in ((2, "3 s"), (3, "5 s"))
    ]
    sized = divided(sides, max_lines=5)
    assert sized.moved == 0
    assert b"### [CONFLICT] Timeout" in sized.data


def test_a_conflict_that_is_opened_again_comes_back_from_the_history() -> None:
    """G11: two decisions that differ reopen it, wherever its block went."""
    sides = [
        fact_of("Timeout", key="a.b", value=value, recorded=f"2026-04-0{day}")
        for day, value in ((2, "3 s"), (3, "5 s"))
    ]
    decided = [
        fact_of(
            f"[CONFLICT] Timeout {keep}",
            "- reason: asked them",
            resolves="Timeout",
            keep=keep,
            status=words.VERIFIED,
            recorded=f"2026-05-0{day}",
        )
        for day, keep in ((3, "new"), (4, "old"))
    ]
    first = divided([*sides, decided[0]], max_lines=10)
    assert first.history is not None
    assert b"[CONFLICT]" in first.history
    second = divided([decided[1]], first, max_lines=10)
    assert second.history is not None
    assert b"[CONFLICT] Timeout\n- Snapshot" in second.data
    assert b"[CONFLICT] Timeout\n- Snapshot" not in second.history
    assert second.data.count(b"- \xe5\xa4\x84\xe7\x90\x86: kept") == 2


def test_an_entry_in_the_history_learns_of_another_source() -> None:
    """An increment that says again what ended long ago is compiled all the same."""
    facts = superseded(4)
    first = divided(facts, max_lines=20)
    again = facts[0].replaced(sources=(("2026-06-01_again", "ba9876543210"),))
    second = divided([again], first, max_lines=20)
    assert second.history is not None
    assert b"2026-06-01_again" in second.history
    assert b"2026-06-01_again" not in second.data
    assert second.history.count(b"### Way number 0") == 1


def test_text_of_persons_in_the_history_stays() -> None:
    """G15: a history that another system or a person began is only added to."""
    before = b"# Old decisions\r\n\r\n## 2026-01-01\r\n\r\n### Long ago\r\n- it was\r\n"
    sized = sizing.divide(None, before, target(superseded(4)), max_lines=20, date=DATE)
    assert sized.history is not None
    assert sized.history.startswith(before)
    assert b"\n" not in sized.history.replace(b"\r\n", b"")


def test_adopted_text_that_says_it_ended_can_leave_with_metadata() -> None:
    """L044, L074: a superseded entry of the older system is history like any other."""
    before = (
        "# AI Context Snapshot\n\n## Key Decisions\n\n### Old way (2026-01-01)\n- why\n"
        "- Superseded: 2026-02-01 by Tomas — too slow\n\n### New way (2026-02-01)\n- so\n"
    ).encode()
    facts = list(document.facts(before))
    sized = sizing.divide(before, None, target(facts), max_lines=12, date=DATE)
    assert sized.history is not None
    text = sized.history.decode()
    assert "## 2026-02-01\n\n### Old way (2026-01-01)\n- why\n- Superseded: " in text
    assert "Old way" not in sized.data.decode()
    assert ids(sized) == {fact.id for fact in facts}
