"""Open episodes, their ids, their spans, and the process of the host."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.episode import opened, process
from afterword.episode.opened import OpenEpisode
from afterword.host import claude_code
from afterword.store import clock
from afterword.store.layout import Store
from scene import make_scene


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_scene(tmp_path).store


@given(st.text(min_size=1, max_size=300))
def test_h62_ids_are_names_and_names_stay_apart(session: str) -> None:
    name = opened.episode_id(session)
    assert 0 < len(name) <= 96
    assert set(name) <= set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
    )
    assert name[0].isalnum()
    assert opened.episode_id(name) == name
    assert opened.episode_id(session + "x") != name


@pytest.mark.parametrize(
    "name", ["e1", "a.b_c-D", "0b0f7d6e-1c2d-4e3f-8a9b-0c1d2e3f4a5b"]
)
def test_plain_ids_are_kept(name: str) -> None:
    assert opened.episode_id(name) == name


def test_when_others_were_open_is_told_from_the_end_of_the_notes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def at(second: int) -> str:
        stamp = clock.stamp(1_800_000_000 + second)
        monkeypatch.setenv("AFTERWORD_NOW", stamp)
        return stamp

    for number in range(200):
        name = f"old{number}"
        opened.save(store, OpenEpisode(episode=name, host="x", started_at=at(number)))
        at(number + 1)
        opened.remove(store, name)
    opened.save(store, OpenEpisode(episode="own", host="x", started_at=at(1000)))
    opened.save(store, OpenEpisode(episode="a", host="x", started_at=at(1010)))
    at(1020)
    opened.remove(store, "a")
    opened.save(store, OpenEpisode(episode="b", host="x", started_at=at(1030)))
    spans = opened.beside(store, "own", 1_800_001_000, float("inf"))
    assert spans == (
        (1_800_001_010.0, 1_800_001_020.0),
        (1_800_001_030.0, float("inf")),
    )
    assert [one.episode for one in opened.every(store)] == ["own", "b"]


def test_a_process_is_known_by_more_than_its_number() -> None:
    child = subprocess.Popen(["sleep", "60"])
    known = process.identity(child.pid)
    assert known is not None
    assert not process.is_dead(known)
    child.kill()
    assert process.is_dead(known) in (True, False)  # it may be a zombie by now
    child.wait()
    assert process.is_dead(known)
    assert process.is_dead({**known, "boot": "other"}) is False


@pytest.mark.parametrize("known", [None, {}, {"pid": "1"}, [], "x", {"pid": 1}])
def test_what_is_no_identity_proves_nothing(known: object) -> None:
    assert process.is_dead(known) is False  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["", "x", "-1", "0", "9" * 30, "１２", "1 2"])
def test_a_wrong_pid_variable_is_no_identity(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("CLAUDE_PID", value)
    assert process.of_host(claude_code.HOST) in (None, process.identity(os.getppid()))


def test_an_episode_that_ended_within_the_same_second_was_not_beside(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scripts end one episode and start the next in milliseconds; the exact times tell."""
    monkeypatch.setenv("AFTERWORD_NOW", clock.stamp(1_800_000_000.028))
    opened.save(
        store,
        OpenEpisode(episode="f1", host="x", started_at=clock.stamp(1_800_000_000.001)),
    )
    opened.remove(store, "f1")
    assert opened.beside(store, "f2", 1_800_000_000.166, float("inf")) == ()
    assert opened.beside(store, "f2", 1_800_000_000.010, float("inf")) != ()
