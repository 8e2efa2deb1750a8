"""doctor runs nothing that a repository brought along (HAZARDS H66, DESIGN 12).

Each test plants a program that leaves a mark, and looks for the mark.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

EVENTS = ("session-start", "stop", "pre-compact", "session-end")
SETTINGS = ".claude/settings.json"
SHIM = ".claude/hooks/afterword-stop"
INSTALL = "python3 PATH/TO/afterword/install.py ."
QUIET = {"PATH": "/usr/bin:/bin"}


@pytest.fixture
def mark(own_environment) -> Path:
    """A file that only a planted program makes."""
    return own_environment / "was-run"


def plant(path: Path, mark: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    path.chmod(0o755)


def change_command(path: Path, event_name: str, change) -> None:
    values = json.loads(path.read_text())
    (entry,) = values["hooks"][event_name][0]["hooks"]
    entry["command"] = change(entry["command"])
    path.write_text(json.dumps(values, indent=2))


def not_run(wired, **more) -> dict[str, dict]:
    """The hooks that were not run, by their event."""
    rows = wired.found("hook-not-run", **more)
    assert all(row["severity"] == "error" and row["line"] for row in rows)
    return {row["message"].split()[1]: row for row in rows}


def test_the_mark_is_made_by_a_planted_program(tmp_path, mark):
    """The other tests prove nothing unless this one passes."""
    import subprocess

    plant(tmp_path / "planted", mark)
    subprocess.run([tmp_path / "planted"], check=True)
    assert mark.exists()


def test_h66_a_shim_that_is_not_ours_is_not_run(wired, mark):
    plant(wired.root / SHIM, mark)
    (row,) = not_run(wired).values()
    assert not mark.exists()
    assert row["path"] == SETTINGS
    assert row["message"] == (
        f"the stop hook was not run: {SHIM} is not what afterword wrote"
    )
    assert row["fix"] == (
        f"move it away (see git diff -- .claude/hooks), then: {INSTALL}"
    )


def test_h66_a_shim_with_one_line_more_is_not_run(wired, mark):
    path = wired.root / SHIM
    data = path.read_bytes()
    path.write_bytes(data.replace(b"\nunset ", f"\ntouch '{mark}'\nunset ".encode(), 1))
    assert path.read_bytes() != data
    assert list(not_run(wired)) == ["stop"]
    assert not mark.exists()


@pytest.mark.parametrize("how", ["before", "after", "instead"])
def test_h66_a_command_that_is_not_ours_is_not_run(wired, mark, how):
    change_command(
        wired.root / SETTINGS,
        "Stop",
        {
            "before": lambda command: f"touch '{mark}'; {command}",
            "after": lambda command: f"{command}; touch '{mark}'",
            "instead": lambda _: f"touch '{mark}' /hooks/afterword-stop",
        }[how],
    )
    (row,) = not_run(wired).values()
    assert not mark.exists()
    assert row["message"] == (
        "the stop hook was not run: its command is not what afterword writes;"
        " read it before an agent runs it"
    )
    assert row["fix"] == (
        f"take the entry out of {SETTINGS} (see git diff -- {SETTINGS}), then: {INSTALL}"
    )


def test_h66_a_command_of_another_event_is_not_ours(wired, mark):
    """Not even our own words for another event or another agent."""
    values = json.loads((wired.root / SETTINGS).read_text())
    (other,) = values["hooks"]["SessionEnd"][0]["hooks"]
    swapped = other["command"].replace("CLAUDE_PROJECT_DIR", "PWD")
    change_command(wired.root / SETTINGS, "SessionEnd", lambda _: swapped)
    assert list(not_run(wired)) == ["session-end"]


def test_a_missing_shim_leads_nowhere(wired):
    (wired.root / SHIM).unlink()
    (row,) = not_run(wired).values()
    assert row["message"] == f"the stop hook was not run: {SHIM} is missing"
    assert row["fix"] == INSTALL


def test_h66_codex_does_not_climb_out_of_the_project_to_a_planted_shim(bare, mark):
    """Its command walks up; from a linked worktree it would reach the folder above."""
    bare.install("codex")
    (bare.root / ".codex/hooks/afterword-stop").unlink()
    plant(bare.root.parent / ".codex/hooks/afterword-stop", mark)
    assert list(not_run(bare)) == ["stop"]
    assert not mark.exists()


def test_h66_a_home_folder_named_by_a_relative_path_is_not_looked_into(bare, mark):
    """`sh` would find it in the worktree, where it stands."""
    bare.install(scope="user")
    for event in EVENTS:
        plant(bare.root / f"moved/hooks/afterword-{event}", mark)
    assert list(not_run(bare, env={"CLAUDE_CONFIG_DIR": "moved"})) == list(EVENTS)
    assert not mark.exists()


def test_h66_a_tool_inside_the_worktree_is_not_run(wired, mark):
    inside = wired.root / "env"
    shutil.copytree(wired.bin.parent, inside, symlinks=True)
    plant(inside / "bin/afterword", mark)
    (inside / "bin/afterword-home").unlink()
    tool = inside / "bin/afterword"
    wired.bench.repo.git("config", "afterword.tool", str(tool))
    rows = not_run(wired, env=QUIET)
    assert not mark.exists()
    assert sorted(rows) == sorted(EVENTS)
    assert rows["stop"]["message"] == (
        f"the stop hook was not run: {tool} lies inside this project, so no shim runs it"
    )
    assert "tool-inside" in [row["code"] for row in wired.found(env=QUIET)]


def test_h66_a_link_into_the_worktree_is_inside_it(wired, mark, own_environment):
    plant(wired.root / "planted", mark)
    link = own_environment / "elsewhere/afterword"
    link.parent.mkdir()
    link.symlink_to(wired.root / "planted")
    wired.bench.repo.git("config", "afterword.tool", str(link))
    assert sorted(not_run(wired, env=QUIET)) == sorted(EVENTS)
    assert not mark.exists()
    assert "tool-inside" in [row["code"] for row in wired.found(env=QUIET)]


def test_h66_a_shell_is_no_tool(wired, mark):
    """`/bin/sh hook stop` would run the file `hook` of the worktree."""
    plant(wired.root / "hook", mark)
    wired.bench.repo.git("config", "afterword.tool", "/bin/sh")
    rows = not_run(wired, env=QUIET)
    assert not mark.exists()
    assert rows["stop"]["message"] == (
        "the stop hook was not run: /bin/sh is not called afterword"
    )
    assert "foreign-tool" in [row["code"] for row in wired.found(env=QUIET)]


@pytest.mark.parametrize("folder", ["", ".", "tools", "{root}/tools"])
def test_h66_programs_of_the_worktree_on_path_are_not_run(wired, mark, folder):
    """`.`, an empty entry, node_modules/.bin: our own commands find no sh or git there."""
    for name in ("sh", "git", "afterword"):
        plant(wired.root / name, mark)
        plant(wired.root / "tools" / name, mark)
    first = folder.format(root=wired.root)
    wired.found(env={"PATH": f"{first}:/usr/bin:/bin"})
    assert not mark.exists()


def test_h66_the_projects_command_and_the_merge_driver_are_read_and_not_run(
    wired, mark
):
    plant(wired.root / ".ai/bin/afterword", mark)
    wired.bench.repo.git("config", "merge.afterword.driver", f"touch '{mark}'")
    codes = [row["code"] for row in wired.found("foreign-shim", "no-merge-driver")]
    assert sorted(codes) == ["foreign-shim", "no-merge-driver"]
    assert not mark.exists()


@pytest.mark.parametrize("words", [("doctor",), ("knowledge", "check")])
def test_h66_a_hostile_local_configuration_starts_nothing(wired, mark, words):
    wired.bench.episode("e1", "Tabs are refused")
    wired.bench.repo.commit("Keep")
    planted = wired.root / "planted"
    plant(planted, mark)
    for key in ("core.fsmonitor", "diff.external", "core.pager", "core.sshCommand",
                "core.alternateRefsCommand", "gpg.program"):  # fmt: skip
        wired.bench.repo.git("config", key, str(planted))
    wired.bench.repo.git("config", "core.hooksPath", str(wired.root))
    mark.unlink(missing_ok=True)
    ran = wired.bench.afterword(*words)
    assert ran.code in (0, 1)
    assert not mark.exists()
