"""Claude Code and Codex in one worktree at the same time."""

from __future__ import annotations

from pathlib import Path

import pytest

from .agents import ClaudeCode, Codex
from .contract import END, assert_hooks_fired, run_side_by_side
from .lab import Lab
from .memory import Memory

pytestmark = pytest.mark.hosts


def test_two_hosts_at_once_keep_their_own_decisions(lab: Lab, tmp_path: Path) -> None:
    """Each candidate belongs to the session that decided, whichever agent it was."""
    lab.wire("claude-code,codex")
    codex = Codex(lab)
    codex.trust_hooks()
    memory = Memory(lab.project)
    left, right = run_side_by_side(tmp_path, ClaudeCode(lab), codex)
    for run, host in ((left, "claude-code"), (right, "codex")):
        assert_hooks_fired(run, memory, "SessionStart(startup)", *END)
        receipts = memory.lines_of(run.session_id, "provider.event.received")
        assert {line["provider"] for line in receipts} == {host}
    assert memory.candidate_of("Said on the left").episode == left.session_id
    assert memory.candidate_of("Said on the right").episode == right.session_id
    assert memory.open_episodes() == set()
