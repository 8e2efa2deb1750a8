"""Property of DESIGN 11 for compiled memories: any history on several clones converges.

Increments added, compiled, conflicts decided, files edited by hand on three clones that
merge in any order: nothing is lost, and what the next compile writes is the same
everywhere. The commit graph is played without git; test_snapshot_clones.py has git.
"""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from . import compiles
from .compiles import INDEX, REGISTRY, Act, Compiled, Memory, Noted, Resolved, Said
from .test_histories import Graph

TITLES = (
    "Payment call timeout",
    "Uploads are retried three times",
    "Tabs are refused",
    "Orders expire after a day",
)
DETAILS = (
    ("key: pay.timeout", "value: 5s"),
    ("key: pay.timeout", "value: 3s"),
    ("key: pay.timeout", "value: 3000ms"),
    ("原因: it was measured",),
    ("原因: it was asked for", "source: Zoe"),
    ("supersedes: Tabs are refused - spaces won",),
    ("supersedes: pay.timeout - the provider changed",),
    (),
)
KINDS = ("decision", "decision", "constraint", "config", "glossary")
MOST = (26, 200)


@st.composite
def said(draw: st.DrawFn, name: str) -> Said:
    return Said(
        name,
        draw(st.sampled_from(TITLES)),
        draw(st.sampled_from(DETAILS)),
        kind=draw(st.sampled_from(KINDS)),
        day=draw(st.integers(1, 9)),
        author=draw(st.sampled_from(("Ines", "Tomas"))),
        confidence=draw(st.sampled_from(("high", "high", "medium", "low"))),
        domain=draw(st.sampled_from(("", "", "order", "pay"))),
    )


@st.composite
def worked(draw: st.DrawFn, who: str, most: int) -> list[Act]:
    """What one clone does; its increments are its own, its compiles have its date."""
    acts: list[Act] = []
    for at in range(draw(st.integers(1, 4))):
        what = draw(
            st.sampled_from(("say", "say", "say", "compile", "resolve", "note"))
        )
        if what == "say":
            acts.append(draw(said(f"{who}{at}")))
        elif what == "resolve":
            acts.append(
                Resolved(f"{who}{at}", draw(st.sampled_from(("old", "new", "both"))))
            )
        elif what == "note":
            acts.append(Noted(f"{who}{at}"))
        else:
            acts.append(Compiled(draw(st.integers(10, 28)), most))
    return [*acts, Compiled(29, most)] if draw(st.booleans()) else acts


def settled(memory: Memory, most: int) -> Memory:
    """The memory after a compile, which another one leaves as it is."""
    once = Compiled(30, most).apply(memory)
    assert Compiled(30, most).apply(once) == once
    return once


def assert_nothing_is_lost(memory: Memory, *versions: Memory) -> None:
    for version in versions:
        assert compiles.stems(version) <= compiles.stems(memory)
        assert facts_of(version) <= facts_of(memory)
        for data in version.values():
            notes = [
                line for line in data.split(b"\n") if line.startswith(b"- seen by")
            ]
            assert all(any(note in text for text in memory.values()) for note in notes)


def facts_of(memory: Memory) -> set[str]:
    return {name for name in compiles.ids(memory) if name.startswith("e-")}


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_order_of_merges_of_compiled_files_has_one_result(data):
    most = data.draw(st.sampled_from(MOST))
    start = data.draw(st.sampled_from(({}, {INDEX: REGISTRY})))
    base = compiles.done(data.draw(worked("o", most)), start)
    works = [compiles.done(data.draw(worked(who, most)), base) for who in "abc"]
    ends = []
    for order in itertools.permutations(works):
        memory = order[0]
        for other in order[1:]:
            memory, marks = compiles.merged(base, memory, other)
            assert not marks
        assert_nothing_is_lost(memory, base, *works)
        ends.append(settled(memory, most))
    assert ends == [ends[0]] * 6
    assert_nothing_is_lost(ends[0], base, *works)


STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.integers(0, 2), st.sampled_from(("say", "say", "compile", "resolve"))
        ),
        st.tuples(st.integers(0, 2), st.integers(0, 2)),
    ),
    max_size=14,
)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS, data=st.data(), most=st.sampled_from(MOST))
def test_any_history_of_compiles_and_merges_converges_with_nothing_lost(
    steps, data, most
):
    graph = Graph(heads=[0, 0, 0], data=[{INDEX: REGISTRY}], join=compiles.merged)
    for at, (who, what) in enumerate(steps):
        if what == "say":
            graph.edit(who, data.draw(said(f"n{at}")))
        elif what == "compile":
            graph.edit(who, Compiled(at + 10, most))
        elif what == "resolve":
            graph.edit(
                who, Resolved(f"n{at}", data.draw(st.sampled_from(("old", "new"))))
            )
        else:
            assert not graph.merge(who, what)
    for who, whom in [(0, 1), (0, 2), (1, 0), (2, 0)]:
        assert not graph.merge(who, whom)
    ends = [settled(graph.data[head], most) for head in graph.heads]
    assert ends == [ends[0]] * 3
    assert_nothing_is_lost(ends[0], *graph.data)
