"""What each recorded act may do to task and questions: pure rules, messages word for word."""

from __future__ import annotations

import pytest

from afterword.episode import recording
from afterword.episode.recording import Decision
from afterword.episode.state import Question, State, Task
from afterword.errors import AfterwordError, UsageError

TASK = Task(task_id="t-1", title="Sort the shelf")
PORT = Question(question="Which port?", task_id="t-1")
HOST = Question(question="Which host?")
BUSY = State(task=TASK, questions=(PORT, HOST))


def refusal(act, *args) -> AfterwordError:
    with pytest.raises(AfterwordError) as refused:
        act(*args)
    return refused.value


def test_a_task_begins_where_none_is_active():
    done = recording.start_task(State(), TASK.replace(scope=("lib",)))
    assert done.event.fields() == {
        "task_id": "t-1",
        "title": "Sort the shelf",
        "scope": ["lib"],
    }
    assert done.state.task is not None


def test_a_second_task_is_refused_naming_the_first():
    error = refusal(recording.start_task, BUSY, Task(task_id="t-2", title="x"))
    assert str(error) == (
        "task t-1 is active here: Sort the shelf\nend it first: afterword finish"
        " --outcome completed|partial|blocked|failed|no_match"
    )


def test_finishing_nothing_is_refused():
    error = refusal(recording.finish_task, State(), "partial", None, None)
    assert str(error) == (
        "no task is active here\nbegin one: afterword start TITLE --scope PATH"
    )


def test_a_task_is_not_completed_while_its_questions_are_open():
    error = refusal(recording.may_finish, BUSY, "completed")
    assert str(error) == (
        "task t-1 has 1 open question, first: Which port?\nresolve it: afterword"
        " question resolve 1 --answer TEXT, or finish with another outcome"
    )
    two = BUSY.replace(questions=(HOST, PORT, PORT.replace(question="Why?")))
    assert refusal(recording.may_finish, two, "completed").message == (
        "task t-1 has 2 open questions, first: Which port?"
    )


@pytest.mark.parametrize("outcome", ["partial", "blocked", "failed", "no_match"])
def test_other_outcomes_leave_questions_open(outcome):
    done = recording.finish_task(BUSY, outcome, None, "no room")
    assert done.state == State(questions=(PORT, HOST))
    assert done.event.fields() == {
        "task_id": "t-1",
        "outcome": outcome,
        "verify": None,
        "reason": "no room",
    }


def test_questions_of_no_task_hinder_nobody():
    free = State(task=TASK, questions=(HOST,))
    assert recording.finish_task(free, "completed", None, None).state == State(
        questions=(HOST,)
    )


def test_a_decision_stands_under_the_active_task_or_under_none():
    made = Decision(text="Use tabs", why="shorter")
    assert recording.decide(BUSY, made).event.fields()["task_id"] == "t-1"
    assert recording.decide(State(), made).event.fields() == {
        "task_id": "none",
        "decision": "Use tabs",
        "why": "shorter",
    }


def test_a_question_needs_no_task_and_is_asked_once():
    done = recording.ask(State(), "Which port?", "2026-01-01T00:00:00.000Z", "e1")
    assert done.event.fields() == {"task_id": "none", "question": "Which port?"}
    error = refusal(recording.ask, BUSY, "Which host?", "", "")
    assert str(error) == (
        "this question is open already, as number 2\n"
        "answer it: afterword question resolve 2 --answer TEXT"
    )


@pytest.mark.parametrize(
    ("which", "expected"),
    [("1", PORT), ("2", HOST), ("Which host?", HOST), ("PORT", PORT), ("host", HOST)],
)
def test_a_question_is_named_by_number_text_or_part(which, expected):
    done = recording.answer(BUSY, which, "8081")
    assert expected not in done.state.questions
    assert done.event.fields()["question"] == expected.question


def test_a_question_whose_text_is_a_number_wins_over_the_number():
    odd = State(questions=(PORT, HOST, Question(question="1")))
    assert recording.find_question(odd, "1").question == "1"


def test_an_ambiguous_question_is_a_usage_error():
    error = refusal(recording.find_question, BUSY, "which")
    assert isinstance(error, UsageError)
    assert str(error) == (
        "2 open questions match 'which': numbers 1, 2\n"
        "name one: afterword question resolve 1 --answer TEXT"
    )


@pytest.mark.parametrize("which", ["3", "0", "nothing like it", "²"])
def test_a_question_that_is_not_there_is_refused(which):
    error = refusal(recording.find_question, BUSY, which)
    assert error.exit_code == 1
    assert str(error) == (
        f"no open question matches {which!r}\nsee: afterword question list"
    )


def test_superseded_matches_a_title_word_for_word():
    titles = ["Use tabs", "Use tabs everywhere", "Use tabs"]
    assert recording.superseded("Use tabs", titles) == "Use tabs"
    for given in ("use tabs", "Use", "Use tabs everywher", "Use spaces"):
        error = refusal(recording.superseded, given, titles)
        assert isinstance(error, UsageError)
        assert error.message == (
            f"--supersedes: no recorded decision is titled {given!r}"
        )


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("# Reason\n\n  no room left  \nmore", "no room left"),
        ("# Next Action\nx\n# reason\ny\n", "y"),
        ("# Reason\n# Other\nx", ""),
        ("## Reason\nx", ""),
        ("# Reasons\nx", ""),
        ("#Reason\nx", ""),
        ("\ufeffx", ""),
        ("# Reason\r\n\r\nwindows\r\n", "windows"),
        ("", ""),
    ],
)
def test_the_reason_is_the_first_line_under_its_heading(note, expected):
    assert recording.reason_in(note) == expected


def test_long_texts_are_cut_in_messages():
    assert recording.short("x" * 60) == "x" * 60
    assert recording.short("x" * 61) == "x" * 57 + "..."
