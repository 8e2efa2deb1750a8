"""A scratch repository with a tool that only notes how it was called.

Real files, a real git, a real sh: what stands in for the tool is an environment whose
interpreter writes its arguments down. Used by the tests of install alone.
"""

from __future__ import annotations

import os
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

from afterword.install import project, removal
from afterword.install.project import Wiring, Wish
from afterword.install.removal import Removal

HERE = Path(__file__).resolve().parent
TOOL = HERE.parents[1]
INSTALLER = TOOL / "install.py"

RECORDER = """#!/bin/sh
{ printf '%s\\n' "$PWD" "$0" "$@"; cat; } > "$(dirname "$0")/../called"
env > "$(dirname "$0")/../variables"
"""


def without_tool(path: str) -> str:
    """A search path on which no `afterword` lies: the tests' own environment may be on it."""
    folders = path.split(os.pathsep)
    return os.pathsep.join(
        folder
        for folder in folders
        if not os.path.exists(os.path.join(folder, "afterword"))
    )


def environment(home: Path, **more: str) -> dict[str, str]:
    """The variables of a process that knows nothing of the session running the tests."""
    return {
        "HOME": str(home),
        "PATH": without_tool(os.environ.get("PATH", os.defpath)),
        "LANG": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "T",
        "GIT_AUTHOR_EMAIL": "t@example.invalid",
        "GIT_COMMITTER_NAME": "T",
        "GIT_COMMITTER_EMAIL": "t@example.invalid",
        **more,
    }


def snapshot(root: Path) -> dict[str, object]:
    """Every entry below a folder, git's own apart: kind, mode and bytes."""
    found: dict[str, object] = {}
    for folder, names, files in os.walk(root):
        if Path(folder) == root and ".git" in names:
            names.remove(".git")
        for name in (*names, *files):
            path = Path(folder, name)
            shown = str(path.relative_to(root))
            mode = stat.S_IMODE(path.lstat().st_mode)
            if path.is_symlink():
                found[shown] = ("link", str(path.readlink()))
            elif path.is_dir():
                found[shown] = ("folder", mode)
            elif path.is_file():
                found[shown] = ("file", mode, path.read_bytes())
            else:
                found[shown] = ("other", mode)
    return found


@dataclass
class Scene:
    """One repository, a home directory and a recording tool beside it."""

    root: Path
    home: Path
    env: Path  # the tool's environment
    tool: Path  # the tool's checkout

    @property
    def command(self) -> Path:
        return self.env / "bin" / "afterword"

    def git(self, *words: str, cwd: Path | None = None, check: bool = True) -> str:
        """Run git in the repository; its stdout."""
        done = subprocess.run(
            ["git", *words],
            cwd=cwd or self.root,
            env=environment(self.home),
            check=check,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def commit(self, message: str = "work") -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def write(self, shown: str, data: bytes | str) -> Path:
        path = self.root / shown
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    def wish(self, **more: object) -> Wish:
        values = {
            "project": str(self.root),
            "home": str(TOOL),
            "command": str(self.command),
        }
        return Wish(**{**values, **more})  # type: ignore[arg-type]

    def plan(self, **more: object) -> Wiring:
        return project.prepare(self.wish(**more), lambda _: True)

    def install(self, **more: object) -> Wiring:
        wiring = self.plan(**more)
        self.done = project.carry_out(wiring)
        return wiring

    def uninstall(self, scope: str = "", hosts: str | None = None) -> Removal:
        job = removal.prepare(str(self.root), str(TOOL), hosts, scope)
        self.done = removal.carry_out(job)
        return job

    def state(self) -> dict[str, object]:
        """The tree, and of git's own directory what install may touch."""
        found = snapshot(self.root)
        git = self.root / ".git"
        # A note of when the index was last looked at; it must go with the stamp.
        wired = (git / "afterword-stamp").exists()
        if git.is_dir():
            found[".git/config"] = (git / "config").read_bytes()
            exclude = git / "info" / "exclude"
            found[".git/info/exclude"] = (
                exclude.read_bytes() if exclude.exists() else None
            )
            found[".git"] = sorted(
                path.name
                for path in git.iterdir()
                if path.name not in ("index", *(["afterword-index"] if wired else []))
            )
        return found

    def run(
        self,
        command: list[str] | str,
        *,
        stdin: str = "",
        cwd: Path | None = None,
        **more: str,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program, or a command line through sh as hosts do."""
        return subprocess.run(
            command,
            shell=isinstance(command, str),
            cwd=cwd or self.root,
            env=environment(self.home, **more),
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )

    def called(self) -> list[str]:
        """What the recording tool was last called with: folder, name, arguments, stdin."""
        path = self.env / "called"
        return path.read_text().splitlines() if path.exists() else []


def recorder(env: Path, tool: Path) -> None:
    """An environment whose interpreter and command write down how they were called."""
    (env / "bin").mkdir(parents=True)
    for name in ("python", "afterword"):
        path = env / "bin" / name
        path.write_text(RECORDER)
        path.chmod(0o755)
    (env / "bin" / "afterword-home").write_text(f"{tool}\n")
    (tool / "hooks").mkdir(parents=True)
    (tool / "lib" / "afterword").mkdir(parents=True)
    for event in ("session-start", "stop", "pre-compact", "session-end"):
        (tool / "hooks" / event).write_text("")
