"""Two versions of an archive and their ancestor: a union, block by block, no byte lost."""

from __future__ import annotations

import functools

import pytest

from afterword.evolution import archive_text, queue_archive, reflection_log
from afterword.merge import archives

from .building import real, united

HEAD = b"# Learning queue archive\n\n"


def block(name: str, said: str = "it", state: str = "done") -> bytes:
    return f"### {name}: Title\n- Status: {state}\n- Content: {said}\n\n".encode()


def stamped(raw: bytes, day: int, newline: bytes = b"\n") -> bytes:
    return raw + archive_text.mark(f"2026-11-{day:02d}T10:00:00Z", newline)


clean = functools.partial(united, archives.of_queue)


ONE, TWO, THREE = (
    block(f"LQ-{number:03d}-{suffix}")
    for number, suffix in ((1, "aaaaaa"), (2, "bbbbbb"), (10, "cccccc"))
)
BASE = HEAD + stamped(ONE, 1)


@pytest.mark.parametrize("before", [BASE, HEAD, b""], ids=["base", "other", "none"])
def test_all_blocks_of_both_stand_by_stamp_and_id(before):
    ours = BASE + stamped(THREE, 4)
    theirs = BASE + stamped(TWO, 4) + stamped(block("LQ-003-dddddd"), 2)
    found = clean(before, ours, theirs)
    assert found == HEAD + stamped(ONE, 1) + stamped(block("LQ-003-dddddd"), 2) + (
        stamped(TWO, 4) + stamped(THREE, 4)
    )


def test_a1_3_n7_one_block_archived_on_two_clones_is_there_once_at_the_earlier_time():
    found = clean(
        BASE, BASE + stamped(TWO, 9), BASE + stamped(TWO, 4) + stamped(THREE, 5)
    )
    assert found == BASE + stamped(TWO, 4) + stamped(THREE, 5)


def test_empty_lines_at_its_end_make_no_other_block():
    found = clean(
        BASE, BASE + stamped(TWO + b"\n", 9), BASE + stamped(TWO, 4) + stamped(ONE, 4)
    )
    assert found == BASE + stamped(TWO, 4)


def test_q4_one_id_with_two_contents_is_two_blocks():
    other = block("LQ-002-bbbbbb", "something else")
    found = clean(BASE, BASE + stamped(TWO, 4), BASE + stamped(other, 4))
    assert TWO in found and other in found
    assert found.count(b"<!-- archived") == 3


def test_blocks_are_verbatim_whatever_their_bytes():
    odd = (
        block("LQ-002-bbbbbb")
        + "重构\n".encode("gbk")
        + b"\0\n```\n# no heading\n```\n\n\n"
    )
    found = clean(BASE, BASE + stamped(odd, 4), BASE + stamped(THREE, 5))
    assert found == BASE + stamped(odd, 4) + stamped(THREE, 5)


def test_a_hand_made_archive_keeps_its_order_before_ours():
    """20 blocks, not in the order of their ids, and no stamps (spec/evolution.md 1.2)."""
    base = real("learning_queue_archive")
    ours, theirs = (base + b"\n" + stamped(raw, 4) for raw in (TWO, ONE))
    found = clean(base, ours, theirs)
    assert found == base + b"\n" + stamped(ONE, 4) + stamped(TWO, 4)


def test_a_block_that_a_person_took_out_stays_out():
    """A secret, say: no run of the program removes from an archive."""
    base = BASE + stamped(TWO, 2)
    assert clean(base, BASE, base + stamped(THREE, 5)) == BASE + stamped(THREE, 5)


def test_a_torn_tail_that_one_side_completed_is_complete():
    torn = BASE + TWO[:20]
    done = BASE + stamped(TWO, 4)
    found = clean(
        torn, done + stamped(THREE, 5), torn.replace(b"# Learning", b"# The learning")
    )
    assert found == (done + stamped(THREE, 5)).replace(b"# Learning", b"# The learning")


def test_text_that_a_person_put_between_and_behind_stays_there():
    note, end = b"Looked through by hand.\n\n", b"That is all.\n"
    base = BASE + stamped(TWO, 2) + end
    ours = BASE + note + stamped(TWO, 2) + end
    theirs = BASE + stamped(TWO, 2) + stamped(THREE, 5) + end
    found = clean(base, ours, theirs)
    assert found == BASE + note + stamped(TWO, 2) + stamped(THREE, 5) + end


def test_an_archive_with_crlf_stays_so():
    def crlf(data: bytes) -> bytes:
        return data.replace(b"\n", b"\r\n")

    ours, theirs = (crlf(BASE + stamped(raw, 4)) for raw in (TWO, THREE))
    assert clean(crlf(BASE), ours, theirs) == crlf(
        BASE + stamped(TWO, 4) + stamped(THREE, 4)
    )


def test_the_program_s_runs_on_two_clones_are_one_archive():
    """The next run finds every block of both: it appends none of them again."""
    main = real("learning_queue.2026-02-28")
    runs = [
        queue_archive.plan(main, b"", keep, f"2026-11-{day:02d}T10:00:00Z", "zh")
        for keep, day in ((10, 3), (25, 1))
    ]
    found = clean(b"", *(run.addition.data for run in runs))
    assert len(queue_archive.cut(found)) == 20
    again = queue_archive.plan(main, found, 10, "2026-11-30T10:00:00Z", "zh")
    assert (again.addition.added, again.addition.data) == (0, b"")


def test_reflections_are_archived_alike():
    log = real("reflection_log.2026-02-27.a767")
    runs = [
        reflection_log.roll(log, b"", keep, f"2026-11-{day:02d}T10:00:00Z", "zh")
        for keep, day in ((10, 3), (15, 1))
    ]
    sides = (run.addition.data for run in runs)
    found = united(archives.of_reflections, b"", *sides)
    blocks = reflection_log.cut(runs[0].addition.data)
    assert {archive_text.trimmed(raw) for raw in reflection_log.cut(found)} == {
        archive_text.trimmed(raw) for raw in blocks
    }
    again = reflection_log.roll(log, found, 10, "2026-11-30T10:00:00Z", "zh")
    assert again.addition.added == 0


def test_stubs_of_a_hand_made_reflection_archive_keep_their_places():
    base = real("reflection_log_archive")
    new = b"## Reflection - 2026-11-02 10:00 (session: e1)\n\ntext\n\n---\n\n"
    other = new.replace(b"e1", b"e2").replace(b"10:00", b"09:00")
    ours, theirs = (base + b"\n" + stamped(raw, 4) for raw in (new, other))
    found = united(archives.of_reflections, base, ours, theirs)
    assert found == base + b"\n" + stamped(other, 4) + stamped(new, 4)
