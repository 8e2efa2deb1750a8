"""G11: a conflict ends by verified resolutions that agree, and by nothing else."""

from __future__ import annotations

import pytest
from snapshot_facts import (
    conflicts,
    entry_of,
    fact,
    folded,
    keyed,
    replacing,
    resolving,
    target,
)

from afterword.snapshot import fold, resolution, words

OLD = fact("Payment timeout", "- 3000ms")
NEW = fact("Payment timeout", "- 5000ms", on="2031-04-23")
ID = fold.conflict_id(OLD.id, NEW.id)


def ids(facts) -> set[str]:
    return {one.id for one in facts}


@pytest.mark.parametrize("what", [ID, "payment timeout", "[CONFLICT] Payment timeout"])
def test_g11_one_resolution_ends_a_conflict_by_id_or_topic(what: str):
    given = resolving(what, "new")
    (one,) = conflicts(OLD, NEW, given)
    assert (one.state, one.keep, one.resolutions) == ("resolved", "new", (given,))
    loser = entry_of(OLD, OLD, NEW, given).ending
    assert (loser.word, loser.date, loser.author) == (
        "Superseded",
        given.recorded,
        "Ines",
    )
    assert (loser.by, loser.reason) == (given.id, "we measured")
    assert entry_of(NEW, OLD, NEW, given).is_current


def test_g11_the_old_side_can_be_kept():
    given = resolving(ID, "old")
    assert entry_of(OLD, OLD, NEW, given).is_current
    assert entry_of(NEW, OLD, NEW, given).ending.by == given.id


def test_g11_a_constraint_that_loses_is_resolved():
    old, new = (one.replaced(kind=words.CONSTRAINT) for one in (OLD, NEW))
    found = entry_of(old, old, new, resolving(ID, "new")).ending
    assert found.word == "Resolved"


def test_g11_both_can_be_kept_then_nothing_ends():
    found = target(OLD, NEW, resolving(ID, "both"))
    assert all(entry.is_current for entry in found.entries)
    assert [(one.state, one.keep) for one in found.conflicts] == [("resolved", "both")]


def test_g11_a_resolution_is_no_entry_and_is_kept_with_its_conflict():
    found = target(OLD, NEW, resolving(ID, "new"))
    assert [entry.head for entry in found.entries] == [OLD, NEW]
    assert not found.loose and resolving(ID, "new").id in found.ids


def test_two_resolutions_that_agree_are_one_decision_by_the_last():
    one, other = resolving(ID, "new"), resolving(ID, "new", on="2031-05-02", author="B")
    (found,) = conflicts(OLD, NEW, other, one)
    assert found.resolutions == (one, other) and found.keep == "new"
    assert entry_of(OLD, OLD, NEW, one, other).ending.author == "B"


def test_g11_two_different_resolutions_reopen_a_conflict_with_both():
    one, other = resolving(ID, "new"), resolving(ID, "old", on="2031-05-02")
    found = target(OLD, NEW, one, other)
    assert found.conflicts[0].is_open and found.conflicts[0].keep == ""
    assert found.conflicts[0].resolutions == (one, other)
    assert all(entry.is_current for entry in found.entries)


def test_g11_a_third_that_names_both_ends_it():
    one, other = resolving(ID, "new"), resolving(ID, "old", on="2031-05-02")
    last = resolving(ID, "old", on="2031-05-03", after=(one.id, other.id))
    (found,) = conflicts(OLD, NEW, one, other, last)
    assert (found.state, found.keep) == ("resolved", "old")
    assert found.resolutions == (one, other, last)
    half = last.replaced(after=(one.id,), keep="new")
    assert conflicts(OLD, NEW, one, other, half)[0].is_open


def test_a_person_may_think_again():
    one = resolving(ID, "new")
    other = resolving(ID, "old", on="2031-05-02", after=(one.id,))
    (found,) = conflicts(OLD, NEW, one, other)
    assert (found.state, found.keep) == ("resolved", "old")
    assert entry_of(OLD, OLD, NEW, one, other).is_current


def test_a_person_may_go_back_to_the_first_decision_in_the_same_words():
    one = resolving(ID, "old")
    other = resolving(ID, "new", on="2031-05-02", after=(one.id,))
    again = resolving(ID, "old", after=(one.id, other.id), stem="again")
    again = again.replaced(id="", title=one.title, recorded="2031-05-03")
    assert again.id != one.id
    (found,) = conflicts(OLD, NEW, one, other, again)
    assert (found.state, found.keep) == ("resolved", "old")
    assert found.resolutions == (one, other, again)


def test_resolutions_that_name_each_other_all_count():
    one, other = resolving(ID, "new"), resolving(ID, "old", on="2031-05-02")
    one, other = one.replaced(after=(other.id,)), other.replaced(after=(one.id,))
    assert resolution.effective((one, other)) == (one, other)
    assert conflicts(OLD, NEW, one, other)[0].is_open
    alone = one.replaced(after=(one.id,))
    assert resolution.effective((alone, other.replaced(after=()))) == (
        alone,
        other.replaced(after=()),
    )


def test_g11_what_nobody_verified_resolves_nothing_and_is_an_entry():
    loud = resolving(ID, "new", status="unverified", stem="s")
    found = folded(OLD, NEW, loud)
    assert found.targets[""].conflicts[0].is_open
    assert loud in [entry.head for entry in found.targets[""].entries]
    assert found.warnings == (
        "s: nobody verified it, so it resolves nothing; a person types: "
        f"afterword conflict resolve {ID} --keep new --why TEXT",
    )


def test_a_resolution_of_no_known_conflict_is_kept_and_said():
    given = resolving("c-00000000", "new", stem="s")
    found = folded(OLD, given)
    assert found.targets[""].loose == (given,)
    assert found.warnings == ("s: resolves c-00000000, which is no conflict",)
    assert given.id in found.targets[""].ids


def test_a_withdrawn_resolution_resolves_nothing_and_is_kept():
    given = resolving(ID, "new", withdrawn="2031-06-01")
    found = folded(OLD, NEW, given)
    assert found.targets[""].conflicts[0].is_open
    assert found.targets[""].loose == (given,) and not found.warnings


def test_a_resolution_counts_by_id_also_when_clocks_disagree():
    early = resolving(ID, "new", on="2031-01-01")
    assert conflicts(OLD, NEW, early)[0].keep == "new"


def test_a_topic_resolves_nothing_that_comes_later_under_it():
    """L031: a decision of May does not decide what contradicts in June."""
    given = resolving("Payment timeout", "new", on="2031-05-01 10:00:00")
    later = fact("Payment timeout", "- 7 s", on="2031-06-01")
    first, second = conflicts(OLD, NEW, given, later)
    assert not first.is_open
    assert second.is_open and second.old.says == "5000ms"
    alone = resolving("Payment timeout", "new", on="2031-04-01 10:00:00")
    assert conflicts(OLD, NEW, alone)[0].is_open


def test_a_topic_of_the_same_day_without_a_time_counts():
    given = resolving("Payment timeout", "new", on="2031-04-23", stem="a")
    new = NEW.replaced(recorded="2031-04-23 11:00:00")
    assert conflicts(OLD, new, given)[0].keep == "new"


def test_a_topic_means_the_conflicts_that_are_open():
    first = resolving(ID, "new")
    third = fact("Payment timeout", "- 7 s", on="2031-06-01")
    by_topic = resolving("Payment timeout", "old", on="2031-07-01")
    one, other = conflicts(OLD, NEW, first, third, by_topic)
    assert (one.keep, other.keep) == ("new", "old")
    assert entry_of(NEW, OLD, NEW, first, third, by_topic).is_current


def test_three_values_are_decided_by_one_topic():
    facts = [keyed(f"{n} s", on=f"2031-04-0{n}", title="Bank wait") for n in (1, 2, 3)]
    found = target(*facts, resolving("bank wait", "old"))
    assert [one.state for one in found.conflicts] == ["resolved"] * 3
    assert [entry.is_current for entry in found.entries] == [True, False, False]


def test_what_lost_is_not_joined_again_silently():
    """A value that a person decided against comes back: a conflict, not an update."""
    given = resolving(ID, "new")
    again = fact("Payment timeout", "- 3 s, as before", on="2031-06-01")
    facts = (OLD, NEW, given, again)
    assert entry_of(again, *facts).is_current
    assert not entry_of(OLD, *facts).is_current
    first, second = conflicts(*facts)
    assert (first.state, second.state) == ("resolved", "pending_resolution")
    assert (second.old.fact, second.new.fact) == (NEW.id, again.id)


def test_what_lost_contradicts_nothing_later():
    given = resolving(ID, "new")
    third = fact("Payment timeout", "- 7 s", on="2031-06-01")
    assert [one.old.fact for one in conflicts(OLD, NEW, given, third)] == [
        OLD.id,
        NEW.id,
    ]


def test_an_earlier_statement_that_joins_a_side_keeps_the_id_as_an_alias():
    """Another clone's older statement turns up: what people resolved stays resolved."""
    early = fact("Payment timeout", "- 3 s", on="2031-03-01")
    (one,) = conflicts(early, OLD, NEW)
    assert one.id == fold.conflict_id(early.id, NEW.id) and ID in one.aliases
    for what in (ID, one.id):
        assert conflicts(early, OLD, NEW, resolving(what, "new"))[0].keep == "new"


def test_a_later_statement_that_joins_a_side_leaves_the_id():
    later = fact("Payment timeout", "- 5 s", on="2031-06-01")
    (one,) = conflicts(OLD, NEW, later)
    assert one.id == ID and one.aliases == (fold.conflict_id(OLD.id, later.id),)


def test_a_decision_holds_for_the_fact_it_named_when_the_sides_change_places():
    """An older statement of the new side makes it the old one; who won stays the same."""
    given = resolving(ID, "new", supersedes=replacing(OLD.id, reason="slow"))
    early = fact("Payment timeout", "- 5 s", on="2031-03-01")
    facts = (OLD, NEW, given, early)
    (one,) = conflicts(*facts)
    assert one.old.fact == early.id and one.keep == "old"
    assert not entry_of(OLD, *facts).is_current and entry_of(NEW, *facts).is_current


def test_decisions_agree_when_they_keep_the_same_fact():
    here = resolving(ID, "new", supersedes=replacing(OLD.id))
    early = NEW.replaced(recorded="2031-03-01", sources=(("early", "h"),))
    there = resolving(ID, "old", on="2031-05-02", supersedes=replacing(OLD.id))
    (one,) = conflicts(OLD, NEW, early, here, there)
    assert (one.state, one.keep) == ("resolved", "old")


def test_an_entry_that_lost_in_two_conflicts_comes_back_only_when_both_reopen():
    other = fact("Payment timeout", "- 7 s", on="2031-04-24")
    second = fold.conflict_id(OLD.id, other.id)
    lost = (resolving(ID, "new"), resolving(second, "new"))
    again = resolving(ID, "old", on="2031-06-01", after=(lost[0].id,))
    assert not entry_of(OLD, OLD, NEW, other, *lost, again).is_current
    both = resolving(second, "old", on="2031-06-02", after=(lost[1].id,))
    assert entry_of(OLD, OLD, NEW, other, *lost, again, both).is_current


def test_a_supersede_holds_when_the_conflict_reopens():
    """What a fact said of the loser meanwhile is not forgotten."""
    facts = (
        OLD,
        NEW,
        resolving(ID, "new"),
        fact("Wait", on="2031-05-10", supersedes=replacing(OLD.id)),
        resolving(ID, "old", on="2031-05-11"),
    )
    assert conflicts(*facts)[0].is_open
    assert entry_of(OLD, *facts).ending.date == "2031-05-10"


def test_the_earliest_ending_is_shown():
    facts = (OLD, NEW, resolving(ID, "new"))
    late = fact("Wait", on="2031-05-10", supersedes=replacing(OLD.id))
    assert entry_of(OLD, *facts, late).ending.date == "2031-05-01"
    early = fact("Wait", on="2031-04-25", supersedes=replacing(OLD.id))
    assert entry_of(OLD, *facts, early).ending.date == "2031-04-25"


def test_l034_a_conflict_of_two_modules_is_resolved_in_both():
    old, new = OLD.replaced(domains=("order",)), NEW.replaced(domains=("payment",))
    given = resolving(ID, "new")
    found = folded(old, new, given).targets
    assert [found[name].conflicts[0].state for name in ("order", "payment")] == [
        "resolved",
        "resolved",
    ]
    assert not found["order"].entries[0].is_current and "" not in found


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (("- reason: it was slow",), "it was slow"),
        (("- Details: x", "- 原因：太慢"), "太慢"),
        (("- it was slow",), "it was slow"),
        ((), "Keep it"),
    ],
)
def test_a_resolution_says_why(body: tuple[str, ...], why: str):
    assert resolution.why(fact("Keep it", *body)) == why


def test_a_topic_means_the_conflicts_of_that_name_before_those_that_mention_it():
    bank = keyed("3 s", title="Bank wait")
    said = keyed("9 s", title="Payment timeout", on="2031-04-20", kind="constraint")
    given = resolving("Payment timeout", "new")
    found = {one.topic: one.state for one in conflicts(OLD, NEW, bank, said, given)}
    assert found == {"Payment timeout": "resolved", "Bank wait": "pending_resolution"}
    alone = conflicts(bank, said, given)
    assert [one.state for one in alone] == ["resolved"]


def test_a_decision_holds_in_every_module_that_a_side_stands_in():
    """Updates of both sides, which meet each other in one more module."""
    order, two = ("order",), ("order", "payment")
    old = fact("Payment timeout", "- 3 s", domains=order)
    new = keyed("5 s", on="2031-04-02", domains=order, title="Payment timeout")
    more = keyed("5000 ms", on="2031-04-03", domains=two, title="Bank wait")
    again = keyed("3 s", on="2031-04-04", domains=two, title="Payment timeout")
    given = resolving(fold.conflict_id(old.id, new.id), "new")
    found = folded(old, new, more, again, given).targets
    assert len({one.id for t in found.values() for one in t.conflicts}) == 1
    for name in two:
        holds = [one.facts for one in found[name].entries if one.is_current]
        assert holds == [(new, more)] if name == "order" else [(more,)]


def test_those_that_lost_do_not_hide_the_one_that_holds():
    lost = [
        fact("Payment timeout", f"- {n} s", on=f"2031-04-{n:02d}") for n in range(1, 12)
    ]
    given = resolving("Payment timeout", "new", on="2031-05-01")
    late = fact("Timeout payment", "- 90 s", on="2031-06-01")
    found = conflicts(*lost, given, late)
    assert [one.old.says for one in found if one.new.fact == late.id][-1] == "11 s"


def test_a_decision_by_topic_holds_for_a_fact_that_joined_later_the_same_day():
    early = fact("Payment timeout", "- 3 s", on="2031-04-01")
    new = fact("Payment timeout", "- 5 s", on="2031-04-02")
    late = fact("Payment timeout", "- 3000ms", on="2031-04-03 12:00:00")
    given = resolving(
        "Payment timeout", "old", on="2031-04-03", supersedes=replacing(late.id)
    )
    facts = (early, new, late, given)
    assert [one.keep for one in conflicts(*facts)] == ["new"]
    assert entry_of(new, *facts).is_current and not entry_of(late, *facts).is_current
