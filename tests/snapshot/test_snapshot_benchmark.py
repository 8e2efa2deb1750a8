"""The benchmark of compiles runs: at a small size, where its numbers say nothing."""

from __future__ import annotations

import os
import sys

from project import TOOL, run

ROWS = (
    "afterword compile, 40 increments",
    "afterword compile, 400 increments",
    "10 times as many: ",
    "Stop, nothing waits",
    "Stop, 5 increments compiled",
    "the compile adds ",
)


def test_each_row_is_measured_and_missing_a_budget_is_no_failure(tmp_path) -> None:
    """A compile that leaves an increment, stages nothing or fails in a hook is one."""
    script = TOOL / "benchmarks" / "compile.py"
    words = [sys.executable, str(script), "--small", "--alone"]
    ran = run(words, tmp_path, env={"PATH": os.environ["PATH"]})
    assert ran.code == 0, ran.err
    for row in ROWS:
        assert any(line.startswith(row) for line in ran.out.splitlines()), ran.out
