"""`afterword increment`: what the next compile is to know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from afterword.cli import acting, detail
from afterword.cli.acting import Recorder
from afterword.cli.frame import Frame, group, pass_frame
from afterword.episode import events, recorded
from afterword.errors import AfterwordError, UsageError
from afterword.finding import ERROR, WARNING, Finding, ordered
from afterword.snapshot import (
    adding,
    increment_shapes,
    registered,
    sources,
    words,
)
from afterword.snapshot import (
    increment as increments,
)
from afterword.snapshot.adding import Added
from afterword.snapshot.fact import Supersedes
from afterword.snapshot.increment import Increment
from afterword.snapshot.sources import IncrementFile
from afterword.store import clock
from afterword.store.locks import COMMAND_WAIT
from afterword.store.safe_text import shown

SHOWN = 300


@group("increment")
def increment() -> None:
    """Record what the snapshot is to know; list and check what waits for a compile."""


@increment.command("add", variadic=("--file",))
@click.option(
    "--type",
    "kind",
    type=click.Choice(words.GIVEN_TYPES),
    required=True,
    help="What it is; decisions, constraints and architecture can contradict others.",
)
@click.option("--title", metavar="T", required=True, help="What holds, in one line.")
@click.option(
    "--part",
    type=click.Choice(tuple(words.PARTS)),
    help="Of --type architecture: what part it describes.",
)
@click.option("--key", metavar="K", help="An exact name, such as payment.timeout.")
@click.option("--value", metavar="V", help="What K is; another value is a conflict.")
@click.option(
    "--file",
    "files",
    metavar="PATH ...",
    multiple=True,
    help="The files that it is about; they tell its module.",
)
@click.option(
    "--confidence",
    type=click.Choice(words.CONFIDENCES[::-1]),
    default=words.MEDIUM,
    show_default=True,
    help="high is compiled as it is, medium marked, low only listed.",
)
@click.option("--domain", metavar="M", help="The module that it belongs to.")
@click.option("--author", metavar="NAME", help="Who says so; default: git's user.name.")
@click.option(
    "--supersedes",
    metavar="T",
    multiple=True,
    help="The title or key of the entry that holds no longer.",
)
@click.option("--reason", metavar="T", help="Why T is superseded, in one line.")
@click.option(
    "--resolves", metavar="T", help="The title of a constraint that holds no longer."
)
@acting.episode_option
@pass_frame
def add(
    frame: Frame,
    kind: str,
    title: str,
    part: str | None,
    key: str | None,
    value: str | None,
    files: tuple[str, ...],
    confidence: str,
    domain: str | None,
    author: str | None,
    supersedes: tuple[str, ...],
    reason: str | None,
    resolves: str | None,
    episode: str,
) -> None:
    """Add an increment, its detail read from stdin; prints its path.

    It is unverified until a person decides; the next compile takes it in.
    """
    _refuse_halves(kind, part, key, value, supersedes, reason)
    text = detail.read(frame)
    recorder = Recorder(frame, episode)
    store = recorder.moment.store
    why = _line(frame, "--reason", reason)
    given: dict[str, Any] = {
        "kind": kind,
        "title": _title(frame, title),
        "body": tuple(text.splitlines()),
        "part": part or "",
        "key": _line(frame, "--key", key),
        "value": _line(frame, "--value", value),
        "supersedes": tuple(
            Supersedes(acting.line(frame, "--supersedes", one), why)
            for one in supersedes
        ),
        "resolves": _line(frame, "--resolves", resolves),
        "confidence": confidence,
        "author": acting.author(frame, author),
        "files": tuple(acting.inside(frame, store, "--file", one) for one in files),
        "domain": _line(frame, "--domain", domain),
        "at": clock.stamp()[:19].replace("T", " "),
        "wait": COMMAND_WAIT,
    }
    added = recorder.do(
        lambda: adding.add(store, recorder.moment.config, **given), _event
    )
    recorded.note(store, added.stem, added.fact.title)
    _tell(frame, recorder, added, text)


def _refuse_halves(
    kind: str,
    part: str | None,
    key: str | None,
    value: str | None,
    supersedes: tuple[str, ...],
    reason: str | None,
) -> None:
    """Options that mean something only beside another one."""
    if part is not None and kind != words.ARCHITECTURE:
        raise UsageError(
            f"--part {part}: is of --type architecture",
            hint="leave --part out, or give --type architecture",
        )
    if (key is None) != (value is None):
        given, missing = ("--key", "--value") if value is None else ("--value", "--key")
        raise UsageError(f"{given} needs {missing}", hint=f"add {missing}")
    if reason is not None and not supersedes:
        raise UsageError(
            "--reason says why --supersedes T holds no longer, and there is none",
            hint="add --supersedes T; or write the reason into the detail, on stdin",
        )


def _line(frame: Frame, name: str, given: str | None) -> str:
    return "" if given is None else acting.line(frame, name, given)


def _title(frame: Frame, given: str) -> str:
    title = acting.line(frame, "--title", given)
    if increment_shapes.is_nothing(title):
        raise UsageError(f"--title {title}: says nothing", hint="say what holds")
    return title


def _event(added: Added) -> events.IncrementAdded:
    fact = added.fact
    return events.IncrementAdded(stem=added.stem, type=fact.kind, title=fact.title)


def _tell(frame: Frame, recorder: Recorder, added: Added, text: str) -> None:
    for line in (*added.said, *detail.kept_as_text(text)):
        frame.say(line)
    if not frame.json:
        frame.out(added.path)
    recorder.tell_event(
        _event(added),
        f"increment recorded {recorder.where}: {added.fact.title}",
        path=added.path,
        id=added.fact.id,
        warnings=list(added.said),
    )


@increment.command("list")
@pass_frame
def list_(frame: Frame) -> None:
    """The increments that wait for a compile, with how many entries each has."""
    files = _waiting(frame)
    compiled = _compiled(frame)
    rows = [_row(one, _read(one), compiled) for one in files]
    if frame.json:
        for row in rows:
            frame.emit(row)
        return
    if rows:
        frame.columns([_cells(row) for row in rows])
    due = sum(row["due"] for row in rows)
    frame.out(f"increment list: {len(rows)} waiting, {due} due")


def _waiting(frame: Frame) -> tuple[IncrementFile, ...]:
    inputs = sources.read(frame.store, frame.config, date="", whole=False)
    for problem in inputs.problems:
        frame.say(problem)
    return inputs.waiting


def _read(one: IncrementFile) -> Increment:
    return increments.read(one.data, one.stem, folder=one.module, digest=one.hash)


def _compiled(frame: Frame) -> frozenset[tuple[str, str]]:
    """(stem, hash) of what the target files hold already; none where they cannot be read."""
    from afterword.snapshot import known  # reads all of them: only a list needs it

    try:
        found = known.read(
            sources.read(frame.store, frame.config, date="", whole=False)
        )
    except AfterwordError as error:
        frame.say(str(error))
        return frozenset()
    return frozenset(source for fact in found.facts for source in fact.sources)


def _row(
    one: IncrementFile, found: Increment, compiled: frozenset[tuple[str, str]]
) -> dict[str, Any]:
    return {
        "stem": one.stem,
        "entries": len(found.facts),
        "domain": found.domain or one.module or None,
        "due": found.is_readable and (one.stem, one.hash) not in compiled,
        "readable": found.is_readable,
        "recorded": found.recorded or None,
        "path": one.path,
    }


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    noun = "entry" if row["entries"] == 1 else "entries"
    count = f"{row['entries']} {noun}" if row["readable"] else "unreadable"
    due = "due" if row["due"] else "not due"
    return shown(row["stem"], SHOWN), count, due, shown(row["domain"] or "-", 60)


@increment.command("check")
@pass_frame
@click.pass_context
def check(ctx: click.Context, frame: Frame) -> None:
    """Check the increments that wait; exit 1 when there is something to mend."""
    inputs = sources.read(frame.store, frame.config, date="", whole=False)
    findings = [_of_path(problem) for problem in inputs.problems]
    names = {module.name for module in registered.read(frame.store).modules}
    for one in inputs.waiting:
        findings += _findings(one, _read(one), names)
    for finding in ordered(findings):
        _show(frame, finding)
    if not frame.json:
        count = len(inputs.waiting)
        frame.out(f"increment check: {count} waiting, {len(findings)} to look at")
    if findings:
        ctx.exit(1)


def _of_path(problem: str) -> Finding:
    path, _, message = problem.partition(": ")
    return Finding(severity=ERROR, code="unreadable", message=message, path=path)


def _findings(
    one: IncrementFile, found: Increment, names: set[str]
) -> Iterator[Finding]:
    for line, text in found.problems:
        yield Finding(
            severity=WARNING if found.is_readable else ERROR,
            code="odd" if found.is_readable else "unreadable",
            message=text,
            path=one.path,
            line=line,
        )
    for domain in sorted({name for fact in found.facts for name in fact.domains}):
        if domain not in names:
            yield Finding(
                severity=WARNING,
                code="unknown-domain",
                message=f"domain {domain!r} is no module: goes into the snapshot",
                path=one.path,
                line=1,
            )


def _show(frame: Frame, finding: Finding) -> None:
    if frame.json:
        frame.emit(finding.row())
        return
    where, message = shown(finding.where, SHOWN), shown(finding.message, SHOWN)
    frame.out(f"{where}: {finding.severity} {finding.code}: {message}")
