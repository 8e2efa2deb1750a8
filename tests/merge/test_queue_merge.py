"""Two versions of a learning queue and their ancestor, item by item."""

from __future__ import annotations

import functools
import time

import pytest

from afterword.evolution import queue as queue_file
from afterword.evolution import queue_archive
from afterword.merge import queue

from .building import edit, joined, real, united

STAMP = "2026-11-30T12:00:00Z"


def item(name: str, state: str = "pending", **fields: str) -> str:
    """An item of era L1; fields by their labels, in the order of the file."""
    values = {"Priority": "P2", "Source": "session", "Status": state}
    values |= {"Added": "2026-11-01", "Content": f"What {name} says", **fields}
    lines = "".join(f"- {label}: {value}\n" for label, value in values.items())
    return f"### {name}: Title of {name}\n{lines}\n"


def queue_of(*items: str, trailer: str = "") -> bytes:
    return ("# Learning queue\n\n## Pending\n\n" + "".join(items) + trailer).encode()


merged = functools.partial(joined, queue.merge)
clean = functools.partial(united, queue.merge)


def ids(data: bytes) -> list[str]:
    return [one.identity for one in queue_file.read(data).items]


def field(data: bytes, name: str, label: str) -> str:
    """The value of a field of an item, "" where there is none."""
    (one,) = (one for one in queue_file.read(data).items if one.identity == name)
    lines = [line for line in one.raw.decode().splitlines() if label in line]
    return lines[0].partition(": ")[2] if lines else ""


ONE = item("LQ-001")
BASES = [queue_of(ONE), queue_of(), b""]
AMONG_BASES = pytest.mark.parametrize("before", BASES, ids=["base", "other", "none"])


def with_fields(state: str = "pending", **fields: str) -> bytes:
    return queue_of(item("LQ-001", state, **fields))


@pytest.mark.parametrize(
    ("ours", "theirs", "wanted"),
    [
        ("processing", "done", "done"),
        ("in-progress", "done", "done"),
        ("pending", "done", "done"),
        ("pending", "processing", "processing"),
    ],
)
def test_a_state_goes_forward_only(ours, theirs, wanted):
    found = clean(b"", with_fields(ours), with_fields(theirs))
    assert found == with_fields(wanted)


def test_a_state_that_one_side_sets_back_is_set_back():
    """Only what both changed is compared: a person may open an item again."""
    base = queue_of(item("LQ-001", "done"), item("LQ-002"))
    ours = edit(base, "Status: done", "Status: pending")
    found = clean(base, ours, edit(base, "What LQ-002", "What else LQ-002"))
    assert field(found, "LQ-001", "Status") == "pending"


def test_q10_a_text_that_is_no_state_is_shown_and_not_compared():
    found = merged(b"", with_fields("done"), with_fields("done（部分）"))
    assert found.conflicts == ("LQ-001: Status",)
    assert (
        "- Source: session\n<<<<<<< ours\n- Status: done\n=======\n"
        "- Status: done（部分）\n>>>>>>> theirs\n- Added: 2026-11-01\n"
    ) in found.data.decode()


@AMONG_BASES
def test_the_earliest_processing_counts_and_all_products_stay(before):
    ours = with_fields("done", Processed="2026-11-09", Product="k-029, P-003")
    theirs = with_fields("done", Processed="2026-11-07", Product="k-1f2e3d4c")
    found = clean(before, ours, theirs)
    assert field(found, "LQ-001", "Processed") == "2026-11-07"
    assert field(found, "LQ-001", "Product") == "P-003, k-029, k-1f2e3d4c"


@AMONG_BASES
def test_of_two_priorities_the_more_urgent_counts(before):
    if before == BASES[0]:
        before = with_fields(Priority="P3")
    urgent = with_fields(Priority="P0（阻塞发布）")
    assert clean(before, with_fields(Priority="P1"), urgent) == urgent


def test_what_both_sides_made_of_one_item_is_taken_together():
    """One side evolves it, the other explains it and raises its priority."""
    base = queue_of(ONE)
    ours = with_fields("done", Processed="2026-11-09", Product="k-1f2e3d4c")
    theirs = edit(with_fields(Priority="P0"), "What LQ-001 says", "What it really says")
    found = clean(base, ours, theirs)
    assert found == edit(
        with_fields(
            "done", Priority="P0", Processed="2026-11-09", Product="k-1f2e3d4c"
        ),
        "What LQ-001 says",
        "What it really says",
    )


def test_one_field_in_two_spellings_is_one_field():
    """Linted on one side (era L1b), translated on the other, evolved on both."""
    base = queue_of(item("Q-001"))
    lines = base.decode().replace("\n- ", "\n\n* ")
    ours = lines.replace("Status: pending", "Status: done").encode()
    theirs = base.decode().replace("- Status: pending", "**状态：** done").encode()
    found = clean(base, ours, theirs)
    assert field(found, "Q-001", "Priority") == "P2"
    assert [one.state for one in queue_file.read(found).items] == ["done"]


def test_a_second_field_of_one_name_is_text():
    """The first field of a name counts (T1.0), so no rule reads the second one."""
    text = "- Status: done\n- Content: It had\n- Status: {}\n"
    base, ours, theirs = (
        queue_of("### LQ-001: T\n" + text.format(word) + "\n")
        for word in ("pending", "processing", "done")
    )
    assert merged(base, ours, theirs).conflicts == ("LQ-001: Status",)


@pytest.mark.parametrize("label", ["Content", "Source", "Metadata"])
def test_any_other_text_that_both_changed_is_shown_in_that_item_only(label):
    base = queue_of(item("LQ-001", Metadata="a=b"), item("LQ-002"))
    ours, theirs = (
        base.replace(f"{label}: ".encode(), f"{label}: {word} ".encode(), 1)
        for word in ("one", "two")
    )
    ours += item("LQ-003").encode()
    found = merged(base, ours, theirs)
    assert found.conflicts == (f"LQ-001: {label}",)
    text = found.data.decode()
    assert text.count("<<<<<<< ours") == 1
    assert f"<<<<<<< ours\n- {label}: one " in text
    assert f"\n=======\n- {label}: two " in text
    assert item("LQ-002") in text and item("LQ-003") in text


def test_h43_additions_are_clean_and_the_edit_of_one_item_is_the_only_conflict():
    base = queue_of(ONE)
    five = [
        [item(f"LQ-{at:03d}-{side}{at:05d}") for at in range(2, 7)] for side in "ab"
    ]
    ours = queue_of(ONE.replace("What LQ-001", "All that LQ-001"), *five[0])
    theirs = queue_of(ONE.replace("What LQ-001", "Much that LQ-001"), *five[1])
    found = merged(base, ours, theirs)
    assert found.conflicts == ("LQ-001: Content",)
    names = ids(found.data)
    assert len(names) == len(set(names)) == 11
    assert names == sorted(names)


def test_q4_two_items_that_people_gave_one_id_are_shown_and_both_are_there():
    """Without a suffix nothing tells a number that two sides gave away from an edit."""
    found = merged(
        queue_of(),
        queue_of(item("LQ-007", Content="Ours")),
        queue_of(item("LQ-007", Content="Theirs")),
    )
    assert found.conflicts == ("LQ-007: Content",)
    assert b"Content: Ours" in found.data and b"Content: Theirs" in found.data


def test_q16_items_with_one_id_in_one_file_are_told_apart_by_their_content():
    twice = [item("Q-024", "done"), item("Q-024", Content="Another thing")]
    base = queue_of(*twice)
    ours = queue_of(twice[0], twice[1].replace("P2", "P0"))
    theirs = queue_of(*twice, item("Q-025"))
    found = clean(base, ours, theirs)
    assert found == queue_of(twice[0], twice[1].replace("P2", "P0"), item("Q-025"))


def test_items_without_a_suffix_keep_the_order_a_person_gave_them():
    names = ["LQ-030", "LQ-029", "LQ-016", "LQ-001"]
    base = queue_of(*map(item, names))
    ours = queue_of(*map(item, ["LQ-030", "LQ-031", "LQ-029", "LQ-016", "LQ-001"]))
    theirs = queue_of(*map(item, ["LQ-029", "LQ-016", "LQ-030", "LQ-032", "LQ-001"]))
    found = clean(base, ours, theirs)
    assert ids(found) == ["LQ-029", "LQ-016", "LQ-030", "LQ-031", "LQ-032", "LQ-001"]


def test_a1_5_those_with_a_suffix_stand_as_an_archive_run_leaves_them():
    """Done ones newest first, then the others in the order in which they came."""
    old = item("LQ-001")
    base = queue_of(old)
    ours = queue_of(
        old,
        item("LQ-003-cccccc", Added="2026-11-03"),
        item("LQ-002-bbbbbb", "done", Processed="2026-11-05"),
    )
    theirs = queue_of(
        old,
        item("LQ-002-aaaaaa", "done", Processed="2026-11-06"),
        item("LQ-003-dddddd", Added="2026-11-02"),
    )
    found = clean(base, ours, theirs)
    wanted = [
        "LQ-001",
        "LQ-002-aaaaaa",
        "LQ-002-bbbbbb",
        "LQ-003-dddddd",
        "LQ-003-cccccc",
    ]
    assert ids(found) == wanted


def test_an_item_that_was_archived_on_one_side_is_gone_and_an_edited_one_stays():
    base = real("learning_queue.2026-02-28")
    moved = queue_archive.plan(base, b"", 10, STAMP, "zh")
    theirs = edit(base, "LQ-006: Regex", "LQ-006: RegExp")
    theirs = edit(theirs, "LQ-025: ", "LQ-025: 关于")
    found = clean(base, moved.main, theirs)
    kept = ids(moved.main)
    assert sorted(ids(found)) == sorted([*kept, "LQ-006"])
    assert b"LQ-006: RegExp" in found
    assert [name for name in ids(found) if name != "LQ-006"] == kept


def test_both_sides_archived_and_one_learned_meanwhile():
    base = real("learning_queue.2026-02-28")
    moved = queue_archive.plan(base, b"", 10, STAMP, "zh").main
    new = queue_file.New(
        identity="LQ-031-1a2b3c",
        title="New",
        priority="P2",
        source="session",
        added="2026-03-01",
        content="New",
    )
    learned = queue_file.add(moved, new, "zh")
    fewer = queue_archive.plan(base, b"", 9, STAMP, "zh").main
    found = clean(base, learned, fewer)
    assert ids(found) == [*ids(fewer), "LQ-031-1a2b3c"]


def test_a_cherry_pick_brings_one_item_over():
    """Its base has an item that we never had: that one is not brought along."""
    x, y, z = (item(f"LQ-00{at}-{at}aaaaa") for at in (1, 2, 3))
    found = clean(queue_of(x), queue_of(z), queue_of(x, y))
    assert found == queue_of(y, z)


def test_a_move_to_another_section_is_no_edit():
    """The section never tells the status (spec/evolution.md 1.1), but a person's place stays."""
    base = queue_of(item("LQ-001"), item("LQ-002"), trailer="## Done\n")
    moved = queue_of(item("LQ-002"), "## Done\n\n" + item("LQ-001"))
    done = edit(base, "LQ-001\n- Priority: P2", "LQ-001\n- Priority: P0")
    found = clean(base, moved, done)
    assert ids(found) == ["LQ-002", "LQ-001"]
    assert found.index(b"## Done") < found.index(b"LQ-001")
    assert field(found, "LQ-001", "Priority") == "P0"


def test_what_is_no_item_stays_where_it_is():
    """Range tombstones, items without an id, the template in its fence (Q7, Q8)."""
    base = real("learning_queue.2026-03-17")
    ours = base.replace(b"\n### Q-004", b"\n### \xe2\x9c\x85 Q-004").replace(
        b"95%", b"96%"
    )
    theirs = base + item("Q-007").encode()
    found = clean(base, ours, theirs)
    assert found == ours + item("Q-007").encode()


def test_text_of_nobody_is_merged_by_lines():
    base = real("learning_queue.2026-02-28")
    ours = edit(base, "- P0: 紧急，影响系统稳定性", "- P0: 最紧急")
    theirs = edit(base, "- P3: 低优先级，可选优化", "- P3: 可选").replace(
        b"LQ-030:", b"LQ-030: !"
    )
    found = clean(base, ours, theirs)
    for text in ("- P0: 最紧急\n", "- P3: 可选\n", "LQ-030: !"):
        assert text in found.decode()
    clash = edit(base, "- P0: 紧急，影响系统稳定性", "- P0: 停工")
    marked = merged(base, ours, clash)
    assert marked.conflicts == ("section 优先级说明",)
    assert "<<<<<<< ours\n- P0: 最紧急\n=======\n- P0: 停工\n>>>>>>> theirs\n" in (
        marked.data.decode()
    )


def test_a_heading_below_which_the_other_side_learned_stays():
    base = queue_of(item("LQ-001"), trailer="## Later\n")
    ours = queue_of(item("LQ-001").replace("P2", "P1"))
    theirs = base + b"\n" + item("LQ-002-aaaaaa").encode()
    found = clean(base, ours, theirs)
    assert found.index(b"## Later") < found.index(b"LQ-002-aaaaaa")


def test_a_queue_made_on_two_clones_is_one_queue():
    new = [
        queue_file.New(
            identity=f"LQ-001-{suffix}",
            title=suffix,
            priority="P2",
            source="session",
            added="2026-11-30",
            content=suffix,
        )
        for suffix in ("bbbbbb", "aaaaaa")
    ]
    ours, theirs = (queue_file.add(None, one, "en") for one in new)
    found = clean(b"", ours, theirs)
    assert ids(found) == ["LQ-001-aaaaaa", "LQ-001-bbbbbb"]
    assert found == queue_file.add(theirs, new[0], "en")


@pytest.mark.parametrize("ending", [b"\r\n", b"\n"], ids=["crlf", "lf"])
@pytest.mark.parametrize("final", [True, False], ids=["final", "no final"])
@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b""], ids=["bom", "bare"])
def test_line_ends_mark_and_end_of_the_file_stay(ending, final, mark):
    def whole(*items: str) -> bytes:
        data = queue_of(*items).rstrip(b"\n") + b"\n" * final
        return mark + data.replace(b"\n", ending)

    base = whole(item("LQ-001"), item("LQ-002"))
    ours = whole(item("LQ-001", "done"), item("LQ-002"))
    theirs = whole(item("LQ-001"), item("LQ-002"), item("LQ-003"))
    found = clean(base, ours, theirs)
    assert found == whole(item("LQ-001", "done"), item("LQ-002"), item("LQ-003"))


def test_new_line_ends_of_one_side_are_those_of_the_merge():
    base = queue_of(item("LQ-001"), item("LQ-002"))
    ours = base.replace(b"\n", b"\r\n")
    theirs = edit(base, "What LQ-002", "All that LQ-002")
    assert clean(base, ours, theirs) == theirs.replace(b"\n", b"\r\n")


def test_bytes_that_are_no_utf_8_are_merged_all_the_same():
    odd = item("LQ-002").encode() + "- 内容: 重构".encode("gbk") + b"\n- \0\n\n"
    base = queue_of(item("LQ-001")) + odd + item("LQ-003").encode()
    ours = base.replace(b"What LQ-001", b"All LQ-001")
    theirs = base.replace(b"What LQ-003", b"All LQ-003")
    found = clean(base, ours, theirs)
    assert odd in found
    assert b"All LQ-001" in found and b"All LQ-003" in found


def test_what_an_open_fence_would_swallow_is_left_to_git():
    base = queue_of(item("LQ-001"), item("LQ-002") + "```\nnever closed\n")
    ours = base.replace(b"What LQ-001", b"All LQ-001")
    theirs = queue_of(item("LQ-001"), item("LQ-003"))
    assert clean(base, ours, ours) == ours
    edited = base + b"more\n"
    assert queue.merge(base, edited, theirs) is None


def seconds(items: int) -> float:
    base = queue_of(*(item(f"LQ-{at}-{at:06x}") for at in range(items)))
    ours = base + item("LQ-999999-aaaaaa").encode()
    theirs = base.replace(b"What LQ-7-", b"All LQ-7-")
    start = time.process_time()
    assert clean(base, ours, theirs)
    return time.process_time() - start


def test_time_is_linear_in_the_file():
    small = min(seconds(500) for _ in range(2))
    assert seconds(5000) < 20 * small
