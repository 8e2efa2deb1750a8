"""The facts of a compiled file in a merge: united, by rule where they differ, never guessed."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from afterword.merge import facts
from afterword.snapshot.fact import Fact

STEMS = tuple(f"2026-11-0{day}_x-00000{day}" for day in range(1, 6))


def fact(title: str = "Retries", *stems: str, **changes: object) -> Fact:
    values: dict[str, object] = {
        "kind": "decision",
        "title": title,
        "body": ("- three times",),
        "sources": tuple((stem, "0123456789ab") for stem in stems or STEMS[:1]),
        "recorded": (stems or STEMS)[0][:10],
        "author": "Ines",
    }
    return Fact(**{**values, **changes})  # type: ignore[arg-type]


def merged(before: list[Fact], ours: list[Fact], theirs: list[Fact]) -> dict[str, Fact]:
    """The facts of a merge in which nothing contradicts, whichever side is ours."""
    sides = [{one.id: one for one in some} for some in (before, ours, theirs)]
    found = facts.merge(*sides)
    assert found[0] == found[1]
    turned = facts.merge(sides[0], sides[2], sides[1])
    assert turned == found
    return found[0]


OLD = fact()


def test_facts_of_both_are_united():
    one, other = fact("One", STEMS[1]), fact("Other", STEMS[2])
    assert {*merged([OLD], [OLD, one], [OLD, other])} == {OLD.id, one.id, other.id}


def test_what_one_side_moved_to_its_history_is_gone():
    assert merged([OLD], [], [OLD]) == {}


def test_what_grew_elsewhere_since_then_stays():
    grown = fact("Retries", *STEMS[:2])
    assert merged([OLD], [], [grown]) == {OLD.id: grown}
    assert merged([], [], [grown]) == {OLD.id: grown}


def test_provenance_of_both_is_united_and_the_first_speaks():
    ours, theirs = fact("Retries", *STEMS[:2]), fact("retries", STEMS[0], STEMS[2])
    (found,) = merged([OLD], [ours], [theirs]).values()
    assert [stem for stem, _ in found.sources] == [*STEMS[:3]]


def test_a_text_that_a_person_changed_stays_beside_what_the_program_added():
    edited = OLD.replaced(body=("- five times",))
    grown = fact("Retries", *STEMS[:2], confidence="high")
    for before in ([OLD], []):
        (found,) = merged(before, [edited], [grown]).values()
        assert found.body == ("- five times",)
        assert found.sources == grown.sources
        assert found.confidence == "high"


def test_two_texts_of_persons_are_a_contradiction():
    sides = [OLD.replaced(body=(text,)) for text in ("- five times", "- once")]
    known = [{one.id: one} for one in (OLD, *sides)]
    assert facts.merge(*known) == (known[1], known[2])


def test_a_status_that_one_side_lowered_is_lowered():
    verified = OLD.replaced(status="verified")
    lowered = verified.replaced(status="challenged")
    grown = verified.replaced(files=("a.py",))
    (found,) = merged([verified], [lowered], [grown]).values()
    assert (found.status, found.files) == ("challenged", ("a.py",))


def test_a_statement_taken_back_stays_so_unless_it_is_made_again():
    gone = OLD.replaced(withdrawn="2026-11-09")
    grown = OLD.replaced(files=("a.py",))
    (found,) = merged([OLD], [gone], [grown]).values()
    assert found.withdrawn == "2026-11-09"
    (found,) = merged([], [gone], [grown]).values()
    assert found.withdrawn == ""


def test_lines_that_a_person_removed_from_an_entry_are_gone():
    old = OLD.replaced(kept=("a", "b"))
    ours, theirs = OLD.replaced(kept=("b", "c")), old.replaced(files=("a.py",))
    (found,) = merged([old], [ours], [theirs]).values()
    assert found.kept == ("b", "c")


STATEMENTS = st.builds(
    lambda title, stems, confidence, files: fact(
        title, *sorted(stems), confidence=confidence, files=tuple(sorted(files))
    ),
    st.sampled_from(("One", "Two", "Three")),
    st.sets(st.sampled_from(STEMS), min_size=1),
    st.sampled_from(("low", "medium", "high")),
    st.sets(st.sampled_from(("a.py", "b.py"))),
)
SIDES = st.lists(STATEMENTS, max_size=3, unique_by=lambda one: one.id)


@settings(max_examples=200, deadline=None)
@given(sides=st.tuples(SIDES, SIDES, SIDES))
def test_law_any_order_of_merges_has_one_result(sides):
    results = []
    for one, two, three in itertools.permutations(sides):
        both = merged([], list(one), list(two))
        results.append(merged([], list(both.values()), list(three)))
    assert results == [results[0]] * 6
    assert {*results[0]} == {one.id for side in sides for one in side}
