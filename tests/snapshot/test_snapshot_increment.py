"""Increments as people, agents and the older system write them, read into facts.

The files of tests/fixtures/increments are in the shapes of spec/snapshot.md 3, 4.2 and
4.3; the tables below hold one spelling each.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from afterword.snapshot import increment
from afterword.snapshot.fact import Fact, Supersedes, source_hash
from afterword.snapshot.increment import Increment

FIXTURES = Path(__file__).parent.parent / "fixtures/increments"


def fixture(stem: str) -> Increment:
    return increment.read((FIXTURES / f"{stem}.md").read_bytes(), stem)


def read(text: str, stem: str = "2026-05-01_x") -> Increment:
    return increment.read(text.encode(), stem)


def facts(text: str) -> tuple[Fact, ...]:
    return read(text).facts


def said(found: Increment) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(fact.kind, fact.title, fact.body) for fact in found.facts]


# --- the shapes of real files


def test_the_canonical_shape() -> None:
    found = fixture("2026-04-23_parcel-scan-retry")
    assert said(found) == [
        (
            "decision",
            "Scanning is retried three times",
            (
                "- 原因: the belt moves on after the third miss",
                "- 讨论中提及: one retry lost a parcel in fifty",
                "- 来源: 张三",
            ),
        ),
        (
            "constraint",
            "The retry budget and the belt's speed change together",
            ("- 原因: a slower belt needs fewer retries", "- 来源: user dialogue"),
        ),
        (
            "architecture",
            "The scanner no longer asks the depot before a retry",
            (),
        ),
    ]
    first = found.facts[0]
    assert (first.author, first.recorded) == ("张三", "2026-04-23 09:30:00")
    assert (first.confidence, first.status) == ("high", "unverified")
    assert first.files == ("src/parcel/Scanner.java", "config/parcel.yaml")
    assert (first.domains, first.folders) == (("parcel",), ())
    data = (FIXTURES / "2026-04-23_parcel-scan-retry.md").read_bytes()
    assert first.sources == (("2026-04-23_parcel-scan-retry", source_hash(data)),)
    assert [fact.ordinal for fact in found.facts] == [0, 1, 2]
    assert (found.trigger, found.domain) == ("auto-dialogue", "parcel")
    assert found.changes == (
        "`src/parcel/Scanner.java`: retries 3 times instead of once",
    )
    assert found.problems == ()


def test_deviation_1_without_meta_and_evidence() -> None:
    found = fixture("2026-04-24_no-meta")
    assert [fact.title for fact in found.facts] == [
        "阈值从“轮数”改为“条目数”",
        "软阈值设为 3 条",
        "belt.sh 和 belt.yaml 中的阈值必须一致",
    ]
    first = found.facts[0]
    assert (first.author, first.status, first.confidence) == (
        "",
        "unverified",
        "medium",
    )
    assert first.recorded == "2026-04-24"
    assert first.files == ("hooks/belt.sh", "templates/belt.yaml")  # of its Changes
    assert found.problems == ((1, "gives no confidence: read as medium"),)


def test_deviation_2_raw_buffer_entries_and_a_sentence_for_paths() -> None:
    found = fixture("2026-04-24_commit-130157")
    assert [(fact.kind, fact.confidence) for fact in found.facts] == [
        ("decision", "low"),
        ("external", "medium"),
        ("constraint", "medium"),
    ]
    assert found.affected == ()
    assert found.facts[0].files == ("hooks/after-commit.sh", "hooks/stop.sh")
    assert found.facts[0].recorded == "2026-04-24 13:01:57"


def test_d5_no_detail_of_a_buffer_entry_is_cut() -> None:
    first, second, _ = fixture("2026-04-24_commit-130157").facts
    assert first.body == (
        "- Detail: it no longer asks the agent",
        "- 来源: 用户对话",
        "- 置信度: low（猜测）",
        "- Note: a fifth line",
    )
    assert second.body == ("- 详情：code、message、data",)


def test_d5_one_low_entry_leaves_the_confidence_of_others_alone() -> None:
    confidences = [
        fact.confidence for fact in fixture("2026-04-24_commit-130157").facts
    ]
    assert confidences == ["low", "medium", "medium"]


def test_deviation_3_import_blocks_end_at_an_empty_line_or_end() -> None:
    found = fixture("2026-04-25_import-depots")
    assert said(found) == [
        (
            "decision",
            "包裹表按仓库分片",
            ("- 原因: 单表超过一亿行", "- 分片键: depot_id", "- 分片数: 16"),
        ),
        ("constraint", "包裹表不能加唯一索引", ("- 原因: 并发写入会死锁",)),
    ]
    assert {fact.confidence for fact in found.facts} == {"high"}


def test_deviation_4_a_scan_of_the_structure() -> None:
    found = fixture("2026-04-26_sync-structure")
    assert [(fact.part, fact.title, fact.body) for fact in found.facts] == [
        ("module", "scheduler", ("- 定时任务模块",)),
        ("", "入口: POST /api/jobs → JobController.trigger()", ()),
        ("", "依赖: web-kit 2.7.18 → 3.0.0", ("- Status: changed",)),
        ("module", "legacy-api", ("- 已删除", "- Status: removed")),
    ]
    assert {fact.kind for fact in found.facts} == {"architecture"}


def test_deviation_5_tagged_bullets_with_their_sources_below_or_beside() -> None:
    first, second = fixture("2026-04-27_spec-implemented").facts
    assert (first.kind, first.confidence) == ("decision", "high")
    assert first.body == (
        "- 来源: spec/labels.md",
        "- confidence: high（经过设计评审）",
    )
    assert (second.kind, second.title) == ("constraint", "A label is printed once")
    assert (second.confidence, second.body) == ("low", ("- 来源: spec/labels.md",))


def test_an_emergency_copy_of_a_buffer() -> None:
    (fact,) = fixture("emergency-20260428-231500").facts
    assert (fact.kind, fact.title) == ("architecture", "订单 → 仓库 → 配送")
    assert fact.recorded == "2026-04-28 23:15:00"


def test_several_increments_in_one_file_keep_their_own_meta() -> None:
    first, second = fixture("2026-04-29_two-parts").facts
    assert (first.author, first.recorded, first.confidence, first.domains) == (
        "Ines",
        "2026-04-28 10:00:00",
        "high",
        (),
    )
    assert (second.author, second.recorded, second.confidence, second.domains) == (
        "Tomas",
        "2026-04-29 11:00:00",
        "low",
        ("depot",),
    )


def test_a_second_meta_without_a_title_begins_another_increment() -> None:
    text = "# 2026-05-01 x\n## Meta\n- author: A\n## Decisions\n- one\n"
    first, second = facts(text + "## Meta\n- author: B\n## Decisions\n- two\n")
    assert (first.author, second.author) == ("A", "B")


def test_what_people_write_by_hand() -> None:
    found = fixture("2026-04-30_by-hand")
    first, *others = found.facts
    assert (first.title, first.recorded, first.author) == (
        "Sessions live in the cache",
        "2026-04-29",
        "Wen",
    )
    assert first.body == (
        "- The web servers share nothing,",
        "  so a restart loses nobody.",
        "",
        "- **Rejected**",
        "- a table: too slow",
        "    - measured at 40 ms",
        "",
        "```python",
        "# not a heading",
        "- key: not.a.field",
        "```",
    )
    assert (first.key, first.value) == ("session.store", "cache")
    assert first.supersedes == (
        Supersedes("Sessions live in a table", "the table was slow"),
    )
    assert [(fact.kind, fact.part, fact.title, fact.body) for fact in others] == [
        ("decision", "", "预付款需要两人确认", ("- 原因：财务要求",)),
        (
            "constraint",
            "",
            "Uploads are at most 20 MB, because the proxy cuts off what is larger",
            (),
        ),
        ("config", "", "upload limit", ("- 位置: proxy.conf", "- 值: 20 MB")),
        ("glossary", "", "SKU", ("- stock keeping unit",)),
        ("glossary", "", "预付款", ("- 先付的部分",)),
        ("architecture", "flow", "Refund", ("- order → payment → bank",)),
        ("architecture", "state-machine", "Order", ("- new → paid → sent",)),
        (
            "overview",
            "",
            "Parcels are scanned, sorted and sent. They never leave the country.",
            (),
        ),
    ]
    assert others[1].confidence == "high"
    assert found.problems == (
        (59, "the section 'Notes' is of no known type: left out"),
    )


# --- one spelling each

SECTIONS = {
    "Decisions": "decision",
    "Key Decisions": "decision",
    "## no": "",
    "1. Decisions": "decision",
    "✅ Decisions (2)": "decision",
    "二、决策": "decision",
    "决策 / Decisions": "decision",
    "Decisions（决策）": "decision",
    "Constraints:": "constraint",
    "约束：": "constraint",
    "Architecture": "architecture",
    "Architecture Impact": "architecture",
    "架构影响": "architecture",
    "Flows": "architecture",
    "L1 Structure Changes": "architecture",
    "External Dependencies": "external",
    "外部依赖": "external",
    "Config": "config",
    "Config Index": "config",
    "Business Context": "business",
    "Glossary": "glossary",
    "术语表": "glossary",
    "Project Overview": "overview",
    "Lessons Learned": "lesson",
    "Changes": "",
    "Next steps": "",
}


@pytest.mark.parametrize(("heading", "kind"), SECTIONS.items())
def test_a_section_gives_its_entries_their_type(heading: str, kind: str) -> None:
    found = facts(f"# 2026-05-01 x\n## {heading}\n- one\n")
    assert [fact.kind for fact in found] == ([kind] if kind else [])


TAGS = {
    "[DECISION] t": "decision",
    "[decision] t": "decision",
    "[Constraint]: t": "constraint",
    "**[EXTERNAL]** t": "external",
    "**[EXTERNAL] t**": "external",
    "[CONFIG] t": "config",
    "[BUSINESS] t": "business",
    "[GLOSSARY] t": "glossary",
    "[OVERVIEW] t": "overview",
    "[ARCHITECTURE]t": "architecture",
    "【决策】t": "decision",
    "[约束] t": "constraint",
    "[round: 3] [DECISION] t": "decision",
    "[round:3][DECISION] t": "decision",
    "[entry: 3] [DECISION] t": "decision",
    "**Decision**: t": "decision",
    "**Constraint:** t": "constraint",
}


@pytest.mark.parametrize(("line", "kind"), TAGS.items())
@pytest.mark.parametrize("where", ["{}", "- {}", "## Constraints\n- {}", "### {}"])
def test_a_tag_comes_before_the_section(line: str, kind: str, where: str) -> None:
    found = facts("# 2026-05-01 x\n" + where.format(line) + "\n  - detail\n")
    assert [(fact.kind, fact.title, fact.body) for fact in found] == [
        (kind, "t", ("- detail",))
    ]


NO_TAGS = {
    "[link](https://example.org) t": "[link](https://example.org) t",
    "[x] t": "t",
    "[ ] t": "t",
    "[v2] t": "[v2] t",
    "[支付] t": "[支付] t",
    "[ref][1] t": "[ref][1] t",
}


@pytest.mark.parametrize(("line", "title"), NO_TAGS.items())
def test_other_brackets_are_no_tags(line: str, title: str) -> None:
    (fact,) = facts(f"## Decisions\n- {line}\n")
    assert (fact.kind, fact.title) == ("decision", title)


@pytest.mark.parametrize("where", ["[MYSTERY] t", "- [MYSTERY] t"])
def test_an_unknown_tag_is_kept_as_uncategorized_and_said(where: str) -> None:
    found = read(f"## Meta\n- confidence: high\n\n## Decisions\n{where}\n")
    (fact,) = found.facts
    assert (fact.kind, fact.title) == ("uncategorized", "[MYSTERY] t")
    assert found.problems == (
        (5, "[MYSTERY] is no known type: kept under Uncategorized"),
    )


def test_a_round_without_a_type_is_kept_too() -> None:
    found = read("[round: 4] nobody said what this is\n  - Confidence: high\n")
    (fact,) = found.facts
    assert (fact.kind, fact.title) == ("uncategorized", "nobody said what this is")
    assert found.problems == (
        (1, "an entry without a [TYPE]: kept under Uncategorized"),
    )


ENTRIES = {
    "- t": (),
    "* t": (),
    "+ t": (),
    "• t": (),
    "1. t": (),
    "2) t": (),
    "- t\n  - a\n  - b": ("- a", "- b"),
    "- t\n    - a\n    - b": ("- a", "- b"),
    "- t\n\t- a\n\t\t- b": ("- a", "    - b"),
    "1. t\n   - a": ("- a",),
    "1. t\n  - a": ("- a",),
    "- t\n\n  - a\n\n  - b": ("- a", "", "- b"),
    "- t\n\n  A paragraph\n  of two lines.": ("- A paragraph", "  of two lines."),
    "- t\n  原因：因为": ("- 原因：因为",),
    "- t\n  ```sh\n  a\n    b\n\n  # c\n  ```\n  - d": (
        "```sh",
        "a",
        "  b",
        "",
        "# c",
        "```",
        "- d",
    ),
    "- t\n  - a\n    - b\n      - c": ("- a", "  - b", "    - c"),
    "- t\n  | a | b |\n  |---|---|\n  | 1 | 2 |": (
        "| a | b |",
        "|---|---|",
        "| 1 | 2 |",
    ),
    "- t\n  > quoted": ("> quoted",),
    "- t\n  1. a\n  2. b": ("1. a", "2. b"),
    "- t\n  <!-- unseen -->\n  - a": ("- a",),
    "### t": (),
    "### t\n- a\n- b": ("- a", "- b"),
    "### t\n\nProse.\n\n- a": ("- Prose.", "", "- a"),
    "### t\n```\n- code\n```": ("```", "- code", "```"),
    "### t\n#### Why\nbecause": ("- **Why**", "- because"),
    "### t\n---\n- a": ("- a",),
    "### t (2026-04-01)\n- a": ("- a",),
    "- **t**": (),
    "- **t**: because": ("- because",),
    "- **t:** because": ("- because",),
    "- **t** — because": ("- because",),
    "- [待验证] t": (),
    "t": (),
}


@pytest.mark.parametrize(("text", "body"), ENTRIES.items())
def test_an_entry_and_its_lines(text: str, body: tuple[str, ...]) -> None:
    found = facts(f"# 2026-05-01 x\n## Decisions\n{text}\n\n## Evidence\n- 来源: A\n")
    assert [(fact.title, fact.body) for fact in found] == [("t", body)]


@pytest.mark.parametrize("mark", ["[DECISION]", "- [DECISION]", "### [DECISION]"])
def test_an_entry_without_a_title_is_called_by_its_first_line(mark: str) -> None:
    (fact,) = facts(f"{mark}\n  - Detail: keep it dry\n  - 来源: A\n")
    assert (fact.kind, fact.title, fact.body) == (
        "decision",
        "keep it dry",
        ("- 来源: A",),
    )
    assert facts(f"## Changes\n\n{mark}\n") == ()


@pytest.mark.parametrize("label", ["keep", "key", "file", "confidence", "来源"])
def test_a_label_without_a_value_is_no_field_and_no_failure(label: str) -> None:
    found = facts(f"## Decisions\n- a\n- {label}:\n  - {label}：\n")
    assert found[0].title == "a"


def test_lines_below_a_field_stay_below_it() -> None:
    (fact,) = facts("## Decisions\n- a\n  - key: k\n\n    - nested\n")
    assert (fact.key, fact.body) == ("k", ("- key: k", "", "  - nested"))


def test_a_title_may_go_on_in_the_next_lines() -> None:
    text = "## 约束\n- 支付超时必须\n  小于八秒\n- one line and\nanother\n"
    assert [fact.title for fact in facts(text)] == [
        "支付超时必须小于八秒",
        "one line and another",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "- None",
        "- 无",
        "- n/a",
        "None.",
        "- （无）",
        "_None_",
        "- {{decision}}",
        "- <t>",
    ],
)
def test_what_says_that_there_is_nothing_is_no_entry(text: str) -> None:
    assert facts(f"## Decisions\n{text}\n") == ()


def test_a_template_that_nobody_filled_in_holds_no_entry() -> None:
    found = read(
        "# Increment Template\n\n> Used for new files.\n\n---\n\n# {{date}} {{slug}}\n\n"
        "## Meta\n- author: {{name}}\n- confidence: {{high / medium / low}}\n\n"
        "## Affected Files\n- `{{path}}` → {{DECISION/CONSTRAINT}}\n\n"
        "## Decisions\n- {{title}}\n  - 原因: {{why}}\n  - 来源: {{who}}\n\n"
        "## Constraints\n- None\n  - 原因: {{why}}\n\n"
        "## Evidence\n- 验证状态: {{unverified / verified / challenged}}\n"
    )
    assert found.is_readable
    assert (found.facts, found.affected) == ((), ())
    assert found.problems == ((17, "a placeholder of the template: left out"),)


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("key: a.b", "a.b", ""),
        ("Key：a.b", "a.b", ""),
        ("**key**: a.b", "a.b", ""),
        ("**key:** a.b", "a.b", ""),
    ],
)
def test_a_label_is_read_in_every_spelling(line: str, key: str, value: str) -> None:
    (fact,) = facts(f"## Decisions\n- t\n  - {line}\n")
    assert (fact.key, fact.value, fact.body) == (key, value, ())


FIELDS = {
    "- key: p.t\n- value: 5s": {"key": "p.t", "value": "5s"},
    "- supersedes: Old one - why not": {
        "supersedes": (Supersedes("Old one", "why not"),)
    },
    '- 取代："旧标题" — 过时': {"supersedes": (Supersedes("旧标题", "过时"),)},
    "- replaces: p.t": {"supersedes": (Supersedes("p.t"),)},
    "- supersedes: A\n- supersedes: B": {
        "supersedes": (Supersedes("A"), Supersedes("B"))
    },
    "- resolves: No retries": {"resolves": "No retries"},
    "- resolves: c-01234567\n- keep: old\n- after: e-1, e-2": {
        "resolves": "c-01234567",
        "keep": "old",
        "after": ("e-1", "e-2"),
    },
    "- confidence: High": {"confidence": "high"},
    "- 置信度：低": {"confidence": "low"},
    "- 验证状态: verified": {"status": "verified"},
    "- status: challenged": {"status": "challenged"},
    "- author: Wen": {"author": "Wen"},
    "- recorded: 2026-02-03": {"recorded": "2026-02-03"},
    "- 关联文件: `a/b.py`, c.md": {"files": ("a/b.py", "c.md")},
    "- Files:\n  - a/b.py\n  - `c.md`": {"files": ("c.md", "a/b.py")},
    "- File: ./src\\x.ts:42": {"files": ("src/x.ts",)},
}


@pytest.mark.parametrize(("text", "fields"), FIELDS.items())
def test_a_field_is_taken_out_of_the_body(text: str, fields: dict[str, object]) -> None:
    lines = "".join(f"  {line}\n" for line in text.split("\n"))
    (fact,) = facts(f"# 2026-05-01 x\n## Decisions\n- t\n  - 原因: a\n{lines}")
    assert {name: getattr(fact, name) for name in fields} == fields
    assert fact.body == ("- 原因: a",)


KEPT = [
    "- Files:",
    "- value: 5s",  # of no key
    "- keep: the old file until May",
    "- Status: removed",
    "- 文件: 上传后的图片",
    "- confidence: high（用户明确告知）",
    "- source: a dialogue",
    "- 时间: 每天凌晨两点",
    "- key: {{key}}",
]


@pytest.mark.parametrize("line", KEPT)
def test_what_only_looks_like_a_field_stays_text(line: str) -> None:
    (fact,) = facts(f"## Decisions\n- t\n  {line}\n")
    assert fact.body == (line,)


def test_a_confidence_with_a_remark_counts_and_stays() -> None:
    (fact,) = facts("## Decisions\n- t\n  - 置信度: high（用户明确告知）/ x\n")
    assert fact.confidence == "high"
    assert fact.body == ("- 置信度: high（用户明确告知）/ x",)


CONFIDENCES = {
    "high": ("high", ()),
    "HIGH": ("high", ()),
    "high (read from code)": ("high", ()),
    "high（通常经过审核）": ("high", ()),
    "中": ("medium", ()),
    "`low`": ("low", ()),
    "{{high / medium / low}}": (
        "medium",
        ("gives no confidence: read as medium",),
    ),
    "high | medium | low": (
        "medium",
        (
            "confidence 'high | medium | low' is none of high, medium, low",
            "gives no confidence: read as medium",
        ),
    ),
    "sure": (
        "medium",
        (
            "confidence 'sure' is none of high, medium, low",
            "gives no confidence: read as medium",
        ),
    ),
}


@pytest.mark.parametrize(("said", "expected"), CONFIDENCES.items())
def test_the_confidence_of_a_meta(
    said: str, expected: tuple[str, tuple[str, ...]]
) -> None:
    found = read(f"# 2026-05-01 x\n## Meta\n- confidence: {said}\n## Decisions\n- t\n")
    assert found.facts[0].confidence == expected[0]
    assert tuple(text for _, text in found.problems) == expected[1]


def test_an_entrys_confidence_comes_before_that_of_the_meta() -> None:
    text = "## Meta\n- confidence: high\n## Decisions\n- a\n  - confidence: low\n- b\n"
    assert [fact.confidence for fact in facts(text)] == ["low", "high"]


def test_g18_an_entry_marked_unconfirmed_is_medium_whatever_the_meta_says() -> None:
    text = "## Meta\n- confidence: high\n## Decisions\n- [待验证] a\n"
    assert [(fact.title, fact.confidence) for fact in facts(text)] == [("a", "medium")]


MOMENTS = {
    "2026-04-03 09:05:07": "2026-04-03 09:05:07",
    "2026-04-03T09:05:07Z": "2026-04-03 09:05:07",
    "2026-04-03T09:05:07+08:00": "2026-04-03 09:05:07",
    "2026-04-03 9:05": "2026-04-03 09:05:00",
    "2026/4/3": "2026-04-03",
    "2026年4月3日": "2026-04-03",
    "2026-04-03": "2026-04-03",
    "2026-13-03": "2026-05-01",
    "yesterday": "2026-05-01",
    "{{YYYY-MM-DD HH:MM:SS}}": "2026-05-01",
}


@pytest.mark.parametrize(("said", "recorded"), MOMENTS.items())
def test_a_timestamp_in_every_common_form(said: str, recorded: str) -> None:
    text = f"# 2026-05-01 x\n## Meta\n- timestamp: {said}\n## Decisions\n- t\n"
    assert facts(text)[0].recorded == recorded


@pytest.mark.parametrize(
    ("stem", "recorded"),
    [
        ("2026-04-24_slug", "2026-04-24"),
        ("2026-04-24_commit-130157", "2026-04-24 13:01:57"),
        ("emergency-20260424-130157", "2026-04-24 13:01:57"),
        ("slug", ""),
        ("2026-99-99_slug", ""),
    ],
)
def test_l018_the_name_dates_what_no_meta_does(stem: str, recorded: str) -> None:
    assert read("## Decisions\n- t\n", stem).facts[0].recorded == recorded


AFFECTED = {
    "- `src/a.py` → DECISION": ("src/a.py",),
    "- `src/a.py` -> DECISION (note)": ("src/a.py",),
    "- src/a.py => [DECISION]": ("src/a.py",),
    "- src/a.py": ("src/a.py",),
    "* ./src/a.py, src/b.py → CONSTRAINT": ("src/a.py", "src/b.py"),
    "- src/a.py: DECISION": ("src/a.py",),
    "- `src/a b.py:12` → DECISION": ("src/a b.py",),
    "- Makefile": ("Makefile",),
    "- general": (),
    "- `general` → DECISION": (),
    "- See buffer entries for affected files": (),
    "- 见缓冲条目": (),
    "- None": (),
    "```\nsrc/a.py\nsrc/b.py\n```": ("src/a.py", "src/b.py"),
}


@pytest.mark.parametrize(("text", "files"), AFFECTED.items())
def test_affected_files_are_paths_and_no_sentences(
    text: str, files: tuple[str, ...]
) -> None:
    found = read(f"## Affected Files\n{text}\n\n## Decisions\n- t\n")
    assert found.affected == files
    assert found.facts[0].files == files


def test_the_arrow_of_the_one_file_that_is_mentioned_gives_a_type() -> None:
    affected = "## Affected Files\n- `src/a.py` → CONSTRAINT\n- `src/b.py` → DECISION\n"
    notes = "## Findings\n- never call `src/a.py` twice\n- a.py and b.py differ\n"
    assert [(fact.kind, fact.title) for fact in facts(affected + notes)] == [
        ("constraint", "never call `src/a.py` twice")
    ]


@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_a_line_that_opens_a_list_is_no_entry(between: str) -> None:
    text = f"## Decisions\nWe settled this:{between}- a\n- b\n\nAnd c, of course.\n"
    assert [fact.title for fact in facts(text)] == ["a", "b", "And c, of course."]


def test_changes_are_no_knowledge() -> None:
    found = read("# 2026-05-01 x\n## Changes\n- `src/a.py`: DECISION made here\n")
    assert found.is_readable
    assert (found.facts, found.affected) == ((), ("src/a.py",))


@pytest.mark.parametrize(
    ("said", "domains"),
    [
        ("payment", ("payment",)),
        ("`payment`", ("payment",)),
        ("order, payment", ("order", "payment")),
        ("订单、支付", ("订单", "支付")),
        ("", ()),
        ("-", ()),
        ("{{module}}", ()),
    ],
)
def test_g7_an_empty_domain_is_none(said: str, domains: tuple[str, ...]) -> None:
    (fact,) = facts(f"## Meta\n- domain: {said}\n## Decisions\n- t\n")
    assert fact.domains == domains


def test_g6_a_file_knows_the_module_whose_folder_holds_it() -> None:
    found = increment.read(b"## Decisions\n- t\n", "x", folder="order")
    assert found.facts[0].folders == ("order",)


def test_meta_may_stand_below_the_title_or_in_front_matter() -> None:
    below = "# 2026-05-01 x\n> author: Wen\n- confidence: low\n\n## Decisions\n- t\n"
    front = "---\nauthor: Wen\nconfidence: low\naffected_files:\n  - src/a.py\n---\n"
    for text, files in ((below, ()), (front + "## Decisions\n- t\n", ("src/a.py",))):
        (fact,) = facts(text)
        assert (fact.author, fact.confidence) == ("Wen", "low")
        assert fact.files == files


def test_a_heading_may_be_a_whole_entry() -> None:
    text = "# Decision: keep parcels dry\n\nRain ruins them.\n\n## Consequences\n- x\n"
    (fact,) = facts(text)
    assert (fact.kind, fact.title) == ("decision", "keep parcels dry")
    assert fact.body == ("- Rain ruins them.",)


def test_bold_lines_serve_as_headings_where_there_are_none() -> None:
    text = "# 2026-05-01 x\n\n**Decisions:**\n- a\n\n约束：\n- b\n"
    assert [(fact.kind, fact.title) for fact in facts(text)] == [
        ("decision", "a"),
        ("constraint", "b"),
    ]


def test_a_conflict_block_that_was_copied_here_is_no_conflict_mark() -> None:
    (fact,) = facts("## Decisions\n### [CONFLICT] Retry budget\n- 状态: pending\n")
    assert fact.title == "CONFLICT: Retry budget"


def test_resolution_and_supersession_of_one_entry() -> None:
    text = "## Constraints\n- New rule\n  - resolves: Old rule\n  - supersedes: Other\n"
    (fact,) = facts(text)
    assert (fact.resolves, fact.supersedes) == ("Old rule", (Supersedes("Other"),))


# --- bad input

UNREADABLE = {
    b"": (1, "is empty"),
    b"\xef\xbb\xbf \r\n\n": (1, "is empty"),
    b"## Decisions\n- a\n- \xff\n": (3, "is not UTF-8 from byte 19 on"),
    "## Decisions\n- 决策\n".encode("gbk"): (2, "is not UTF-8 from byte 15 on"),
    "## Decisions\n- a\n".encode("utf-16"): (1, "is not UTF-8 from byte 0 on"),
    b"## Decisions\n- a\n```\ncode\n": (
        3,
        "a code fence begins here and is never closed",
    ),
    b"## Decisions\n<!-- a\n- b\n": (2, "a comment begins here and is never closed"),
    b"## Decisions\n<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> x\n": (
        2,
        "a merge left its markers here",
    ),
    b"# Shopping\n\n- milk\n- bread\n": (
        1,
        "holds nothing that an increment has, such as ## Decisions or [DECISION] title",
    ),
    b"\x00\x01\x02": (
        1,
        "holds nothing that an increment has, such as ## Decisions or [DECISION] title",
    ),
}


@pytest.mark.parametrize(("data", "problem"), UNREADABLE.items())
def test_what_cannot_be_read_says_where_and_why(
    data: bytes, problem: tuple[int, str]
) -> None:
    found = increment.read(data, "x")
    assert not found.is_readable
    assert (found.facts, found.problems) == ((), (problem,))


@pytest.mark.parametrize(
    "text",
    [
        "# Buffer — AI Context knowledge accumulator\n\n> a\n> b\n",
        "[LOCKED:commit at 2026-04-24 12:59:54]\n# Buffer\n",
    ],
)
def test_d6_an_emptied_buffer_holds_nothing_and_entries_without_details_count(
    text: str,
) -> None:
    assert read(text).is_readable
    assert read(text).facts == ()
    assert (
        len(facts(text + "\n[round: 1] [DECISION] a\n[round: 2] [DECISION] b\n")) == 2
    )


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_ends_and_a_bom_change_no_fact(newline: str) -> None:
    for path in FIXTURES.glob("*.md"):
        data = path.read_bytes()
        other = b"\xef\xbb\xbf" + data.replace(b"\n", newline.encode())
        found = [increment.read(one, path.stem) for one in (data, other)]
        bare = [[fact.replaced(sources=()) for fact in one.facts] for one in found]
        assert bare[0] == bare[1]
        assert found[0].problems == found[1].problems


def test_the_hash_does_not_count_line_ends() -> None:
    data = b"## Decisions\n- t\n"
    found = [increment.read(one, "x") for one in (data, data.replace(b"\n", b"\r\n"))]
    assert found[0].hash == found[1].hash


@pytest.mark.parametrize(
    "unit", ["`", "\\", "(", " ", "- a\n", "**a** ", "a: ", "[", "|"]
)
@pytest.mark.parametrize(
    "head", ["## Decisions\n- ", "## Affected Files\n- ", "## 术语\n"]
)
def test_a_long_hostile_line_is_read_in_linear_time(head: str, unit: str) -> None:
    """A quadratic reader would need minutes for this."""
    data = (head + unit * (60_000 // len(unit)) + "\n").encode()
    assert increment.read(data, "x").stem == "x"
