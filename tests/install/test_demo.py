"""`install.py --demo` with the real tool, as on a machine where an agent runs it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from afterword.install import demo, stage
from afterword.install.environment import Environment


def test_the_demo_shows_a_whole_episode(
    real: Environment,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Run by an agent, with git settings that sign commits and hooks that refuse them."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("AFTERWORD_EPISODE", "mine")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    home = Path(tmp_path / "home")
    home.mkdir()
    (home / ".gitconfig").write_text(
        "[commit]\n\tgpgSign = true\n[user]\n\tname = Me\n"
    )
    monkeypatch.setenv("HOME", str(home))
    assert demo.run(real) == 0
    out, err = capfd.readouterr()
    assert err == ""
    for step in (
        "session-start",
        "decision add",
        "question add",
        "learn ",
        "pre-compact",
        "reflect add",
        "session-end",
        "increment add",
        "Snapshot compiled:",
        "- 状态: pending_resolution",
        "conflict resolve c-",
        "by A Person",
        "Snapshot: .ai/repo/snapshot.md",
    ):
        assert step in out
    assert "[convention] Tabs are refused in the parser" in out
    match = re.search(r"All of it lies in (\S+),", out)
    assert match is not None
    root = Path(match[1])
    assert f"The folder stays until you delete it: rm -rf {root}\n" in out
    evolution = root / ".ai/repo/evolution"
    assert len(list((evolution / "entries").glob("k-*.md"))) == 1
    assert "- Status: done\n" in (evolution / "learning_queue.md").read_text()
    assert "## Reflection - " in (evolution / "reflection_log.md").read_text()
    assert len(list((root / ".ai/repo/knowledge/curated").glob("demo-1-*.md"))) == 1
    increments = root / ".ai/repo/increments"
    assert list(increments.glob("*.md")) == []
    assert len(list((increments / "archive").glob("*.md"))) == 4
    assert "kept new: " in (root / ".ai/repo/snapshot.md").read_text()
    log = ["git", "-C", str(root), "log", "--format=%an"]
    done = subprocess.run(
        log, capture_output=True, text=True, check=True, env={"PATH": "/usr/bin:/bin"}
    )
    assert set(done.stdout.split("\n")) == {"A Person", ""}


def test_a_step_that_fails_names_the_repository(
    real: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    Path(real.command).write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    with pytest.raises(stage.DemoFailed) as caught:
        demo.run(real)
    assert (
        caught.value.message
    ) == ".ai/bin/afterword start Reject tabs in the parser --scope lib: exit 1\nbroken"
    assert caught.value.hint.startswith(
        f"the repository of the demo is {tmp_path}/afterword-demo-"
    )
