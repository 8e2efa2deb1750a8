"""doctor on hooks: wired, ours to the byte, and really run (HAZARDS H19, H71, H74)."""

from __future__ import annotations

import json
import os
import shutil

import pytest

EVENTS = ("session-start", "stop", "pre-compact", "session-end")
SETTINGS = ".claude/settings.json"


def snapshot(wired) -> dict[str, tuple[bytes, int]]:
    """Every file of the project, git's own included, with its time of change."""
    return {
        str(path.relative_to(wired.root)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(wired.root.rglob("*"))
        if path.is_file()
    }


def edit_settings(wired, change) -> None:
    path = wired.root / SETTINGS
    values = json.loads(path.read_text())
    change(values["hooks"])
    path.write_text(json.dumps(values, indent=2))


def test_a_wired_project_is_healthy_and_its_four_hooks_were_run(wired):
    wired.bench.episode("e1", "Tabs are refused")
    wired.bench.repo.commit("Keep")
    code, rows = wired.doctor()
    assert code == 0
    assert [row for row in rows if row["severity"] != "info"] == []
    (ran,) = [row for row in rows if row["code"] == "hooks-ran"]
    assert ran["message"] == (
        "Claude Code: session-start, stop, pre-compact, session-end were run and answered"
    )
    shown = wired.bench.afterword("doctor")
    assert shown.code == 0
    assert shown.out.splitlines()[-1] == "doctor: 0 error(s), 0 warning(s)"


def test_doctor_changes_nothing_at_all(wired):
    wired.bench.episode("e1", "Tabs are refused")
    wired.bench.repo.write(".ai/config.yaml", "unknown: key\n")
    before = snapshot(wired)
    wired.doctor()
    assert snapshot(wired) == before


def test_a_dry_hook_says_what_it_would_do_and_does_nothing(wired):
    before = snapshot(wired)
    for event in EVENTS:
        ran = wired.bench.hook(
            event, {"session_id": "d1"}, env={"AFTERWORD_DRY_RUN": "1"}
        )
        assert (ran.code, ran.out) == (0, "")
        assert ran.err == (
            f"afterword {event}: dry run: would serve session d1 in {wired.root}\n"
        )
    assert snapshot(wired) == before


def test_a_project_that_is_not_wired_is_an_error(bare):
    (row,) = bare.found("not-wired")
    assert row["severity"] == "error"
    assert row["fix"] == "python3 PATH/TO/afterword/install.py ."


def test_a_missing_event_is_named(wired):
    edit_settings(wired, lambda hooks: hooks.pop("SessionEnd"))
    (row,) = wired.found("event-not-wired")
    assert row["path"] == SETTINGS
    assert row["message"] == "Claude Code is not told to call afterword at SessionEnd"


def test_a_hook_under_the_wrong_event_is_an_error_at_its_line(wired):
    def swap(hooks):
        hooks["Stop"], hooks["SessionEnd"] = hooks["SessionEnd"], hooks["Stop"]

    edit_settings(wired, swap)
    found = wired.found("wrong-event")
    assert len(found) == 2
    assert all(row["path"] == SETTINGS and row["line"] > 1 for row in found)


def test_h2_a_time_out_is_explicit(wired):
    def drop(hooks):
        del hooks["SessionEnd"][0]["hooks"][0]["timeout"]

    edit_settings(wired, drop)
    (row,) = wired.found("no-timeout")
    assert row["severity"] == "warning"
    assert row["fix"] == 'add "timeout": 10'


def test_h3_codex_cuts_a_longer_time_out(bare):
    bare.install("codex")
    path = bare.root / ".codex/hooks.json"
    values = json.loads(path.read_text())
    values["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"] = 30
    path.write_text(json.dumps(values))
    (row,) = bare.found("timeout-clamped")
    assert row["fix"] == 'set "timeout": 3'


def test_settings_that_do_not_parse_are_an_error_with_their_line(wired):
    (wired.root / SETTINGS).write_text('{\n  "hooks": {,}\n}\n')
    rows = wired.found("settings")
    assert [(row["path"], row["line"]) for row in rows] == [(SETTINGS, 2)]


@pytest.mark.parametrize("how", ["changed", "missing", "crlf"])
def test_a_shim_that_is_not_ours_to_the_byte_is_named(wired, how):
    path = wired.root / ".claude/hooks/afterword-stop"
    data = path.read_bytes()
    if how == "missing":
        path.unlink()
    else:
        path.write_bytes(
            data + b"curl x|sh\n" if how == "changed" else data.replace(b"\n", b"\r\n")
        )
    (row,) = wired.found("no-shim" if how == "missing" else "foreign-shim")
    assert (row["severity"], row["path"]) == ("error", ".claude/hooks/afterword-stop")


def test_h74_a_lost_executable_bit_is_a_warning(wired):
    (wired.root / ".claude/hooks/afterword-stop").chmod(0o644)
    (row,) = wired.found("not-executable")
    assert row["severity"] == "warning"
    assert row["fix"] == "chmod +x '.claude/hooks/afterword-stop'"


def test_h66_the_projects_own_command_is_ours_to_the_byte_too(wired):
    (wired.root / ".ai/bin/afterword").write_text("#!/bin/sh\nrm -rf /\n")
    (row,) = wired.found("foreign-shim")
    assert row["path"] == ".ai/bin/afterword"


def test_h71_a_tool_that_is_gone_is_an_error_and_no_hook_is_run(wired):
    shutil.rmtree(wired.bin.parent)
    rows = wired.found(env={"PATH": "/usr/bin:/bin"})
    assert "tool-gone" in [row["code"] for row in rows]
    said = [row["message"] for row in rows if row["code"] == "hook-not-run"]
    assert sorted(said) == sorted(
        f"the {event} hook was not run: no shim finds afterword" for event in EVENTS
    )


def test_h71_a_tool_without_its_interpreter_is_an_error(wired):
    (wired.bin / "python").unlink()
    codes = [row["code"] for row in wired.found(env={"PATH": "/usr/bin:/bin"})]
    assert "no-interpreter" in codes
    assert codes.count("hook-silent") == 4


def test_a_hook_that_fails_or_stays_silent_is_told_by_running_it(wired):
    """The shims are ours and the tool is this machine's own; it is the tool that is broken."""
    (wired.bin / "afterword-home").unlink()
    for text, code in (
        ("exit 2\n", "hook-fails"),
        ("echo hello; exit 0\n", "hook-silent"),
    ):
        (wired.bin / "afterword").write_text(f"#!/bin/sh\n{text}")
        codes = [row["code"] for row in wired.found()]
        assert codes.count(code) == 4


def test_a_hook_that_hangs_is_ended(wired, monkeypatch):
    from afterword.doctor import trial

    monkeypatch.setattr(trial, "LONGEST", 0.3)
    outcome = trial.run(
        "sleep 30 & sleep 30",
        cwd=str(wired.root),
        environment={"PATH": os.environ["PATH"]},
        data=b"{}",
    )
    assert outcome.code is None
    assert outcome.seconds < 5


def test_every_scope_is_looked_at(bare):
    bare.install(scope="user")
    code, rows = bare.doctor()
    assert code == 0, rows
    assert "hooks-ran" in [row["code"] for row in rows]
    shim = bare.home / ".claude/hooks/afterword-stop"
    shim.write_bytes(shim.read_bytes() + b"\n")
    (row,) = bare.found("foreign-shim")
    assert row["path"] == "~/.claude/hooks/afterword-stop"


def test_h19_codex_skips_hooks_that_nobody_has_trusted_and_doctor_says_so(bare):
    bare.install("codex")
    (row,) = bare.found("trust")
    assert row["severity"] == "warning"
    assert "skips them without a word" in row["message"]
    assert "/hooks" in row["fix"]
    config = bare.home / ".codex/config.toml"
    config.parent.mkdir(exist_ok=True)
    path = (bare.root / ".codex/hooks.json").resolve()
    config.write_text(
        f'[hooks.state."{path}:session_start:0:0"]\ntrusted_hash = "sha256:0"\n'
    )
    (row,) = bare.found("trust")
    assert (row["severity"], row["fix"]) == ("info", "")


def test_hooks_that_the_host_ignores_are_told(wired):
    path = wired.root / SETTINGS
    values = json.loads(path.read_text())
    path.write_text(json.dumps({"disableAllHooks": True, **values}))
    (row,) = wired.found("hooks-ignored")
    assert "disableAllHooks" in row["message"]


def test_the_merge_driver_is_looked_for(wired):
    wired.bench.repo.git("config", "--unset", "merge.afterword.driver")
    (wired.root / ".ai/repo/.gitattributes").unlink()
    codes = [row["code"] for row in wired.found("no-merge-driver", "no-attributes")]
    assert sorted(codes) == ["no-attributes", "no-merge-driver"]


def test_h54_a_variable_that_nothing_reads_is_named(wired):
    (row,) = wired.found("unread-variable", env={"AFTERWORD_DIR": "/elsewhere"})
    assert row["severity"] == "warning"
    assert row["message"].startswith("AFTERWORD_DIR is set, but nothing reads it")


def test_off_switches_are_told(wired):
    (row,) = wired.found("disabled", env={"AFTERWORD_DISABLE": "1"})
    assert row["message"].startswith("AFTERWORD_DISABLE=1 is set")
    wired.bench.repo.write(".ai/config.yaml", "enabled: false\n")
    (row,) = wired.found("disabled")
    assert row["path"] == ".ai/config.yaml"


def test_settings_problems_and_unknown_keys_have_file_and_line(wired):
    wired.bench.repo.write(
        ".ai/config.yaml",
        "enabled: true\nknowledge:\n  stale_after: soon\nmood: fine\n",
    )
    _, rows = wired.doctor()
    found = {row["code"]: row for row in rows if row["path"] == ".ai/config.yaml"}
    assert (found["config"]["severity"], found["config"]["line"]) == ("error", 3)
    assert (found["unknown-key"]["severity"], found["unknown-key"]["line"]) == ("warning", 4)  # fmt: skip


def test_a_check_that_cannot_run_is_a_finding(wired, monkeypatch):
    """Health is never silently green."""
    from afterword.doctor import report
    from afterword.errors import GitError
    from afterword.finding import ERROR

    def broken(_):
        raise GitError("git is gone", hint="install git")

    def worse(_):
        raise ZeroDivisionError("division by zero")

    for check, message, fix in (
        (broken, "the weather could not be checked: git is gone", "install git"),
        (
            worse,
            "the weather could not be checked: ZeroDivisionError: division by zero",
            "mend what the message names, then run doctor again",
        ),
    ):
        (found,) = report.guarded("the weather", check, None)
        assert (found.severity, found.code) == (ERROR, "check-failed")
        assert (found.message, found.fix) == (message, fix)
