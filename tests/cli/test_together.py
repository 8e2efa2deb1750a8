"""Commands beside ends and beside SIGKILL: no act is lost, no state is left behind."""

from __future__ import annotations

import random
import subprocess
import time

from afterword.episode import state
from afterword.store import layout
from project import command


def test_h34_a_command_killed_at_any_moment_leaves_ledger_and_state_agreeing(
    repo, afterword
):
    """SIGKILL at moments spread over a whole run; what was recorded is listed, no more."""
    rng = random.Random(7)
    afterword("question", "add", "first")
    for number in range(25):
        process = subprocess.Popen(
            command("question", "add", f"question {number}"),
            cwd=repo.root,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(rng.uniform(0.05, 0.4))
        process.kill()
        process.wait()
    recorded = [line["question"] for line in repo.lines("outside")]
    found = state.view(layout.need(str(repo.root)))
    assert [one.question for one in found.questions] == recorded
    assert afterword("question", "add", "last").code == 0
    listed = afterword("question", "list", "--json").objects
    assert [one["question"] for one in listed] == [*recorded, "last"]
    assert not state.is_behind(layout.need(str(repo.root)))


def test_an_act_beside_an_end_is_derived_by_this_end_or_the_next(
    repo, afterword, run_hook
):
    """12.8, H29: the line lands before the end reads the ledger, or opens it again."""
    run_hook("session-start", {"session_id": "e1"})
    for number in range(5):
        adding = [
            subprocess.Popen(
                command(
                    *("decision", "add", f"decision {number}.{n}", "--why", "w"),
                    *("--episode", "e1"),
                ),
                cwd=repo.root,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for n in range(3)
        ]
        time.sleep(0.1 * number)
        run_hook("session-end", {"session_id": "e1"})
        assert [process.wait() for process in adding] == [0, 0, 0]
    if (repo.local / "open" / "e1.json").exists():
        assert afterword("episode", "close", "e1").code == 0
    assert len(repo.lines("e1", "decision.recorded")) == 15
    assert len(repo.candidates) == 15
    assert repo.lines("e1")[-1]["event"] == "session.closed"


def test_two_closes_at_once_make_one_end(repo, afterword, run_hook):
    """220: one episode, one record, however often it is ended."""
    run_hook("session-start", {"session_id": "e1"})
    afterword("decision", "add", "Use tabs", "--why", "w")
    closing = [
        subprocess.Popen(
            command("episode", "close", "e1"),
            cwd=repo.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    errors = [process.communicate()[1].decode() for process in closing]
    assert "Traceback" not in "".join(errors)
    assert 0 in [process.returncode for process in closing]
    assert len(repo.lines("e1", "session.closed")) == 1
    assert len(list((repo.root / ".ai/repo/sessions").rglob("e1.md"))) == 1
