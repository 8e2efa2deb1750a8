"""Pinned coding agents, installed with npm at test time and never vendored.

Each agent lives in its own folder of the cache (``AFTERWORD_TEST_CACHE``, else
``~/.cache/afterword-tests`` of the real user). Standard library only.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

INSTALL_SECONDS = 600


@dataclass(frozen=True)
class Package:
    """An npm package, its exact version, and where its native binary ends up."""

    name: str
    version: str
    binary: str  # a glob below node_modules; the platform is part of the path

    @property
    def spec(self) -> str:
        """What npm is asked for: the name and the exact version."""
        return f"{self.name}@{self.version}"

    @property
    def folder(self) -> str:
        """The package's own folder name in the cache, one per version."""
        return f"{self.name.rpartition('/')[2]}-{self.version}"


CODEX = Package("@openai/codex", "0.171.0", "@openai/codex-*-*/vendor/*/bin/codex")
CLAUDE_CODE = Package(
    "@anthropic-ai/claude-code",
    "2.1.332",
    "@anthropic-ai/claude-code-*-*/claude",
)


def real_home() -> str:
    """The home directory of the user in the password file, whatever HOME says.

    Tests run with a HOME of their own; npm needs the real one for the user's
    registry settings and its download cache.
    """
    return pwd.getpwuid(os.getuid()).pw_dir


def cache_dir() -> Path:
    """The folder of the installed agents, outside every repository."""
    chosen = os.environ.get("AFTERWORD_TEST_CACHE")
    return Path(chosen) if chosen else Path(real_home(), ".cache", "afterword-tests")


def binary_of(package: Package) -> Path:
    """Return the agent's native binary, installing the package when it is missing.

    Two processes may call this at once: one installs, the other waits for it.
    Raises AssertionError (a failed test, never a skipped one) when npm is missing
    or the installation fails.
    """
    cache = cache_dir()
    cache.mkdir(parents=True, exist_ok=True)
    home = cache / package.folder
    with open(cache / f"{package.folder}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _find(home, package) or _install(home, package)


def _find(home: Path, package: Package) -> Path | None:
    """The binary in an installed folder, or None."""
    found = sorted((home / "node_modules").glob(package.binary))
    return found[0] if found else None


def _install(home: Path, package: Package) -> Path:
    """Install into a folder beside the final one and rename it when it is whole."""
    npm = shutil.which("npm")
    assert npm, (
        "the tests with real agents need npm, which is not on PATH: "
        "install Node.js with npm, or run the tests without --hosts"
    )
    partial = home.with_name(f"{home.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    ran = subprocess.run(
        [npm, "install", "--prefix", str(partial), "--ignore-scripts", "--no-audit",
         "--no-fund", "--loglevel=error", "--save-exact", package.spec],
        env={**os.environ, "HOME": real_home()},
        capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, f"npm install {package.spec} failed:\n{ran.stderr}"
    assert _find(partial, package), (
        f"{package.spec} has no native binary for this platform at "
        f"node_modules/{package.binary}"
    )
    shutil.rmtree(home, ignore_errors=True)
    partial.rename(home)
    binary = _find(home, package)
    assert binary is not None
    return binary
