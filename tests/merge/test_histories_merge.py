"""decisions-history.md: groups by date, blocks by id and bytes, nothing lost, any bytes."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from afterword.merge.histories import merge
from afterword.merge.laws import Merged

from .building import joined, swapped, united

HEAD = "# Decisions history\n"


def block(name: str, *, level: int = 3, body: str = "- because\n") -> str:
    metadata = f'<!-- {{"id":"e-{ord(name):010x}","kind":"decision"}} -->'
    return f"{'#' * level} Title {name}\n{body}{metadata}\n"


def history(**groups: str) -> bytes:
    """`d02="ab"`: the blocks a and b, which ended on the second."""
    parts = [HEAD]
    for day, names in sorted(groups.items()):
        parts.append(f"\n## 2026-11-{day[1:]}\n")
        parts += [f"\n{block(name)}" for name in names]
    return "".join(parts).encode()


def test_blocks_of_both_stand_in_their_groups_by_date_and_id():
    base = history(d03="c")
    ours, theirs = history(d01="x", d03="cd"), history(d02="y", d03="bc")
    assert united(merge, base, ours, theirs) == history(d01="x", d02="y", d03="bcd")
    assert united(merge, b"", ours, theirs) == history(d01="x", d02="y", d03="bcd")


def test_what_both_moved_alike_is_there_once():
    ours, theirs = history(d01="a", d03="c"), history(d01="a", d02="b")
    assert united(merge, b"", ours, theirs) == history(d01="a", d02="b", d03="c")


def test_one_block_in_two_forms_is_there_twice():
    ours = history(d01="a")
    theirs = ours.replace(b"- because\n", b"- because\n- more (2026-11-01, Ines)\n")
    found = united(merge, b"", ours, theirs)
    assert found.count(b"### Title a\n") == 2
    assert b"- because\n<!--" in found and b"Ines)\n<!--" in found


def test_a_block_of_a_deeper_level_begins_where_metadata_ended_the_one_before():
    inner = block("b", body="- x\n\n#### Of its text\n- y\n")
    data = f"{HEAD}\n## 2026-11-01\n\n{inner}\n{block('a', level=4)}".encode()
    other = f"{HEAD}\n## 2026-11-01\n\n{block('c', level=4)}".encode()
    found = united(merge, b"", data, other).decode()
    order = [
        found.index(one) for one in (block("a", level=4), inner, block("c", level=4))
    ]
    assert order == sorted(order)


def test_what_a_person_wrote_there_stays():
    note = "\nA note.\n"
    ours = history(d01="a") + b"\n### By hand\n\ntext\n"
    theirs = history(d01="a").replace(HEAD.encode(), (HEAD + note).encode())
    found = united(merge, history(d01="a"), ours, theirs)
    by_hand = b"### By hand\n\ntext\n\n### Title a\n"
    assert found == theirs.replace(b"### Title a\n", by_hand)


GROUPS = st.dictionaries(
    st.sampled_from(("d01", "d02", "d03")),
    st.sets(st.sampled_from("abcdef"), min_size=1).map(
        lambda some: "".join(sorted(some))
    ),
)


@settings(max_examples=200, deadline=None)
@given(base=GROUPS, sides=st.tuples(GROUPS, GROUPS, GROUPS))
def test_law_any_order_of_merges_has_one_result_with_all_of_it(base, sides):
    """A history only grows."""
    grown = [
        {
            day: "".join(sorted({*base.get(day, ""), *side.get(day, "")}))
            for day in {**base, **side}
        }
        for side in sides
    ]
    before = history(**base)
    results = set()
    for one, two, three in itertools.permutations(history(**side) for side in grown):
        results.add(united(merge, before, united(merge, before, one, two), three))
    days = {day for side in grown for day in side}
    wanted = {
        day: "".join(sorted({name for side in grown for name in side.get(day, "")}))
        for day in days
    }
    assert results == {history(**wanted)}


LINES = (
    "# Decisions history\n|## 2026-11-01\n|## 2026-11-02\n|### A\n|#### B\n|- x\n|- y\n|\n"
    '|<!-- {"id":"e-0123456789"} -->\n|<!-- {"id":"e-0123456780"} -->\n|```\n|<!--\n|\xff\n'
).split("|")
FILES = st.lists(st.sampled_from(LINES), max_size=9).map(
    lambda some: "".join(some).encode("latin-1")
)


@settings(max_examples=300, deadline=None)
@given(o=FILES, a=FILES, b=FILES)
def test_laws_of_histories_of_any_shape(o, a, b):
    assert merge(o, o, b) == merge(o, b, o) == Merged(data=b)
    assert merge(o, a, a) == Merged(data=a)
    one, other = merge(o, a, b), merge(o, b, a)
    if one is None or other is None:
        assert one is other
        return
    assert one.data == swapped(other.data)
    kept = {line.strip() for line in one.data.split(b"\n")}
    for side in (a, b):
        added = set(side.split(b"\n")) - set(o.split(b"\n"))
        assert all(line.strip() in kept for line in added)


def test_texts_that_contradict_are_shown():
    base = history(d01="a")
    sides = [
        base.replace(HEAD.encode(), (HEAD + f"\n{text}\n").encode()) for text in "xy"
    ]
    assert joined(merge, base, *sides).conflicts == ("section Decisions history",)
