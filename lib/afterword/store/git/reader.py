"""What a reader of the repository must be able to tell; two modules answer.

`program_reader` asks the git program, `dulwich_reader` reads the objects itself. A
differential test over generated repositories holds them equal. Pure; part of a
hook's path.
"""

from afterword.model import TYPE_CHECKING, Model
from afterword.store.git.head import read_small

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType
    from typing import Protocol

    from typing_extensions import Self

    from afterword.store.git.head import GitPlace


class Facts(Model):
    """A commit as it is stored: `message` decoded, `touched` without a merge's paths."""

    sha: str
    parents: "tuple[str, ...]"
    at: int
    email: str
    message: str = ""
    touched: "frozenset[bytes]" = frozenset()


if TYPE_CHECKING:

    class Reader(Protocol):
        """Answers about one worktree; a context manager, because dulwich must be closed.

        Every method raises `GitError` when the repository cannot be read or the deadline
        has passed; an object that does not exist is left out, never an error.
        """

        def __enter__(self) -> Self: ...

        def __exit__(
            self,
            kind: type[BaseException] | None,
            error: BaseException | None,
            trace: TracebackType | None,
        ) -> None: ...

        def facts(
            self, shas: Sequence[str], trees: tuple[str, ...]
        ) -> dict[str, Facts]:
            """What each of the commits is, with what it touched below the trees."""

        def reachable(self, shas: Sequence[str], tips: Sequence[str]) -> set[str]:
            """Those reachable from the tips, HEAD, a branch, a remote branch or a tag."""

        def between(self, tip: str, base: str | None, limit: int) -> list[Facts]:
            """The newest commits that `tip` reaches and `base` does not, without paths."""

        def tracked_at(
            self, sha: str, paths: Iterable[bytes], trees: tuple[str, ...]
        ) -> frozenset[bytes]:
            """Those of the paths, all below the trees, that are files of the commit."""

        def email(self) -> str:
            """The address that this user commits with here, "" when git knows none."""

        def existing(self, shas: Sequence[str]) -> frozenset[str]:
            """Those that are commits of this repository."""

        def tracked(self, paths: Sequence[str]) -> frozenset[str]:
            """Those of the paths that are files of the index."""

        def changed_paths(self, sha: str, commits: int, limit: int) -> tuple[str, ...]:
            """What the newest commits, by first parents, touched, newest first."""


def decoded(message: bytes, encoding: str = "") -> str:
    """A message in the encoding that its commit names; as UTF-8 where that fails.

    Bytes that are neither show as replacement characters, as git leaves them unchanged.
    """
    body = message.split(b"\0", 1)[0]
    if encoding:
        try:
            return body.decode(encoding)
        except (LookupError, ValueError):
            pass
    return body.decode("utf-8", "replace")


def shallow(place: "GitPlace") -> "frozenset[str]":
    """The commits whose parents a shallow clone does not have."""
    data = read_small(place.common_dir + "/shallow", 1 << 20) or b""
    return frozenset(data.decode("ascii", "replace").split())


def is_sha(text: str) -> bool:
    """Whether a text can be the full name of an object."""
    return len(text) in (40, 64) and not text.strip("0123456789abcdef")
