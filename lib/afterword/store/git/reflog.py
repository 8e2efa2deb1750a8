"""What HEAD's reflog says was made here, and when.

Reads the file from its end backwards, so that its cost follows the span asked for and
not the age of the repository. The rules are pure functions over its entries. Part of
a hook's path.
"""

import os

from afterword.model import TYPE_CHECKING, Model
from afterword.store.git.head import READ

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from afterword.store.git.evidence import Span

_BLOCK = 1 << 15
_MOST = 16 << 20
# Entries older than the span that are read before the search ends: a clock set back
# once, or a commit with a date of its own, must not hide what came before it.
_SLACK = 50
_MOVES = frozenset(
    [
        "checkout",
        "reset",
        "clone",
        "branch",
        "Branch",
        "switch",
        "initial",
        "bisect",
        "stash",
        "push",
        "fetch",
    ]
)
# What a rebase names in brackets after its own name or that of `pull --rebase`.
_MADE_STEPS = frozenset(
    [
        "pick",
        "reword",
        "edit",
        "squash",
        "fixup",
        "amend",
        "continue",
        "merge",
        "revert",
        "commit",
    ]
)
_STEPS = _MADE_STEPS | frozenset(
    ["start", "finish", "abort", "reset", "label", "checkout", "quit", "skip"]
)


class Entry(Model):
    """One move of HEAD: from `old` to `new` (None: no commit), seconds, and git's words."""

    old: "str | None"
    new: "str | None"
    at: int
    message: str


class Log(Model):
    """The entries inside a span, oldest first; `covers` when none of it can have expired."""

    entries: "tuple[Entry, ...]"
    covers: bool


def read(git_dir: str) -> "Iterator[Entry]":
    """The entries of this worktree's HEAD, newest first; malformed lines are left out."""
    for line in _lines_backwards(git_dir + "/logs/HEAD"):
        entry = parse(line)
        if entry:
            yield entry


def parse(line: bytes) -> "Entry | None":
    """`<old> <new> <name> <email> <seconds> <zone>TAB<message>`; None for anything else."""
    head, _, message = line.partition(b"\t")
    words = head.split(b" ")
    if (
        len(words) < 5
        or len(words[0]) not in (40, 64)
        or len(words[1]) != len(words[0])
    ):
        return None
    try:
        at = int(words[-2])
    except ValueError:
        return None
    return Entry(
        old=_sha(words[0]),
        new=_sha(words[1]),
        at=at,
        message=message.decode("utf-8", "replace"),
    )


def inside(entries: "Iterable[Entry]", span: "Span") -> Log:
    """The entries of a span, given newest first.

    Commit times are whole seconds. In the very seconds of the opening and the closing
    the heads decide: what led to the opening head was before, what left the closing
    head was after.
    """
    found: list[Entry] = []
    older, covers = 0, False
    last: Entry | None = None
    for entry in entries:
        last = entry
        if entry.at < span.opened:
            covers, older = True, older + 1
            if older >= _SLACK:
                break
        elif span.closed is None or entry.at <= span.closed:
            found.append(entry)
    found.reverse()
    covers = covers or (last is not None and last.old is None)
    return Log(entries=_after(_before(found, span), span), covers=covers)


def made(message: str) -> "bool | None":
    """Whether an entry's words say that it made a commit; None for words git does not use.

    The words of git's own commands, and of the programs that write like it.
    """
    action, _, said = message.partition(": ")
    verb = action.partition(" ")[0].rstrip(":")
    if verb == "commit":
        return True
    if said == "fast-forward":
        return False
    if verb in ("cherry-pick", "revert", "am"):
        return bool(said)
    step = action.rpartition(" (")[2][:-1] if action.endswith(")") else ""
    if step in _STEPS:
        return step in _MADE_STEPS
    if verb in ("merge", "pull"):
        return "erge made by" in said or "In-index merge" in said
    return False if verb in _MOVES else None


def _sha(word: bytes) -> "str | None":
    return word.decode("ascii", "replace") if word.strip(b"0") else None


def _before(entries: "list[Entry]", span: "Span") -> "list[Entry]":
    """Without what led to the opening head in the opening's own second."""
    same = [entry for entry in entries if entry.at == span.opened]
    for at in range(len(same), 0, -1):
        if same[at - 1].new == span.opening:
            return entries[at:]
    return entries


def _after(entries: "list[Entry]", span: "Span") -> "tuple[Entry, ...]":
    """Without what left the closing head in the closing's own second."""
    for at in range(len(entries), 0, -1):
        if span.closing is None or entries[at - 1].at != span.closed:
            break
        if entries[at - 1].new == span.closing:
            return tuple(entries[:at])
        if entries[at - 1].old == span.closing:
            return tuple(entries[: at - 1])
    return tuple(entries)


def _lines_backwards(path: str) -> "Iterator[bytes]":
    """The complete lines of a file, last first; one being written has no newline yet."""
    try:
        handle = os.open(path, READ)
    except OSError:
        return
    try:
        end = os.fstat(handle).st_size
        start = max(0, end - _MOST)
        rest, complete = b"", False
        while end > start:
            size = min(_BLOCK, end - start)
            end -= size
            os.lseek(handle, end, os.SEEK_SET)
            lines = (os.read(handle, size) + rest).split(b"\n")
            rest = lines.pop(0)
            if lines and not complete:
                lines.pop()
                complete = True
            yield from reversed(lines)
        if complete and end == 0:
            yield rest
    finally:
        os.close(handle)
