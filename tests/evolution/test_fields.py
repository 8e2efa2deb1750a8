"""Labelled lines are found in every spelling and edited without touching another byte."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mutated import mutated

from afterword.evolution import fields, words

PROCESSED = ("priority", "source", "status", "added")
PRODUCT = (*PROCESSED, "processed", "content", "metadata")
NEWLINES = ["\n", "\r\n", "\r"]

LINES = [
    ("- 状态: done", "status", "done"),
    ("* 状态: done", "status", "done"),
    ("+ 状态: done", "status", "done"),
    ("-   状态:   done  ", "status", "done"),
    ("状态: done", "status", "done"),
    ("状态:done", "status", "done"),
    ("状态：done", "status", "done"),
    ("- **状态**: done", "status", "done"),
    ("- **状态:** done", "status", "done"),
    ("**状态：** done", "status", "done"),
    ("**状态** ： done", "status", "done"),
    ("- STATUS: done", "status", "done"),
    ("- Source Type: pattern", "source", "pattern"),
    ("- 来源: Session 2026-03-09", "source", "Session 2026-03-09"),
    ("- 内容: a: b：c | `d` **e**", "content", "a: b：c | `d` **e**"),
    ("- 内容:**bold**", "content", "**bold**"),
    ("- 根因: x", "", "x"),
    ("- 置信度: 95%", "confidence", "95%"),
    ("- 状态:", "status", ""),
]
NONE = [
    "  - 状态: done",
    "\t状态: done",
    "# 状态: done",
    "> 状态: done",
    "| 状态: done |",
    "`状态`: done",
    "**状态: done",
    "- **[2026-03-15] 标题**",
    "- unknown: done",
    "状态 done",
    "https://status: done",
    "",
]


@pytest.mark.parametrize("newline", ["", *NEWLINES])
@pytest.mark.parametrize(("line", "name", "value"), LINES)
def test_t1_0_a_label_in_every_spelling(line, name, value, newline):
    raw = (line + newline).encode()
    (found,) = fields.read(raw)
    assert (found.name, found.value) == (name, value)
    assert raw[found.value_start : found.value_end] == value.encode()
    assert (found.start, found.end) == (0, len(raw))


@pytest.mark.parametrize("line", NONE)
def test_what_is_no_field(line):
    assert fields.read(line.encode()) == []


def test_labels_in_a_fence_or_a_comment_are_none():
    raw = "```\n- 状态: a\n```\n<!--\n- 状态: b\n-->\n- 状态: c\n".encode()
    assert [one.value for one in fields.read(raw)] == ["c"]


def test_labels_of_every_word_the_formats_use():
    """Section 1.1 of the specification: they are known, so that they go on with no other."""
    labels = (
        "优先级 来源类型 状态 添加时间 处理时间 内容 元数据 知识产出 结果 置信度 验证 归档时间"
        " 归档项目 模式 发现 来源 问题 解决 知识点 成功模式 应用场景 根因 正确流程 影响范围"
        " 解决方案 适用场景 代码位置 分类 创建时间 最后验证"
    ).split()
    raw = "".join(f"- {label}: x\n" for label in labels).encode()
    assert [one.label for one in fields.read(raw)] == labels


def test_lines_that_are_no_field_go_on_with_the_one_above():
    raw = (
        "### t\nbefore\n- 内容: one\n  two\n\n    three\n- 元数据: a\n#### part\nnot of it\n"
    ).encode()
    content, metadata = fields.read(raw)
    assert raw[content.start : content.end].decode() == (
        "- 内容: one\n  two\n\n    three\n"
    )
    assert raw[metadata.start : metadata.end].decode() == "- 元数据: a\n"
    assert fields.text(raw, "content") == "one\ntwo\n\n  three"
    assert fields.text(raw, "metadata") == "a"
    assert fields.text(raw, "product") == ""


def test_the_first_field_of_a_name_counts():
    found = fields.read("- 状态: a\n- 状态: b\n".encode())
    assert fields.value(found, "status") == "a"
    assert fields.value(found, "product") == ""
    assert fields.first(found, "product") is None


# --- put: what it is given, and what it makes of it

REGEX = "'\\\\$&' \\1 \\g<0> $& {0} %s"
PUT = {
    "exchanged": (
        ("status", "done", ("priority",)),
        "### t\n- 状态: pending  \n- 内容: a\n",
        "### t\n- 状态: done  \n- 内容: a\n",
    ),
    "exchanged without space": (
        ("status", "done", ()),
        "**状态：**pending\n",
        "**状态：**done\n",
    ),
    "empty": (
        ("status", "done", ()),
        "- 状态:\n- 内容: a\n",
        "- 状态: done\n- 内容: a\n",
    ),
    "empty with space": (("status", "done", ()), "- 状态: \n", "- 状态: done\n"),
    "only the first": (
        ("status", "done", ()),
        "- 状态: a\n- 状态: b\n",
        "- 状态: done\n- 状态: b\n",
    ),
    "lines below stay": (
        ("status", "done", ()),
        "- 状态: a\n  because\n- 内容: b\n",
        "- 状态: done\n  because\n- 内容: b\n",
    ),
    "no replacement pattern": (
        ("content", REGEX, ()),
        f"- 内容: {REGEX}{REGEX}\n",
        f"- 内容: {REGEX}\n",
    ),
    "behind the last present": (
        ("processed", "D", PROCESSED),
        "### t\n- 状态: a\n- 优先级: P1\n- 内容: b\n",
        "### t\n- 状态: a\n- 优先级: P1\n- 处理时间: D\n- 内容: b\n",
    ),
    "behind all lines of it": (
        ("product", "k", PRODUCT),
        "### t\n- 状态: a\n- 内容: b\n  c\n\n  ```\n  - 元数据: no\n  ```\n\n",
        "### t\n- 状态: a\n- 内容: b\n  c\n\n  ```\n  - 元数据: no\n  ```\n- 知识产出: k\n\n",
    ),
    "before a part": (
        ("product", "k", PRODUCT),
        "### t\n- 内容: b\n\n#### part\ntext\n",
        "### t\n- 内容: b\n- 知识产出: k\n\n#### part\ntext\n",
    ),
    "linted": (
        ("processed", "D", PROCESSED),
        "### t\n\n* 状态: a\n\n* 内容: b\n\n",
        "### t\n\n* 状态: a\n\n* 处理时间: D\n\n* 内容: b\n\n",
    ),
    "linted, at the end": (
        ("product", "k", PRODUCT),
        "### t\n\n* 状态: a\n\n* 内容: b\n\n",
        "### t\n\n* 状态: a\n\n* 内容: b\n\n* 知识产出: k\n\n",
    ),
    "bold": (
        ("processed", "D", PROCESSED),
        "### t\n- **状态**: a\n- **内容**: b\n",
        "### t\n- **状态**: a\n- **处理时间**: D\n- **内容**: b\n",
    ),
    "bold, full width": (
        ("processed", "D", PROCESSED),
        "### t\n**状态：** a\n**内容：** b\n",
        "### t\n**状态：** a\n**处理时间：** D\n**内容：** b\n",
    ),
    "english": (
        ("processed", "D", PROCESSED),
        "### t\n* Status: a\n* Content: b\n",
        "### t\n* Status: a\n* Processed: D\n* Content: b\n",
    ),
    "before the first": (
        ("status", "done", ("priority", "source")),
        "### t\ntext\n\n- **处理时间**: D\n",
        "### t\ntext\n\n- **状态**: done\n- **处理时间**: D\n",
    ),
    "before the first, linted": (
        ("status", "done", ("priority", "source")),
        "### t\n\n* 内容: a\n\n* 元数据: b\n",
        "### t\n\n* 状态: done\n\n* 内容: a\n\n* 元数据: b\n",
    ),
    "behind the heading": (
        ("status", "done", ()),
        "### t\ntext\n",
        "### t\n- 状态: done\ntext\n",
    ),
    "nothing but a heading": (
        ("status", "done", ()),
        "### t\n",
        "### t\n- 状态: done\n",
    ),
    "never behind what is open": (
        ("product", "k", PRODUCT),
        "### t\n- 状态: a\n- 内容: b\n```\nc\n",
        "### t\n- 状态: a\n- 知识产出: k\n- 内容: b\n```\nc\n",
    ),
    "all of it open": (
        ("product", "k", PRODUCT),
        "### t\n- 内容: b\n<!--\nc\n",
        "### t\n- 知识产出: k\n- 内容: b\n<!--\nc\n",
    ),
}


@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.parametrize("newline", NEWLINES)
@pytest.mark.parametrize("case", PUT)
def test_n15_put_sets_one_field_and_keeps_the_rest(case, newline, ended):
    """In the block's own line ends; a block without a last one still has none."""
    (name, text, after), before, expected = PUT[case]
    if not ended:
        before, expected = before.rstrip(" \n"), expected.rstrip(" \n")
    if "\n" not in before:
        newline = "\n"
    before, expected = (one.replace("\n", newline) for one in (before, expected))
    made = fields.put(before.encode(), name, text, after, words.ZH)
    assert made.decode() == expected
    assert fields.value(fields.read(made), name) == text
    assert fields.put(made, name, text, after, words.ZH) == made


def test_the_language_counts_where_no_neighbour_has_one():
    assert fields.put(b"### t\n", "status", "done", (), words.EN) == (
        b"### t\n- Status: done\n"
    )


@settings(deadline=None)
@given(
    raw=mutated("learning_queue*").map(lambda data: b"### Q-001: t\n" + data),
    name=st.sampled_from(["status", "processed", "product", "content"]),
    after=st.sampled_from([PROCESSED, PRODUCT, ()]),
)
def test_n15_put_into_any_bytes_adds_one_line_or_changes_one(raw, name, after):
    old = fields.first(fields.read(raw), name)
    made = fields.put(raw, name, "VALUE", after, words.EN)
    new = fields.first(fields.read(made), name)
    assert new is not None
    assert new.value == "VALUE"
    before = made[: new.start if old is None else new.value_start].rstrip()
    behind = made[new.value_end :].lstrip()
    assert raw.startswith(before)
    assert raw.endswith(behind)
