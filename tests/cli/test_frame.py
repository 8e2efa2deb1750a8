"""The frame of every command: options, the error boundary, exit codes (CLI.md)."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def test_json_failures_go_to_stdout_usage_errors_included(afterword):
    for words in (("briefing", "--bogus", "--json"), ("--json", "briefing", "--bogus")):
        ran = afterword(*words)
        assert ran.code == 2
        assert ran.json == {
            "error": {
                "code": "usage",
                "message": "No such option '--bogus'.",
                "hint": "see: afterword briefing --help",
            }
        }
        assert ran.err == ""


def test_a_failure_says_what_where_and_what_to_type(afterword, tmp_path):
    ran = afterword("briefing", cwd=tmp_path)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        f"afterword: {tmp_path}: not inside a git repository\n"
        "cd into one, or name it: --repo DIR\n"
    )


@pytest.mark.parametrize("before", [True, False])
def test_repo_and_json_stand_before_or_after_the_verb(
    afterword, repo, tmp_path, before
):
    options = ("--repo", str(repo.root), "--json")
    words = (*options, "briefing") if before else ("briefing", *options)
    ran = afterword(*words, cwd=tmp_path)
    assert ran.code == 0
    assert set(ran.json) >= {"text"}


def test_a_repo_that_is_no_directory_is_a_usage_error(afterword):
    ran = afterword("briefing", "--repo", "/nowhere/at/all")
    assert ran.code == 2
    assert ran.err == (
        "afterword: --repo /nowhere/at/all: no such directory\n"
        "name the top of a repository, or leave --repo out\n"
    )


def test_a_config_that_cannot_be_used_stops_commands_with_file_and_line(
    afterword, repo
):
    repo.write(".ai/config.yaml", "enabled: true\nepisode:\n  stranded_after: soon\n")
    ran = afterword("briefing")
    assert ran.code == 1
    assert ran.err == (
        "afterword: .ai/config.yaml:3: episode.stranded_after: must be a duration such"
        " as 90s, 30m, 12h or 14d, not 'soon'\nmend .ai/config.yaml\n"
    )


def test_an_unknown_setting_is_said_on_stderr_and_stops_nothing(afterword, repo):
    repo.write(".ai/config.yaml", "colour: blue\n")
    ran = afterword("briefing")
    assert ran.code == 0
    assert ran.err == ".ai/config.yaml:1: colour: not a setting of afterword, ignored\n"


def test_what_nobody_expected_is_one_line_and_a_log(afterword, repo):
    repo.local.mkdir()
    (repo.local / "cache").mkdir()
    (repo.local / "cache" / "last-end").mkdir()
    (repo.local / "ledger").write_text("not a folder")
    ran = afterword("history", env={"AFTERWORD_NOW": "no time"})
    assert ran.code in (0, 1, 3)
    assert "Traceback" not in ran.err


def test_every_help_is_there(afterword):
    ran = afterword("--help")
    assert ran.code == 0
    for name in ("start", "finish", "decision", "merge-driver"):
        assert f"  {name}" in ran.out


def test_a_shim_s_hook_loads_no_command_line_library(repo):
    code = (
        "import sys; sys.argv = ['afterword', 'hook', 'stop', '--from-shim', '--root',"
        f" {str(repo.root)!r}, '--host', 'claude-code']\n"
        "import os; os._exit = lambda code: (_ for _ in ()).throw(SystemExit(code))\n"
        "from afterword.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n"
        "    print(end.code, 'click' in sys.modules, 'json' in sys.modules)\n"
    )
    lib = os.path.dirname(os.path.dirname(__import__("afterword").__file__))
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {lib!r})\n{code}",
        ],
        input=b'{"session_id":"e1"}',
        capture_output=True,
        check=False,
    )
    assert done.stdout.decode().split() == ["0", "False", "False"], done.stderr
    assert repo.lines("e1", "round.ended")


def test_a_reader_that_went_away_is_no_failure(afterword, repo):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "afterword.cli.main", "briefing"],
        cwd=repo.root,
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
