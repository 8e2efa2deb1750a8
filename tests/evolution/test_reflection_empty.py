"""A reflection is empty only if a person finds nothing in it; what is unknown is kept."""

import re
import time
from pathlib import Path

import pytest

from afterword.evolution import reflection, reflection_sections
from afterword.evolution.reflection_empty import is_empty
from afterword.store import blocks

REAL = Path(__file__).parents[1] / "fixtures" / "evolution"

WELL = """做得好的
做得好 (What Went Well)
做得好的地方
What Went Well
成功模式
1. What Went Well（做得好的）"""
IMPROVE = """待改进
可以改进的
需要改进的
待改进 (What Could Improve)
可以改进的地方
What Could Improve
改进点"""
LEARNED = """学到了什么
新知识
新知识 (New Knowledge)
关键学习
Learnings
经验提取
3. Learnings（学到了什么）"""


def text(*sections: str) -> bytes:
    return "\n".join(
        ["## 反思 - 2026-03-08 10:00（会话：发布）", "", *sections]
    ).encode()


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_t2_1_the_truly_empty_ones_of_real_logs(newline):
    """TRUTH: 37 in 02-27.07295c49, all R3; none in any other log, none in the archive."""
    found = {}
    for path in sorted(REAL.glob("reflection_log*.md")):
        log = reflection.read(blocks.with_newline(path.read_bytes(), newline))
        kinds = [one.kind for one in log.entries if is_empty(log.raw(one), one.kind)]
        if kinds:
            found[path.name] = kinds
    assert found == {"reflection_log.2026-02-27.07295c49.md": ["R3"] * 37}


@pytest.mark.parametrize(
    "mark",
    ["### ✅ ", "### ⚠️ ", "### ⚠ ", "#### 💡 ", "### 📚 ", "### 🔑 ", "### ", "## "],
)
@pytest.mark.parametrize(
    ("name", "spellings"),
    [("well", WELL), ("improve", IMPROVE), ("learned", LEARNED)],
)
def test_r3_every_spelling_of_a_core_section_is_known(name, spellings, mark):
    """PRD, template and engine name them differently; a section named is not content."""
    for spelling in spellings.split("\n"):
        assert reflection_sections.name_of(mark.strip("# ") + " " + spelling) == name
        assert is_empty(text(f"{mark}{spelling}", "- (无)", "", "---", ""), "R1"), (
            spelling
        )


@pytest.mark.parametrize(
    "spelling", ["**✅ 成功模式**", "**⚠️ 改进点**", "**⚠️ 改进点**：", "__Learnings__"]
)
def test_a_section_may_be_a_bold_label(spelling):
    assert is_empty(text(spelling, "- 无"), "R2")
    assert not is_empty(text(spelling, "- found"), "R2")


PLACEHOLDERS = [
    "",
    "-",
    "- ",
    "*",
    "* ",
    "+",
    "1.",
    "- [ ]",
    "- [ ] ",
    "- [x]",
    "* [ ]",
    "- (无)",
    "- （无）",
    "（无）",
    "(无)",
    "无",
    "- 无。",
    "- 暂无",
    "- (none)",
    "(none)",
    "- None",
    "- *none*",
    "- N/A",
    "- …",
    "- ...",
    "—",
    "- 待补充",
    "- [ ] 待补充",
    "- （无新 Action Items，系统 IDLE）",
    "- （无新 Action Items，所有待办已清零）",
    "- 无新知识条目",
    "- 无新知识条目（本次为纯发布流程，无新 bug 或架构发现）",
    "- 无新 LQ 条目（本次为纯发布流程，无新 bug 或架构发现）",
    "<!-- one line -->",
    "- <!-- one line -->",
    "<!-- two\n### Notes\nlines -->",
    "<!-->",
    "---",
    "***",
    "- - -",
    "\u3000",
]


@pytest.mark.parametrize("placeholder", PLACEHOLDERS)
def test_r6_what_says_nothing(placeholder):
    """R2 of the bugs, too: the closing `---` is no content."""
    sections = [
        "### ✅ 做得好的",
        placeholder,
        "### ⚠️ 待改进",
        "- ",
        "### 💡 学到了什么",
    ]
    assert is_empty(text(*sections, placeholder), "R1")
    assert is_empty(text(*sections, placeholder, "", "---", ""), "R1")


CONTENT = [
    "- 完成了发布",
    "done",
    "- [ ] [TAG] 修复",
    "- [x] done",
    "- 5",
    "- 无新知识，但发现了根因",
    "- 无新知识条目（本次为纯发布流程，根因是竞态）",
    "- (无) 但是有用",
    "- 无法重现",
    "- nonexistent",
    "```\n```",
    "```sh\n# comment\n```",
    "| a | b |",
    "> quoted",
    "### Notes",
    "### 做得好的（零回归）",
    "#### 决策 1: 根因",
    "**note**",
    "<!-- never closed",
    "<!-- closed --> text",
    "text <!-- closed -->",
    "\x00",
    "\ufffd",
    "-" * 300 + "x",
    "- Duration: ~0 min",
]


@pytest.mark.parametrize("content", CONTENT)
def test_c7_what_is_not_known_for_a_placeholder_is_content(content):
    before = text("### ✅ 做得好的", content, "### ⚠️ 待改进", "- (无)", "---")
    after = text("### ⚠️ 待改进", "- (无)", "### 💡 学到了什么", content, "")
    behind = text("### 💡 学到了什么", "- (无)", "", "---", "", content, "")
    first = text(content, "### 💡 学到了什么", "- (无)")
    for raw in (before, after, behind, first):
        assert not is_empty(raw, "R1"), content


@pytest.mark.parametrize("name", (WELL + "\n" + IMPROVE + "\n" + LEARNED).split("\n"))
def test_r3_content_in_any_one_section_is_enough(name):
    sections = ["### 做得好的", "### 可以改进的", "### 学到了什么", "### Action Items"]
    assert is_empty(text(*sections), "R1")
    assert not is_empty(text(*sections, f"### {name}", "- found"), "R1")


@pytest.mark.parametrize(
    "raw",
    [
        text(),
        text("---"),
        text("- (无)"),
        text("### 🎯 Action Items", "- (无)"),
        text("#### 📊 Quick Stats", "- Duration: ~0 min"),
        text("> *[归档条目]*", "", "---"),
        "## 反思记录\n\n---\n".encode(),
        b"",
    ],
)
def test_r4_a_block_without_any_core_section_is_never_empty(raw):
    assert not is_empty(raw, "R1")


COUNTERS = [
    ("- Duration: ~0 min", True),
    ("- Tasks Completed: 0/0", True),
    ("- Tasks Completed: 1/1", True),
    ("- **自动修复**: 0 次", True),
    ("- **任务完成**：3/4", True),
    ("- **任务完成**: 1/1（修复登录）", False),
    ("- **CI Gate**: 4589 tests passed, 0 failed", False),
    ("- Agents: executor", False),
]


@pytest.mark.parametrize(("line", "is_counter"), COUNTERS)
@pytest.mark.parametrize("heading", ["#### 📊 Quick Stats", "### 📊 本次会话统计"])
def test_counters_of_a_session_are_no_content(heading, line, is_counter):
    assert (
        is_empty(text(heading, line, "#### 💡 Learnings", "- (无)"), "R3") == is_counter
    )


def test_a2_1_the_odd_reflection_of_2026_02_11_is_never_empty():
    """Nor any other that a person wrote: each one of its lines alone would keep it."""
    for name in ("02-24.2b24e278", "02-27.07295c49", "02-27.a767be37"):
        (path,) = REAL.glob(f"reflection_log.2026-{name}.md")
        log = reflection.read(path.read_bytes())
        odd = [one for one in log.entries if one.kind == "R2"]
        assert odd
        assert not any(is_empty(log.raw(one), one.kind) for one in odd)


def test_a_full_reflection_without_its_text_is_empty():
    """What keeps the real ones is their text: emptied, those of known structure are empty."""
    (path,) = REAL.glob("reflection_log.2026-02-27.a767be37.md")
    log = reflection.read(path.read_bytes())
    emptied = [
        re.sub(r"(?m)^(?!#|---).*$", "", log.raw(one).decode()).encode()
        for one in log.entries
    ]
    assert all(is_empty(raw, "R1") for raw in emptied)


def test_a_pasted_report_is_never_empty():
    raw = "# 反思报告\n\n## 1. What Went Well\n- 无\n".encode()
    assert not is_empty(raw, "R5")


def test_r13_an_open_box_without_text_says_nothing_and_one_with_text_does():
    assert is_empty(text("### 可以改进的", "- [ ]"), "R1")
    assert not is_empty(text("### 可以改进的", "- [ ] 更早测试"), "R1")


@pytest.mark.parametrize(
    "piece", ["<!--", "<!-- -->", "- ", " ", "# ", "**", "(", "无新 ", "x:"]
)
def test_a_long_line_costs_no_time(piece):
    begun = time.process_time()
    is_empty(text("### 做得好的", piece * 200_000), "R1")
    assert time.process_time() - begun < 1
