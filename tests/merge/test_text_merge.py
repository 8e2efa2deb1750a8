"""Text that no kind of file has parts for: merged by lines, both sides alike."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.merge import laws, text

from .building import swapped

CLASH = "<<<<<<< ours\n{}=======\n{}>>>>>>> theirs\n"


@pytest.mark.parametrize(
    ("before", "ours", "theirs", "wanted"),
    [
        ("a b c", "x b c", "a b y", "x b y"),
        ("a b c", "a c", "a b c d", "a c d"),
        ("a b c", "x a b c", "a b c y", "x a b c y"),
        ("a b c", "b c", "a b", "b"),
        ("a b c", "x b c", "x b y", "x b y"),
        ("a b c d e", "a c d e", "a b c d x e", "a c d x e"),
        ("a", "a b", "a b", "a b"),
        ("a b", "", "a b", ""),
    ],
)
def test_lines_that_one_side_changed_are_taken(before, ours, theirs, wanted):
    sides = [
        words.replace(" ", "\n") + "\n" * bool(words)
        for words in (before, ours, theirs)
    ]
    assert text.merge(*sides) == (
        wanted.replace(" ", "\n") + "\n" * bool(wanted),
        False,
    )


def test_the_same_or_neighbouring_lines_are_shown():
    assert text.merge("a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n") == (
        "a\n" + CLASH.format("x\n", "y\n") + "c\n",
        True,
    )
    assert text.merge("a\nb\n", "x\nb\n", "a\ny\n") == (
        CLASH.format("x\nb\n", "a\ny\n"),
        True,
    )


def test_two_contradictions_are_shown_apart():
    sides = (f"{word}\nb\nc\n{word}\n" for word in ("a", "x", "y"))
    clash = CLASH.format("x\n", "y\n")
    assert text.merge(*sides) == (f"{clash}b\nc\n{clash}", True)


def test_without_a_base_nothing_is_guessed():
    assert text.merge("", "a\nb\n", "a\nc\n") == (
        "a\n" + CLASH.format("b\n", "c\n"),
        True,
    )


def test_line_ends_are_no_change():
    assert text.merge("a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nx\nc\n") == (
        "a\r\nx\nc\r\n",
        False,
    )


def test_a_long_text_is_compared_from_both_its_ends():
    long = "".join(f"{number}\n" for number in range(10 * text.MOST_LINES))
    assert text.merge(long, "x\n" + long, long + "y\n") == (f"x\n{long}y\n", False)


def test_what_would_take_long_to_compare_is_shown():
    """Empty lines without end match each other in any number of ways."""
    long = "\n" * 100 * text.MOST_LINES
    start = time.process_time()
    found, is_marked = text.merge(long, f"x\n{long}x\n", f"y\n{long}y\n")
    assert is_marked and len(found) > 2 * len(long)
    assert time.process_time() - start < 5


TEXTS = st.lists(st.sampled_from("abcd"), max_size=6).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


@given(o=TEXTS, a=TEXTS, b=TEXTS)
def test_law_1_to_4_of_text(o, a, b):
    if o:
        assert text.merge(o, o, b) == (b, False)
        assert text.merge(o, a, o) == (a, False)
    found, is_marked = text.merge(o, a, b)
    turned = text.merge(o, b, a)
    assert (swapped(found.encode()).decode(), is_marked) == turned
    assert is_marked == (laws.OURS in found)
