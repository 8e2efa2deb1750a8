"""To which episode a command belongs that somebody typed (DESIGN section 6, last item).

`choose` is the rule; `named_by`, `explicit` and `of_command` look at the environment
and the store for it. May import `host`, `store` and its neighbours in `episode`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from afterword import host as hosts
from afterword.episode import archive, ledger, opened
from afterword.episode.opened import OpenEpisode
from afterword.errors import AfterwordError
from afterword.host import agent
from afterword.store.layout import Store


def choose(named: Iterable[str], open_here: Sequence[OpenEpisode]) -> str:
    """The episode opened last of those named, else the one open episode, else `OUTSIDE`.

    `open_here` is in the order of opening. A named episode that is not open here does
    not count: a variable may be left over from another session or worktree.
    """
    names = frozenset(named)
    ours = [one.episode for one in open_here if one.episode in names]
    if ours:
        return ours[-1]
    return open_here[0].episode if len(open_here) == 1 else ledger.OUTSIDE


def named_by(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The episode ids that `AFTERWORD_EPISODE` and the agents' session variables name."""
    variables = [agent.OWN_VARIABLE]
    for host in hosts.every():
        variables += host.session_variables
    values = [environment.get(name, "") for name in variables]
    return tuple(opened.episode_id(value) for value in values if value)


def explicit(store: Store, given: str) -> str:
    """The episode that `--episode` names, open or closed; refused where nobody knows it.

    `outside` names what was recorded outside any episode.
    """
    if given == ledger.OUTSIDE:
        return ledger.OUTSIDE
    episode = opened.episode_id(given)
    if not is_known(store, episode):
        raise AfterwordError(
            f"episode {given} is not known in this worktree",
            hint="see: afterword episode list",
            code="unknown-episode",
        )
    return episode


def is_known(store: Store, episode: str) -> bool:
    """Whether this worktree has a ledger of the episode, or has joined it."""
    return (
        os.path.exists(ledger.path_of(store, episode))
        or os.path.exists(opened.path_of(store, episode))
        or archive.holds(store, episode)
    )


def of_command(store: Store, given: str, environment: Mapping[str, str]) -> str:
    """The episode of a command: the explicit one, else by `choose`; may be `OUTSIDE`."""
    if given:
        return explicit(store, given)
    return choose(named_by(environment), opened.every(store))
