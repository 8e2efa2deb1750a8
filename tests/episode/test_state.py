"""Task and open questions of a worktree: a projection that is never the only copy."""

from __future__ import annotations

import json

import pytest

from afterword.episode import events, joining, ledger, state
from afterword.episode.state import Question, State, Task
from afterword.store import layout, stamp
from afterword.store.git.head import read_head

FULL = State(
    task=Task(task_id="t-1", title="Ünïcode 🙂", scope=("lib", "docs"), episode="e1"),
    questions=(Question(question="Why?"), Question(question="How?", task_id="t-1")),
)


@pytest.fixture
def store(repo):
    found = layout.need(str(repo.root))
    stamp.claim(found)
    return found


def log(store, episode: str, event: events.Event) -> None:
    ledger.append(store, episode, event, read_head(store.place))


@pytest.mark.parametrize("kept", [State(), FULL, FULL.replace(task=None)])
def test_what_was_saved_is_loaded(store, kept):
    state.save(store, kept)
    assert state.load(store) == kept
    assert state.view(store) == kept


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"task":null}',
        b'{"task":5,"questions":[]}',
        b'{"task":{"scope":[]},"questions":[]}',
        b'{"task":null,"questions":[{"other":1}]}',
        b'{"task":null,"questions":7}',
    ],
)
def test_a_damaged_state_is_made_anew_from_the_ledgers(store, damage):
    log(store, "e1", events.QuestionOpened(question="Why?"))
    state.path_of(store)
    with open(state.path_of(store), "wb") as file:
        file.write(damage)
    assert [one.question for one in state.current(store).questions] == ["Why?"]
    assert state.load(store) is not None


def test_a_task_outlives_its_episode_and_the_joining_of_its_ledger(store):
    log(store, "e1", events.TaskStarted(task_id="t-1", title="a", scope=["lib"]))
    log(store, "e1", events.QuestionOpened(task_id="t-1", question="Why?"))
    log(store, "e2", events.QuestionOpened(question="How?"))
    assert joining.join_oldest(store, 0, frozenset()) != []
    found = state.current(store)
    assert found.task is not None
    assert (found.task.task_id, found.task.scope) == ("t-1", ("lib",))
    assert [one.question for one in found.questions] == ["Why?", "How?"]


def test_h34_killed_between_line_and_state_the_ledger_counts(store):
    state.save(store, State())
    state.begin(store)
    log(store, "e1", events.QuestionOpened(question="Why?"))
    assert state.is_behind(store)
    assert [one.question for one in state.view(store).questions] == ["Why?"]
    assert state.is_behind(store), "a reader changes nothing"
    assert [one.question for one in state.current(store).questions] == ["Why?"]
    assert not state.is_behind(store)


def test_an_adopted_ledger_is_history_and_no_state(store, repo):
    line = {"ts": "2026-01-01T00:00:00Z", "event": "task.started", "task_id": "t-9"}
    repo.write(".ai/local/state/ledger.jsonl", json.dumps(line) + "\n")
    assert state.current(store) == State()


def test_what_is_no_ledger_does_not_hinder_a_rebuild(store, repo, tmp_path):
    log(store, "e1", events.QuestionOpened(question="Why?"))
    (repo.local / "ledger" / "bad.jsonl").symlink_to(tmp_path / "nowhere")
    assert [one.question for one in state.current(store).questions] == ["Why?"]


def line(event: str, **fields: object) -> dict[str, object]:
    return {"ts": "2026-01-01T00:00:00.000Z", "event": event, **fields}


@pytest.mark.parametrize(
    "lines",
    [
        [line("task.started")],
        [line("task.started", task_id=5, title=[], scope="x")],
        [line("task.finished")],
        [line("question.opened")],
        [line("question.opened", question=None)],
        [line("question.resolved", question=["x"])],
        [line("something.else", task_id="t")],
    ],
)
def test_lines_that_make_no_sense_are_passed_over(lines):
    assert state.fold(lines) == State()


def test_only_the_active_task_is_ended_by_a_finish():
    begun = line("task.started", task_id="t-1", title="a", scope=["x"])
    other = line("task.finished", task_id="t-0")
    own = line("task.finished", task_id="t-1")
    assert state.fold([begun, other]).task is not None
    assert state.fold([begun, own]).task is None
