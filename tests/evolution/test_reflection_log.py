"""A log rolls, is cleaned and grows without losing or moving a byte that is not meant."""

from pathlib import Path

import pytest

from afterword.evolution import reflection, reflection_log
from afterword.store import blocks

REAL = Path(__file__).parents[1] / "fixtures" / "evolution"
STAMP = "2026-11-30T12:34:56Z"
NEWLINES = [b"\n", b"\r\n", b"\r"]
AT = "2026-11-30 12:34"


def real(name: str, newline: bytes = b"\n") -> bytes:
    (path,) = REAL.glob(f"{name}.md")
    return blocks.with_newline(path.read_bytes(), newline)


def roll(main: bytes, archive: bytes = b"", keep: int = 10) -> reflection_log.Moved:
    return reflection_log.roll(main, archive, keep, STAMP, "en")


def raws(data: bytes) -> list[bytes]:
    log = reflection.read(data)
    return [log.raw(one) for one in log.entries]


def dated(*times: str) -> list[bytes]:
    return [f"## Reflection - {one}\n\ntext\n\n---\n\n".encode() for one in times]


def days(count: int) -> list[bytes]:
    return dated(*(f"2026-03-{day:02} 10:00" for day in range(1, count + 1)))


HEAD = b"# Reflection log\n\n"


# --- the window


@pytest.mark.parametrize("newline", NEWLINES)
def test_t2_3_the_window_of_the_real_log(newline):
    """T2.0, T2.11, A2.4, N1, R7: ten by date and time, 332 lines, none of them moved."""
    data = real("reflection_log.2026-02-27.a767be37", newline)
    moved = roll(data)
    kept = [one.time for one in reflection.read(moved.main).entries]
    expected = "15:28 15:02 17:05 16:20 16:00 08:00 07:19 05:32 13:29 14:24"
    assert kept == expected.split()
    assert moved.main.count(newline) == 332
    assert (moved.moved, moved.kept, moved.addition.added) == (9, 10, 9)
    assert moved.triggered


@pytest.mark.parametrize("newline", NEWLINES)
def test_a2_3_the_archive_holds_all_that_left_the_window_byte_for_byte(newline):
    """N15, and R4 of the formats: the block without heading went with the one above."""
    data = real("reflection_log.2026-02-27.a767be37", newline)
    moved = roll(data)
    archived = [one for one in raws(data) if one not in raws(moved.main)]
    head = newline.join(
        [
            b"# \xe5\x8f\x8d\xe6\x80\x9d\xe6\x97\xa5\xe5\xbf\x97\xe5\xbd\x92\xe6\xa1\xa3",
            b"",
            b"",
        ]
    )
    stamp = f"<!-- archived {STAMP} -->".encode()
    ends = newline * 2
    assert moved.addition.data == head + b"".join(
        one + stamp + ends for one in archived
    )
    assert raws(moved.addition.data) == [one + stamp + ends for one in archived]


def test_a2_2_the_eleventh_is_the_first_that_moves_one():
    """T2.5: `count > 10`; the oldest goes."""
    ten, eleven = HEAD + b"".join(days(10)), HEAD + b"".join(days(11))
    assert roll(ten) == reflection_log.Moved(main=ten, kept=10)
    moved = roll(eleven)
    assert moved.main == HEAD + b"".join(days(11)[1:])
    assert (moved.moved, moved.kept, moved.triggered) == (1, 10, True)
    assert moved.addition.data.startswith(b"# Reflection log archive\n\n" + days(11)[0])


def test_n14_rolling_twice_is_rolling_once():
    data = real("reflection_log.2026-02-27.a767be37")
    once = roll(data)
    twice = roll(once.main, once.addition.data)
    assert twice == reflection_log.Moved(main=once.main, kept=10)


def test_r9_a_run_killed_between_archive_and_log_doubles_nothing():
    """The archive is written first; the next run folds what it holds already."""
    data = real("reflection_log.2026-02-27.a767be37")
    killed = roll(data)
    again = roll(data, killed.addition.data)
    assert again.main == killed.main
    assert (again.addition.data, again.addition.folded) == (b"", 9)
    assert again.moved == 9


def test_r9_a_torn_archive_is_completed():
    """Wherever the first run was killed: the next one leaves each block there once."""
    data = real("reflection_log.2026-02-27.a767be37")
    whole = roll(data).addition.data
    for size in (*range(0, 60, 7), 200, len(whole) // 2, len(whole) - 3):
        again = roll(data, whole[:size])
        archive = whole[:size] + again.addition.data
        assert sorted(raws(archive)) == sorted(raws(whole)), size
        assert roll(data, archive).addition.data == b""


def test_a_block_copied_back_with_its_stamp_is_the_same_block():
    moved = roll(HEAD + b"".join(days(3)), keep=2)
    back = moved.addition.data.removeprefix(b"# Reflection log archive\n\n")
    again = roll(moved.main + back, moved.addition.data, keep=2)
    assert (again.main, again.addition.data) == (moved.main, b"")


def test_r7_undated_reflections_stay_where_they_are():
    """C9: they are not counted, and never the first to go."""
    undated = "## 反思（会话：没有日期）\n\ntext\n\n---\n\n".encode()
    data = HEAD + undated + b"".join([*days(3), undated])
    assert roll(data, keep=2).main == HEAD + undated + b"".join([*days(3)[1:], undated])
    assert roll(HEAD + undated * 20, keep=1).triggered is False


def test_c9_a_missing_time_is_the_start_of_the_day():
    data = HEAD + b"".join(dated("2026-03-08", "2026-03-08 00:01", "2026-03-07 23:59"))
    kept = [one.moment for one in reflection.read(roll(data, keep=2).main).entries]
    assert kept == ["2026-03-08 00:00", "2026-03-08 00:01"]


def test_of_equal_times_the_direction_of_the_log_tells_the_newer():
    one, two = (f"## Reflection - 2026-03-08: {name}\n".encode() for name in "ab")
    old, new = dated("2026-03-01", "2026-03-09")
    assert roll(old + one + two + new, keep=2).main == two + new
    assert roll(new + one + two + old, keep=2).main == new + one


def test_r8_every_kind_rolls_as_a_block_of_its_own():
    """What stands between two R1 blocks is not glued to the one above (R1, too)."""
    report = "# 反思报告 - 2026-03-03\n\n---\n\n## 1. What Went Well\n\n- a\n\n---\n".encode()
    kinds = [
        "## 反思 - 2026-03-01 10:00\n\na\n\n---\n".encode(),
        b"### 2026-03-02 Session: auto-x\n#### Learnings\n- b\n",
        report,
        b"## 2026-03-04: c\n\nc\n",
        b"### Session 2026-03-05 - d\nd\n",
    ]
    for keep in range(1, 5):
        moved = roll(b"".join(kinds), keep=keep)
        assert moved.main == b"".join(kinds[-keep:])
        assert all(one in moved.addition.data for one in kinds[:-keep])


def test_text_of_nobody_never_moves():
    notes = b"## Notes\n\nsomebody's\n\n"
    one, two, three = days(3)
    moved = roll(HEAD + one + notes + two + notes + three, keep=1)
    assert moved.main == HEAD + notes + notes + three


def test_a_reflection_that_leaves_a_fence_open_is_not_moved():
    """In the archive it would swallow the stamp and whatever comes later."""
    for opening in (b"```\n# x\n", b"<!--\n", b"~~~~"):
        last = b"## Reflection - 2026-02-01\n" + opening
        data = b"".join(days(3)) + last
        moved = roll(data, keep=2)
        assert moved.main == b"".join(days(3)[1:]) + last
        assert (moved.moved, moved.kept) == (1, 3)
        assert roll(moved.main, keep=2) == reflection_log.Moved(main=moved.main, kept=3)


def test_an_archive_made_by_hand_is_read_by_its_headings():
    one, two, three = days(3)
    archive = b"# Archive\n\n" + one.rstrip() + b"\n## Reflection - 2026-01-01\n\n"
    moved = roll(one + two + three, archive, keep=1)
    assert (moved.addition.added, moved.addition.folded) == (1, 1)
    assert raws(moved.addition.data)[0].startswith(two)


@pytest.mark.parametrize(
    "path", sorted(REAL.glob("reflection_log*.md")), ids=lambda one: one.name
)
@pytest.mark.parametrize("newline", NEWLINES)
@pytest.mark.parametrize("keep", [1, 3, 10])
def test_n15_log_and_archive_hold_every_real_block(path, newline, keep):
    data = blocks.with_newline(path.read_bytes(), newline)
    moved = roll(data, keep=keep)
    for one in raws(data):
        assert one in moved.main or one.rstrip() in moved.addition.data
    assert len(reflection.read(moved.main).dated()) == min(
        keep, len(reflection.read(data).dated())
    )


# --- the clean-up


@pytest.mark.parametrize("newline", NEWLINES)
def test_t2_1_a_clean_up_of_a_real_log_removes_its_37_empty_blocks(newline):
    """A2.1: none that says something, and not a byte of the others."""
    data = real("reflection_log.2026-02-27.07295c49", newline)
    cleaned = reflection_log.clean(data)
    assert len(cleaned.removed) == 37
    assert cleaned.kept == 8
    assert (cleaned.removed[0].line, cleaned.removed[0].date) == (244, "2026-02-26")
    assert cleaned.removed[0].title == "auto-session-"
    log = reflection.read(data)
    gone = {one.start for one in cleaned.removed}
    full = [log.raw(one) for one in log.entries if one.start not in gone]
    assert cleaned.main == data[: log.entries[0].start] + b"".join(full)
    again = reflection_log.clean(cleaned.main)
    assert (again.main, again.removed, again.kept) == (cleaned.main, (), 8)


@pytest.mark.parametrize(
    "name",
    [one.name for one in sorted(REAL.glob("*.md")) if "07295c49" not in one.name],
)
def test_a_clean_up_leaves_all_other_real_files_alone(name):
    data = (REAL / name).read_bytes()
    cleaned = reflection_log.clean(data)
    assert (cleaned.main, cleaned.removed) == (data, ())


# --- a new one


def added(data: bytes | None, **given: object) -> bytes:
    values = {"title": "", "text": b"text", "at": AT, "session": "", "language": "en"}
    return reflection_log.add(data, **{**values, **given})  # type: ignore[arg-type]


def test_a_log_begins_with_a_head():
    assert added(None) == HEAD + b"## Reflection - 2026-11-30 12:34\n\ntext\n\n---\n"
    assert added(b"", language="zh", session="s-1", title="标题").decode() == (
        "# 反思日志\n\n## 反思 - 2026-11-30 12:34（会话：s-1）：标题\n\ntext\n\n---\n"
    )
    assert added(b"\r\n") == b"\r\n" + added(None).replace(b"\n", b"\r\n")


def test_t2_6_a_new_reflection_stands_at_the_end_closed_by_a_rule():
    log = b"# Log\n\n## Reflection - 2026-03-01\n\nold"
    new = added(log, title="Hooks", session="s-1", text=b"\n\n  - a\n\n")
    assert new == log + (
        b"\n\n## Reflection - 2026-11-30 12:34 (session: s-1): Hooks\n\n  - a\n\n---\n"
    )


def test_a_log_that_runs_newest_first_grows_behind_its_head():
    newer, older = dated("2026-03-02", "2026-03-01")
    block = b"## Reflection - 2026-11-30 12:34\n\ntext\n\n---\n\n"
    assert added(HEAD + newer + older) == HEAD + block + newer + older
    assert added(newer + older) == block + newer + older
    assert (
        added(b"\xef\xbb\xbf" + newer + older)
        == b"\xef\xbb\xbf" + block + newer + older
    )
    assert added(b"# Log\n" + newer + older) == b"# Log\n\n" + block + newer + older
    assert added(HEAD + older + newer) == HEAD + older + newer + block[:-1]


def test_the_real_log_grows_at_its_top():
    data = real("reflection_log.2026-02-27.a767be37")
    new = added(data, title="T")
    heading = "## 反思 - 2026-11-30 12:34：T\n\ntext\n\n---\n\n".encode()
    assert new == data.replace(b"\n\n", b"\n\n" + heading, 1)


@pytest.mark.parametrize("newline", NEWLINES)
def test_a_new_reflection_has_the_line_ends_of_its_log(newline):
    data = real("reflection_log.2026-03-05*", newline)
    new = added(data, text=b"a\r\nb\nc\rd", language="en")
    text = newline.join([b"a", b"b", b"c", b"d", b"", b"---", b""])
    assert new.startswith(data)
    assert new.endswith(newline + newline + text)
    assert blocks.with_newline(new, newline) == new


def test_headings_in_the_text_are_made_lower_and_counted():
    text = b"# One\n## Two\n### Three\n### 2026-03-08 Session: x\n```\n# code\n```\n"
    lower = (
        b"#### One\n#### Two\n### Three\n#### 2026-03-08 Session: x\n```\n# code\n```\n"
    )
    assert reflection_log.lowered(text) == (lower, 3)
    assert reflection_log.lowered(lower) == (lower, 0)
    assert lower in added(None, text=text)


@pytest.mark.parametrize(
    ("text", "body"),
    [
        (b"```\n# x", b"```\n# x\n```"),
        (b"<!-- x", b"<!-- x\n-->"),
        (b"a\n---\nb\n---\n", b"a\n---\nb\n---"),
        (b"---\ntitle: x\n# y\n---\nb", b"---\ntitle: x\n#### y\n---\nb"),
        (b"\xef\xbb\xbf```\nx\n```", b"```\nx\n```"),
        (b"\xb7\xb4\x00", b"\xb7\xb4\x00"),
    ],
)
def test_any_text_reads_back_as_one_reflection(text, body):
    for log in (None, HEAD + b"".join(days(2)), b"".join(reversed(days(2)))):
        new = added(log, text=text)
        block = b"## Reflection - 2026-11-30 12:34\n\n" + body + b"\n\n---\n"
        assert block in [one.rstrip(b"\n") + b"\n" for one in raws(new)]
        assert len(raws(new)) == len(raws(log or b"")) + 1


def test_a_reflection_without_text_has_its_heading_and_its_rule():
    assert (
        added(None, text=b" \n") == HEAD + b"## Reflection - 2026-11-30 12:34\n\n---\n"
    )


def test_what_the_log_leaves_open_is_closed_before_the_new_one():
    log = b"## Reflection - 2026-03-01\n```\nold"
    assert added(log).startswith(log + b"\n```\n\n## Reflection - 2026-11-30")
    assert len(raws(added(log))) == 2
    log = b"---\n<!--\n---\n"
    assert added(log).startswith(log + b"-->\n\n## Reflection - 2026-11-30")


@pytest.mark.parametrize(
    "title",
    [
        "C #",
        "C#",
        "# x",
        "- x",
        ": x",
        "：x",
        "(x)",
        "x (session: y)",
        "2026-03-08 10:00",
        "``` x",
    ],
)
@pytest.mark.parametrize("session", ["", "s-1"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_title_and_session_read_back(title, session, language):
    new = added(None, title=title, session=session, language=language)
    (one,) = reflection.read(new).entries
    assert (f"{one.date} {one.time}", one.title, one.session) == (AT, title, session)


def test_a_title_is_one_line_and_a_session_has_no_parentheses():
    new = added(None, title=" a\r\n## b\x85c ", session="s (1)\n")
    (one,) = reflection.read(new).entries
    assert (one.title, one.session) == ("a ## b c", "s 1")


def test_the_language_is_that_of_the_log():
    chinese = "## 反思 - 2026-03-01\n\n".encode()
    assert "## 反思 - 2026-11-30".encode() in added(chinese, language="en")
    assert b"## Reflection - 2026-11-30" in added(days(1)[0], language="zh")
    assert "## 反思 - 2026-11-30".encode() in added(b"# Log\n", language="zh")


def test_a2_2_a_new_one_stays_and_the_oldest_goes():
    """T2.5, also in a log that runs newest first and one with equal times."""
    same = [f"## Reflection - {AT}: {name}\n\n".encode() for name in range(10)]
    for log in (
        HEAD + b"".join(days(10)),
        HEAD + b"".join(reversed(days(10))),
        b"".join(same),
    ):
        moved = roll(added(log, title="new"))
        assert moved.moved == 1
        titles = [one.title for one in reflection.read(moved.main).entries]
        assert (len(titles), titles.count("new")) == (10, 1)


def test_a_reflection_with_the_mark_of_an_archived_one_inside_stays():
    mark = f"<!-- archived {STAMP} -->\n\nmore\n".encode()
    old = [b"## 2026-01-01\n" + mark, b"## 2026-01-02\na\n"]
    new = [b"## 2026-02-%02d\nb\n" % day for day in range(1, 11)]
    moved = roll(b"".join((*old, *new)))
    assert raws(moved.main) == [old[0], *new]
    assert moved.moved == 1
