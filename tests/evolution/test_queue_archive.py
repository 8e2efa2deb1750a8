"""Old done items move to the archive, byte for byte; nothing else is touched or lost."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from mutated import NEWLINES, real

from afterword.evolution import queue, queue_archive, words

STAMP = "2026-11-30T12:34:56Z"
LATER = "2026-12-01T00:00:00Z"
MARK = b"<!-- archived 2026-11-30T12:34:56Z -->"
HEADS = {
    words.EN: b"# Learning queue archive\n\n",
    words.ZH: "# 学习队列归档\n\n".encode(),
}
LIB = Path(queue.__file__).resolve().parents[2]


def plan(main: bytes, archive: bytes = b"", keep: int = 10, stamp: str = STAMP):
    return queue_archive.plan(main, archive, keep, stamp, words.EN)


def ids(data: bytes) -> list[str]:
    return [one.identity for one in queue.read(data).items]


def raws(data: bytes) -> list[bytes]:
    found = queue.read(data)
    return [found.raw(one) for one in found.items]


def item(number: int, status: str = "done", day: int = 0, more: str = "") -> bytes:
    date = f"2026-03-{day or number:02}"
    return (
        f"### LQ-{number:03}: title {number}\n- Status: {status}\n- Added: {date}\n"
        f"- Content: 内容 {number}\n{more}\n"
    ).encode()


def done(count: int) -> bytes:
    return b"# Q\n\n" + b"".join(item(number) for number in range(1, count + 1))


def named(first: int, last: int) -> list[str]:
    step = 1 if last >= first else -1
    return [f"LQ-{number:03}" for number in range(first, last + step, step)]


# --- what leaves


@pytest.mark.parametrize(
    ("count", "triggers"), [(9, 0), (10, 0), (11, 1), (15, 5), (20, 10)]
)
def test_t1_1_count_above_ten_triggers(count, triggers):
    """T1.1, T1.3, A1.2: strictly; eleven done items do, ten do not. Ten stay."""
    data = done(count)
    moved = plan(data)
    assert moved.triggered is bool(triggers)
    assert (moved.moved, moved.kept) == (triggers, count - triggers)
    if not triggers:
        assert (moved.main, moved.addition.data) == (data, b"")
    assert ids(moved.addition.data) == named(1, triggers) if triggers else True
    assert queue.read(moved.main).counts()["done"] == min(count, 10)


@pytest.mark.parametrize("newline", NEWLINES)
def test_a1_5_the_real_queue_of_thirty(newline):
    """T1.4, A1.3, A1.5, N1, C3, Q2, Q3: LQ-030 to LQ-021 stay, newest first; 126 lines."""
    data = real("learning_queue.2026-02-28", newline)
    moved = plan(data)
    assert (moved.triggered, moved.moved, moved.kept) == (True, 20, 10)
    assert ids(moved.main) == named(30, 21)
    assert ids(moved.addition.data) == named(1, 20)
    assert moved.main.count(newline) == 126
    lines, new = data.split(newline), moved.main.split(newline)
    assert new[:23] == lines[:23]
    assert new[-4:] == ["## 处理中".encode(), b"", "## 已完成".encode(), b""]
    whole = moved.main + moved.addition.data
    assert sorted(raws(moved.main) + cut(moved.addition.data)) == sorted(raws(data))
    assert all(raw in whole for raw in raws(data))
    if newline == b"\r\n":
        assert whole.replace(b"\r\n", b"").count(b"\n") == 0


def cut(archive: bytes) -> list[bytes]:
    """An archive's blocks by their marks, apart from the head."""
    newline = b"\r\n" if b"\r\n" in archive else b"\n" if b"\n" in archive else b"\r"
    parts = archive.split(MARK + newline * 2)
    assert parts.pop() == b""
    return [parts[0][parts[0].index(b"### ") :], *parts[1:]]


@pytest.mark.parametrize("newline", NEWLINES)
def test_c4_an_invented_processed_date_makes_nothing_old(newline):
    moved = plan(real("f4356e30", newline))
    assert ids(moved.main) == named(32, 23)
    assert ids(moved.addition.data) == named(21, 22)


def test_ten_done_items_of_a_real_queue_stay():
    data = real("learning_queue.2026-02-27")
    moved = plan(data)
    assert (moved.triggered, moved.main, moved.kept) == (False, data, 10)


def test_t1_4_only_done_items_leave_and_nothing_else_moves():
    """C1: also processing, in-progress and statuses that nobody knows stay in their places."""
    data = (
        b"# Q\n\n## Pending\n\n"
        + item(1)
        + item(2, "pending")
        + item(5)
        + b"### [P1] no item\ntext\n\n"
        + item(4, "processing")
        + item(3)
        + b"## Done\n\n"
        + item(7, "in-progress")
        + item(8, "done-later")
        + "### ✅ 已归档: Q-001 到 Q-018\n\n".encode()
        + item(6)
        + b"## End\ntext"
    )
    moved = plan(data, keep=2)
    # items 5 and 6 stay, newest first, in the two places that they held
    expected = data.replace(item(1), b"").replace(item(3), b"")
    expected = expected.replace(item(5), b"?").replace(item(6), item(5))
    assert moved.main == expected.replace(b"?", item(6))
    assert ids(moved.addition.data) == ["LQ-001", "LQ-003"]


def test_a1_6_an_archive_run_needs_nothing_pending():
    moved = plan(done(12))
    assert queue.read(moved.main).counts()["pending"] == 0
    assert moved.moved == 2


def test_q8_sections_behind_the_last_item_do_not_travel():
    data = done(3) + b"## \xe5\xa4\x84\xe7\x90\x86\xe4\xb8\xad\n\n## Done\n"
    moved = plan(data, keep=1)
    assert moved.main.endswith("\n\n## 处理中\n\n## Done\n".encode())
    assert "处理中".encode() not in moved.addition.data


def test_q7_the_template_in_the_fence_stays_where_it_is():
    head = b"# Q\n\n```\n### LQ-001: t\n- Status: done\n```\n\n"
    moved = plan(head + done(3), keep=1)
    assert moved.main.startswith(head)
    assert moved.moved == 2


def test_q9_a_status_that_begins_with_done_is_not_done():
    data = b"".join(item(n, "done（部分）") for n in range(1, 20))
    assert not plan(data, keep=1).triggered


def test_the_last_item_of_a_file_without_line_end_can_move_up_and_out():
    """N15: it is completed by a line end where something follows it now, no more."""
    data = (done(1) + item(3) + item(2)).rstrip()
    up = plan(data.replace(b"LQ-002", b"LQ-009").replace(b"03-02", b"03-09"), keep=2)
    nine = item(2).replace(b"LQ-002", b"LQ-009").replace(b"03-02", b"03-09")
    assert up.main == b"# Q\n\n" + nine + item(3)
    data = done(2)[:-1].rstrip()
    out = plan(data.replace(b"03-02", b"02-02"), keep=1)
    last = item(2).replace(b"03-02", b"02-02").rstrip()
    assert out.addition.data == HEADS[words.EN] + last + b"\n" + MARK + b"\n\n"
    crlf = (b"# Q\n\n" + item(1) + b"### LQ-002: x").replace(b"\n", b"\r\n")
    assert plan(crlf, keep=1).main == crlf


def test_an_item_that_leaves_something_open_is_never_moved():
    """It takes one of the places that are kept: what it swallowed may be other items."""
    torn = item(1, more="```\n") + item(99)
    data = b"# Q\n\n" + item(3) + item(2) + item(4) + torn
    moved = plan(data, keep=2)
    assert moved.main == b"# Q\n\n" + item(4) + torn
    assert (moved.moved, moved.kept) == (2, 2)
    assert ids(moved.addition.data) == named(2, 3)
    alone = plan(b"# Q\n\n" + item(2) + torn, keep=1)
    assert alone.main == b"# Q\n\n" + torn


# --- into the archive


def test_t1_2_each_block_is_followed_by_the_time_of_the_run():
    """T1.2, T1.7a, Q12: appended; what the archive held is not written again."""
    first = plan(done(3), keep=1)
    assert first.addition.data == (
        HEADS[words.EN] + item(1) + MARK + b"\n\n" + item(2) + MARK + b"\n\n"
    )
    later = plan(first.main + item(4), first.addition.data, keep=1, stamp=LATER)
    assert (
        later.addition.data
        == item(3) + MARK.replace(b"11-30T12:34:56", b"12-01T00:00:00") + b"\n\n"
    )
    assert queue_archive.plan(
        done(2), b"", 1, STAMP, words.ZH
    ).addition.data.startswith(HEADS[words.ZH] + item(1))


def test_n14_archiving_twice_is_archiving_once():
    data = real("learning_queue.2026-02-28")
    first = plan(data)
    second = plan(first.main, first.addition.data, stamp=LATER)
    assert (second.triggered, second.main, second.moved) == (False, first.main, 0)
    assert second.addition.data == b""


def test_t1_7c_what_is_in_the_archive_already_is_folded():
    """T1.7c, N7, C27: after a crash between both writes. All blocks that leave are counted."""
    data = real("learning_queue.2026-02-28")
    first = plan(data)
    again = plan(data, first.addition.data, stamp=LATER)
    assert again.main == first.main
    assert (again.triggered, again.moved, again.kept) == (True, 20, 10)
    assert again.addition.data == b""
    assert (again.addition.added, again.addition.folded) == (0, 20)


def test_t1_7c_after_the_crash_some_more_items_were_done():
    data = done(5)
    first = plan(data, keep=3)
    more = data + item(6) + item(7)
    again = plan(more, first.addition.data, keep=3, stamp=LATER)
    assert ids(again.main) == named(7, 5)
    assert again.moved == 4
    assert ids(again.addition.data) == named(3, 4)
    assert (again.addition.added, again.addition.folded) == (2, 2)


def test_an_archive_made_by_hand_is_read_by_its_headings():
    """T1.7c: its twenty blocks are those of the queue, and none is written twice (A1.3)."""
    data = real("learning_queue.2026-02-28")
    archive = real("learning_queue_archive")
    moved = plan(data, archive)
    assert (moved.moved, moved.addition.folded, moved.addition.data) == (20, 20, b"")
    assert ids(moved.main) == named(30, 21)
    more = plan(data.replace(b"LQ-001:", b"LQ-101:"), archive)
    assert more.addition.added == 1
    assert (archive + more.addition.data).startswith(archive + b"\n### LQ-101: Axiom")


def test_c5_an_equal_id_with_other_content_is_kept_and_reported():
    """C5, Q4: numbers were given again after an archive run, and the new items lost."""
    first = plan(done(3), keep=1)
    changed = done(3).replace(b"title 2", b"another thing")
    again = plan(changed, first.addition.data, keep=1, stamp=LATER)
    assert again.addition.collisions == ("LQ-002",)
    assert (again.addition.added, again.addition.folded) == (1, 1)
    assert b"LQ-002: another thing" in again.addition.data
    doubled = plan(item(1) + item(1, more="x\n") + item(2), keep=1)
    assert doubled.addition.collisions == ("LQ-001",)
    assert doubled.moved == doubled.addition.added == 2


def test_q16_doubles_with_the_same_bytes_are_archived_once():
    moved = plan(item(1) + item(1) + item(2), keep=1)
    assert (moved.moved, moved.addition.added, moved.addition.folded) == (2, 1, 1)
    assert moved.addition.collisions == ()


def test_a_block_that_a_person_copied_back_leaves_again_without_a_double():
    """Its mark came along, and empty lines did not."""
    first = plan(done(3), keep=1)
    back = first.main + item(1).rstrip() + b"\n" + MARK + b"\n\n\n"
    again = plan(back, first.addition.data, keep=1, stamp=LATER)
    assert again.main == first.main
    assert (again.addition.data, again.addition.folded) == (b"", 1)


# --- large files

RUN = """
import json, resource, sys, time
sys.path.insert(0, sys.argv[1])
from afterword.evolution import queue_archive
with open(sys.argv[2], "rb") as file:
    main = file.read()
begin = time.process_time()
moved = queue_archive.plan(main, b"", 10, "2026-11-30T12:34:56Z", "en")
seconds = time.process_time() - begin
if sys.platform == "darwin":
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
else:  # where that also counts what the process was started from, a whole test run
    status = open("/proc/self/status").read()
    peak = int(status.partition("VmHWM:")[2].split()[0]) * 1024
print(json.dumps([moved.moved, seconds, peak / len(main)]))
"""


def of_usual_size(number: int) -> bytes:
    more = (
        "- Processed: 2026-04-01\n- Priority: P2\n- Source: session\n- Metadata: a=b\n"
    )
    return item(number, day=number % 28 + 1, more=more)


def archived(path: Path, items: int) -> tuple[int, float, float]:
    """Blocks moved, seconds of processor time, and the peak memory by the file's size."""
    with path.open("wb") as file:
        file.write(b"# Q\n\n## Pending\n\n")
        file.writelines(of_usual_size(number) for number in range(1, items + 1))
    words_of_call = [sys.executable, "-I", "-c", RUN, str(LIB), str(path)]
    said = subprocess.run(words_of_call, capture_output=True, check=True)
    moved, seconds, ratio = json.loads(said.stdout)
    return moved, seconds, ratio


def test_a_hundred_thousand_items_take_linear_time_and_bounded_memory(tmp_path):
    path = tmp_path / "queue.md"
    small = min(archived(path, 10_000)[1] for _ in range(3))
    for _ in range(3):  # the machine may be busy with something else
        moved, seconds, ratio = archived(path, 100_000)
        if seconds <= 12 * small:
            break
    assert moved == 99_990
    assert seconds <= 12 * small
    assert ratio < 6


def test_an_item_with_the_mark_of_an_archived_one_inside_stays():
    # an archive would read it as two, and not know it again after a kill
    odd = item(1, more=f"{MARK.decode()}\n\nmore of it\n")
    main = odd + b"".join(item(number) for number in range(2, 14))
    moved = plan(main)
    assert (moved.moved, moved.kept) == (3, 10)
    assert ids(moved.main)[0] == "LQ-001"
    assert odd in moved.main
    again = plan(main, moved.addition.data, stamp=LATER)
    assert again.main == moved.main
    assert not again.addition.data


def test_an_item_that_was_copied_back_with_its_mark_moves():
    back = item(1) + MARK + b"\n\n"
    main = back + b"".join(item(number) for number in range(2, 13))
    assert ids(plan(main).addition.data) == ["LQ-001", "LQ-002"]
