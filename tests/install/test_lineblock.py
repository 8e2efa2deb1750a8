"""Our lines among the lines of others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.install import lineblock

LINES = ["*.md merge=afterword text eol=lf", "/.ai/local/"]

TEXTS = [
    b"",
    b"*.sh text\n",
    b"*.sh text",
    b"a\r\nb\r\n",
    b"a\r\nb",
    b"\n\n",
    b"\xff\n",
    b"\n",
    b"\r",
    b"a\r\nb\r",
]


@pytest.mark.parametrize("before", TEXTS)
def test_what_goes_in_comes_out(before: bytes) -> None:
    after = lineblock.put(before, LINES)
    assert lineblock.lines_in(after) == LINES
    assert lineblock.put(after, LINES) == after
    assert lineblock.take_out(after) == before


@given(st.binary(max_size=60), st.lists(st.sampled_from(LINES), max_size=3))
def test_any_file_comes_back(before: bytes, lines: list[str]) -> None:
    assert lineblock.take_out(lineblock.put(before, lines)) == before


def test_the_block_takes_the_line_ends_of_its_file() -> None:
    after = lineblock.put(b"a\r\n", LINES)
    assert after.count(b"\n") == after.count(b"\r\n") == 5


def test_lines_are_renewed_in_place_and_what_follows_stays() -> None:
    after = lineblock.put(b"a\n", ["old"]) + b"b\n"
    renewed = lineblock.put(after, LINES)
    assert renewed.startswith(b"a\n") and renewed.endswith(b"b\n")
    assert lineblock.lines_in(renewed) == LINES
    assert lineblock.take_out(renewed) == b"a\nb\n"


def test_a_torn_block_is_left_as_it_is() -> None:
    torn = lineblock.BEGIN + b"\n*.md\n"
    assert lineblock.take_out(torn) == torn
    assert lineblock.take_out(lineblock.put(torn, LINES)) == torn
