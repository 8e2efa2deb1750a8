"""`afterword learn`: something worth knowing, put into the learning queue."""

from __future__ import annotations

import click

from afterword.cli import acting
from afterword.cli.acting import Recorder
from afterword.cli.frame import Frame, command, pass_frame
from afterword.episode import events, recorded
from afterword.errors import UsageError
from afterword.evolution import adding
from afterword.evolution.adding import Added
from afterword.store import clock
from afterword.store.locks import COMMAND_WAIT

PRIORITIES = ("P0", "P1", "P2", "P3")
# Where an item comes from when nobody says so: an agent's session, or a person.
SESSION, MANUAL = "session", "manual"


@command("learn", variadic=("--meta",))
@click.argument("text")
@click.option(
    "--title", metavar="T", help="Its title; default: the first line of TEXT."
)
@click.option(
    "--priority",
    type=click.Choice(PRIORITIES),
    default="P2",
    show_default=True,
    help="P0 is the most urgent.",
)
@click.option(
    "--source",
    metavar="TYPE",
    help="Where it comes from: session, error, pattern, manual or any other word.",
)
@click.option(
    "--meta",
    metavar="K=V ...",
    multiple=True,
    help="What else to keep; category and confidence are the entry's.",
)
@acting.episode_option
@pass_frame
def learn(
    frame: Frame,
    text: str,
    title: str | None,
    priority: str,
    source: str | None,
    meta: tuple[str, ...],
    episode: str,
) -> None:
    """Put TEXT, of one line or several, into the learning queue; prints the item's id."""
    recorder = Recorder(frame, episode)
    content = acting.text(frame, "TEXT", text)
    name = "" if title is None else acting.line(frame, "--title", title)
    kind = _source(frame, recorder, source)
    metadata = ", ".join(_pair(frame, one) for one in meta)

    def work() -> Added:
        return adding.learn(
            recorder.moment.store,
            recorder.moment.config,
            text=content,
            title=name,
            priority=priority,
            source=kind,
            metadata=metadata,
            today=clock.stamp()[:10],
            wait=COMMAND_WAIT,
        )

    added = recorder.do(work, lambda done: _event(done, priority))
    recorded.note(recorder.moment.store, added.id, added.title)
    _tell(frame, recorder, added, priority)


def _source(frame: Frame, recorder: Recorder, given: str | None) -> str:
    if given is not None:
        return acting.line(frame, "--source", given)
    return MANUAL if recorder.named is None else SESSION


def _pair(frame: Frame, given: str) -> str:
    """One `key=value` without secrets; the value may be empty, the key may not."""
    key, equals, value = acting.line(frame, "--meta", given).partition("=")
    if not equals or not key.strip():
        raise UsageError(
            f"--meta {given}: is no K=V", hint="write it as key=value, such as: a=b"
        )
    return f"{key.strip()}={value.strip()}"


def _event(added: Added, priority: str) -> events.QueueAdded:
    return events.QueueAdded(id=added.id, title=added.title, priority=priority)


def _tell(frame: Frame, recorder: Recorder, added: Added, priority: str) -> None:
    for line in added.said:
        frame.say(line)
    if added.lowered:
        frame.say(lowered(added.lowered))
    if not frame.json:
        frame.out(added.id)
    recorder.tell_event(
        _event(added, priority),
        f"queued {recorder.where}: {added.title}",
        path=added.path,
        lowered=added.lowered,
    )


def lowered(count: int) -> str:
    """What is said when headings of a text would have been read as the file's own."""
    noun = "heading was" if count == 1 else "headings were"
    return f"{count} {noun} lowered to level 4, below those of the file itself"
