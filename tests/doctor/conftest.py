"""The fixtures of this folder: a repository, and one that install has wired."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from afterword.install import project
from afterword.install.project import Wish
from bench import Bench

TOOL = Path(__file__).resolve().parents[2]
COMMAND = Path(sys.executable).parent / "afterword"


@pytest.fixture
def bench(repo, run_hook, afterword) -> Bench:
    return Bench(repo, run_hook, afterword)


@dataclass(frozen=True)
class Wired:
    """A wired project: `bin` is that of the tool's environment, `home` the HOME."""

    bench: Bench
    bin: Path
    home: Path

    @property
    def root(self) -> Path:
        return self.bench.repo.root

    def install(self, hosts: str = "claude-code", scope: str = "project") -> None:
        wish = Wish(
            project=str(self.root),
            home=str(TOOL),
            command=str(self.bin / "afterword"),
            hosts=hosts,
            scope=scope,
        )
        project.carry_out(project.prepare(wish, lambda _: False))

    def doctor(self, **more: Any) -> tuple[int, list[dict[str, Any]]]:
        ran = self.bench.afterword("doctor", "--json", **more)
        assert ran.err == "", ran.err
        for row in ran.objects:
            assert set(row) == {"severity", "code", "path", "line", "message", "fix"}
        return ran.code, ran.objects

    def found(self, *codes: str, **more: Any) -> list[dict[str, Any]]:
        """The findings with one of these codes; without any, the errors."""
        _, rows = self.doctor(**more)
        return [
            row
            for row in rows
            if row["code"] in codes or (not codes and row["severity"] == "error")
        ]


@pytest.fixture
def bare(bench, own_environment) -> Wired:
    """A tool in an environment of its own, and a project that is not wired yet."""
    shutil.rmtree(bench.repo.root / ".claude")  # what the other tests are wired by
    bench.repo.commit("Unwire")
    bin_ = own_environment / "env" / "bin"
    bin_.mkdir(parents=True)
    (bin_ / "python").symlink_to(sys.executable)
    (bin_ / "afterword").write_text(f'#!/bin/sh\nexec "{COMMAND}" "$@"\n')
    (bin_ / "afterword").chmod(0o755)
    (bin_ / "afterword-home").write_text(f"{TOOL}\n")
    return Wired(bench, bin_, own_environment)


@pytest.fixture
def wired(bare) -> Wired:
    """The project wired for Claude Code and committed; doctor has nothing against it."""
    bare.install()
    bare.bench.repo.commit("Wire")
    return bare
