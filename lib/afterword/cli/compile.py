"""`afterword compile`: fold what waits into the snapshot, tell it, stage it."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from afterword.cli import acting
from afterword.cli.acting import Recorder
from afterword.cli.frame import Frame, command, pass_frame, visible
from afterword.errors import AfterwordError, UsageError
from afterword.lifecycle import compiling as moments
from afterword.lifecycle import promoted
from afterword.snapshot import compiling, due, places, sources, staging
from afterword.snapshot.compiling import Compiled
from afterword.store import clock
from afterword.store.git import safe_head
from afterword.store.locks import COMMAND_WAIT
from afterword.store.safe_text import shown

SHOWN = 2000
# From how many increments on a compile shows how far it is.
LARGE = 200
# How many lines of talk are shown; --json has them all.
MOST_LINES = 50

if TYPE_CHECKING:
    from rich.progress import TaskID

    from afterword.snapshot.due import Watch


@command("compile")
@click.option("--dry-run", is_flag=True, help="Show the changes as a diff.")
@click.option(
    "--date", metavar="D", help="The day of the compile, YYYY-MM-DD; default: today."
)
@click.option("--no-git", is_flag=True, help="Stage nothing.")
@click.option(
    "--rebuild",
    is_flag=True,
    help="Read past merge markers: fold the entries of both sides anew.",
)
@acting.episode_option
@pass_frame
def compile_(
    frame: Frame,
    dry_run: bool,
    date: str | None,
    no_git: bool,
    rebuild: bool,
    episode: str,
) -> None:
    """Compile the waiting increments into snapshot and modules, and stage the result.

    Contradictions are shown and counted, never decided: afterword conflict list.
    """
    day = day_of(date)
    refuse_branch(frame)
    recorder = None if dry_run else Recorder(frame, episode)
    with watching(frame) as watch:
        done = compiling.compile_(
            frame.store,
            frame.config,
            promoted.facts(frame.store),
            date=day,
            wait=COMMAND_WAIT,
            dry_run=dry_run,
            rebuild=rebuild,
            discover=sources.USED,
            whole=True,
            watch=watch,
        )
    note = ""
    if recorder is not None:
        if done.is_changed:
            recorder.log(moments.event_of(done, automatic=False))
        note = (
            "" if no_git else staging.stage(frame.store, places.of(frame.store.paths))
        )
    tell(frame, done, note)
    if frame.json:
        staged = recorder is not None and not no_git and not note
        diff = {"diff": done.diff} if dry_run else {}
        frame.emit({**row(done), "dry_run": dry_run, "staged": staged, **diff})
    elif dry_run:
        _show_diff(frame, done)
    else:
        show(frame, done)


@contextmanager
def watching(frame: Frame) -> Iterator[Watch]:
    """A progress bar on stderr, at a terminal and for large compiles only."""
    if frame.json or not sys.stderr.isatty():
        yield due.unwatched
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def watch(what: str, done: int, of: int) -> None:
            if of < LARGE:
                return
            if what not in tasks:
                tasks[what] = bars.add_task(f"{what} ...", total=of)
            bars.update(tasks[what], completed=done + 1)

        yield watch


def day_of(date: str | None) -> str:
    """The day of a compile: the one given, or today by the clock (UTC)."""
    if date is None:
        return clock.stamp()[:10]
    try:
        if len(date) == 10:
            return datetime.date.fromisoformat(date).isoformat()
    except ValueError:
        pass
    raise UsageError(f"--date {date}: is no day", hint="write it as YYYY-MM-DD")


def refuse_branch(frame: Frame) -> None:
    """Refuse on a branch where the settings keep tracked files as they are."""
    branches = frame.config["compile.branches"]
    branch = safe_head.read(frame.store.place).branch
    if branches and branch not in branches:
        raise AfterwordError(
            f"compile.branches names {', '.join(branches)},"
            f" and this is {branch or 'a detached HEAD'}: nothing was compiled",
            hint="compile there, or change compile.branches in .ai/config.yaml",
            code="branch",
        )


def tell(frame: Frame, done: Compiled, note: str = "") -> None:
    """What is talk: what stayed where it was, what a person should know, what was not staged."""
    report = done.report
    lines = (*done.said, *report.problems, *report.warnings)
    for line in lines[:MOST_LINES]:
        frame.say(shown(line, SHOWN))
    if len(lines) > MOST_LINES:
        frame.say(f"and {len(lines) - MOST_LINES} more; --json shows all")
    if note:
        frame.say(shown(note, SHOWN))


def row(done: Compiled) -> dict[str, object]:
    """A compile in JSON: the report's fields, and the paths that were written."""
    return {**done.report.json(), "paths": list(done.paths)}


def show(frame: Frame, done: Compiled) -> None:
    """The report, on stdout."""
    for line in done.report.lines():
        frame.out(shown(line, SHOWN))


def _show_diff(frame: Frame, done: Compiled) -> None:
    """The diff on stdout, as it is where a program reads it; the report on stderr."""
    for line in done.report.lines():
        frame.say(shown(line, SHOWN))
    text = done.diff.removesuffix("\n")
    if text:
        frame.out(visible(text) if sys.stdout.isatty() else text)
