"""An archive is appended to; wherever an append was cut off, the next one completes it."""

import time

import pytest
from mutated import NEWLINES

from afterword.evolution import archive_text, queue, queue_archive
from afterword.store import blocks

STAMP = "2026-11-30T12:34:56Z"
LATER = "2027-01-01T00:00:00Z"
HEAD = "# Learning queue archive\n\n"
BLOCKS = [
    "### LQ-001: 标题\n- Status: done\n- Content: a\n\n",
    "### LQ-002: b\n- Status: done\n- Content: b\n  ```\n  # x\n  ```\n\n\n",
    "### LQ-003: c\n- Status: done\n<!-- a\n  comment -->\n",
    "### LQ-004: d\n- Status: done\n<!-- archived, says somebody -->\nend",
]


def moving(newline: bytes = b"\n") -> list[bytes]:
    return [blocks.with_newline(one.encode(), newline) for one in BLOCKS]


def plan(archive, raws, stamp=STAMP, newline=b"\n"):
    head = blocks.with_newline(HEAD.encode(), newline)
    return archive_text.plan(archive, raws, stamp, head, queue_archive.cut)


def held(archive: bytes) -> list[str]:
    return [one.identity for one in queue.read(archive).items]


IDS = ["LQ-001", "LQ-002", "LQ-003", "LQ-004"]


def test_t1_2_head_block_mark_and_an_empty_line():
    mark = f"<!-- archived {STAMP} -->\n\n"
    first, second = BLOCKS[0], BLOCKS[3]
    made = plan(b"", [first.encode(), second.encode()])
    assert made.data.decode() == HEAD + first + mark + second + "\n" + mark
    assert (made.added, made.folded, made.collisions) == (2, 0, ())
    more = plan(made.data, [BLOCKS[1].encode()], LATER)
    assert more.data.decode() == BLOCKS[1] + f"<!-- archived {LATER} -->\n\n"


def test_nothing_to_add_adds_no_head():
    assert plan(b"", []) == archive_text.Addition()


@pytest.mark.parametrize("newline", NEWLINES)
def test_c6_cut_off_at_any_byte_it_is_completed(newline):
    """C6, N6, N7: the same bytes as if nothing had happened, but for the later time."""
    raws = moving(newline)
    whole = plan(b"", raws, newline=newline).data
    for at in range(len(whole)):
        torn = whole[:at]
        made = plan(torn, raws, LATER, newline)
        result = torn + made.data
        assert made.added + made.folded == len(raws)
        assert held(result) == IDS, at
        stamps = [stamp for _, stamp in archive_text.stamped(result)]
        assert len(stamps) == len(raws) + 1
        assert stamps[-1] == ""
        texts = [text for text, _ in archive_text.stamped(result)]
        assert texts == [text for text, _ in archive_text.stamped(whole)]
        assert plan(result, raws, LATER, newline).data == b"", at


@pytest.mark.parametrize(
    "before", ["# By hand\n\n### LQ-000: x\n- Status: done", "text\n"]
)
def test_c6_cut_off_behind_an_archive_made_by_hand(before):
    raws, archive = moving(), before.encode()
    whole = plan(archive, raws).data
    for at in range(len(whole)):
        torn = archive + whole[:at]
        result = torn + plan(torn, raws, LATER).data
        assert [one for one in held(result) if one != "LQ-000"] == IDS, at
        assert all(raw in result for raw in raws)
        assert plan(result, raws, LATER).data == b"", at


@pytest.mark.parametrize("newline", NEWLINES)
@pytest.mark.parametrize(
    "tail", ["half a sen", "### LQ-777: gone\n- Sta", "```\n# x", "<!-- y"]
)
def test_c6_other_torn_text_is_kept_and_closed(tail, newline):
    """What is no beginning of a block to be moved is somebody's text."""
    raws = moving(newline)
    archive = plan(b"", raws[:2], newline=newline).data
    archive += blocks.with_newline(tail.encode(), newline)
    made = plan(archive, raws, LATER, newline)
    result = archive + made.data
    assert (made.added, made.folded) == (2, 2)
    assert [one for one in held(result) if one != "LQ-777"] == IDS
    assert blocks.unclosed(result) is None
    assert plan(result, raws, LATER, newline).data == b""


def test_a_persons_note_before_the_torn_block_stays():
    raws = moving()
    archive = plan(b"", raws[:2]).data + b"A note.\n\n" + raws[2][:20]
    result = archive + plan(archive, raws, LATER).data
    assert held(result) == IDS
    assert b"A note.\n\n" + raws[2] in result


def test_a_block_of_other_length_is_not_taken_for_the_torn_one():
    """Of two blocks that begin alike the one is completed that goes on from there."""
    short = b"### LQ-001: a\n- Status: done\n"
    long = short + b"- Content: b\n"
    for torn in (short, long[:-3]):
        made = plan(HEAD.encode() + torn, [short, long], LATER)
        result = HEAD.encode() + torn + made.data
        texts = [text for text, stamp in archive_text.stamped(result) if stamp]
        assert sorted(text.removeprefix(HEAD.encode()) for text in texts) == [
            short,
            long,
        ]


def test_a_mark_inside_a_block_is_no_mark():
    """In a fence, or in a comment of several lines."""
    mark = f"<!-- archived {STAMP} -->\n"
    raw = f"### LQ-001: a\n- Status: done\n```\n{mark}```\n<!--\n{mark}\nend\n".encode()
    archive = plan(b"", [raw]).data
    texts = list(archive_text.stamped(archive))
    assert texts == [(HEAD.encode() + raw, STAMP), (b"", "")]
    assert plan(archive, [raw], LATER).folded == 1


def test_texts_marks_and_their_empty_lines_are_the_archive():
    archive = b"x\n" + plan(b"", moving()).data + b"\n\nmore\n"
    parts = [
        text + (archive_text.mark(stamp, b"\n") if stamp else b"")
        for text, stamp in archive_text.stamped(archive)
    ]
    assert b"".join(parts) == archive


SAME = [
    (b"### LQ-001: a\nb\n", b"### LQ-001: a\nb\n\n \n", True),
    (b"### LQ-001: a\nb\n", b"### LQ-001: a\nb", True),
    (
        b"### LQ-001: a\nb\n",
        b"### LQ-001: a\nb\n\n<!-- archived 2026-11-30T12:34:56Z -->\n",
        True,
    ),
    (b"### LQ-001: a\nb\n", b"### LQ-001: a\nb \n", False),
    (b"### LQ-001: a\nb\n", b"### LQ-001: a\r\nb\r\n", False),
    (b"### LQ-001: a\nb\n", b"### LQ-001: a\n b\n", False),
]


@pytest.mark.parametrize(("one", "other", "same"), SAME)
def test_t1_7c_two_blocks_are_the_same_but_for_empty_lines_behind(one, other, same):
    archive = plan(b"", [one]).data
    assert archive_text.Archive(archive, queue_archive.cut).holds(other) is same
    assert plan(archive, [other], LATER).folded == same


def test_line_ends_of_an_archive_are_its_own():
    archive = plan(b"", moving(b"\r\n"), newline=b"\r\n").data
    made = plan(archive, [b"### LQ-009: x"], LATER)
    assert made.data == f"### LQ-009: x\r\n<!-- archived {LATER} -->\r\n\r\n".encode()


def test_a_long_block_beside_a_long_archive_made_by_hand_takes_no_longer_than_reading():
    long = b"### LQ-001: a\n" + b"- line\n" * 150_000
    archive = b"# mine\n\n" + b"by hand\n" * 150_000
    began = time.process_time()
    made = plan(archive, [long])
    assert made.data.startswith(b"\n" + long)
    assert time.process_time() - began < 5
