"""Removes the temp files that killed processes left beside their targets (DESIGN 10).

A temp is litter only for who holds the lock under which its target is written: then no
living process can be between its temp and its rename. Standard library only.
"""

import os

from afterword.model import TYPE_CHECKING
from afterword.store import atomic

if TYPE_CHECKING:
    from collections.abc import Callable


def sweep(folder: str, is_locked: "Callable[[str], bool]") -> int:
    """Remove the temps in a folder whose target's name `is_locked` takes; how many went.

    The caller holds those targets' lock and has rolled its batches forward. A folder
    that cannot be read, or a temp that cannot be removed, is left to doctor.
    """
    try:
        names = [name for name in os.listdir(folder) if atomic.is_temp(name)]
    except OSError:
        return 0
    return sum(_remove(folder, name) for name in names if is_locked(target_of(name)))


def target_of(temp: str) -> str:
    """The name of the file that a temp was to become; cut at 120 characters, as temps are."""
    return temp[1:].rsplit(".", 3)[0]


def _remove(folder: str, name: str) -> bool:
    try:
        return atomic.unlink(os.path.join(folder, name))
    except OSError:
        return False
