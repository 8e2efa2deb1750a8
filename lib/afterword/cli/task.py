"""`afterword start` and `afterword finish`: the one active task of a worktree."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import click

from afterword.cli import acting
from afterword.cli.acting import Recorder
from afterword.cli.frame import Frame, command, pass_frame
from afterword.episode import ledger, recording, state
from afterword.episode.state import Task
from afterword.errors import AfterwordError, UsageError
from afterword.lifecycle.recording import new_task_id
from afterword.store import clock
from afterword.store.layout import Store
from afterword.store.locks import COMMAND_WAIT, Lock

NOTE_LIMIT = 1 << 20


@command("start", variadic=("--scope",))
@click.argument("title")
@click.option(
    "--scope",
    metavar="PATH ...",
    multiple=True,
    help="Files and folders that the task is about.",
)
@acting.episode_option
@pass_frame
def start(frame: Frame, title: str, scope: tuple[str, ...], episode: str) -> None:
    """Begin a task, as TITLE says it in one line; prints its id.

    A worktree has one active task. It outlives sessions: the next one is told of it.
    """
    recorder = Recorder(frame, episode)
    task = Task(
        task_id=new_task_id(),
        title=acting.line(frame, "TITLE", title),
        scope=tuple(
            dict.fromkeys(
                acting.inside(frame, recorder.moment.store, "--scope", path)
                for path in scope
            )
        ),
        started_at=clock.stamp(),
        episode="" if recorder.episode == ledger.OUTSIDE else recorder.episode,
    )
    done = recorder.perform(lambda found: recording.start_task(found, task))
    if not frame.json:
        frame.out(task.task_id)
    recorder.tell(done, f"task started {recorder.where}: {task.title}")


@command("finish")
@click.option(
    "--outcome",
    required=True,
    type=click.Choice(recording.OUTCOMES),
    help="How the task ended.",
)
@click.option(
    "--verify",
    metavar="CMD",
    help="A command that proves it; run with sh at the repository's top, must exit 0.",
)
@click.option("--reason", metavar="TEXT", help="Why it ended so, in one line.")
@click.option(
    "--note",
    metavar="FILE|-",
    help="A Markdown note; without --reason, the first line under its `# Reason`.",
)
@acting.episode_option
@pass_frame
def finish(
    frame: Frame,
    outcome: str,
    verify: str | None,
    reason: str | None,
    note: str | None,
    episode: str,
) -> None:
    """End the active task.

    What failed, was blocked or matched nothing becomes a lesson; what completed and
    was verified becomes a fact. When the verification fails, nothing is recorded.
    """
    recorder = Recorder(frame, episode)
    task = _finishable(recorder.moment.store, outcome)
    why = _reason(frame, reason, note)
    proof = _verified(frame, recorder.moment.store, verify)
    done = recorder.perform(
        lambda found: recording.finish_task(found, outcome, proof, why)
    )
    if not frame.json:
        frame.out(task.task_id)
    recorder.tell(done, f"task ended {outcome} {recorder.where}: {task.title}")


def _finishable(store: Store, outcome: str) -> Task:
    """The task, looked at before a verification that may take long."""
    with Lock(store, state.LOCK, wait=COMMAND_WAIT):
        return recording.may_finish(state.current(store), outcome)


def _reason(frame: Frame, reason: str | None, note: str | None) -> str | None:
    if reason is not None:
        return acting.line(frame, "--reason", reason)
    if note is None:
        return None
    found = recording.reason_in(_note(note))
    if not found:
        frame.say(f"--note {note}: has no line under `# Reason`; recorded without one")
        return None
    return acting.line(frame, "--note", found)


def _note(path: str) -> str:
    """The text of a note, from a file or from stdin."""
    if path == "-":
        return sys.stdin.buffer.read(NOTE_LIMIT).decode("utf-8", "replace")
    try:
        with open(path, "rb") as file:
            return file.read(NOTE_LIMIT).decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(
            f"--note {path}: {error.strerror}", hint="name a file, or - for stdin"
        ) from error


def _verified(frame: Frame, store: Store, typed: str | None) -> dict[str, Any] | None:
    """`{command, exit, seconds}` of a command that passed; refused when it fails."""
    if typed is None:
        return None
    shown = acting.line(frame, "--verify", typed)
    began = time.monotonic()
    code = _run(typed, store.root)
    if code != 0:
        raise AfterwordError(
            f"the verification failed with exit {code}: {shown}",
            hint="nothing was recorded; mend it, or finish without --verify or with"
            " another outcome",
            code="verify-failed",
        )
    seconds = round(time.monotonic() - began, 3)
    return {"command": shown, "exit": code, "seconds": seconds}


def _run(typed: str, root: str) -> int:
    """Run with sh at the repository's top, what it prints on our stderr; its exit code."""
    done = subprocess.run(
        ["sh", "-c", typed],
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr.fileno(),
        check=False,
    )
    return done.returncode if done.returncode >= 0 else 128 - done.returncode
