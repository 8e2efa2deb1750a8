"""The window of an episode and its bounds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.episode import window
from afterword.episode.window import Window
from afterword.store import clock

SHA = ["a" * 40, "b" * 40, "c" * 40]


def line(second: int, event: str, **more: Any) -> dict[str, Any]:
    ts = clock.stamp(1_800_000_000 + second + 0.9)
    return {"ts": ts, "event": event, "head": SHA[0], "branch": "main", **more}


def make(*lines: dict[str, Any]) -> Window:
    return Window(episode="e1", lines=lines)


def test_bounds_are_floored_and_open_while_nothing_ended() -> None:
    found = window.bounds(make(line(1, "session.started", head=SHA[1])))
    assert found is not None
    assert (found.opened, found.closed, found.opening) == (1_800_000_001, None, SHA[1])
    assert window.bounds(make(line(1, "decision.recorded"))) is None


def test_the_first_start_opens_whatever_was_resumed() -> None:
    found = window.bounds(
        make(
            line(1, "session.started", head=SHA[1]),
            line(5, "session.ending"),
            line(6, "session.closed"),
            line(9, "session.started", head=SHA[2]),
            line(20, "session.ending", head=SHA[2]),
        )
    )
    assert found is not None
    assert (found.opened, found.closed) == (1_800_000_001, 1_800_000_020)
    assert (found.opening, found.closing) == (SHA[1], SHA[2])


def test_a_stranded_end_counts_from_the_last_sign_of_life() -> None:
    sign = clock.stamp(1_800_000_007.5)
    end = line(99, "session.ending", last_sign=sign, last_head=SHA[2])
    found = window.bounds(make(line(1, "session.started"), end))
    assert found is not None
    assert (found.closed, found.closing, found.closed_at) == (
        1_800_000_007,
        SHA[2],
        sign,
    )


@pytest.mark.parametrize("sign", [None, 5, "", "soon", [], {}])
def test_a_damaged_sign_of_life_is_none(sign: object) -> None:
    end = line(9, "session.ending", last_sign=sign)
    found = window.bounds(make(line(1, "session.started"), end))
    assert found is not None
    assert found.closed == 1_800_000_009


@pytest.mark.parametrize(
    ("names", "closed", "unfinished"),
    [
        (["started"], False, False),
        (["started", "ending"], False, True),
        (["started", "ending", "closed"], True, False),
        (["started", "ending", "closed", "started"], False, False),
        (["started", "ending", "started"], False, False),
        (["started", "ending", "started", "ending"], False, True),
    ],
)
def test_closed_and_unfinished(
    names: list[str], closed: bool, unfinished: bool
) -> None:
    found = make(*(line(at, f"session.{name}") for at, name in enumerate(names)))
    assert found.is_closed is closed
    assert (window.unfinished_end(found) is not None) is unfinished


def test_13_paths_of_both_ledger_ages_are_read() -> None:
    """13: space-joined paths; a JSON list since. Nonsense is no path."""
    found = make(
        line(1, "knowledge.derived", paths="a.md b.md"),
        line(2, "knowledge.derived", paths=["a b.md", 5], hashes=["h1"]),
        line(3, "knowledge.derived", paths={"x": 1}, hashes=5),
    )
    assert found.written == {"a.md": {""}, "b.md": {""}, "a b.md": {"h1"}}


@given(
    st.lists(
        st.sampled_from(
            ["session.started", "session.ending", "session.closed", "decision.recorded"]
        )
    )
)
def test_bounds_never_fail_and_never_run_backwards(names: list[str]) -> None:
    found = make(*(line(at, name) for at, name in enumerate(names)))
    span = window.bounds(found)
    assert (span is None) == ("session.started" not in names)
    if span is not None and span.closed is not None:
        assert span.opened <= span.closed
    assert not (found.is_closed and window.unfinished_end(found))
