"""`afterword question`: what is not known yet, kept in sight until it is."""

from __future__ import annotations

import click

from afterword.cli import acting
from afterword.cli.acting import Recorder
from afterword.cli.frame import Frame, group, pass_frame
from afterword.episode import ledger, recording, state
from afterword.episode.state import Question
from afterword.store import clock
from afterword.store.safe_text import shown

SHOWN = 400


@group("question")
def question() -> None:
    """Keep open questions in sight; what they are answered with becomes a fact."""


@question.command("add")
@click.argument("text")
@acting.episode_option
@pass_frame
def add(frame: Frame, text: str, episode: str) -> None:
    """Open a question, TEXT in one line; prints its number."""
    recorder = Recorder(frame, episode)
    asked = acting.line(frame, "TEXT", text)
    session = "" if recorder.episode == ledger.OUTSIDE else recorder.episode
    done = recorder.perform(
        lambda found: recording.ask(found, asked, clock.stamp(), session)
    )
    if not frame.json:
        frame.out(str(len(done.state.questions)))
    recorder.tell(done, f"question opened {recorder.where}: {asked}")


@question.command("resolve")
@click.argument("which", metavar="N|TEXT")
@click.option(
    "--answer", metavar="TEXT", required=True, help="What it is, in one line."
)
@acting.episode_option
@pass_frame
def resolve(frame: Frame, which: str, answer: str, episode: str) -> None:
    """Answer an open question, named by its number, its text or a part of it."""
    recorder = Recorder(frame, episode)
    said = acting.evidence(frame, "--answer", answer)
    done = recorder.perform(lambda found: recording.answer(found, which.strip(), said))
    asked = done.event.fields()["question"]
    recorder.tell(done, f"question resolved {recorder.where}: {asked}")


@question.command("list")
@pass_frame
def list_(frame: Frame) -> None:
    """The open questions of this worktree, with their numbers."""
    found = state.view(frame.store)
    for number, one in enumerate(found.questions, 1):
        if frame.json:
            frame.emit(_object(number, one))
        else:
            frame.out(f"{number}. {shown(one.question, SHOWN)}")
    if not found.questions and not frame.json:
        frame.say("no open question")


def _object(number: int, one: Question) -> dict[str, object]:
    return {
        "number": number,
        "question": one.question,
        "task_id": one.task_id,
        "opened": one.opened_at,
        "episode": one.episode or None,
    }
