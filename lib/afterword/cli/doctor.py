"""`afterword doctor`: whether hooks, episodes and memory are in order; changes nothing."""

from __future__ import annotations

import os

import click

from afterword.cli.frame import Frame, command, pass_frame
from afterword.doctor import report
from afterword.doctor.scene import Scene
from afterword.finding import ERROR, INFO, WARNING, Finding, failing
from afterword.store import clock, config, layout
from afterword.store.layout import Store
from afterword.store.safe_text import shown

SHOWN = 500
_COLOURS = {ERROR: "red", WARNING: "yellow", INFO: "green"}


@command("doctor")
@pass_frame
@click.pass_context
def doctor(ctx: click.Context, frame: Frame) -> None:
    """Report on hooks, tool, episodes, ledgers, records and what lies about.

    Runs every wired hook in a dry form. Writes nothing. Exit 1 when something is
    an error.
    """
    findings = [
        one.replace(message=frame.typed(one.message), fix=frame.typed(one.fix))
        for one in _examined(frame)
    ]
    for finding in findings:
        if frame.json:
            frame.emit(finding.row(with_fix=True))
        else:
            _show(frame, finding)
    if not frame.json:
        frame.out(_summary(findings))
    if failing(findings):
        ctx.exit(1)


def _examined(frame: Frame) -> list[Finding]:
    """The findings; a repository whose memory is gone has one of its own."""
    found = layout.find(frame.start)
    if found is None:
        place = layout.repository(frame.start)
        if report.had_memory(place):
            return [report.memory_gone(place)]
        layout.need(frame.start)
    store, settings = _settled(found or layout.need(frame.start))
    return report.run(Scene(store, settings, dict(os.environ), clock.now()))


def _settled(found: Store) -> tuple[Store, config.Config]:
    """The settings read from the file itself: a cache would be written."""
    settings = config.peek(found)
    return found.replace(paths=settings.paths()), settings


def _show(frame: Frame, finding: Finding) -> None:
    where = f"{shown(finding.where, SHOWN)}: " if finding.where else ""
    severity = frame.paint(finding.severity, fg=_COLOURS[finding.severity])
    frame.out(f"{severity} {finding.code}: {where}{shown(finding.message, SHOWN)}")
    if finding.fix:
        frame.out(f"    {shown(finding.fix, SHOWN)}")


def _summary(findings: list[Finding]) -> str:
    count = {
        severity: sum(finding.severity == severity for finding in findings)
        for severity in (ERROR, WARNING)
    }
    return f"doctor: {count[ERROR]} error(s), {count[WARNING]} warning(s)"
