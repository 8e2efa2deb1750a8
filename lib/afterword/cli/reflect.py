"""`afterword reflect`: look back, and keep the log as short as it is useful."""

from __future__ import annotations

import codecs
import sys
from typing import Any

import click

from afterword.cli import acting, learn, moving
from afterword.cli.acting import Recorder
from afterword.cli.frame import Frame, group, pass_frame
from afterword.episode import events, recorded
from afterword.errors import UsageError
from afterword.evolution import (
    adding,
    archiving,
    counting,
    notices,
    reflection_empty,
)
from afterword.evolution.adding import AddedReflection
from afterword.evolution.archiving import Archived, CleanUp
from afterword.evolution.reflection import Log, Reflection
from afterword.knowledge.review_text import MAX_BYTES
from afterword.store import blocks, clock, merge_markers
from afterword.store.locks import COMMAND_WAIT
from afterword.store.safe_text import shown

SHOWN = 300
TYPE_THIS = "give it a file: afterword reflect add < FILE"


@group("reflect")
def reflect() -> None:
    """Look back on the work; the newest reflections stay in sight, the rest is kept."""


@reflect.command("add")
@click.option("--title", metavar="T", help="What it looks back on, in one line.")
@acting.episode_option
@pass_frame
def add(frame: Frame, title: str | None, episode: str) -> None:
    """Add a reflection, its text read from stdin; prints the log's path.

    The oldest ones go to the archive when the log holds too many.
    """
    text = _stdin()
    recorder = Recorder(frame, episode)
    body = acting.text(frame, "stdin", text)
    name = "" if title is None else acting.line(frame, "--title", title)

    def work() -> AddedReflection:
        return adding.add_reflection(
            recorder.moment.store,
            recorder.moment.config,
            title=name,
            text=body,
            at=clock.stamp()[:16].replace("T", " "),
            session=recorder.named or "",
            wait=COMMAND_WAIT,
        )

    added = recorder.do(work, _event)
    if added.title:
        recorded.note(recorder.moment.store, added.date, added.title)
    rolled = moving.move_after(frame, moving.REFLECTIONS, recorder)  # T2.5
    _tell_added(frame, recorder, added, rolled)


def _stdin() -> str:
    """The text; nothing is waited for at a terminal, and nothing of it is guessed."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("reflect add reads its text from stdin", hint=TYPE_THIS)
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UsageError(
            f"stdin: is longer than {MAX_BYTES} bytes",
            hint="keep the long text in a file of its own, and look back on it here",
        )
    # as it will stand in the log: without a BOM, all its line ends alike
    written = blocks.with_newline(data.replace(codecs.BOM_UTF8, b""), b"\n")
    marker = merge_markers.first_line(written)
    if marker:
        raise UsageError(
            f"stdin:{marker}: begins as the mark of a merge conflict does",
            hint="indent that line by a space: with it the log could not be read again",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"stdin: is not UTF-8 from byte {error.start} on",
            hint="convert it, such as: iconv -f GBK -t UTF-8 FILE | afterword reflect add",
        ) from error


def _event(added: AddedReflection) -> events.ReflectionAdded:
    return events.ReflectionAdded(date=added.date, title=added.title)


def _tell_added(
    frame: Frame, recorder: Recorder, added: AddedReflection, rolled: Archived | None
) -> None:
    for line in added.said:
        frame.say(line)
    if added.lowered:
        frame.say(learn.lowered(added.lowered))
    if not frame.json:
        frame.out(added.path)
    title = f": {added.title}" if added.title else ""
    recorder.tell_event(
        _event(added),
        f"reflection of {added.date} recorded {recorder.where}{title}",
        path=added.path,
        lowered=added.lowered,
        rolled=rolled.moved if rolled else 0,
    )
    if rolled is not None:
        moving.tell(frame, moving.REFLECTIONS, rolled)


@reflect.command("list")
@pass_frame
def list_(frame: Frame) -> None:
    """The reflections of the log, in the order of the file."""
    path = frame.store.paths[archiving.LOG]
    log = counting.read_reflections(frame.store)
    rows = [_object(log, one, path) for one in log.entries]
    if frame.json:
        for row in rows:
            frame.emit(row)
        return
    if rows:
        frame.columns([_row(row) for row in rows])
    empty = sum(row["empty"] for row in rows)
    frame.out(f"reflect list: {len(rows)}, {len(log.dated())} dated, {empty} empty")


def _object(log: Log, one: Reflection, path: str) -> dict[str, Any]:
    return {
        "date": one.date,
        "time": one.time,
        "title": one.title,
        "session": one.session,
        "kind": one.kind,
        "empty": reflection_empty.is_empty(log.raw(one), one.kind),
        "where": f"{path}:{one.line}",
    }


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    when = f"{row['date']} {row['time']}".strip()
    empty = "empty" if row["empty"] else ""
    return when or "-", row["kind"], empty, shown(row["title"] or row["session"], SHOWN)


@reflect.command("roll")
@click.option("--dry-run", is_flag=True, help="Say what would be moved.")
@acting.episode_option
@pass_frame
def roll(frame: Frame, dry_run: bool, episode: str) -> None:
    """Move the oldest dated reflections to the archive when the log holds too many.

    While another process archives nothing is done, for that one does the same.
    """
    moving.alone(frame, moving.REFLECTIONS, episode, is_dry=dry_run)


@reflect.command("clean")
@click.option("--yes", is_flag=True, help="Remove them; without it nothing is changed.")
@pass_frame
def clean(frame: Frame, yes: bool) -> None:
    """Remove reflections that hold no text, once a copy of the log is written beside it.

    Only what is provably empty: a block of unknown structure stays.
    """
    store = frame.claim() if yes else frame.store
    today = clock.stamp()[:10]
    done = archiving.clean(store, frame.config, today, apply=yes, wait=COMMAND_WAIT)
    for line in done.said:
        frame.say(line)
    path = store.paths[archiving.LOG]
    if frame.json:
        frame.emit(_cleaned_object(done, path, is_dry=not yes))
    elif yes:
        _tell_cleaned(frame, done)
    else:
        _tell_plan(frame, done, path)


def _tell_plan(frame: Frame, done: CleanUp, path: str) -> None:
    for one in done.removed:
        when = f"{one.date} {one.time}".strip() or "undated"
        text = f"would remove {path}:{one.line} {when} {shown(one.title or one.session, SHOWN)}"
        frame.out(text.rstrip())
    frame.out(f"reflect clean: {len(done.removed)} empty, {done.kept} stay")
    if done.removed:
        frame.say("remove them: afterword reflect clean --yes")


def _tell_cleaned(frame: Frame, done: CleanUp) -> None:
    if done.backup:
        frame.out(done.backup)
    language = frame.config["language"]
    frame.say(notices.cleaned(len(done.removed), done.kept, language))


def _cleaned_object(done: CleanUp, path: str, *, is_dry: bool) -> dict[str, Any]:
    removed = [
        {
            "date": one.date,
            "title": one.title,
            "kind": one.kind,
            "where": f"{path}:{one.line}",
        }
        for one in done.removed
    ]
    backup = done.backup or None
    return {"dry_run": is_dry, "removed": removed, "kept": done.kept, "backup": backup}
