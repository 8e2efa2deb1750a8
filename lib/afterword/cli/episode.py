"""`afterword episode`: the agent sessions of this worktree, and their ends."""

from __future__ import annotations

import os
from typing import Any

import click

from afterword.cli.frame import Frame, group, pass_frame
from afterword.cli.history import readable
from afterword.episode import (
    attribution,
    events,
    history,
    ledger,
    opened,
    roster,
    session_files,
    window,
)
from afterword.episode.history import Query
from afterword.errors import AfterwordError
from afterword.lifecycle import closing, recovery, rotation
from afterword.lifecycle.closing import Closed
from afterword.lifecycle.ending import Ending
from afterword.lifecycle.moment import Moment
from afterword.store.layout import Store
from afterword.store.locks import COMMAND_WAIT
from afterword.store.safe_text import shown

BY_HAND = "command"
NO_LIMIT = 1 << 30
PATIENCE = 600.0
# Receipts and rounds say nothing that a reader of one episode wants first.
_PASSED_OVER = (events.ProviderEventReceived._name, events.RoundEnded._name)


@group("episode")
def episode() -> None:
    """List, show, close and recover the episodes of this worktree."""


@episode.command("list")
@pass_frame
def list_(frame: Frame) -> None:
    """All episodes, the oldest first."""
    found = roster.every(frame.store)
    if frame.json:
        for one in found:
            frame.emit(one.values())
    elif found:
        frame.columns([_row(one) for one in found])
    else:
        frame.say("no episode yet: the hooks of your agent open them")


def _row(one: roster.Listed) -> tuple[str, ...]:
    return (
        one.episode,
        shown(one.host, 20) or "-",
        _utc(one.started) if one.started else "-",
        _utc(one.closed) if one.closed else "open",
        shown(one.outcome or "-", 20),
        shown(one.branch or "-", 80),
    )


def _utc(stamp: str) -> str:
    """A stamp to the minute."""
    return shown(stamp[:16].replace("T", " "), 16) + " UTC"


@episode.command("show")
@click.argument("id", metavar="ID")
@pass_frame
def show(frame: Frame, id: str) -> None:  # noqa: A002 it is the name on the command line
    """One episode: when, where, and what it recorded."""
    store = frame.store
    name = _known(store, id)
    lines = _lines(store, name)
    facts = {**roster.of(store, name).values(), **_summary(lines)}
    if frame.json:
        frame.emit(facts)
        return
    for key, value in facts.items():
        if isinstance(value, str | int) and value != "":
            text = _utc(str(value)) if key in ("started", "closed") else value
            frame.out(f"{key + ':':14} {shown(str(text), 200)}")
    for line in lines:
        if line["event"] not in _PASSED_OVER:
            frame.out(readable(line))


def _known(store: Store, given: str) -> str:
    """An episode of this worktree; one of another clone is named by its record."""
    try:
        return attribution.explicit(store, given)
    except AfterwordError as error:
        path = session_files.find(store, opened.episode_id(given))
        if path is None:
            raise
        raise AfterwordError(
            f"episode {given} was not recorded in this worktree",
            hint=f"its record is {store.relative(path)}",
            code=error.code,
        ) from error


def _lines(store: Store, name: str) -> list[dict[str, Any]]:
    raw = history.select(store, Query(episode=name), lambda _: None)
    return [line for line in map(ledger.parse_line, raw) if line is not None]


def _summary(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """What an episode recorded, each text once, in order."""
    derived = [one for one in lines if one["event"] == events.KnowledgeDerived._name]
    closed = [one for one in lines if one["event"] == events.SessionClosed._name]
    return {
        "lines": len(lines),
        "session_path": closed[-1].get("session_path") if closed else None,
        "tasks": _texts(lines, events.TaskStarted, "task_id"),
        "decisions": _texts(lines, events.DecisionRecorded, "decision"),
        "questions": _texts(lines, events.QuestionOpened, "question"),
        "written": list(
            dict.fromkeys(
                path
                for line in derived
                if isinstance(line.get("paths"), list)
                for path in line["paths"]
            )
        ),
    }


def _texts(
    lines: list[dict[str, Any]], kind: type[events.Event], key: str
) -> list[Any]:
    found = [line.get(key) for line in lines if line["event"] == kind._name]
    return list(dict.fromkeys(text for text in found if isinstance(text, str)))


@episode.command("close")
@click.argument("id", metavar="[ID]", required=False, default="")
@pass_frame
def close(frame: Frame, id: str) -> None:  # noqa: A002 as above
    """Close an episode: derive, and write its record, whose path is printed.

    Without ID the episode of this session, or the only open one.
    """
    frame.claim()
    moment = frame.moment()
    name = _to_close(moment.store, id)
    ending = Ending(reason=BY_HAND, outcome="closed")
    closed = closing.close(moment, name, ending, wait=COMMAND_WAIT, evolves=True)
    if not closed.done:
        raise AfterwordError(
            f"episode {name} is not closed yet: {closed.left}",
            hint=f"the next start closes it, or you: afterword episode close {name}",
            code="deferred",
        )
    _tell_closed(frame, name, closed)
    rotation.join_if_due(moment)


def _to_close(store: Store, given: str) -> str:
    """The episode that is meant; refused when it is closed or cannot be told."""
    name = attribution.of_command(store, given, os.environ)
    if name == ledger.OUTSIDE:
        names = ", ".join(one.episode for one in opened.every(store))
        raise AfterwordError(
            f"several episodes are open here: {names}"
            if names
            else "no episode is open here",
            hint="name one: afterword episode close ID"
            if names
            else "see: afterword episode list",
            code="no-episode",
        )
    if opened.load(store, name) is None and window.read(store, name).is_closed:
        raise AfterwordError(
            f"episode {name} is closed already",
            hint=f"see: afterword episode show {name}",
            code="closed",
        )
    return name


def _tell_closed(frame: Frame, name: str, closed: Closed) -> None:
    written, unchanged, skipped = _derived(closed)
    if frame.json:
        frame.emit(
            {
                "episode": name,
                "session_path": closed.session_path,
                "written": written,
                "unchanged": unchanged,
                "skipped": skipped,
            }
        )
        return
    if closed.session_path:
        frame.out(closed.session_path)
    counts = (
        f"{len(written)} written, {len(unchanged)} unchanged, {len(skipped)} skipped"
    )
    frame.say(f"episode {name} closed; candidates: {counts}")


def _derived(closed: Closed) -> tuple[list[str], list[str], list[dict[str, str]]]:
    found = closed.derived
    if found is None:
        return [], [], []
    skipped = [{"path": path, "reason": reason} for path, reason in found.skipped]
    return list(found.written), list(found.unchanged), skipped


@episode.command("recover")
@click.option("--dry-run", is_flag=True, help="Say what would be closed.")
@pass_frame
def recover(frame: Frame, dry_run: bool) -> None:
    """Close the episodes that nobody closed, and finish what a killed command began."""
    store = frame.store if dry_run else frame.claim()
    moment = frame.moment()
    own = _own(store)
    found = recovery.find(moment, own)
    if dry_run:
        for one in found:
            _tell_recovered(frame, one, None)
    else:
        _recover(frame, moment, own, found)
        rotation.join_if_due(moment)
    if not found and not frame.json:
        frame.say("no stranded episode")


def _own(store: Store) -> str:
    """The episode of the session that types this; it is not stranded while it types."""
    names = attribution.named_by(os.environ)
    ours = [one.episode for one in opened.every(store) if one.episode in names]
    return ours[-1] if ours else ""


def _recover(
    frame: Frame, moment: Moment, own: str, found: tuple[recovery.Stranded, ...]
) -> None:
    """Close them; refused at the end when one is left, as its reason was said."""
    done = {
        stranded.episode: closed
        for stranded, closed in recovery.recover(
            moment, own, limit=NO_LIMIT, seconds=PATIENCE
        )
    }
    for one in found:
        _tell_recovered(frame, one, done.get(one.episode))
    left = [
        one.episode
        for one in found
        if one.episode not in done or not done[one.episode].done
    ]
    if left:
        raise AfterwordError(
            f"not closed: {', '.join(left)}",
            hint="repeat it when git is done and no other process closes them",
            code="deferred",
        )


def _tell_recovered(
    frame: Frame, one: recovery.Stranded, closed: Closed | None
) -> None:
    is_done = closed is not None and closed.done
    if frame.json:
        frame.emit(
            {
                "episode": one.episode,
                "reason": one.reason,
                "closed": is_done,
                "session_path": closed.session_path if closed else None,
            }
        )
    elif is_done:
        frame.out(f"closed {one.episode} ({one.reason})")
    else:
        verb = "left" if closed is not None else "would close"
        frame.out(f"{verb} {one.episode} ({one.reason})")
