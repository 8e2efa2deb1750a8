"""Joining the ledgers of closed episodes: nothing is ever lost (H78, H34)."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from afterword.episode import archive, history, joining, ledger, window
from afterword.episode.history import Query
from afterword.errors import LockHeld
from afterword.store import clock, layout, stamp
from afterword.store.locks import Lock

LIB = layout.__file__.rpartition("/afterword/")[0]
OLD = 1_700_000_000


@pytest.fixture
def store(repo):
    found = layout.need(str(repo.root))
    stamp.claim(found)
    return found


def line(episode: str, n: int) -> bytes:
    values = {"ts": clock.stamp(OLD + n), "event": "x.y", "session": episode, "n": n}
    return json.dumps(values, separators=(",", ":")).encode() + b"\n"


def fill(repo, episodes: int, lines: int = 3) -> set[tuple[str, int]]:
    """Ledgers of some episodes, each older than the next; what they hold."""
    held = set()
    for number in range(episodes):
        name = f"e{number:03}"
        path = repo.write(
            f".ai/local/ledger/{name}.jsonl",
            b"".join(line(name, n) for n in range(lines)),
        )
        os.utime(path, (OLD + number * 86400, OLD + number * 86400))
        held |= {(name, n) for n in range(lines)}
    return held


def told(store) -> list[tuple[str, int]]:
    found = []
    for raw in history.select(store, Query(), lambda torn: pytest.fail(str(torn))):
        value = json.loads(raw)
        if value["event"] == "x.y":
            found.append((value["session"], value["n"]))
    return found


def live(repo) -> list[str]:
    return sorted(path.stem for path in (repo.local / "ledger").glob("*.jsonl"))


def test_the_oldest_go_by_month_and_the_rest_stays(repo, store):
    held = fill(repo, 60)
    joined = joining.join_oldest(store, 10, frozenset())
    assert live(repo) == [f"e{number:03}" for number in range(50, 60)]
    assert [os.path.basename(one.archive) for one in joined] == [
        "2023-11.jsonl",
        "2023-12.jsonl",
        "2024-01.jsonl",
    ]
    assert sum(one.count for one in joined) == 50
    assert sorted(told(store)) == sorted(held)


def test_open_episodes_and_outside_are_never_joined(repo, store):
    fill(repo, 4)
    repo.write(".ai/local/ledger/outside.jsonl", line("x", 0))
    joining.join_oldest(store, 0, frozenset({"e001"}))
    assert live(repo) == ["e001", "outside"]


def test_a_header_tells_episode_size_and_hash(repo, store):
    fill(repo, 1)
    data = repo.ledger("e000").read_bytes()
    (joined,) = joining.join_oldest(store, 0, frozenset())
    header, _, rest = Path(joined.archive).read_bytes().partition(b"\n")
    values = json.loads(header)
    assert (values["episode"], values["size"]) == ("e000", len(data))
    assert rest == data


def test_a_joined_episode_that_goes_on_gets_its_ledger_back(repo, store):
    fill(repo, 3)
    joining.join_oldest(store, 0, frozenset())
    assert archive.holds(store, "e001")
    ledger.append_line(ledger.path_of(store, "e001"), line("e001", 9), durable=True)
    assert [n for name, n in told(store) if name == "e001"] == [0, 1, 2, 9]
    assert repo.ledger("e001").read_bytes().count(b"\n") == 4
    joining.join_oldest(store, 0, frozenset())
    assert [n for name, n in told(store) if name == "e001"] == [0, 1, 2, 9]
    ledger.append_line(ledger.path_of(store, "e001"), line("e001", 10), durable=True)
    assert [n for name, n in told(store) if name == "e001"] == [0, 1, 2, 9, 10]


def test_a_derivation_of_a_joined_episode_reads_its_ledger(repo, store):
    fill(repo, 1)
    joining.join_oldest(store, 0, frozenset())
    assert len(window.read(store, "e000").lines) == 3


@pytest.mark.parametrize("name", ["e0", "e00", "000", "e0000", "names", "outside", ""])
def test_an_episode_that_is_not_joined_is_not_found(repo, store, name):
    fill(repo, 2)
    joining.join_oldest(store, 0, frozenset())
    assert not archive.holds(store, name)
    assert not archive.restore(store, name)


def test_the_list_of_joined_episodes_may_be_lost_and_is_made_anew(repo, store):
    fill(repo, 3)
    joining.join_oldest(store, 0, frozenset())
    (repo.local / "ledger" / "closed" / "names").unlink()
    assert archive.holds(store, "e002")
    assert not archive.holds(store, "z")
    repo.write(".ai/local/ledger/z.jsonl", line("z", 0))
    joining.join_oldest(store, 0, frozenset())
    assert live(repo) == []
    names = (repo.local / "ledger" / "closed" / "names").read_text().split()
    assert names == ["e000", "e001", "e002", "z"]


def test_a_damaged_entry_is_never_given_back(repo, store):
    fill(repo, 1)
    (joined,) = joining.join_oldest(store, 0, frozenset())
    data = Path(joined.archive).read_bytes()
    Path(joined.archive).write_bytes(data.replace(b'"n":1', b'"n":7'))
    assert not archive.restore(store, "e000")
    assert live(repo) == []
    assert [path.name for path in (repo.local / "ledger").iterdir()] == ["closed"]


def test_one_joiner_at_a_time(repo, store):
    fill(repo, 3)
    with Lock(store, joining.LOCK), pytest.raises(LockHeld):
        joining.join_oldest(store, 0, frozenset())
    assert len(live(repo)) == 3


@pytest.mark.parametrize("cut", range(0, 400, 7))
def test_h34_an_archive_torn_at_any_byte_loses_nothing(repo, store, cut):
    """The state that a joiner leaves which was killed while it copied."""
    held = fill(repo, 2)
    whole = b"".join(
        archive.header_line(name, len(data), "0" * 64) + data
        for name in ("e000", "e001")
        for data in [repo.ledger(name).read_bytes()]
    )
    repo.write(".ai/local/ledger/closed/2023-11.jsonl", whole[:cut])
    assert sorted(told(store)) == sorted(held)
    joining.join_oldest(store, 0, frozenset())
    assert live(repo) == []
    assert sorted(told(store)) == sorted(held)
    assert archive.restore(store, "e000")
    assert archive.restore(store, "e001")
    assert sorted(told(store)) == sorted(held)


JOIN = f"""
import sys
sys.path.insert(0, {LIB!r})
from afterword.episode import joining
from afterword.store import layout
joining.join_oldest(layout.need(sys.argv[1]), 0, frozenset())
"""

APPEND = f"""
import json, os, sys
sys.path.insert(0, {LIB!r})
from afterword.episode import ledger
from afterword.store import clock, layout
root, stop, ledger.LOCK_WAIT = sys.argv[1], sys.argv[2], float(sys.argv[3])
store, n = layout.need(root), 100
while not os.path.exists(stop):
    for name in sys.argv[4:]:
        value = {{"ts": clock.stamp(), "event": "x.y", "session": name, "n": n}}
        data = json.dumps(value, separators=(",", ":")).encode() + b"\\n"
        ledger.append_line(ledger.path_of(store, name), data, False)
    n += 1
print(n)
"""


def started(code: str, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code, *words], stdout=subprocess.PIPE
    )


def test_h34_a_joiner_killed_at_any_moment_loses_nothing(repo, store):
    """SIGKILL at moments spread over the whole run; then the next one completes it."""
    held = fill(repo, 150, lines=20)
    rng = random.Random(5)
    for _ in range(12):
        process = started(JOIN, str(repo.root))
        time.sleep(rng.uniform(0.02, 0.25))
        process.send_signal(signal.SIGKILL)
        process.wait()
        seen = told(store)
        assert len(seen) == len(held)
        assert set(seen) == held
        for name in rng.sample([f"e{n:03}" for n in range(150)], 40):
            archive.restore(store, name)
    assert started(JOIN, str(repo.root)).wait() == 0
    assert live(repo) == []
    assert sorted(told(store)) == sorted(held)


@pytest.mark.parametrize("patience", ["0.1", "-1"])
def test_h78_joining_under_concurrent_appends_loses_no_line(
    repo, store, tmp_path, patience
):
    """Also where no appender ever waits for the lock: a line may come twice, never not."""
    names = [f"e{number:03}" for number in range(12)]
    held = fill(repo, 12)
    stop = tmp_path / "stop"
    mine = [names[k::2] for k in range(2)]
    words = (str(repo.root), str(stop), patience)
    writers = [started(APPEND, *words, *names) for names in mine]
    joiners = [started(JOIN, str(repo.root)).wait() for _ in range(12)]
    stop.touch()
    ends = [int(process.communicate()[0]) for process in writers]
    assert [process.returncode for process in writers] == [0, 0]
    assert joiners == [0] * 12
    for end, group in zip(ends, mine, strict=True):
        held |= {(name, n) for name in group for n in range(100, end)}
    assert set(told(store)) == held
    if patience != "-1":
        assert len(told(store)) == len(held)
    assert len(list((repo.local / "ledger" / "closed").iterdir())) > 1


def test_h78_a_command_joins_when_there_are_too_many(repo, store, afterword):
    repo.write(".ai/config.yaml", "ledger:\n  max_closed_files: 5\n")
    held = fill(repo, 20)
    assert afterword("decision", "add", "x", "--why", "y").code == 0
    assert len(live(repo)) == 6, "five, and what was recorded outside any episode"
    lines = repo.lines("outside", "ledger.rotated")
    assert sum(one["archived"] for one in lines) == 15
    assert {one["kept"] for one in lines} == {5}
    assert all((repo.root / one["archive"]).is_file() for one in lines)
    assert set(told(store)) == held


def test_a_few_too_many_wait_for_the_next_day(repo, store, afterword):
    repo.write(".ai/config.yaml", "ledger:\n  max_closed_files: 10\n")
    fill(repo, 13)
    assert afterword("history").code == 0
    assert len(live(repo)) == 11
    for n in range(3):
        repo.write(f".ai/local/ledger/new{n}.jsonl", line(f"new{n}", 0))
    assert afterword("history").code == 0
    assert len(live(repo)) == 14
    later = clock.stamp(clock.now() + 90_000)
    assert afterword("history", env={"AFTERWORD_NOW": later}).code == 0
    assert len(live(repo)) == 11
