"""`afterword conflict`: what contradicts, and the decision of a person that ends it."""

from __future__ import annotations

import os
from typing import Any

import click

from afterword.cli import acting
from afterword.cli import compile as compiling_command
from afterword.cli.acting import Recorder
from afterword.cli.frame import Frame, group, pass_frame
from afterword.episode import events
from afterword.errors import AfterwordError
from afterword.host import agent
from afterword.knowledge import review
from afterword.lifecycle import compiling as moments
from afterword.lifecycle import promoted
from afterword.snapshot import compiling, resolving, words
from afterword.snapshot.compiling import Compiled
from afterword.snapshot.folded import Side
from afterword.snapshot.resolving import Resolved, Shown
from afterword.store import clock
from afterword.store.locks import COMMAND_WAIT
from afterword.store.safe_text import shown

SHOWN = 300


@group("conflict")
def conflict() -> None:
    """List the conflicts of snapshot and modules, and decide them."""


@conflict.command("list")
@pass_frame
def list_(frame: Frame) -> None:
    """The conflicts in snapshot and modules, pending ones first."""
    found = resolving.shown(frame.store, frame.config)
    for one in found:
        if frame.json:
            frame.emit(_row(one))
        else:
            _show(frame, one)
    pending = sum(one.conflict.is_open for one in found)
    if not frame.json:
        frame.say(f"conflict list: {pending} pending, {len(found) - pending} resolved")


def _row(one: Shown) -> dict[str, Any]:
    found = one.conflict
    return {
        "id": found.id,
        "topic": found.topic,
        "old": found.old.says,
        "new": found.new.says,
        "where": ", ".join(one.where),
        "state": found.state,
        "type": found.kind,
        "keep": found.keep or None,
        "sides": {"old": _side(found.old), "new": _side(found.new)},
        "resolutions": [fact.sources[0][0] for fact in found.resolutions],
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "module": side.target or None,
        "says": side.says,
        "recorded": side.recorded,
        "author": side.author,
        "status": side.status,
    }


def _show(frame: Frame, one: Shown) -> None:
    found = one.conflict
    frame.out(f"{found.id}  {found.state}  {shown(found.topic, SHOWN)}")
    for label, side in (("old", found.old), ("new", found.new)):
        by = f"{side.recorded or 'unknown'}, {side.author or 'unknown'}, {side.status}"
        frame.out(f"    {label}: {shown(side.says, SHOWN)} ({shown(by, SHOWN)})")
    frame.out(f"    in {shown(', '.join(one.where), SHOWN)}")


@conflict.command("resolve")
@click.argument("identity", metavar="ID")
@click.option(
    "--keep",
    type=click.Choice(words.KEEP),
    required=True,
    help="Which side holds from now on; both: they do not contradict.",
)
@click.option("--why", metavar="TEXT", required=True, help="Why, in one line.")
@click.option("--author", metavar="NAME", help="Who decides; default: git's user.name.")
@acting.episode_option
@pass_frame
def resolve(
    frame: Frame, identity: str, keep: str, why: str, author: str | None, episode: str
) -> None:
    """Decide the conflict ID: an act of a person, recorded as a verified increment.

    It is compiled at once; the side that loses stays, marked as superseded or resolved.
    """
    is_agent = review.refuse_agents(
        agent.sign(os.environ), allowed=frame.config["review.agents"] is True
    )
    reason = acting.line(frame, "--why", why)
    recorder = Recorder(frame, episode)
    stamp = clock.stamp()

    def work() -> Resolved:
        return resolving.record(
            frame.store,
            frame.config,
            identity=identity,
            keep=keep,
            why=reason,
            author=acting.author(frame, author),
            at=f"{stamp[:10]} {stamp[11:19]}",
            wait=COMMAND_WAIT,
        )

    resolved = recorder.do(work, lambda done: _event(done, keep, reason, is_agent))
    compiled = _compile(frame, recorder, stamp[:10])
    _tell(frame, recorder, resolved, compiled, _event(resolved, keep, reason, is_agent))


def _event(
    done: Resolved, keep: str, why: str, is_agent: bool
) -> events.ConflictResolved:
    return events.ConflictResolved(
        id=done.conflict.id,
        keep=keep,
        why=why,
        increment=done.added.stem,
        agent=is_agent or None,
    )


def _compile(frame: Frame, recorder: Recorder, day: str) -> Compiled | None:
    """Compile it with all that waits; None, said, where that has to be done later."""
    try:
        compiling_command.refuse_branch(frame)
        done = compiling.compile_(
            frame.store,
            frame.config,
            promoted.facts(frame.store),
            date=day,
            wait=COMMAND_WAIT,
            whole=True,
        )
    except AfterwordError as error:
        frame.say(f"recorded, and not compiled yet: {error}")
        return None
    recorder.log(moments.event_of(done, automatic=False))
    return done


def _tell(
    frame: Frame,
    recorder: Recorder,
    resolved: Resolved,
    compiled: Compiled | None,
    event: events.ConflictResolved,
) -> None:
    one, path = resolved.conflict, resolved.added.path
    if compiled is not None:
        compiling_command.tell(
            frame, compiled, "not staged; to stage it: afterword compile"
        )
        moved = {move.source: move.path for move in compiled.plan.moves}
        path = moved.get(path, path)
    if not frame.json:
        frame.out(path)
    text = f"{one.id} resolved, kept {event.keep}: {one.topic}"
    recorder.tell_event(event, text, path=path, compiled=compiled is not None)
