"""`afterword hook EVENT`: replay one agent event by hand, as its hook would serve it."""

from __future__ import annotations

import sys

import click

from afterword import hook as served
from afterword import host as hosts
from afterword.cli.frame import Frame, command, pass_frame
from afterword.host.protocol import EVENTS
from afterword.store import layout


def _event(ctx: click.Context, _: click.Parameter, value: str) -> str:
    """One of `EVENTS`, from that name or the one that an agent gives it."""
    if value in EVENTS:
        return value
    for host in hosts.every():
        if value in host.event_names:
            return host.event_names[value]
    known = ", ".join(EVENTS)
    raise click.BadParameter(f"{value}: no event of an agent; there are {known}")


@command("hook")
@click.argument("event", callback=_event)
@click.option(
    "--host",
    type=click.Choice(hosts.NAMES),
    default=hosts.NAMES[0],
    show_default=True,
    help="The agent whose payload and reply it is.",
)
@pass_frame
def hook(frame: Frame, event: str, host: str) -> None:
    """Replay one event; its payload, a JSON object, is read from stdin.

    EVENT is session-start, stop, pre-compact or session-end, or the name that an
    agent gives it (SessionEnd). Like a hook it always succeeds and says on stderr
    what went wrong.
    """
    arguments = ["--host", host]
    store = layout.find(frame.start)
    if store is not None:
        arguments += ["--root", store.root]
    data = b"" if sys.stdin.isatty() else sys.stdin.buffer.read()
    served.run(event, arguments, data)
