"""What a start and an end learn of queue and log: counts and titles, from the cache."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
from memory import FULL_LOG, FULL_QUEUE, Memory, fixture, item, queue_of

from afterword.evolution import overview
from afterword.evolution.overview import Overview, QueueView, ReflectionsView
from afterword.store import file_key

MOST = 1 << 20
QUEUE = ".ai/repo/evolution/learning_queue.md"
LOG = ".ai/repo/evolution/reflection_log.md"


def look(memory: Memory, most: int = MOST, *, keep: bool = True) -> Overview:
    return overview.look(memory.store, most_bytes=most, keep=keep)


def cache(memory: Memory) -> bytes:
    path = memory.repo.local / "cache/evolution.json"
    return path.read_bytes() if path.exists() else b""


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are trusted at once, as if they had been written long ago."""
    monkeypatch.setattr(file_key, "_SETTLED", -(10**12))


def test_n16_counts_and_a_few_titles(memory: Memory) -> None:
    items = [item(number, "pending", priority="P3") for number in range(1, 7)]
    items += [item(7, "processing"), item(8, "pending", priority="P0"), item(9, "odd")]
    items += [item(number, "done") for number in range(10, 26)]
    memory.put("queue", queue_of(*items))
    memory.put("reflections", fixture(FULL_LOG))
    seen = look(memory)
    view = seen.queue
    assert view is not None
    assert (view.pending, view.processing, view.done, view.other) == (7, 1, 16, 1)
    assert view.waiting == (
        ("LQ-007", "P2", "Title of 7"),
        ("LQ-008", "P0", "Title of 8"),
        ("LQ-001", "P3", "Title of 1"),
        ("LQ-002", "P3", "Title of 2"),
        ("LQ-003", "P3", "Title of 3"),
    )
    assert [identity for identity, _ in view.newest_done] == [
        f"LQ-{number:03d}" for number in range(25, 15, -1)
    ]
    log = seen.reflections
    assert log is not None
    assert (log.total, log.dated, len(log.newest)) == (19, 19, 10)
    assert all(date == "2026-02-27" for date, _ in log.newest)


def test_nothing_there_is_nothing_to_do(memory: Memory) -> None:
    seen = look(memory)
    assert seen == Overview(queue=QueueView(), reflections=ReflectionsView())


def test_a_large_file_is_not_read_here(memory: Memory) -> None:
    memory.put("queue", fixture(FULL_QUEUE))
    memory.put("reflections", b"# Log\n")
    seen = look(memory, most=1000)
    assert seen.queue is None
    assert seen.reflections == ReflectionsView()


@pytest.mark.usefixtures("settled")
def test_what_was_counted_once_is_known_whatever_its_size(memory: Memory) -> None:
    memory.put("queue", fixture(FULL_QUEUE))
    memory.put("reflections", fixture(FULL_LOG))
    seen = look(memory)
    assert cache(memory)
    assert look(memory, most=0) == seen
    memory.put("queue", queue_of(item(1, "pending")))
    assert look(memory, most=0).queue is None
    again = look(memory).queue
    assert again is not None
    assert again.pending == 1


def test_a_file_younger_than_two_seconds_is_not_trusted(memory: Memory) -> None:
    """An edit within the grain of a time stamp would never be seen."""
    path = memory.put("queue", queue_of(item(1, "pending")))
    os.utime(path, (1, 1))  # the other time stamp tells that it is young
    look(memory)
    assert b'"queue":{' not in cache(memory)
    time.sleep(2.1)
    look(memory)
    assert b'"queue":{' in cache(memory)


def test_without_leave_nothing_is_written(memory: Memory) -> None:
    memory.put("queue", fixture(FULL_QUEUE))
    before = memory.tree()
    assert look(memory, keep=False) == look(memory, keep=False)
    assert memory.tree() == before


@pytest.mark.usefixtures("settled")
def test_a_local_half_that_is_not_ours_is_neither_read_nor_written(
    memory: Memory,
) -> None:
    memory.put("queue", fixture(FULL_QUEUE))
    seen = look(memory)
    planted = cache(memory).replace(b'"done":30', b'"done":1')
    (memory.repo.local / "cache/evolution.json").write_bytes(planted)
    planted_view = look(memory).queue
    assert planted_view is not None
    assert planted_view.done == 1, "the cache was not used"
    (memory.repo.local / ".stamp").write_text("another\n")
    assert look(memory) == seen
    assert cache(memory) == planted


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'"done":30', b'"done":"many"'),
        (b'"done":30', b'"dine":30'),
        (b'"newest_done":[', b'"newest_done":[5,'),
        (b'"newest_done":[', b'"newest_done":[[],'),
        (b'"newest_done":[', b'"newest_done":["ab",'),
        (b'"view":{', b'"vue":{'),
        (b'"queue":{', b'"queue":[{'),
        (b"{", b"["),
    ],
)
def test_a_cache_of_another_shape_is_no_cache(
    memory: Memory, before: bytes, after: bytes
) -> None:
    memory.put("queue", fixture(FULL_QUEUE))
    look(memory)
    damaged = cache(memory).replace(before, after, 1)
    assert damaged != cache(memory)
    (memory.repo.local / "cache/evolution.json").write_bytes(damaged)
    view = look(memory).queue
    assert view is None or view.done == 30


@pytest.mark.parametrize(
    ("key", "path"), [("queue", QUEUE), ("reflections", LOG)], ids=["queue", "log"]
)
@pytest.mark.parametrize("kind", ["markers", "fifo", "folder", "outside", "loop"])
def test_what_cannot_be_read_is_said_and_never_raises(
    memory: Memory, key: str, path: str, kind: str
) -> None:
    file = memory.put(key, b"# Mine\n\n>>>>>>> theirs\n")
    if kind != "markers":
        file.unlink()
    if kind == "fifo":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    elif kind == "outside":
        file.symlink_to("/etc/hostname")
    elif kind == "loop":
        file.symlink_to(file.name)
    seen = look(memory)
    view = seen.queue if key == "queue" else seen.reflections
    assert view is not None
    assert (
        view.problem
        == {
            "markers": f"{path}:3: a merge left its conflict markers here",
            "fifo": f"{path}: not a regular file",
            "folder": f"{path}: not a regular file",
            "outside": f"{path}: leads out of the repository",
            "loop": f"{path}: cannot be read: Too many levels of symbolic links",
        }[kind]
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="not on this system: root reads it")
def test_a_file_without_rights_is_said(memory: Memory) -> None:
    memory.put("queue", b"# Mine\n").chmod(0)
    view = look(memory).queue
    assert view is not None
    assert view.problem == f"{QUEUE}: cannot be read: Permission denied"


PROBE = """
import sys
sys.path.insert(0, sys.argv[2])
from afterword.evolution import overview
from afterword.store import layout
view = overview.look(layout.need(sys.argv[1]), most_bytes=1 << 20).queue
print(view.done, *sorted(sys.modules))
"""


@pytest.mark.usefixtures("settled")
def test_a_warm_look_loads_no_reader_and_nothing_heavy(memory: Memory) -> None:
    memory.put("queue", fixture(FULL_QUEUE))
    memory.put("reflections", fixture(FULL_LOG))
    look(memory)
    library = overview.__file__.rpartition("/afterword/")[0]
    words = ["-I", "-S", "-X", "utf8", "-c", PROBE, str(memory.root), library]
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=True
    )
    count, *loaded = done.stdout.split()
    assert count == "30"
    heavy = "typing dataclasses re json pathlib subprocess datetime functools collections contextlib hashlib"
    assert set(heavy.split()).isdisjoint(loaded)
    readers = [name for name in loaded if name.startswith("afterword.evolution.")]
    assert readers == ["afterword.evolution.overview"]
    assert "afterword.store.blocks" not in loaded
