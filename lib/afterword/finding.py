"""What a check found: the one shape that `knowledge check`, `doctor` and `health` print.

Errors are data here: one bad file hides no other. Imports `model` only.
"""

from __future__ import annotations

from afterword.model import TYPE_CHECKING, Model

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

ERROR, WARNING, INFO = "error", "warning", "info"
SEVERITIES = (ERROR, WARNING, INFO)


class Finding(Model):
    """`code` is stable, `path` is from the root or "", `fix` what to type or do next."""

    severity: str
    code: str
    message: str
    path: str = ""
    line: int | None = None
    fix: str = ""

    @property
    def where(self) -> str:
        """`path:line`, `path`, or "" where it concerns no file."""
        return f"{self.path}:{self.line}" if self.path and self.line else self.path

    def row(self, *, with_fix: bool = False) -> dict[str, Any]:
        """The finding with the keys of CLI.md; doctor adds `fix`."""
        found: dict[str, Any] = {
            "severity": self.severity,
            "code": self.code,
            "path": self.path or None,
            "line": self.line,
            "message": self.message,
        }
        if with_fix:
            found["fix"] = self.fix
        return found


def failing(findings: Iterable[Finding]) -> int:
    """How many of them are errors: more than none makes the exit code 1."""
    return sum(finding.severity == ERROR for finding in findings)


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """Errors first, then warnings; within each by file and line."""
    return sorted(
        findings,
        key=lambda one: (
            SEVERITIES.index(one.severity),
            one.path,
            one.line or 0,
            one.code,
        ),
    )
