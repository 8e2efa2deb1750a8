"""Runs commands interleaved and compares each with a bare interpreter of the same run.

CPU is what the kernel charges the process and all the children that it waited for;
a ratio of one run, so that a busy machine burdens both sides alike.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass
class Case:
    """A command with its stdin; `prepare` runs before each run and is not measured."""

    name: str
    command: Sequence[str]
    stdin: str = ""
    cwd: str = "."
    prepare: Callable[[], None] | None = None
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    peak: int = 0

    def run(self, environment: dict[str, str]) -> None:
        if self.prepare:
            self.prepare()
        read, write = os.pipe()
        os.write(write, self.stdin.encode())
        os.close(write)
        null = os.open(os.devnull, os.O_WRONLY)
        began = time.perf_counter()
        here = os.getcwd()
        os.chdir(self.cwd)
        pid = os.posix_spawn(
            self.command[0],
            list(self.command),
            environment,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, read, 0),
                (os.POSIX_SPAWN_DUP2, null, 1),
                (os.POSIX_SPAWN_DUP2, null, 2),
            ],
        )
        os.chdir(here)
        _, status, usage = os.wait4(pid, 0)
        self.wall.append(time.perf_counter() - began)
        self.cpu.append(usage.ru_utime + usage.ru_stime)
        self.peak = max(self.peak, usage.ru_maxrss)
        os.close(read)
        os.close(null)
        if status:
            raise SystemExit(f"{self.name}: exit status {status}")


def interleaved(cases: Sequence[Case], runs: int, environment: dict[str, str]) -> None:
    """Run every case once to warm it, then `runs` times in turn."""
    for case in cases:
        case.run(environment)
        case.cpu.clear()
        case.wall.clear()
    for _ in range(runs):
        for case in cases:
            case.run(environment)


def table(cases: Sequence[Case], bare: Case) -> str:
    """One line a case: CPU ratio (median, minimum), wall ratio (median), peak memory."""
    lines = [f"{'':58} {'cpu':>6} {'min':>6} {'wall':>6} {'MB':>5}"]
    unit, unit_min = statistics.median(bare.cpu), min(bare.cpu)
    wall = statistics.median(bare.wall)
    for case in cases:
        lines.append(
            f"{case.name:58} {statistics.median(case.cpu) / unit:6.2f} {min(case.cpu) / unit_min:6.2f}"
            f" {statistics.median(case.wall) / wall:6.2f} {case.peak / 1024:5.0f}"
        )
    return "\n".join(lines)
