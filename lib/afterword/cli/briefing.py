"""`afterword briefing`: what the next episode would be told."""

from __future__ import annotations

import click

from afterword import briefing as composer
from afterword.cli.frame import Frame, command, pass_frame


@command("briefing")
@click.option("--episode", metavar="ID", help="The episode that would be briefed.")
@pass_frame
def briefing(frame: Frame, episode: str | None) -> None:
    """Print what the next episode would be told when it starts."""
    moment = frame.moment()
    text = composer.compose(
        moment.store,
        moment.config,
        moment.head,
        episode or "",
        recalling=bool(episode),
    )
    if frame.json:
        frame.emit({"episode": episode, "text": text})
    else:
        frame.out(text)
