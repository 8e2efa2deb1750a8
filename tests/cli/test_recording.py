"""start, finish, decision and question as real processes in a real repository (CLI.md)."""

from __future__ import annotations

import json
import subprocess

import pytest

from project import command

START = {"session_id": "e1", "source": "startup"}
# Of the shape of a token; assembled here so that no scanner takes this file for a leak.
TOKEN = "ghp" + "_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5"


@pytest.fixture
def e1(run_hook):
    """The episode e1, open."""
    assert run_hook("session-start", START).code == 0
    return "e1"


def failed(ran) -> tuple[int, str, list[str]]:
    return ran.code, ran.out, ran.err.splitlines()


# the whole way -----------------------------------------------------------------------


def test_issue_2_what_is_recorded_becomes_a_candidate(repo, afterword, run_hook, e1):
    started = afterword("start", "a task", "--scope", "README.md")
    assert started.code == 0
    task = started.out.strip()
    assert (
        afterword(
            "decision",
            "add",
            "Tabs are refused in the parser",
            "--why",
            "two encodings of one thing",
        ).code
        == 0
    )
    assert run_hook("session-end", {"session_id": "e1", "reason": "other"}).code == 0
    (candidate,) = repo.candidates
    text = candidate.read_text()
    assert candidate.name.startswith("e1-")
    assert "Tabs are refused in the parser" in text
    assert "two encodings of one thing" in text
    assert f"decision:{task}" in text
    (derived,) = afterword("history", "--event", "knowledge.derived", "--json").objects
    assert (derived["episode"], derived["written"]) == ("e1", 1)


def test_278a_without_a_task_the_word_none_never_enters_a_record(
    repo, afterword, run_hook, e1
):
    afterword("decision", "add", 'Say "no" with C:\\x', "--why", "it is shorter")
    assert run_hook("session-end", {"session_id": "e1"}).out == ""
    (candidate,) = repo.candidates
    text = candidate.read_text()
    assert "none" not in text
    assert "decision:" not in text
    assert 'title: "Say \\"no\\" with C:\\\\x"' in text
    assert [line["event"] for line in repo.lines("e1")][-2:] == [
        "knowledge.derived",
        "session.closed",
    ]


def test_278b_a_verified_task_yields_a_fact_beside_the_convention(
    repo, afterword, run_hook, e1
):
    task = afterword("start", "a task").out.strip()
    afterword("decision", "add", "Use tabs", "--why", "shorter")
    done = afterword("finish", "--outcome", "completed", "--verify", "true")
    assert (done.code, done.out) == (0, f"{task}\n")
    run_hook("session-end", {"session_id": "e1"})
    texts = [path.read_text() for path in repo.candidates]
    fact = next(text for text in texts if "class: fact" in text)
    convention = next(text for text in texts if "class: convention" in text)
    assert f"Task {task} completed; verified by: true (exit 0)" in fact
    assert "epistemics: observed" in fact
    assert f"decision:{task}" in convention
    assert "epistemics: decided" in convention


# tasks -------------------------------------------------------------------------------


def test_start_prints_the_id_and_records_the_scope(repo, afterword, e1):
    repo.write("lib/a.py", "")
    ran = afterword("start", "Sort it", "--scope", "lib", "README.md")
    assert ran.code == 0
    assert ran.err == "task started in episode e1: Sort it\n"
    (line,) = repo.lines("e1", "task.started")
    assert ran.out == f"{line['task_id']}\n"
    assert line["scope"] == ["lib", "README.md"]
    assert list(line)[:6] == ["ts", "event", "head", "branch", "by", "session"]


def test_start_refuses_a_second_task_and_says_what_to_type(repo, afterword, e1):
    task = afterword("start", "Sort it").out.strip()
    before = repo.ledger("e1").read_bytes()
    assert failed(afterword("start", "Another")) == (
        1,
        "",
        [
            f"afterword: task {task} is active here: Sort it",
            "end it first: afterword finish --outcome"
            " completed|partial|blocked|failed|no_match",
        ],
    )
    assert repo.ledger("e1").read_bytes() == before


@pytest.mark.parametrize(
    ("folder", "typed", "kept"),
    [
        (".", "lib", "lib"),
        ("lib", "deep", "lib/deep"),
        ("lib", "..", "."),
        ("lib", "lib/deep", "lib/deep"),
        ("lib", "not there yet", "lib/not there yet"),
        (".", "lib/*.py", "lib/*.py"),
    ],
)
def test_a_scope_is_kept_from_the_top(repo, afterword, folder, typed, kept):
    (repo.root / "lib" / "deep").mkdir(parents=True)
    ran = afterword("start", "t", "--scope", typed, "--json", cwd=repo.root / folder)
    assert ran.json["scope"] == [kept]


@pytest.mark.parametrize("typed", ["../x", "/etc", "lib/../../x"])
def test_a_scope_outside_is_a_usage_error(repo, afterword, typed):
    assert failed(afterword("start", "t", "--scope", typed)) == (
        2,
        "",
        [
            f"afterword: --scope {typed}: leads out of the repository",
            f"name a path below {repo.root}",
        ],
    )
    assert not repo.ledger("outside").exists()


def test_finish_without_a_task_is_refused(afterword):
    ran = afterword("finish", "--outcome", "completed", "--json")
    assert ran.code == 1
    assert ran.json["error"] == {
        "code": "no-task",
        "message": "no task is active here",
        "hint": "begin one: afterword start TITLE --scope PATH",
    }


def test_a_verification_that_fails_refuses_and_writes_nothing(repo, afterword, e1):
    afterword("start", "Sort it")
    before = repo.ledger("e1").read_bytes()
    ran = afterword(
        "finish", "--outcome", "completed", "--verify", "echo out; echo err >&2; exit 3"
    )
    assert failed(ran) == (
        1,
        "",
        [
            "out",
            "err",
            "afterword: the verification failed with exit 3: echo out; echo err >&2; exit 3",
            "nothing was recorded; mend it, or finish without --verify or with another"
            " outcome",
        ],
    )
    assert repo.ledger("e1").read_bytes() == before
    assert afterword("start", "x").code == 1, "the task is still active"


def test_a_verification_runs_at_the_top_and_its_proof_is_kept(repo, afterword, e1):
    (repo.root / "sub").mkdir()
    afterword("start", "Sort it")
    ran = afterword(
        "finish",
        "--outcome",
        "completed",
        "--verify",
        "test -d .ai && cat",
        "--json",
        cwd=repo.root / "sub",
        input="never read",
    )
    assert ran.code == 0
    verify = ran.json["verify"]
    assert set(verify) == {"command", "exit", "seconds"}
    assert (verify["command"], verify["exit"]) == ("test -d .ai && cat", 0)
    assert repo.lines("e1", "task.finished")[0]["verify"] == verify


def test_a_verification_killed_by_a_signal_has_the_shell_s_exit_code(afterword):
    afterword("start", "t")
    ran = afterword("finish", "--outcome", "completed", "--verify", "kill -9 $$")
    assert "the verification failed with exit 137" in ran.err


def test_a_finish_without_verification_says_null(repo, afterword, e1):
    afterword("start", "t")
    afterword("finish", "--outcome", "partial")
    (line,) = repo.lines("e1", "task.finished")
    assert line["verify"] is None
    assert "reason" not in line


@pytest.mark.parametrize(
    ("words", "note", "reason"),
    [
        (("--reason", "no key"), "", "no key"),
        (("--note", "-"), "# Reason\n\nno key\nmore\n", "no key"),
        (("--note", "-", "--reason", "typed"), "# Reason\nno key\n", "typed"),
    ],
)
def test_the_reason_is_typed_or_stands_in_the_note(
    repo, afterword, e1, words, note, reason
):
    afterword("start", "t")
    assert afterword("finish", "--outcome", "blocked", *words, input=note).code == 0
    assert repo.lines("e1", "task.finished")[0]["reason"] == reason


def test_a_note_without_reason_is_said(repo, afterword, e1):
    note = repo.write("note.md", "# Next Action\nx\n")
    afterword("start", "t")
    ran = afterword("finish", "--outcome", "failed", "--note", str(note))
    assert ran.code == 0
    assert ran.err.splitlines()[0] == (
        f"--note {note}: has no line under `# Reason`; recorded without one"
    )


def test_a_note_that_is_not_there_is_a_usage_error(afterword):
    afterword("start", "t")
    assert failed(
        afterword("finish", "--outcome", "failed", "--note", "nowhere.md")
    ) == (
        2,
        "",
        [
            "afterword: --note nowhere.md: No such file or directory",
            "name a file, or - for stdin",
        ],
    )


def test_an_unknown_outcome_is_a_usage_error(afterword):
    assert afterword("finish", "--outcome", "done").code == 2
    assert afterword("finish").code == 2


# questions ---------------------------------------------------------------------------


def test_completed_waits_for_the_questions_of_the_task(repo, afterword, e1):
    task = afterword("start", "t").out.strip()
    assert afterword("question", "add", "Which port?").out == "1\n"
    assert failed(afterword("finish", "--outcome", "completed")) == (
        1,
        "",
        [
            f"afterword: task {task} has 1 open question, first: Which port?",
            "resolve it: afterword question resolve 1 --answer TEXT, or finish with"
            " another outcome",
        ],
    )
    ran = afterword("question", "resolve", "1", "--answer", "8081", "--json")
    assert ran.json == {
        "event": "question.resolved",
        "episode": "e1",
        "task_id": task,
        "question": "Which port?",
        "answer": "8081",
    }
    assert afterword("finish", "--outcome", "completed").code == 0


def test_questions_need_no_task_and_are_listed_with_numbers(repo, afterword):
    assert afterword("question", "list").err == "no open question\n"
    afterword("question", "add", "Which port?")
    afterword("question", "add", "Which \x1b[31mhost?")
    listed = afterword("question", "list")
    assert listed.out == "1. Which port?\n2. Which host?\n"
    assert [
        one["number"] for one in afterword("question", "list", "--json").objects
    ] == [
        1,
        2,
    ]
    assert set(afterword("question", "list", "--json").objects[0]) == {
        "number",
        "question",
        "task_id",
        "opened",
        "episode",
    }
    assert afterword("question", "resolve", "port", "--answer", "8081").code == 0
    assert afterword("question", "list").out == "1. Which host?\n"
    (line,) = repo.lines("outside", "question.resolved")
    assert line["task_id"] == "none"
    assert "session" not in line


def test_question_mistakes(afterword):
    assert afterword("question", "resolve", "1").code == 2
    assert afterword("question", "resolve", "1", "--answer", "x").code == 1
    afterword("question", "add", "Which port?")
    afterword("question", "add", "Which host?")
    assert failed(afterword("question", "resolve", "Which", "--answer", "x")) == (
        2,
        "",
        [
            "afterword: 2 open questions match 'Which': numbers 1, 2",
            "name one: afterword question resolve 1 --answer TEXT",
        ],
    )
    assert afterword("question", "add", "Which port?").code == 1


# decisions ---------------------------------------------------------------------------


def test_a_decision_carries_all_that_was_given(repo, afterword, e1):
    afterword("decision", "add", "Use tabs", "--why", "shorter")
    ran = afterword(
        *("decision", "add", "Use spaces", "--why", "tools agree"),
        *("--rejected", "tabs", "--evidence", "a survey", "--supersedes", "Use tabs"),
        "--json",
    )
    assert ran.json == {
        "event": "decision.recorded",
        "episode": "e1",
        "task_id": "none",
        "decision": "Use spaces",
        "why": "tools agree",
        "rejected": "tabs",
        "evidence": "a survey",
        "supersedes": "Use tabs",
    }
    listed = afterword("decision", "list")
    day = repo.lines("e1")[0]["ts"][:10]
    assert listed.out == (
        f"{day}  Use tabs (superseded)\n            why: shorter\n"
        f"{day}  Use spaces\n            why: tools agree\n"
    )
    objects = afterword("decision", "list", "--json").objects
    assert [one["superseded"] for one in objects] == [True, False]


def test_supersedes_must_match_one_title(repo, afterword, e1):
    afterword("decision", "add", "Use tabs", "--why", "shorter")
    before = repo.ledger("e1").read_bytes()
    assert failed(
        afterword("decision", "add", "x", "--why", "y", "--supersedes", "Use")
    ) == (
        2,
        "",
        [
            "afterword: --supersedes: no recorded decision is titled 'Use'",
            "copy its text from: afterword decision list",
        ],
    )
    assert repo.ledger("e1").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("a\nb", "--why", "c"), "TEXT: is 2 lines long"),
        (("a\u2028b", "--why", "c"), "TEXT: is 2 lines long"),
        (("a", "--why", "b\r\nc\nd"), "--why: is 3 lines long"),
        (("", "--why", "c"), "TEXT: is empty"),
        ((" \t ", "--why", "c"), "TEXT: is empty"),
        (("a", "--why", "  "), "--why: is empty"),
        (("a", "--why", "b", "--evidence", ""), "--evidence: is empty"),
    ],
)
def test_texts_are_one_line(repo, afterword, words, message):
    assert failed(afterword("decision", "add", *words)) == (
        2,
        "",
        [f"afterword: {message}", "write it as one line of text"],
    )
    assert not repo.ledger("outside").exists()


def test_a_decision_needs_a_why(afterword):
    assert failed(afterword("decision", "add", "x")) == (
        2,
        "",
        ["afterword: --why is missing", "see: afterword decision add --help"],
    )


def test_h64_secrets_are_taken_out_before_a_line_is_written(repo, afterword, e1):
    ran = afterword(
        "decision", "add", f"Log in with {TOKEN} always", "--why", f"key {TOKEN}"
    )
    assert ran.code == 0
    (first, second, said) = ran.err.splitlines()
    assert first.startswith("TEXT: recorded without the secret in it (")
    assert second.startswith("--why: recorded without the secret in it (")
    assert TOKEN not in said
    for path in (repo.root / ".ai").rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes(), path


def test_h64_secrets_of_tasks_questions_and_commands_too(repo, afterword, e1):
    afterword("start", f"Use {TOKEN}")
    afterword("question", "add", f"Is {TOKEN} right?")
    afterword("question", "resolve", "1", "--answer", f"no, {TOKEN[:-1]}Z")
    afterword("finish", "--outcome", "completed", "--verify", f": {TOKEN}")
    assert len(repo.lines("e1", "task.finished")) == 1
    for path in (repo.root / ".ai").rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        assert TOKEN[:-1].encode() not in data, path


def test_a_transcript_is_recorded_and_said_to_yield_no_candidate(
    repo, afterword, run_hook, e1
):
    ran = afterword("decision", "add", "assistant: hello", "--why", "x")
    assert ran.code == 0
    assert ran.err.splitlines()[0] == (
        "TEXT: begins like a transcript ('assistant'): recorded, but no candidate will"
        " be derived from it"
    )
    run_hook("session-end", {"session_id": "e1"})
    assert repo.candidates == []


@pytest.mark.parametrize(
    "text",
    [
        "🙂 emoji",
        "x" * 10_000,
        "日本語",
        "a # b: 'c' \"d\" \\e",
        "--- yes 1e3",
        "\x1b[31m",
    ],
)
def test_h57_any_one_line_survives_as_it_is(repo, afterword, run_hook, e1, text):
    assert afterword("decision", "add", "--why", "w", "--", text).code == 0
    assert repo.lines("e1", "decision.recorded")[0]["decision"] == text.strip()
    run_hook("session-end", {"session_id": "e1"})
    assert len(repo.candidates) == 1


def test_h23_a_lone_surrogate_leaves_valid_utf_8(repo, e1):
    done = subprocess.run(
        [*command("decision", "add"), b"broken \xed\xa0\xbd \xff byte", "--why", "w"],
        cwd=repo.root,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    done.stderr.decode()
    (line,) = repo.lines("e1", "decision.recorded")
    assert line["decision"].startswith("broken ")
    assert "\ufffd" in line["decision"]


def test_h22_the_locale_does_not_decide_the_encoding(repo, afterword, e1):
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}
    afterword("decision", "add", "日本語 🙂", "--why", "w")
    ran = afterword("decision", "list", env=env)
    assert (ran.code, "日本語 🙂" in ran.out) == (0, True)
    assert afterword("decision", "list", "--json", env=env).objects


# where it goes -----------------------------------------------------------------------


def test_111_attribution_by_variable_by_the_only_open_one_or_outside(
    repo, afterword, run_hook
):
    def decide(text: str, **env: str) -> None:
        assert afterword("decision", "add", text, "--why", "w", env=env).code == 0

    decide("none is open")
    run_hook("session-start", START)
    decide("one is open")
    decide("an unknown name falls through", CLAUDE_CODE_SESSION_ID="nobody")
    run_hook("session-start", {**START, "session_id": "e2"}, host="codex")
    decide("two are open")
    decide("by the host's variable", CODEX_THREAD_ID="e2")
    decide("by our own variable", AFTERWORD_EPISODE="e1")
    decide("the one opened last", AFTERWORD_EPISODE="e1", CODEX_SESSION_ID="e2")
    decide("unknown of two", AFTERWORD_EPISODE="nobody")
    assert {
        name: [one["decision"] for one in repo.lines(name, "decision.recorded")]
        for name in ("outside", "e1", "e2")
    } == {
        "outside": ["none is open", "two are open", "unknown of two"],
        "e1": [
            "one is open",
            "an unknown name falls through",
            "by our own variable",
        ],
        "e2": ["by the host's variable", "the one opened last"],
    }


def test_an_explicit_unknown_episode_is_refused(repo, afterword):
    ran = afterword("decision", "add", "x", "--why", "y", "--episode", "e9", "--json")
    assert ran.code == 1
    assert ran.json["error"] == {
        "code": "unknown-episode",
        "message": "episode e9 is not known in this worktree",
        "hint": "see: afterword episode list",
    }
    assert not repo.ledger("outside").exists()


def test_a_recorded_act_opens_a_closed_episode_again(repo, afterword, run_hook, e1):
    afterword("decision", "add", "first", "--why", "w")
    run_hook("session-end", {"session_id": "e1"})
    assert not (repo.local / "open" / "e1.json").exists()
    ran = afterword("decision", "add", "second", "--why", "w", "--episode", "e1")
    assert ran.err == "decision recorded in episode e1: second\n"
    assert [line["event"] for line in repo.lines("e1")][-3:] == [
        "session.closed",
        "session.started",
        "decision.recorded",
    ]
    kept = json.loads((repo.local / "open" / "e1.json").read_text())
    assert kept["host"] == "claude-code"
    run_hook("session-end", {"session_id": "e1"})
    assert len(repo.candidates) == 2


def test_an_act_behind_an_unfinished_end_takes_it_back(repo, afterword, run_hook, e1):
    git = repo.root / ".git"
    (git / "MERGE_HEAD").write_text("0" * 40)
    run_hook("session-end", {"session_id": "e1"})
    assert [line["event"] for line in repo.lines("e1")][-1] == "session.ending"
    (git / "MERGE_HEAD").unlink()
    afterword("decision", "add", "late", "--why", "w")
    assert [line["event"] for line in repo.lines("e1")][-2:] == [
        "session.started",
        "decision.recorded",
    ]


def test_an_act_of_another_agent_does_not_rebind_the_process(repo, afterword, e1):
    kept = (repo.local / "open" / "e1.json").read_bytes()
    afterword("decision", "add", "x", "--why", "y", env={"CODEX_SANDBOX": "seatbelt"})
    assert (repo.local / "open" / "e1.json").read_bytes() == kept


def test_one_active_task_a_worktree(repo, afterword, tmp_path):
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    assert afterword("start", "here").code == 0
    assert afterword("start", "there", cwd=tmp_path / "side").code == 0
    assert afterword("start", "again").code == 1


# at the same moment ------------------------------------------------------------------


def test_h28_twenty_decisions_at_once_all_survive(repo, e1):
    waiting = [
        subprocess.Popen(
            command("decision", "add", f"decision {number}", "--why", "w"),
            cwd=repo.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(20)
    ]
    errors = [process.communicate()[1] for process in waiting]
    assert [process.returncode for process in waiting] == [0] * 20, errors
    texts = [line["decision"] for line in repo.lines("e1", "decision.recorded")]
    assert sorted(texts) == sorted(f"decision {number}" for number in range(20))


def test_h28_twenty_first_acts_at_once_all_survive_in_a_new_memory(repo):
    waiting = [
        subprocess.Popen(
            command("question", "add", f"question {number}"),
            cwd=repo.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(20)
    ]
    errors = [process.communicate()[1] for process in waiting]
    assert [process.returncode for process in waiting] == [0] * 20, errors
    state = json.loads((repo.local / "state.json").read_text())
    assert len(state["questions"]) == len(repo.lines("outside")) == 20
    assert [path.name for path in (repo.root / ".ai").glob("local-*")] == []


def test_h28_of_twenty_starts_at_once_one_wins_and_the_others_say_so(repo):
    waiting = [
        subprocess.Popen(
            command("start", f"task {number}"),
            cwd=repo.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(20)
    ]
    errors = [process.communicate()[1].decode() for process in waiting]
    codes = sorted(process.returncode for process in waiting)
    assert codes == [0] + [1] * 19, errors
    assert sum("is active here: task" in error for error in errors) == 19
    assert len(repo.lines("outside", "task.started")) == 1


# time and disk -----------------------------------------------------------------------


def test_the_clock_can_be_moved(repo, afterword, e1):
    env = {"AFTERWORD_NOW": "2031-02-03T04:05:06.789Z"}
    task = afterword("start", "t", env=env).out.strip()
    assert task.startswith("t-20310203040506-")
    (line,) = repo.lines("e1", "task.started")
    assert line["ts"] == "2031-02-03T04:05:06.789Z"


def test_h32_a_full_disk_is_refused_with_nothing_half_written(repo, afterword, e1):
    before = repo.ledger("e1").read_bytes()
    words = " ".join(f"'{word}'" for word in command("decision", "add", "x" * 3000))
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 1; exec {words} --why w"],
        cwd=repo.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert repo.ledger("e1").read_bytes() == before


def test_lists_and_echoes_show_the_text_itself_without_what_a_terminal_obeys_h65(
    afterword, repo
):
    text = "Return List<String>, never Array<int>; keep a < b"
    ran = afterword("decision", "add", f"{text}\x1b[2J\x9b31m", "--why", "<T> fits")
    assert ran.err == f"decision recorded outside any episode: {text}\n"
    shown = afterword("decision", "list").out
    assert shown.split("  ", 1)[1] == f"{text}\n            why: <T> fits\n"
    afterword("question", "add", "Which <T>\x1b]0;t\x07?")
    assert afterword("question", "list").out == "1. Which <T>?\n"
    assert afterword("history", "--limit", "1").out.endswith("  Which <T>?\n")
    assert afterword("knowledge", "derive", "--episode", "outside").code == 0
    assert f"  {text}" in afterword("knowledge", "candidates").out


def test_recording_outside_says_when_several_episodes_are_open(afterword, run_hook):
    for name in ("e1", "e2"):
        run_hook("session-start", {"session_id": name})
    ran = afterword("decision", "add", "x", "--why", "y")
    assert ran.err == (
        "decision recorded outside any episode: x\n"
        "2 episodes are open here (e1, e2), and nothing says which is meant:"
        " name it with --episode ID\n"
    )


def test_a_scope_that_took_the_title_is_told_and_one_path_counts_once(afterword, repo):
    ran = afterword("start", "--scope", "lib", "a title")
    assert ran.err.startswith(
        "afterword: TITLE is missing: write it before --scope, which takes all the"
        " words behind it\n"
    )
    assert afterword("start", "t", "--scope", "lib", "./lib/", "lib").code == 0
    assert repo.lines("outside")[0]["scope"] == ["lib"]
