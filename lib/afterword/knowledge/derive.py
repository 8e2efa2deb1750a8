"""The derivation table: ledger lines and commits of one episode -> candidates.

A closed, pure function (spec/episodes 4.1-4.6, DESIGN 6): no model, no network, no
clock, no reading of a conversation. Same ledger, same git, same bytes. Part of a
hook's path: standard library only.
"""

from afterword.episode import events
from afterword.episode.window import Window
from afterword.knowledge.record import Candidate, Section, identity
from afterword.model import TYPE_CHECKING
from afterword.store import clock
from afterword.store.git.evidence import Commit
from afterword.store.safe_text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

FAILED_OUTCOMES = ("blocked", "failed", "no_match")

# Commit trailers that are evidence: class and epistemics of what they assert.
TRAILERS = {
    "Decision": ("convention", "decided"),
    "Constraint": ("constraint", "decided"),
    "Lesson": ("lesson", "inferred"),
    "Fact": ("fact", "observed"),
}


def candidates(
    window: Window, commits: "tuple[Commit, ...]"
) -> "tuple[Candidate, ...]":
    """The candidates of an episode, one for each evidence, the first line wins.

    `commits` are those that belong to this episode alone, oldest first.
    """
    found: dict[str, Candidate] = {}
    context = _context(window.episode, commits)
    for line in window.lines:
        rule = _TABLE.get(line["event"])
        candidate = rule(window.episode, line) if rule else None
        if candidate is not None:
            found.setdefault(
                candidate.id, candidate.replace(**_with(candidate, context))
            )
    recorded = {candidate.title for candidate in found.values()}
    for commit in commits:
        for key, text in commit.trailers:
            candidate = _of_trailer(window.episode, commit, key, one_line(text))
            if candidate is not None and candidate.title not in recorded:
                # An amended commit comes later and is the one that still exists.
                found[candidate.id] = candidate
    return tuple(found.values())


def _context(
    episode: str, commits: "tuple[Commit, ...]"
) -> "tuple[list[str], list[str]]":
    """References and paths that every record of the episode gets: commits of watched paths."""
    watched = [commit for commit in commits if commit.touches or commit.watched]
    paths = sorted(
        # A reference is one line; a name that is not cannot be referred to.
        {
            path
            for commit in watched
            for path in commit.watched
            if one_line(path) == path
        },
        key=lambda path: path.encode("utf-8", "surrogateescape"),
    )
    return [f"commit:{commit.sha}" for commit in watched], paths


def _with(
    candidate: Candidate, context: "tuple[list[str], list[str]]"
) -> "dict[str, Any]":
    return {"sources": (*candidate.sources, *context[0]), "files": tuple(context[1])}


def _text(line: "dict[str, Any]", key: str) -> str:
    value = line.get(key)
    return one_line(value) if isinstance(value, str) else ""


def _task(line: "dict[str, Any]") -> str:
    return _text(line, "task_id") or events.NO_TASK


def _sources(episode: str, kind: str, task: str) -> "tuple[str, ...]":
    """The episode, and the task unless there was none: `none` never enters a record."""
    session = f"session:{episode}"
    return (session,) if task == events.NO_TASK else (session, f"{kind}:{task}")


def _day(line: "dict[str, Any]") -> str:
    return str(line["ts"])[:10]


def _under(task: str) -> str:
    return "outside any task" if task == events.NO_TASK else f"under task {task}"


def _of_decision(episode: str, line: "dict[str, Any]") -> "Candidate | None":
    text, task = _text(line, "decision"), _task(line)
    if not text:
        return None
    parts = (
        ("Why", "why"),
        ("Rejected alternative", "rejected"),
        ("Evidence", "evidence"),
    )
    return Candidate(
        id=identity(episode, events.DecisionRecorded._name, task, text),
        kind="convention",
        title=text,
        description=f"Recorded as a decision {_under(task)} in episode {episode}.",
        epistemics="decided",
        date=_day(line),
        tag="decision",
        sources=_sources(episode, "decision", task),
        sections=tuple(
            Section(heading=heading, text=_text(line, key))
            for heading, key in parts
            if _text(line, key)
        ),
    )


def _of_answer(episode: str, line: "dict[str, Any]") -> "Candidate | None":
    question, answer, task = _text(line, "question"), _text(line, "answer"), _task(line)
    if not answer:
        return None
    return Candidate(
        id=identity(episode, events.QuestionResolved._name, task, question, answer),
        kind="fact",
        title=answer,
        description=f'Answers the question "{question}", resolved {_under(task)} in episode {episode}.',
        epistemics="observed",
        date=_day(line),
        tag="question",
        sources=_sources(episode, "task", task),
    )


def _of_task(episode: str, line: "dict[str, Any]") -> "Candidate | None":
    task, outcome, verify = _task(line), _text(line, "outcome"), line.get("verify")
    if outcome in FAILED_OUTCOMES:
        reason = _text(line, "reason")
        kind, epistemics = "lesson", "inferred"
        title = f"Task {task} ended {outcome}" + (f": {reason}" if reason else "")
        description = f"The task reached outcome {outcome} in episode {episode}."
    elif outcome == "completed" and isinstance(verify, dict):
        kind, epistemics = "fact", "observed"
        command = _text(verify, "command")
        title = (
            f"Task {task} completed; verified by: {command} (exit {verify.get('exit')})"
        )
        description = f"The verification command passed when the task finished in episode {episode}."
    else:
        return None
    return Candidate(
        id=identity(episode, events.TaskFinished._name, task, outcome),
        kind=kind,
        title=title,
        description=description,
        epistemics=epistemics,
        date=_day(line),
        tag="task",
        sources=_sources(episode, "task", task),
    )


def _of_trailer(
    episode: str, commit: Commit, key: str, text: str
) -> "Candidate | None":
    """No sha in the digest: amending a commit mints nothing new."""
    if key not in TRAILERS or not text:
        return None
    kind, epistemics = TRAILERS[key]
    return Candidate(
        id=identity(episode, "commit.trailer", key, text),
        kind=kind,
        title=text,
        description=f"Stands as a {key} trailer in a commit of episode {episode}.",
        epistemics=epistemics,
        date=clock.stamp(commit.at)[:10],
        tag="commit",
        sources=(f"session:{episode}", f"commit:{commit.sha}"),
        files=commit.watched,
    )


_TABLE: "dict[str, Callable[[str, dict[str, Any]], Candidate | None]]" = {
    events.DecisionRecorded._name: _of_decision,
    events.QuestionResolved._name: _of_answer,
    events.TaskFinished._name: _of_task,
}
