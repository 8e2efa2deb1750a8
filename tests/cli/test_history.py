"""`afterword history` as a process: filters, limits, forms, mistakes (CLI.md)."""

from __future__ import annotations

import json

import pytest

NOW = "2026-02-01T12:00:00.000Z"


def line(at: str, event: str = "round.ended", **fields: object) -> str:
    values = {"ts": at, "event": event, "head": None, "branch": "main", **fields}
    return json.dumps(values, separators=(",", ":"))


@pytest.fixture
def told(repo, afterword):
    """Thirty lines, an hour between them, the last one an hour before NOW."""
    lines = [
        line(f"2026-01-{31 + (n + 6) // 24 - 1:02}T{(n + 6) % 24:02}:00:00.000Z", n=n)
        for n in range(18)
    ]
    lines += [line(f"2026-02-01T{n:02}:00:00.000Z", n=18 + n) for n in range(12)]
    repo.write(".ai/local/ledger/e1.jsonl", "\n".join(lines) + "\n")
    return lines


def test_the_newest_twenty_oldest_first(afterword, told):
    assert afterword("history", "--json").out.splitlines() == told[-20:]
    assert afterword("history", "--json", "--limit", "3").out.splitlines() == told[-3:]
    assert afterword("history", "--json", "--all").out.splitlines() == told


@pytest.mark.parametrize(
    ("since", "count"),
    [
        ("90m", 1),
        ("2h", 2),
        ("7d", 30),
        ("3600s", 1),
        ("2026-02-01", 12),
        ("2026-02-01T11:00Z", 1),
        ("2026-02-01T11:00:00", 1),
        ("2026-02-01T12:30:00+01:30", 1),
        ("2027-01-01", 0),
    ],
)
def test_since_a_duration_or_a_time(afterword, told, since, count):
    ran = afterword(
        "history", "--json", "--all", "--since", since, env={"AFTERWORD_NOW": NOW}
    )
    assert (ran.code, len(ran.out.splitlines())) == (0, count), ran.err


@pytest.mark.parametrize("since", ["soon", "", "0m", "-2h", "2", "2026-13-01", "1.5h"])
def test_a_since_that_is_neither_is_a_usage_error(afterword, since):
    ran = afterword("history", "--since", since)
    assert (ran.code, ran.err) == (
        2,
        f"afterword: --since {since}: neither a duration nor a time\n"
        "write 90m, 2h, 7d or a time such as 2026-01-31T12:00Z\n",
    )


def test_282_an_event_that_does_not_exist_is_a_usage_error(afterword, told):
    ran = afterword("history", "--event", "start")
    assert ran.code == 2
    assert ran.err.splitlines()[0] == "afterword: --event start: no such event"
    assert "session.started" in ran.err.splitlines()[1]
    none = afterword("history", "--event", "task.started")
    assert (none.code, none.out, none.err) == (0, "", "nothing recorded that fits\n")


def test_limits_are_checked(afterword):
    assert afterword("history", "--limit", "0").code == 2
    assert afterword("history", "--limit", "x").code == 2
    both = afterword("history", "--limit", "1", "--all")
    assert (both.code, both.err) == (
        2,
        "afterword: --limit and --all exclude each other\ngive one\n",
    )


def test_h30_torn_lines_are_said_with_file_and_line(repo, afterword, told):
    with repo.ledger("e1").open("a") as file:
        file.write('{"ts":"2026-02-01T13:00:0')
    ran = afterword("history", "--limit", "1", "--json")
    assert ran.out.splitlines() == told[-1:]
    assert ran.err == ".ai/local/ledger/e1.jsonl:31: not a ledger line, skipped\n"
    assert afterword("decision", "add", "x", "--why", "y", "--episode", "e1").code == 0
    assert afterword("history", "--event", "decision.recorded").out.endswith(
        "decision.recorded [e1]  x\n"
    )


def test_text_has_time_event_episode_and_words_made_safe(repo, afterword):
    lines = [
        line(NOW, "decision.recorded", session="e1", decision="Use\x1b[2J tabs"),
        line(NOW, "question.resolved", question="Which?", answer="8081"),
        line(
            NOW,
            "knowledge.derived",
            episode="e1",
            written=1,
            paths=["a b", "c"],
            hashes=["0"],
        ),
        line(NOW, "odd.one", session=5, x=None),
    ]
    repo.write(".ai/local/ledger/e1.jsonl", "\n".join(lines) + "\n")
    assert afterword("history").out.splitlines() == [
        "2026-02-01 12:00:00 UTC  decision.recorded [e1]  Use tabs",
        "2026-02-01 12:00:00 UTC  question.resolved  Which?: 8081",
        "2026-02-01 12:00:00 UTC  knowledge.derived  episode e1, written 1, paths a b c",
        "2026-02-01 12:00:00 UTC  odd.one",
    ]


def test_282_no_line_of_ours_carries_a_key_twice(repo, afterword, run_hook):
    run_hook("session-start", {"session_id": "e1"})
    afterword("start", "t")
    afterword("decision", "add", "x", "--why", "y")
    run_hook("session-end", {"session_id": "e1"})

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), keys
        return dict(pairs)

    raw = afterword("history", "--all", "--json").out.splitlines()
    events = [json.loads(one, object_pairs_hook=once)["event"] for one in raw]
    assert events[-1] == "session.closed"


def test_the_ledger_of_an_adopted_tree_is_history_too(repo, afterword):
    repo.write(".ai/repo/policy.yaml", "session:\n  stranded_after: 6h\n")
    old = line("2026-01-01T00:00:00Z", "task.checkpoint", session="s-1", task_id="t-1")
    repo.write(".ai/local/state/ledger.jsonl", old + "\n")
    ran = afterword("adopt")
    assert ran.code == 0, ran.err
    assert afterword("history", "--json").out == old + "\n"
    assert (
        afterword("history", "--event", "task.checkpoint", "--json").out == old + "\n"
    )
    assert afterword("history", "--episode", "s-1", "--json").out == old + "\n"
    assert afterword("history", "--task", "t-1", "--json").out == old + "\n"
