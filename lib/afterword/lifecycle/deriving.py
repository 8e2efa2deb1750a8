"""`knowledge derive`: a derivation that somebody typed, of any episode known here.

Unlike a hook it may wait for the episode's lock and look for secrets with everything
there is, so it also derives what a hook withheld unchecked. Commands only.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from afterword.episode import window
from afterword.errors import AfterwordError
from afterword.knowledge.derivation import Result
from afterword.lifecycle import evidence
from afterword.lifecycle.moment import Moment
from afterword.store import secrets
from afterword.store.locks import COMMAND_WAIT, Lock, episode_bucket


def derive(
    moment: Moment, episode: str, *, dry_run: bool = False, restore: bool = False
) -> Result:
    """Derive an episode within its own span; with `dry_run` nothing is written.

    `AfterwordError` while git is in the middle of something, for then HEAD says
    nothing about the episode; `OSError` when the disk refuses, and no line is logged.
    """
    busy = moment.hands_off
    if busy and not dry_run:
        raise AfterwordError(
            f"git is in the middle of something here ({busy}), so no tracked file is changed",
            hint="finish or abort it, then run the command again",
            code="git-busy",
        )
    with _held(moment, episode, dry_run):
        found = window.read(moment.store, episode)
        return evidence.derive_now(
            moment,
            found,
            evidence.commits_of(moment, found, window.bounds(found)),
            restore=restore,
            dry_run=dry_run,
            secret=kind_of_secret,
        )


def _held(
    moment: Moment, episode: str, dry_run: bool
) -> AbstractContextManager[object]:
    """The episode's lock, as a close takes it; a dry run makes not even a lock file."""
    if dry_run:
        return nullcontext()
    return Lock(moment.store, episode_bucket(episode), wait=COMMAND_WAIT)


def kind_of_secret(text: str) -> str:
    """The kind of the first secret in a text, or "", by the whole search."""
    kinds = secrets.mask(text).kinds
    return kinds[0] if kinds else ""
