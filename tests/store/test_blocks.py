"""The lossless reader: the same bytes back for any bytes, headings where Markdown has them."""

import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from afterword.store import blocks
from afterword.store.blocks import COMMENT, FENCE, FRONT, TEXT, Block, Heading
from afterword.store.newline import newline_of

REAL = sorted((Path(__file__).parents[1] / "fixtures" / "evolution").glob("*.md"))


def shown(data, starts=6):
    """The headings that begin blocks, as (level, text)."""
    return [
        (one.heading.level, one.heading.text.decode("utf-8", "replace"))
        for one in blocks.cut(data, starts)
        if one.heading
    ]


HEADINGS = [
    (b"# One\n", [(1, "One")]),
    (b"###### Six\n####### Seven\n", [(6, "Six")]),
    (b"#No space\n#\n# \n", [(1, ""), (1, "")]),
    (b"   ## three spaces\n    ## code\n\t# tab\n", [(2, "three spaces")]),
    (b"## closed ##  \n## half#\n## ###\n", [(2, "closed"), (2, "half#"), (2, "")]),
    (b"#\ttab\n", [(1, "tab")]),
    (
        b"---\n# glued to a rule\ntext\n# glued to text\n",
        [(1, "glued to a rule"), (1, "glued to text")],
    ),
    (b"# a\r\n## b\r\n", [(1, "a"), (2, "b")]),
    (b"# a\r## b\r", [(1, "a"), (2, "b")]),
    (b"# no end", [(1, "no end")]),
    (b"\xef\xbb\xbf# after a mark\n", [(1, "after a mark")]),
    (b"Under\n=====\n\nline\n---\n", []),
    (b"> # quoted\n- # listed\n", []),
    (b"# a\x0b# b\x85\n", [(1, "a\x0b# b\ufffd")]),
    (b"```\n# code\n```\n# text\n", [(1, "text")]),
    (b"````md\n```\n# code\n````\n# text\n", [(1, "text")]),
    (b"~~~\n```\n# code\n~~~ x\n~~~\n# text\n", [(1, "text")]),
    (b"   ```\n# code\n   ```\n# text\n", [(1, "text")]),
    (b"    ```\n# text\n", [(1, "text")]),
    (b"``` a`b\n# text\n", [(1, "text")]),
    (b"```\n# code\n    ```\n# code\n", []),
    (b"```\n# never closed\n", []),
    (b"<!-- one line -->\n# text\n", [(1, "text")]),
    (b"<!--\n# hidden\n-->\n# text\n", [(1, "text")]),
    (b"<!-->\n# text\n", [(1, "text")]),
    (b"<!--\n```\n-->\n# text\n", [(1, "text")]),
    (b"```\n<!--\n```\n# text\n", [(1, "text")]),
    (b"words <!-- in a line\n# text\n", [(1, "text")]),
    (b"---\n# comment\nkey: |\n  # not\n---\n# text\n", [(1, "text")]),
    (b"---\n# text\n", [(1, "text")]),
    (b"", []),
]


@pytest.mark.parametrize(("data", "expected"), HEADINGS)
def test_which_lines_are_headings(data, expected):
    assert shown(data) == expected
    assert blocks.join(blocks.cut(data)) == data


def test_a_line_of_text_is_asked_whether_it_is_a_heading():
    assert blocks.heading_of(b"  ## Title ##\r\n") == (2, b"Title")
    assert blocks.heading_of(b"#") == (1, b"")
    assert blocks.heading_of(b"    # code\n") is None
    assert blocks.heading_of(b"#tag\n") is None


def test_lines_have_kinds():
    data = b"---\na: b\n---\ntext\n```\ncode\n```\n<!-- a\nb -->\nend"
    kinds = [(data[start:end], kind) for start, end, kind in blocks.lines(data)]
    assert kinds == [
        (b"---\na: b\n---\n", FRONT),
        (b"text\n", TEXT),
        (b"```\n", FENCE),
        (b"code\n", FENCE),
        (b"```\n", FENCE),
        (b"<!-- a\n", COMMENT),
        (b"b -->\n", COMMENT),
        (b"end", TEXT),
    ]
    assert next(blocks.lines(data, front=False)) == (0, 4, TEXT)


TREE = b"head\n# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\ne\n"


def test_blocks_begin_at_the_levels_or_by_the_rule_of_the_caller():
    assert [one.raw for one in blocks.cut(TREE, 1)] == [
        b"head\n",
        b"# A\na\n## B\nb\n### C\nc\n## D\nd\n",
        b"# E\ne\n",
    ]
    assert shown(TREE, 2) == [(1, "A"), (2, "B"), (2, "D"), (1, "E")]
    assert shown(TREE, lambda heading: heading.text in b"CE") == [(3, "C"), (1, "E")]
    assert blocks.cut(TREE, 0) == [Block(TREE)]


def test_a_section_ends_at_its_level_or_at_any():
    found = {one.text: one for one in blocks.headings(TREE)}
    span = {name: blocks.section(TREE, one) for name, one in found.items()}
    assert TREE[slice(*span[b"A"])] == b"# A\na\n## B\nb\n### C\nc\n## D\nd\n"
    assert TREE[slice(*span[b"B"])] == b"## B\nb\n### C\nc\n"
    assert TREE[slice(*span[b"E"])] == b"# E\ne\n"
    assert (
        TREE[slice(*blocks.section(TREE, found[b"B"], any_level=True))] == b"## B\nb\n"
    )


def test_a_heading_knows_its_line_within_its_block():
    first, second = blocks.cut(b"x\n## Title ##\ntext\n")
    assert first.heading is None
    assert second.heading == Heading(level=2, text=b"Title", start=0, end=12)
    with pytest.raises(AttributeError, match="Block is frozen: raw"):
        second.raw = b""


def test_replace_insert_and_remove_touch_no_other_block():
    parts = blocks.cut(b"# A\na\n# B\nb\n# C\nc\n")
    assert blocks.join(blocks.replace(parts, 1, b"# N\nn\n")) == (
        b"# A\na\n# N\nn\n# C\nc\n"
    )
    assert (
        blocks.join(blocks.insert(parts, 1, b"# N\n"))
        == b"# A\na\n# N\n# B\nb\n# C\nc\n"
    )
    assert blocks.join(blocks.remove(parts, 1)) == b"# A\na\n# C\nc\n"
    assert blocks.insert(parts, 3, b"# N\n")[-1].heading.text == b"N"
    assert blocks.join(parts) == b"# A\na\n# B\nb\n# C\nc\n"


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_a_missing_line_end_is_completed_in_the_files_own_h59(newline):
    data = b"# A\na\n# B\nb".replace(b"\n", newline)
    parts = blocks.cut(data)
    assert blocks.join(blocks.insert(parts, 2, b"# N")) == data + newline + b"# N"
    assert blocks.join(blocks.insert(parts, 0, b"# N")) == b"# N" + newline + data
    assert blocks.join(blocks.replace(parts, 0, b"# N")) == (
        b"# N" + newline + b"# B" + newline + b"b"
    )
    assert blocks.append(data, b"# N") == data + newline * 2 + b"# N"
    assert blocks.append(data, b"# N", blank=False) == data + newline + b"# N"


def test_append_to_a_part_takes_the_line_end_of_the_whole():
    assert blocks.append(b"# A", b"", newline=b"\r\n") == b"# A\r\n\r\n"


def test_append_adds_no_second_empty_line():
    assert blocks.append(b"a\n\n", b"# N\n") == b"a\n\n# N\n"
    assert blocks.append(b"a\r\n\r\n", b"# N\r\n") == b"a\r\n\r\n# N\r\n"
    assert blocks.append(b"", b"# N\n") == b"# N\n"


def test_what_is_left_open_is_named_and_can_be_closed():
    assert blocks.unclosed(b"---\na: b\n---\ntext\n```\nx\n") == (5, b"```")
    assert blocks.unclosed(b"<!-- a\n") == (1, b"-->")
    assert blocks.unclosed(b"```\n```\n") is None
    assert blocks.finished(b"a\n~~~~sh\nx", b"\r\n") == b"a\n~~~~sh\nx\r\n~~~~\r\n"
    assert blocks.finished(b"a <!-- b", b"\n") == b"a <!-- b\n"


def test_a_part_of_a_file_has_no_front_matter():
    text = b"---\n```\n---\n"
    assert blocks.unclosed(text) is None
    assert blocks.unclosed(text, front=False) == (2, b"```")
    assert blocks.finished(text, b"\n", front=False) == text + b"```\n"
    assert blocks.lowered(b"---\n# a\n---\n") == (b"---\n#### a\n---\n", 1)


def test_headings_of_given_text_are_lowered_outside_fences():
    text = b"# A ##\nb\n```\n# c\n```\n  ## D\n### E\n"
    assert blocks.lowered(text) == (
        b"#### A ##\nb\n```\n# c\n```\n  #### D\n### E\n",
        2,
    )
    assert blocks.lowered(b"plain\n") == (b"plain\n", 0)


def test_the_caller_says_which_headings_are_lowered():
    text = b"# A\n### B\n### C\n"
    lowered = blocks.lowered(text, lambda heading: heading.text == b"B")
    assert lowered == (b"# A\n#### B\n### C\n", 1)


@pytest.mark.parametrize(
    ("raw", "same"),
    [
        (b"\r\n# A\r\nb  \r\n\r\n", b"# A\nb  \n"),
        (b"# A\rb", b"# A\nb\n"),
        (b" \n\n", b""),
        (b"", b""),
        (b"\x00\xff\n", b"\x00\xff\n"),
    ],
)
def test_copies_that_differ_in_line_ends_only_compare_equal(raw, same):
    assert blocks.normalised(raw) == same
    assert blocks.normalised(same) == same


@pytest.mark.parametrize(
    ("data", "newline"),
    [
        (b"", b"\n"),
        (b"a", b"\n"),
        (b"a\r\nb\r\nc\n", b"\r\n"),
        (b"a\rb\r", b"\r"),
        (b"a\r\nb\n", b"\n"),
    ],
)
def test_the_line_end_of_most_lines(data, newline):
    assert newline_of(data) == newline
    assert newline_of(blocks.with_newline(b"a\r\nb\rc\n", newline)) == newline


def test_line_numbers_count_every_kind_of_end():
    assert [blocks.line_number(b"a\nb\r\nc\rd", at) for at in (0, 2, 5, 7)] == [
        1,
        2,
        3,
        4,
    ]


BYTES = st.one_of(
    st.binary(max_size=300),
    st.lists(
        st.sampled_from(
            [
                b"# a",
                b"## b",
                b"### c ##",
                b"```",
                b"````",
                b"~~~",
                b"```x",
                b"<!--",
                b"-->",
                b"<!-- x -->",
                b"---",
                b"text",
                b"    # x",
                b"",
                b"\xb9\xa4\xd7\xf7",
                b"\x00\xff",
                b"- \xe7\x8a\xb6: x",
                b"\xef\xbb\xbf",
                b"|a|b||c|",
            ]
        ),
        max_size=12,
    ).flatmap(
        lambda parts: st.lists(
            st.sampled_from([b"\n", b"\r\n", b"\r", b"\n\n", b""]),
            min_size=len(parts),
            max_size=len(parts),
        ).map(lambda ends: b"".join(a + b for a, b in zip(parts, ends, strict=True)))
    ),
)


@settings(max_examples=400)
@given(BYTES, st.integers(0, 6))
@example(b"---\r", 6)
def test_any_bytes_come_back_as_they_were(data, level):
    parts = blocks.cut(data, level)
    assert blocks.join(parts) == data
    assert all(part.raw for part in parts)
    assert all(part.heading for part in parts[1:])
    spans = [(start, end) for start, end, _ in blocks.lines(data)]
    assert b"".join(data[start:end] for start, end in spans) == data
    for part in parts:
        if part.heading:
            line = part.raw[part.heading.start : part.heading.end]
            assert part.raw.startswith(line)
            assert part.heading.text in line


@given(BYTES, BYTES, st.integers(0, 20))
def test_an_inserted_block_leaves_every_other_byte(data, raw, place):
    parts = blocks.cut(data)
    at = min(place, len(parts))
    after = blocks.join(blocks.insert(parts, at, raw))
    before = blocks.join(parts[:at])
    assert after.startswith(before)
    assert after.endswith(blocks.join(parts[at:]))
    assert raw in after
    assert len(after) - len(data) - len(raw) <= 4
    assert blocks.join(blocks.remove(parts, at) if at < len(parts) else parts) in (
        before + blocks.join(parts[at + 1 :]),
        data,
    )


@given(BYTES)
def test_finished_text_swallows_nothing(data):
    whole = blocks.finished(data, b"\n")
    assert whole.startswith(data)
    assert blocks.unclosed(whole) is None
    if whole:
        assert shown(whole + b"# next\n")[-1] == (1, "next")


MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# one",
            "## two ##",
            "   ### three",
            "#none",
            "    # code",
            "words",
            "",
            "```",
            "````",
            "~~~~",
            "```sh",
            "``` a`b",
            "<!--",
            "-->",
            "<!-- x -->",
            "***",
            "~~~",
        ]
    ),
    max_size=14,
).map(lambda parts: "".join(part + "\n" for part in parts))


@settings(max_examples=400)
@given(MARKDOWN)
def test_headings_are_those_of_a_markdown_parser(text):
    tokens = MarkdownIt("commonmark").parse(text)
    expected = [
        (int(one.tag[1]), tokens[at + 1].content)
        for at, one in enumerate(tokens)
        if one.type == "heading_open" and one.markup.startswith("#")
    ]
    assert shown(text.encode()) == expected


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_real_files_come_back_byte_for_byte(path):
    data = path.read_bytes()
    for file in (data, data.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + data, data[:-1]):
        for level in range(7):
            assert blocks.join(blocks.cut(file, level)) == file
    assert shown(data.replace(b"\n", b"\r\n")) == shown(data)


@settings(max_examples=60)
@given(st.sampled_from(REAL), st.data())
def test_damaged_real_files_come_back_byte_for_byte(path, source):
    data = path.read_bytes()
    at = source.draw(st.integers(0, len(data)))
    cut = source.draw(st.integers(0, 200))
    damaged = data[:at] + source.draw(st.binary(max_size=20)) + data[at + cut :]
    assert blocks.join(blocks.cut(damaged, 3)) == damaged


def test_the_fenced_template_of_a_queue_is_no_entry():
    data = (REAL[0].parent / "learning_queue.2026-02-27.07295c49.md").read_bytes()
    entries = [text for level, text in shown(data, 3) if text.startswith("LQ-")]
    assert [text[:6] for text in entries] == [f"LQ-{n:03d}" for n in range(1, 13)]
    assert data.count(b"### LQ-") == 13


def test_the_log_that_is_not_utf8_has_its_two_reflections():
    data = (REAL[0].parent / "reflection_log.2026-02-24.2b24e278.md").read_bytes()
    assert b"\x00" in data
    dated = [text for level, text in shown(data) if level == 2]
    assert [text[:10] for text in dated] == ["2026-02-11", "2026-02-11"]


def test_time_is_linear_and_memory_small():
    entry = (
        "### LQ-001: 标题\n- 状态: done\n- 优先级: P1\n- 内容: 一二三四五六七八九十\n\n"
    )
    small = entry.encode() * 1000
    large = small * 8
    tracemalloc.start()
    parts = blocks.cut(large)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(parts) == 8000
    assert peak < 6 * len(large)
    assert _seconds(large) < 8 * 4 * _seconds(small)


def _seconds(data):
    """The best of three."""
    found = []
    for _ in range(3):
        start = time.process_time()
        blocks.cut(data)
        found.append(time.process_time() - start)
    return min(found)


@pytest.mark.parametrize(
    "unit", [b"# " + b" " * 999 + b"x\n", b"`", b"#", b"# #", b"<!--", b"```\n"]
)
def test_hostile_bytes_cost_no_time(unit):
    data = (unit * 300_000)[:300_000]
    start = time.process_time()
    assert blocks.join(blocks.cut(data)) == data
    assert time.process_time() - start < 5


LIST_FENCES = [
    (b"- ```\n  # code\n  ```\n# One\n", [(1, "One")]),
    (b"1. ~~~sh\n   # code\n   ~~~\n# One\n", [(1, "One")]),
    (b"+   ````\n    ```\n    # code\n    ````\n\n# One\n", [(1, "One")]),
    (b"- ```\n  # code\n\n  # code\n# One\n", [(1, "One")]),
    (b"- ```\n# One\n", [(1, "One")]),
    (b"- ```\ncode\n```\n# code\n", []),
    (b"- a ``` b\n# One\n", [(1, "One")]),
    (b"-```\n# One\n", [(1, "One")]),
    (b"* ```\r\n  # code\r\n  ```\r\n# One\r\n", [(1, "One")]),
]


@pytest.mark.parametrize(("data", "found"), LIST_FENCES)
def test_a_fence_that_begins_a_list_item_hides_headings_and_ends_with_it(data, found):
    assert shown(data) == found
    tokens = MarkdownIt().parse(data.decode())
    opened = [
        at
        for at, one in enumerate(tokens)
        if one.type == "heading_open" and not one.level
    ]
    assert [(1, tokens[at + 1].content) for at in opened] == found


def test_what_a_list_item_leaves_open_is_closed_inside_of_it():
    data = b"- ```\n  # code\n"
    assert blocks.unclosed(data) == (1, b"  ```")
    assert blocks.finished(data, b"\n") == data + b"  ```\n"
    assert blocks.unclosed(data + b"# One\n") is None


def test_two_rules_around_headings_or_rows_are_no_front_matter():
    assert blocks.has_front(b"---\nkey: value\n# note\n---\n")
    assert blocks.has_front(b"# One\n")
    assert not blocks.has_front(b"---\n\n### LQ-001: a\n\n---\n")
    assert not blocks.has_front(b"---\r\n## a\r\n---\r\n")
    assert not blocks.has_front(b"---\n| ID | Title |\n---\n")
