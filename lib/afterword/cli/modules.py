"""`afterword modules`: the parts of the project that have knowledge of their own."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import click

from afterword.cli import acting
from afterword.cli import compile as compile_command
from afterword.cli.acting import Recorder
from afterword.cli.frame import Frame, group, pass_frame
from afterword.lifecycle import compiling as moments
from afterword.lifecycle import promoted
from afterword.snapshot import (
    compiling,
    partition,
    places,
    registered,
    sources,
    staging,
)
from afterword.snapshot.compiling import Compiled
from afterword.snapshot.partition import Moved
from afterword.snapshot.registry import Module, Registry
from afterword.store.git import program
from afterword.store.layout import confine
from afterword.store.locks import COMMAND_WAIT
from afterword.store.safe_text import shown

SHOWN = 200


@group("modules")
def modules() -> None:
    """List the modules of this project; find those that the code has."""


@modules.command("list")
@pass_frame
def list_(frame: Frame) -> None:
    """The registered modules with their code paths, in the order of _index.md."""
    found = registered.read(frame.store)
    if frame.json:
        for one in found.modules:
            frame.emit(_object(one))
    elif found.modules:
        frame.columns([_row(one) for one in found.modules])
    if not frame.json:
        frame.out(f"modules list: {_counts(found)}")
    for line in _problems(frame, found):
        frame.say(line)
    if not found.modules:
        frame.say("no module yet; find them in the code: afterword modules discover")


def _object(one: Module) -> dict[str, Any]:
    return {
        "name": one.name,
        "path": ", ".join(one.paths),
        "status": one.status,
        "purpose": one.purpose,
    }


def _row(one: Module) -> tuple[str, ...]:
    return (
        shown(one.name, SHOWN),
        shown(one.status, 20),
        shown(", ".join(one.paths) or "-", SHOWN),
        shown(one.purpose or "-", SHOWN),
    )


def _counts(found: Registry) -> str:
    counts = Counter(one.status for one in found.modules)
    return ", ".join(f"{n} {shown(state, 20)}" for state, n in counts.items()) or "none"


def _problems(frame: Frame, found: Registry) -> Iterator[str]:
    index = places.of(frame.store.paths).index
    for line, text in found.problems:
        yield f"{index}:{line}: {text}"


@modules.command("discover")
@click.option("--dry-run", is_flag=True, help="Say what would be found and moved.")
@click.option(
    "--date", metavar="D", help="The day of the compile, YYYY-MM-DD; default: today."
)
@click.option("--no-git", is_flag=True, help="Stage nothing.")
@acting.episode_option
@pass_frame
def discover(
    frame: Frame, dry_run: bool, date: str | None, no_git: bool, episode: str
) -> None:
    """Find modules in the files that git tracks, and compile their knowledge into them.

    New ones get a row in _index.md and a folder; entries of the snapshot whose files
    lie in one move there. A module whose code is gone becomes dormant and stays.
    """
    day = compile_command.day_of(date)
    compile_command.refuse_branch(frame)
    program.find(frame.store.place)  # the files are git's to list
    recorder = None if dry_run else Recorder(frame, episode)
    done = compiling.compile_(
        frame.store,
        frame.config,
        promoted.facts(frame.store),
        date=day,
        wait=COMMAND_WAIT,
        dry_run=dry_run,
        discover=sources.ALL,
    )
    note = ""
    if recorder is not None:
        _make_folders(frame, done.plan.new)
        if done.is_changed:
            recorder.log(moments.event_of(done, automatic=False))
        note = (
            "" if no_git else staging.stage(frame.store, places.of(frame.store.paths))
        )
    compile_command.tell(frame, done, note)
    found = _Found(frame, done)
    if frame.json:
        staged = recorder is not None and not no_git and not note
        frame.emit({**found.object(), "dry_run": dry_run, "staged": staged})
    else:
        found.show(is_dry=dry_run)


def _make_folders(frame: Frame, new: tuple[Module, ...]) -> None:
    """Where a person puts an increment of a new module: git keeps no empty folder."""
    where = places.of(frame.store.paths)
    for one in new:
        path = confine(frame.store.root, where.increments(one.name))
        os.makedirs(path, exist_ok=True)


class _Found:
    """What a search for modules did, or would do, in lines and in JSON."""

    def __init__(self, frame: Frame, done: Compiled) -> None:
        where = places.of(frame.store.paths)
        changes = {one.path: one for one in done.plan.texts}
        index, snapshot = changes.get(where.index), changes.get(where.target(""))
        self._frame = frame
        self._done = done
        self._new = done.plan.new
        self._gone = partition.gone(index.before, index.data) if index else ()
        before = snapshot.before if snapshot else None
        self._moved = partition.moved(before, done.plan.folded)

    def show(self, *, is_dry: bool) -> None:
        """A line for each module and each entry, then the report of the compile."""
        would = "would be " if is_dry else ""
        for line in self._lines(would):
            self._frame.out(line)
        count = len(self._moved)
        entries = "1 entry" if count == 1 else f"{count} entries"
        self._frame.out(
            f"modules discover: {len(self._new)} found, {len(self._gone)} dormant,"
            f" {entries} moved"
        )
        if not is_dry and self._done.is_changed:
            compile_command.show(self._frame, self._done)

    def _lines(self, would: str) -> Iterator[str]:
        for one in self._new:
            yield f"{would}found: {shown(one.name, SHOWN)} in {_path(one)}"
        for one in self._gone:
            yield f"{would}dormant: {shown(one.name, SHOWN)}, nothing is left in {_path(one)}"
        for entry in self._moved:
            to = shown(", ".join(entry.modules), SHOWN)
            title = shown(entry.title, SHOWN)
            yield f"{would}moved to {to}: [{entry.kind.upper()}] {title}"

    def object(self) -> dict[str, Any]:
        """The same for a program; the report's fields are those of `compile`."""
        return {
            **compile_command.row(self._done),
            "found": [_object(one) for one in self._new],
            "dormant": [_object(one) for one in self._gone],
            "moved": [_entry(one) for one in self._moved],
        }


def _path(one: Module) -> str:
    return shown(", ".join(one.paths), SHOWN)


def _entry(one: Moved) -> dict[str, Any]:
    return {
        "id": one.id,
        "type": one.kind,
        "title": one.title,
        "modules": list(one.modules),
    }
