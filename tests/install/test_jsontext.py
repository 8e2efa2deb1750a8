"""The scanner that knows the place of every JSON value."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.install import jsontext
from afterword.install.jsontext import JsonError, Node

REFUSED = [
    ('{"a": 1,}', 1, "a comma before '}'"),
    ('{\n"a": [1,\n]}', 2, "a comma before ']'"),
    ('{"a": 1', 1, "cut short"),
    ('{"a"', 1, "a name without ':'"),
    ('{"a": ', 1, "cut short"),
    ("{a: 1}", 1, "'a' where a quoted name should be"),
    ("{'a': 1}", 1, '"\'" where a quoted name should be'),
    ('{"a": 1 "b": 2}', 1, "'\"' where ',' or '}' should be"),
    ('{"a": "x\n"}', 1, "a text that is not closed, or holds a bad character"),
    ('{"a": "\\x"}', 1, "a text that is not closed, or holds a bad character"),
    ('{"a": 01}', 1, "'1' where ',' or '}' should be"),
    ('{"a": NaN}', 1, "'N' where a value should be"),
    ('{"a": 1}\r\n{"b": 2}', 2, "more text after the JSON value"),
    ('{"a": 1}\r{', 2, "more text after the JSON value"),
    ("[1, /* no end", 1, "a comment that never ends"),
    ("[" * 200, 1, "nested more than 100 levels deep"),
    ("{,}", 1, "',' where a quoted name should be"),
    ("[,]", 1, "',' where a value should be"),
    ("\x00", 1, "'\\x00' where a value should be"),
]


@pytest.mark.parametrize(("text", "line", "message"), REFUSED)
def test_what_is_not_json_is_named_with_its_line(
    text: str, line: int, message: str
) -> None:
    with pytest.raises(JsonError) as caught:
        jsontext.parse(text)
    assert (caught.value.line, caught.value.message) == (line, message)


@pytest.mark.parametrize("text", ["", " \t\r\n", "// a comment", "/* one */ // two\n"])
def test_a_text_without_a_value_has_no_root(text: str) -> None:
    assert jsontext.parse(text).root is None


def test_comments_are_skipped_and_counted() -> None:
    document = jsontext.parse('{ // one\n "a": /* two */ [1 // three\n]}')
    assert len(document.comments) == 3
    assert document.root is not None
    assert document.root.member("a") is not None


def test_the_last_of_a_doubled_key_counts_as_hosts_read_it() -> None:
    root = jsontext.parse('{"a": "1", "a": "2"}').root
    assert root is not None
    member = root.member("a")
    assert member is not None and member.value == "2"


def value_of(text: str, node: Node) -> object:
    """The plain value of a node, rebuilt from the scanner's own structure."""
    if node.kind == "object":
        pairs = zip(node.keys, node.children, strict=True)
        return {key: value_of(text, child) for key, child in pairs}
    if node.kind == "list":
        return [value_of(text, child) for child in node.children]
    plain: object = json.loads(text[node.start : node.end])
    assert node.kind == "number" or plain == node.value
    return plain


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, 0, 1, 4, "\t"]), st.booleans())
def test_every_json_text_is_read_as_the_standard_library_reads_it(
    value: object, indent: int | str | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    root = jsontext.parse(text).root
    assert root is not None
    assert value_of(text, root) == value
    assert text[root.start : root.end] == text


@given(st.text(alphabet='{}[]",:/*\\ \n01ea-.tru"', max_size=30))
def test_what_the_standard_library_refuses_is_refused_too(text: str) -> None:
    """Comments and blanks alone are the two things that the scanner takes beyond JSON."""
    try:
        document = jsontext.parse(text)
    except JsonError:
        accepted = False
    else:
        accepted = document.root is not None and not document.comments
        if document.root is None or document.comments:
            return
    try:
        json.loads(text)
    except ValueError:
        assert not accepted
    else:
        assert accepted
