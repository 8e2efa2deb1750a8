"""The one door to the git program: found, hardened, bounded.

A repository's own configuration may be hostile, so what could start a program or
reach the network is switched off for each call, by environment and by `-c`. Part of
a hook's path.
"""

import os
import sys
import time

from afterword.errors import GitError
from afterword.model import TYPE_CHECKING
from afterword.store.git import process

if TYPE_CHECKING:
    from collections.abc import Iterable

    from afterword.store.git.head import GitPlace
    from afterword.store.git.process import Ended

DEFAULT_SECONDS = 10.0
OUTPUT_LIMIT = 16 << 20
_STDERR_LIMIT = 8192
_CHUNK = 1 << 16
# How long a silent git is waited for before asking whether it has ended already: a
# program that it left behind may hold our pipe open.
_SLICE_MS = 50
_SIGPIPE, _SIGKILL = (
    13,
    9,
)  # `signal` pulls in `enum`; these two are the same everywhere

# The user's own files, not the repository's: identity and safe.directory live there.
_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
_FIXED = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "GIT_PAGER": "cat",
    # Nothing is fetched, not even what a partial clone has left out.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    # What is recorded is what was committed, and both readers see the same parents.
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
}
# Each line is a key by which a local configuration starts a program, goes elsewhere or
# changes what a reading command prints.
_DISARMED = (
    "core.fsmonitor=",
    f"core.hooksPath={os.devnull}",
    "core.pager=cat",
    "core.editor=false",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.askPass=",
    f"core.attributesFile={os.devnull}",
    "core.untrackedCache=false",
    "core.useReplaceRefs=false",
    "core.alternateRefsCommand=false",
    "credential.helper=",
    "diff.external=",
    f"diff.orderFile={os.devnull}",
    "diff.relative=false",
    "diff.renames=false",
    "diff.submodule=short",
    "log.showSignature=false",
    "log.follow=false",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "protocol.allow=never",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "color.ui=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "uploadpack.packObjectsHook=",
)
_APPLE_STUB = "/usr/bin/git"
_APPLE_TOOLS = (
    "/var/db/xcode_select_link/usr/bin/git",
    "/Library/Developer/CommandLineTools/usr/bin/git",
    "/Applications/Xcode.app/Contents/Developer/usr/bin/git",
)


class GitMissing(GitError):
    """There is no git program on PATH that may be used."""

    code = "git-missing"


class GitTimeout(GitError):
    """git did not answer in time and was ended."""

    code = "git-timeout"


def run(
    place: "GitPlace",
    *args: str,
    stdin: bytes = b"",
    deadline: "float | None" = None,
    ok: "tuple[int, ...]" = (0,),
    limit: int = OUTPUT_LIMIT,
) -> bytes:
    """Standard output of `git <args>` in the worktree.

    `deadline` is on `time.monotonic()`'s clock (default: ten seconds from now). Raises
    `GitMissing`, `GitTimeout`, and `GitError` for another exit code than those in `ok`
    and for more than `limit` bytes.
    """
    program = find(place)
    until = time.monotonic() + DEFAULT_SECONDS if deadline is None else deadline
    argv = command(program, place, args)
    try:
        ended = process.converse(argv, environment(place), stdin, until, limit)
    except OSError as error:
        raise GitMissing(f"{program} cannot be run: {error.strerror}") from None
    if ended is None:
        raise GitTimeout(
            f"git {args[0]} did not answer in time in {place.root}",
            hint=f"try it by hand: git -C {place.root} {args[0]}",
        )
    if len(ended.out) > limit:
        raise GitError(f"git {args[0]} printed more than {limit} bytes in {place.root}")
    if ended.status not in ok:
        raise _refused(place, args[0], ended)
    return ended.out


def available(place: "GitPlace") -> bool:
    """Whether there is a git program to run."""
    try:
        return bool(find(place))
    except GitMissing:
        return False


def find(place: "GitPlace") -> str:
    """The absolute path of git: never from a relative PATH entry or from the worktree.

    Raises `GitMissing`.
    """
    path = os.environ.get("PATH", "")
    inside = _forbidden(place)
    for folder in path.split(os.pathsep):
        if not os.path.isabs(folder):
            continue
        found = _usable(os.path.join(folder, "git"), inside)
        if found:
            return found
    raise GitMissing(
        "no git program on PATH",
        hint="install git, or add the folder that holds it to PATH",
    )


def command(program: str, place: "GitPlace", args: "Iterable[str]") -> "list[str]":
    """The whole command line: in the worktree, without a pager, disarmed."""
    return [program, "--no-pager", "-C", place.root, *disarming(), *args]


def disarming() -> "list[str]":
    """git's options by which a hostile local configuration starts no program."""
    return [word for setting in _DISARMED for word in ("-c", setting)]


def environment(place: "GitPlace") -> "dict[str, str]":
    """Our environment without git's variables, and with those that bind it to this place.

    The git directory is left for git to discover, for only then it checks
    `safe.directory`; the ceiling keeps it from finding the repository around ours.
    """
    kept = {
        key: value
        for key, value in os.environ.items()
        if key in _KEPT or not key.startswith("GIT_")
    }
    kept.update(_FIXED)
    kept["GIT_WORK_TREE"] = place.root
    kept["GIT_CEILING_DIRECTORIES"] = os.path.dirname(place.root)
    return kept


def apple(found: str, exists: "tuple[str, ...]") -> str:
    """The real git behind Apple's stub, which asks in a window to install it when missing."""
    if found != _APPLE_STUB:
        return found
    return next((tool for tool in _APPLE_TOOLS if tool in exists), "")


def _usable(path: str, inside: "tuple[str, ...]") -> str:
    """The path when it may be run; "" when missing, not executable or in the worktree."""
    if not (os.path.isfile(path) and os.access(path, os.X_OK)):
        return ""
    for seen in (path, os.path.realpath(path)):
        if any(seen == root or seen.startswith(root + os.sep) for root in inside):
            return ""
    if sys.platform == "darwin":
        return apple(path, tuple(filter(os.path.isfile, _APPLE_TOOLS)))
    return path


def _forbidden(place: "GitPlace") -> "tuple[str, ...]":
    """The worktree, and the main worktree where this is a linked one."""
    roots = [place.root, os.path.realpath(place.root)]
    if os.path.basename(place.common_dir) == ".git":
        main = os.path.dirname(place.common_dir)
        roots += [main, os.path.realpath(main)]
    return tuple(root for root in roots if root != os.sep)


def _refused(place: "GitPlace", what: str, ended: "Ended") -> GitError:
    """git's own reason: its first fatal line, else the last one."""
    lines = [plain(line) for line in ended.err.decode("utf-8", "replace").splitlines()]
    lines = [line for line in lines if line]
    fatal = [line for line in lines if line.startswith(("fatal: ", "error: "))]
    reason = (fatal or lines[-1:] or [f"exit code {ended.status}"])[0]
    reason = reason.removeprefix("fatal: ").removeprefix("error: ").strip()
    hint = next((line for line in lines if line.startswith("git config --global")), "")
    return GitError(f"git {what} failed in {place.root}: {reason}", hint=hint)


def plain(text: str) -> str:
    """A line of git's without control characters, 300 characters at most."""
    return "".join(char if char.isprintable() else " " for char in text).strip()[:300]
