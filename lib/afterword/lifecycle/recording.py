"""Recording an act: the episode opened if it is closed, the line, the state.

Held under the episode's lock, so that an act lands either before an end reads the
ledger or behind its `session.closed`, where it opens the episode again. Commands only.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from afterword import host as hosts
from afterword.episode import archive, events, ledger, opened, state
from afterword.episode.recording import Act
from afterword.episode.state import State
from afterword.lifecycle import opening, recovery
from afterword.lifecycle.moment import Moment
from afterword.store import clock
from afterword.store.locks import COMMAND_WAIT, Lock, episode_bucket


def perform(moment: Moment, episode: str, act: Callable[[State], Act]) -> Act:
    """Do what `act` makes of the present state; nothing is written when it refuses.

    `episode` is an id or `ledger.OUTSIDE`. `LockHeld` when another process keeps the
    episode or the state for long; `OSError` when the disk refuses, with nothing half
    written.
    """
    with (
        Lock(moment.store, episode_bucket(episode), wait=COMMAND_WAIT),
        Lock(moment.store, state.LOCK, wait=COMMAND_WAIT),
    ):
        before = state.current(moment.store)
        done = act(before)
        if episode != ledger.OUTSIDE:
            _open_again(moment, episode)
        if done.state == before:
            moment.log(episode, done.event)
        else:
            state.begin(moment.store)
            moment.log(episode, done.event)
            state.save(moment.store, done.state)
    return done


def _open_again(moment: Moment, episode: str) -> None:
    """Make sure that the episode is open: recorded acts continue one that was closed."""
    if opened.load(moment.store, episode) is not None:
        if not recovery.asked_to_end(moment, episode):
            return
    elif not opening.known(moment, episode):
        archive.restore(moment.store, episode)
    moment = moment.replace(host=hosts.named(_host_of(moment, episode)))
    opening.open_held(moment, episode, "", lazily=True)


def _host_of(moment: Moment, episode: str) -> str:
    """The agent that the episode was opened by."""
    for line in ledger.first_lines(ledger.path_of(moment.store, episode)):
        if line["event"] == events.SessionStarted._name:
            return str(line.get("host", ""))
    return moment.host.name


def new_task_id() -> str:
    """`t-<YYYYMMDDHHMMSS>-<4 hex>`, UTC."""
    digits = "".join(char for char in clock.stamp()[:19] if char.isdigit())
    return f"t-{digits}-{os.urandom(2).hex()}"
