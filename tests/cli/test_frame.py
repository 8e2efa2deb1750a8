"""The frame of every command: options, the error boundary, exit codes (CLI.md)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from afterword.cli import frame
from project import command


def test_json_failures_go_to_stdout_usage_errors_included(afterword):
    for words in (("briefing", "--bogus", "--json"), ("--json", "briefing", "--bogus")):
        ran = afterword(*words)
        assert ran.code == 2
        assert ran.json == {
            "error": {
                "code": "usage",
                "message": "--bogus: no such option",
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


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/srv/x", "an absolute path, not one from the repository's top"),
        ("../x", "leads out of the repository"),
        (".ai/local/x", "git ignores .ai/local, and records are for the team"),
        (".AI/Local", "git ignores .ai/local, and records are for the team"),
        (".git/x", "afterword never writes to .git"),
    ],
)
def test_a_path_that_no_record_may_have_is_refused_in_plain_words(
    afterword, repo, path, why
):
    repo.write(".ai/config.yaml", f"enabled: true\npaths:\n  curated: {path}\n")
    ran = afterword("briefing")
    assert ran.code == 1
    assert ran.err == (
        f"afterword: .ai/config.yaml:3: paths.curated: {path}: {why}\n"
        "mend .ai/config.yaml\n"
    )


def test_an_unknown_setting_is_said_on_stderr_and_stops_nothing(afterword, repo):
    repo.write(".ai/config.yaml", "colour: blue\n")
    ran = afterword("briefing")
    assert ran.code == 0
    assert ran.err == ".ai/config.yaml:1: colour: not a setting of afterword, ignored\n"


BOOM = """
from afterword.cli import boundary, frame, table
import sys
@frame.command("boom")
def boom():
    raise LookupError("gone")
table.Table.get_command = lambda *_: boom
sys.exit(boundary.run(["boom", *sys.argv[1:]]))
"""


def boom(folder, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """A command that fails as nobody expected."""
    return subprocess.run(
        [sys.executable, "-c", BOOM, *words],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder), **env},
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_nobody_expected_is_one_line_and_a_log(afterword, repo):
    afterword("decision", "add", "x", "--why", "y")
    log = repo.local / "hook.log"
    done = boom(repo.root)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"afterword: unexpected LookupError: gone (log: {log})\n"
    assert "Traceback" in log.read_text()


def test_the_log_lies_elsewhere_where_the_memory_takes_none(repo, tmp_path, afterword):
    afterword("decision", "add", "x", "--why", "y")
    (tmp_path / "empty").mkdir()
    for folder, env in (
        (tmp_path / "empty", {}),
        (repo.root, {"AFTERWORD_NOW": "no time"}),
    ):
        done = boom(folder, "--json", **env)
        assert (done.returncode, done.stderr) == (3, "")
        (log,) = folder.glob("afterword-*.log")
        assert json.loads(done.stdout)["error"] == {
            "code": "unexpected",
            "message": f"unexpected LookupError: gone (log: {log})",
            "hint": "",
        }
        assert "Traceback" in log.read_text()


def test_a_missing_verb_shows_the_help_as_a_usage_error(afterword):
    for words in ((), ("decision",)):
        ran = afterword(*words)
        assert (ran.code, ran.err) == (2, "")
        assert ran.out.startswith(f"Usage: {' '.join(('afterword', *words))} [OPTIONS]")
    assert afterword("decision", "--json").json["error"] == {
        "code": "usage",
        "message": "Missing command",
        "hint": "see: afterword decision --help",
    }


def test_ctrl_c_ends_with_130_and_records_nothing(afterword, repo):
    afterword("start", "t")
    before = repo.ledger("outside").read_bytes()
    process = subprocess.Popen(
        command(
            "finish", "--outcome", "completed", "--verify", "echo on >&2; exec sleep 60"
        ),
        cwd=repo.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stderr.readline() == b"on\n"
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, b"", b"afterword: interrupted\n")
    assert repo.ledger("outside").read_bytes() == before


def test_a_full_stdout_is_refused_and_not_passed_over(repo):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command("briefing"),
            cwd=repo.root,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_command_loads_no_other_noun(repo):
    code = (
        "import sys\nsys.argv = ['afterword', 'question', 'list']\n"
        "from afterword.cli import main\n"
        "try:\n    main.main()\nexcept SystemExit:\n    pass\n"
        "loaded = [n for n in sys.modules if n.startswith('afterword.cli.')]\n"
        "print(sorted(loaded), 'detect_secrets' in sys.modules, 'rich' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=repo.root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "afterword.cli.episode" not in done.stdout
    assert "afterword.cli.knowledge" not in done.stdout
    assert done.stdout.endswith("False False\n")


def test_no_escape_goes_into_a_pipe(afterword):
    for words in (("--help",), ("history",), ("episode", "list"), ("nonsense",)):
        ran = afterword(*words, env={"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"})
        assert "\x1b" not in ran.out + ran.err


def test_what_was_typed_behind_two_dashes_is_text(afterword, repo):
    ran = afterword("decision", "add", "--why", "w", "--", "--json")
    assert (ran.code, ran.out) == (0, "")
    assert repo.lines("outside")[0]["decision"] == "--json"
    failed = afterword("decision", "add", "--", "--json")
    assert (failed.code, failed.out) == (2, "")


@pytest.mark.parametrize(
    ("typed", "spread"),
    [
        ("--scope a b", "--scope a --scope b"),
        ("t --scope a b --episode e", "t --scope a --scope b --episode e"),
        ("--scope=a b", "--scope=a --scope b"),
        ("--scope a --scope b c", "--scope a --scope b --scope c"),
        ("--scope a -- b", "--scope a -- b"),
        ("--episode e t", "--episode e t"),
        ("--scope", "--scope"),
    ],
)
def test_an_option_may_take_several_values(typed, spread):
    found = frame.spread(typed.split(), frozenset({"--scope"}))
    assert found == spread.split()


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


def test_hints_are_typed_as_a_wired_repository_types_them(afterword, repo):
    """Wherever one stands: no `afterword` need be on PATH."""
    launcher = repo.write(".ai/bin/afterword", "#!/bin/sh\n")
    (repo.root / "lib").mkdir()
    for folder, typed in (
        (repo.root, ".ai/bin/afterword"),
        (repo.root / "lib", "../.ai/bin/afterword"),
    ):
        ran = afterword("episode", "show", "ghost", cwd=folder)
        assert ran.err.endswith(f"\nsee: {typed} episode list\n")
        failed = afterword("question", "resolve", "--json", cwd=folder).json["error"]
        assert failed["hint"] == f"see: {typed} question resolve --help"
    launcher.unlink()
    ran = afterword("episode", "show", "ghost")
    assert ran.err.endswith("\nsee: afterword episode list\n")


def test_a_hint_typed_from_outside_names_the_repository(afterword, repo, tmp_path):
    """What a message tells to type must work where it is read."""
    repo.write(".ai/bin/afterword", "#!/bin/sh\n")
    outside = tmp_path / "else where"
    outside.mkdir()
    place = os.path.relpath(repo.root, outside)
    ran = afterword("--repo", place, "episode", "show", "ghost", cwd=outside)
    typed = f"{place}/.ai/bin/afterword --repo {repo.root}"
    assert ran.err.endswith(f"\nsee: {typed} episode list\n")
    inside = afterword("--repo", ".", "episode", "show", "ghost")
    assert inside.err.endswith("\nsee: .ai/bin/afterword episode list\n")


def test_what_a_message_quotes_is_obeyed_by_no_terminal_h65(afterword):
    ran = afterword("start", "one\x1b[2J\u202etwo")
    assert ran.err == "task started outside any episode: onetwo\n"
    assert afterword("start", "t").code == 1
    assert (
        "\x1b" not in afterword("question", "resolve", "a\x1b[2Jb", "--answer", "c").err
    )
