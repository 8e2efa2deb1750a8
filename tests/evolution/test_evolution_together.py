"""Several processes at the evolution files at once, holders that die, a disk that is full.

Checklist: T1.8, T2.8, T4.4, A1.7, A4.6, N4, Q5, Q6, R12, C24, C26, F1-F7. Locks are the
system's and die with their holder: no file says "locked", so none can be stale, be stolen
by two, be removed under somebody, or depend on a clock.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from memory import FULL_LOG, FULL_QUEUE, NOISY_LOG, Memory, fixture, item, queue_of
from stepping import STAMP, Stepper

import afterword
from afterword.evolution import evolving

LIBRARY = str(Path(afterword.__file__).parent.parent)
# Each is at its first lasting change by then, and holds its locks.
INSIDE = 6
RUNS = [
    ("archive", "queue", FULL_QUEUE),
    ("roll", "reflections", FULL_LOG),
]


@pytest.mark.parametrize(("act", "key", "name"), RUNS)
def test_t1_8_t2_8_a1_7_n4_of_two_archivers_one_works_and_one_skips(
    memory: Memory, stepper: Stepper, act: str, key: str, name: str
) -> None:
    memory.put(key, fixture(name))
    first = stepper.halt(memory.root, act, INSIDE)
    began = time.monotonic()
    second = stepper.run(memory.root, act)
    assert time.monotonic() - began < 2, "it waited"
    assert second.code == 0
    assert (second.result["held"], second.result["moved"]) == (True, 0)
    ended = stepper.go_on(first)
    assert ended.code == 0
    assert ended.result["held"] is False
    assert ended.result["moved"] > 0
    text = memory.data(f"{key}_archive")
    assert text.count(b"<!-- archived ") == ended.result["moved"]
    assert stepper.run(memory.root, act).result["held"] is False


def test_t2_8_the_two_archives_are_filled_under_one_lock(
    memory: Memory, stepper: Stepper
) -> None:
    memory.put("queue", fixture(FULL_QUEUE))
    memory.put("reflections", fixture(FULL_LOG))
    first = stepper.halt(memory.root, "archive", INSIDE)
    assert stepper.run(memory.root, "roll").result["held"] is True
    assert stepper.go_on(first).code == 0
    assert stepper.run(memory.root, "roll").result["moved"] == 9


def test_t4_4_a4_6_q6_the_second_of_two_sessions_does_not_evolve(
    memory: Memory, stepper: Stepper
) -> None:
    memory.put("queue", queue_of(item(1, "pending")))
    first = stepper.halt(memory.root, "evolve", INSIDE)
    second = stepper.run(memory.root, "evolve")
    assert (second.code, second.result["held"], second.error) == (0, True, "")
    assert len(stepper.go_on(first).result["items"]) == 1
    assert len(memory.entries) == len(memory.rows) == 1


def test_c24_archiving_beside_evolving_waits_for_the_files_and_no_longer(
    memory: Memory, stepper: Stepper
) -> None:
    """Locks in one order, so that neither waits for the other for ever."""
    memory.put("queue", fixture(FULL_QUEUE) + item(31, "pending").encode())
    evolving = stepper.halt(memory.root, "evolve", INSIDE)
    waited = stepper.run(memory.root, "archive", wait=0.1)
    assert waited.code == 1
    assert waited.error == (
        "another afterword process holds the lock 'evolution'\ntry again in a moment"
    )
    assert stepper.go_on(evolving).code == 0
    assert stepper.run(memory.root, "archive").result["moved"] == 21


@pytest.mark.parametrize(
    ("act", "key", "data"),
    [
        ("archive", "queue", fixture(FULL_QUEUE)),
        ("roll", "reflections", fixture(FULL_LOG)),
        ("clean", "reflections", fixture(NOISY_LOG)),
        ("evolve", "queue", queue_of(item(1, "pending"))),
    ],
)
def test_f1_f2_f3_f4_f5_f6_f7_c26_a_holder_that_was_killed_holds_nothing(
    memory: Memory, stepper: Stepper, act: str, key: str, data: bytes
) -> None:
    """The next run goes on at once, whatever the clock says; no file speaks of a lock."""
    memory.put(key, data)
    holder = stepper.halt(memory.root, act, INSIDE)
    locks = memory.repo.local / "locks"
    for path in locks.iterdir():
        os.utime(path, (4e9, 4e9))  # a clock that goes back makes no lock eternal
    assert stepper.go_on(holder, signal.SIGKILL).code == -9
    began = time.monotonic()
    ended = stepper.run(memory.root, act)
    assert (ended.code, ended.error) == (0, "")
    assert ended.result.get("held", False) is False
    assert time.monotonic() - began < 2
    beside = [path.name for path in memory.path(key).parent.iterdir()]
    assert not [name for name in beside if name.startswith(".")]
    assert {path.name for path in locks.iterdir()} <= {"evolution", "archive", "evolve"}
    assert all(path.stat().st_size == 0 for path in locks.iterdir())


CALL = """
import sys
sys.path.insert(0, sys.argv[1])
from afterword.evolution import adding
from afterword.store import config, layout
store = layout.need(sys.argv[2])
words = dict(title="", priority="P2", source="session", metadata="", today="2026-11-30")
if sys.argv[3] == "learn":
    adding.learn(store, config.load(store), text=sys.argv[4], wait=10.0, **words)
else:
    adding.add_reflection(store, config.load(store), title=sys.argv[4], text=sys.argv[4],
        at="2026-11-30 12:34", session="", wait=10.0)
"""


def together(memory: Memory, act: str, count: int) -> None:
    """So many processes that each add one, all at the same time."""

    def one(number: int) -> int:
        words = ["-c", CALL, LIBRARY, str(memory.root), act, f"Text {number} of many"]
        return subprocess.run([sys.executable, *words], check=False).returncode

    with ThreadPoolExecutor(count) as pool:
        assert list(pool.map(one, range(count))) == [0] * count


def test_q5_twenty_learn_at_once_are_twenty_items(memory: Memory) -> None:
    together(memory, "learn", 20)
    numbers = sorted(one.number for one in memory.items())
    assert numbers == list(range(1, 21))
    assert len({one.identity for one in memory.items()}) == 20
    assert {one.title for one in memory.items()} == {
        f"Text {number} of many" for number in range(20)
    }


def test_r12_reflections_at_once_are_all_there(memory: Memory) -> None:
    together(memory, "reflect", 8)
    assert len(memory.reflections()) == 8
    text = memory.data("reflections")
    assert all(f"\nText {number} of many\n".encode() in text for number in range(8))


def test_q5_who_adds_while_much_is_evolved_is_let_in(
    memory: Memory, stepper: Stepper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long run lets the files go in between, for a hook waits only so long."""
    real = evolving.Sheet.finish

    def slow(self: Any, *given: Any) -> None:
        time.sleep(0.1)
        real(self, *given)

    monkeypatch.setattr(evolving.Sheet, "finish", slow)
    memory.put("queue", queue_of(*(item(number, "pending") for number in range(1, 26))))
    words: Any = {"most": 99, "stamp": STAMP, "deadline": time.monotonic() + 60}
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(
            evolving.evolve, memory.store, memory.config, wait=10.0, **words
        )
        time.sleep(0.2)
        added = stepper.run(memory.root, "learn", text="Beside it", wait=1.5)
        assert not running.done()
        assert (added.code, added.error) == (0, "")
    assert len(running.result().items) == 26


def test_a4_4_n8_acts_at_once_and_killed_at_random_lose_nothing(
    memory: Memory, stepper: Stepper
) -> None:
    """What was added and told is there once; each item got one entry and one row."""
    chance = random.Random(20261130)
    acts = ["learn", "learn", "learn", "reflect", "evolve", "archive", "roll"]
    settings = "queue:\n  keep_done: 3\nreflections:\n  keep: 3\n"
    memory.repo.write(".ai/config.yaml", settings)
    told: dict[str, list[str]] = {"learn": [], "reflect": []}
    for turn in range(30):
        running = []
        for number in range(5):
            act, text = chance.choice(acts), f"Said by {turn}-{number} alone"
            given = {"text": text, "title": "Same"} if act in told else {}
            running.append((stepper.start(memory.root, act, **given), act, text))
        for pid, act, text in running:
            time.sleep(chance.random() * 0.01)
            is_killed = chance.random() < 0.4
            ended = stepper.go_on(pid, signal.SIGKILL if is_killed else signal.SIGCONT)
            assert ended.code in ((0, -9) if is_killed else (0,)), ended.error
            if act in told and ended.code == 0:
                told[act].append(text)
    for act, given in (("evolve", {"most": 999}), ("archive", {}), ("roll", {})):
        assert stepper.run(memory.root, act, **given).code == 0
    for act, key in (("learn", "queue"), ("reflect", "reflections")):
        both = memory.data(key) + memory.data(f"{key}_archive")
        assert told[act]
        assert [both.count(text.encode()) for text in told[act]] == [1] * len(told[act])
    items = memory.items() + memory.items("queue_archive")
    assert {one.state for one in items} == {"done"}
    assert len({one.number for one in items}) == len(items)
    assert len(memory.items()) == len(memory.reflections()) == 3
    assert (
        len(memory.entries) == len(memory.rows) == len(set(memory.rows)) == len(items)
    )
    assert memory.litter() == []


# A disk that is full: a limit on the size of a file, which a write then meets.


@pytest.mark.parametrize(("act", "key", "name"), RUNS)
@pytest.mark.parametrize("room", [0, 1, 700])
def test_n6_t1_7_a_disk_that_takes_a_part_only_gets_it_cut_back(
    memory: Memory, stepper: Stepper, act: str, key: str, name: str, room: int
) -> None:
    old = b"# Old\n\n" + b"kept\n" * 400
    memory.put(key, fixture(name))
    memory.put(f"{key}_archive", old)
    ended = stepper.run(memory.root, act, file_most=len(old) + room)
    assert ended.code == 1
    assert "File too large" in ended.error
    assert (
        f"{key}_archive".replace("queue", "learning_queue").replace(
            "reflections", "reflection_log"
        )
        in ended.error
    )
    assert memory.data(key) == fixture(name)
    assert memory.data(f"{key}_archive") == old
    assert memory.litter() == []
    assert stepper.run(memory.root, act).result["moved"] > 0


def test_n6_a_disk_that_is_full_between_the_two_files_loses_nothing(
    memory: Memory, stepper: Stepper
) -> None:
    """The archive has room, the new main file has none: both hold the blocks, then one."""
    memory.put("queue", fixture(FULL_QUEUE))
    blocks = [one.raw.rstrip() for one in memory.items()]
    pending = b"# More\n\n" + b"text\n" * 4000
    memory.put("queue", fixture(FULL_QUEUE) + pending)
    ended = stepper.run(memory.root, "archive", file_most=len(pending))
    assert ended.code == 1
    assert memory.data("queue") == fixture(FULL_QUEUE) + pending
    assert stepper.run(memory.root, "archive").result["moved"] == 20
    both = memory.data("queue") + memory.data("queue_archive")
    assert [both.count(block) for block in blocks] == [1] * len(blocks)
    assert memory.litter() == []


@pytest.mark.parametrize(
    ("act", "given"),
    [
        ("evolve", {}),
        ("learn", {"text": "One more"}),
        ("reflect", {"text": "One more"}),
        ("clean", {}),
    ],
)
def test_n6_a_full_disk_leaves_every_file_as_it_was(
    memory: Memory, stepper: Stepper, act: str, given: dict[str, str]
) -> None:
    memory.put("queue", fixture(FULL_QUEUE) + item(31, "pending").encode())
    memory.put("reflections", fixture(NOISY_LOG))
    before = {path: path.read_bytes() for path in memory.tracked}
    ended = stepper.run(memory.root, act, file_most=5000, **given)
    assert ended.code == 1
    assert "File too large" in ended.error
    assert {path: path.read_bytes() for path in memory.tracked} == before
    assert stepper.run(memory.root, act, **given).code == 0


# Speed and memory.

MEASURE = """
import resource, sys, time
sys.path.insert(0, sys.argv[1])
from afterword.evolution import archiving, evolving
from afterword.store import config, layout
store = layout.need(sys.argv[2])
settings = config.Config(settings=dict(config.DEFAULTS))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began = time.process_time()
if sys.argv[3] == "archive":
    archiving.archive_queue(store, settings, "2026-11-30T12:34:56Z", wait=1.0)
else:
    evolving.evolve(store, settings, most=3, stamp="2026-11-30T12:34:56Z",
        deadline=time.monotonic() + 60, wait=1.0)
used = time.process_time() - began
print(used, before * 1024, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def measured(memory: Memory, act: str, count: int) -> tuple[float, int, int]:
    """CPU seconds of an act on a queue of so many items, the bytes it took, the file's."""
    state = "done" if act == "archive" else "pending"
    long = "x" * 150
    items = (item(n, state).replace("What", long) for n in range(1, count + 1))
    memory.clear()
    size = memory.put("queue", queue_of(*items)).stat().st_size
    words = ["-I", "-S", "-c", MEASURE, LIBRARY, str(memory.root), act]
    # Through a shell: a process inherits the peak of the one that starts it.
    done = subprocess.run(
        ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, *words],
        capture_output=True,
        text=True,
        check=True,
    )
    used, before, peak = map(float, done.stdout.split())
    return used, int(peak - before), size


@pytest.mark.skipif(
    sys.platform != "linux", reason="not on this system: its peak is told in bytes"
)
@pytest.mark.parametrize("act", ["archive", "evolve"])
def test_speed_ten_times_the_queue_is_linear_and_under_six_times_its_size(
    memory: Memory, act: str
) -> None:
    small = min(measured(memory, act, 1500)[0] for _ in range(3))
    used, taken, size = measured(memory, act, 15000)
    assert size > 3 << 20
    assert used < 15 * small
    assert taken < 6 * size
