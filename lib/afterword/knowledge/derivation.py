"""A derivation carried out: candidates against what is on disk, then written.

`plan` decides per candidate what becomes of its file, `apply` writes. A file that a
person edited, deleted, promoted or rejected is never touched (DESIGN 6). Part of a
hook's path: standard library only.
"""

import os
import time

from afterword.episode.window import Window
from afterword.errors import AfterwordError, UnsafePath
from afterword.knowledge.record import Candidate
from afterword.model import TYPE_CHECKING, Model
from afterword.store import atomic, digest, safe_text, secrets, template
from afterword.store.layout import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Reasons that a person should hear of: the text itself may not be tracked.
WITHHELD = ("secret", "transcript", "not a file")

# The tag of candidates whose text no command has seen: it comes from a commit.
UNCHECKED_TAG = "commit"

WRITE, UNCHANGED, SKIP = "write", "unchanged", "skip"


class OutOfTime(AfterwordError):
    """The deadline came while candidates were written; the next run finds those as they are."""

    code = "out-of-time"


class Row(Model):
    """What becomes of one candidate: `action` WRITE, UNCHANGED or SKIP with its reason.

    `path` from the root; `data` the bytes of the candidate.
    """

    action: str
    path: str
    data: bytes
    reason: str = ""


class Result(Model):
    """What a derivation did, by paths from the root, in the order of the evidence."""

    episode: str
    written: "tuple[str, ...]" = ()
    hashes: "tuple[str, ...]" = ()
    unchanged: "tuple[str, ...]" = ()
    skipped: "tuple[tuple[str, str], ...]" = ()

    @property
    def withheld(self) -> str:
        """`, withheld 1 (secret)`: what a person should hear of, or ""."""
        reasons = [why for _, why in self.skipped if why in WITHHELD]
        kinds = ", ".join(sorted(set(reasons)))
        return f", withheld {len(reasons)} ({kinds})" if reasons else ""

    @property
    def counts(self) -> str:
        """`1 written, 0 unchanged, 2 skipped, withheld 1 (secret)`."""
        numbers = (
            f"{len(self.written)} written, {len(self.unchanged)} unchanged,"
            f" {len(self.skipped)} skipped"
        )
        return numbers + self.withheld

    @property
    def summary(self) -> str:
        """`derived 2 new candidates, withheld 1 (secret)`, in one line."""
        count = len(self.written)
        noun = "candidate" if count == 1 else "candidates"
        return f"derived {count} new {noun}{self.withheld}"


def plan(
    store: Store,
    window: Window,
    found: "Sequence[Candidate]",
    *,
    restore: bool = False,
    secret: "Callable[[str], str] | None" = None,
) -> "tuple[Row, ...]":
    """A row for each candidate; reads files, changes nothing.

    `secret` names the kind of secret in a text, or ""; without it, what a hook can
    afford: literal shapes where a command has masked the text when it was recorded,
    and looks where none has, as in commit trailers and paths. With `restore`, what
    was written before and is gone is written again.
    """
    written = window.written
    curated = store.tracked("curated")
    folder = store.relative(store.tracked("candidates"))
    rows = []
    for candidate in found:
        name = f"{candidate.id}.md"
        is_checked = candidate.tag != UNCHECKED_TAG
        judge = secret or (secrets.hits_prefix if is_checked else secrets.is_doubtful)
        paths = secret or secrets.is_doubtful
        row = _row(candidate, f"{folder}/{name}", judge, paths)
        if row.action == WRITE and os.path.lexists(os.path.join(curated, name)):
            row = row.replace(action=SKIP, reason="promoted")
        elif row.action == WRITE:
            row = _against(store, row, written.get(row.path, frozenset()), restore)
        rows.append(row)
    return tuple(rows)


def _row(
    candidate: Candidate,
    path: str,
    secret: "Callable[[str], str]",
    secret_path: "Callable[[str], str]",
) -> Row:
    """The candidate alone: may its text stand in a tracked file?"""
    row = Row(action=WRITE, path=path, data=b"")
    if any(safe_text.transcript_marker(text) for text in candidate.texts):
        return row.replace(action=SKIP, reason="transcript")
    if any(secret(text) for text in candidate.texts):
        return row.replace(action=SKIP, reason="secret")
    candidate = candidate.replace(
        files=tuple(file for file in candidate.files if not secret_path(file))
    )
    return row.replace(data=candidate.data())


def _against(store: Store, row: Row, hashes: "frozenset[str]", restore: bool) -> Row:
    """The row in the light of the file that is there, or is not."""
    path = os.path.join(store.root, row.path)  # its folder is confined already
    try:
        present = atomic.read(path)
    except UnsafePath:  # a folder, a FIFO
        return row.replace(action=SKIP, reason="not a file")
    if os.path.islink(path):
        return row.replace(action=SKIP, reason="not a file")
    if not present:  # a crash may leave a file without bytes: it counts as absent
        if hashes and not restore:
            return row.replace(action=SKIP, reason="deleted")
        return row
    if digest.of_text(present) == digest.of_text(row.data):
        return row.replace(action=UNCHANGED)
    if digest.of_text(present) in hashes:
        return row
    fields = template.any_fields(present)
    if fields is not None and fields.get("status") not in (None, "candidate"):
        return row.replace(action=SKIP, reason="superseded")
    return row.replace(action=SKIP, reason="edited")


def apply(
    store: Store,
    episode: str,
    rows: "Sequence[Row]",
    *,
    dry_run: bool = False,
    deadline: float = float("inf"),
) -> Result:
    """Write what is to be written, each file whole. `OSError` when the disk refuses.

    `OutOfTime` behind the deadline (`time.monotonic`), read between two files.
    """
    writing = [row for row in rows if row.action == WRITE]
    if not dry_run:
        folder = store.tracked("candidates")
        for row in writing:
            if time.monotonic() > deadline:
                raise OutOfTime("out of time")
            path = os.path.join(folder, os.path.basename(row.path))
            atomic.write(path, row.data, sync_folder=False)
        if writing:
            # Durable before the ledger says so: a path that is named there and absent
            # counts as deleted by a person.
            atomic.make_durable(store.tracked("candidates"))
    return Result(
        episode=episode,
        written=tuple(row.path for row in writing),
        hashes=tuple(digest.of_text(row.data) for row in writing),
        unchanged=tuple(row.path for row in rows if row.action == UNCHANGED),
        skipped=tuple((row.path, row.reason) for row in rows if row.action == SKIP),
    )
