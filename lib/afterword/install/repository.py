"""The git repository of a project, and the few keys that install keeps in its configuration.

The only module of install that runs git. Asks with the caller's GIT_ variables taken
away, so that the answer is about the directory and not about another repository, and
lets nothing start that a repository brought along.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from dataclasses import dataclass

from afterword.errors import AfterwordError, GitError, NotARepository
from afterword.merge import registration
from afterword.store.git import program

TOOL_KEY = "afterword.tool"
_LOCAL_VARIABLES = (
    "GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_NAMESPACE GIT_PREFIX"
    " GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CONFIG"
    " GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_CEILING_DIRECTORIES"
).split()


@dataclass(frozen=True)
class Repository:
    """One worktree: its top, its git directory, the one it shares, and what to say of it."""

    root: str
    git_dir: str
    common_dir: str
    notes: tuple[str, ...] = ()

    @property
    def exclude(self) -> str:
        """The file of ignore patterns that belongs to this clone alone."""
        return os.path.join(self.common_dir, "info", "exclude")


def keys(tool: str) -> dict[str, str]:
    """The configuration of a wired clone: where the tool is, and how git merges our files."""
    return registration.describe_registration(tool)


def find(project: str) -> Repository:
    """The worktree around a directory; `NotARepository` says what to type where there is none."""
    if not os.path.isdir(project):
        raise NotARepository(f"{project}: no such directory")
    inside = git(project, "rev-parse", "--is-inside-work-tree")
    if inside.returncode != 0:
        raise _none(project, inside.stderr)
    if inside.stdout.strip() != "true":
        raise NotARepository(
            f"{project}: has no working tree (a bare repository, or git's own directory)",
            hint="name one of its worktrees, or make one; type: git worktree list",
        )
    root = os.path.realpath(_line(project, "--show-toplevel"))
    git_dir = os.path.realpath(_line(root, "--absolute-git-dir"))
    common = os.path.realpath(os.path.join(root, _line(root, "--git-common-dir")))
    notes = _notes(project, root, git_dir, common)
    return Repository(root, git_dir, common, notes)


def _none(project: str, stderr: str) -> NotARepository:
    if "not a git repository" in stderr:
        return NotARepository(
            f"{project}: not a git repository, and the memory is kept in one",
            hint=f"type: git init {shlex.quote(project)}",
        )
    last = (stderr.strip().splitlines() or ["git failed"])[0]
    return NotARepository(f"{project}: {last}")


def _notes(project: str, root: str, git_dir: str, common: str) -> tuple[str, ...]:
    said = []
    if os.path.realpath(project) != root:
        said.append(f"{project} lies in the repository {root}: that is what is wired")
    outer = git(root, "rev-parse", "--show-superproject-working-tree").stdout.rstrip(
        "\n"
    )
    if outer:
        said.append(f"{root} is a submodule of {outer}: it keeps a memory of its own")
    if git_dir != common and not outer:
        said.append(
            f"{root} is a linked worktree: git's settings are shared with the others"
        )
    return tuple(said)


def _line(folder: str, question: str) -> str:
    answer = git(folder, "rev-parse", question)
    if answer.returncode != 0:
        raise GitError(f"{folder}: git rev-parse {question}: {answer.stderr.strip()}")
    return answer.stdout.removesuffix("\n")


def git(folder: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run git in a folder; the caller looks at the exit code."""
    env = {
        key: value for key, value in os.environ.items() if key not in _LOCAL_VARIABLES
    }
    try:
        return subprocess.run(
            ["git", *program.disarming(), *arguments],
            cwd=folder,
            env={**env, "PATH": _search_path(folder), "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            check=False,
        )
    except FileNotFoundError:
        raise GitError(
            "git is not installed, or not on PATH",
            hint="install git, then run the same command again",
        ) from None


def _search_path(folder: str) -> str:
    """PATH without relative entries and those of the worktree: no git comes from there."""
    top = os.path.realpath(folder)
    while not os.path.lexists(os.path.join(top, ".git")) and top != os.path.dirname(
        top
    ):
        top = os.path.dirname(top)
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(
        entry
        for entry in entries
        if os.path.isabs(entry)
        and (top == os.sep or not f"{os.path.realpath(entry)}/".startswith(f"{top}/"))
    )


def configured(repository: Repository, key: str) -> str | None:
    """The value of a key in this clone's configuration; None when it has none."""
    answer = git(repository.root, "config", "--local", "--get", key)
    return answer.stdout.removesuffix("\n") if answer.returncode == 0 else None


def configure(repository: Repository, key: str, value: str | None) -> None:
    """Set a key in this clone's configuration, or take it out."""
    words = ["--unset-all", key] if value is None else ["--replace-all", key, value]
    answer = git(repository.root, "config", "--local", *words)
    # 5: there was nothing to unset.
    if answer.returncode != 0 and not (value is None and answer.returncode == 5):
        raise AfterwordError(
            f"git config {key}: {answer.stderr.strip()}",
            hint="run the same command again",
        )


def keeps_modes(repository: Repository) -> bool:
    """Whether git trusts the executable bits of this working tree."""
    answer = git(repository.root, "config", "--bool", "--get", "core.fileMode")
    return answer.stdout.strip() != "false"


def tracks(repository: Repository, path: str) -> bool:
    """Whether git tracks anything at a path, relative to the top."""
    return bool(git(repository.root, "ls-files", "-z", "--", path).stdout)


def line_ends(root: str, names: list[str]) -> dict[str, str]:
    """How the lines of files end, by name: `lf`, `crlf`, `mixed`, `none` or `-text` (binary).

    As git holds them; a file that it does not track, as it lies there.
    """
    answer = git(root, "ls-files", "-z", "--eol", "-c", "-o", "--", *names)
    found: dict[str, str] = {}
    for entry in answer.stdout.split("\0"):
        words, _, name = entry.partition("\t")
        ends = words.split()[:2]
        if name:
            index, worktree = ends[0][len("i/") :], ends[1][len("w/") :]
            found[name] = index or worktree
    return found
