"""From parts to a plan: what each file is now, what it will be, and the diff of that.

Reads files and changes none. A file that cannot be edited safely is refused with the
reason, before anything is written.
"""

from __future__ import annotations

import difflib
import os
import shlex
import stat
from collections.abc import Iterable
from dataclasses import dataclass

from afterword.errors import AfterwordError, UnsafePath
from afterword.install.entries import Memo
from afterword.install.parts import Part
from afterword.store import atomic

MAX_BYTES = 8 * 1024 * 1024


class Refused(AfterwordError):
    """A file that we may not change; the message names it and the reason."""

    code = "refused"


class Unreachable(Refused):
    """A place where no install can ever have put anything."""


@dataclass(frozen=True)
class Found:
    """A file as it is: the path with links resolved, its bytes (None: absent) and mode."""

    path: str
    data: bytes | None
    mode: int


@dataclass(frozen=True)
class Change:
    """One file from `before` to `after` (None: absent).

    `path` is where it really lies, `shown` its name for people and in the receipt.
    `mode` is the mode to give it, None to keep what there is.
    """

    path: str
    shown: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None
    memo: Memo | None = None

    @property
    def verb(self) -> str:
        """What becomes of the file, in one word."""
        if self.before is None:
            return "create"
        return "remove" if self.after is None else "change"


@dataclass(frozen=True)
class Plan:
    """Changes in the order in which they are made, and what has to be said."""

    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()

    def __add__(self, other: Plan) -> Plan:
        return Plan(self.changes + other.changes, self.notes + other.notes)


def look(part: Part) -> Found | None:
    """The file of a part as it is; None where a symlink stands that we do not follow.

    `Refused` when it leaves the folder it belongs to, or is no regular file.
    """
    if os.path.islink(part.path) and not part.follows:
        return None
    real, within = os.path.realpath(part.path), os.path.realpath(part.within)
    if not real.startswith(within.rstrip(os.sep) + os.sep):
        raise Unreachable(
            f"{part.shown}: leads out of {part.within}, to {real}; not changed"
        )
    if os.path.islink(part.path) and not os.path.exists(real):
        raise Refused(f"{part.shown}: a symlink to nothing ({real}); not changed")
    return Found(real, *_content(real, part.shown))


def _content(path: str, shown: str) -> tuple[bytes | None, int]:
    try:
        status = os.stat(path)
        if status.st_size > MAX_BYTES:
            raise Refused(f"{shown}: larger than {MAX_BYTES} bytes; not changed")
        return atomic.read(path), stat.S_IMODE(status.st_mode)
    except FileNotFoundError:
        return None, 0
    except NotADirectoryError:
        raise Unreachable(
            f"{shown}: a file stands where its folder should be; not changed"
        ) from None
    except UnsafePath:
        raise Unreachable(f"{shown}: not a regular file; not changed") from None
    except OSError as error:
        raise Refused(
            f"{shown}: cannot be read ({error.strerror}); not changed"
        ) from None


def installing(parts: Iterable[Part], *, modes: bool = True) -> Plan:
    """What puts the parts in. `modes` false: the file system keeps no executable bits."""
    plan = Plan()
    for part in parts:
        plan += _installing(part, modes)
    return plan


def _installing(part: Part, modes: bool) -> Plan:
    found = look(part)
    if found is None:
        return Plan(notes=(f"{part.shown}: a symlink, left alone",))
    outcome = part.put(found.data)
    mode = _mode(part, found, outcome.data) if modes or found.data is None else None
    if outcome.data == found.data and mode is None:
        return Plan(notes=outcome.notes)
    _writable(found, part.shown)
    change = Change(
        found.path, part.shown, found.data, outcome.data, mode, outcome.memo
    )
    return Plan((change,), outcome.notes)


def _mode(part: Part, found: Found, data: bytes | None) -> int | None:
    """The mode to give a file, None where the one it has will do."""
    if not part.executable or data is None or not part.owns(data):
        return None
    if found.data is None:
        return 0o777 & ~umask()
    return None if found.mode & 0o100 else found.mode | 0o111 & ~umask()


def umask() -> int:
    """The process's file mode mask."""
    current = os.umask(0o077)
    os.umask(current)
    return current


def _writable(found: Found, shown: str) -> None:
    """Respect a file that a person made read-only, although a rename would get around it."""
    if found.data is not None and not found.mode & 0o222:
        raise Refused(
            f"{shown}: read-only; not changed",
            hint=f"make it writable, then run install.py again; type: chmod u+w {shlex.quote(found.path)}",
        )


def removing(part: Part, before: Change | None) -> Plan:
    """What takes a part out; `before` is what the receipt knows of its installation.

    Unchanged since: the bytes from before come back. Changed since: only ours goes.
    """
    try:
        found = look(part)
    except Unreachable:
        if before is None:
            return Plan()
        raise
    if found is None or found.data is None:
        return Plan()
    target, notes = _without(part, found.data, before)
    if target == found.data:
        return Plan(notes=notes)
    _writable(found, part.shown)
    return Plan((Change(found.path, part.shown, found.data, target),), notes)


def _without(
    part: Part, data: bytes, before: Change | None
) -> tuple[bytes | None, tuple[str, ...]]:
    if before is not None and data == before.after:
        return before.before, ()
    if before is not None and data == before.before:
        return data, ()
    outcome = part.take_out(data, before.memo if before else None)
    if (
        before is not None
        and before.before is None
        and not (outcome.data or b"").strip()
    ):
        return None, outcome.notes
    return outcome.data, outcome.notes


def diff(change: Change) -> str:
    """The change as a unified diff that `git apply` understands."""
    old = "/dev/null" if change.before is None else f"a/{change.shown}"
    new = "/dev/null" if change.after is None else f"b/{change.shown}"
    head = [f"diff --git a/{change.shown} b/{change.shown}\n"]
    if change.before is None:
        head.append(
            f"new file mode {0o100755 if (change.mode or 0) & 0o100 else 0o100644:o}\n"
        )
    elif change.after is None:
        head.append("deleted file mode 100644\n")
    elif change.mode is not None and change.before == change.after:
        head += ["old mode 100644\n", "new mode 100755\n"]
    body = difflib.unified_diff(
        _lines(change.before), _lines(change.after), old, new, lineterm="\n"
    )
    return "".join(head) + "".join(_ended(line) for line in body)


def _lines(data: bytes | None) -> list[str]:
    text = (data or b"").decode(errors="backslashreplace")
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _ended(line: str) -> str:
    return line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
