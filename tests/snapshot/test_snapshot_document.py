"""A target file gives back the facts that it was composed of, whatever they hold.

The law that compiles, merges and rebuilds rest on (DESIGN 8): a file is a container of
its facts, and any bytes can be read.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from snapshot_drawn import FOREIGN, LISTS, target

from afterword.snapshot import composing, cutting, document, tiles
from afterword.snapshot.fact import Fact, united

DATE = "2026-11-30"


def composed(facts: list[Fact], before: bytes | None = None, name: str = "") -> bytes:
    return composing.compose(before, target(facts, name), date=DATE)


def by_id(facts: list[Fact] | tuple[Fact, ...]) -> dict[str, Fact]:
    return united(facts)


@settings(max_examples=300, deadline=None)
@given(LISTS)
def test_what_was_composed_reads_back_as_the_same_facts(facts: list[Fact]) -> None:
    """The law of documents: no fact is lost, none is changed, none is added."""
    found = document.read(composed(facts))
    assert by_id(found.facts) == by_id(facts)
    assert {text for _, text in found.problems} <= {"not UTF-8"}


@settings(max_examples=200, deadline=None)
@given(LISTS)
def test_composing_what_the_file_says_gives_its_own_bytes(facts: list[Fact]) -> None:
    """A second compile without news is no change, however the first was made."""
    data = composed(facts)
    again = composing.compose(data, target(facts), date="2027-01-01")
    assert again == data
    reread = composed(list(document.read(data).facts), data)
    assert reread == data


@settings(max_examples=150, deadline=None)
@given(LISTS)
def test_a_file_made_anew_from_its_own_facts_is_the_same_file(
    facts: list[Fact],
) -> None:
    data = composed(facts)
    assert composed(list(document.read(data).facts)) == data


@settings(max_examples=300, deadline=None)
@given(
    st.binary(max_size=300)
    | st.lists(FOREIGN | st.text(max_size=9)).map(
        lambda some: "\n\n".join(some).encode("utf-8", "replace")
    )
)
def test_any_bytes_are_read_and_cut_in_tiles_that_make_them_up(data: bytes) -> None:
    assert tiles.join(cutting.cut(data)) == data
    document.read(data)
    document.without_markers(data)


@settings(max_examples=100, deadline=None)
@given(LISTS, st.binary(max_size=40), st.integers(0, 400), st.integers(0, 9))
def test_a_damaged_file_is_read_as_far_as_it_goes(
    facts: list[Fact], junk: bytes, at: int, cut: int
) -> None:
    data = composed(facts)
    damaged = data[:at] + junk + data[at + cut :]
    document.read(damaged)
    composing.compose(damaged, target(facts), date=DATE)


MANY = 50_000
SPACE = " " * MANY
HOSTILE = {
    "log": f"## Conflict Log\n- [CONFLICT] a{SPACE}b\n- [CONFLICT] {'a: ' * MANY}\n",
    "pending": "## Pending Verification\n"
    f"- [X] a{SPACE}b\n- [X] {'— 来源: ' * MANY}\n- [X] {', 需验证' * MANY}x\n",
    "headings": f"## Key Decisions\n### a{SPACE}(b\n- a{SPACE}b\n-{SPACE}:\n",
    "terms": f"## Glossary\n- a{SPACE}b\n- {'*' * MANY}\n",
    "rows": f"## Config Index\n|{SPACE}-|\n|a|b|\n|-|-|\n|{SPACE}x\n{'|' * MANY}x\n",
    "conflicts": f"## Key Decisions\n### [CONFLICT] x\n- Snapshot says: a{SPACE}(b\n"
    f"- New increment says: {'(a)' * MANY}\n",
    "header": f"# A\n> Compiled increments: a{SPACE}b {'and 1 in archive' * MANY}\n",
    "blank": "## Constraints\n" + "- a\n\n" * MANY,
    "levels": "## X\n" + "### a\n#### b\n##### c\n" * (MANY // 3),
}


@pytest.mark.parametrize("name", list(HOSTILE))
def test_long_and_hostile_lines_are_read_in_linear_time(name: str) -> None:
    data = HOSTILE[name].encode()
    start = time.process_time()
    document.read(data)
    composing.compose(data, target([]), date=DATE)
    assert time.process_time() - start < 10
