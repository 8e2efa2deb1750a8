"""Whether a file is still the one that was read: what a cache remembers of it (DESIGN 3).

Two times, size and inode. A file that changed less than two seconds ago may change again
within the grain of its time stamps, so nothing is kept of it. Part of a hook's path.
"""

import os
import time

_SETTLED = 2_000_000_000  # ns


def of(status: os.stat_result) -> "list[int]":
    """mtime and ctime in nanoseconds, size, inode: as JSON has it."""
    return [status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino]


def is_settled(key: "list[int]", now: int = 0) -> bool:
    """Whether no later change can go unseen; `now` in nanoseconds, by default the clock's."""
    return (now or time.time_ns()) - max(key[:2]) > _SETTLED
