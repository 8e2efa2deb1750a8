"""init, adopt, briefing and hook as processes."""

from __future__ import annotations

import json

import pytest

from project import Repo, command, run

START = {"session_id": "e1", "source": "startup", "hook_event_name": "SessionStart"}


@pytest.fixture
def bare(tmp_path) -> Repo:
    """A repository without a memory."""
    root = tmp_path / "bare"
    root.mkdir()
    made = Repo(root)
    made.git("init", "-q")
    return made


def typed(repo: Repo, *words: str, data: bytes = b""):
    return run(command(*words), repo.root, data)


# init --------------------------------------------------------------------------------


def test_without_a_memory_commands_say_what_to_type(bare):
    for words in (("history",), ("start", "t"), ("briefing",), ("episode", "list")):
        ran = typed(bare, *words)
        assert (ran.code, ran.err) == (
            1,
            f"afterword: {bare.root}: no .ai/ here, so nothing to remember with\n"
            "create it: afterword init\n",
        )


def test_init_creates_the_tree_and_overwrites_nothing(bare):
    mine = bare.write(".ai/config.yaml", "enabled: true\n")
    ran = typed(bare, "init")
    assert ran.code == 0
    created = [line.removeprefix("created ") for line in ran.out.splitlines()]
    assert ".ai/bin/afterword" in created
    assert ".ai/config.yaml" not in created
    assert all((bare.root / path).exists() for path in created)
    assert mine.read_text() == "enabled: true\n"
    again = typed(bare, "init")
    assert (again.code, again.out, again.err) == (
        0,
        "",
        "all of .ai/ is there already: nothing created\n",
    )
    assert typed(bare, "init", "--json").json == {"root": str(bare.root), "created": []}


def test_init_in_a_subfolder_creates_at_the_top(bare):
    (bare.root / "sub").mkdir()
    assert run(command("init"), bare.root / "sub").code == 0
    assert (bare.root / ".ai" / "config.yaml").is_file()


# adopt -------------------------------------------------------------------------------


def test_adopt_without_a_foreign_tree_is_refused(bare):
    ran = typed(bare, "adopt")
    assert (ran.code, ran.err) == (
        1,
        f"afterword: {bare.root}: no tree of another system that could be adopted\n"
        "known are .ai/repo of majordomus, .omc/axiom of axiom and .ai-context; a new memory is made"
        " by: afterword init\n",
    )


def test_adopt_uses_the_tree_in_place_and_carries_settings_over(bare):
    policy = bare.write(
        ".ai/repo/policy.yaml", "session:\n  stranded_after: 6h\n  owner: x\n"
    )
    ran = typed(bare, "adopt", ".ai/repo", "--json")
    assert ran.code == 0, ran.err
    assert (ran.json["system"], ran.json["where"]) == ("majordomus", ".ai/repo")
    assert ran.json["settings"] == {"episode.stranded_after": "6h"}
    assert any("session.owner" in note for note in ran.json["notes"])
    assert "stranded_after: 6h" in (bare.root / ".ai/config.yaml").read_text()
    assert policy.read_text().startswith("session:")
    again = typed(bare, "adopt")
    assert (again.code, again.out) == (0, "")
    assert again.err.splitlines()[-1].endswith(
        "the majordomus tree in .ai/repo is used in place already, nothing to do"
    )
    assert "set there yourself" not in again.err


def test_adopt_of_another_folder_is_refused(bare):
    bare.write(".ai/repo/policy.yaml", "session:\n  stranded_after: 6h\n")
    assert typed(bare, "adopt", "docs").code == 1
    assert not (bare.root / ".ai/config.yaml").exists()


# briefing ----------------------------------------------------------------------------


def test_briefing_prints_what_the_next_episode_would_be_told(repo, afterword, run_hook):
    run_hook("session-start", START)
    afterword("start", "Sort it")
    afterword("question", "add", "Which port?")
    text = afterword("briefing").out
    assert "Sort it" in text
    assert "Which port?" in text
    assert afterword("briefing", "--json").json["episode"] is None
    afterword("decision", "add", "Use tabs", "--why", "shorter")
    assert "Use tabs" in afterword("briefing", "--episode", "e1").out
    assert afterword("briefing", "--episode", "nobody").code == 1


# hook --------------------------------------------------------------------------------


@pytest.mark.parametrize("event", ["SessionStart", "session-start"])
def test_an_event_is_replayed_by_hand(repo, afterword, event):
    ran = afterword("hook", event, input=json.dumps(START))
    assert ran.code == 0, ran.err
    body = ran.json["hookSpecificOutput"]
    assert set(body) == {"hookEventName", "additionalContext"}
    assert repo.lines("e1", "session.started")


def test_a_replay_reads_the_event_from_its_name_where_the_payload_has_none(
    repo, afterword
):
    afterword("hook", "SessionStart", input='{"session_id":"e1"}')
    ran = afterword(
        "hook", "SessionEnd", "--host", "codex", input='{"session_id":"e1"}'
    )
    assert (ran.code, ran.out) == (0, "")
    assert repo.lines("e1", "session.closed")


@pytest.mark.parametrize("data", [b"", b"nonsense", b"[1]", b"\xff\xfe", b"{" * 5000])
def test_a_replay_succeeds_whatever_it_is_fed(repo, afterword, data):
    ran = afterword("hook", "Stop", input=data)
    assert (ran.code, ran.out) == (0, "")
    assert len(ran.err.splitlines()) == 1
    assert ran.err.startswith("afterword stop: ")


def test_a_replay_without_a_memory_is_a_silent_no_op(bare):
    ran = typed(bare, "hook", "Stop", data=b'{"session_id":"e1"}')
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert not (bare.root / ".ai").exists()


def test_an_unknown_event_is_a_usage_error(afterword):
    ran = afterword("hook", "Nonsense")
    assert ran.code == 2
    assert ran.err == (
        "afterword: Invalid value for 'EVENT': Nonsense: no event of an agent; there are"
        " session-start, stop, pre-compact, session-end\nsee: afterword hook --help\n"
    )


def test_a_shim_s_call_serves_the_event(repo):
    words = ("hook", "session-start", "--from-shim", "--root", str(repo.root))
    ran = run(command(*words, "--host", "codex"), repo.root, json.dumps(START).encode())
    assert ran.code == 0
    assert ran.json["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert repo.lines("e1", "session.started")[0]["host"] == "codex"


@pytest.mark.parametrize("words", [(), ("nonsense",), ("stop", "--root")])
def test_a_shim_s_call_succeeds_whatever_it_says(repo, words):
    ran = run(command("hook", *words, "--from-shim"), repo.root)
    assert (ran.code, ran.out) == (0, "")
    assert "Traceback" not in ran.err
