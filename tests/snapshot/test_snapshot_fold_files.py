"""What a fold shows gives its facts back: folding them again shows the same (DESIGN 8).

So a compile may go on from its own files, in as many runs and clones as it likes.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from snapshot_facts import folded
from snapshot_statements import statements

from afterword.snapshot import composing, document
from afterword.snapshot.fact import Fact, united
from afterword.snapshot.folded import Folded

DATE = "2031-07-01"


def written(found: Folded) -> dict[str, bytes]:
    """The file of each target."""
    return {
        name: composing.compose(None, one, date=DATE)
        for name, one in found.targets.items()
    }


def read_back(files: dict[str, bytes]) -> list[Fact]:
    return [
        one
        for name, data in files.items()
        for one in document.read(data, module=name).facts
    ]


def made_by_us(said: list[Fact]) -> list[Fact]:
    """Increments only: adopted text is what a person wrote, not what we write."""
    return [one for one in said if one.sources]


@settings(max_examples=200)
@given(statements().map(made_by_us))
def test_the_facts_of_the_files_are_those_that_were_folded(said: list[Fact]):
    back = united(read_back(written(folded(*said))))
    assert back == united(said)


@settings(max_examples=200)
@given(statements().map(made_by_us), st.data())
def test_a_second_run_goes_on_from_the_files_of_the_first(said: list[Fact], data):
    at = data.draw(st.integers(0, len(said)))
    first = written(folded(*said[:at]))
    found = folded(*read_back(first), *said[at:])
    assert found == folded(*said)
    assert written(found) == written(folded(*said))
