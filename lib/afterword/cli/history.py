"""`afterword history`: the ledger lines of this worktree, in order of time."""

from __future__ import annotations

import datetime
from typing import Any

import click

from afterword.cli.frame import Frame, command, pass_frame, write
from afterword.episode import events, ledger
from afterword.episode import history as chronicle
from afterword.episode.history import Query, Torn
from afterword.errors import UsageError
from afterword.lifecycle import rotation
from afterword.store import clock, config
from afterword.store.safe_text import shown

DEFAULT_LIMIT = 20
SHOWN = 300
# Fields that are for programs.
UNREADABLE = ("hashes", "withheld_hashes")
# What a line says of an event; of others, every field is shown by name.
SUMMARIES: dict[str, tuple[str, ...]] = {
    events.SessionStarted._name: ("host", "source"),
    events.SessionClosed._name: ("outcome", "session_path"),
    events.TaskStarted._name: ("task_id", "title"),
    events.TaskFinished._name: ("task_id", "outcome", "reason"),
    events.DecisionRecorded._name: ("decision",),
    events.QuestionOpened._name: ("question",),
    events.QuestionResolved._name: ("question", "answer"),
}


@command("history")
@click.option("--event", metavar="NAME", default="", help="Lines of that event only.")
@click.option("--episode", metavar="ID", default="", help="Of that episode only.")
@click.option("--task", metavar="ID", default="", help="Of that task only.")
@click.option(
    "--since", metavar="90m|2h|7d|TIME", help="Not older than that; TIME is UTC."
)
@click.option(
    "--limit", metavar="N", type=click.IntRange(min=1), help="The newest N; default 20."
)
@click.option("--all", "everything", is_flag=True, help="All of them.")
@pass_frame
def history(
    frame: Frame,
    event: str,
    episode: str,
    task: str,
    since: str | None,
    limit: int | None,
    everything: bool,
) -> None:
    """What happened here, oldest first: the newest 20 lines unless told otherwise.

    With --json the ledger's lines as they stand there.
    """
    if everything and limit is not None:
        raise UsageError("--limit and --all exclude each other", hint="give one")
    query = Query(
        event=event,
        episode=episode,
        task=task,
        since=None if since is None else moment_of(since),
        limit=None if everything else limit or DEFAULT_LIMIT,
    )
    count = _print(frame, query)
    if not count and event and event not in events.EVENTS:
        known = ", ".join(sorted(events.EVENTS))
        raise UsageError(f"--event {event}: no such event", hint=f"known are: {known}")
    if not count and not frame.json:
        frame.say("nothing recorded that fits")
    rotation.join_if_due(frame.moment())


def _print(frame: Frame, query: Query) -> int:
    """Print what matches; how many lines it was."""

    def torn(line: Torn) -> None:
        where = f"{line.path}:{line.number}" if line.number else line.path
        frame.say(f"{where}: {line.reason}, skipped")

    count = 0
    for raw in chronicle.select(frame.store, query, torn):
        count += 1
        if frame.json:
            write(raw + b"\n")
        else:
            line = ledger.parse_line(raw)
            if line is not None:
                frame.out(readable(line))
    return count


def readable(line: dict[str, Any]) -> str:
    """A ledger line for a person: time, event, episode, and what it says."""
    when = shown(line["ts"][:19].replace("T", " "), 30) + " UTC"
    session = line.get("session")
    who = f" [{shown(session, 100)}]" if isinstance(session, str) else ""
    name = shown(line["event"], 60)
    return f"{when}  {name}{who}  {shown(_said(line), SHOWN)}".rstrip()


def _said(line: dict[str, Any]) -> str:
    keys = SUMMARIES.get(line["event"])
    if keys is None:
        hidden = (*events.ENVELOPE, *UNREADABLE)
        said = [(key, _value(line[key])) for key in line if key not in hidden]
        return ", ".join(f"{key} {value}" for key, value in said if value)
    return ": ".join(_value(line[key]) for key in keys if line.get(key))


def _value(value: object) -> str:
    """A field in words; "" where it says nothing."""
    if isinstance(value, list):
        return " ".join(_value(item) for item in value)
    if isinstance(value, dict):
        return " ".join(f"{key}={_value(inner)}" for key, inner in value.items())
    return "" if value is None else str(value)


def moment_of(text: str) -> float:
    """Seconds since the epoch of `90m`, `2h`, `7d` ago, or of a date or time in UTC."""
    try:
        ago = config.duration(text)
    except ValueError:
        return _time(text)
    return clock.now() - ago


def _time(text: str) -> float:
    try:
        found = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        raise UsageError(
            f"--since {text}: neither a duration nor a time",
            hint="write 90m, 2h, 7d or a time such as 2026-01-31T12:00Z",
        ) from None
    if found.tzinfo is None:
        found = found.replace(tzinfo=datetime.timezone.utc)
    return found.timestamp()
