"""How entries end: superseded, resolved, withdrawn; what only sounds like it ends nothing."""

from __future__ import annotations

import pytest
from snapshot_facts import (
    conflicts,
    entries,
    entry_of,
    fact,
    folded,
    keyed,
    replacing,
    target,
)

from afterword.snapshot import words

OLD = fact("Payment timeout", "- 3000ms", stem="2031-04-01_payment")
LATER = "2031-05-01"


def ending(*facts, name: str = ""):
    return entry_of(facts[0], *facts, name=name).ending


@pytest.mark.parametrize(
    "name", ["Payment timeout", "`payment  TIMEOUT`", OLD.id, "2031-04-01_payment"]
)
def test_l044_a_decision_is_superseded_by_title_id_or_increment(name: str):
    new = fact("Wait five seconds", on=LATER, supersedes=replacing(name, reason="slow"))
    found = ending(OLD, new)
    assert (found.word, found.date, found.author) == ("Superseded", LATER, "Ines")
    assert (found.reason, found.by) == ("slow", new.id)
    assert entry_of(new, OLD, new).is_current


def test_l044_a_decision_is_superseded_by_key():
    new = keyed("5 s", on=LATER, supersedes=replacing("payment.timeout"))
    assert ending(keyed("3 s"), new).reason == "Wait 5 s"
    assert not conflicts(keyed("3 s"), new)


def test_l044_by_the_file_name_of_the_increment():
    new = fact("Wait", on=LATER, supersedes=replacing("2031-04-01_payment.md"))
    assert ending(OLD, new)


def test_l043_l045_a_superseded_decision_stays_an_entry_with_its_text():
    new = fact("Wait five seconds", on=LATER, supersedes=replacing(OLD.title))
    assert [entry.facts for entry in target(OLD, new).entries] == [(OLD,), (new,)]


def test_l048_a_constraint_that_holds_no_longer_is_resolved_and_stays():
    rule = fact("Only one region", kind=words.CONSTRAINT)
    end = fact("Two regions run", on=LATER, resolves="only one region")
    found = ending(rule, end)
    assert (found.word, found.date, found.reason) == ("Resolved", LATER, end.title)
    assert len(target(rule, end).entries) == 2


def test_l048_a_constraint_is_meant_before_a_decision_of_the_same_title():
    rule = fact("Only one region", kind=words.CONSTRAINT)
    choice = fact("Only one region", stem="choice")
    end = fact("Two regions run", on=LATER, resolves="Only one region")
    assert ending(rule, choice, end) and not ending(choice, rule, end)
    assert ending(choice, end).word == "Resolved"


def test_a_superseded_constraint_is_resolved_too():
    rule = fact("Only one region", kind=words.CONSTRAINT)
    new = rule.replaced(
        id="", body=("- two",), recorded=LATER, supersedes=replacing(rule.title)
    )
    assert ending(rule, new).word == "Resolved"


def test_what_supersedes_may_have_the_same_title():
    new = fact("Payment timeout", "- 5 s", on=LATER, supersedes=replacing(OLD.title))
    assert ending(OLD, new).by == new.id and not ending(new, OLD)
    assert not conflicts(OLD, new)


def test_an_ended_entry_is_not_joined_and_contradicts_nothing():
    new = fact("Wait", on=LATER, supersedes=replacing(OLD.title))
    again = fact("Payment timeout", "- 7 s", on="2031-06-01")
    assert entries(OLD, new, again) == [["Payment timeout"], ["Wait"], [again.title]]
    assert not conflicts(OLD, new, again) and ending(OLD, new, again).by == new.id


def test_a_restatement_of_an_ended_fact_is_provenance_only():
    new = fact("Wait", on=LATER, supersedes=replacing(OLD.title))
    again = OLD.replaced(recorded="2031-07-01", sources=(("again", "h"),))
    (first, _) = target(OLD, new, again).entries
    assert first.ending and [stem for stem, _ in first.head.sources] == [
        "2031-04-01_payment",
        "again",
    ]


def test_the_first_that_ends_an_entry_counts():
    one = fact("Wait", on=LATER, supersedes=replacing(OLD.title))
    other = fact("Hurry", on="2031-06-01", supersedes=replacing(OLD.title))
    found = folded(OLD, one, other)
    assert found.targets[""].entries[0].ending.by == one.id
    assert found.warnings == ()


def test_an_entry_of_the_own_module_is_meant_before_one_of_another():
    here = OLD.replaced(domains=("order",), id="e-here", title="Wait")
    there = OLD.replaced(domains=("payment",), id="e-there", title="Wait")
    new = fact("Now", on=LATER, domains=("order",), supersedes=replacing("Wait"))
    assert ending(here, there, new, name="order")
    assert not ending(there, here, new, name="payment")
    far = new.replaced(domains=("search",))
    assert ending(there, far, name="payment").by == new.id


def test_a_fact_of_two_modules_ends_in_both():
    """Superseded in one module, a decision does not go on in the other."""
    both = OLD.replaced(domains=("order", "payment"))
    new = fact("Now", on=LATER, domains=("order",), supersedes=replacing(OLD.title))
    assert ending(both, new, name="order") and ending(both, new, name="payment")


def test_a_name_that_nothing_has_is_said():
    new = fact("Wait", on=LATER, stem="s", supersedes=replacing("Paiment timeout"))
    assert folded(OLD, new).warnings == (
        "s: supersedes Paiment timeout, which no entry is called",
    )
    end = fact("Done", on=LATER, stem="s", resolves="Two zones")
    assert folded(OLD, end).warnings == (
        "s: resolves Two zones, which no entry is called",
    )


@pytest.mark.parametrize(
    ("text", "is_meant"),
    [
        ("This replaces Payment timeout.", True),
        ("- supersedes Payment timeout", True),
        ('Replaces the decision "Payment timeout" because it was slow', True),
        ("Replaces **Payment timeout** (2031-04-01)", True),
        ("本决策取代 Payment timeout。", True),
        ("替代「Payment timeout」，因为太慢", True),
        ("Payment timeout changed from 3000ms to 5000ms", False),
        ("It never replaces Payment timeout", False),
        ("不取代 Payment timeout", False),
        ("被取代：Payment timeout", False),
        ("replaces Payment timeouts", False),
        ("replaces Payment timeout handling of the bank", False),
        ("replaced Payment timeout", False),
        ("replaces", False),
    ],
)
def test_g10_text_supersedes_only_when_it_names_the_old_title(
    text: str, is_meant: bool
):
    new = fact("Wait five seconds", text, on=LATER)
    assert bool(ending(OLD, new)) == is_meant


def test_g10_a_title_can_say_it_and_the_longest_known_title_is_meant():
    short = fact("Payment")
    new = fact("Queue supersedes payment timeout", on=LATER)
    assert ending(OLD, short, new) and not ending(short, OLD, new)


def test_g10_a_chinese_title_is_not_taken_for_the_beginning_of_a_longer_one():
    old = fact("支付超时")
    assert not ending(old, fact("新的", "取代支付超时方案", on=LATER))
    assert ending(old, fact("新的", "取代支付超时", on=LATER))


def test_g10_text_ends_nothing_of_another_type():
    term = fact("Nginx", kind=words.GLOSSARY)
    assert not ending(term, fact("Gateway replaces Nginx", on=LATER))


def test_g10_a_changed_value_without_a_marker_is_a_conflict():
    new = fact("Payment timeout", "- changed from 3000ms to 5000ms", on=LATER)
    assert len(conflicts(OLD, new)) == 1 and not ending(OLD, new)


def test_increments_of_one_day_without_a_time_have_no_order_of_their_own():
    """By name `a_...` comes first, yet it says that it replaces the other."""
    old = fact("Payment timeout", "- 3000ms", stem="z")
    new = fact("Payment timeout", "- 5 s", stem="a", supersedes=replacing(old.title))
    found = folded(old, new)
    assert entry_of(old, old, new).ending.by == new.id
    assert not found.targets[""].conflicts and not found.warnings


def test_what_is_decided_later_under_an_unmatched_name_is_not_ended_by_it():
    new = fact("Wait", on="2031-04-01 09:00:00", supersedes=replacing(OLD.title))
    later = OLD.replaced(recorded="2031-04-01 10:00:00")
    assert not ending(later, new)
    assert folded(later, new).warnings


def test_an_exact_name_means_its_fact_whatever_the_clock_says():
    new = fact("Wait", on="2031-03-01", supersedes=replacing(OLD.id))
    assert ending(OLD, new).by == new.id and not folded(OLD, new).warnings


def test_a_withdrawn_statement_has_ended_since_its_increment_was_edited():
    gone = OLD.replaced(withdrawn="2031-06-01")
    found = ending(gone)
    assert (found.word, found.date, found.author, found.reason) == (
        "Superseded",
        "2031-06-01",
        "Ines",
        "the increment was edited",
    )
    rule = gone.replaced(kind=words.CONSTRAINT)
    assert ending(rule).word == "Resolved"


def test_an_edited_increment_neither_joins_nor_contradicts_what_it_said_before():
    gone = OLD.replaced(withdrawn="2031-06-01")
    now = OLD.replaced(
        id="", body=("- 5000ms",), sources=(("2031-04-01_payment", "i"),)
    )
    now = now.replaced(id="e-edited")
    assert entries(gone, now) == [["Payment timeout"], ["Payment timeout"]]
    assert not conflicts(gone, now) and entry_of(now, gone, now).is_current


def test_a_withdrawn_statement_takes_nobody_elses_with_it():
    other = fact("Payment timeout", "- see the contract", on=LATER)
    gone = OLD.replaced(withdrawn="2031-06-01")
    assert entry_of(other, gone, other).is_current
    assert not entry_of(gone, gone, other).is_current


def test_what_a_withdrawn_statement_ended_holds_again():
    new = fact("Wait", on=LATER, supersedes=replacing(OLD.title))
    assert not ending(OLD, new.replaced(withdrawn="2031-06-01"))


def test_a_conflict_outlives_the_withdrawal_of_a_side_but_no_new_one_begins():
    """Nothing but a resolution ends a conflict (L031)."""
    gone = OLD.replaced(withdrawn="2031-05-15")
    before = fact("Payment timeout", "- 5 s", on=LATER)
    behind = fact("Payment timeout", "- 7 s", on="2031-06-01")
    assert len(conflicts(gone, before)) == 1
    assert not conflicts(gone, behind)


def test_a_conflict_stays_pending_when_a_side_is_superseded():
    other = fact("Payment timeout", "- 5 s", on=LATER)
    new = fact("Wait", on="2031-06-01", supersedes=replacing(other.id))
    (one,) = conflicts(OLD, other, new)
    assert one.is_open and ending(other, OLD, new) and not ending(OLD, other, new)


def test_l048_resolving_a_conflict_without_saying_what_to_keep_ends_nothing():
    other = fact("Payment timeout", "- 5 s", on=LATER)
    vague = fact("Done", on="2031-06-01", stem="s", resolves="Payment timeout")
    found = folded(OLD, other, vague)
    assert all(entry.is_current for entry in found.targets[""].entries)
    assert found.warnings == (
        "s: resolves Payment timeout, a conflict, but does not say keep: "
        "old, new or both",
    )


def test_g17_a_module_that_is_gone_is_ended_and_its_text_stays():
    """L041: modules are removed by a statement that they are."""
    part = fact("Billing", "- src/billing", kind="architecture", part="module")
    gone = fact(
        "Billing is gone",
        on=LATER,
        kind="architecture",
        supersedes=replacing("billing"),
    )
    found = target(part, gone)
    assert found.entries[0].ending and found.entries[0].facts == (part,)


def test_adopted_text_that_says_of_itself_that_it_ended_contradicts_nothing():
    gone = OLD.replaced(sources=(), recorded="", withdrawn="2031-04-10")
    now = fact("Payment timeout", "- 5 s", on="", sources=(), ordinal=1)
    before = now.replaced(ordinal=0, id="e-before")
    facts = (gone.replaced(ordinal=1), now, before)
    assert not conflicts(*facts) and ending(*facts).date == "2031-04-10"


def test_what_was_low_and_withdrawn_contradicts_nothing():
    gone = fact("Payment timeout", "- 5 s", on=LATER, withdrawn="2031-06-01")
    assert len(conflicts(OLD, gone)) == 1
    assert not conflicts(OLD, gone.replaced(confidence="low"))


def test_a_withdrawn_statement_is_not_what_a_name_means():
    gone = OLD.replaced(domains=("order",), withdrawn="2031-06-01")
    there = OLD.replaced(id="e-there", domains=("payment",))
    new = fact("Now", on=LATER, domains=("order",), supersedes=replacing(OLD.title))
    assert ending(there, gone, new, name="payment").by == new.id
