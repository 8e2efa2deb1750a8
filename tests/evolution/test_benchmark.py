"""The benchmark of evolution runs: at a small size, where its numbers say nothing."""

from __future__ import annotations

import os
import sys

from project import TOOL, run

COMMANDS = (
    "queue archive",
    "the same beside",
    "reflect roll",
    "queue list",
    "learn",
    "evolve",
    "merge of two queues",
)
ENDS = (
    "no evolution files",
    "a large queue with nothing to do",
    "three items evolved",
    "an archive run",
    "a roll",
    "three items of a large queue evolved",
)


def test_each_row_is_measured_and_missing_a_budget_is_no_failure(tmp_path) -> None:
    """A command that fails, or an end that does not do what its row says, is one."""
    script = TOOL / "benchmarks" / "evolution.py"
    ran = run(
        [sys.executable, str(script), "--small"], tmp_path, env={"PATH": os.environ["PATH"]}
    )  # fmt: skip
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    for name in (*COMMANDS, *(f"SessionEnd, {end}" for end in ENDS)):
        assert any(line.startswith(name) for line in lines), ran.out
