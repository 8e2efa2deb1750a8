"""What killed processes and strangers left: temps, orphans, intents, planted local halves.

Names each and removes none: a file that nobody misses is cheaper than one that
somebody did.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from afterword.doctor.scene import Scene
from afterword.episode import process
from afterword.errors import AfterwordError
from afterword.finding import ERROR, WARNING, Finding
from afterword.knowledge import acts
from afterword.store import atomic, batch

_ORPHAN = ".orphan"
_PLANTED = "local-"


def check(scene: Scene) -> Iterator[Finding]:
    """Everything below the memory's folders that belongs to nobody."""
    for path in _files(scene):
        name = os.path.basename(path)
        if name.endswith(_ORPHAN):
            yield _orphan(scene, path)
        elif atomic.is_temp(name) and not process.is_alive(int(name.split(".")[-3])):
            yield Finding(
                severity=WARNING,
                code="temp",
                path=scene.shown(path),
                message="was left by a process that is gone",
                fix=f"rm '{scene.shown(path)}'",
            )
    yield from _intents(scene)
    yield from _planted(scene)


def _files(scene: Scene) -> Iterator[str]:
    """Each file once: below what is the memory's own, else in the folder itself."""
    ai = scene.store.ai
    found = set(_in(ai, is_deep=True))
    for folder, is_own in scene.folders.items():
        if not folder.startswith(ai + os.sep):
            found.update(_in(folder, is_deep=is_own))
    yield from sorted(found)


def _in(top: str, *, is_deep: bool) -> Iterator[str]:
    for parent, _, names in os.walk(top):
        yield from (os.path.join(parent, name) for name in names)
        if not is_deep:
            break


def _orphan(scene: Scene, path: str) -> Finding:
    return Finding(
        severity=WARNING,
        code="orphan",
        path=scene.shown(path),
        message="what was to be written and was not, because its file had changed meanwhile",
        fix="compare it with the file of that name, then delete it",
    )


def _intents(scene: Scene) -> Iterator[Finding]:
    """Batches that were begun: the next command or start completes those that can be read."""
    if not scene.is_ours:
        return
    waiting = dict(batch.pending(scene.store))
    for path, intent in waiting.items():
        yield Finding(
            severity=WARNING,
            code="unfinished",
            path=scene.shown(path),
            message=f"a change under the lock {intent.get('lock')!r} was not completed",
            fix="afterword episode recover",
        )
    for note in acts.pending(scene.store):
        yield Finding(
            severity=WARNING,
            code="unfinished",
            path=scene.shown(acts.path_of(scene.store, note.identity)),
            message=f"the review of {note.identity} was cut short before it was logged",
            fix="the next promote or reject completes it",
        )
    folder = scene.store.local_path("batch")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for path in (os.path.join(folder, name) for name in names):
        if path.endswith(".json") and path not in waiting and not _is_temp(path):
            yield Finding(
                severity=ERROR,
                code="intent-unreadable",
                path=scene.shown(path),
                message="an intent that cannot be read: what it began stays half done",
                fix="see git status for the files concerned, then delete it",
            )


def _is_temp(path: str) -> bool:
    return atomic.is_temp(os.path.basename(path))


def _planted(scene: Scene) -> Iterator[Finding]:
    """Local halves that were moved aside because this worktree had not made them."""
    try:
        names = sorted(os.listdir(scene.store.ai))
    except OSError as error:
        raise AfterwordError(f".ai cannot be listed: {error.strerror}") from error
    for name in names:
        if name.startswith(_PLANTED):
            yield Finding(
                severity=WARNING,
                code="planted",
                path=f".ai/{name}",
                message="a local half that this worktree had not made; it was moved aside and is not read",
                fix=f"look into it, then: rm -r .ai/{name}",
            )
