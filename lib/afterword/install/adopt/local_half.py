"""The `.ai/local` that another system made, taken over as this worktree's own.

The one thing that an adoption changes beside settings; it adds a stamp and nothing else.
"""

from __future__ import annotations

import os

from afterword.store import atomic
from afterword.store.layout import STAMP_NAME
from afterword.store.stamp import STAMP


def claim(root: str, git_dir: str) -> list[str]:
    """Stamp a local half that another system made as this worktree's own; what it held.

    Adopting is an act of a person who knows the folder, so nothing is moved aside.
    [] when there is nothing to claim.
    """
    local = os.path.join(root, ".ai", "local")
    real = os.path.join(os.path.realpath(root), ".ai", "local")
    if not os.path.isdir(local) or os.path.realpath(local) != real:
        return []
    mine = os.path.join(git_dir, STAMP_NAME)
    if os.path.lexists(os.path.join(local, STAMP)) or os.path.lexists(mine):
        return []
    held = sorted(os.listdir(local))
    value = os.urandom(16).hex().encode() + b"\n"
    atomic.write(os.path.join(local, STAMP), value)
    atomic.write(mine, value)
    return held
