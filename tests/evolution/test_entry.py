"""Entry files: functions of their item alone, and found by it again (DESIGN 7, C17, N8)."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from afterword.evolution import entry, knowledge_base, queue, words
from afterword.evolution.entry import NewEntry
from afterword.store import frontmatter, layout, template

FIXTURES = Path(__file__).parent.parent / "fixtures/evolution"
QUEUES = sorted(FIXTURES.glob("learning_queue*.md"))
ITEM = """### LQ-011-1a2b3c: Never lose a byte
- Priority: P1
- Source: error
- Status: pending
- Added: 2026-11-30
- Content: keep `a|b`, "quotes" and 中文
  on two lines
- Metadata: session=s1, files=a, b
"""


def made(text: str, language: str = "en") -> NewEntry:
    """The entry of the one item of a queue."""
    found = queue.read(text.encode())
    [item] = found.items
    return entry.of_item(item, found.raw(item))


def front(data: bytes) -> dict[str, object]:
    return frontmatter.parse(data, "entry")


def test_an_entry_as_it_is_written():
    """T4.3: the entry refers to its item, which is how a later run finds it."""
    new = made(ITEM)
    assert new.name == f"{new.id}-never-lose-a-byte.md"
    assert new.data.decode() == (
        "---\n"
        f"id: {new.id}\n"
        'title: "Never lose a byte"\n'
        "category: debugging\n"
        "confidence: 0.5\n"
        "created: 2026-11-30\n"
        "references:\n"
        "  - LQ-011-1a2b3c\n"
        "---\n"
        "\n"
        "- Priority: P1\n"
        "- Source: error\n"
        "- Added: 2026-11-30\n"
        '- Content: keep `a|b`, "quotes" and 中文\n'
        "  on two lines\n"
        "- Metadata: session=s1, files=a, b\n"
    )
    assert new.row == knowledge_base.Entry(
        id=new.id,
        title="Never lose a byte",
        category="debugging",
        confidence=0.5,
        created="2026-11-30",
        status="active",
    )
    assert entry.references(new.data) == ("LQ-011-1a2b3c",)


def test_the_id_is_that_of_item_title_and_content():
    """Not of status, dates, product or priority: two clones write one entry."""
    new = made(ITEM)
    assert new.id.startswith("k-")
    assert len(new.id) == 10
    for old, other in [
        ("Status: pending", "Status: done"),
        ("2026-11-30", "2026-11-29"),
        ("P1", "P3"),
        ("error", "session"),
        ("files=a, b", "files=c"),
        ("- Added", "- Product: k-001\n- Added"),
    ]:
        assert made(ITEM.replace(old, other)).id == new.id, old
    for old, other in [
        ("LQ-011-1a2b3c", "LQ-012-1a2b3c"),
        ("a byte", "two bytes"),
        ("on two lines", "on two other lines"),
    ]:
        assert made(ITEM.replace(old, other)).id != new.id, old


@pytest.mark.parametrize("path", QUEUES, ids=lambda path: path.name)
def test_an_entry_is_the_same_whatever_its_status_in_real_files(path):
    """C18, N8: a run that is done a second time writes the same bytes under the same name."""
    found = queue.read(path.read_bytes())
    for item in found.items:
        raw = found.raw(item)
        language = words.language_of(raw, "en")
        once = entry.of_item(item, raw)
        for state in (
            queue.put_state(raw, "processing", language=language),
            queue.put_state(
                raw,
                "done",
                processed="2026-11-30",
                product=once.id,
                language=language,
            ),
            raw.replace(b"### ", "### ✅ ".encode()),
            raw.replace(b"\n", b"\r\n"),
        ):
            [again] = queue.read(state).items
            assert entry.of_item(again, state) == once
        assert entry.references(once.data) == (item.identity,)
        layout.confine("/", f"entries/{once.name}")


def test_every_line_of_a_real_item_stands_in_its_entry():
    path = FIXTURES / "learning_queue.2026-02-28.1e9ca11e.md"
    found = queue.read(path.read_bytes())
    names = set()
    for item in found.items:
        raw = found.raw(item)
        new = entry.of_item(item, raw)
        names.add(new.name)
        body = template.body(new.data).splitlines()
        changing = ("- 状态: ", "- 处理时间: ", "- 知识产出: ", "### ", "## ")
        lines = [one for one in raw.decode().splitlines() if one.strip()]
        assert [one.decode() for one in body if one] == [
            one for one in lines if not one.startswith(changing)
        ]
    assert len(names) == 30


GAPS = st.sampled_from(["", "\n", "\n\n"])
LINES = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "* 优先级: P1",
                "* 来源类型: pattern",
                "* 状态: other",
                "* 添加时间: 2026-03-02",
                "* 内容: 一",
                "* 元数据: a=b",
                "**问题**: x",
                "more text",
                "```\n- 状态: done\n```",
                "<!-- - 知识产出: k-1 -->",
                "#### part",
            ]
        ),
        GAPS,
    ),
    max_size=8,
)


@given(
    lines=LINES,
    at=st.integers(0, 8),
    gap=GAPS,
    end=st.sampled_from(["\n", "\r\n", ""]),
)
def test_an_entry_is_the_same_whatever_its_status(lines, at, gap, end):
    """Also where a formatter spread the lines, and where fields are missing or doubled."""
    lines = [*lines[:at], ("* 状态: pending", gap), *lines[at:]]
    text = "### Q-001: 标题\n" + "".join(f"{one}\n{gap}" for one, gap in lines)
    raw = text.replace("\n", "\r\n").encode() if end == "\r\n" else text.encode()
    raw = raw if end else raw.rstrip()
    [item] = queue.read(raw).items
    once = entry.of_item(item, raw)
    state = raw
    for word, more in (
        ("processing", {}),
        ("pending", {}),
        ("processing", {}),
        ("done", {"processed": "2026-11-30", "product": once.id}),
    ):
        state = queue.put_state(state, word, language="zh", **more)
        [again] = queue.read(state).items
        assert entry.of_item(again, state) == once


@pytest.mark.parametrize(
    ("source", "category"),
    [
        ("pattern", "pattern"),
        ("error", "debugging"),
        ("debugging", "debugging"),
        ("bug_fix_session", "debugging"),
        ("bug_fix", "debugging"),
        ("security_fix", "security"),
        ("Security", "security"),
        ("session", "workflow"),
        ("error_fix", "workflow"),
        ("", "workflow"),
    ],
)
def test_the_category_is_that_of_the_source_type(source, category):
    assert made(ITEM.replace("error", source)).row.category == category


@pytest.mark.parametrize(
    ("metadata", "category"),
    [
        ("session=s1, category=tooling, files=a, b", "tooling"),
        ("category: Code Review", "Code Review"),
        ("files=a，category=平台，x=y", "平台"),
        ("会话=s1，分类：架构", "架构"),
        ("Category = tooling", "tooling"),
        ("subcategory=x", "debugging"),
        ("category=", "debugging"),
        ("category=, a=b", "debugging"),
        ("a=category", "debugging"),
    ],
)
def test_the_category_named_in_the_metadata_counts_first(metadata, category):
    """Metadata is never split at commas: values contain them."""
    text = ITEM.replace("session=s1, files=a, b", metadata)
    assert made(text).row.category == category
    assert front(made(text).data)["category"] == category


@pytest.mark.parametrize(
    ("line", "confidence"),
    [
        ("- Confidence: 0.9", 0.9),
        ("- **置信度**: 95%", 0.95),
        ("- Confidence: 0", 0.0),
        ("- Confidence: high", 0.5),
        ("", 0.5),
    ],
)
def test_the_confidence_is_the_items_own(line, confidence):
    """K4: 0 stays 0."""
    new = made(f"{ITEM}{line}\n")
    assert new.row.confidence == confidence
    assert front(new.data)["confidence"] == confidence


@pytest.mark.parametrize(
    ("metadata", "confidence"),
    [
        ("- Metadata: files=a, confidence=0.8, k=v", 0.8),
        ("- 元数据: 置信度=80%，文件=a", 0.8),
        ("- Metadata: confidence=high", 0.5),
    ],
)
def test_the_confidence_may_stand_in_the_metadata(metadata, confidence):
    """As `learn --meta confidence=0.8` puts it there."""
    lines = [line for line in ITEM.splitlines() if "Metadata" not in line]
    new = made("\n".join([*lines, metadata, ""]))
    assert front(new.data)["confidence"] == confidence


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Global Pattern (全局模式)", "global-pattern"),
        ("execSync() & $HOME/../x", "execsync-home-x"),
        ("全局配置", "lq-011-1a2b3c"),
        ("../../etc/passwd", "etc-passwd"),
        ("CON", "con"),
        ("x" * 80, "x" * 60),
        ("word " * 20, "word-" * 11 + "word"),
        ("", "lq-011-1a2b3c"),
    ],
)
def test_the_slug_is_plain_ascii(title, slug):
    """N3: what a file is called is never a path that the item's text could lead astray."""
    new = made(ITEM.replace("Never lose a byte", title))
    assert new.slug == slug
    assert new.name == f"{new.id}-{slug}.md"


HOSTILE = "a: [b], {c} #d 'e' \"f\" \\ % & * ! | > @ ` --- \u2028 \x1b[31m \ufeff ⚠️"


def test_front_matter_is_read_by_strict_parsers_whatever_the_text():
    text = ITEM.replace("Never lose a byte", HOSTILE).replace("2026-11-30", HOSTILE)
    new = made(text)
    fields = front(new.data)
    start, end, _ = template.front_span(new.data)
    loaded = yaml.safe_load(new.data[start:end])
    assert loaded.keys() == fields.keys()
    assert loaded["title"] == fields["title"]
    assert loaded["references"] == ["LQ-011-1a2b3c"]
    assert template.quick_fields(new.data) is not None


def test_bytes_that_are_no_text_are_kept():
    raw = ITEM.encode().replace("中文".encode(), "中文".encode("gbk") + b"\x00")
    found = queue.read(raw)
    new = entry.of_item(found.items[0], found.raw(found.items[0]))
    assert b'"quotes" and ' + "中文".encode("gbk") + b"\x00\n" in new.data
    assert entry.references(new.data) == ("LQ-011-1a2b3c",)


def test_an_item_without_any_field_has_an_entry():
    new = made("### Q-7: Alone\n")
    assert new.data.endswith(b"references:\n  - Q-7\n---\n")
    assert (new.row.created, new.row.category) == ("", "workflow")


def test_the_row_of_an_entry_goes_into_the_index():
    new = made(ITEM)
    data = knowledge_base.add_row(None, new.row, "en")
    assert knowledge_base.holds(data, new.id)
    [found] = knowledge_base.read(data).entries
    assert found.content == new.row.content


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("---\nreferences: [LQ-001]\n---\n", ("LQ-001",)),
        ("---\nreferences: [LQ-001, 'Q-2', \"Q-3\",]\n---\n", ("LQ-001", "Q-2", "Q-3")),
        ("---\nreferences:\n  - LQ-001\n  - 'Q-2' # why\n---\n", ("LQ-001", "Q-2")),
        ("---\nreferences:\n- LQ-001\ntags: [a]\n---\n", ("LQ-001",)),
        ("---\nreferences:\n\n  # old\n  - LQ-001\n---\n", ("LQ-001",)),
        ("---\nreferences: LQ-001\n---\n", ("LQ-001",)),
        ("---\r\nreferences: [LQ-001]\r\n---\r\n", ("LQ-001",)),
        ("---\r\nreferences:\r\n  - LQ-001\r\n---\r\n", ("LQ-001",)),
        ("\ufeff---\nreferences: [LQ-001]\n---\n", ("LQ-001",)),
        ('---\n"references": [LQ-001, LQ-001]\n---\n', ("LQ-001",)),
        ("---\nreferences: [\n  LQ-001,\n  LQ-002\n]\n---\n", ("LQ-001", "LQ-002")),
        ("---\ntags: [references]\n  references: [x]\n---\n", ()),
        ("---\nreferences: []\n---\n", ()),
        ("---\nreferences:\n---\n", ()),
        ("---\nreferences: [unclosed\n", ()),
        ("---\n\t: : :\n---\n", ()),
        ("references: [LQ-001]\n", ()),
        ("# text\n---\nreferences: [LQ-001]\n---\n", ()),
        ("", ()),
    ],
)
def test_references_are_read_leniently(text, found):
    """Our own and foreign front matter; what is damaged says nothing and stops nobody."""
    assert entry.references(text.encode()) == found


@given(data=st.binary(max_size=200), front=st.booleans())
def test_references_of_any_bytes(data, front):
    text = b"---\nreferences:" + data + b"\n---\n" if front else data
    assert isinstance(entry.references(text), tuple)
