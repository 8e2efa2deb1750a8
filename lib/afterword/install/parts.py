"""The kinds of files that an install touches: how ours goes in and comes out again.

Putting in and taking out are pure, bytes in and bytes out: `planning` reads the
files, `applying` writes them. What a part does not own it leaves alone, and says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from afterword.errors import UnsafePath
from afterword.host.protocol import Host
from afterword.install import lineblock, settings, shims
from afterword.install.entries import Entry, Memo
from afterword.store import atomic, digest


@dataclass(frozen=True)
class Outcome:
    """What a file becomes (None: absent) and what has to be said about it."""

    data: bytes | None
    memo: Memo | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """One file. `path` is absolute, `shown` its name in messages and in the receipt.

    The file must lie, links resolved, inside `within`. `follows` says whether a
    symlink in its place is edited at its target or left alone.
    """

    path: str
    shown: str
    within: str
    executable: bool = field(default=False, kw_only=True)
    follows: bool = field(default=False, kw_only=True)

    def owns(self, data: bytes) -> bool:
        """Whether a whole file is ours as we wrote it, so that its mode is ours to set."""
        return False

    def put(self, data: bytes | None) -> Outcome:
        """The file with our part in it."""
        raise NotImplementedError

    def take_out(self, data: bytes, memo: Memo | None) -> Outcome:
        """The file without our part, whatever was changed in it since."""
        raise NotImplementedError


@dataclass(frozen=True)
class Seed(Part):
    """A file for people to edit: created when absent, removed only while nobody edited it.

    `replaces` is an unedited form of the file that another text may take the place of.
    """

    text: bytes
    replaces: bytes | None = field(default=None, kw_only=True)

    def put(self, data: bytes | None) -> Outcome:
        untouched = data is None or data == self.replaces
        return Outcome(self.text if untouched else data)

    def take_out(self, data: bytes, memo: Memo | None) -> Outcome:
        if digest.of_text(data) == digest.of_text(self.text):
            return Outcome(None)
        return Outcome(data, notes=(f"{self.shown}: stays, it was edited",))


@dataclass(frozen=True)
class Shim(Part):
    """A script whose bytes are ours for ever; a file without our mark is somebody else's."""

    text: bytes

    def owns(self, data: bytes) -> bool:
        return data == self.text

    def put(self, data: bytes | None) -> Outcome:
        if data is None or data == self.text:
            return Outcome(self.text)
        if shims.is_ours(data):
            return Outcome(
                self.text, notes=(f"{self.shown}: was changed, written anew",)
            )
        note = f"{self.shown}: not afterword's file, left alone; move it away to have the hook"
        return Outcome(data, notes=(note,))

    def take_out(self, data: bytes, memo: Memo | None) -> Outcome:
        if digest.of_text(data) == digest.of_text(self.text):
            return Outcome(None)
        if not shims.is_ours(data):
            return Outcome(data)
        note = f"{self.shown}: stays, it was edited; delete it by hand"
        return Outcome(data, notes=(note,))


@dataclass(frozen=True)
class Skill(Part):
    """A copied SKILL.md; its last line holds the hash of the rest, so that edits are seen."""

    text: bytes

    def put(self, data: bytes | None) -> Outcome:
        if data is None or _untouched(data):
            return Outcome(_signed(self.text))
        whose = "edited here" if _SIGNATURE in data else "not afterword's file"
        return Outcome(data, notes=(f"{self.shown}: {whose}, left alone",))

    def take_out(self, data: bytes, memo: Memo | None) -> Outcome:
        if _untouched(data):
            return Outcome(None)
        if _SIGNATURE not in data:
            return Outcome(data)
        return Outcome(
            data, notes=(f"{self.shown}: stays, it was edited; delete it by hand",)
        )


_SIGNATURE = b"<!-- afterword: copied by install.py, sha256 "


def _signed(text: bytes) -> bytes:
    body = text if text.endswith(b"\n") else text + b"\n"
    return body + _SIGNATURE + digest.of_text(body).encode() + b" -->\n"


def _untouched(data: bytes) -> bool:
    """Whether a skill is as install wrote it, line ends apart."""
    body, mark, rest = data.rpartition(_SIGNATURE)
    return bool(mark) and rest.strip() == digest.of_text(body).encode() + b" -->"


def carries_signature(path: str) -> bool:
    """Whether a file is a skill that install copied, edited since or not."""
    try:
        return _SIGNATURE in (atomic.read(path) or b"")
    except (OSError, UnsafePath):
        return False


@dataclass(frozen=True)
class Lines(Part):
    """A few lines of ours in a file of lines; `keeps` those of earlier installs as well."""

    lines: tuple[str, ...]
    keeps: bool = field(default=False, kw_only=True)

    def put(self, data: bytes | None) -> Outcome:
        earlier = lineblock.lines_in(data) if self.keeps else []
        lines = list(dict.fromkeys([*earlier, *self.lines]))
        return Outcome(lineblock.put(data, lines))

    def take_out(self, data: bytes, memo: Memo | None) -> Outcome:
        rest = lineblock.take_out(data)
        return Outcome(None if data and not rest else rest)


@dataclass(frozen=True)
class Settings(Part):
    """An agent's settings, with our hooks merged in."""

    host: Host
    entries: tuple[Entry, ...]

    def put(self, data: bytes | None) -> Outcome:
        wired = settings.wire(
            data,
            list(self.entries),
            self.shown,
            title=self.host.title,
            comments=self.host.comments,
        )
        return Outcome(wired.data, wired.memo, wired.warnings)

    def take_out(self, data: bytes, memo: Memo | None) -> Outcome:
        return Outcome(settings.unwire(data, self.shown, memo))
