"""The queue is read in every era without taking anything for an item that is none."""

import pytest
from mutated import BOM, FIXTURES, NEWLINES, real

from afterword.evolution import queue, queue_text, words
from afterword.evolution.item import OPEN

# Numbers of cases/evolution/TRUTH.md, counted there by two other methods.
TRUTH = [
    ("learning_queue.2026-02-24.2ca7f405", 26, 0, 0, {}),
    ("learning_queue.2026-02-27.07295c49", 142, 12, 0, {"done": 10, "pending": 2}),
    ("learning_queue.2026-02-28.1e9ca11e", 326, 30, 0, {"done": 30}),
    ("learning_queue.2026-03-02.f4356e30", 146, 12, 0, {"done": 12}),
    ("learning_queue.2026-03-09.1fdbe138", 15, 0, 0, {}),
    ("learning_queue.2026-03-17.15cdd87f", 69, 6, 0, {"pending": 6}),
    ("learning_queue_archive.2026-03-02.bcae96a6", 204, 20, 0, {"done": 20}),
]
IN_FILE_ORDER = (
    "030 029 024 016 017 018 019 020 001 002 003 004 005 006 007 008 009 010 011 012 013"
    " 014 015 021 022 023 027 028 025 026"
)


def counted(items, attribute):
    found = {}
    for one in items:
        value = getattr(one, attribute)
        found[value] = found.get(value, 0) + 1
    return found


def ids(data: bytes) -> list[str]:
    return [one.identity for one in queue.read(data).items]


@pytest.mark.parametrize("newline", NEWLINES)
@pytest.mark.parametrize(("name", "lines", "items", "marked", "states"), TRUTH)
def test_a1_1_the_numbers_of_the_real_files(
    name, lines, items, marked, states, newline
):
    """T1.0, A1.1, N17: blocks of lines, also with other line ends; written back the same."""
    data = real(name, newline)
    found = queue.read(data)
    assert data.count(newline) == lines
    assert len(found.items) == items
    assert sum(one.marked for one in found.items) == marked
    expected = {"pending": 0, "processing": 0, "done": 0, "other": 0, **states}
    assert found.counts() == expected
    assert queue.replaced(found, {one: found.raw(one) for one in found.items}) == data
    assert queue.replaced(found, {}) == data


def test_every_real_queue_is_in_the_table():
    paths = {path.name[:-3] for path in FIXTURES.glob("learning_queue*")}
    assert paths == {name for name, *_ in TRUTH}


def test_a1_1_what_the_thirty_items_say():
    items = queue.read(real("learning_queue.2026-02-28")).items
    assert [one.identity for one in items] == [f"LQ-{n}" for n in IN_FILE_ORDER.split()]
    assert counted(items, "priority") == {"P0": 1, "P1": 9, "P2": 16, "P3": 4}
    assert counted(items, "source") == {
        "session": 15,
        "pattern": 9,
        "error": 5,
        "debugging": 1,
    }
    first = items[0]
    assert (first.line, first.prefix, first.number, first.suffix) == (24, "LQ", 30, "")
    assert first.title == "getRuntimePackageVersion() 返回 'unknown' 需显式 guard"
    assert (first.added, first.processed) == ("2026-02-28", "2026-02-28")
    assert first.content.startswith("`getRuntimePackageVersion()` 在读取失败时")
    assert first.product == "k-062"
    assert first.text("metadata") == "file=src/features/auto-update.ts, version=v5.2.7"
    assert {one.malformed for one in items} == {()}


def test_c4_a_processed_date_before_the_added_one_is_told():
    items = queue.read(real("f4356e30")).items
    told = {one.identity: one.malformed for one in items if one.malformed}
    said = ("processed 2026-01-21 before added 2026-03-02",)
    assert told == {"LQ-031": said, "LQ-032": said}


def test_the_order_and_numbers_of_the_archive_made_by_hand():
    items = queue.read(real("learning_queue_archive")).items
    numbers = [*range(1, 8), *range(16, 21), *range(8, 16)]
    assert [one.number for one in items] == numbers
    assert counted(items, "priority") == {"P0": 1, "P1": 6, "P2": 11, "P3": 2}


# --- what is an item, in all eras of spec/evolution.md 1.1

ERAS = {
    "L0 template in a fence": (
        "# Q\n\n```\n### LQ-001: in a fence\n- 状态: done\n```\n",
        [],
    ),
    "L1": ("### LQ-001: a\n- 状态: done\n", [("LQ-001", "done")]),
    "L1 placeholders": ("### LQ-[ID]: [标题]\n- 状态: [pending/processing/done]\n", []),
    "L1b linted": (
        "### LQ-001: a\n\n* 优先级: P1\n\n* 状态: done\n\n### LQ-002: b\n\n* 状态: pending\n",
        [("LQ-001", "done"), ("LQ-002", "pending")],
    ),
    "L2": ("# Learning Queue\n\n## Queue\n", []),
    "L3": ("### [P1] 2026-03-08 - a\n**状态**: pending\n", []),
    "L3b": ("## Pending\n\n### [P1] a\n**状态：** pending\n", []),
    "L5": ("### P0 - category\n**[2026-03-15] a**\n- **状态**: pending\n", []),
    "L6": ("# Axiom Learning Queue\n\n## 待处理学习素材\n\n## 优先级\n- P0: x\n", []),
    "L7": ("### ✅ P1: a\n- **状态**: 已提取到知识库 (K001)\n", []),
    "L8 machine": ("### Q-001: ralph\n- 状态: pending\n", [("Q-001", "pending")]),
    "L8 hand": (
        "### ✅ Q-038: a\n- **状态**: 已合并为统计数据\n",
        [("Q-038", "已合并为统计数据")],
    ),
    "L8 tombstone": (
        "### ✅ 已归档: Q-001 到 Q-018 (第二批归档)\n- 归档时间: 2026-03-17\n",
        [],
    ),
    "L8 tombstone of ids": ("### ✅ Q-001 到 Q-018: 归档\n- 状态: done\n", []),
    "no mark": ("### \u2705\ufe0f Q-001: a\n- 状态: done\n", [("Q-001", "done")]),
    "hash": ("### LQ-012-1a2b3c: a\n- Status: done\n", [("LQ-012-1a2b3c", "done")]),
    "no hash": ("### LQ-012-1A2B3C: a\n", []),
    "colon": ("### LQ-001：a\n- 状态：done\n", [("LQ-001", "done")]),
    "no colon": ("### LQ-001 a\n- 状态: done\n", []),
    "level 4": ("#### LQ-001: a\n- 状态: done\n", []),
    "level 2": ("## LQ-001: a\n- 状态: done\n", []),
    "comment": ("<!--\n### LQ-001: a\n-->\n", []),
    "front matter": (
        "---\nid: x\n---\n### LQ-001: a\n- 状态: done\n",
        [("LQ-001", "done")],
    ),
    "number of a million digits": (f"### LQ-{'9' * 100_000}: a\n- 状态: done\n", []),
    "nothing": ("", []),
}


@pytest.mark.parametrize("newline", [*NEWLINES, b""])
@pytest.mark.parametrize("era", ERAS)
def test_n17_items_of_every_era(era, newline):
    """Q7: what stands in a fence is none. Also without a line end at the end of the file."""
    text, expected = ERAS[era]
    data = text.encode().rstrip() if newline == b"" else text.encode()
    found = queue.read(data.replace(b"\n", newline or b"\n"))
    assert [(one.identity, one.status) for one in found.items] == expected


STATES = [
    ("- 状态: pending", "pending", "pending"),
    ("- 状态: processing", "processing", "processing"),
    ("- 状态: in-progress", "in-progress", "processing"),
    ("- 状态: done", "done", "done"),
    ("- Status: done  ", "done", "done"),
    ("- state: done", "done", "done"),
    ("* **状态**: done", "done", "done"),
    ("**状态：** done", "done", "done"),
    ("**状态**：done", "done", "done"),
    ("状态: done", "done", "done"),
    ("- 状态: Done", "Done", "other"),
    ("- 状态: done（部分）", "done（部分）", "other"),
    ("- 状态: done-later", "done-later", "other"),
    ("- 状态: processed", "processed", "other"),
    ("- 状态: ✅ 已处理 → KB-003", "✅ 已处理 → KB-003", "other"),
    ("- 状态:", "", "other"),
    ("- 状态:\ndone", "", "other"),
    ("no field at all", "", "other"),
    ("- 状态: pending\n- 状态: done", "pending", "pending"),
    ("  - 状态: done", "", "other"),
    ("```\n- 状态: done\n```", "", "other"),
    ("<!-- - 状态: done -->", "", "other"),
    ("> 状态: done", "", "other"),
]


@pytest.mark.parametrize("newline", NEWLINES)
@pytest.mark.parametrize(("lines", "status", "state"), STATES)
def test_c1_the_status_is_the_whole_first_field_and_nothing_else(
    lines, status, state, newline
):
    """C1, Q9, Q10: in-progress is processing; what is not known is other, never pending."""
    text = f"### LQ-001: t\n- 优先级: P1\n{lines}\n- 内容: c\n"
    data = text.encode().replace(b"\n", newline)
    (one,) = queue.read(data).items
    assert (one.status, one.state) == (status, state)
    assert queue.read(data).counts()[state] == 1


def test_q8_an_item_ends_before_a_heading_of_its_level_or_above():
    data = (
        b"### LQ-001: a\n- Status: done\n#### part\ntext\n\n## Section\nits text\n"
        b"### LQ-002: b\n- Status: done\n### other\n- Status: pending\n# Title\n"
    )
    found = queue.read(data)
    assert [found.raw(one) for one in found.items] == [
        b"### LQ-001: a\n- Status: done\n#### part\ntext\n\n",
        b"### LQ-002: b\n- Status: done\n",
    ]
    assert found.items[0].raw == found.raw(found.items[0])


def test_q11_a_marked_item_keeps_its_fields_to_itself():
    data = "### Q-006: a\n- 状态: pending\n- 内容: x\n### ✅ Q-111: b\n- 状态: done\n- 内容: y\n"
    first, second = queue.read(data.encode()).items
    assert (first.state, first.content) == ("pending", "x")
    assert (second.state, second.content, second.marked) == ("done", "y", True)


def test_n17_a_content_of_several_lines_missing_fields_and_special_characters():
    data = (
        "### LQ-006: '\\\\$&' | `a: b` <dirname>\n"
        "- 状态: done\n"
        "- 内容: 第一行: `'\\\\$&'` ${x} %VAR%\n"
        "  second\n\n"
        "  ```\n  - 状态: pending\n  ```\n"
        "- 元数据: a=b, c: d，键=值\n"
    )
    (one,) = queue.read(data.encode()).items
    assert one.title == "'\\\\$&' | `a: b` <dirname>"
    assert one.content == (
        "第一行: `'\\\\$&'` ${x} %VAR%\nsecond\n\n```\n- 状态: pending\n```"
    )
    assert one.text("metadata") == "a=b, c: d，键=值"
    assert (one.priority, one.source, one.added, one.product) == ("", "", "", "")
    assert repr(one) == "Item('LQ-006', 'done', line 1)"


ODD = [
    (BOM + b"### LQ-001: a\n- Status: done\n", 1),
    (b"---\na: b\n---\n\n### LQ-001: a\n- Status: done\n", 5),
    ("### LQ-001: 标题\n- 状态: ".encode("gbk") + b"done\n", 1),
    (b"### LQ-001: \0a\0\n- Status: done\0\n", 1),
    (b"\n\r\n\r### LQ-001: a\n- Status: done", 4),
]


@pytest.mark.parametrize(("data", "line"), ODD)
def test_any_bytes_are_read_and_lines_are_counted(data, line):
    found = queue.read(data)
    (one,) = found.items
    assert one.line == line
    assert (one.identity, one.state) in [("LQ-001", "done"), ("LQ-001", "other")]
    assert queue.replaced(found, {one: one.raw}) == data


@pytest.mark.parametrize("opening", [b"```\n", b"~~~ x\n", b"<!-- \n"])
def test_what_is_never_closed_is_told(opening):
    data = b"### LQ-001: a\n- Status: done\n" + opening + b"### LQ-002: b\n"
    (one,) = queue.read(data).items
    assert one.malformed == (OPEN,) == ("leaves a fence or a comment open",)
    assert one.is_open


@pytest.mark.parametrize(
    ("name", "language"),
    [(name, "zh") for name, *_ in TRUTH] + [("knowledge_base.2026-02-28", "en")],
)
@pytest.mark.parametrize("newline", NEWLINES)
def test_the_language_of_a_file_is_that_of_its_labels(name, language, newline):
    other = {"zh": "en", "en": "zh"}[language]
    assert words.language_of(real(name, newline), other) == language
    assert words.language_of(b"no label", other) == other


# --- order

DATED = [
    ("LQ-001", "2026-01-02", ""),
    ("LQ-009", "2026-01-02", ""),
    ("LQ-002", "2026-01-01", "2026-03-01"),
    ("LQ-031", "2026-03-02", "2026-01-21"),
    ("LQ-004", "", "2026-02-30 12:00"),
    ("LQ-005", "soon", "2026-13-01"),
    ("LQ-005", "", ""),
]


def test_a1_5_newest_first_by_the_later_date_then_the_number_then_the_place():
    """T1.4, C3, C4, Q1, Q2: a processed date counts, and an invented one does no harm."""
    data = "".join(
        f"### {identity}: {at}\n- 状态: done\n- 添加时间: {added}\n- 处理时间: {processed}\n"
        for at, (identity, added, processed) in enumerate(DATED)
    )
    found = queue.newest_done(queue.read(data.encode()))
    assert [int(one.title) for one in found] == [3, 2, 1, 0, 6, 5, 4]


# --- numbers and ids


def test_q4_a_number_is_given_once_over_queue_archive_and_tombstones():
    main = "### LQ-007: a\n### ✅ 已归档: Q-001 到 Q-018 (x)\n"
    assert queue.next_number(main.encode(), b"") == 19
    assert queue.next_number(main.encode(), b"### LQ-030-1a2b3c: b\n") == 31
    assert queue.next_number(b"", b"") == 1
    assert queue.next_number(b"```\n### LQ-500: no\n```\n### LQ-001: Q-900\n", b"") == 2
    assert queue.next_number(b"### LQ-999999999999: typed in error\n", b"") == 1


def test_an_id_is_of_number_and_content():
    one = queue.new_identity(7, "title", "content")
    assert one == queue.new_identity(7, "title", "content")
    assert one.startswith("LQ-007-")
    assert len(one) == len("LQ-007-1a2b3c")
    others = [(7, "title", "other"), (7, "titlec", "ontent"), (7, "\ud800", "")]
    assert one not in {queue.new_identity(*other) for other in others}
    assert queue.new_identity(1000, "t").startswith("LQ-1000-")


# --- adding


def new(**values: str) -> queue.New:
    given = {
        "identity": "LQ-050-abcdef",
        "title": "A title",
        "priority": "P1",
        "source": "session",
        "added": "2026-11-30",
        "content": "What there is to learn",
    }
    return queue.New(**{**given, **values})


ENGLISH = """\
### LQ-050-abcdef: A title
- Priority: P1
- Source: session
- Status: pending
- Added: 2026-11-30
- Content: What there is to learn
"""
CHINESE = """\
### LQ-050-abcdef: A title
- 优先级: P1
- 来源类型: session
- 状态: pending
- 添加时间: 2026-11-30
- 内容: What there is to learn
"""
PLACES = {
    "end of the section": (
        "# Q\n\n## Pending\n\n### LQ-001: a\n- Status: done\n\n## Done\n",
        "# Q\n\n## Pending\n\n### LQ-001: a\n- Status: done\n\n"
        + ENGLISH
        + "\n## Done\n",
    ),
    "an empty line is added": (
        "## Queue\ntext\n## Done\n",
        "## Queue\ntext\n\n" + ENGLISH + "\n## Done\n",
    ),
    "the first of two": (
        "## 待处理学习素材\n（空）\n\n## Pending\n",
        "## 待处理学习素材\n（空）\n\n" + ENGLISH + "\n## Pending\n",
    ),
    "marks and counts": (
        "## ⏳ 待处理队列 (3)：\n\n## 已完成\n",
        "## ⏳ 待处理队列 (3)：\n\n" + ENGLISH + "\n## 已完成\n",
    ),
    "a title that means it": (
        "# Pending\n## Done\n",
        "# Pending\n\n" + ENGLISH + "\n## Done\n",
    ),
    "no such section": (
        "# Axiom\n\n## 处理中\n\n### LQ-001: a\n- 状态: done\n- 优先级: P1\n",
        "# Axiom\n\n## 处理中\n\n### LQ-001: a\n- 状态: done\n- 优先级: P1\n\n"
        + CHINESE,
    ),
    "only in a fence": ("```\n## Pending\n```\n", "```\n## Pending\n```\n\n" + ENGLISH),
    "no line end": ("# Q\n\n## Pending", "# Q\n\n## Pending\n\n" + ENGLISH),
    "labels of headings": (
        "## 待处理\n\n## 优先级\n",
        "## 待处理\n\n" + CHINESE + "\n## 优先级\n",
    ),
}


@pytest.mark.parametrize("newline", NEWLINES)
@pytest.mark.parametrize("place", PLACES)
def test_q13_a_new_item_goes_where_pending_ones_are(place, newline):
    before, after = (text.encode() for text in PLACES[place])
    made = queue.add(before.replace(b"\n", newline), new(), words.EN)
    if b"\n" not in before:
        newline = b"\n"
    assert made == after.replace(b"\n", newline)


@pytest.mark.parametrize("language", [words.EN, words.ZH])
@pytest.mark.parametrize("data", [None, b""])
def test_a_missing_queue_begins_with_the_template(language, data):
    made = queue.add(data, new(), language)
    template = queue.template(language)
    block = ENGLISH if language == words.EN else CHINESE
    assert made == template + b"\n" + block.encode()
    assert ids(made) == ["LQ-050-abcdef"]


@pytest.mark.parametrize("language", [words.EN, words.ZH])
def test_the_template_holds_no_item_and_ends_where_items_go(language):
    template = queue.template(language)
    assert ids(template) == []
    assert words.language_of(template, "") == language
    heading = template.decode().rstrip().splitlines()[-1]
    assert heading in ("## Pending", "## 待处理队列")
    for priority in "P0", "P1", "P2", "P3":
        assert f"- {priority}: ".encode() in template


@pytest.mark.parametrize(
    "name", ["2ca7f405", "07295c49", "learning_queue.2026-02-28", "f4356e30"]
)
@pytest.mark.parametrize("newline", NEWLINES)
def test_q13_an_item_comes_before_the_trailing_sections_of_a_real_queue(name, newline):
    name = name if "." in name else f"learning_queue.*{name}"
    data = real(name, newline)
    made = queue.add(data, new(), words.EN)
    block = CHINESE.encode().replace(b"\n", newline) + newline
    at = made.index(block)
    assert made[:at] + made[at + len(block) :] == data
    assert made[at + len(block) :].startswith("## 处理中".encode())


def test_q15_a_full_queue_takes_one_more_and_leaves_the_others_alone():
    data = b"".join(
        f"### LQ-{n:03d}: a\n- Priority: P3\n- Status: pending\n\n".encode()
        for n in range(1, 121)
    )
    made = queue.add(data, new(), words.EN)
    assert made == data + ENGLISH.encode()
    assert queue.read(made).counts()["pending"] == 121


def test_an_item_that_leaves_something_open_swallows_no_new_one():
    """The new one comes before it: what it holds already may be items, too."""
    data = b"## Pending\n\n### LQ-001: a\n- Status: done\n```\n### LQ-002: b\n"
    made = queue.add(data, new(), words.EN)
    assert made == (
        b"## Pending\n\n" + ENGLISH.encode() + b"\n"
        b"### LQ-001: a\n- Status: done\n```\n### LQ-002: b\n"
    )
    assert ids(made) == ["LQ-050-abcdef", "LQ-001"]


@pytest.mark.parametrize(
    ("data", "closing"),
    [(b"# Q\n```\nx", b"\n```\n"), (b"<!-- x\n", b"-->\n"), (b"~~~~\n", b"~~~~\n")],
)
def test_what_a_header_leaves_open_is_closed(data, closing):
    made = queue.add(data, new(), words.EN)
    assert made == data + closing + b"\n" + ENGLISH.encode()
    assert ids(made) == ["LQ-050-abcdef"]


CONTENTS = {
    "one line": ("a: b", ["- Content: a: b"], 0),
    "several": ("a\r\n\n  b\nc\n\n", ["- Content: a", "", "    b", "  c"], 0),
    "heading first": ("# a\nb", ["- Content: # a", "  b"], 0),
    "headings below": (
        "a\n# b\n### LQ-1: c\n#### d",
        ["- Content: a", "  #### b", "  #### LQ-1: c", "  #### d"],
        2,
    ),
    "fields below": ("a\n- Status: done", ["- Content: a", "  - Status: done"], 0),
    "fence first": (
        "```sh\n# x\n```\nb",
        ["- Content:", "  ```sh", "  # x", "  ```", "  b"],
        0,
    ),
    "open fence": ("a\n```\n# b", ["- Content: a", "  ```", "  # b", "```"], 0),
    "open comment": ("<!-- a", ["- Content:", "  <!-- a", "-->"], 0),
    "nothing": ("", ["- Content:"], 0),
    "surrogate": ("a\ud800b", ["- Content: a\ufffdb"], 0),
}


@pytest.mark.parametrize("content", CONTENTS)
def test_n17_no_content_begins_or_ends_an_item(content):
    text, lines, count = CONTENTS[content]
    made = queue_text.block(new(content=text), words.EN).decode().splitlines()
    assert made == [*ENGLISH.splitlines()[:-1], *lines]
    assert queue_text.lowered(text) == count


TITLES = [
    ("a\n### LQ-001: b", "a ### LQ-001: b"),
    ("use C #", "use C #"),
    ("###", "###"),
    ("# a #b", "# a #b"),
    ("： a", "： a"),
    ("  a\tb  ", "a b"),
    ("a\u2028b\0c", "a b c"),
]


@pytest.mark.parametrize(("title", "read"), TITLES)
def test_a_title_is_one_line_and_is_read_as_it_was_given(title, read):
    (one,) = queue.read(queue.add(None, new(title=title), words.EN)).items
    assert (one.identity, one.title) == ("LQ-050-abcdef", read)


def test_values_are_one_line_and_metadata_is_left_out_when_there_is_none():
    made = queue_text.block(
        new(priority="P1\n- Status: done", metadata="a=b,\nc=d"), words.EN
    ).decode()
    assert "- Priority: P1 - Status: done\n" in made
    assert made.endswith("- Metadata: a=b, c=d\n")
    assert "Metadata" not in queue_text.block(new(metadata=" \n"), words.EN).decode()


# --- changing


def test_q16_of_two_items_with_one_id_each_is_changed_by_its_place():
    data = b"### Q-024: a\n- Status: pending\n\n### Q-024: b\n- Status: pending\n"
    found = queue.read(data)
    for one in found.items:
        raw = queue.put_state(found.raw(one), words.PROCESSING, language=words.EN)
        made = queue.replaced(found, {one: raw})
        states = {again.title: again.state for again in queue.read(made).items}
        other = {"a": "b", "b": "a"}[one.title]
        assert states == {one.title: "processing", other: "pending"}
        assert len(made) == len(data) + len("processing") - len("pending")


def test_c1_done_gets_its_date_and_product_in_the_order_of_the_format():
    raw = CHINESE.encode() + "- 元数据: a=b\n\n".encode()
    made = queue.put_state(
        raw, words.DONE, processed="2026-12-01", product="k-1", language=words.EN
    )
    assert (
        made.decode()
        == CHINESE.replace("pending", "done").replace(
            "- 内容", "- 处理时间: 2026-12-01\n- 内容"
        )
        + "- 元数据: a=b\n- 知识产出: k-1\n\n"
    )
    twice = queue.put_state(
        made, words.DONE, processed="2026-12-01", product="k-1", language=words.EN
    )
    assert twice == made


def test_a_product_joins_what_stands_there():
    raw = "### Q-001: a\n- 状态: pending\n- 知识产出: k-029, 见下文\n".encode()
    made = queue.put_state(raw, words.DONE, product="k-1", language=words.EN)
    assert (
        made.decode() == "### Q-001: a\n- 状态: done\n- 知识产出: k-029, 见下文, k-1\n"
    )


def test_q14_nothing_here_removes_an_item():
    """Only `queue_archive.plan` takes one out of the file, and into the archive."""
    data = real("learning_queue.2026-02-28")
    found = queue.read(data)
    raws = [found.raw(one) for one in found.items]
    changed = {
        one: queue.put_state(found.raw(one), words.PENDING, language=words.ZH)
        for one in found.items
    }
    made = queue.read(queue.replaced(found, changed))
    assert [made.raw(one).replace(b"pending", b"done") for one in made.items] == raws


def test_items_between_two_rules_are_no_front_matter_and_keep_their_numbers():
    items = "### LQ-009: a\n- Status: pending\n\n---\n\n### LQ-006: b\n- Status: done\n"
    data = f"---\n\n{items}".encode()
    assert [one.identity for one in queue.read(data).items] == ["LQ-009", "LQ-006"]
    assert queue.next_number(data, b"") == queue.next_number(b"", data) == 10


def test_q4_a_number_behind_the_highest_that_counts_is_not_given_twice():
    first = b"### LQ-999999999: a\n"
    second = b"### LQ-1000000000-1a2b3c: b\n"
    assert queue.next_number(first, b"") == 10**9
    assert queue.next_number(first, second) == 10**9 + 1


def test_a_fence_that_begins_a_list_item_cuts_no_item_in_two():
    listed = "- ```bash\n  # install\n  ### LQ-007: no\n  ```\n\n"
    data = f"### LQ-001: a\n- Status: done\n{listed}### LQ-002: b\n".encode()
    first, second = queue.read(data).items
    assert (first.identity, second.identity) == ("LQ-001", "LQ-002")
    assert listed.encode() in first.raw
    assert not first.is_open
