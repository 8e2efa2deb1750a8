"""Laws of the queue over generated files and over damaged real ones."""

from hypothesis import given, settings
from hypothesis import strategies as st
from mutated import mutated

from afterword.evolution import queue, queue_archive, words
from afterword.evolution.archive_text import Archive, trimmed
from afterword.store import blocks, safe_text

STAMP, LATER = "2026-11-30T12:34:56Z", "2026-12-01T00:00:00Z"
LINES = st.sampled_from(
    [
        *("### LQ-001: a", "### LQ-002-1a2b3c: b", "### ✅ Q-003：c", "### LQ-001: a"),
        *(
            "- 状态: done",
            "- Status: done",
            "- 状态: pending",
            "* **状态：** done",
            "状态: x",
        ),
        *("- 添加时间: 2026-03-01", "- 处理时间: 2026-03-02", "- Added: 2026-02-01"),
        *("- 内容: text", "  more", "#### part", "### [P1] none", "## Pending", "# T"),
        *("```", "~~~~", "<!--", "-->", "<!-- one -->", "---", "", "", "\0", "text"),
        f"<!-- archived {STAMP} -->",
        "<!-- archived 2026-11-3",
    ]
)
GENERATED = st.builds(
    lambda lines, end, tail: end.join(one.encode() for one in lines) + tail,
    st.lists(LINES, max_size=40),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
    st.sampled_from([b"", b"\n", b"\r\n", b"\xff\n"]),
)
FILES = st.one_of(GENERATED, mutated("learning_queue*"), mutated("*.md"), st.binary())
ARCHIVES = st.one_of(st.just(b""), GENERATED, mutated("learning_queue_archive*"))
KEEP = st.integers(1, 12)


@settings(deadline=None)
@given(FILES)
def test_n17_any_bytes_are_read_and_written_back_the_same(data):
    found = queue.read(data)
    at = 0
    for one in found.items:
        assert at <= one.start < one.end <= len(data)
        assert blocks.line_number(data, one.start) == one.line
        assert one.identity in found.raw(one).decode("utf-8", "replace")
        assert isinstance(one.title + one.content + one.product, str)
        at = one.end
    assert sum(found.counts().values()) == len(found.items)
    assert queue.replaced(found, {one: found.raw(one) for one in found.items}) == data


def not_done(data: bytes) -> bytes:
    """A file without its done items and without white space between the rest."""
    found = queue.read(data)
    done = {one: b"" for one in found.items if one.state == words.DONE}
    return b"".join(queue.replaced(found, done).split())


def texts(data: bytes) -> list[bytes]:
    found = queue.read(data)
    return [trimmed(found.raw(one)) for one in found.items]


@settings(max_examples=400, deadline=None)
@given(main=FILES, archive=ARCHIVES, keep=KEEP)
def test_a1_3_main_and_archive_hold_every_block_verbatim(main, archive, keep):
    """A1.3, C2, N14, N15: nothing lost, nothing changed, and a second run does nothing."""
    moved = queue_archive.plan(main, archive, keep, STAMP, words.EN)
    result = archive + moved.addition.data
    left = texts(moved.main)
    leaving = texts(main)
    for one in left:
        leaving.remove(one)
    assert len(leaving) == moved.moved == moved.addition.added + moved.addition.folded
    assert all(one in result for one in leaving)
    reader = Archive(result, queue_archive.cut)
    assert all(reader.holds(one) for one in leaving)
    assert not_done(moved.main) == not_done(main)
    counts = queue.read(moved.main).counts()
    assert counts["done"] == moved.kept <= max(keep, 1)
    again = queue_archive.plan(moved.main, result, keep, LATER, words.EN)
    assert (again.triggered, again.main, again.addition.data) == (
        False,
        moved.main,
        b"",
    )


@settings(max_examples=200, deadline=None)
@given(main=FILES, archive=ARCHIVES, keep=st.integers(1, 3), share=st.floats(0, 1))
def test_c6_killed_while_it_appends_the_next_run_completes_it(
    main, archive, keep, share
):
    """T1.7c, N7: every block is in the main file or in the archive, and in the end once."""
    whole = queue_archive.plan(main, archive, keep, STAMP, words.EN)
    torn = archive + whole.addition.data[: int(share * len(whole.addition.data))]
    again = queue_archive.plan(main, torn, keep, LATER, words.EN)
    result = torn + again.addition.data
    reader = Archive(result, queue_archive.cut)
    leaving = texts(main)
    for one in texts(again.main):
        leaving.remove(one)
    assert all(reader.holds(one) for one in leaving)
    assert not_done(again.main) == not_done(main)


NASTY = st.text(
    st.one_of(
        st.sampled_from("#`~<!->: \n\r\t-*LQ0123|\\$&{}\0\u2028\ud800状态：done"),
        st.characters(),
    ),
    max_size=80,
)
CONTENT = st.one_of(NASTY, st.lists(LINES, max_size=12).map("\n".join))
NEW = st.builds(
    queue.New,
    identity=st.just("LQ-050-abcdef"),
    title=NASTY,
    priority=st.sampled_from(["P0", "P3"]),
    source=NASTY,
    added=st.just("2026-11-30"),
    content=CONTENT,
    metadata=NASTY,
)


@settings(max_examples=400, deadline=None)
@given(data=FILES, new=NEW, language=st.sampled_from([words.EN, words.ZH]))
def test_q13_what_is_added_reads_back_as_one_item_and_the_rest_is_as_it_was(
    data, new, language
):
    """N17, Q15: no text given begins an item, ends one, or swallows what follows."""
    before = data or queue.template(language)
    made = queue.add(data, new, language)
    at = next(
        (at for at, (a, b) in enumerate(zip(before, made, strict=False)) if a != b),
        len(before),
    )
    assert any(
        made.startswith(before[:place]) and made.endswith(before[place:])
        for place in {at, *range(max(0, at - 200), at)}
    )
    old, found = queue.read(before), queue.read(made)
    added = [one for one in found.items if one.identity == "LQ-050-abcdef"]
    (one,) = added
    assert (one.state, one.title) == (words.PENDING, safe_text.one_line(new.title))
    assert (one.priority, one.added) == (new.priority, "2026-11-30")
    assert one.source == safe_text.one_line(new.source)
    assert one.text("metadata") == safe_text.one_line(new.metadata)
    others = [trimmed(found.raw(other)) for other in found.items if other is not one]
    assert others == [trimmed(old.raw(other)) for other in old.items]


PLAIN = st.lists(
    st.text(st.characters(categories=["L", "N"]), min_size=1), min_size=1, max_size=5
)


@settings(deadline=None)
@given(lines=PLAIN, blank=st.sampled_from(["\n", "\n\n", "\r\n", "\n  "]))
def test_n17_a_content_of_several_lines_is_read_as_it_was_given(lines, blank):
    content = blank.join(lines)
    new = queue.New(
        identity="LQ-001-abcdef",
        title="t",
        priority="P1",
        source="s",
        added="2026-11-30",
        content=content,
    )
    (one,) = queue.read(queue.add(None, new, words.EN)).items
    assert one.content == content.replace("\r\n", "\n")


@settings(deadline=None)
@given(
    data=FILES,
    state=st.sampled_from([words.PROCESSING, words.DONE, words.PENDING]),
    processed=st.sampled_from(["", "2026-11-30"]),
    product=st.sampled_from(["", "k-1a2b3c4d"]),
)
def test_n15_a_changed_item_keeps_all_its_other_lines(data, state, processed, product):
    """Q16: and its neighbours are as they were, also those with the same id."""
    found = queue.read(data)
    for one in found.items:
        raw = queue.put_state(
            found.raw(one),
            state,
            processed=processed,
            product=product,
            language=words.EN,
        )
        again = queue.read(queue.replaced(found, {one: raw}))
        assert len(again.items) == len(found.items)
        index = found.items.index(one)
        changed = again.items[index]
        assert changed.state == state
        assert processed in changed.processed
        assert product in changed.product
        assert changed.content.startswith(one.content[:20]) or product
        for place, other in enumerate(again.items):
            if place != index:
                assert again.raw(other) == found.raw(found.items[place])
