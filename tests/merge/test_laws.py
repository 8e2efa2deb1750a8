"""The laws of DESIGN 11, over generated files of the shapes that people leave.

law 1 m(o,o,b)=b, law 2 m(o,a,o)=a, law 3 m(o,x,x)=x, law 4 m(o,a,b)=m(o,b,a); law 5: a
field that both sides changed does not depend on o; law 6: an edit beats a removal.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterword.merge import laws, record, session
from afterword.merge.laws import Merged
from afterword.store.merge_markers import first_line

from .building import FIXTURES, RECORD, entry, swapped
from .drawn import KINDS, Kind, edited, lf

pytestmark = pytest.mark.filterwarnings("error")

WORDS = ("alpha", "beta", "gamma", "delta")


def block(items: list[str], indent: str) -> str:
    return "".join(f"{indent}- {item}\n" for item in items)


@st.composite
def listing(draw: st.DrawFn) -> str:
    items = draw(st.lists(st.sampled_from(WORDS), unique=True, max_size=4))
    if not items or draw(st.integers(0, 4)) == 0:
        return f" [{', '.join(items)}]\n"
    note = draw(st.sampled_from(("", "", "  # the first\n")))
    return "\n" + note + block(items, draw(st.sampled_from(("  ", ""))))


SCALARS = st.sampled_from(
    (" one\n", ' "two"\n', " three  # why\n", " |\n  four\n\n  five\n", "\n")
)
VALUES = {
    "title": SCALARS,
    "status": st.sampled_from((" candidate\n", " verified\n", " superseded\n")),
    "date": st.sampled_from((" 2026-01-02\n", ' "2026-01-02"\n', " 2026-03-04\n")),
    "tags": listing(),
    "provenance": st.sampled_from(
        (
            "\n  origin: extracted\n  derived_from:\n    - session:e1\n",
            "\n  origin: extracted\n  derived_from:\n    - session:e1\n    - commit:a\n",
            "\n  origin: authored\n  derived_from:\n    - commit:b\n",
            "\n  # by hand\n  derived_from: [session:e1, file:x]\n",
        )
    ),
    "relations": st.sampled_from(
        (
            " []\n",
            "\n  - type: relates_to\n    target: file:x\n",
            "\n  - target: file:x\n    type: relates_to\n",
            "\n  - type: supports\n    target: file:y\n",
        )
    ),
    "owner": SCALARS,
    "watchers": listing(),
    "closed_at": st.sampled_from((' "2026-01-01T10:00:00.000Z"\n', " never\n")),
}
BODIES = st.sampled_from(
    (
        "",
        "\n# A title\n",
        "\n# A title\n\nText.\n",
        "\n# A title\n\nOther text.",
        "\n\n",
    )
)


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    keys = draw(st.permutations(sorted(VALUES)))
    keys = keys[: draw(st.integers(2, len(keys)))]
    if draw(st.booleans()):
        keys = sorted(keys)
    parts = [f"id: {RECORD}\nsession_id: {RECORD}\n"]
    for key in keys:
        lead = draw(st.sampled_from(("", "", "", "# note\n", "\n")))
        parts.append(f"{lead}{key}:{draw(VALUES[key])}")
    tail = draw(st.sampled_from(("", "", "# the end\n")))
    text = f"---\n{''.join(parts)}{tail}---\n{draw(BODIES)}"
    if draw(st.integers(0, 5)) == 0:
        text = text.replace("\n", "\r\n")
    return (draw(st.sampled_from(("", "", "", "\ufeff"))) + text).encode()


MERGES = pytest.mark.parametrize("kind", [record, session], ids=["record", "session"])


def merged(kind: object, before: bytes, ours: bytes, theirs: bytes) -> Merged:
    found = kind.merge(before, ours, theirs)  # type: ignore[attr-defined]
    assert found is not None
    return found


def same(one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return one is other
    return laws.lf(one) == laws.lf(other)


@MERGES
@given(o=documents(), x=documents())
def test_law_1_to_3_what_one_side_changed_is_taken_byte_for_byte(kind, o, x):
    assert merged(kind, o, o, x) == Merged(data=x)
    assert merged(kind, o, x, o) == Merged(data=x)
    assert merged(kind, o, x, x) == Merged(data=x)


@MERGES
@settings(max_examples=200)
@given(o=documents(), a=documents(), b=documents())
def test_law_4_the_sides_may_change_places(kind, o, a, b):
    one, other = merged(kind, o, a, b), merged(kind, o, b, a)
    assert one.data == swapped(other.data)
    assert set(one.conflicts) == set(other.conflicts)
    assert bool(one.conflicts) == (b"<<<<<<< ours" in one.data)


@MERGES
@settings(max_examples=200)
@given(o=documents(), a=documents(), b=documents())
def test_law_of_every_field_in_a_merge_of_many(kind, o, a, b):
    found = merged(kind, o, a, b)
    for key in VALUES:
        before, ours, theirs = (entry(one, key) for one in (o, a, b))
        if kind is session and (key == "closed_at" or found.conflicts):
            continue
        if same(ours, before) or same(ours, theirs):
            assert held(found, key, theirs)
        elif same(theirs, before):
            assert held(found, key, ours)


def held(found: Merged, key: str, wanted: str | None) -> bool:
    """Whether a key came out as wanted; beside markers its lines are looked for."""
    if found.conflicts:
        return wanted is None or laws.lf(wanted) in laws.lf(found.data.decode())
    return same(entry(found.data, key), wanted)


@MERGES
@settings(max_examples=200)
@given(o=documents(), a=documents(), b=documents())
def test_law_5_what_both_changed_does_not_depend_on_the_base(kind, o, a, b):
    """A rebase or a cherry-pick hands over a base that was never common."""
    based, free = merged(kind, o, a, b), merged(kind, b"", a, b)
    for key in VALUES.keys() - {"provenance"}:  # its parts are fields of their own
        before, ours, theirs = (entry(one, key, bare=True) for one in (o, a, b))
        contested = None not in (ours, theirs) and not same(ours, theirs)
        if not contested or same(ours, before) or same(theirs, before):
            continue
        assert (key in based.conflicts) <= (key in free.conflicts)
        if not based.conflicts and not free.conflicts:
            one, other = (entry(one.data, key, bare=True) for one in (based, free))
            assert same(one, other)


@MERGES
@settings(max_examples=200)
@given(o=documents(), a=documents(), b=documents())
def test_law_6_an_edit_beats_a_removal(kind, o, a, b):
    found = merged(kind, o, a, b)
    for key in VALUES:
        before, ours, theirs = (entry(one, key) for one in (o, a, b))
        if ours is None and theirs is not None and not same(theirs, before):
            assert held(found, key, theirs)


@settings(max_examples=200)
@given(o=documents(), a=documents(), b=documents())
def test_nothing_that_a_side_added_is_lost(o, a, b):
    """Every word of either side that is not in the base stands in the merge."""
    found = laws.lf(merged(record, o, a, b).data.decode())
    base = words(o)
    for side in (a, b):
        for word in words(side) - base:
            assert word in found or word.startswith("2026-")  # the earliest date


def words(data: bytes) -> set[str]:
    """What a person would miss: texts without quotes, list signs and brackets."""
    text = laws.lf(data.decode()).replace("[", " ").replace("]", " ").replace(",", " ")
    return {word.strip("\"'") for word in text.split()} - {"-", "---", "|", "#", ""}


CONVERGENT = st.fixed_dictionaries(
    {
        "tags": st.sets(st.sampled_from(WORDS)),
        "sources": st.sets(st.sampled_from(("commit:a", "issue:7", "session:e9"))),
        "watchers": st.sets(st.sampled_from(WORDS)),
        "date": st.sampled_from(("2026-01-02", "2026-03-04", "2026-05-06")),
    }
)


def grown(values: dict[str, object]) -> bytes:
    """A record in which lists only grew from the common ancestor's."""
    tags = ["derived", *sorted(values["tags"])]
    sources = ["session:e1", *sorted(values["sources"])]
    watchers = ["zoe", *sorted(values["watchers"], reverse=True)]
    return (
        f"---\nid: {RECORD}\ndate: {values['date']}\ntags:\n{block(tags, '  ')}"
        f"provenance:\n  derived_from:\n{block(sources, '    ')}"
        f"watchers:\n{block(watchers, '  ')}---\n\n# T\n"
    ).encode()


ORIGIN = grown({"tags": (), "sources": (), "watchers": (), "date": "2026-04-01"})


@given(a=CONVERGENT, b=CONVERGENT, c=CONVERGENT)
def test_law_any_order_of_three_merges_is_the_same(a, b, c):
    one, two, three = grown(a), grown(b), grown(c)

    def join(x: bytes, y: bytes) -> bytes:
        found = merged(record, ORIGIN, x, y)
        assert not found.conflicts
        return found.data

    left = join(join(one, two), three)
    assert left == join(one, join(two, three)) == join(join(one, three), two)


# The evolution files: each is a row of pieces (items, blocks, reflections, rows).
EVOLUTION = pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])


def joined(kind: Kind, before: bytes, ours: bytes, theirs: bytes) -> Merged:
    found = kind.merge(before, ours, theirs)
    assert found is not None
    return found


@EVOLUTION
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_law_1_to_3_of_an_evolution_file(kind, data):
    o, x = data.draw(kind.files), data.draw(kind.files)
    assert joined(kind, o, o, x) == Merged(data=x)
    assert joined(kind, o, x, o) == Merged(data=x)
    assert joined(kind, o, x, x) == Merged(data=x)


@EVOLUTION
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_law_4_the_sides_of_an_evolution_file_may_change_places(kind, data):
    o, a, b = (data.draw(kind.files) for _ in range(3))
    one, other = joined(kind, o, a, b), joined(kind, o, b, a)
    assert one.data == swapped(other.data)
    assert set(one.conflicts) == set(other.conflicts)
    assert bool(one.conflicts) == bool(first_line(one.data))


@EVOLUTION
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_law_of_every_piece_in_a_merge_of_many(kind, data):
    """What one side changed is taken, what it removed is gone, an edit beats a removal."""
    o, a, b = (data.draw(kind.files) for _ in range(3))
    found = joined(kind, o, a, b)
    before, ours, theirs = (kind.parts(side) for side in (o, a, b))
    for key in {**ours, **theirs}:
        first, one, other = (side.get(key) for side in (before, ours, theirs))
        if one in (first, other):
            assert holds(kind, found, key, other)
        elif other == first:
            assert holds(kind, found, key, one)
        else:
            assert key in kind.parts(found.data)


def holds(kind: Kind, found: Merged, key: str, wanted: bytes | None) -> bool:
    """Whether a piece came out as wanted; markers of its neighbour do not count."""
    if found.conflicts and wanted is not None:
        return wanted in lf(found.data)
    return kind.parts(found.data).get(key) == wanted


@EVOLUTION
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_law_5_a_piece_that_both_changed_whole_does_not_depend_on_the_base(kind, data):
    """A rebase or a cherry-pick hands over a base that was never common."""
    a, b = data.draw(kind.files), data.draw(kind.files)
    ours, theirs = kind.parts(a), kind.parts(b)
    found = [joined(kind, o, a, b).data for o in (b"", data.draw(kind.files))]
    free, based = (kind.parts(side) for side in found)
    if any(map(first_line, found)):
        return
    for key in ours.keys() & theirs.keys():
        if ours[key] == theirs[key]:
            assert free[key] == based[key] == ours[key]


REAL = [
    (kind, [path.read_bytes() for path in sorted(FIXTURES.glob(pattern))])
    for kind, pattern in zip(
        KINDS,
        (
            "learning_queue.*",
            "*queue_archive.*",
            "reflection_log.*",
            "knowledge_base.*",
        ),
        strict=True,
    )
]


@pytest.mark.parametrize(("kind", "files"), REAL, ids=[kind.name for kind, _ in REAL])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_real_files_that_two_people_changed_anyhow(kind, files, data):
    """All eras, GBK and NULs: the laws hold, or git's text merge has to do it."""
    o, a, b = data.draw(edited(files))
    one, other = kind.merge(o, a, b), kind.merge(o, b, a)
    assert kind.merge(o, o, b) == kind.merge(o, b, o) == Merged(data=b)
    if one is None or other is None:
        assert one is other
        return
    assert one.data == swapped(other.data)
    kept, old = texts(one.data), texts(o)
    for side in (a, b):
        assert all(line in kept or is_counted(line) for line in texts(side) - old)


def texts(data: bytes) -> set[bytes]:
    """What its lines say."""
    return {line.strip() for line in data.replace(b"\r", b"\n").split(b"\n")}


def is_counted(line: bytes) -> bool:
    """Lines of which one of two values stands: states, dates, priorities, numbers."""
    labels = ("状态", "处理时间", "优先级", "知识产出", "entries", "last_updated")
    return line.startswith(b"|") or any(name.encode() in line for name in labels)
