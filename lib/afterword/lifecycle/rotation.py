"""When the ledgers of closed episodes are joined: by commands, seldom, unasked.

A command that has done its work looks at their number; a hook never does.
"""

from __future__ import annotations

import os

from afterword.episode import events, joining, ledger, opened
from afterword.errors import AfterwordError, LockHeld
from afterword.lifecycle.moment import Moment
from afterword.store import atomic, clock

EVERY = 86400.0
FAR_ABOVE = 1.5
SECONDS = 5.0


def join_if_due(moment: Moment) -> None:
    """Join the oldest ledgers when there are too many; once a day unless far too many.

    Never a reason for a command to fail: what could not be done is said and left to
    the next one.
    """
    try:
        if _is_due(moment):
            join(moment, SECONDS)
    except LockHeld:
        return  # another command is at it
    except (OSError, AfterwordError) as error:
        moment.say(f"old ledgers not joined: {error}")


def join(moment: Moment, seconds: float) -> int:
    """Join until `ledger.max_closed_files` are left or the time is over; how many went."""
    keep = moment.config["ledger.max_closed_files"]
    is_open = frozenset(one.episode for one in opened.every(moment.store))
    atomic.write(_last(moment), clock.stamp().encode(), durable=False)
    joined = joining.join_oldest(moment.store, keep, is_open, seconds)
    left = len(joining.closed_ledgers(moment.store, is_open)) if joined else 0
    for one in joined:
        event = events.LedgerRotated(
            archived=one.count, kept=left, archive=moment.store.relative(one.archive)
        )
        moment.log(ledger.OUTSIDE, event)
    return sum(one.count for one in joined)


def _is_due(moment: Moment) -> bool:
    keep = moment.config["ledger.max_closed_files"]
    try:
        count = len(os.listdir(moment.store.local_path("ledger")))
    except (FileNotFoundError, NotADirectoryError):
        return False
    if count <= keep:
        return False
    return count > FAR_ABOVE * keep or clock.now() - _last_run(moment) >= EVERY


def _last(moment: Moment) -> str:
    return moment.store.local_path("cache", "ledgers-joined")


def _last_run(moment: Moment) -> float:
    try:
        return clock.seconds((atomic.read(_last(moment)) or b"").decode())
    except ValueError:
        return 0.0
