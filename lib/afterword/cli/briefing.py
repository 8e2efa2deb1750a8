"""`afterword briefing`: what the next episode would be told."""

from __future__ import annotations

import click

from afterword import briefing as composer
from afterword.cli.frame import Frame, command, pass_frame
from afterword.episode import attribution
from afterword.host import shims


@command("briefing")
@click.option(
    "--episode", metavar="ID", help="Brief this episode, with what it decided so far."
)
@pass_frame
def briefing(frame: Frame, episode: str | None) -> None:
    """Print what the next episode would be told when it starts."""
    moment = frame.moment()
    name = attribution.explicit(moment.store, episode) if episode else ""
    text = composer.compose(
        moment.store,
        moment.config,
        moment.head,
        name,
        recalling=bool(name),
        changed_shims=shims.changed(moment.host, moment.store.root),
    )
    if frame.json:
        frame.emit({"episode": name or None, "text": text})
    else:
        frame.out(text)
