"""Laws of the log over real files, mutated ones and any bytes: nothing is lost or moved."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from afterword.evolution import archive_text, reflection, reflection_log
from afterword.evolution.reflection_empty import is_empty
from afterword.store import blocks
from project import TOOL

REAL = sorted((Path(__file__).parents[1] / "fixtures" / "evolution").glob("refl*.md"))
STAMP, LATER = "2026-11-30T12:34:56Z", "2026-12-01T00:00:00Z"
AT = "2026-11-30 12:34"
MARK = f"<!-- archived {STAMP} -->".encode()
SLOW = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

# Lines that a reader may trip over, among those of real logs.
ODD = [
    "## 反思 - 2026-03-08 10:00（会话：发布）",
    "## 反思 - 2026-03-08",
    "## 反思（会话：没有日期）",
    "## 反思记录",
    "## Reflection - 2026-11-30 12:34 (session: s-1): title",
    "## 2026-03-15: title",
    "## 会话反思 - 2026-03-18 (审查)",
    "### 2026-03-01 Session: auto-x",
    "### Session 2026-03-09 - m",
    "# Axiom 反思报告：v5",
    "# 反思报告 - 2026-03-11",
    "## 1. What Went Well（做得好的）",
    "## Notes",
    "# Notes",
    "### ✅ 做得好的",
    "#### 💡 Learnings",
    "- (无)",
    "text",
    "",
    "---",
    "```",
    "~~~~",
    "<!--",
    "-->",
    MARK.decode(),
    "\ufeff",
    "\x00",
]
LINES = sorted({line for path in REAL for line in path.read_bytes().split(b"\n")})
NEWLINES = st.sampled_from([b"\n", b"\r\n", b"\r"])
ONE_LINE = (
    st.sampled_from(ODD).map(str.encode)
    | st.sampled_from(LINES)
    | st.binary(max_size=12)
)


@st.composite
def generated(draw: st.DrawFn) -> bytes:
    newline = draw(NEWLINES)
    return newline.join(draw(st.lists(ONE_LINE, max_size=60)))


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A stretch of a real file with lines dropped, doubled, exchanged and put in."""
    whole = draw(st.sampled_from(REAL)).read_bytes().split(b"\n")
    start = draw(st.integers(0, max(0, len(whole) - 40)))
    lines = whole[start : start + draw(st.integers(20, 400))]
    for _ in range(draw(st.integers(0, 6))):
        at, to = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        change = draw(st.sampled_from(["drop", "double", "exchange", "insert"]))
        if change == "drop" and len(lines) > 1:
            del lines[at]
        elif change == "double":
            lines.insert(to, lines[at])
        elif change == "exchange":
            lines[at], lines[to] = lines[to], lines[at]
        else:
            lines.insert(at, draw(ONE_LINE))
    return draw(NEWLINES).join(lines)


LOGS = generated() | mutated() | st.binary(max_size=200)


def raws(data: bytes) -> list[bytes]:
    log = reflection.read(data)
    return [log.raw(one) for one in log.entries]


def roll(main: bytes, archive: bytes, keep: int, stamp: str) -> archive_text.Moved:
    return reflection_log.roll(main, archive, keep, stamp, "en")


@given(LOGS)
@SLOW
def test_n17_reflections_are_stretches_of_the_file_in_its_order(data):
    log = reflection.read(data)
    at = 0
    for one in log.entries:
        assert at <= one.start < one.end <= len(data)
        assert one.line == blocks.line_number(data, one.start)
        assert log.raw(one).lstrip(b" ").startswith(b"#")
        at = one.end
    headings = [one.start for one in blocks.headings(data, front=False)]
    assert {one.start for one in log.entries} <= set(headings)
    for one in log.entries[:-1]:
        assert blocks.unclosed(log.raw(one)) is None


@given(LOGS, LOGS | st.just(b""), st.integers(1, 12))
@SLOW
def test_a2_3_main_and_archive_hold_every_block(data, archive, keep):
    """N15: verbatim; R7: what stays keeps its bytes and its place, the undated with it."""
    moved = roll(data, archive, keep, STAMP)
    whole = archive + moved.addition.data
    before, after = raws(data), raws(moved.main)
    left = iter(before)
    assert all(one in left for one in after)  # in the order that they had
    assert len(before) - len(after) == moved.moved
    for one in before:
        assert one in after or archive_text.trimmed(one) in whole
    undated = [one for one in reflection.read(data).entries if not one.date]
    assert len(undated) == len(
        [one for one in reflection.read(moved.main).entries if not one.date]
    )
    assert (
        b"".join(after) in moved.main or len(after) < len(before) or data == moved.main
    )
    kept = reflection.read(moved.main).dated()
    assert len(kept) == moved.kept
    assert len(kept) <= keep or blocks.unclosed(after[-1])


@given(LOGS, st.integers(1, 12))
@SLOW
def test_t2_3_the_window_holds_the_newest(data, keep):
    moved = roll(data, b"", keep, STAMP)
    going = sorted(one.moment for one in reflection.read(data).dated())
    kept = sorted(one.moment for one in reflection.read(moved.main).dated())
    if not moved.triggered:
        assert moved.main == data
    elif len(kept) == keep:
        assert kept == going[-keep:]


@given(LOGS, LOGS | st.just(b""), st.integers(1, 12))
@SLOW
def test_n14_a_second_roll_moves_nothing_and_a_repeated_one_adds_nothing(
    data, archive, keep
):
    """R9: what was killed between archive and log is repeated with the same log."""
    assume(MARK not in data)  # in the middle of a block it ends one in the archive
    once = roll(data, archive, keep, STAMP)
    whole = archive + once.addition.data
    twice = roll(once.main, whole, keep, LATER)
    assert (twice.main, twice.moved, twice.addition.data) == (once.main, 0, b"")
    again = roll(data, whole, keep, LATER)
    assert again.main == once.main
    assert (again.addition.data, again.addition.folded) == (b"", once.moved)


@given(LOGS, st.integers(1, 12), st.data())
@SLOW
def test_r9_a_torn_archive_is_completed_wherever_it_was_cut(data, keep, more):
    once = roll(data, b"", keep, STAMP)
    size = more.draw(st.integers(0, len(once.addition.data)))
    torn = once.addition.data[:size]
    again = roll(data, torn, keep, LATER)
    whole = torn + again.addition.data
    assert again.main == once.main
    for one in raws(data):
        assert one in raws(once.main) or archive_text.trimmed(one) in whole


@given(LOGS)
@SLOW
def test_a2_1_a_clean_up_removes_the_empty_and_nothing_else(data):
    log = reflection.read(data)
    cleaned = reflection_log.clean(data)
    assert all(is_empty(log.raw(one), one.kind) for one in cleaned.removed)
    rest, at = b"", 0
    for one in cleaned.removed:
        rest, at = rest + data[at : one.start], one.end
    assert cleaned.main == rest + data[at:]
    full = [one for one in raws(data) if not is_empty(one, "R1")]
    assert [one for one in raws(cleaned.main) if one in full] == full
    assert reflection_log.clean(cleaned.main).removed == ()
    assert cleaned.kept == len(raws(cleaned.main))


@given(
    LOGS | st.just(b""),
    generated() | st.binary(max_size=80),
    st.text(max_size=30),
    st.text("abc-019", max_size=8),
    st.sampled_from(["en", "zh"]),
)
@example(b"\xef\xbb\xbf", b"", "", "", "en")
@SLOW
def test_t2_5_what_is_added_reads_back_as_one_dated_reflection(
    data, text, title, session, language
):
    """All else stays byte for byte, but for what completes the last line (T2.6)."""
    new = reflection_log.add(
        data, title=title, text=text, at=AT, session=session, language=language
    )
    before, after = reflection.read(data), reflection.read(new)
    assert len(after.entries) == len(before.entries) + 1
    at = 0 if before.is_newest_first() else len(before.entries)
    one = after.entries[at]
    assert f"{one.date} {one.time}" == AT
    name = " ".join(title.split())
    assert one.session == session
    assert one.title == (name.encode("utf-8", "replace").decode() or session)
    rest = after.raw(one).rstrip()
    assert rest.endswith(b"---")
    others = [*after.entries[:at], *after.entries[at + 1 :]]
    for old, now in zip(before.entries, others, strict=True):
        assert after.raw(now).startswith(before.raw(old))
        assert (old.kind, old.date, old.title) == (now.kind, now.date, now.title)
    start = before.entries[0].start if before.is_newest_first() else len(data)
    assert new.startswith(data[:start])
    assert new.endswith(data[start:])


@given(LOGS, st.integers(1, 6))
@SLOW
def test_a2_2_after_a_new_one_the_window_holds_it(data, keep):
    new = reflection_log.add(
        data,
        title="new",
        text=b"text",
        at="9999-12-31 23:59",
        session="",
        language="en",
    )
    moved = roll(new, b"", keep, STAMP)
    titles = [one.title for one in reflection.read(moved.main).dated()]
    assert titles.count("new") == 1
    assert len(titles) <= keep or blocks.unclosed(raws(new)[-1])


MEASURED = """
import resource, sys, time
sys.path.insert(0, sys.argv[1])
from afterword.evolution import reflection_log

path, archive = sys.argv[2:]
with open(path, "rb") as file:
    data = file.read()
unit = 1 if sys.platform == "darwin" else 1024
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
begun = time.process_time()
moved = reflection_log.roll(data, b"", 10, "2026-11-30T12:34:56Z", "en")
spent = time.process_time() - begun
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
print(moved.moved, spent, (peak - before + len(data)) / len(data))
"""


def measured(folder: Path, count: int) -> tuple[int, float, float]:
    """Reflections moved, seconds of CPU, peak memory in sizes of the file, it included."""
    text = (
        "### 2026-02-{:02} Session: auto-{}\n\n#### 📊 Quick Stats\n- Duration: ~0 min\n\n"
        "#### ✅ What Went Well\n- found\n\n#### ⚠️ What Could Improve\n- (无)\n\n"
        "#### 💡 Learnings\n- (无)\n\n#### 🎯 Action Items\n- (无)\n\n---\n\n"
    )
    path = folder / f"{count}.md"
    with path.open("w", encoding="utf-8") as file:
        for at in range(count):
            file.write(text.format(at % 28 + 1, at))
    command = [sys.executable, "-c", MEASURED, str(TOOL / "lib"), str(path), ""]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    moved, spent, peak = ran.stdout.split()
    return int(moved), float(spent), float(peak)


@pytest.mark.parametrize("count", [50_000])
def test_a_log_of_50000_rolls_in_linear_time_and_six_times_its_size(tmp_path, count):
    _, short, _ = measured(tmp_path, count // 10)
    moved, long, peak = measured(tmp_path, count)
    assert moved == count - 10
    assert long < 12 * short + 0.5
    assert peak < 6
