"""Compiles that die, or halt, before the n-th change of a file, in processes of their own.

The server of tests/evolution/stepping.py, with the acts of this room; started by
`Stepper`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "evolution"))

import stepping
from stepping import HALF, KILL, STOP, Ended

__all__ = ["HALF", "KILL", "STOP", "Ended", "Stepper"]

DATE = "2026-11-30"


class Stepper(stepping.Stepper):
    """Starts compiles: `run(root, "compile", step, how, **arguments)`."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )


class Said:
    """What an act tells the test, in JSON."""

    def __init__(self, **values: Any) -> None:
        self._values = values

    def values(self) -> dict[str, Any]:
        return self._values


def _compile(store, settings, given):
    from afterword.lifecycle import promoted
    from afterword.snapshot import compiling

    facts = promoted.facts(store)
    with_defaults = {"date": DATE, "wait": 5.0, "whole": True, **given}
    done = compiling.compile_(store, settings, facts, **with_defaults)
    return Said(held=done.held, stems=list(done.report.stems))


def load() -> None:
    """What an act loads, before the first fork."""
    from afterword.lifecycle import promoted  # noqa: F401
    from afterword.snapshot import compiling  # noqa: F401
    from afterword.store import config_file

    config_file.read("nothing")


if __name__ == "__main__":
    stepping.ACTS = {"compile": _compile}
    stepping.CHANGES = [*stepping.CHANGES, "link"]
    stepping.load = load
    stepping.serve()
