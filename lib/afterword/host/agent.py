"""Whether an agent is typing: what its environment shows (DESIGN 12).

promote, reject and `conflict resolve` are acts of persons. The sign is honest, not a
wall: an agent that hides it is not stopped. Imports the hosts' data only.
"""

from __future__ import annotations

from collections.abc import Mapping

from afterword import host as hosts

OWN_VARIABLE = "AFTERWORD_EPISODE"


def sign(environment: Mapping[str, str]) -> str:
    """The variable that shows an agent's shell, "" where none does."""
    known = [OWN_VARIABLE]
    for host in hosts.every():
        known += host.agent_variables
    return next((name for name in known if environment.get(name)), "")
