"""The ledgers as files: torn lines, what cannot be read, joined ones that were changed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator

from afterword.doctor.scene import Scene
from afterword.episode import archive
from afterword.episode.archive import Entry
from afterword.finding import ERROR, WARNING, Finding

_CHUNK = 1 << 20


def check(scene: Scene) -> Iterator[Finding]:
    """Torn lines by file and line, and ledgers that cannot be read."""
    survey = scene.survey
    for torn in survey.torn:
        yield Finding(
            severity=WARNING,
            code="torn-line",
            path=torn.path,
            line=torn.number,
            message=f"is not a ledger line and is passed over: {torn.excerpt!r}",
            fix="nothing is lost but this line; a merge or a crash left it",
        )
    if survey.torn_count > len(survey.torn):
        message = f"{survey.torn_count - len(survey.torn)} more lines cannot be read"
        yield Finding(severity=WARNING, code="torn-line", message=message)
    for path, reason in survey.unreadable:
        yield Finding(
            severity=ERROR,
            code="ledger-unreadable",
            path=path,
            message=f"cannot be read: {reason}",
            fix="a ledger is a regular file that its owner may read and write",
        )


def check_joined(scene: Scene) -> Iterator[Finding]:
    """Archives of joined ledgers: whole to the end of the file, each entry as its header says."""
    folder = archive.folder(scene.store)
    if not scene.is_ours or not os.path.isdir(folder):
        return
    for name in sorted(os.listdir(folder)):
        if name.endswith(archive.SUFFIX) and not name.startswith("."):
            yield from _judge(scene, os.path.join(folder, name))


def _judge(scene: Scene, path: str) -> Iterator[Finding]:
    end = 0
    for entry in archive.headers(path):
        end = entry.start + entry.size
        if _digest(entry) != entry.sha256:
            yield Finding(
                severity=ERROR,
                code="archive-changed",
                path=scene.shown(path),
                message=f"the joined ledger of {entry.episode} is not what was joined",
                fix="restore the file from a backup; what can still be read in it is used",
            )
    if end < os.path.getsize(path):
        yield Finding(
            severity=WARNING,
            code="archive-torn",
            path=scene.shown(path),
            message=f"what follows byte {end} is not whole: joining was cut short, and its ledger is still a file of its own",
        )


def _digest(entry: Entry) -> str:
    found, left = hashlib.sha256(), entry.size
    with open(entry.archive, "rb") as file:
        file.seek(entry.start)
        while left > 0 and (piece := file.read(min(left, _CHUNK))):
            found.update(piece)
            left -= len(piece)
    return found.hexdigest()
