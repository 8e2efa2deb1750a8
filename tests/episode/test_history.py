"""The history of a worktree: every ledger, in order of time, in bounded memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterword.episode import archive, history, joining, ledger
from afterword.episode.history import Query, Torn
from afterword.store import clock, layout, stamp


@pytest.fixture
def store(repo):
    found = layout.need(str(repo.root))
    stamp.claim(found)
    return found


def line(at: float, event: str = "round.ended", **fields: object) -> bytes:
    values = {"ts": clock.stamp(1_700_000_000 + at), "event": event, **fields}
    return json.dumps(values, separators=(",", ":")).encode() + b"\n"


def put(repo, name: str, *lines: bytes) -> None:
    repo.write(f".ai/local/ledger/{name}.jsonl", b"".join(lines))


def select(store, **query: object) -> list[bytes]:
    torn: list[Torn] = []
    found = list(history.select(store, Query(**query), torn.append))
    assert torn == []
    return found


def numbers(store, **query: object) -> list[int]:
    return [json.loads(raw)["n"] for raw in select(store, **query)]


def test_lines_of_all_ledgers_come_in_order_of_time(repo, store):
    put(repo, "b", line(3, n=3), line(1, n=1))
    put(repo, "a", line(2, n=2), line(4, n=4))
    put(repo, "outside", line(0, n=0))
    assert numbers(store) == [0, 1, 2, 3, 4]


def test_within_one_moment_the_order_is_that_of_the_file(repo, store):
    put(repo, "a", *(line(1, n=n) for n in range(50)))
    assert numbers(store) == list(range(50))
    assert numbers(store, limit=10) == list(range(40, 50))


def test_seconds_and_milliseconds_are_compared_as_times(repo, store):
    put(repo, "a", b'{"ts":"2026-01-01T00:00:00Z","event":"x","n":1}\n')
    put(repo, "b", b'{"ts":"2026-01-01T00:00:00.500Z","event":"x","n":2}\n')
    put(repo, "c", b'{"ts":"2026-01-01T00:00:01Z","event":"x","n":3}\n')
    assert numbers(store) == [1, 2, 3]


def test_lines_come_verbatim_and_the_first_of_a_doubled_key_counts(repo, store):
    """12.7, 282_the_ledger_envelope_is_reserved: legacy lines carry `event` twice."""
    raw = b'{"ts":"2026-01-01T00:00:00Z","event":"a.b", "event":"c.d" , "x":"\\u00e9"}'
    put(repo, "a", raw + b"\r\n")
    assert select(store, event="a.b") == [raw]
    assert select(store, event="c.d") == []


def test_filters_by_event_task_episode_and_time(repo, store):
    put(
        repo,
        "e1",
        line(1, "task.started", session="e1", task_id="t-1", n=1),
        line(2, "round.ended", session="e1", n=2),
        line(3, "knowledge.derived", session="e1", episode="e1", n=3),
    )
    put(repo, "e2", line(4, "task.finished", session="e2", task_id="t-1", n=4))
    put(
        repo,
        "outside",
        line(5, "decision.recorded", task_id="none", n=5),
        line(6, "knowledge.derived", episode="e1", n=6),
    )
    assert numbers(store, event="task.started") == [1]
    assert numbers(store, task="t-1") == [1, 4]
    assert numbers(store, episode="e1") == [1, 2, 3, 6]
    assert numbers(store, episode="outside") == [5]
    assert numbers(store, since=1_700_000_000 + 4.0) == [4, 5, 6]
    assert numbers(store, limit=2) == [5, 6]
    assert numbers(store, task="t-1", limit=1) == [4]


def test_h30_torn_lines_are_told_by_file_and_line_and_skipped(repo, store):
    whole, torn = line(1, n=1), b'{"ts":"2026-01-01T00:00:00.000Z","eve'
    soon = b'{"ts":"soon","event":"x"}\n'
    put(repo, "a", whole, torn + b"\n", b"\n", b"\xff\xfe\n", line(2, n=2), soon, torn)
    found: list[Torn] = []
    kept = list(history.select(store, Query(), found.append))
    assert [json.loads(raw)["n"] for raw in kept] == [1, 2]
    path = ".ai/local/ledger/a.jsonl"
    assert found == [Torn(path=path, number=n) for n in (2, 4, 6, 7)]


def test_a_torn_line_in_an_archive_has_its_number_there(repo, store):
    put(repo, "a", line(1, n=1))
    put(repo, "b", line(2, n=2), b"torn\n", line(3, n=3))
    (joined,) = joining.join_oldest(store, 0, frozenset())
    found: list[Torn] = []
    kept = [json.loads(r)["n"] for r in history.select(store, Query(), found.append)]
    assert kept == [1, 2, 3]
    (torn,) = found
    text = (repo.root / torn.path).read_bytes().split(b"\n")
    assert text[torn.number - 1] == b"torn"
    assert torn.path == store.relative(joined.archive)


def test_a_live_ledger_replaces_its_joined_copy(repo, store):
    put(repo, "a", line(1, n=1))
    joining.join_oldest(store, 0, frozenset())
    assert archive.restore(store, "a")
    ledger.append_line(ledger.path_of(store, "a"), line(2, n=2), durable=False)
    assert numbers(store) == [1, 2]


def test_the_ledger_of_an_adopted_tree_is_read_with_its_rotated_parts(repo, store):
    repo.write(".ai/local/state/ledger.jsonl", line(3, "task.checkpoint", n=3))
    repo.write(".ai/local/state/ledger.20260101.jsonl.archived", line(1, n=1))
    put(repo, "e1", line(2, n=2))
    assert numbers(store) == [1, 2, 3]
    assert numbers(store, event="task.checkpoint") == [3]


def test_a_fifo_or_a_symlink_in_a_ledger_s_place_is_no_ledger(repo, store, tmp_path):
    put(repo, "a", line(1, n=1))
    victim = tmp_path / "victim.jsonl"
    victim.write_bytes(line(2, n=2))
    (repo.local / "ledger" / "b.jsonl").symlink_to(victim)
    os.mkfifo(repo.local / "ledger" / "c.jsonl")
    found: list[Torn] = []
    kept = list(history.select(store, Query(), found.append))
    assert [json.loads(raw)["n"] for raw in kept] == [1]
    folder = ".ai/local/ledger"
    assert found == [
        Torn(
            path=f"{folder}/b.jsonl",
            number=0,
            reason="Too many levels of symbolic links",
        ),
        Torn(path=f"{folder}/c.jsonl", number=0, reason="not a regular file"),
    ]


times = st.integers(min_value=0, max_value=5)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(times, max_size=6), max_size=5), st.integers(1, 8))
def test_the_newest_n_are_the_end_of_all(tmp_path_factory, ledgers, limit):
    root = tmp_path_factory.mktemp("h")
    (root / ".git").mkdir()
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    folder = root / ".ai" / "local" / "ledger"
    folder.mkdir(parents=True)
    count = 0
    for number, ats in enumerate(ledgers):
        lines = []
        for at in ats:
            lines.append(line(at, n=count))
            count += 1
        (folder / f"e{number}.jsonl").write_bytes(b"".join(lines))
    store = layout.need(str(root))
    everything = numbers(store)
    assert sorted(everything) == list(range(count))
    assert numbers(store, limit=limit) == everything[-limit:]


# Not `ru_maxrss`: that counts what the process that starts this one has grown to.
PEAK = """
import sys
sys.path.insert(0, {lib!r})
from afterword.episode import history
from afterword.store import layout
found = history.select(layout.need({root!r}), history.Query(), print)
count = sum(1 for _ in found)
lines = open("/proc/self/status").read().splitlines()
print(count, next(int(one.split()[1]) for one in lines if one.startswith("VmHWM")) // 1024)
"""


def test_h78_a_hundred_thousand_lines_need_little_memory(repo, store):
    for number in range(100):
        put(
            repo,
            f"e{number}",
            *(
                line(n, session=f"e{number}", head="0" * 40, text="x" * 400)
                for n in range(1000)
            ),
        )
    joining.join_oldest(store, 50, frozenset())
    lib = layout.__file__.rpartition("/afterword/")[0]
    done = subprocess.run(
        [sys.executable, "-I", "-c", PEAK.format(lib=lib, root=str(repo.root))],
        capture_output=True,
        text=True,
        check=True,
    )
    count, megabytes = map(int, done.stdout.split())
    assert count == 100_000
    assert megabytes < 100
