"""`afterword doctor` as it is typed: lines, a summary, exit codes."""

from __future__ import annotations

import re


def test_doctor_speaks_in_lines_and_ends_with_a_summary(afterword, repo):
    repo.write(".ai/config.yaml", "mood: fine\n")
    ran = afterword("doctor")
    assert (ran.code, ran.err) == (1, "")
    lines = ran.out.splitlines()
    assert lines[0].startswith("error ")
    assert (
        "warning unknown-key: .ai/config.yaml:1: mood: not a setting of afterword, ignored"
        in lines
    )
    assert re.fullmatch(r"doctor: \d+ error\(s\), \d+ warning\(s\)", lines[-1])
    assert all(re.match(r"(error|warning|info|doctor|    )", line) for line in lines)


def test_doctor_json_is_one_object_a_line(afterword):
    ran = afterword("--json", "doctor")
    assert ran.code == 1
    for row in ran.objects:
        assert list(row) == ["severity", "code", "path", "line", "message", "fix"]
    assert ran.objects[0]["severity"] == "error"


def test_doctor_takes_no_words(afterword):
    assert afterword("doctor", "please").code == 2


def test_a_config_that_cannot_be_used_does_not_stop_doctor(afterword, repo):
    """Commands stop at it; doctor is what tells."""
    repo.write(".ai/config.yaml", "enabled: [\n")
    ran = afterword("doctor", "--json")
    assert ran.code == 1
    (row,) = [row for row in ran.objects if row["code"] == "config"]
    assert row["path"] == ".ai/config.yaml"
    assert row["line"] is not None


def test_strangers_text_cannot_speak_to_the_terminal(afterword, repo):
    name = "e1-0123456789ab"
    repo.write(
        f".ai/repo/knowledge/candidates/{name}.md",
        '---\nschema: "\\e[31mknowledge\\u202e"\n---\n',
    )
    ran = afterword("doctor")
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out
