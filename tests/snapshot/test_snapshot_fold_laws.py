"""What a fold shows depends on the set of facts and the route, and on nothing else."""

from __future__ import annotations

import random
import time

from hypothesis import given, settings
from hypothesis import strategies as st
from snapshot_facts import by_domain, fact, folded, replacing
from snapshot_statements import facts, statements

from afterword.snapshot import fold, words
from afterword.snapshot.fact import Fact, joined, order, united


def every_id(found) -> set[str]:
    return {name for target in found.targets.values() for name in target.ids}


@settings(max_examples=300)
@given(statements(), st.randoms(use_true_random=False))
def test_any_order_of_arrival_gives_the_same(said: list[Fact], chance: random.Random):
    shuffled = list(said)
    chance.shuffle(shuffled)
    assert folded(*shuffled) == folded(*said)


@settings(max_examples=200)
@given(statements(), st.data())
def test_any_split_into_runs_and_any_repetition_gives_the_same(said, data):
    """Each run joins what it has; the next goes on from that."""
    at = data.draw(st.integers(0, len(said)))
    first, second = united(said[:at]), united(said[at:])
    again = data.draw(st.lists(st.sampled_from(said), max_size=4))
    runs = (*second.values(), *again, *first.values())
    assert folded(*runs) == folded(*said)


@settings(max_examples=200)
@given(facts(), facts(), facts(), st.permutations(range(3)))
def test_joining_statements_of_one_fact_has_no_order(one, two, three, places):
    said = [each.replaced(id="e-one") for each in (one, two, three)]
    a, b, c = (said[at] for at in places)
    first = joined(joined(*said[:2]), said[2])
    assert joined(a, joined(b, c)) == first == joined(joined(a, b), c)
    assert joined(first, a) == first == joined(first, first)
    assert joined(a, a) == a


def test_adopted_text_that_an_increment_repeats_is_no_longer_adopted():
    """Else its place would depend on which statement it was joined with first."""
    adopted = fact("Cache", on="2031-04-24", sources=(), author="A")
    late, early = (
        adopted.replaced(recorded=day, sources=((day, "h"),), author="B")
        for day in ("2031-05-01", "2031-04-20")
    )
    found = joined(joined(adopted, late), early)
    assert found == joined(adopted, joined(late, early))
    assert (order(found), found.author) == (order(early), "B")


@settings(max_examples=300)
@given(statements())
def test_no_fact_is_ever_lost(said: list[Fact]):
    """L045, L048, L074: whatever ends, joins or contradicts what, each fact is somewhere."""
    assert every_id(folded(*said)) == set(united(said))


@settings(max_examples=200)
@given(statements(), facts())
def test_a_conflict_is_never_ended_by_another_statement(said, more):
    """L031: what is added may end entries and reopen conflicts, it resolves none."""
    before = {
        one.id: one.state
        for target in folded(*said).targets.values()
        for one in target.conflicts
    }
    later = more.replaced(recorded="2032-01-01", sources=(("later", "h"),), ordinal=9)
    if later.id in united(said):
        return
    after = {
        name: one.state
        for target in folded(*said, later).targets.values()
        for one in target.conflicts
        for name in (one.id, *one.aliases)
    }
    assert {name: after[name] for name in before} == before


@settings(max_examples=200)
@given(statements())
def test_a_fact_stands_once_in_each_of_its_targets(said: list[Fact]):
    for name, target in folded(*said).targets.items():
        held = [one.id for entry in target.entries for one in entry.facts]
        held += [item.fact.id for item in target.pending]
        assert len(held) == len(set(held))
        for one in target.entries:
            assert all(name in (by_domain(each)) for each in one.facts)
            assert list(one.facts) == sorted(one.facts, key=lambda f: (order(f), f.id))
        places = [entry.place for entry in target.entries]
        assert places == sorted(places)


@settings(max_examples=200)
@given(statements())
def test_what_is_resolved_shows_who_did_and_what_was_kept(said: list[Fact]):
    for target in folded(*said).targets.values():
        for one in target.conflicts:
            assert one.id not in one.aliases
            assert one.is_open == (one.keep == "")
            assert target.name in (one.old.target, one.new.target)
            if not one.is_open:
                assert all(r.status == "verified" for r in one.resolutions)


def seconds(count: int, made) -> float:
    said = [made(number) for number in range(count)]
    start = time.process_time()
    fold.fold(said, by_domain)
    return time.process_time() - start


NOUNS = "payment order parcel session cache retry upload login export report".split()
ASPECTS = "timeout limit budget format owner endpoint schema policy".split()


def varied(number: int) -> Fact:
    chance = random.Random(number)
    title = f"{chance.choice(NOUNS)} {chance.choice(ASPECTS)} {number}"
    return fact(
        title,
        f"- at most {chance.randrange(9)} s for the {chance.choice(NOUNS)}",
        kind=chance.choice(words.GIVEN_TYPES),
        on=f"2031-{1 + number % 12:02d}-{1 + number % 28:02d}",
        domains=(f"m{number % 20}",),
    )


def of_one_key(number: int) -> Fact:
    said = varied(number)
    return said.replaced(id="", kind="decision", key="a.key", value=f"{number % 3} s")


def of_one_title(number: int) -> Fact:
    return varied(number).replaced(id="", kind="decision", title="Payment timeout")


def superseding(number: int) -> Fact:
    said = of_one_title(number)
    return said.replaced(id="", supersedes=replacing("Payment timeout"))


def test_a_fold_is_linear_in_its_facts():
    """Twenty times the facts, far from four hundred times the work."""
    for made in (varied, of_one_key, of_one_title, superseding):
        few, many = (seconds(count, made) for count in (200, 4000))
        assert many < 60 * few + 1, made
