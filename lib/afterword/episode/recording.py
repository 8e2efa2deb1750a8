"""The acts that people and agents record: what each may do to task and questions.

Pure: from the state to the event and the state after it, or to a refusal that says
what to type. The clock, the ledger and the locks are `lifecycle.recording`'s.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from afterword.episode import events
from afterword.episode.events import Event
from afterword.episode.state import Question, State, Task
from afterword.errors import AfterwordError, UsageError
from afterword.model import Model

OUTCOMES = ("completed", "partial", "blocked", "failed", "no_match")
_SHOWN = 60


class Act(Model):
    """What goes into the ledger, and the state behind it."""

    event: Event
    state: State


class Decision(Model):
    """What was decided and why; the rest where it was given."""

    text: str
    why: str
    rejected: str | None = None
    evidence: str | None = None
    supersedes: str | None = None


def start_task(state: State, task: Task) -> Act:
    """Begin a task; refused while another is active, which is named."""
    if state.task is not None:
        raise AfterwordError(
            f"task {state.task.task_id} is active here: {short(state.task.title)}",
            hint="end it first: afterword finish --outcome completed|partial|blocked|failed|no_match",
            code="task-active",
        )
    event = events.TaskStarted(
        task_id=task.task_id, title=task.title, scope=list(task.scope)
    )
    return Act(event=event, state=state.replace(task=task))


def active(state: State) -> Task:
    """The active task; refused where there is none."""
    if state.task is None:
        raise AfterwordError(
            "no task is active here",
            hint="begin one: afterword start TITLE --scope PATH",
            code="no-task",
        )
    return state.task


def may_finish(state: State, outcome: str) -> Task:
    """The task that may end so; `completed` is refused while its questions are open."""
    task = active(state)
    waiting = [one for one in state.questions if one.task_id == task.task_id]
    if outcome == "completed" and waiting:
        count = f"{len(waiting)} open question{'s' if len(waiting) > 1 else ''}"
        raise AfterwordError(
            f"task {task.task_id} has {count}, first: {short(waiting[0].question)}",
            hint=f"resolve it: afterword question resolve {number(state, waiting[0])}"
            " --answer TEXT, or finish with another outcome",
            code="open-questions",
        )
    return task


def finish_task(
    state: State, outcome: str, verify: dict[str, Any] | None, reason: str | None
) -> Act:
    """End the active task. `verify` is `{command, exit, seconds}` of what passed."""
    task = may_finish(state, outcome)
    event = events.TaskFinished(
        task_id=task.task_id, outcome=outcome, verify=verify, reason=reason
    )
    return Act(event=event, state=state.replace(task=None))


def decide(state: State, decision: Decision) -> Act:
    """Record a decision, under the active task if there is one."""
    event = events.DecisionRecorded(
        task_id=_task_id(state),
        decision=decision.text,
        why=decision.why,
        rejected=decision.rejected,
        evidence=decision.evidence,
        supersedes=decision.supersedes,
    )
    return Act(event=event, state=state)


def ask(state: State, text: str, at: str, episode: str) -> Act:
    """Open a question, under the active task if there is one; one that is open is refused."""
    for place, one in enumerate(state.questions, 1):
        if one.question == text:
            raise AfterwordError(
                f"this question is open already, as number {place}",
                hint=f"answer it: afterword question resolve {place} --answer TEXT",
                code="question-open",
            )
    task = _task_id(state)
    question = Question(question=text, task_id=task, opened_at=at, episode=episode)
    event = events.QuestionOpened(task_id=task, question=text)
    return Act(event=event, state=state.replace(questions=(*state.questions, question)))


def answer(state: State, which: str, text: str) -> Act:
    """Answer an open question, named by its text, its number or a part of its text."""
    question = find_question(state, which)
    event = events.QuestionResolved(
        task_id=_task_id(state), question=question.question, answer=text
    )
    left = tuple(one for one in state.questions if one != question)
    return Act(event=event, state=state.replace(questions=left))


def find_question(state: State, which: str) -> Question:
    """The open question that is meant; `UsageError` when several could be."""
    exact = [one for one in state.questions if one.question == which]
    if exact:
        return exact[0]
    if which.isascii() and which.isdigit() and 0 < int(which) <= len(state.questions):
        return state.questions[int(which) - 1]
    part = which.casefold()
    found = [one for one in state.questions if part in one.question.casefold()]
    if len(found) == 1:
        return found[0]
    if found:
        numbers = ", ".join(str(number(state, one)) for one in found)
        raise UsageError(
            f"{len(found)} open questions match {short(which)!r}: numbers {numbers}",
            hint=f"name one: afterword question resolve {numbers.split(',')[0]} --answer TEXT",
        )
    raise AfterwordError(
        f"no open question matches {short(which)!r}",
        hint="see: afterword question list",
        code="no-question",
    )


def number(state: State, question: Question) -> int:
    """The number under which a question is listed, from 1."""
    return state.questions.index(question) + 1


def superseded(given: str, titles: Iterable[str]) -> str:
    """The recorded decision that `--supersedes` means: exactly one title, word for word."""
    if given not in set(titles):
        raise UsageError(
            f"--supersedes: no recorded decision is titled {short(given)!r}",
            hint="copy its text from: afterword decision list",
        )
    return given


def reason_in(note: str) -> str:
    """The first non-blank line below a level-one `# Reason` heading, or ""."""
    inside = False
    for line in note.splitlines():
        if line.startswith("# "):
            inside = line[2:].strip().casefold() == "reason"
        elif inside and line.strip():
            return line.strip()
    return ""


def short(text: str) -> str:
    """A text as messages quote it."""
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _task_id(state: State) -> str:
    return state.task.task_id if state.task else events.NO_TASK
