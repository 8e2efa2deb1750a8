"""Property of DESIGN 11: histories on several clones converge, with nothing lost.

True contradictions apart, which every order of merges has to show. The commit graph is
played here without git, so that thousands of histories fit into a test; `through_git`
plays a few with it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afterword.merge import record, session

from . import acts, building
from .acts import Act, Memory
from .building import SHA, asked, candidate, decided, edit, fields, real, started
from .clones import CANDIDATES, clone, origin

BASE = edit(
    candidate(files=("a.md",)),
    "status: candidate\n",
    "status: candidate\nwatchers:\n  - zoe\n",
)
LISTS = {
    "tags": ("tags:\n", "  - "),
    "sources": ("  derived_from:\n", "    - "),
    "watchers": ("watchers:\n", "  - "),
}
SCALARS = ("class", "title", "epistemics", "status", "owner", "mood")


@dataclass(frozen=True)
class Edit:
    """One change of one person: an item of a list, a value of a key, or the date."""

    what: str
    value: str

    def apply(self, data: bytes) -> bytes:
        text = data.decode()
        if self.what in LISTS:
            return self._grown(text).encode()
        head, _, body = text.partition("\n---\n")
        lines = head.split("\n")
        line = f"{self.what}: {self.value}"
        kept = [one for one in lines if one.startswith(f"{self.what}:")]
        lines = [line if one in kept else one for one in lines]
        lines += [] if kept else [line]
        return "\n".join([*lines, "---", body]).encode()

    def _grown(self, text: str) -> str:
        header, sign = LISTS[self.what]
        head, _, rest = text.partition(header)
        items = list(
            itertools.takewhile(lambda one: one.startswith(sign), rest.split("\n"))
        )
        line = sign + self.value
        if line in items:
            return text
        below = rest[sum(len(one) + 1 for one in items) :]
        return head + header + "".join(f"{one}\n" for one in [*items, line]) + below


ITEMS = st.sampled_from(("a", "b", "c", "d", "e"))
ADDITIONS = st.one_of(
    st.builds(Edit, st.just("tags"), ITEMS),
    st.builds(Edit, st.just("watchers"), ITEMS),
    st.builds(Edit, st.just("sources"), st.builds("issue:{}".format, ITEMS)),
)
VALUES = st.builds(Edit, st.sampled_from(SCALARS), ITEMS)
DATES = st.builds(
    Edit, st.just("date"), st.sampled_from(("2026-10-01", "2026-11-03", "2026-12-04"))
)


@st.composite
def works(draw: st.DrawFn) -> list[list[Edit]]:
    """What two or three people do before they merge; each sets a date once at most."""
    count = draw(st.integers(2, 3))
    found = []
    for _ in range(count):
        edits = draw(st.lists(st.one_of(ADDITIONS, ADDITIONS, VALUES), max_size=5))
        found.append([*edits, *draw(st.lists(DATES, max_size=1))])
    return found


def contested(people: list[list[Edit]]) -> set[str]:
    """The keys that people left at different values."""
    last: dict[str, set[str]] = {}
    for edits in people:
        for key, value in {one.what: one.value for one in edits}.items():
            last.setdefault(key, set()).add(value)
    return {key for key in SCALARS if len(last.get(key, ())) > 1}


def done(edits: list[Edit], data: bytes = BASE) -> bytes:
    for one in edits:
        data = one.apply(data)
    return data


def joined(order: tuple[bytes, ...]) -> tuple[bytes, set[str]]:
    """The versions merged one after another onto their common base; stops at a conflict."""
    data = order[0]
    for other in order[1:]:
        found = record.merge(BASE, data, other)
        assert found is not None
        data = found.data
        if found.conflicts:
            return data, set(found.conflicts)
    return data, set()


@settings(max_examples=300, deadline=None)
@given(people=works())
def test_any_order_of_merges_has_one_result_or_shows_the_contradiction(people):
    versions = [done(edits) for edits in people]
    results = [joined(order) for order in itertools.permutations(versions)]
    wanted = contested(people)
    for data, conflicts in results:
        assert conflicts <= wanted
        assert bool(conflicts) == bool(wanted)
        if not wanted:
            assert data == results[0][0]
    if not wanted:
        assert_all_is_there(people, results[0][0])


def assert_all_is_there(people: list[list[Edit]], data: bytes) -> None:
    found = fields(data)
    lists = {**found, "sources": found["provenance"]["derived_from"]}
    for one in itertools.chain(*people):
        if one.what in LISTS:
            assert one.value in lists[one.what]
    for key in SCALARS:
        last = {one.what: one.value for edits in people for one in edits}
        if key in last:
            assert found[key] == last[key]


def record_merge(before: bytes, ours: bytes, theirs: bytes) -> tuple[bytes, list[str]]:
    found = record.merge(before, ours, theirs)
    assert found is not None
    return found.data, list(found.conflicts)


@dataclass
class Graph:
    """Commits of one file (or memory) with their parents, and the head of each clone."""

    heads: list[int]
    data: list[Any] = field(default_factory=lambda: [BASE])
    join: Callable[[Any, Any, Any], tuple[Any, list[str]]] = record_merge
    past: list[frozenset[int]] = field(default_factory=lambda: [frozenset({0})])

    def commit(self, data: Any, *parents: int) -> int:
        self.data.append(data)
        own = frozenset({len(self.data) - 1})
        self.past.append(own.union(*(self.past[one] for one in parents)))
        return len(self.data) - 1

    def edit(self, who: int, change: Edit | Act) -> None:
        head = self.heads[who]
        self.heads[who] = self.commit(change.apply(self.data[head]), head)

    def base(self, one: int, other: int) -> Any:
        """As git finds it; of several, `recursive=binary` takes what lies below them."""
        common = self.past[one] & self.past[other]
        best = [
            at
            for at in common
            if not any(at in self.past[above] for above in common - {at})
        ]
        at = best[0]
        for more in best[1:]:
            below = self.past[at] & self.past[more]
            at = max(below, key=lambda node: len(self.past[node]))
        return self.data[at]

    def merge(self, who: int, whom: int) -> set[str]:
        ours, theirs = self.heads[who], self.heads[whom]
        if theirs in self.past[ours]:
            return set()
        if ours in self.past[theirs]:
            self.heads[who] = theirs
            return set()
        data, conflicts = self.join(
            self.base(ours, theirs), self.data[ours], self.data[theirs]
        )
        if not conflicts:
            self.heads[who] = self.commit(data, ours, theirs)
        return set(conflicts)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.integers(0, 2), st.one_of(ADDITIONS, VALUES)),
        st.tuples(st.integers(0, 2), st.integers(0, 2)),
    ),
    max_size=14,
)


@settings(max_examples=300, deadline=None)
@given(steps=STEPS)
def test_any_history_of_edits_and_merges_converges_with_nothing_lost(steps):
    graph = Graph(heads=[0, 0, 0])
    edits = [what for _, what in steps if isinstance(what, Edit)]
    values: dict[str, set[str]] = {}
    for one in edits:
        values.setdefault(one.what, set()).add(one.value)
    open_keys = {key for key in SCALARS if len(values.get(key, ())) > 1}
    synced = [(0, 1), (0, 2), (1, 0), (2, 0)]
    for who, what in [*steps, *synced]:
        if isinstance(what, Edit):
            graph.edit(who, what)
            continue
        conflicts = graph.merge(who, what)
        assert conflicts <= open_keys
        if conflicts:
            return  # a person has to decide; what follows depends on that
    ends = {graph.data[head] for head in graph.heads}
    assert len(ends) == 1
    assert_all_is_there(
        [[one for one in edits if one.what not in open_keys]], ends.pop()
    )


CLOSINGS = st.fixed_dictionaries(
    {
        "second": st.integers(0, 59),
        "outcome": st.sampled_from(("closed", "interrupted")),
        "head": st.sampled_from(SHA[:3]),
        "commits": st.lists(st.sampled_from(SHA), unique=True, max_size=3).map(tuple),
        "decisions": st.lists(ITEMS, unique=True, max_size=3),
        "questions": st.lists(ITEMS, unique=True, max_size=2),
        "has_task": st.booleans(),
    }
)


def closed(values: dict[str, object]) -> bytes:
    lines = [decided(text) for text in values["decisions"]]
    lines += [asked(text) for text in values["questions"]]
    lines += [started("t-1", "Parse")] if values["has_task"] else []
    return building.session(
        f"2026-11-02T12:00:{values['second']:02}.000Z",
        lines,
        outcome=values["outcome"],
        head=values["head"],
        commits=(SHA[1], *(one for one in values["commits"] if one != SHA[1])),
    )


@settings(max_examples=300, deadline=None)
@given(
    before=st.one_of(st.just(b""), st.just(building.session())),
    closings=st.lists(CLOSINGS, min_size=3, max_size=3),
)
def test_an_episode_closed_on_three_clones_converges(before, closings):
    versions = [closed(values) for values in closings]
    results = set()
    for order in itertools.permutations(versions):
        data = order[0]
        for other in order[1:]:
            found = session.merge(before, data, other)
            assert found is not None and not found.conflicts
            data = found.data
        results.add(data)
    (end,) = results
    found = fields(end)
    last = max(f"2026-11-02T12:00:{one['second']:02}.000Z" for one in closings)
    assert found["closed_at"] == last
    for values in closings:
        assert set(values["commits"]) <= set(found["commits"])
        assert set(values["decisions"]) <= set(found["decisions"])
        assert set(values["questions"]) <= set(found["questions"])
        for text in values["decisions"]:
            assert f"\n- {text} (why: it was needed)\n" in end.decode()


@settings(
    max_examples=4,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    people=st.lists(
        st.lists(ADDITIONS, min_size=1, max_size=3), min_size=3, max_size=3
    ),
    order=st.permutations(((0, 1), (1, 2), (2, 0))),
)
def test_through_git_three_clones_end_with_the_same_content(
    tmp_path_factory, people, order
):
    path = f"{CANDIDATES}/{building.RECORD}.md"
    top = tmp_path_factory.mktemp("history")
    source = origin(top / "origin", {path: BASE})
    team = [clone(source, top / f"clone{at}") for at in range(3)]
    for who, edits in zip(team, people, strict=True):
        for one in edits:
            who.commit({path: one.apply(who.read(path))})
    for who, whom in [*order, *order]:
        ran = team[who].merges(team[whom])
        assert ran.code == 0, ran.said
    # A list that a person left unsorted may stay so where git asks no driver: the content
    # is one, the order of its items is settled by the next merge that changes it.
    contents = [settled(fields(who.read(path))) for who in team]
    assert contents == [contents[0]] * 3
    assert_all_is_there(people, team[0].read(path))


def settled(value: object) -> object:
    """The value with every list sorted."""
    if isinstance(value, dict):
        return {key: settled(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return sorted((settled(inner) for inner in value), key=repr)
    return value


WHATS = "learn learn learn begin evolve evolve archive reflect reflect roll".split()
LEGACY: Memory = {
    acts.QUEUE: real("learning_queue.2026-02-27"),
    acts.LOG: real("reflection_log.2026-02-27.a767"),
    acts.BASE: real("knowledge_base.2026-02-28"),
}
STARTS = st.sampled_from(({}, LEGACY))


@st.composite
def worked(draw: st.DrawFn, who: str, least: int = 0) -> list[Act]:
    """What the program does on one clone, day after day."""
    whats = draw(st.lists(st.sampled_from(WHATS), min_size=least, max_size=7))
    days = sorted(draw(st.lists(st.integers(1, 28), min_size=7, max_size=7)))
    return [Act(what, days[at], f"{who}{at}") for at, what in enumerate(whats)]


def assert_all_is_kept(memory: Memory, *versions: Memory) -> None:
    """Nothing that any version holds is gone; no id of the program's is there twice."""
    for version in versions:
        queued = acts.items(memory) + acts.archived(memory)
        assert set(acts.items(version) + acts.archived(version)) <= set(queued)
        assert set(acts.archived(version)) <= set(acts.archived(memory))
        told = acts.sessions(memory) + acts.sessions(memory, acts.LOG_ARCHIVE)
        assert set(acts.sessions(version)) <= set(told)
        assert set(acts.rows(version)) <= set(acts.rows(memory))
        assert version.keys() <= memory.keys()
    for names in (acts.items(memory), acts.sessions(memory), acts.rows(memory)):
        assert len(names) == len(set(names))


@settings(max_examples=60, deadline=None)
@given(
    start=STARTS,
    first=worked("o"),
    works=st.tuples(worked("a", 1), worked("b", 1), worked("c", 1)),
)
def test_any_order_of_merges_of_the_evolution_files_has_one_result(start, first, works):
    """Learned, evolved, archived, reflected, rolled on three clones: the same bytes."""
    base = acts.done(first, start)
    versions = [acts.done(one, base) for one in works]
    results = []
    for order in itertools.permutations(versions):
        memory = order[0]
        for other in order[1:]:
            memory, conflicts = acts.merged(base, memory, other)
            assert not conflicts
        results.append(memory)
    assert results == [results[0]] * 6
    assert_all_is_kept(results[0], base, *versions)


DID = st.lists(
    st.one_of(
        st.tuples(st.integers(0, 2), st.sampled_from(WHATS)),
        st.tuples(st.integers(0, 2), st.integers(0, 2)),
    ),
    max_size=16,
)


@settings(max_examples=60, deadline=None)
@given(start=STARTS, steps=DID)
def test_any_history_of_the_program_s_acts_converges_with_nothing_lost(start, steps):
    graph = Graph(heads=[0, 0, 0], data=[start], join=acts.merged)
    for at, (who, what) in enumerate(steps):
        if isinstance(what, str):
            graph.edit(who, Act(what, at + 1, f"n{at}"))
        else:
            assert not graph.merge(who, what)
    for who, whom in [(0, 1), (0, 2), (1, 0), (2, 0)]:
        assert not graph.merge(who, whom)
    ends = [graph.data[head] for head in graph.heads]
    assert ends == [ends[0]] * 3
    assert_all_is_kept(ends[0], *graph.data)
