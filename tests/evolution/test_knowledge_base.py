"""Knowledge bases of every era: what they hold, and one row more (spec/evolution.md 1.5)."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.errors import UsageError
from afterword.evolution import knowledge_base, knowledge_filter, knowledge_row
from afterword.evolution.knowledge_base import Entry

FIXTURES = Path(__file__).parent.parent / "fixtures/evolution"
K1, K1_DOUBLED, K1_FULL, K2 = (
    (FIXTURES / f"knowledge_base.{name}.md").read_bytes()
    for name in (
        "2026-02-24.2b24e278",
        "2026-02-27.b2774efb",
        "2026-02-28.1e9ca11e",
        "2026-03-09.1b45d032",
    )
)
HEAD = "| ID | Title | Category | Confidence | Created | Status |\n"
RULE = "|----|-------|----------|------------|---------|--------|\n"
NEW = Entry(
    id="k-1f2e3d4c",
    title="Pipes | and more",
    category="workflow",
    confidence=0.5,
    created="2026-11-30",
    status="active",
)
LINE = b"| k-1f2e3d4c | Pipes \\| and more | workflow | 0.5 | 2026-11-30 | active |"


def crlf(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


def base(text: str) -> knowledge_base.Base:
    return knowledge_base.read(text.encode())


def ids(text: str) -> list[str]:
    return [entry.id for entry in base(text).entries]


def rows(*lines: str) -> str:
    """An index with these rows."""
    return "# Base\n\n## Index\n\n" + HEAD + RULE + "".join(f"{one}\n" for one in lines)


def told(text: str) -> list[tuple[int, str]]:
    return [(one.line, one.message) for one in base(text).problems]


# What the real files hold --------------------------------------------------------------


@pytest.mark.parametrize("copy", [bytes, crlf])
@pytest.mark.parametrize(
    ("data", "read", "entries", "form"),
    [
        (K1, 28, 28, "row"),
        (K1_DOUBLED, 51, 49, "row"),
        (K1_FULL, 62, 62, "row"),
        (K2, 11, 11, "section"),
    ],
)
def test_real_files_hold_what_their_readers_counted(data, read, entries, form, copy):
    """A3.3: all 62; TRUTH.md's numbers, also of CRLF copies."""
    found = knowledge_base.read(copy(data))
    assert (found.read, len(found.entries)) == (read, entries)
    assert {entry.form for entry in found.entries} == {form}


@pytest.mark.parametrize("copy", [bytes, crlf])
def test_the_order_and_the_categories_are_those_of_the_file(copy):
    found = knowledge_base.read(copy(K1_FULL)).entries
    assert [entry.id for entry in found[:4]] == ["k-039", "k-040", "k-041", "k-001"]
    assert {entry.id for entry in found} == {f"k-{n:03d}" for n in range(1, 63)}
    assert Counter(entry.category for entry in found) == {
        "architecture": 21,
        "workflow": 15,
        "tooling": 9,
        "pattern": 8,
        "debugging": 5,
        "security": 3,
        "platform": 1,
    }
    assert found[3] == Entry(
        id="k-001",
        title="Global Configuration Pattern (全局配置模式)",
        category="architecture",
        confidence=0.9,
        created="2026-02-08",
        status="active",
        line=20,
        where="1. 索引表 (Knowledge Index)",
        form="row",
    )


def test_blocks_give_id_title_and_confidence():
    found = knowledge_base.read(K2).entries
    assert [entry.id for entry in found] == [f"KB-{n:03d}" for n in range(1, 12)]
    assert (found[1].title, found[1].confidence) == ("测试同步三要素", 1.0)
    assert (found[1].line, found[1].where) == (12, "Entries")


@pytest.mark.parametrize("copy", [bytes, crlf])
def test_what_a_file_declares_is_recounted_and_told(copy):
    """The category table of the full file says 59; its own `entries: 62` is right."""
    [problem] = knowledge_base.read(copy(K1_FULL)).problems
    assert (problem.line, problem.message) == (
        82,
        "the category table counts 59 entries, there are 62",
    )
    [problem] = knowledge_base.read(copy(K1_DOUBLED)).problems
    assert problem.message == "the category table counts 47 entries, there are 49"
    assert knowledge_base.read(copy(K2)).problems == ()


# Every era -----------------------------------------------------------------------------

K0 = """# 知识库

```
### K-[ID]: [标题]
- 分类: [x]
### K-000: an example
```

### K-001: 全局配置
- 分类: architecture
- 置信度: 0.9
- 来源: session
- 创建时间: 2026-02-08
- 最后验证: 2026-02-09
- 内容: text
"""
K1B = (
    "| ID | Title | Category | Confidence | Created | Status |\n"
    "| ---- | ------- | ---------- | ------------ | --------- | -------- |\n"
    "| k-001 | One <<https://example.org>> | tooling | 0.9 | 2026-02-08 | active |\n"
)
K3 = """# Knowledge Base

## Patterns

### Retry with a limit
**置信度：** 90%
**内容：** text

## Insights

### Locks die with their holder

## Notes

### No entry of ours
"""
K4 = """# Axiom

## 知识图谱

### testing

#### K002: Isolation
- **置信度**: 95%
- **创建时间**: 2026-03-15

#### K001: Nothing at all
- **置信度**: 0%

### workflow

#### K002: Rebase
- **置信度**: 90%
"""


@pytest.mark.parametrize("copy", [str, lambda text: text.replace("\n", "\r\n")])
@pytest.mark.parametrize(
    ("text", "entries"),
    [
        (K0, [("K-001", "全局配置", "architecture", 0.9, "2026-02-08")]),
        (
            K1B,
            [("k-001", "One <<https://example.org>>", "tooling", 0.9, "2026-02-08")],
        ),
        (
            K3,
            [
                ("", "Retry with a limit", "", 0.9, ""),
                ("", "Locks die with their holder", "", None, ""),
            ],
        ),
        (
            K4,
            [
                ("K002", "Isolation", "testing", 0.95, "2026-03-15"),
                ("K001", "Nothing at all", "testing", 0.0, ""),
                ("K002", "Rebase", "workflow", 0.9, ""),
            ],
        ),
    ],
)
def test_each_era_is_read(text, entries, copy):
    """K0, K1b, K3, K4; K4 the bug: a confidence of 0 stays 0."""
    found = base(copy(text)).entries
    assert [
        (one.id, one.title, one.category, one.confidence, one.created) for one in found
    ] == entries


@pytest.mark.parametrize("rule", [RULE, "| ---- | :--- | ---: | :-: | - | --- |\n"])
def test_a_separator_is_no_entry(rule):
    """K2: `| ---- |` gave a ghost entry with the id `----`."""
    text = HEAD + rule + "| k-001 | One | c | 0.9 | 2026-02-08 | active |\n" + rule
    assert ids(text) == ["k-001"]


@pytest.mark.parametrize("seam", ["||", "| |", "|  | "])
def test_rows_glued_together_are_all_read(seam):
    """K3: three entries stood in one line of a real file; two of them were lost."""
    parts = [
        f" k-00{n} | Title {n} | tooling | 0.9 | 2026-03-05 | active " for n in "123"
    ]
    text = rows(f"|{seam.join(parts)}|")
    assert [(one.id, one.title, one.status) for one in base(text).entries] == [
        (f"k-00{n}", f"Title {n}", "active") for n in "123"
    ]
    assert told(text) == [(7, "3 rows stand in one line")]


@pytest.mark.parametrize(
    ("cell", "title"),
    [
        ("a \\| b", "a | b"),
        ("a | b", "a | b"),
        ("a || b", "a || b"),
        ("`x|y|z`", "`x|y|z`"),
        ("\\", "\\"),
    ],
)
def test_a_pipe_in_a_title_shifts_nothing(cell, title):
    """K3: escaped or not, it belongs to the title."""
    [entry] = base(
        rows(f"| k-001 | {cell} | debugging | 0.9 | 2026-02-08 | active |")
    ).entries
    assert (entry.title, entry.category) == (title, "debugging")
    assert (entry.confidence, entry.status) == (0.9, "active")


def test_a_tail_behind_the_last_column_shifts_nothing():
    text = rows("| k-001 | One | debugging | 0.9 | 2026-02-08 | active | see below | |")
    [entry] = base(text).entries
    assert (entry.title, entry.confidence, entry.status) == ("One", 0.9, "active")


def test_columns_are_known_by_their_names_in_either_language():
    text = (
        "| **状态** | 编号 | 置信度 | 标题 | Owner | 分类 | 创建时间 |\n|-|-|-|-|-|-|-|\n"
        "| active | k-001 | 95% | 一 | me | tooling | 2026-02-08 |\n"
    )
    assert base(text).entries == (
        Entry(
            id="k-001",
            title="一",
            category="tooling",
            confidence=0.95,
            created="2026-02-08",
            status="active",
            line=3,
        ),
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.9", 0.9),
        ("0.90", 0.9),
        (".5", 0.5),
        ("1", 1.0),
        ("0", 0.0),
        ("0%", 0.0),
        ("95%", 0.95),
        ("95 %", 0.95),
        ("95％", 0.95),
        ("95", 0.95),
        ("**0.8**", 0.8),
        ("0.9（多次验证）", 0.9),
        ("", None),
        ("high", None),
        ("2026-02-08", None),
        ("3 sessions", None),
        ("120%", None),
        ("9" * 400, None),
        ("-1", None),
    ],
)
def test_confidence_in_every_spelling(text, value):
    """K4: 0 stays 0; what says nothing is none, never a guess of 0.7."""
    assert knowledge_row.number(text) == value


def test_details_of_a_row_are_no_second_entry():
    text = (
        rows("| k-072 | Row | c | 0.9 | 2026-03-05 | active |")
        + "\n## 5. 知识条目详情\n\n### k-072: Row, told at length\n\n"
        + "| ID | Name |\n|--|--|\n| k-999 | a table of its own |\n\n"
        + "## k-077: Only here\n**Category**: testing\n"
    )
    found = base(text).entries
    assert [(one.id, one.title, one.category) for one in found] == [
        ("k-072", "Row", "c"),
        ("k-077", "Only here", "testing"),
    ]
    assert told(text) == []


PATTERNS = """---
version: 1.0
---
# Patterns

## 1. Library

| ID | Name | Category | Occurrences | Confidence | Status |
|----|------|----------|-------------|------------|--------|
| P-001 | Atomic write | pattern | 3 | 0.9 | active |
| P-002 | Retry | workflow | 1 | 0.6 | pending |

### P-001: Atomic write\x20\x20
**Category**: pattern\x20\x20

## 2. Seen

| ID | Name | Occurrences | Notes |
|----|------|-------------|-------|
| P-001 | Atomic write | 3 | again |
| P-009 | New one | 1 | |
"""


def test_pattern_tables_are_read():
    found = base(PATTERNS)
    assert [(one.id, one.title, one.status) for one in found.entries] == [
        ("P-001", "Atomic write", "active"),
        ("P-002", "Retry", "pending"),
        ("P-009", "New one", ""),
    ]
    assert {one.form for one in found.entries} == {"pattern"}
    assert found.problems == ()


def test_pattern_tables_are_kept_byte_for_byte():
    """K8: a whole pattern library was replaced by one table."""
    after = knowledge_base.add_row(PATTERNS.encode(), NEW, "en")
    assert after.startswith(PATTERNS.encode())
    assert after[len(PATTERNS.encode()) :] == (
        b"\n## Index\n\n" + HEAD.encode() + RULE_NEW + LINE + b"\n"
    )


RULE_NEW = b"|----|-------|----------|------------|---------|--------|\n"


@pytest.mark.parametrize(
    "text",
    [
        "```\n" + HEAD + RULE + "| k-001 | One | c | 0.9 | d | active |\n```\n",
        "<!--\n" + HEAD + RULE + "| k-001 | One | c | 0.9 | d | active |\n-->\n",
        "---\n" + HEAD + "---\n",
        "    " + HEAD + "    " + RULE,
        "> " + HEAD + "> " + RULE + "> | k-001 | One | c | 0.9 | d | active |\n",
        "> Last updated: 2026-03-01 | Total: 12 entries\n",
        "### 4.1 Confidence 分数说明\n- `0.9+`: x\n",
        "### P1: a priority\n### K8s: a tool\n### LQ-001: an item\n",
        "| Range | Meaning |\n|--|--|\n| 0.9 | high |\n",
        HEAD + RULE + "| | | | | | |\n| (空) | | | | | |\n",
        "",
        "\n",
        "\ufeff",
    ],
)
def test_what_is_no_entry_is_none(text):
    """Fences, comments, examples, other tables and other headings hold no entries."""
    assert base(text).entries == ()


def test_a_row_set_apart_is_not_lost():
    one, two = (f"| k-00{n} | T{n} | c | 0.9 | d | active |" for n in "12")
    for gap in ("\n", "<!-- new ones below -->\n", "new ones:\n\n"):
        text = rows(one) + gap + two + "\n"
        assert ids(text) == ["k-001", "k-002"], gap
    text = rows(one) + "\n| Range | Meaning |\n|--|--|\n| k-9 | high |\n"
    assert ids(text) == ["k-001"]
    assert ids(rows(one) + "\n## Next\n\n" + two + "\n") == ["k-001"]


def test_a_table_that_follows_at_once_is_another():
    text = rows("| k-001 | One | c | 0.9 | d | active |") + (
        "| Category | Count |\n|--|--|\n| c | 2 |\n"
    )
    assert ids(text) == ["k-001"]
    assert told(text) == [(8, "the category table counts 2 entries, there are 1")]


def test_doubled_ids_are_folded_when_equal_and_told_when_not():
    one = "| k-048 | One | workflow | 0.9 | 2026-02-27 | active |"
    same = "|  k-048  |One| workflow | 0.90 | 2026-02-27 | active"
    other = "| K-048 | Two | workflow | 0.9 | 2026-02-27 | active |"
    text = rows(one, same, other, one)
    found = base(text)
    assert [(one.id, one.title) for one in found.entries] == [
        ("k-048", "One"),
        ("K-048", "Two"),
    ]
    assert found.read == 4
    assert told(text) == [(9, "K-048 stands in line 7 with other content")]


def test_sections_of_one_id_with_other_text_both_stay():
    """K007-K009 of the real file mean two things each."""
    text = "## G\n\n### K007: a\none\n\n### K007: a\ntwo\n\n### K007: a\n\none\n### K007: a\none\n"
    assert [one.line for one in base(text).entries] == [3, 6, 9]
    assert told(text) == [
        (6, "K007 stands in line 3 with other content"),
        (9, "K007 stands in line 3 with other content"),
    ]


@pytest.mark.parametrize(
    ("declared", "counts", "problems"),
    [
        ("1", "| c | 1 |\n| **Total** | 1 |\n", []),
        ("01", "", []),
        ("2", "| C | 1 |\n", [(3, "entries: 2 is declared, there are 1")]),
        (
            "1",
            "| c | 0 |\n| d | 1 |\n",
            [(8, "the category table says c 0, there are 1")],
        ),
        ("many", "| c | some |\n| c | 1 |\n", []),
    ],
)
def test_declared_counts_are_compared(declared, counts, problems):
    text = (
        f"---\nversion: 1\nentries: {declared}\n---\n"
        "# B\n\n"
        "\n"
        + ("| 分类 | 数量 |\n|--|--|\n" + counts if counts else "")
        + "\n## Index\n\n"
        + HEAD
        + RULE
        + "| k-001 | One | c | 0.9 | 2026-02-27 | active |\n"
    )
    assert told(text) == problems


@given(data=st.binary(max_size=400))
def test_any_bytes_are_read(data):
    knowledge_base.read(data)
    assert knowledge_base.holds(knowledge_base.add_row(data, NEW, "en"), NEW.id)


PIECES = st.lists(
    st.sampled_from(
        [
            HEAD,
            RULE,
            "| k-001 | One | c | 0.9 | 2026-02-08 | active |\n",
            "| k-002 | a | b | c | 0.9 | 2026-02-08 | active || k-003 | x |\n",
            "k-004 | no pipes around | c\n",
            "| ID | Name | Occurrences |\n",
            "| Category | Count |\n",
            "|--|--|\n",
            "| c | 3 |\n",
            "## Index\n",
            "### k-072: details\n",
            "- 分类: c\n",
            "```\n",
            "~~~\n",
            "<!-- \n",
            "-->\n",
            "---\n",
            "entries: 3\n",
            "\n",
            "text | with a pipe\n",
            "text\n",
            "\x00\ufeff\n",
            "last line",
        ]
    ),
    max_size=14,
).map("".join)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def is_inserted(before: bytes, after: bytes) -> bool:
    """Whether `after` is `before` with something put in at one place."""
    front = 0
    while front < len(before) and before[front] == after[front]:
        front += 1
    rest = len(before) - front
    return after[len(after) - rest :] == before[front:]


@given(text=PIECES, end=ENDS, language=st.sampled_from(["en", "zh"]))
def test_a_row_is_added_and_nothing_else_changes(text, end, language):
    """K1, K7: no row is made anew, dropped or lowered; twice is once."""
    before = text.replace("\n", end).encode()
    after = knowledge_base.add_row(before, NEW, language)
    assert is_inserted(before, after)
    assert knowledge_base.add_row(after, NEW, language) == after
    found = knowledge_base.read(after).entries
    old = knowledge_base.read(before).entries
    [new] = [one for one in found if one.id == NEW.id]
    assert (new.title, new.category) == (NEW.title, NEW.category)
    kept = [one for one in found if one.id != NEW.id]
    assert [(one.id, one.content) for one in kept] == [
        (one.id, one.content) for one in old
    ]


@given(
    data=st.sampled_from([K1, K1_DOUBLED, K1_FULL, K2]),
    places=st.lists(st.tuples(st.integers(0, 200), st.integers(0, 2)), max_size=8),
)
def test_real_files_that_somebody_mutilated_keep_what_they_hold(data, places):
    lines = data.split(b"\n")
    for at, times in places:
        lines[at % len(lines)] = b"\n".join([lines[at % len(lines)]] * times)
    before = b"\n".join(lines)
    after = knowledge_base.add_row(before, NEW, "zh")
    assert is_inserted(before, after)
    entries = knowledge_base.read(after).entries
    assert [one.id for one in entries if one.id != NEW.id] == [
        one.id for one in knowledge_base.read(before).entries
    ]


@pytest.mark.parametrize("copy", [bytes, crlf])
@pytest.mark.parametrize("data", [K1, K1_DOUBLED, K1_FULL])
def test_a_row_goes_to_the_end_of_the_index(data, copy):
    """K1: 62 rows became 25 when an index was rebuilt; here 62 become 63."""
    newline = b"\r\n" if copy is crlf else b"\n"
    after = knowledge_base.add_row(copy(data), NEW, "en")
    assert after.replace(LINE + newline, b"") == copy(data)
    assert after.split(newline)[after.split(newline).index(LINE) + 1] == b""
    assert knowledge_base.read(after).entries[-1].id == NEW.id


def test_a_row_has_the_columns_of_its_table():
    data = "|Status|编号|Owner|标题|\r\n|-|-|-|-|\r\n|active|k-001|me|One|\n\nrest".encode()
    after = knowledge_base.add_row(data, NEW, "en")
    row = b"| active | k-1f2e3d4c |  | Pipes \\| and more |\r\n"
    assert after == data.replace(b"One|\n", b"One|\n" + row)


def test_an_index_that_ends_the_file_without_a_line_end_is_completed():
    text = rows("| k-001 | One | c | 0.9 | d | active |")[:-1].encode()
    assert knowledge_base.add_row(text, NEW, "en") == text + b"\n" + LINE + b"\n"


@pytest.mark.parametrize(
    "title", ["a\nb", "a\r\n| k-9 | x |", "\u2028a", "a\x00b", "|", "\\|", "---", "a\\"]
)
def test_a_title_stays_in_its_row(title):
    """K3: neither a pipe nor a line break of a title makes another row or column."""
    data = rows("| k-001 | One | c | 0.9 | d | active |").encode()
    after = knowledge_base.add_row(data, NEW.replace(title=title), "en")
    assert after.count(b"\n") == data.count(b"\n") + 1
    entry = knowledge_base.read(after).entries[-1]
    assert entry.title == " ".join(
        title.replace("\u2028", " ").replace("\0", " ").split()
    )
    assert (entry.id, entry.status) == (NEW.id, "active")


def test_a_base_of_blocks_gets_an_index_at_its_end():
    for data, newline in ((K2, b"\n"), (crlf(K2), b"\r\n")):
        after = knowledge_base.add_row(data, NEW, "en")
        lines = after.removeprefix(data).split(newline)
        assert lines == [
            *("## 索引表 (Knowledge Index)".encode(), b"", HEAD.encode()[:-1]),
            *(RULE_NEW[:-1], LINE, b""),
        ]
        assert len(knowledge_base.read(after).entries) == 12


def test_what_is_left_open_does_not_swallow_the_index():
    after = knowledge_base.add_row(b"# B\n\n```\nan example", NEW, "en")
    assert after == (
        b"# B\n\n```\nan example\n```\n\n## Index\n\n"
        + HEAD.encode()
        + RULE_NEW
        + LINE
        + b"\n"
    )


@pytest.mark.parametrize("absent", [None, b""])
@pytest.mark.parametrize(
    ("language", "head"),
    [
        ("en", "# Knowledge base\n\n## Index\n\n"),
        ("zh", "# 知识库 (Knowledge Base)\n\n## 索引表 (Knowledge Index)\n\n"),
    ],
)
def test_no_file_becomes_a_short_one(absent, language, head):
    after = knowledge_base.add_row(absent, NEW, language)
    assert after == head.encode() + HEAD.encode() + RULE_NEW + LINE + b"\n"
    assert knowledge_base.head(language) == head.encode() + HEAD.encode() + RULE_NEW


def test_an_id_that_is_there_is_left_as_it_is():
    """As a row, as a section, in any case."""
    row = rows("| K-1F2E3D4C | Mine | c | 0.9 | d | active |").encode()
    section = b"### k-1f2e3d4c: Mine\n"
    for data in (row, section):
        assert knowledge_base.add_row(data, NEW, "en") == data
        assert knowledge_base.holds(data, NEW.id)
    assert not knowledge_base.holds(K1, NEW.id)


# The filter ----------------------------------------------------------------------------


@pytest.mark.parametrize("copy", [bytes, crlf])
@pytest.mark.parametrize(
    ("keyword", "found"),
    [
        ("typescript", ["k-059"]),
        ("TYPESCRIPT", ["k-059"]),
        ("hook", ["k-054", "k-057"]),
        ("flutter", [f"k-{n:03d}" for n in range(6, 16)]),
        ("配置", ["k-001"]),
        (".*", []),
        ("k-059", []),
        ("2026", []),
        ("active", []),
    ],
)
def test_a_keyword_stands_in_the_title_or_the_category(keyword, found, copy):
    """T3.0, T3.1, A3.1, A3.6, N2, K5: a substring, any case, no other field, no regex."""
    entries = knowledge_base.read(copy(K1_FULL)).entries
    assert [one.id for one in knowledge_filter.filtered(entries, keyword)] == found


@pytest.mark.parametrize(
    ("keyword", "category", "count"),
    [
        ("(", "", 30),
        ("", "architecture", 21),
        ("", "Architecture", 21),
        ("", "arch", 0),
        ("architecture", "", 21),
        ("flutter", "debugging", 1),
        ("flutter", "security", 0),
        ("", "", 62),
    ],
)
def test_a_category_is_the_whole_one_and_both_mean_both(keyword, category, count):
    """T3.2, A3.2, C14, C15, K5: exact but for case; a keyword and a category: AND."""
    entries = knowledge_base.read(K1_FULL).entries
    assert len(knowledge_filter.filtered(entries, keyword, category)) == count


def test_case_is_folded_not_lowered():
    entry = NEW.replace(title="STRASSE", category="Größe")
    assert knowledge_filter.filtered([entry], "straße")
    assert knowledge_filter.filtered([entry], "", "GRÖSSE")


def test_a_keyword_has_at_most_256_code_points():
    """T3.5, A3.5, C15, K6: code points, not bytes and not UTF-16 units."""
    assert knowledge_filter.checked("--filter", "𝔸" * 256) == "𝔸" * 256
    with pytest.raises(UsageError) as error:
        knowledge_filter.checked("--filter", "x" * 257)
    assert error.value.message == (
        "--filter has 257 characters, 256 at most are allowed"
    )
    for empty in ("", "  "):
        with pytest.raises(UsageError) as error:
            knowledge_filter.checked("--filter", empty)
        assert error.value.message == "--filter is empty"


def test_reading_and_adding_take_time_in_proportion():
    """Ten times the rows take about ten times as long; the margin is for a busy machine."""
    seconds = []
    for count in (1000, 10000):
        lines = [f"| k-{n:06d} | T {n} | c | 0.9 | d | active |" for n in range(count)]
        data = rows(*lines).encode()
        began = time.process_time()
        assert knowledge_base.holds(knowledge_base.add_row(data, NEW, "en"), NEW.id)
        knowledge_base.read(data)
        seconds.append(time.process_time() - began)
    assert seconds[1] < 20 * seconds[0]


def test_a_table_between_two_rules_is_no_front_matter():
    data = b"---\n\n| ID | Title |\n|----|-------|\n| k-001 | a |\n\n---\n"
    (entry,) = knowledge_base.read(data).entries
    assert entry.id == "k-001"
    added = knowledge_base.add_row(data, entry.replace(id="k-1a2b3c4d"), "en")
    assert added.count(b"| ID |") == 1
    assert len(knowledge_base.read(added).entries) == 2


def test_a_row_does_not_swallow_the_empty_line_behind_a_table_of_mixed_line_ends():
    data = b"| ID | Title |\r|----|-------|\r| k-001 | a |\r| k-002 | b\n\nc | d\n"
    before = knowledge_base.read(data).entries
    row = before[0].replace(id="k-1a2b3c4d")
    added = knowledge_base.add_row(data, row, "en")
    ids = [one.id for one in knowledge_base.read(added).entries]
    assert ids == [*(one.id for one in before), "k-1a2b3c4d"]
