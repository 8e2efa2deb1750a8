"""A compile killed before any change of a file: the next one completes it, nothing is lost.

Spec/snapshot.md 10.1 (write order), G3, D2, D4; DESIGN 10. Each compile is killed before
its first, second, ... call that changes a file, and in the middle of each write.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from compile_steps import HALF, KILL, Stepper
from compiled_memory import Memory, increment

from project import Ran, Repo

MOST = 400  # steps of one compile; it ends by itself long before


@pytest.fixture
def memory(repo: Repo) -> Memory:
    return Memory(repo)


@pytest.fixture(scope="module")
def stepper() -> Iterator[Stepper]:
    made = Stepper()
    yield made
    made.close()


def set_up(memory: Memory, before: Path) -> None:
    """The memory as it was before the compile, nothing of an earlier try left."""
    shutil.rmtree(memory.base)
    shutil.copytree(before, memory.base)
    shutil.rmtree(memory.root / ".ai/local/batch", ignore_errors=True)


def prepared(memory: Memory, tmp_path: Path) -> Path:
    """A memory that will write every kind of file: history, module, registry, snapshot."""
    memory.repo.write(".ai/config.yaml", "")
    memory.modules(order="src/order/", payment="src/payment/")
    memory.add("a", "Labels are printed in batches", "reason: warm-up")
    memory.add("b", "Bank timeout", "key: bank.timeout", "value: 3 s", domain="order")
    memory.compile()
    more = {
        "c": increment(
            "Labels are printed one by one",
            "supersedes: Labels are printed in batches - new printer",
            at="2026-04-02 09:00:00",
        ),
        "d": increment(
            "Bank timeout",
            "key: bank.timeout",
            "value: 5 s",
            domain="payment",
            at="2026-04-03 09:00:00",
        ),
    }
    for name, text in more.items():
        memory.put(f"2026-04-09_{name}", text)
    memory.put("2026-04-09_e", increment("Orders are final"), "order")
    memory.repo.write(".ai/config.yaml", "snapshot:\n  max_lines: 14\n")
    kept = tmp_path / "before"
    shutil.copytree(memory.base, kept)
    return kept


def killed(
    memory: Memory, stepper: Stepper, before: Path, how: str, every: int = 1
) -> Iterator[str]:
    """Set up, compile up to the n-th change, kill it; for n = 1, 2, ... to its end."""
    for step in range(1, MOST, every):
        set_up(memory, before)
        ended = stepper.run(memory.root, "compile", step, how)
        if ended.code == 0:
            assert step > 5, "so few steps change nothing"
            return
        assert ended.code == -9, ended.error
        yield f"step {step}, {how}"
    pytest.fail(f"a compile has more than {MOST} steps")


@pytest.mark.parametrize("how", [KILL, HALF])
def test_g3_l074_a_compile_killed_at_any_step_is_completed_by_the_next(
    memory: Memory, stepper: Stepper, tmp_path: Path, how: str
) -> None:
    before = prepared(memory, tmp_path)
    ids = memory.ids()
    set_up(memory, before)
    assert stepper.run(memory.root, "compile").code == 0
    after, all_ids = memory.tree(), memory.ids()
    assert memory.history() != ""
    texts = {path.read_bytes() for path in before.rglob("increments/*.md")}
    for where in killed(memory, stepper, before, how):
        left = {
            path.read_bytes()
            for path in memory.base.rglob("*.md")
            if "increments" in path.parts
        }
        assert texts <= left, f"{where}: an increment is gone"
        if not any(name.endswith(".json") for name in memory.litter()):
            assert ids <= memory.ids(), where
        assert stepper.run(memory.root, "compile").code == 0, where
        assert memory.tree() == after, where
        assert memory.ids() == all_ids, where
        assert memory.litter() == [], where


def test_l074_what_a_kill_left_waits_for_the_next_and_new_increments_join(
    memory: Memory, stepper: Stepper, tmp_path: Path
) -> None:
    """The plan is replayed; what came in the meantime is compiled after it."""
    before = prepared(memory, tmp_path)
    for where in killed(memory, stepper, before, KILL, every=9):
        memory.put("2026-04-10_f", increment("One more", at="2026-04-10 09:00:00"))
        ended = stepper.run(memory.root, "compile")
        assert ended.code == 0, where
        assert "2026-04-10_f" in ended.result["stems"], where
        assert "### One more\n" in memory.text(), where
        assert memory.waiting() == [], where
        assert memory.litter() == [], where


def test_what_a_kill_left_is_completed_by_the_next_start_of_an_episode(
    memory: Memory, stepper: Stepper, tmp_path: Path, run_hook: Callable[..., Ran]
) -> None:
    """DESIGN 10: whoever comes next rolls the intent forward, command or start."""
    before = prepared(memory, tmp_path)
    set_up(memory, before)
    assert stepper.run(memory.root, "compile").code == 0
    after = memory.tree()
    start = {"session_id": "s", "hook_event_name": "SessionStart", "source": "startup"}
    completed = 0
    for where in killed(memory, stepper, before, KILL, every=5):
        if any(name.endswith(".json") for name in memory.litter()):
            completed += 1
            assert run_hook("session-start", start).code == 0, where
            assert memory.tree() == after, where
            assert memory.litter() == [], where
    assert completed > 2


def test_a_compile_that_stands_still_keeps_the_others_out(
    memory: Memory, stepper: Stepper, tmp_path: Path
) -> None:
    before = prepared(memory, tmp_path)
    set_up(memory, before)
    pid = stepper.halt(memory.root, "compile", 12)
    assert stepper.run(memory.root, "compile", wait=0).result["held"] is True
    ended = stepper.run(memory.root, "compile", wait=0.05)
    assert ended.code == 1
    assert "holds the lock 'compile'" in ended.error
    assert stepper.go_on(pid).code == 0
    assert memory.waiting() == []
    assert memory.litter() == []


def test_a_full_disk_at_any_size_changes_nothing_or_all(
    memory: Memory, stepper: Stepper, tmp_path: Path
) -> None:
    """A limit on the size of files: the temp, or the intent, cannot be written."""
    before = prepared(memory, tmp_path)
    set_up(memory, before)
    start = memory.tree()
    assert stepper.run(memory.root, "compile").code == 0
    after = memory.tree()
    refused = 0
    for most in (64, 256, 512, 1024, 1536, 2048, 4096, 1 << 16):
        set_up(memory, before)
        ended = stepper.run(memory.root, "compile", file_most=most)
        refused += ended.code != 0
        assert memory.tree() == (after if ended.code == 0 else start), most
        assert stepper.run(memory.root, "compile").code == 0
        assert memory.tree() == after, most
        assert memory.litter() == [], most
    assert 0 < refused < 8
