"""Which modules a compile makes or marks: by the tree that git tracks, or by paths alone.

A hook does not read the tree; it only says that modules could be made (DESIGN 8). Pure;
imports `discovery`, `routing` and `sources`, and is loaded where there is something to
look at.
"""

from __future__ import annotations

from collections.abc import Sequence

from afterword.snapshot import discovery, routing, sources
from afterword.snapshot.fact import Fact
from afterword.snapshot.registry import Module, Registry
from afterword.snapshot.sources import Inputs


def found(
    inputs: Inputs, registered: Registry, facts: Sequence[Fact]
) -> tuple[Module, ...]:
    """The modules that nobody registered yet and that are wanted (L012, L078).

    A first compile looks for none by itself (G1): there is no snapshot to part.
    """
    is_asked = inputs.discover == sources.ALL
    if inputs.tree is None or (inputs.targets[""].data is None and not is_asked):
        return ()
    new = discovery.discover(inputs.tree, registered)
    return new if is_asked else discovery.holding(new, facts)


def gone(inputs: Inputs, registered: Registry) -> tuple[Module, ...]:
    """The modules whose code is gone, where all modules are looked at (G17)."""
    if inputs.tree is None or inputs.discover != sources.ALL:
        return ()
    return discovery.dormant(inputs.tree, registered)


def is_possible(registered: Registry, facts: Sequence[Fact]) -> bool:
    """Whether the paths of facts alone look like modules that nobody registered."""
    named = {routing.path_of(file) for fact in facts for file in fact.files}
    return bool(discovery.discover(sorted(named - {""}), registered))
