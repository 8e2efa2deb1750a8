"""A pytest plugin: no test is skipped in silence (`install.py --test` loads it).

A test that cannot run on this system says so with a reason that begins with
"not on this system:"; any other skip fails the run, and each is named at the end.
"""

from __future__ import annotations

import pytest

ALLOWED = "not on this system:"
_found: dict[str, str] = {}


def _note(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):
        where = report.longrepr
        reason = str(where[2] if isinstance(where, tuple) else where)
        _found[report.nodeid] = reason.removeprefix("Skipped: ")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Each phase of each test, also from the workers of xdist."""
    _note(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """A whole module that skipped itself."""
    _note(report)


def _refused() -> dict[str, str]:
    return {test: why for test, why in _found.items() if not why.startswith(ALLOWED)}


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that is green but for skips without a good reason."""
    if session.exitstatus == pytest.ExitCode.OK and _refused():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what was skipped, those that fail the run last."""
    refused = _refused()
    for test, why in sorted(_found.items(), key=lambda pair: pair[0] in refused):
        verdict = "skipped, which fails the run" if test in refused else "skipped"
        terminalreporter.write_line(f"{verdict}: {test}: {why}")
