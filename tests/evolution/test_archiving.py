"""Archiving the queue, rolling and cleaning the log: what stands in the files afterwards."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from memory import (
    FIXTURES,
    FULL_LOG,
    FULL_QUEUE,
    NOISY_LOG,
    Memory,
    fixture,
    item,
    queue_of,
)
from stepping import STAMP, TODAY

from afterword.errors import AfterwordError, StoreDamaged, UnsafePath
from afterword.evolution import archiving
from afterword.store import atomic

LATER = "2026-12-01T08:00:00.123Z"


def archive(memory: Memory, stamp: str = STAMP, **more: Any) -> archiving.Archived:
    return archiving.archive_queue(memory.store, memory.config, stamp, wait=1.0, **more)


def roll(memory: Memory, stamp: str = STAMP, **more: Any) -> archiving.Archived:
    return archiving.roll(memory.store, memory.config, stamp, wait=1.0, **more)


def clean(memory: Memory, *, apply: bool = True) -> archiving.CleanUp:
    return archiving.clean(memory.store, memory.config, TODAY, apply=apply, wait=1.0)


def done(*numbers: int) -> list[str]:
    return [item(number, "done") for number in numbers]


def reflections(count: int, month: int = 3) -> str:
    return "".join(
        f"## Reflection - 2026-{month:02d}-{day:02d} 10:00\n\nWhat day {day} taught\n\n---\n\n"
        for day in range(1, count + 1)
    )


RUNS = [("queue", archive, FULL_QUEUE), ("reflections", roll, FULL_LOG)]
EACH = pytest.mark.parametrize(("key", "run", "name"), RUNS)
Run = Callable[..., archiving.Archived]


def test_t1_1_a1_2_eleven_done_trigger_and_ten_do_not(memory: Memory) -> None:
    memory.put("queue", queue_of(*done(*range(1, 11))))
    assert archive(memory).moved == 0
    assert not memory.path("queue_archive").exists()
    memory.put("queue", queue_of(*done(*range(1, 12))))
    told = archive(memory)
    assert (told.moved, told.kept) == (1, 10)
    assert [one.identity for one in memory.items("queue_archive")] == ["LQ-001"]


def test_t1_2_t1_3_n15_the_surplus_stands_in_the_archive_with_its_time(
    memory: Memory,
) -> None:
    memory.put("queue", queue_of(*done(*range(1, 13))))
    assert (
        archive(memory, LATER).archive == ".ai/repo/evolution/learning_queue_archive.md"
    )
    assert memory.data("queue_archive").decode() == (
        "# Learning queue archive\n\n"
        + "".join(
            f"{item(number, 'done')}<!-- archived 2026-12-01T08:00:00Z -->\n\n"
            for number in (1, 2)
        )
    )


def test_a1_3_round_after_round_nothing_is_lost_and_no_id_is_twice(
    memory: Memory,
) -> None:
    """C2: main and archive together hold every item that was ever done."""
    memory.put("queue", fixture(FULL_QUEUE))
    before = [one.raw for one in memory.items()]
    for number in range(31, 60, 5):
        more = "".join(item(one, "done") for one in range(number, number + 5))
        memory.put("queue", memory.data("queue") + b"\n" + more.encode())
        before += [one.raw for one in memory.items()[-5:]]
        archive(memory)
    both = memory.items() + memory.items("queue_archive")
    assert len({one.identity for one in both}) == len(both) == 60
    everything = memory.data("queue") + memory.data("queue_archive")
    assert [everything.count(raw.rstrip()) for raw in before] == [1] * len(before)


def test_a1_6_t1_5b_it_works_with_nothing_pending_and_leaves_what_waits(
    memory: Memory,
) -> None:
    memory.put("queue", queue_of(*done(*range(1, 15))))
    assert archive(memory).moved == 4
    waiting = [item(20, "pending"), item(21, "processing"), item(22, "processed")]
    memory.put("queue", queue_of(*waiting, *done(*range(1, 15))))
    archive(memory)
    assert list(memory.states().values())[:3] == ["pending", "processing", "other"]


def test_t1_6_n5_the_folder_of_an_archive_is_made(memory: Memory) -> None:
    memory.repo.write(
        ".ai/config.yaml",
        "paths:\n  queue_archive: notes/old/deep/queue.md\n"
        "  reflections_archive: notes/older/log.md\n",
    )
    memory = Memory(memory.repo)
    paths = memory.config.paths()
    memory.store = memory.store.replace(paths=paths)
    memory.put("queue", queue_of(*done(*range(1, 12))))
    memory.put("reflections", reflections(11).encode())
    assert archive(memory).archive == "notes/old/deep/queue.md"
    assert roll(memory).archive == "notes/older/log.md"
    assert (memory.root / "notes/old/deep/queue.md").exists()
    assert (memory.root / "notes/older/log.md").exists()


@EACH
def test_t1_7a_t1_7b_t2_7_n6_n7_the_archive_grows_at_its_end_and_main_is_exchanged(
    memory: Memory, key: str, run: Run, name: str
) -> None:
    """F8: the mode of the main file stays."""
    old = b"# Kept\r\n\r\nby hand, \xff\x00 and all\r\n"
    main, beside = memory.put(key, fixture(name)), memory.put(f"{key}_archive", old)
    main.chmod(0o640)
    inodes = main.stat().st_ino, beside.stat().st_ino
    assert run(memory).moved > 0
    assert memory.data(f"{key}_archive").startswith(old)
    assert main.stat().st_ino != inodes[0]
    assert beside.stat().st_ino == inodes[1]
    assert main.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="not on this system: /proc"
)
@EACH
def test_c6_the_archive_is_durable_before_main_is_trimmed(
    memory: Memory, key: str, run: Run, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File and folder; also when a killed run appended all of it before."""
    for expected in ("fresh", "appended before"):
        memory.put(key, fixture(name))
        steps: list[str] = []
        real_sync, real_replace = os.fsync, os.replace

        def sync(
            descriptor: int, steps: list[str] = steps, real: Any = real_sync
        ) -> None:
            steps.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)
            real(descriptor)

        def exchange(
            old: str, new: str, steps: list[str] = steps, real: Any = real_replace
        ) -> None:
            steps.append(f"> {Path(new).name}")
            real(old, new)

        monkeypatch.setattr(os, "fsync", sync)
        monkeypatch.setattr(os, "replace", exchange)
        assert run(memory).moved > 0
        monkeypatch.undo()
        at = steps.index(f"> {memory.path(key).name}")
        before = steps[:at]
        own = before.index(memory.path(f"{key}_archive").name)
        assert "evolution" in before[own:], (expected, steps)
        assert steps[at + 1 :] == ["evolution"]


@EACH
def test_n14_r9_twice_is_once(memory: Memory, key: str, run: Run, name: str) -> None:
    memory.put(key, fixture(name))
    run(memory)
    after = memory.tree()
    times = [path.stat().st_mtime_ns for path in memory.tracked]
    again = run(memory, LATER)
    assert again.moved == 0
    assert memory.tree() == after
    assert [path.stat().st_mtime_ns for path in memory.tracked] == times


@EACH
def test_r9_what_a_crash_left_in_both_is_folded(
    memory: Memory, key: str, run: Run, name: str
) -> None:
    """T1.7c: the archive was written, main was not."""
    memory.put(key, fixture(name))
    first = run(memory)
    after = memory.data(key), memory.data(f"{key}_archive")
    memory.put(key, fixture(name))
    again = run(memory, LATER)
    assert again.moved == first.moved
    assert (memory.data(key), memory.data(f"{key}_archive")) == after


def test_c5_equal_id_with_other_content_is_kept_and_named(memory: Memory) -> None:
    """Q4: the seed dropped it from both files."""
    other = item(1, "done").replace("What 1 says", "Something else")
    memory.put("queue_archive", other.encode())
    memory.put("queue", queue_of(*done(*range(1, 13))))
    told = archive(memory)
    assert told.collisions == ("LQ-001",)
    assert b"What 1 says" in memory.data("queue_archive")
    assert b"Something else" in memory.data("queue_archive")


def test_t2_3_t2_4_t2_5_a2_2_the_eleventh_sends_the_oldest_away(memory: Memory) -> None:
    memory.put("reflections", reflections(10).encode())
    assert roll(memory).moved == 0
    assert not memory.path("reflections_archive").exists()
    memory.put("reflections", reflections(11).encode())
    told = roll(memory)
    assert (told.moved, told.kept) == (1, 10)
    assert told.archive == ".ai/repo/evolution/reflection_log_archive.md"
    assert len(memory.reflections()) == 10
    assert b"What day 1 taught" not in memory.data("reflections")
    assert b"What day 1 taught" in memory.data("reflections_archive")


def test_n11_the_windows_are_settings(memory: Memory) -> None:
    memory.repo.write(
        ".ai/config.yaml", "queue:\n  keep_done: 2\nreflections:\n  keep: 3\n"
    )
    memory.put("queue", queue_of(*done(*range(1, 6))))
    memory.put("reflections", reflections(5).encode())
    assert (archive(memory).moved, archive(memory).kept) == (3, 2)
    assert (roll(memory).moved, roll(memory).kept) == (2, 3)


@EACH
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_t1_9_t2_9_a1_8_the_lines_of_the_archive_are_counted(
    memory: Memory, key: str, run: Run, name: str, end: str
) -> None:
    text = fixture(name).replace(b"\n", end.encode())
    memory.put(key, text)
    told = run(memory)
    assert told.moved > 0
    data = memory.data(f"{key}_archive").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    assert told.lines == data.count(b"\n")


def test_n3_n19_the_archive_is_where_the_settings_say_whatever_the_file_says(
    memory: Memory,
) -> None:
    """The comment that N3 asks for stands where the paths come from."""
    text = "archive: ../../stolen.md\n# 归档: /tmp/stolen.md\n\n"
    memory.put("queue", text.encode() + queue_of(*done(*range(1, 12))))
    before = {path for path in memory.root.rglob("*") if ".git/" not in str(path)}
    archive(memory)
    after = {path for path in memory.root.rglob("*") if ".git/" not in str(path)}
    assert {path.name for path in after - before} == {
        "learning_queue_archive.md",
        *("locks", "archive", "evolution"),
    }
    source = Path(archiving.__file__).read_text()
    assert "归档路径不可来自文件内容" in source
    assert "archive path must not come from file content" in source


@EACH
def test_f9_an_archive_that_leads_out_of_the_repository_is_refused(
    memory: Memory, key: str, run: Run, name: str, tmp_path: Path
) -> None:
    memory.put(key, fixture(name))
    outside = tmp_path / "outside.md"
    outside.write_bytes(b"theirs\n")
    memory.path(f"{key}_archive").symlink_to(outside)
    relative = memory.store.paths[f"{key}_archive"]
    with pytest.raises(UnsafePath) as error:
        run(memory)
    assert error.value.message == (
        f"{relative}: leads out of the repository, to {outside}"
    )
    assert outside.read_bytes() == b"theirs\n"
    assert memory.data(key) == fixture(name)


@EACH
def test_f9_a_legal_name_and_a_link_inside_the_repository_are_taken(
    memory: Memory, key: str, run: Run, name: str
) -> None:
    real = memory.path(key).parent / "a..b.md"
    memory.put(key, fixture(name))
    memory.path(f"{key}_archive").symlink_to(real.name)
    assert run(memory).moved > 0
    assert memory.path(f"{key}_archive").is_symlink()
    assert real.stat().st_size > 0
    assert run(memory).moved == 0


@EACH
@pytest.mark.parametrize("where", ["", "_archive"])
@pytest.mark.parametrize("kind", ["folder", "fifo"])
def test_what_is_no_regular_file_is_refused_at_once(
    memory: Memory, key: str, run: Run, name: str, where: str, kind: str
) -> None:
    memory.put(key, fixture(name))
    path = memory.path(f"{key}{where}")
    path.unlink(missing_ok=True)
    path.mkdir() if kind == "folder" else os.mkfifo(path)
    with pytest.raises(UnsafePath) as error:
        run(memory)
    relative = memory.store.paths[f"{key}{where}"]
    assert error.value.message == f"{relative}: not a regular file"
    assert error.value.hint == "move it away, then run this again"


@EACH
@pytest.mark.parametrize("where", ["", "_archive"])
def test_merge_markers_are_refused_with_file_and_line(
    memory: Memory, key: str, run: Run, name: str, where: str
) -> None:
    memory.put(f"{key}_archive", b"# Old\n")
    memory.put(key, fixture(name))
    path = memory.path(f"{key}{where}")
    path.write_bytes(b"one\ntwo\n<<<<<<< HEAD\nthree\n" + path.read_bytes())
    before = {path: path.read_bytes() for path in memory.tracked}
    with pytest.raises(StoreDamaged) as error:
        run(memory)
    relative = memory.store.paths[f"{key}{where}"]
    assert error.value.message == (
        f"{relative}:3: a merge left its conflict markers here"
    )
    assert {path: path.read_bytes() for path in memory.tracked} == before


def test_one_file_for_two_places_is_refused(memory: Memory) -> None:
    """Else an archive run would append the queue to itself."""
    memory.put("queue", fixture(FULL_QUEUE))
    memory.path("queue_archive").symlink_to(memory.path("queue").name)
    with pytest.raises(UnsafePath) as error:
        archive(memory)
    assert error.value.message == (
        ".ai/repo/evolution/learning_queue_archive.md:"
        " the settings name it for queue and for queue_archive"
    )
    assert memory.data("queue") == fixture(FULL_QUEUE)


@EACH
def test_a_dry_run_says_the_same_and_writes_nothing(
    memory: Memory, key: str, run: Run, name: str
) -> None:
    memory.put(key, fixture(name))
    memory.put(f"{key}_archive", b"# Old\n\ntorn tail")
    before = memory.tree()
    planned = run(memory, dry_run=True)
    assert memory.tree() == before
    assert planned == run(memory)
    assert planned.moved > 0


@EACH
def test_an_absent_file_has_nothing_to_move(
    memory: Memory, key: str, run: Run, name: str
) -> None:
    told = run(memory)
    assert (told.moved, told.kept, told.lines) == (0, 0, 0)
    assert memory.tracked == []


class Editor:
    """Adds a line to a file in the moment before it is exchanged."""

    def __init__(self, path: Path, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = times
        real = atomic.stage

        def late(target: str, data: bytes, **more: bool) -> str:
            staged = real(target, data, **more)
            if self.left:
                self.left -= 1
                with path.open("ab") as stream:
                    stream.write(b"by an editor\n")
            return staged

        monkeypatch.setattr(atomic, "stage", late)


@EACH
@pytest.mark.parametrize("which", ["", "_archive"])
def test_what_an_editor_saves_meanwhile_is_planned_anew(
    memory: Memory,
    key: str,
    run: Run,
    name: str,
    which: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory.put(key, fixture(name))
    memory.put(f"{key}_archive", b"# Old\n")
    count = len(memory.items() if key == "queue" else memory.reflections())
    Editor(memory.path(f"{key}{which}"), 2, monkeypatch)
    moved = run(memory).moved
    assert moved > 0
    both = memory.data(key) + memory.data(f"{key}_archive")
    assert both.count(b"by an editor\n") == 2 if which == "" else 1
    if key == "queue":
        assert len(memory.items()) == count - moved
        assert len(memory.items("queue_archive")) == moved


@EACH
def test_an_editor_that_never_rests_is_left_to_it(
    memory: Memory, key: str, run: Run, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is lost, and the next run folds what is in both."""
    memory.put(key, fixture(name))
    Editor(memory.path(key), 9, monkeypatch)
    with pytest.raises(AfterwordError) as error:
        run(memory)
    assert str(error.value) == (
        f"{memory.store.paths[key]}: changed by someone else meanwhile\n"
        "run the command again"
    )
    assert memory.data(key) == fixture(name) + b"by an editor\n" * 3
    monkeypatch.undo()
    moved = run(memory).moved
    assert moved > 0
    assert memory.data(f"{key}_archive").count(b"<!-- archived ") == moved
    assert run(memory, LATER).moved == 0


# The clean-up.


def test_t2_2_a2_1_a_clean_up_shows_its_plan_first(memory: Memory) -> None:
    memory.put("reflections", fixture(NOISY_LOG))
    before = memory.tree()
    plan = clean(memory, apply=False)
    assert (len(plan.removed), plan.kept, plan.backup) == (37, 8, "")
    assert memory.tree() == before
    made = clean(memory)
    assert (made.removed, made.kept) == (plan.removed, plan.kept)
    assert made.backup == ".ai/repo/evolution/reflection_log_backup_20261130.md"
    assert (memory.root / made.backup).read_bytes() == fixture(NOISY_LOG)
    assert b"Codex Workflow Optimization" in memory.data("reflections")
    assert len(memory.reflections()) == 8


def test_c11_r10_a_second_clean_up_of_a_day_keeps_the_first_copy(
    memory: Memory,
) -> None:
    names = []
    for number in range(3):
        text = fixture(NOISY_LOG) + b"more\n" * number
        memory.put("reflections", text)
        names.append(clean(memory).backup.rpartition("_")[2])
        assert (
            memory.path("reflections").parent / f"reflection_log_backup_{names[-1]}"
        ).read_bytes() == text
    assert names == ["20261130.md", "20261130-2.md", "20261130-3.md"]


@pytest.mark.parametrize(
    "name", ["", FULL_LOG, "reflection_log_archive.2026-03-02.bcae96a6.md"]
)
def test_r4_where_nothing_is_provably_empty_nothing_is_written(
    memory: Memory, name: str
) -> None:
    if name:
        memory.put("reflections", fixture(name))
    before = sorted(memory.tracked)
    assert clean(memory).removed == ()
    assert sorted(memory.tracked) == before
    assert memory.data("reflections") == (fixture(name) if name else b"")


def test_a_backup_name_that_leads_elsewhere_is_passed_over(
    memory: Memory, tmp_path: Path
) -> None:
    memory.put("reflections", fixture(NOISY_LOG))
    link = memory.path("reflections").parent / "reflection_log_backup_20261130.md"
    link.symlink_to(memory.root / "nowhere.md")
    assert clean(memory).backup.endswith("_20261130-2.md")
    assert not (memory.root / "nowhere.md").exists()


@pytest.mark.parametrize(
    "path", sorted(FIXTURES.glob("reflection_log.*")), ids=lambda path: path.name
)
def test_real_logs_survive_a_run_with_nothing_to_do(memory: Memory, path: Path) -> None:
    memory.repo.write(".ai/config.yaml", "reflections:\n  keep: 60\n")
    memory.put("reflections", path.read_bytes())
    assert roll(memory).moved == 0
    assert memory.data("reflections") == path.read_bytes()
    assert [one.name for one in memory.tracked] == ["reflection_log.md"]
