"""The active task and the open questions of this worktree: `local/state.json`.

Written by the commands that change them, under a lock; a hook only reads it. It is
a projection: when it is missing, `rebuild` makes it from the ledgers.
"""

import os

from afterword.episode import events, ledger
from afterword.model import TYPE_CHECKING, Model
from afterword.store import atomic, jsonline
from afterword.store.layout import Store

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

LOCK = "state"


class Task(Model):
    """The one piece of work that this worktree is busy with; it outlives episodes."""

    task_id: str
    title: str
    scope: "tuple[str, ...]" = ()
    started_at: str = ""
    episode: str = ""


class Question(Model):
    question: str
    task_id: str = events.NO_TASK
    opened_at: str = ""
    episode: str = ""


class State(Model):
    """`task` is None when nothing is active; questions in the order in which they were opened."""

    task: "Task | None" = None
    questions: "tuple[Question, ...]" = ()


def path_of(store: Store) -> str:
    return store.local_path("state.json")


def load(store: Store) -> "State | None":
    """The state as last written; None when it is missing or unreadable and must be rebuilt."""
    try:
        data = atomic.read(path_of(store), limit=1 << 22)
        values = jsonline.loads(data.decode()) if data else None
        return _from_json(values) if isinstance(values, dict) else None
    except (ValueError, TypeError, KeyError):
        return None


def _from_json(values: "dict[str, Any]") -> State:
    task = values["task"]
    return State(
        task=Task(**{**task, "scope": tuple(task["scope"])}) if task else None,
        questions=tuple(Question(**question) for question in values["questions"]),
    )


def save(store: Store, state: State) -> None:
    """Write the state; the caller holds `LOCK`."""
    task = state.task
    values = {
        "task": {**task.values(), "scope": list(task.scope)} if task else None,
        "questions": [question.values() for question in state.questions],
    }
    atomic.write(path_of(store), jsonline.to_line(values))


def current(store: Store) -> State:
    """The state, rebuilt from the ledgers when it is missing; the caller holds `LOCK`."""
    found = load(store)
    if found is None:
        found = rebuild(store)
    return found


def rebuild(store: Store) -> State:
    """The state that the ledgers of this worktree add up to, in order of time."""
    folder = store.local_path("ledger")
    names = os.listdir(folder) if os.path.isdir(folder) else []
    lines: list[dict[str, Any]] = []
    for name in names:
        if name.endswith(".jsonl"):
            lines += ledger.read(os.path.join(folder, name)).lines
    return fold(sorted(lines, key=lambda line: line["ts"]))


def fold(lines: "Iterable[dict[str, Any]]") -> State:
    """Task and questions after these ledger lines; pure."""
    task: Task | None = None
    questions: dict[str, Question] = {}
    for line in lines:
        name = line["event"]
        if name == events.TaskStarted._name:
            task = Task(
                task_id=line["task_id"],
                title=line.get("title", ""),
                scope=tuple(line.get("scope") or ()),
                started_at=line["ts"],
                episode=line.get("session", ""),
            )
        elif (
            name == events.TaskFinished._name
            and task
            and task.task_id == line["task_id"]
        ):
            task = None
        elif name == events.QuestionOpened._name:
            questions[line["question"]] = Question(
                question=line["question"],
                task_id=line.get("task_id", events.NO_TASK),
                opened_at=line["ts"],
                episode=line.get("session", ""),
            )
        elif name == events.QuestionResolved._name:
            questions.pop(line["question"], None)
    return State(task=task, questions=tuple(questions.values()))
