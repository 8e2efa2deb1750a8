"""Which trees of other systems a worktree holds. Reads files, changes none."""

from __future__ import annotations

from afterword.install.adopt import axiom, context, majordomus
from afterword.install.adopt.adoption import Adoption, Governed

# What `adopt` says it knows, in the order in which trees are told.
KNOWN = ".ai/repo of majordomus, .omc/axiom of axiom and .ai-context"
# The folders that any adoption puts attributes into, so that an uninstall finds them.
GOVERNED: tuple[Governed, ...] = (*axiom.GOVERNED, *context.GOVERNED)


def detect(root: str) -> Adoption | None:
    """The trees that can be used in place; None where there is none.

    `Refused` when one leads out of the repository: using it would write elsewhere.
    """
    found = (
        majordomus.detect(root),
        axiom.detect(root),
        context.detect(root),
    )
    trees = tuple(tree for tree in found if tree is not None)
    return Adoption(trees) if trees else None
