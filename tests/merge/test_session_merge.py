"""One episode that was closed twice: lists united, the later closing tells the rest."""

from __future__ import annotations

import pytest

from afterword.merge import session
from afterword.merge.laws import Merged

from .building import (
    SHA,
    answered,
    asked,
    decided,
    edit,
    entry,
    fields,
    finished,
    started,
    swapped,
)
from .building import session as record

NINE, TEN, NOON = (f"2026-11-02T{hour}:00:00.000Z" for hour in ("09", "10", "12"))
BASE = record(NINE, [decided("Tabs are refused")])


def merge(before: bytes, ours: bytes, theirs: bytes) -> Merged:
    found, other = (
        session.merge(before, *sides) for sides in ((ours, theirs), (theirs, ours))
    )
    assert found is not None and other is not None
    assert other.data == swapped(found.data)
    return found


def clean(before: bytes, ours: bytes, theirs: bytes) -> bytes:
    found = merge(before, ours, theirs)
    assert found.conflicts == (), found.data.decode()
    return found.data


@pytest.mark.parametrize("before", [b"", BASE], ids=["add and add", "closed before"])
def test_a_projection_that_goes_on_from_the_other_is_taken_as_it_is(before):
    """Closed on one branch, resumed and closed again on another: the same ledger, longer."""
    early = [decided("Tabs are refused"), asked("How many?"), started("t-1", "Parse")]
    late = [*early, answered("How many?", "Three"), finished("t-1", "completed")]
    a = record(TEN, early, commits=(SHA[8], SHA[2]), head=SHA[2])
    b = record(NOON, late, commits=(SHA[8], SHA[2], SHA[1]), head=SHA[1])
    assert clean(before, a, b) == b


@pytest.mark.parametrize("before", [b"", BASE], ids=["add and add", "closed before"])
def test_the_same_episode_closed_on_two_clones_is_projected_from_both(before):
    first = decided("Tabs are refused")
    a = record(
        TEN,
        [first, decided("Spaces stay"), asked("How many?"), started("t-1", "Parse")],
        commits=(SHA[1], SHA[3]),
        head=SHA[3],
        branch="work",
    )
    b = record(
        NOON,
        [first, asked("How many?"), answered("How many?", "Three"), asked("Why?")],
        commits=(SHA[1], SHA[2]),
        shared=(SHA[4],),
        head=SHA[2],
        outcome="interrupted",
    )
    found = clean(before, a, b)
    assert found.decode() == (
        "---\nschema: session/v1\nkind: session\nsession_id: e1\n"
        'title: "Parse"\n'
        f'started_at: "2026-11-02T09:00:00.000Z"\nclosed_at: "{NOON}"\n'
        'outcome: interrupted\nhost: claude-code\nbranch: "main"\n'
        f'start_head: "{SHA[0]}"\nhead: "{SHA[2]}"\n'
        f'commits:\n  - "{SHA[1]}"\n  - "{SHA[2]}"\n  - "{SHA[3]}"\n'
        f'shared:\n  - "{SHA[4]}"\n'
        'tasks:\n  - "t-1"\n'
        'decisions:\n  - "Tabs are refused"\n  - "Spaces stay"\n'
        'questions:\n  - "How many?"\n  - "Why?"\n---\n\n'
        f"# Parse\n\nIt was interrupted at {NOON}. 4 commits were made.\n\n"
        "## Decisions\n\n- Tabs are refused (why: it was needed)\n"
        "- Spaces stay (why: it was needed)\n\n"
        "## Questions\n\n- How many?: Three\n- Why?: open\n\n"
        "## Tasks\n\n- t-1: Parse: active\n"
    )


def test_two_answers_and_two_outcomes_both_stay():
    asking = [asked("How many?"), started("t-1", "Parse")]
    a = record(TEN, [*asking, answered("How many?", "Two"), finished("t-1", "failed")])
    b = record(
        NOON, [*asking, answered("How many?", "Three"), finished("t-1", "completed")]
    )
    text = clean(b"", a, b).decode()
    assert "- How many?: Three\n- How many?: Two\n" in text
    assert "- t-1: Parse: completed\n- t-1: Parse: failed\n" in text


def test_the_later_closing_tells_all_that_happened_at_the_end():
    """Also what it found unchanged: an earlier closing does not mend a later one."""
    before = record(NINE, outcome="closed", head=SHA[1])
    a = record(TEN, outcome="interrupted", head=SHA[2], commits=(SHA[1], SHA[2]))
    b = record(NOON, outcome="closed", head=SHA[1])
    found = fields(clean(before, a, b))
    assert (found["outcome"], found["head"]) == ("closed", SHA[1])
    assert found["commits"] == [SHA[1], SHA[2]]


def test_whole_seconds_and_fractions_are_compared_as_times():
    a, b = record(f"{TEN[:19]}Z", head=SHA[3]), record(f"{TEN[:19]}.5Z", head=SHA[2])
    assert fields(clean(b"", a, b))["head"] == SHA[2]


def test_closed_at_the_same_moment_is_settled_without_asking_whose_it_is():
    a = record(TEN, outcome="closed", host="claude-code", commits=(SHA[1],))
    b = record(TEN, outcome="interrupted", host="codex", commits=(SHA[1], SHA[2]))
    found = clean(b"", a, b)
    assert fields(found)["outcome"] == "interrupted"
    assert fields(found)["commits"] == [SHA[1], SHA[2]]
    assert f"It was interrupted at {TEN}. 2 commits were made." in found.decode()


def test_a_title_gives_way_to_none_but_the_stand_in_does():
    a = record(TEN, [started("t-1", "Parse")])
    assert fields(clean(BASE, a, record(NOON)))["title"] == "Parse"
    b = record(NOON, [started("t-2", "Lex")])
    found = clean(b"", a, b)
    assert fields(found)["title"] == "Lex"
    assert "\n# Lex\n" in found.decode()


def test_what_a_person_wrote_into_a_record_is_kept_where_it_holds_all():
    note = "\n\nThe flaky test was not ours.\n\n## Questions"
    a = edit(BASE, "\n\n## Questions", note)
    b = record(TEN, [decided("Tabs are refused")])
    found = clean(BASE, a, b)
    assert fields(found)["closed_at"] == TEN
    assert b"The flaky test was not ours." in found


def test_what_a_person_wrote_is_shown_where_the_other_side_says_more():
    note = "\n\nThe flaky test was not ours.\n\n## Questions"
    a = edit(BASE, "\n\n## Questions", note)
    b = record(TEN, [decided("Tabs are refused"), decided("Spaces stay")])
    found = merge(BASE, a, b)
    assert found.conflicts == ("body",)
    assert b"The flaky test was not ours." in found.data
    assert b"- Spaces stay (why: it was needed)" in found.data


def test_a_key_and_a_title_of_a_person_stay():
    a = edit(BASE, 'title: "Episode e1"', 'title: "The day of the tabs"\nmood: good')
    b = record(TEN, [decided("Tabs are refused"), decided("Spaces stay")])
    found = clean(BASE, a, b)
    assert fields(found)["title"] == "The day of the tabs"
    assert entry(found, "mood") == "mood: good\n"


def test_two_episodes_in_one_file_are_never_mixed():
    other = record(NOON, [decided("Else")], episode="e2")
    found = merge(BASE, record(TEN), other)
    assert found.conflicts == ("session_id",)
    assert found.data.count(b"<<<<<<< ours") == 1
    assert other in found.data


def test_law_closings_of_three_clones_meet_in_any_order_the_same():
    sides = [
        record(TEN, [decided("a"), asked("q")], commits=(SHA[1], SHA[5])),
        record(NOON, [decided("b"), asked("q"), answered("q", "x")], commits=(SHA[2],)),
        record(
            f"{NOON[:17]}30.000Z",
            [decided("b"), decided("a"), started("t-1", "Parse")],
            commits=(SHA[5], SHA[1]),
            outcome="interrupted",
        ),
    ]
    one, two, three = sides
    left = clean(b"", clean(b"", one, two), three)
    assert left == clean(b"", one, clean(b"", two, three))
    assert left == clean(b"", clean(b"", one, three), two)
