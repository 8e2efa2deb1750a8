"""What a person wrote into an entry stays, whatever increments say the same or join it later."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from afterword.snapshot import fold
from afterword.snapshot.fact import Fact, joined


def fact(day: int, *body: str, title: str = "Uploads", **more: object) -> Fact:
    values: dict[str, object] = {
        "kind": "decision",
        "title": title,
        "body": body,
        "sources": ((f"2026-11-{day:02d}_x", f"{day:012x}"),),
        "recorded": f"2026-11-{day:02d}",
        "author": "Ines",
    }
    return Fact(**{**values, **more})  # type: ignore[arg-type]


def test_a_changed_text_stays_when_an_earlier_increment_says_the_same():
    edited = fact(5, "- why").replaced(body=("- why", "- a person's line"))
    for one, other in itertools.permutations((edited, fact(2, "- why"))):
        found = joined(one, other)
        assert found.body == edited.body
        assert found.recorded == "2026-11-02"


def test_kept_lines_stay_when_an_earlier_fact_becomes_the_entry_s_head():
    kept = fact(5, "- x").replaced(kept=("- a person's line",))
    found = fold.fold([kept, fact(6, "- y"), fact(2, "- z")], lambda _: ("",))
    (entry,) = found.targets[""].entries
    assert [one.body for one in entry.facts] == [("- z",), ("- x",), ("- y",)]
    assert entry.head.kept == ("- a person's line",)
    assert not entry.facts[1].kept


TEXTS = st.sampled_from((("- why",), ("- Why",), ("- why", "- more"), ("- less",)))
ONES = st.builds(
    lambda day, body: fact(day, "- why").replaced(body=body), st.integers(1, 4), TEXTS
)


@given(one=ONES, two=ONES, three=ONES)
def test_joining_has_no_order_whatever_persons_changed(one, two, three):
    wanted = joined(joined(one, two), three)
    assert wanted == joined(one, joined(two, three)) == joined(joined(three, one), two)
    assert joined(one, one) == one
