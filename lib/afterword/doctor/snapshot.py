"""Increments, snapshot and modules: what waits, what is open, what could not be read.

A compile that is planned and not carried out tells it all, so that doctor and compile
never disagree. Merge markers have a check of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterword.doctor.scene import Scene
from afterword.errors import StoreDamaged
from afterword.finding import INFO, WARNING, Finding
from afterword.lifecycle import promoted
from afterword.snapshot import compiling, overview, places, waiting
from afterword.snapshot.compiling import Compiled
from afterword.store import clock

COMPILE = "afterword compile"
_WHERE = re.compile(r"(?P<path>[^:]+):(?:(?P<line>\d+):)? (?P<text>.*)\Z", re.DOTALL)
# How many findings of one kind are told by themselves.
MOST = 20


def check(scene: Scene) -> Iterator[Finding]:
    """Silence where no increment was ever written and nothing was promoted."""
    yield from _conflicts(scene)
    waits = len(waiting.names(scene.store))
    try:
        planned = compiling.compile_(
            scene.store,
            scene.config,
            promoted.facts(scene.store),
            date=clock.stamp(scene.now)[:10],
            wait=0,
            dry_run=True,
            whole=True,
        )
    except StoreDamaged:
        return  # told with path and line among the merge markers
    yield from _unread(planned)
    yield from _behind(scene, planned, waits)
    yield from _large(scene, planned)


def _conflicts(scene: Scene) -> Iterator[Finding]:
    seen = overview.look(scene.store, most_bytes=1 << 24, keep=False)
    count = len(seen.conflicts)
    if count:
        yield Finding(
            severity=INFO,
            code="conflicts-open",
            path=scene.store.paths["snapshot"],
            message=f"{_count(count, 'conflict')} open: {', '.join(sorted(seen.conflicts))[:200]}",
            fix="afterword conflict list",
        )


def _unread(planned: Compiled) -> Iterator[Finding]:
    problems = planned.report.problems
    for problem in problems[:MOST]:
        found = _WHERE.match(problem)
        path, line, text = found.group("path", "line", "text") if found else ("", "", problem)  # fmt: skip
        yield Finding(
            severity=WARNING,
            code="increment-unreadable",
            path=path,
            line=int(line) if line else None,
            message=text,
            fix="mend the file; compiles leave it where it is",
        )
    if len(problems) > MOST:
        yield Finding(
            severity=WARNING,
            code="increment-unreadable",
            message=f"{len(problems) - MOST} more increments cannot be read",
            fix="afterword increment check",
        )


def _behind(scene: Scene, planned: Compiled, waits: int) -> Iterator[Finding]:
    """What a compile would change, though nothing waits: a merge, an edit, a promotion."""
    if waits:
        yield Finding(
            severity=INFO,
            code="increments-wait",
            path=scene.store.paths["increments"],
            message=f"{_count(waits, 'increment')} waiting for the next compile",
            fix=COMPILE,
        )
    elif planned.paths:
        yield Finding(
            severity=INFO,
            code="snapshot-behind",
            path=planned.paths[0],
            message="does not show what the archived increments and promoted records say",
            fix=COMPILE,
        )


def _large(scene: Scene, planned: Compiled) -> Iterator[Finding]:
    """Files over the limit in which nothing may move (G13)."""
    most, where = scene.config["snapshot.max_lines"], places.of(scene.store.paths)
    for name, lines in sorted(planned.report.sizes.items()):
        if lines >= most:
            yield Finding(
                severity=INFO,
                code="snapshot-large",
                path=where.target(name),
                message=f"has {lines} lines, {most} or more, and nothing in it may move",
                fix="resolve or supersede what holds no longer; or divide it: afterword modules discover",
            )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
