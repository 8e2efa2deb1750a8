"""All checks, in the order in which a person would look; none is ever silently skipped.

A check that raises becomes an error finding that names it: health that could not be
told must not look like health.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from afterword.doctor import (
    disk,
    evolution,
    ledger_files,
    litter,
    records,
    session_records,
    settings,
    snapshot,
    surroundings,
    tool,
    trial,
    wiring,
    writers,
)
from afterword.doctor.scene import Scene
from afterword.errors import AfterwordError
from afterword.finding import ERROR, Finding, ordered
from afterword.install import receipt
from afterword.store.git.head import GitPlace
from afterword.store.layout import STAMP_NAME

Check = Callable[[Scene], Iterable[Finding]]

CHECKS: tuple[tuple[str, Check], ...] = (
    ("the disk", disk.check),
    ("the local half", disk.check_local),
    ("the settings", settings.check),
    ("the environment", surroundings.check),
    ("the tool", tool.check),
    ("the merge driver", tool.check_merging),
    ("the wiring", wiring.check),
    ("the hooks' dry run", trial.check),
    ("the writers", writers.check),
    ("the ledgers", ledger_files.check),
    ("the joined ledgers", ledger_files.check_joined),
    ("the episodes", writers.check_episodes),
    ("the hosts' calls", writers.check_calls),
    ("what lies about", litter.check),
    ("the records", records.check),
    ("the review queue", records.check_queue),
    ("the session records", session_records.check),
    ("the learning queue, reflections and knowledge base", evolution.check),
    ("increments, snapshot and modules", snapshot.check),
    ("merge markers", records.check_markers),
)

MEND = "mend what the message names, then run doctor again"


def run(scene: Scene) -> list[Finding]:
    """Every finding, errors first."""
    found: list[Finding] = []
    for name, check in CHECKS:
        found += guarded(name, check, scene)
    return ordered(_with_fix(one) for one in found)


def _with_fix(finding: Finding) -> Finding:
    """No error leaves a person without a next step."""
    if finding.severity != ERROR or finding.fix:
        return finding
    return finding.replace(fix=MEND)


def guarded(name: str, check: Check, scene: Scene) -> list[Finding]:
    """The findings of one check, or the finding that it could not run."""
    try:
        return list(check(scene))
    except AfterwordError as error:
        reason, hint = error.message, error.hint
    except OSError as error:
        reason, hint = str(error), ""
    except Exception as error:  # a defect of ours must not hide the rest of the report
        reason, hint = f"{type(error).__name__}: {error}", ""
    return [
        Finding(
            severity=ERROR,
            code="check-failed",
            message=f"{name} could not be checked: {reason}",
            fix=hint or MEND,
        )
    ]


def had_memory(place: GitPlace) -> bool:
    """Whether this worktree once had `.ai/`: its git directory remembers."""
    names = (STAMP_NAME, receipt.NAME)
    return any(os.path.exists(os.path.join(place.git_dir, name)) for name in names)


def memory_gone(place: GitPlace) -> Finding:
    """All of `.ai/` is missing from a worktree that had it."""
    return Finding(
        severity=ERROR,
        code="memory-gone",
        path=".ai",
        message=f"{place.root} had a memory and has no .ai/ any more (git clean, git stash -u,"
        " or a branch without it): hooks do nothing, and the ledgers, open episodes, active"
        " task and open questions of this worktree are gone with .ai/local",
        fix="check out or unstash .ai/; else: afterword init",
    )
