"""Front matter of people: strict reading, named errors, edits that keep every other byte."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from afterword.errors import StoreDamaged
from afterword.store import frontmatter, template
from afterword.store.frontmatter import REMOVE
from afterword.store.template import Plain

HAND = b"""\
---
# kept by hand
title: 'Single "quoted"'   # why
status:   candidate # reviewed soon
tags: [one, "two"]   # flow

date: 2026-01-01
list:
- a
-   b   # inner
# about the text
text: |
  line one

  line two

last: "end"  
---

# Body   \n
trailing spaces  \n\tno final newline"""


def test_split_and_join_are_the_file():
    for data in (
        HAND,
        b"\xef\xbb\xbf" + HAND.replace(b"\n", b"\r\n"),
        b"",
        b"# x",
        b"---\n",
    ):
        assert frontmatter.split(data).join() == data


def test_split_names_the_parts():
    found = frontmatter.split(b"\xef\xbb\xbf---\r\na: b\r\n---\r\nbody\r\n")
    assert found == frontmatter.Document(
        bom=b"\xef\xbb\xbf",
        opening=b"---\r\n",
        front=b"a: b\r\n",
        closing=b"---\r\n",
        body=b"body\r\n",
        newline=b"\r\n",
    )


@given(st.binary())
def test_split_loses_no_byte_of_any_file(data):
    for file in (data, b"---\n" + data, b"---\n" + data + b"\n---\n" + data):
        assert frontmatter.split(file).join() == file


def test_values_are_those_of_yaml_but_dates_stay_text():
    assert frontmatter.parse(HAND, "x.md") == {
        "title": 'Single "quoted"',
        "status": "candidate",
        "tags": ["one", "two"],
        "date": "2026-01-01",
        "list": ["a", "b"],
        "text": "line one\n\nline two\n",
        "last": "end",
    }


def test_the_first_of_a_doubled_key_counts_12_7():
    assert frontmatter.parse(b"---\nevent: a\nby: x\nevent: b\n---\n", "x.md") == {
        "event": "a",
        "by": "x",
    }


def test_no_front_matter_is_no_fields():
    assert frontmatter.parse(b"# Title\n", "x.md") == {}
    assert frontmatter.parse(b"---\n---\n", "x.md") == {}
    assert frontmatter.parse(b"", "x.md") == {}


UNREADABLE = [
    (
        b"---\ntitle: [unclosed\n---\n",
        "x.md:3: expected ',' or ']', but got '<stream end>'",
    ),
    (b"---\na: 1\nb: c: d\n---\n", "x.md:3: mapping values are not allowed here"),
    (
        b"---\na:\t- x\n---\n",
        "x.md:2: found character '\\t' that cannot start any token",
    ),
    (
        "---\ntitle: \u201ccurly\n  x\n y: 1\n---\n".encode(),
        "x.md:4: mapping values are not allowed here",
    ),
    (b"---\na: *nowhere\n---\n", "x.md:2: found undefined alias 'nowhere'"),
    (b"---\n- a\n---\n", "x.md:2: the front matter is not a list of keys and values"),
    (b"---\n1: a\n---\n", "x.md:2: the key 1 is not text"),
    (b"---\na: 1\nb: \xff\n---\n", "x.md:3: the front matter is not UTF-8"),
    (b"---\na: 1\nb: \x00\n---\n", "x.md:3: special characters are not allowed"),
    (b"---\na: 1\n", "x.md:1: the front matter is not closed by a line ---"),
    (
        b"---\na: !!python/object x\n---\n",
        "x.md:2: could not determine a constructor for the tag 'tag:yaml.org,2002:python/object'",
    ),
    (
        b"---\na: " + b"[" * 20_000 + b"\n---\n",
        "x.md:2: the front matter is nested too deeply",
    ),
]


@pytest.mark.parametrize(("data", "message"), UNREADABLE, ids=range(len(UNREADABLE)))
def test_what_cannot_be_read_is_named_and_never_replaced_h56(data, message):
    with pytest.raises(frontmatter.FrontMatterError) as caught:
        frontmatter.parse(data, "x.md")
    assert caught.value.message == message
    assert caught.value.hint == (
        "Correct the front matter by hand; nothing was changed."
    )
    with pytest.raises(frontmatter.FrontMatterError):
        frontmatter.edit(data, {"title": "new"}, path="x.md")


MARKERS = [
    (b"a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\n", 2),
    (b"<<<<<<< HEAD\r\n", 1),
    (b"a\nb\n>>>>>>> left over\n", 3),
    (b"<<<<<<<\n", 1),
    (b"Title\n=======\n\ntext\n", None),
    (b"=======\n", None),
    (b" <<<<<<< indented\n", None),
    (b"text <<<<<<< HEAD\n", None),
    (b"<<<<<<<< eight\n", None),
    (b">>>>>>>quote\n", None),
    (b"", None),
]


@pytest.mark.parametrize(("data", "line"), MARKERS)
def test_merge_markers_are_found_and_headings_are_not_h44(data, line):
    assert frontmatter.find_markers(data) == line


def test_a_file_with_merge_markers_is_refused_with_its_line_h44():
    data = b"---\na: 1\n---\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\n"
    for act in (
        lambda: frontmatter.parse(data, "notes/x.md"),
        lambda: frontmatter.edit(data, {"a": 2}, path="notes/x.md"),
    ):
        with pytest.raises(StoreDamaged) as caught:
            act()
        assert str(caught.value) == (
            "notes/x.md:4: a merge left its conflict markers here\n"
            "Resolve the conflict, remove the markers, then run this again."
        )


EDITS = [
    (
        {"status": Plain("verified")},
        b"status:   candidate # ",
        b"status:   verified # ",
    ),
    ({"status": "verified"}, b"status:   candidate # ", b"status:   verified # "),
    ({"status": "a: b"}, b"status:   candidate # ", b'status:   "a: b" # '),
    ({"title": "New"}, b"'Single \"quoted\"'   # why", b'"New"   # why'),
    ({"last": Plain("x")}, b'last: "end"  ', b"last: x  "),
    ({"date": Plain("2026-02-03")}, b"date: 2026-01-01", b"date: 2026-02-03"),
    (
        {"tags": [Plain("three")]},
        b'tags: [one, "two"]   # flow\n',
        b"tags:\n  - three\n",
    ),
    ({"list": REMOVE}, b"list:\n- a\n-   b   # inner\n", b""),
    (
        {"text": "short"},
        b"text: |\n  line one\n\n  line two\n",
        b'text: "short"\n',
    ),
    ({"text": REMOVE}, b"text: |\n  line one\n\n  line two\n", b""),
    ({"new": "x"}, b'last: "end"  \n---', b'last: "end"  \nnew: "x"\n---'),
    ({"missing": REMOVE}, b"", b""),
    ({"date": "2026-01-01", "status": "candidate"}, b"", b""),
]


@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize(("changes", "old", "new"), EDITS)
def test_an_edit_changes_its_key_and_no_other_byte_h59(changes, old, new, windows):
    data, expected = HAND, HAND.replace(old, new, 1) if old else HAND
    if windows:
        data, expected = (
            b"\xef\xbb\xbf" + one.replace(b"\n", b"\r\n") for one in (data, expected)
        )
    assert frontmatter.edit(data, changes) == expected
    assert frontmatter.edit(expected, changes) == expected


def test_a_new_key_goes_behind_its_anchor():
    data = frontmatter.edit(
        HAND,
        {"superseded_by": Plain("k-1"), "reason": "why"},
        after={"superseded_by": "status", "reason": "nowhere"},
    )
    assert b"reviewed soon\nsuperseded_by: k-1\ntags:" in data
    assert b'last: "end"  \nreason: "why"\n---' in data


def test_several_edits_at_once():
    data = frontmatter.edit(
        b"---\na: 1\nb: 2\nc: 3\n---\nx", {"c": 4, "a": REMOVE, "d": True, "b": [1]}
    )
    assert data == b"---\nb:\n  - 1\nc: 4\nd: true\n---\nx"


def test_a_doubled_key_is_changed_where_it_counts_and_removed_everywhere():
    data = b"---\na: 1\nb: 2\na: 3\n---\n"
    assert frontmatter.edit(data, {"a": 9}) == b"---\na: 9\nb: 2\na: 3\n---\n"
    assert frontmatter.edit(data, {"a": REMOVE}) == b"---\nb: 2\n---\n"


def test_a_file_without_front_matter_gets_one():
    assert frontmatter.edit(b"# T\r\n", {"a": "b"}) == (
        b'---\r\na: "b"\r\n---\r\n\r\n# T\r\n'
    )
    assert frontmatter.edit(b"", {"a": 1}) == b"---\na: 1\n---\n"
    assert frontmatter.edit(b"# T\n", {"a": REMOVE}) == b"# T\n"


def test_an_indented_mapping_keeps_its_indent():
    assert frontmatter.edit(b"---\n  a: 1\n  b: 2\n---\n", {"b": [1], "c": 3}) == (
        b"---\n  a: 1\n  b:\n    - 1\n  c: 3\n---\n"
    )


REFUSED = [
    (
        b"---\n{a: 1, b: 2}\n---\n",
        {"a": 2},
        "x.md:2: write each key on a line of its own",
    ),
    (b"---\n? a\n: 1\n---\n", {"a": 2}, "x.md:2: write each key on a line of its own"),
    (
        b"---\na: &x 1\nb: *x\n---\n",
        {"a": 2},
        "x.md:1: a cannot be changed without changing more",
    ),
]


@pytest.mark.parametrize(("data", "changes", "message"), REFUSED)
def test_an_edit_that_would_reach_further_is_refused(data, changes, message):
    with pytest.raises(frontmatter.FrontMatterError) as caught:
        frontmatter.edit(data, changes, path="x.md")
    assert caught.value.message == message


def test_what_the_template_wrote_is_read_and_edited_alike():
    data = template.render([("title", "a # b"), ("status", Plain("candidate"))], "# x")
    assert frontmatter.parse(data, "x.md") == template.quick_fields(data)
    edited = frontmatter.edit(data, {"title": "c: d"})
    assert edited == template.render(
        [("title", "c: d"), ("status", Plain("candidate"))], "# x"
    )


TITLES = st.one_of(
    st.text(),
    st.sampled_from(
        [
            "# x",
            "a: b",
            "'",
            '"',
            "---",
            "yes",
            "1e3",
            "2026-01-01",
            "- x",
            "\U0001f600",
        ]
    ),
)
LINES = st.sampled_from(
    [
        "# comment",
        "",
        "a: 1",
        "b: 'x'  # y",
        "c: [1, 2]",
        "d:\n  - x",
        "e: |\n  x\n\n  y",
        "f:",
    ]
)


@settings(max_examples=100, deadline=None)
@given(
    TITLES, st.lists(LINES, unique=True), st.sampled_from(["\n", "\r\n"]), st.binary()
)
def test_any_title_goes_into_any_front_matter_h57(title, lines, newline, body):
    front = "".join(line + "\n" for line in lines).replace("\n", newline).encode()
    end = newline.encode()
    data = b"---" + end + front + b"---" + end + body
    if frontmatter.find_markers(data):
        return
    edited = frontmatter.edit(data, {"title": title})
    read = frontmatter.split(edited)
    assert read.body == body
    assert yaml.safe_load(read.front.decode())["title"] == template.flat(title)
    assert frontmatter.edit(edited, {"title": REMOVE}) == data
