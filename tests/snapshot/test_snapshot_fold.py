"""What a fold makes of facts: entries, updates, conflicts, pending items."""

from __future__ import annotations

import pytest
from snapshot_facts import (
    conflicts,
    entries,
    entry_of,
    fact,
    folded,
    keyed,
    pairs,
    target,
)

from afterword.snapshot import fold, words

OLD = fact("Payment timeout threshold", "- 3000ms", author="张三", status="verified")
NEW = fact(
    "Payment timeout threshold", "- 5000ms", on="2031-04-23 10:11:12", author="利普"
)


def test_l027_l030_two_decisions_that_differ_are_a_conflict_with_both_sides():
    (one,) = conflicts(OLD, NEW)
    assert one.id == fold.conflict_id(OLD.id, NEW.id)
    assert one.id == fold.conflict_id(NEW.id, OLD.id)
    assert (one.topic, one.kind) == ("Payment timeout threshold", "decision")
    assert one.old.values() == {
        "fact": OLD.id,
        "target": "",
        "says": "3000ms",
        "recorded": "2031-04-01",
        "author": "张三",
        "status": "verified",
    }
    assert (one.new.says, one.new.recorded) == ("5000ms", "2031-04-23")
    assert (one.new.author, one.new.status) == ("利普", "unverified")


def test_l031_l033_a_conflict_is_pending_and_no_confidence_decides_it():
    (one,) = conflicts(OLD, NEW.replaced(status="verified"))
    assert one.state == "pending_resolution" and one.is_open and one.keep == ""


def test_l032_l035_both_entries_stay_as_they_are():
    found = target(OLD, NEW).entries
    assert [entry.facts for entry in found] == [(OLD,), (NEW,)]
    assert all(entry.is_current for entry in found)


def test_l028_constraints_contradict_constraints():
    one = fact("Upload size", "- at most 10 MB", kind=words.CONSTRAINT)
    other = fact("Upload size", "- at least 20 MB", on="2031-05-01", kind="constraint")
    assert len(conflicts(one, other)) == 1


def test_l029_descriptions_of_architecture_contradict_each_other():
    one = fact("Order flow", "- web -> api -> queue", kind="architecture", part="flow")
    other = one.replaced(id="", body=("- web -> queue -> api",), recorded="2031-05-01")
    assert len(conflicts(one, other)) == 1


def test_a_missing_date_and_author_are_called_unknown():
    bare = fact("Payment timeout threshold", "- 3000ms", on="", author="")
    (one,) = conflicts(bare, NEW)
    assert (one.old.recorded, one.old.author) == ("unknown", "unknown")


def test_g9_a_new_side_of_medium_confidence_is_marked_in_block_and_entry():
    medium = NEW.replaced(confidence="medium")
    assert pairs(OLD, medium) == [("3000ms", "[待验证] 5000ms")]
    assert not entry_of(medium, OLD, medium).is_confirmed
    assert pairs(OLD, NEW) == [("3000ms", "5000ms")]


def test_g9_the_mark_goes_once_somebody_confirms_the_new_side():
    medium = NEW.replaced(confidence="medium")
    sure = fact("Payment timeout threshold", "- 5 s, measured", on="2031-05-01")
    assert pairs(OLD, medium, sure) == [("3000ms", "5000ms")]


def test_g18_a_later_sure_statement_confirms_an_entry():
    medium = fact("Parcel scans retry", "- thrice", confidence="medium")
    sure = fact("Parcel scans retry", "- thrice, says the vendor", on="2031-05-01")
    assert not entry_of(medium, medium).is_confirmed
    assert entry_of(medium, medium, sure).is_confirmed
    verified = sure.replaced(confidence="medium", status="verified")
    assert entry_of(medium, medium, verified).is_confirmed


def test_g18_the_same_statement_with_better_confidence_confirms_itself():
    medium = fact("Parcel scans retry", confidence="medium", stem="a")
    sure = fact("Parcel scans retry", on="2031-05-01", stem="b")
    (entry,) = target(medium, sure).entries
    assert entry.is_confirmed and entry.head.sources == (("a", "h"), ("b", "h"))


def test_the_same_increment_twice_gives_one_block():
    assert folded(OLD, NEW, NEW, OLD) == folded(OLD, NEW)
    assert len(conflicts(OLD, NEW, NEW.replaced(sources=(("copy", "h"),)))) == 1


def test_two_new_increments_that_contradict_each_other_the_older_enters_first():
    one = keyed("3 s", on="2031-04-02 09:00:00")
    other = keyed("5 s", on="2031-04-02 10:00:00")
    assert pairs(other, one) == [("3 s", "5 s")]


def test_three_values_of_one_key_are_three_conflicts():
    facts = [keyed(f"{n} s", on=f"2031-04-0{n}") for n in (1, 2, 3)]
    assert pairs(*facts) == [("1 s", "2 s"), ("1 s", "3 s"), ("2 s", "3 s")]


def test_values_are_compared_by_what_they_mean():
    assert entries(keyed("3000ms"), keyed("3 s", on="2031-04-02")) == [
        ["Wait 3000ms", "Wait 3 s"]
    ]


def test_a_key_compares_claims_of_every_type_and_configuration_only_with_its_own():
    rule = keyed("5 s", on="2031-05-01", kind=words.CONSTRAINT)
    assert pairs(keyed("3 s"), rule) == [("3 s", "5 s")]
    place = keyed("7 s", on="2031-05-01", kind=words.CONFIG)
    assert pairs(keyed("3 s"), place) == []
    assert pairs(place.replaced(id="", value="8 s", title="There"), place)


def test_text_alone_never_makes_a_conflict_of_terms_or_dependencies():
    one = fact("Batch", "- 3 parcels", kind=words.GLOSSARY)
    other = fact("Batch", "- 5 parcels", kind=words.GLOSSARY, on="2031-05-01")
    assert entries(one, other) == [["Batch", "Batch"]] and not conflicts(one, other)


@pytest.mark.parametrize(
    ("item", "kind"),
    [
        ("l037", words.OVERVIEW),
        ("l039 l040", words.ARCHITECTURE),
        ("l047", words.CONSTRAINT),
        ("l050", words.EXTERNAL),
        ("l052", words.CONFIG),
        ("l054", words.BUSINESS),
        ("l056", words.GLOSSARY),
    ],
)
def test_what_is_new_under_a_known_title_updates_its_entry(item: str, kind: str):
    """L037, L040, L047, L050, L052, L054, L056 where the two can both hold."""
    one = fact("Shipping", "- by night", kind=kind)
    other = fact("shipping", "- to every island", kind=kind, on="2031-05-01")
    assert entries(one, other) == [["Shipping", "shipping"]], item


@pytest.mark.parametrize("kind", words.TYPES)
def test_what_nobody_said_yet_is_a_new_entry(kind: str):
    """L039, L041, L043, L046, L049, L051, L053, L055."""
    one = fact("Shipping by night", kind=kind)
    other = fact("Refunds need a receipt", kind=kind, on="2031-05-01")
    assert entries(one, other) == [[one.title], [other.title]]


def test_l038_an_overview_that_nothing_changes_stays_stable():
    """L042: a state machine is another entry than a flow of its name."""
    flow = fact("Order", "- a", kind="architecture", part="flow")
    states = fact("Order", "- b", kind="architecture", part="state-machine")
    assert entries(flow, states) == [["Order"], ["Order"]]
    view = fact("A shop", kind=words.OVERVIEW)
    assert target(view, flow).entries[0] == target(view).entries[0]


def test_l036_what_contradicts_does_not_update():
    third = fact("Payment timeout threshold", "- it is 5 s", on="2031-05-01")
    found = [[one.body[0] for one in e.facts] for e in target(OLD, NEW, third).entries]
    assert found == [["- 3000ms"], ["- 5000ms", "- it is 5 s"]]
    assert len(conflicts(OLD, NEW, third)) == 1


def test_an_update_that_contradicts_a_third_entry_is_a_conflict_of_that():
    """Joining one entry hides nothing that it says against another."""
    vague = fact("Payment deadline", "- as the bank wants it", key="payment.timeout")
    exact = keyed("3 s", on="2031-04-02", title="Bank calls")
    sharp = keyed("5 s", on="2031-04-03", title="Payment deadline")
    assert entries(vague, exact, sharp)[0] == ["Payment deadline", "Payment deadline"]
    assert ("3 s", "5 s") in pairs(vague, exact, sharp)


def test_l026_text_is_compared_within_its_own_target():
    one = fact("Payment retries", "- 3 times", domains=("order",))
    other = fact("Retries of any payment call", "- 5 times", domains=("payment",))
    assert not conflicts(one, other, name="order")
    assert conflicts(one, other.replaced(domains=("order",)), name="order")


def test_l034_a_conflict_across_modules_stands_in_both():
    one = keyed("3 s", domains=("order",))
    other = keyed("5 s", on="2031-05-01", domains=("payment",))
    (here,) = conflicts(one, other, name="order")
    (there,) = conflicts(one, other, name="payment")
    assert here == there and here.targets == ("order", "payment")
    assert (here.old.target, here.new.target) == ("order", "payment")


def test_l034_without_a_key_only_equal_topics_meet_across_modules():
    one = fact("Payment timeout", "- 3000ms", domains=("order",))
    other = fact("Timeout payment", "- 5 s", on="2031-05-01", domains=("payment",))
    assert len(conflicts(one, other, name="order")) == 1
    assert len(conflicts(one, other, name="payment")) == 1


def test_l034_a_fact_of_two_modules_shows_its_conflict_in_each_as_its_own():
    """G5: one statement that maps to several modules is an entry of each."""
    one = keyed("3 s", domains=("order", "payment"))
    other = keyed("5 s", on="2031-05-01", domains=("payment",))
    (there,) = conflicts(one, other, name="payment")
    (here,) = conflicts(one, other, name="order")
    assert (there.old.target, there.new.target) == ("payment", "payment")
    assert (here.old.target, here.new.target) == ("order", "payment")
    assert here.id == there.id


def test_one_conflict_has_one_id_in_all_modules_whoever_joined_it_where():
    early = keyed("3000 ms", on="2031-03-01", domains=("payment",), title="Bank wait")
    one = keyed("3 s", domains=("order", "payment"))
    other = keyed("5 s", on="2031-05-01", domains=("order", "payment"))
    found = folded(early, one, other).targets
    ids = {c.id for t in found.values() for c in t.conflicts}
    assert len(ids) == 1 and all(len(t.conflicts) == 1 for t in found.values())


def test_l059_l060_what_is_of_low_confidence_is_pending_and_no_entry():
    low = fact("AbilityExpand has 3 fields", kind="external", confidence="low")
    found = target(low)
    assert not found.entries and [one.fact for one in found.pending] == [low]
    assert found.pending[0].contradicts == ""
    assert target(low.replaced(status="verified")).entries


def test_g8_a_pending_item_says_what_it_contradicts_and_is_no_conflict():
    low = NEW.replaced(confidence="low")
    found = target(low, OLD)
    assert not found.conflicts and len(found.entries) == 1
    assert [one.contradicts for one in found.pending] == ["Payment timeout threshold"]


def test_g8_also_what_is_said_after_it():
    low = OLD.replaced(confidence="low", status="unverified")
    (item,) = target(low, NEW).pending
    assert item.contradicts == "Payment timeout threshold"


def test_what_is_low_ends_and_joins_nothing():
    low = fact(
        "payment timeout threshold",
        "- replaces Payment timeout threshold",
        on="2031-05-01",
    ).replaced(confidence="low", resolves="Payment timeout threshold")
    found = target(OLD, low)
    assert [entry.facts for entry in found.entries] == [(OLD,)]
    assert found.entries[0].is_current


def test_a_possible_overlap_is_for_the_report_and_changes_nothing():
    one = fact("Image uploads of parcels are scanned")
    other = fact("Image uploads of parcels are not scanned", on="2031-05-01")
    found = folded(one, other)
    assert not found.targets[""].conflicts
    assert [(o.one, o.other, o.target, o.kind) for o in found.overlaps] == [
        (one.title, other.title, "", "decision")
    ]


def test_numbered_titles_are_no_conflicts_of_one_another():
    facts = [fact(f"Decision {n}", f"- text {n}") for n in range(30)]
    assert not conflicts(*facts) and len(entries(*facts)) == 30


def test_adopted_text_comes_first_in_its_own_order():
    adopted = [
        fact(title, on="", sources=(), ordinal=at, status="verified")
        for at, title in enumerate(("Zebra", "Apple"))
    ]
    early = fact("Middle", on="1999-01-01")
    assert entries(early, *adopted) == [["Zebra"], ["Apple"], ["Middle"]]


def test_one_title_with_two_keys_is_two_entries():
    one = fact("Limits", key="upload.size", value="3 MB")
    other = fact("Limits", key="upload.count", value="3", on="2031-05-01")
    assert entries(one, other) == [["Limits"], ["Limits"]]
    assert entries(one, other, fact("Limits", "- as agreed", on="2031-05-02")) == [
        ["Limits", "Limits"],
        ["Limits"],
    ]


def test_nothing_overlaps_with_or_is_contradicted_by_what_was_withdrawn():
    one = fact("Image uploads of parcels are scanned", stem="gone")
    other = fact("Image uploads of parcels are not scanned", on="2031-05-01")
    assert folded(one, other).overlaps
    assert not folded(one.replaced(withdrawn="2031-06-01"), other).overlaps
    assert not folded(one.replaced(domains=("order",)), other).overlaps
    low = NEW.replaced(confidence="low")
    (item,) = target(OLD.replaced(withdrawn="2031-06-01"), low).pending
    assert item.contradicts == ""


def test_an_entry_of_many_facts_has_one_conflict_with_another():
    def more(on: str) -> list:
        return [
            fact(OLD.title, f"- 3 s in case {n} of {on}", on=f"{on} 10:00:{n:02d}")
            for n in range(20)
        ]

    assert len(conflicts(OLD, *more("2031-04-02"), NEW, *more("2031-06-01"))) == 1
