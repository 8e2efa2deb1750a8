"""The active task and the open questions of this worktree: `local/state.json`.

Written by the commands that change them, under a lock; a hook only reads it. It is
a projection: when it is missing, or a killed command left it behind its ledger,
`rebuild` makes it from the ledgers.
"""

import os

from afterword.episode import events
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


def _mark(store: Store) -> str:
    """The file that stands while the ledger may be ahead of the state."""
    return store.local_path("state.behind")


def is_behind(store: Store) -> bool:
    """Whether a command was killed between its ledger line and the state."""
    return os.path.exists(_mark(store))


def begin(store: Store) -> None:
    """Before a line that changes the state is appended; `save` ends it. The caller holds `LOCK`."""
    atomic.write(_mark(store), b"", durable=False)


def load(store: Store) -> "State | None":
    """The state as last written; None when it is missing or unreadable and must be rebuilt."""
    try:
        data = atomic.read(path_of(store), limit=1 << 22)
        values = jsonline.loads(data.decode()) if data else None
        return _from_json(values) if isinstance(values, dict) else None
    except (ValueError, TypeError, KeyError, OSError):
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
    atomic.unlink(_mark(store))


def current(store: Store) -> State:
    """The state, rebuilt from the ledgers when it is missing or behind them.

    The caller holds `LOCK`.
    """
    found = None if is_behind(store) else load(store)
    if found is None:
        found = rebuild(store)
        save(store, found)
    return found


def view(store: Store) -> State:
    """The state for a reader, who needs no lock and changes nothing."""
    found = None if is_behind(store) else load(store)
    return rebuild(store) if found is None else found


def rebuild(store: Store) -> State:
    """The state that the ledgers of this worktree add up to, joined ones too, by time."""
    from afterword.episode import ledgers

    lines = []
    for source in ledgers.sources(store):
        if source.episode:  # an adopted ledger is another program's, with its own state
            try:
                lines += [line for _, line in ledgers.lines(source) if _matters(line)]
            except OSError:
                continue  # no ledger in a ledger's place: doctor and history name it
    return fold(sorted(lines, key=lambda line: str(line["ts"])))


def _matters(line: "dict[str, Any]") -> bool:
    return str(line["event"]).startswith(("task.", "question."))


def fold(lines: "Iterable[dict[str, Any]]") -> State:
    """Task and questions after these ledger lines; pure. Lines that make no sense are passed over."""
    task: Task | None = None
    questions: dict[str, Question] = {}
    for line in lines:
        name, asked = line["event"], _text(line, "question")
        if name == events.TaskStarted._name and _text(line, "task_id"):
            task = _task(line)
        elif name == events.TaskFinished._name:
            if task and task.task_id == line.get("task_id"):
                task = None
        elif name == events.QuestionOpened._name and asked:
            questions[asked] = Question(
                question=asked,
                task_id=_text(line, "task_id") or events.NO_TASK,
                opened_at=_text(line, "ts"),
                episode=_text(line, "session"),
            )
        elif name == events.QuestionResolved._name:
            questions.pop(asked, None)
    return State(task=task, questions=tuple(questions.values()))


def _task(line: "dict[str, Any]") -> Task:
    scope = line.get("scope")
    return Task(
        task_id=_text(line, "task_id"),
        title=_text(line, "title"),
        scope=tuple(str(path) for path in scope) if isinstance(scope, list) else (),
        started_at=_text(line, "ts"),
        episode=_text(line, "session"),
    )


def _text(line: "dict[str, Any]", key: str) -> str:
    value = line.get(key)
    return value if isinstance(value, str) else ""
