"""`afterword episode`: list, show, close, recover, as real processes."""

from __future__ import annotations

import json

import pytest

from afterword.episode import joining
from afterword.store import layout

START = {"session_id": "e1", "source": "startup"}
KEYS = {"episode", "host", "started", "closed", "outcome", "branch"}


@pytest.fixture
def e1(run_hook):
    """The episode e1, open."""
    assert run_hook("session-start", START).code == 0
    return "e1"


def test_list_tells_open_and_closed_episodes_by_their_start(repo, afterword, run_hook):
    assert afterword("episode", "list").err == (
        "no episode yet: the hooks of your agent open them\n"
    )
    for number, host in enumerate(("claude-code", "codex"), 1):
        env = {"AFTERWORD_NOW": f"2026-01-01T1{number}:20:30.000Z"}
        payload = {"session_id": f"e{3 - number}"}
        run_hook("session-start", payload, host=host, env=env)
        afterword("decision", "add", "x", "--why", "y", env=env)
    env = {"AFTERWORD_NOW": "2026-01-01T13:00:00.000Z"}
    run_hook("session-end", {"session_id": "e2", "reason": "clear"}, env=env)
    listed = afterword("episode", "list")
    assert listed.out == (
        "e2  claude-code  2026-01-01 11:20 UTC  2026-01-01 13:00 UTC  closed  main\n"
        "e1  codex        2026-01-01 12:20 UTC  open                  -       main\n"
    )
    found = afterword("episode", "list", "--json").objects
    assert [one["episode"] for one in found] == ["e2", "e1"]
    assert all(set(one) == KEYS for one in found)
    assert (found[0]["closed"], found[0]["outcome"]) == (
        "2026-01-01T13:00:00.000Z",
        "closed",
    )
    assert (found[1]["closed"], found[1]["outcome"]) == (None, None)


def test_list_reads_joined_ledgers_and_restores_none(repo, afterword, run_hook, e1):
    run_hook("session-end", {"session_id": "e1"})
    before = afterword("episode", "list").out
    joining.join_oldest(layout.need(str(repo.root)), 0, frozenset())
    assert not repo.ledger("e1").exists()
    assert afterword("episode", "list").out == before
    assert afterword("episode", "show", "e1").code == 0
    assert not repo.ledger("e1").exists()


def test_an_episode_with_many_lines_behind_its_close_is_closed(
    repo, afterword, run_hook, e1
):
    run_hook("session-end", {"session_id": "e1"})
    late = repo.lines("e1")[0]
    with repo.ledger("e1").open("ab") as file:
        for _ in range(400):
            file.write(json.dumps(late, separators=(",", ":")).encode() + b"\n")
    (found,) = afterword("episode", "list", "--json").objects
    assert found["outcome"] == "interrupted"


def test_show_tells_what_an_episode_recorded(repo, afterword, run_hook, e1):
    task = afterword("start", "Sort it").out.strip()
    afterword("decision", "add", "Use tabs", "--why", "shorter")
    afterword("question", "add", "Which port?")
    shown = afterword("episode", "show", "e1", "--json").json
    assert set(shown) > KEYS
    assert (shown["tasks"], shown["decisions"], shown["questions"]) == (
        [task],
        ["Use tabs"],
        ["Which port?"],
    )
    assert shown["written"] == []
    run_hook("session-end", {"session_id": "e1"})
    shown = afterword("episode", "show", "e1", "--json").json
    assert shown["written"] == [
        str(path.relative_to(repo.root)) for path in repo.candidates
    ]
    assert shown["session_path"].startswith(".ai/repo/sessions/")
    text = afterword("episode", "show", "e1").out
    assert "outcome:       interrupted" in text
    assert "decision.recorded [e1]  Use tabs" in text


def test_show_of_an_unknown_episode_is_refused(afterword):
    ran = afterword("episode", "show", "nobody")
    assert (ran.code, ran.err) == (
        1,
        "afterword: episode nobody is not known in this worktree\n"
        "see: afterword episode list\n",
    )


def test_show_of_another_clone_s_episode_names_its_record(repo, afterword):
    repo.write(".ai/repo/sessions/2026-01/e9.md", "---\nsession_id: e9\n---\n")
    ran = afterword("episode", "show", "e9")
    assert (ran.code, ran.err) == (
        1,
        "afterword: episode e9 was not recorded in this worktree\n"
        "its record is .ai/repo/sessions/2026-01/e9.md\n",
    )


# close -------------------------------------------------------------------------------


def test_close_derives_and_prints_the_record(repo, afterword, e1):
    afterword("decision", "add", "Use tabs", "--why", "shorter")
    ran = afterword("episode", "close")
    assert ran.code == 0
    assert (repo.root / ran.out.strip()).is_file()
    assert ran.err == (
        "episode e1 closed; candidates: 1 written, 0 unchanged, 0 skipped\n"
    )
    assert [line["event"] for line in repo.lines("e1")][-3:] == [
        "session.ending",
        "knowledge.derived",
        "session.closed",
    ]
    assert repo.lines("e1", "session.closed")[0]["outcome"] == "closed"


def test_close_of_a_closed_episode_is_refused_and_changes_nothing(
    repo, afterword, run_hook, e1
):
    run_hook("session-end", {"session_id": "e1"})
    before = repo.ledger("e1").read_bytes()
    ran = afterword("episode", "close", "e1")
    assert (ran.code, ran.err) == (
        1,
        "afterword: episode e1 is closed already\nsee: afterword episode show e1\n",
    )
    assert repo.ledger("e1").read_bytes() == before


def test_close_names_what_it_cannot_tell(repo, afterword, run_hook):
    assert afterword("episode", "close").err == (
        "afterword: no episode is open here\nsee: afterword episode list\n"
    )
    for name in ("e1", "e2"):
        run_hook("session-start", {"session_id": name})
    ran = afterword("episode", "close", "--json")
    assert ran.code == 1
    assert ran.json["error"] == {
        "code": "no-episode",
        "message": "several episodes are open here: e1, e2",
        "hint": "name one: afterword episode close ID",
    }
    ran = afterword("episode", "close", "--json", env={"AFTERWORD_EPISODE": "e2"})
    assert ran.json["episode"] == "e2"
    assert afterword("episode", "close", "nobody").code == 1


def test_a_close_while_git_is_busy_is_finished_later(repo, afterword, e1):
    afterword("decision", "add", "Use tabs", "--why", "shorter")
    merging = repo.root / ".git" / "MERGE_HEAD"
    merging.write_text("0" * 40)
    ran = afterword("episode", "close")
    assert ran.code == 1
    assert ran.err.startswith("afterword: episode e1 is not closed yet: git is busy (")
    assert repo.candidates == []
    merging.unlink()
    assert afterword("episode", "recover").out == (
        "closed e1 (its end was not completed)\n"
    )
    assert len(repo.candidates) == 1
    assert repo.lines("e1", "session.closed")[0]["outcome"] == "closed"


# recover -----------------------------------------------------------------------------


def strand(repo, run_hook, *names: str) -> None:
    for name in names:
        env = {"AFTERWORD_NOW": "2026-01-01T00:00:00.000Z"}
        run_hook("session-start", {"session_id": name}, env=env)
        path = repo.local / "open" / f"{name}.json"
        kept = json.loads(path.read_text())
        path.write_text(json.dumps({**kept, "process": None}))


def test_recover_closes_what_was_silent_for_long(repo, afterword, run_hook):
    run_hook("session-start", {"session_id": "live"})
    strand(repo, run_hook, "e1", "e2")
    dry = afterword("episode", "recover", "--dry-run")
    assert dry.out == (
        "would close e1 (silent for more than 12h)\n"
        "would close e2 (silent for more than 12h)\n"
    )
    assert not repo.lines("e1", "session.closed")
    ran = afterword("episode", "recover", "--json")
    assert ran.objects == [
        {
            "episode": name,
            "reason": "silent for more than 12h",
            "closed": True,
            "session_path": None,
        }
        for name in ("e1", "e2")
    ]
    assert repo.lines("e1", "session.closed")[0]["outcome"] == "interrupted"
    assert (repo.local / "open" / "live.json").exists()
    again = afterword("episode", "recover")
    assert (again.out, again.err) == ("", "no stranded episode\n")


def test_recover_leaves_the_episode_that_types_it(repo, afterword, run_hook):
    strand(repo, run_hook, "e1")
    ran = afterword("episode", "recover", env={"CLAUDE_CODE_SESSION_ID": "e1"})
    assert (ran.out, ran.err) == ("", "no stranded episode\n")


def test_recover_says_what_it_had_to_leave(repo, afterword, run_hook):
    strand(repo, run_hook, "e1")
    (repo.root / ".git" / "MERGE_HEAD").write_text("0" * 40)
    ran = afterword("episode", "recover")
    assert ran.code == 1
    assert ran.out == "left e1 (silent for more than 12h)\n"
    assert ran.err == (
        "afterword: not closed: e1\n"
        "repeat it when git is done and no other process closes them\n"
    )
