"""JSON from the C parts alone, held equal to the standard library's own."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.store import jsonline

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(VALUES)
def test_what_is_written_is_read_back_by_both(value: object) -> None:
    line = jsonline.to_line(value)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    text = line.decode()
    assert json.loads(text) == jsonline.loads(text)
    assert jsonline.loads(json.dumps(value)) == value


@given(st.text())
def test_any_text_is_a_value_or_a_value_error(text: str) -> None:
    try:
        ours: object = jsonline.loads(text)
    except ValueError:
        ours = ValueError
    try:
        theirs: object = json.loads(
            text,
            object_pairs_hook=jsonline.first_wins,
            strict=False,
            parse_constant=bad,
        )
    except (ValueError, RecursionError):
        theirs = ValueError
    assert ours == theirs


def bad(_: str) -> object:
    raise ValueError


def test_282_the_first_of_a_doubled_key_counts() -> None:
    """12.7: a greedy reader took the last and failed a healthy ledger."""
    assert jsonline.loads('{"event":"a","x":1,"event":"b"}') == {"event": "a", "x": 1}


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", '{"a":NaN}'])
def test_constants_that_are_no_json_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not JSON"):
        jsonline.loads(text)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000])
def test_depth_is_an_error_not_a_crash(text: str) -> None:
    with pytest.raises(ValueError, match=r"deep|cut short|no JSON"):
        jsonline.loads(text)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1: object()}, b"x"])
def test_what_is_no_json_is_not_written(value: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        jsonline.to_line(value)


def test_h23_lone_surrogates_become_valid_utf_8() -> None:
    line = jsonline.to_line({"a": "\ud83d", "\udc00": "ok \ud83c\udf89"})
    assert jsonline.loads(line.decode()) == {"a": "\ufffd", "\ufffd": "ok 🎉"}
