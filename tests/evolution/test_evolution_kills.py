"""Killed before any change of a file: every block is in main or archive, the next run folds.

Checklist: T1.7, N6-N8, N14, A4.4, C6, C17-C19, R9, F10. Each act is killed before its
first, second, ... call that changes a file, and in the middle of each write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from memory import FULL_LOG, FULL_QUEUE, NOISY_LOG, Memory, fixture, item, queue_of
from stepping import HALF, KILL, Stepper

MOST = 200  # steps of one act; it ends by itself long before


def killed(
    memory: Memory, stepper: Stepper, act: str, set_up: Callable[[], None]
) -> Iterator[tuple[int, str]]:
    """Set up, run the act up to its n-th change, kill it; for n = 1, 2, ... to its end."""
    for how in (KILL, HALF):
        for step in range(1, MOST):
            memory.clear()
            set_up()
            ended = stepper.run(memory.root, act, step, how)
            if ended.code == 0:
                assert step > (1 if how == HALF else 5), "so few steps change nothing"
                break
            assert ended.code == -9, ended.error
            yield step, how
        else:
            pytest.fail(f"{act} has more than {MOST} steps")


def counted(blocks: list[bytes], *texts: bytes) -> list[int]:
    """How often each block stands in the texts."""
    return [sum(text.count(block) for text in texts) for block in blocks]


def blocks_of(memory: Memory, key: str) -> list[bytes]:
    if key == "queue":
        return [one.raw.rstrip() for one in memory.items()]
    return [raw.rstrip() for raw in memory.reflections()]


@pytest.mark.parametrize(
    ("act", "key", "name", "moved"),
    [
        ("archive", "queue", FULL_QUEUE, 20),
        ("roll", "reflections", FULL_LOG, 9),
    ],
)
@pytest.mark.parametrize("old", [b"", b"# Archive\n\nOld text\n"])
def test_t1_7_n7_n14_r9_an_archive_run_killed_at_any_step(
    memory: Memory,
    stepper: Stepper,
    act: str,
    key: str,
    name: str,
    moved: int,
    old: bytes,
) -> None:
    archive = f"{key}_archive"

    def set_up() -> None:
        memory.put(key, fixture(name))
        if old:
            memory.put(archive, old)

    set_up()
    blocks = blocks_of(memory, key)
    assert stepper.run(memory.root, act).result["moved"] == moved
    after = memory.data(key), memory.data(archive)
    assert counted(blocks, *after) == [1] * len(blocks)
    for step, how in killed(memory, stepper, act, set_up):
        where = f"step {step}, {how}"
        left = memory.data(key), memory.data(archive)
        assert left[0] in (fixture(name), after[0]), where
        assert left[1].startswith(old), where
        assert all(count in (1, 2) for count in counted(blocks, *left)), where
        assert stepper.run(memory.root, act).code == 0
        assert (memory.data(key), memory.data(archive)) == after, where
        assert memory.litter() == [], where


def test_t4_3_n8_c17_c19_evolve_killed_at_any_step(
    memory: Memory, stepper: Stepper
) -> None:
    """Each item becomes one entry with one row, whatever the kill left."""
    whole = queue_of(*(item(number, "pending") for number in (1, 2)))

    def set_up() -> None:
        memory.put("queue", whole)
        memory.put("knowledge_base", b"# Mine\n\nText\n")

    set_up()
    assert len(stepper.run(memory.root, "evolve").result["items"]) == 2
    after = memory.data("queue"), memory.data("knowledge_base"), memory.entries
    was_processing = was_recovered = False
    for step, how in killed(memory, stepper, "evolve", set_up):
        where = f"step {step}, {how}"
        states = memory.states()
        assert list(states) == ["LQ-001", "LQ-002"], where
        assert list(states.values()).count("processing") <= 1, where
        assert all(name in after[2] for name in memory.entries), where
        was_processing |= "processing" in states.values()
        again = stepper.run(memory.root, "evolve")
        assert again.code == 0
        was_recovered |= again.result["recovered"] > 0
        left = memory.data("queue"), memory.data("knowledge_base"), memory.entries
        assert left == after, where
        assert len(memory.rows) == 2, where
        assert memory.litter() == [], where
    assert was_processing
    assert was_recovered


def test_t2_2_c11_a_clean_up_killed_at_any_step(
    memory: Memory, stepper: Stepper
) -> None:
    """The log is as it was, or clean beside a whole copy of what it was."""
    whole = fixture(NOISY_LOG)

    def set_up() -> None:
        memory.put("reflections", whole)

    set_up()
    assert len(stepper.run(memory.root, "clean").result["removed"]) == 37
    clean = memory.data("reflections")

    def backups() -> list[bytes]:
        folder = memory.path("reflections").parent
        return [one.read_bytes() for one in folder.glob("reflection_log_backup_*.md")]

    for step, how in killed(memory, stepper, "clean", set_up):
        where = f"step {step}, {how}"
        left = memory.data("reflections")
        assert left == whole or (left == clean and backups() == [whole]), where
        assert stepper.run(memory.root, "clean").code == 0
        assert memory.data("reflections") == clean, where
        assert backups() != [], where
        assert all(backup == whole for backup in backups()), where
        assert memory.litter() == [], where


@pytest.mark.parametrize(
    ("act", "key"), [("learn", "queue"), ("reflect", "reflections")]
)
def test_q5_r12_adding_killed_at_any_step_loses_nothing_that_was_there(
    memory: Memory, stepper: Stepper, act: str, key: str
) -> None:
    whole = fixture(FULL_QUEUE if key == "queue" else FULL_LOG)
    for step in range(1, MOST):
        memory.clear()
        memory.put(key, whole)
        ended = stepper.run(memory.root, act, step, text="One more thing")
        if ended.code == 0:
            break
        left = memory.data(key)
        assert left == whole or left.count(b"One more thing") >= 1, step
        assert stepper.run(memory.root, act, text="And another").code == 0
        now = memory.data(key)
        assert all(line in now for line in whole.splitlines()), step
        assert memory.litter() == [], step
    assert step > 5


def test_f10_temps_of_killed_runs_are_swept_by_the_next(
    memory: Memory, stepper: Stepper
) -> None:
    """Also those beside the entries; a temp of somebody else's file is left."""
    memory.put("queue", queue_of(item(1, "pending")))
    folder = memory.path("queue").parent
    entries = memory.path("entries")
    entries.mkdir()
    for path in (
        folder / ".learning_queue.md.4000000.0a1b2c3d.tmp",
        folder / ".reflection_log_archive.md.4000000.0a1b2c3d.tmp",
        folder / ".notes.md.4000000.0a1b2c3d.tmp",
        entries / ".k-0a1b2c3d-old.md.4000000.0a1b2c3d.tmp",
    ):
        path.write_bytes(b"half")
    assert stepper.run(memory.root, "evolve").code == 0
    assert memory.litter() == [".notes.md.4000000.0a1b2c3d.tmp"]
