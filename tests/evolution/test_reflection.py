"""Reflections are found in every form that real logs have, and nothing else is one."""

import time
from pathlib import Path

import pytest

from afterword.evolution import reflection, reflection_sections
from afterword.store import blocks

REAL = Path(__file__).parents[1] / "fixtures" / "evolution"
NEWLINES = [b"\n", b"\r\n", b"\r"]


def real(name: str, newline: bytes = b"\n") -> bytes:
    (path,) = REAL.glob(f"{name}.md")
    return blocks.with_newline(path.read_bytes(), newline)


def shown(data: bytes) -> list[tuple[int, str, str]]:
    return [
        (one.line, one.kind, f"{one.date} {one.time}".strip())
        for one in reflection.read(data).entries
    ]


def lines_of(log: reflection.Log, kind: str) -> list[int]:
    return [one.line for one in log.entries if one.kind == kind]


# file: R1, R2, R3, R4, `---` lines (TRUTH)
COUNTS = [
    ("reflection_log.2026-02-24*", 0, 2, 0, 0, 0),
    ("reflection_log.2026-02-27.07295c49", 6, 2, 37, 0, 7),
    ("reflection_log.2026-02-27.a767be37", 18, 1, 0, 1, 16),
    ("reflection_log.2026-03-05*", 1, 0, 0, 0, 1),
    ("reflection_log.2026-03-15*", 0, 1, 0, 0, 0),
    ("reflection_log_archive.2026-03-02*", 11, 0, 0, 0, 12),
]


@pytest.mark.parametrize("newline", NEWLINES)
@pytest.mark.parametrize(("name", "r1", "r2", "r3", "r4", "rules"), COUNTS)
def test_n17_real_logs_have_their_true_counts(name, r1, r2, r3, r4, rules, newline):
    """R1 of the bugs: what an engine wrote and what was pasted counts as well."""
    data = real(name, newline)
    log = reflection.read(data)
    assert len(lines_of(log, "R1")) == r1
    assert len(lines_of(log, "R2")) == r2
    assert len(lines_of(log, "R3")) == r3
    assert sum(headless(log.raw(one)) for one in log.entries) == r4
    assert blocks.with_newline(data, b"\n").split(b"\n").count(b"---") == rules


def test_where_the_real_reflections_stand():
    lines = lines_of(reflection.read(real("reflection_log.2026-02-24*")), "R2")
    assert lines == [3, 27]
    log = reflection.read(real("reflection_log.2026-02-27.07295c49"))
    assert lines_of(log, "R2") == [3, 215]
    assert lines_of(log, "R3")[:3] == [244, 306, 323]
    log = reflection.read(real("reflection_log.2026-02-27.a767be37"))
    assert lines_of(log, "R2") == [367]


TIMES = (
    "3 15:28 · 40 15:02 · 77 17:05 · 106 16:20 · 135 16:00 · 167 08:00 · 199 07:19 · "
    "232 05:32 · 265 05:00 · 299 04:44 · 333 04:29 · 391 04:20 · 462 02-26 12:30 · "
    "503 02-26 15:35 · 540 02-26 11:49 · 577 01:18 · 614 13:29 · 648 14:24"
)


@pytest.mark.parametrize("newline", NEWLINES)
def test_c9_dates_and_times_come_from_the_heading(newline):
    """R7 of the bugs: the time is read, not only the day."""
    expected = []
    for one in TIMES.split(" · "):
        line, *when = one.split()
        day = when[0] if len(when) == 2 else "02-27"
        expected.append((int(line), "R1", f"2026-{day} {when[-1]}"))
    expected.insert(11, (367, "R2", "2026-02-11"))
    data = real("reflection_log.2026-02-27.a767be37", newline)
    assert shown(data) == expected


def test_c8_the_rule_that_closes_a_reflection_is_its_own_and_need_not_be_there():
    """T2.6. TRUTH: 77, 106, 648 and the R2 are not closed."""
    log = reflection.read(real("reflection_log.2026-02-27.a767be37"))
    is_open = [
        one.line for one in log.entries if not log.raw(one).rstrip().endswith(b"\n---")
    ]
    assert is_open == [77, 106, 367, 648]
    assert {log.raw(one)[:2] for one in log.entries} == {b"##"}


def test_a_block_without_heading_belongs_to_the_reflection_above():
    """R4 of the formats: lines 426 to 460 stay with 04:20."""
    data = real("reflection_log.2026-02-27.a767be37")
    log = reflection.read(data)
    (above,) = [one for one in log.entries if one.time == "04:20"]
    lines = data.splitlines(keepends=True)
    assert log.raw(above) == b"".join(lines[390:461])
    assert headless(log.raw(above)) == 1


def headless(raw: bytes) -> int:
    """How many reflections without a heading (R4) stand behind the one that has it.

    One begins behind a `---` and has a core section that was there before.
    """
    count, seen, is_behind = 0, set[str](), False
    for start, end, kind in blocks.lines(raw, front=False):
        line = raw[start:end]
        if kind == blocks.TEXT and line.strip() == b"---":
            is_behind = True
        heading = blocks.heading_of(line) if kind == blocks.TEXT else None
        text = heading[1].decode("utf-8", "replace") if heading else ""
        name = reflection_sections.name_of(text)
        if name not in reflection_sections.CORE:
            continue
        if is_behind and name in seen:
            count, seen, is_behind = count + 1, set(), False
        seen.add(name)
    return count


def test_only_a_section_begun_again_behind_a_rule_is_a_block_without_heading():
    section, rule = "### 做得好的\n\n- a\n\n", "---\n\n"
    for body, count in [
        (section + rule, 0),
        (section + rule + "text\n", 0),
        (section + section, 0),
        (section + rule + "### 待改进\n", 0),
        (section + rule + section, 1),
        (section + rule + section + rule + section, 2),
    ]:
        assert headless(f"## 反思\n\n{body}".encode()) == count


# What a heading begins: level, text, kind, "date time", title, session
HEADINGS = [
    (2, "反思 - 2026-02-27 15:28（会话：v5.2.5 发布）", "R1", "2026-02-27 15:28", "v5.2.5 发布", "v5.2.5 发布"),
    (2, "反思 - 2026-02-26 12:30", "R1", "2026-02-26 12:30", "", ""),
    (2, "反思 | 2026-03-08 | v5.5.31 发布会话", "R1", "2026-03-08", "v5.5.31 发布会话", ""),
    (2, "反思（会话：usage metrics Phase 2 修复）", "R1", "", "usage metrics Phase 2 修复", "usage metrics Phase 2 修复"),
    (2, "反思（会话：回滚 2026-02-01 的改动）", "R1", "", "回滚 2026-02-01 的改动", "回滚 2026-02-01 的改动"),
    (2, "反思", "R1", "", "", ""),
    (2, "反思：没有日期", "R1", "", "没有日期", ""),
    (2, "反思 - 2026-02-27 9:05（会话：A (x) B）", "R1", "2026-02-27 09:05", "A (x) B", "A (x) B"),
    (2, "反思总结 - 2026-03-01", "R1", "2026-03-01", "", ""),
    (2, "Reflection - 2026-11-30 12:34", "R1", "2026-11-30 12:34", "", ""),
    (2, "Reflection - 2026-11-30 12:34 (session: s-1)", "R1", "2026-11-30 12:34", "s-1", "s-1"),
    (2, "Reflection - 2026-11-30 12:34 (session: s-1): Hooks (again)", "R1", "2026-11-30 12:34", "Hooks (again)", "s-1"),
    (2, "Reflection - 2026-11-30 12:34: (session: no)", "R1", "2026-11-30 12:34", "(session: no)", ""),
    (2, "反思 - 2026-11-30 12:34（会话：s-1）：标题", "R1", "2026-11-30 12:34", "标题", "s-1"),
    (2, "REFLECTION: a day", "R1", "", "a day", ""),
    (2, "Reflection on the release, 2026-03-01", "R1", "2026-03-01", "", ""),
    (2, "2026-02-11 Reflection (Session: Codex Workflow Optimization)", "R2", "2026-02-11", "Codex Workflow Optimization", "Codex Workflow Optimization"),
    (2, "2026-03-18: 性能测试修复", "R2", "2026-03-18", "性能测试修复", ""),
    (2, "[2026-03-18] 性能测试修复", "R2", "2026-03-18", "性能测试修复", ""),
    (2, "会话反思 - 2026-03-18 (代码审查)", "R2", "2026-03-18", "代码审查", ""),
    (2, "会话反思", "R2", "", "", ""),
    (2, "会话：修复登录", "R2", "", "修复登录", ""),
    (2, "Session 2026-03-09 - Hooks", "R2", "2026-03-09", "Hooks", ""),
    (3, "2026-02-27 Session: auto-session-", "R3", "2026-02-27", "auto-session-", "auto-session-"),
    (3, "2026-02-27 14:05 Session: auto-1", "R3", "2026-02-27 14:05", "auto-1", "auto-1"),
    (3, "Session 2026-03-09 - CCG Workflow Bug 修复", "R3", "2026-03-09", "CCG Workflow Bug 修复", ""),
    (1, "Axiom 反思报告：v5.5.18 P0 修复会话", "R5", "", "Axiom 反思报告：v5.5.18 P0 修复会话", ""),
    (1, "Axiom 反思报告 - 2026-03-11", "R5", "2026-03-11", "Axiom 反思报告 - 2026-03-11", ""),
    (1, "Reflection report of 2026-03-11", "R5", "2026-03-11", "Reflection report of 2026-03-11", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("level", "text", "kind", "when", "title", "session"), HEADINGS
)
def test_what_a_heading_says(level, text, kind, when, title, session):
    (one,) = reflection.read(f"{'#' * level} {text}\n\ntext\n".encode()).entries
    said = (one.kind, f"{one.date} {one.time}".strip(), one.title, one.session)
    assert said == (kind, when, title, session)


NONE = [
    (2, "反思记录"),
    (2, "反思记录（2026-03-01 起）"),
    (2, "归档记录（共 11 条）"),
    (2, "反思日志"),
    (2, "会话反思记录"),
    (2, "Reflection log"),
    (2, "Reflection archive 2026-03-01"),
    (2, "Reflections"),
    (2, "Reflection-based design"),
    (2, "Session-based login"),
    (2, "Sessions"),
    (2, "会话"),
    (2, "Notes"),
    (2, "20260-02-11 five digits"),
    (2, "２０２６-02-11 wide digits"),
    (3, "反思 - 2026-02-27 15:28"),
    (3, "💡 反思总结"),
    (3, "2026-03-10: a day in a list"),
    (3, "2026-03-10 the session began"),
    (4, "2026-02-27 Session: auto"),
    (1, "Reflection Log"),
    (1, "Axiom 反思日志归档"),
    (1, "Reflection log of 2026-03-01"),
    (1, "总结 2026-03-01"),
]


@pytest.mark.parametrize(("level", "text"), NONE)
def test_r4_what_holds_reflections_or_stands_among_them_is_none(level, text):
    assert reflection.read(f"{'#' * level} {text}\n\ntext\n".encode()).entries == ()


def test_a_heading_in_a_fence_or_a_comment_is_text():
    """R5 of the bugs."""
    data = (
        b"## \xe5\x8f\x8d\xe6\x80\x9d - 2026-03-08 10:00\n\n```md\n## Reflection - 2026-03-08 11:00\n"
        b"# comment\n```\n<!--\n## Reflection - 2026-03-08 12:00\n-->\n~~~\n## Reflection\n"
    )
    assert shown(data) == [(1, "R1", "2026-03-08 10:00")]


def test_an_unknown_heading_is_of_nobody_and_ends_the_reflection_above():
    data = (
        b"# Log\n\n## Sessions\n\n## Reflection - 2026-03-08\ntext\n---\n## Notes\nkept\n"
        b"# More\n## Reflection - 2026-03-09\n### Notes\nits own\n"
    )
    log = reflection.read(data)
    assert [log.raw(one) for one in log.entries] == [
        b"## Reflection - 2026-03-08\ntext\n---\n",
        b"## Reflection - 2026-03-09\n### Notes\nits own\n",
    ]


def test_a_section_of_level_2_is_of_the_reflection_above():
    data = (
        "## 反思 - 2026-03-08\n\n## ✅ 做得好的\n- a\n\n## 2. What Could Improve\n- b\n"
        "## Notes\n## ✅ 做得好的\n- of nobody\n"
    ).encode()
    log = reflection.read(data)
    assert [log.raw(one).count(b"\n") for one in log.entries] == [7]


REPORT = """# Axiom 反思报告：v5.5.18 P0 修复会话

**会话时间**: 2026-03-05

---

## 1. What Went Well（做得好的）

### 1.1 并行执行
- 节省 70% 时间

---

## 2. What Could Improve（可以改进的）
- 更早介入

## 5. 可复用模式提取
```
# no heading
```

---

**生成时间**: 2026-03-05 15:30
"""


def test_a_pasted_report_is_one_reflection_and_whole():
    """R8 of the bugs: nothing is glued to the block above."""
    above = "## 反思 - 2026-03-05 14:25（会话：指南）\n\n### ✅ 做得好的\n- a\n\n---\n"
    below = "\n---\n\n## 反思 | 2026-03-08 | v5.5.31 发布会话\n\ntext\n"
    log = reflection.read((above + REPORT + below).encode())
    assert [one.kind for one in log.entries] == ["R1", "R5", "R1"]
    report = log.raw(log.entries[1]).decode()
    assert report == REPORT + "\n---\n\n"
    assert log.raw(log.entries[0]).decode() == above
    assert headless(report.encode()) == 0


@pytest.mark.parametrize("heading", ["## 反思记录", "## Sessions", "# Log"])
def test_what_holds_reflections_ends_a_pasted_report(heading):
    log = reflection.read(f"{REPORT}\n{heading}\n\ntext\n".encode())
    assert log.raw(log.entries[0]).decode() == REPORT + "\n"


def test_blocks_of_every_era_stand_side_by_side():
    """R8 of the bugs: R1, R2, R3, R3m, R5, each its own block."""
    data = (
        "# Log\n\n## 反思记录\n\n## 反思 - 2026-02-26 12:30\na\n---\n"
        "### 2026-02-27 Session: auto-x\n#### 💡 Learnings\n- (无)\n"
        "### Session 2026-03-09 - b\n**时间：** 2026-03-09T14:45:31.662Z\n\n"
        "## 2026-02-11: c\n## 会话反思 - 2026-03-18 (d)\n" + REPORT
    ).encode()
    log = reflection.read(data)
    assert [(one.line, one.kind, one.date) for one in log.entries] == [
        (5, "R1", "2026-02-26"),
        (8, "R3", "2026-02-27"),
        (11, "R3", "2026-03-09"),
        (14, "R2", "2026-02-11"),
        (15, "R2", "2026-03-18"),
        (16, "R5", ""),
    ]


def test_r13_reflections_are_counted_not_their_sections():
    data = (
        b"## Reflection - 2026-03-08\n### What went well\n- [ ] a\n### Action Items\n"
    )
    assert len(reflection.read(data).entries) == 1


@pytest.mark.parametrize(
    ("data", "count"),
    [
        (b"", 0),
        (b"\x00\xff\xfe", 0),
        (b"\xef\xbb\xbf## Reflection - 2026-03-08", 1),
        (b"---\n## Reflection - 2026-03-08\ntext\n---\n", 1),
        (b"## Reflection - 2026-03-08\r\rtext\r## Reflection - 2026-03-09\r", 2),
        (b"<<<<<<< ours\n## Reflection - 2026-03-08\n=======\n", 1),
        (b"## \xb7\xb4\xcb\xbc - 2026-03-08\n", 0),
        (b"## 2026-02-11: \xb7\xb4\xcb\xbc\x00\n", 1),
    ],
)
def test_any_bytes_are_read(data, count):
    assert len(reflection.read(data).entries) == count


def test_which_way_a_log_runs():
    newer, older = (
        b"## Reflection - 2026-03-08 10:00\n",
        b"## Reflection - 2026-03-08\n",
    )
    undated = b"## Reflection\n"
    assert reflection.read(undated + newer + older + undated).is_newest_first()
    assert not reflection.read(older + newer).is_newest_first()
    assert not reflection.read(newer + newer).is_newest_first()
    assert not reflection.read(undated).is_newest_first()


@pytest.mark.parametrize(
    "line",
    ["( session:", "(session: ", " ", "#", "反思 ", "2026-01-01 ", "(", "---", "12:"],
)
def test_a_heading_of_any_length_costs_no_time(line):
    begun = time.process_time()
    for heading in ("## 反思 - 2026-03-08 ", "### Session ", "# 反思 ", "## x"):
        reflection.read(f"{heading}{line * 200_000}\n".encode())
    assert time.process_time() - begun < 2
