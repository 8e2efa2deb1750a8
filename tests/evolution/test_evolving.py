"""Evolve: from a queue item to a knowledge-base entry, once, in order, within its time."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from memory import Memory, fixture, item, queue_of
from stepping import STAMP

from afterword.errors import AfterwordError, StoreDamaged, UnsafePath
from afterword.evolution import entry, entry_files, evolve_plan, evolving, fields
from afterword.store import atomic, file_key
from afterword.store.locks import Lock

BASE = ".ai/repo/evolution/knowledge_base.md"
QUEUE = ".ai/repo/evolution/learning_queue.md"


def evolve(memory: Memory, **more: Any) -> evolving.Evolved:
    given: dict[str, Any] = {"most": 3, "stamp": STAMP, "wait": 1.0, **more}
    given.setdefault("deadline", time.monotonic() + 30)
    return evolving.evolve(memory.store, memory.config, **given)


def ids(done: evolving.Evolved) -> list[str]:
    return [identity for identity, _, _ in done.items]


def field(memory: Memory, number: int, name: str) -> str:
    return fields.text(memory.items()[number].raw, name)


def test_t4_3_a4_4_an_item_becomes_an_entry_with_a_row_and_is_done(
    memory: Memory,
) -> None:
    memory.put("queue", queue_of(item(1, "pending")))
    done = evolve(memory)
    ((identity, product, path),) = done.items
    assert (identity, done.left, done.recovered, done.held) == ("LQ-001", 0, 0, False)
    assert memory.data("queue").decode() == (
        "# Learning queue\n\n## Pending\n\n### LQ-001: Title of 1\n- Priority: P2\n"
        "- Source: session\n- Status: done\n- Added: 2026-03-02\n"
        "- Processed: 2026-11-30\n- Content: What 1 says\n"
        f"- Product: {product}\n\n"
    )
    assert memory.entries == {f"{product}-title-of-1.md": ("LQ-001",)}
    assert path == f".ai/repo/evolution/entries/{product}-title-of-1.md"
    assert b"- Content: What 1 says" in (memory.root / path).read_bytes()
    assert memory.rows == [product]


def test_t4_3_an_item_is_processing_before_anything_is_made_of_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.put("queue", queue_of(item(1, "pending"), item(2, "pending")))
    seen = []
    real = evolving.Sheet.finish

    def watched(self: Any, *given: Any) -> None:
        seen.append((list(memory.states().values()), memory.entries))
        real(self, *given)

    monkeypatch.setattr(evolving.Sheet, "finish", watched)
    evolve(memory, most=1)
    assert seen == [(["processing", "pending"], {})]


def test_t4_8_a4_3_at_most_so_many_and_fewer_are_fine(memory: Memory) -> None:
    memory.put("queue", queue_of(*(item(number, "pending") for number in range(1, 6))))
    first, second = evolve(memory), evolve(memory)
    assert (len(first.items), first.left) == (3, 2)
    assert (len(second.items), second.left) == (2, 0)
    assert len(memory.entries) == len(memory.rows) == 5


def test_t4_9_a4_11_nothing_pending_nothing_written(memory: Memory) -> None:
    memory.put("queue", queue_of(item(1, "done"), item(2, "skipped")))
    evolve(memory)  # makes the lock files
    before = memory.tree()
    assert evolve(memory) == evolving.Evolved()
    assert memory.tree() == before
    assert not memory.path("entries").exists()


def test_c23_by_priority_then_the_oldest_first(memory: Memory) -> None:
    """Priorities with a note count; what is no priority counts as P2."""
    items = [
        item(1, "pending", priority="P3", added="2026-01-01"),
        item(2, "pending", priority="P2", added="2026-02-02"),
        item(3, "pending", priority="soon", added="2026-02-01"),
        item(4, "pending", priority="P1（核心流程）", added="2026-02-05"),
        item(5, "pending", priority="P0", added="2026-02-09"),
        item(6, "pending", priority="P1", added="2026-02-04"),
        item(7, "pending", priority="P10", added="2026-01-31"),
        item(9, "pending", priority="P0", added="2026-02-09"),
        item(8, "pending", priority="P0", added="2026-02-09"),
    ]
    memory.put("queue", queue_of(*items))
    order = ids(evolve(memory, most=9))
    numbers = [int(identity[-3:]) for identity in order]
    assert numbers == [5, 8, 9, 6, 4, 7, 3, 2, 1]


@pytest.mark.parametrize(
    ("text", "rank"),
    [("P0", 0), ("p1", 1), ("P3 (later)", 3), ("P10", 2), ("", 2), ("high", 2)],
)
def test_c23_the_rank_of_a_priority(text: str, rank: int) -> None:
    assert evolve_plan.rank(text) == rank


def test_c19_what_a_killed_run_began_comes_first_also_with_nothing_pending(
    memory: Memory,
) -> None:
    memory.put("queue", queue_of(item(1, "processing"), item(2, "done")))
    done = evolve(memory)
    assert (ids(done), done.recovered) == (["LQ-001"], 1)
    begun = item(2, "in-progress", priority="P3")
    memory.put("queue", queue_of(item(1, "pending", priority="P0"), begun))
    done = evolve(memory, most=1)
    assert (ids(done), done.recovered, done.left) == (["LQ-002"], 1, 1)


def test_c17_an_entry_that_was_made_is_found_and_nothing_is_made_twice(
    memory: Memory,
) -> None:
    """Whether the item says pending or processing; a row that is missing is added."""
    for state in ("pending", "processing"):
        memory.clear()
        memory.put("queue", queue_of(item(1, "pending")))
        ((_, product, path),) = evolve(memory).items
        memory.put("queue", queue_of(item(1, state)))
        memory.path("knowledge_base").unlink()
        again = evolve(memory)
        assert again.items == (("LQ-001", product, path),)
        assert list(memory.states().values()) == ["done"]
        assert memory.rows == [product]
        assert len(memory.entries) == 1


def test_an_entry_that_a_person_edited_is_never_overwritten(memory: Memory) -> None:
    memory.put("queue", queue_of(item(1, "pending")))
    ((_, product, path),) = evolve(memory).items
    file = memory.root / path
    edited = file.read_bytes().replace(b"Title of 1", b"A better title") + b"\nMine.\n"
    file.write_bytes(edited)
    memory.put("queue", queue_of(item(1, "pending")))
    memory.path("knowledge_base").unlink()
    evolve(memory)
    assert file.read_bytes() == edited
    assert field(memory, 0, "product") == product
    assert b"| A better title |" in memory.data("knowledge_base")


def test_an_entry_under_another_name_is_found_by_its_id(memory: Memory) -> None:
    memory.put("queue", queue_of(item(1, "pending"), item(1, "pending")))
    ((_, product, path), _) = evolve(memory).items
    file = memory.root / path
    file.rename(file.with_name(f"{product}-renamed.md"))
    memory.put("queue", queue_of(item(1, "pending"), item(1, "pending")))
    done = evolve(memory)
    renamed = f".ai/repo/evolution/entries/{product}-renamed.md"
    assert [path for _, _, path in done.items] == [renamed] * 2
    assert list(memory.entries) == [f"{product}-renamed.md"]


def test_an_empty_file_is_no_entry(memory: Memory) -> None:
    """As a disk that failed may leave it."""
    memory.put("queue", queue_of(item(1, "pending")))
    ((_, _, path),) = evolve(memory, dry_run=True).items
    file = memory.root / path
    file.parent.mkdir()
    file.touch()
    evolve(memory)
    assert b"What 1 says" in file.read_bytes()


FOREIGN = """---
id: k-029
title: "What somebody learned"
category: tooling
references:
  - LQ-001
---

Text
"""


def test_an_entry_of_somebody_else_that_refers_to_the_item_is_its_product(
    memory: Memory,
) -> None:
    memory.put("queue", queue_of(item(1, "pending")))
    path = memory.path("entries") / "k-029-learned.md"
    path.parent.mkdir()
    path.write_text(FOREIGN)
    done = evolve(memory)
    assert done.items[0][1:] == ("k-029", ".ai/repo/evolution/entries/k-029-learned.md")
    assert list(memory.entries) == ["k-029-learned.md"]
    assert field(memory, 0, "product") == "k-029"
    row = "| k-029 | What somebody learned | tooling |"
    assert row in memory.data("knowledge_base").decode()


def test_its_name_tells_the_id_where_the_entry_does_not(memory: Memory) -> None:
    memory.put("queue", queue_of(item(1, "pending")))
    path = memory.path("entries") / "k-029-learned.md"
    path.parent.mkdir()
    path.write_text("---\nreferences: [LQ-001]\nodd: {\n---\n")
    assert evolve(memory).items[0][1] == "k-029"
    assert "| k-029 | Title of 1 |" in memory.data("knowledge_base").decode()


@pytest.mark.parametrize("where", ["queue", "queue_archive"])
def test_q16_a_reference_to_an_id_of_two_items_proves_nothing(
    memory: Memory, where: str
) -> None:
    other = item(1, "done").replace("What 1 says", "Something else")
    items = [item(1, "pending")]
    if where == "queue":
        items.append(other)
    else:
        memory.put("queue_archive", other.encode())
    memory.put("queue", queue_of(*items))
    path = memory.path("entries") / "k-029-learned.md"
    path.parent.mkdir(parents=True)
    path.write_text(FOREIGN)
    ((_, product, _),) = evolve(memory).items
    assert product != "k-029"
    assert len(memory.entries) == 2


def test_q16_two_items_with_one_id_are_two_items(memory: Memory) -> None:
    """The seed only ever changed the first, the second stayed pending for ever."""
    other = item(1, "pending").replace("What 1 says", "Something else")
    memory.put("queue", queue_of(item(1, "pending"), other))
    done = evolve(memory)
    assert ids(done) == ["LQ-001", "LQ-001"]
    assert [one.state for one in memory.items()] == ["done", "done"]
    products = [field(memory, 0, "product"), field(memory, 1, "product")]
    assert memory.rows == products
    assert len(set(products)) == 2


def test_t4_5_a4_5_c18_out_of_time_nothing_is_begun(memory: Memory) -> None:
    """Nothing is rolled back, for nothing was half done; the next run goes on."""
    whole = queue_of(item(1, "pending"), item(2, "pending"))
    memory.put("queue", whole)
    done = evolve(memory, deadline=time.monotonic())
    assert (done.items, done.left, done.out_of_time) == ((), 2, True)
    assert memory.data("queue") == whole
    assert len(evolve(memory).items) == 2


def test_t4_5_c20_time_is_looked_at_between_items(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.put("queue", queue_of(*(item(number, "pending") for number in (1, 2, 3))))
    deadline = time.monotonic() + 30
    real = evolving.Sheet.finish

    def slow(self: Any, *given: Any) -> None:
        real(self, *given)
        monkeypatch.setattr(evolving.time, "monotonic", lambda: deadline + 1)

    monkeypatch.setattr(evolving.Sheet, "finish", slow)
    done = evolve(memory, deadline=deadline)
    assert (ids(done), done.left, done.out_of_time) == (["LQ-001"], 2, True)
    assert list(memory.states().values()) == ["done", "pending", "pending"]


def test_t4_4_a4_6_q6_the_second_of_two_runs_skips_and_raises_nothing(
    memory: Memory,
) -> None:
    memory.put("queue", queue_of(item(1, "pending")))
    before = memory.data("queue")
    with Lock(memory.store, evolving.LOCK):
        assert evolve(memory) == evolving.Evolved(held=True)
    assert memory.data("queue") == before
    assert len(evolve(memory).items) == 1


def test_a_dry_run_says_the_same_and_writes_nothing(memory: Memory) -> None:
    memory.put("queue", queue_of(*(item(number, "pending") for number in range(1, 5))))
    path = memory.path("entries") / "k-029-learned.md"
    path.parent.mkdir()
    path.write_text(FOREIGN)
    before = memory.tree()
    planned = evolve(memory, dry_run=True)
    assert memory.tree() == before
    assert planned.items[0][1] == "k-029"
    assert planned == evolve(memory)


@pytest.mark.parametrize(("key", "path"), [("queue", QUEUE), ("knowledge_base", BASE)])
def test_merge_markers_are_refused_before_anything_is_written(
    memory: Memory, key: str, path: str
) -> None:
    memory.put("queue", queue_of(item(1, "pending")))
    memory.put(key, memory.data(key) + b"\n<<<<<<< HEAD\n")
    before = {path: path.read_bytes() for path in memory.tracked}
    line = memory.data(key).count(b"\n")
    with pytest.raises(StoreDamaged) as error:
        evolve(memory)
    message = f"{path}:{line}: a merge left its conflict markers here"
    assert error.value.message == message
    assert {path: path.read_bytes() for path in memory.tracked} == before


def test_f9_entries_that_lead_out_of_the_repository_are_refused(
    memory: Memory, tmp_path: Path
) -> None:
    whole = queue_of(item(1, "pending"))
    memory.put("queue", whole)
    (tmp_path / "theirs").mkdir()
    memory.path("entries").symlink_to(tmp_path / "theirs")
    with pytest.raises(UnsafePath) as error:
        evolve(memory)
    assert error.value.message == (
        f".ai/repo/evolution/entries: leads out of the repository, to {tmp_path}/theirs"
    )
    assert memory.data("queue") == whole
    assert list((tmp_path / "theirs").iterdir()) == []


def test_an_item_that_never_ends_is_left_to_a_person(memory: Memory) -> None:
    broken = item(2, "pending") + "```\nnever closed\n"
    memory.put("queue", queue_of(item(1, "pending"), broken))
    done = evolve(memory)
    assert ids(done) == ["LQ-001"]
    assert (done.left, done.said) == (
        0,
        (
            f"{QUEUE}:12: LQ-002 leaves a fence or a comment open:"
            " close it, then it can be evolved",
        ),
    )
    assert list(memory.states().values()) == ["done", "pending"]


def test_a_chinese_queue_keeps_its_words(memory: Memory) -> None:
    """The machine's blocks of era L8, some of them behind the last section."""
    memory.put("queue", fixture("learning_queue.2026-03-17.15cdd87f.md"))
    memory.put("knowledge_base", fixture("knowledge_base.2026-02-28.1e9ca11e.md"))
    before = memory.data("knowledge_base")
    done = evolve(memory, most=6)
    assert ids(done) == [f"Q-{number:03d}" for number in range(1, 7)]
    text = memory.data("queue").decode()
    assert text.count("- 状态: done\n") == 6
    assert text.count("- 处理时间: 2026-11-30\n") == 6
    assert text.count("- 知识产出: k-") == 6
    rows = set(memory.data("knowledge_base").splitlines()) - set(before.splitlines())
    assert len(rows) == 6


def test_what_an_editor_saves_meanwhile_stays(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the first write and in the middle of the batch; each change is made anew."""
    for key in ("queue", "knowledge_base"):
        memory.clear()
        memory.put("queue", queue_of(item(1, "pending"), item(2, "pending")))
        memory.put("knowledge_base", b"# Mine\n")
        path, left = memory.path(key), [2]
        real = atomic.stage

        def late(
            target: str,
            data: bytes,
            path: Path = path,
            left: list[int] = left,
            real: Any = real,
            **more: bool,
        ) -> str:
            staged = real(target, data, **more)
            if left[0] and Path(target) == path:
                left[0] -= 1
                path.write_bytes(path.read_bytes() + b"\n## By an editor\n")
            return staged

        monkeypatch.setattr(atomic, "stage", late)
        done = evolve(memory)
        monkeypatch.undo()
        assert sorted(ids(done)) == ["LQ-001", "LQ-002"]
        assert memory.data(key).count(b"## By an editor\n") == 2
        assert list(memory.states().values()) == ["done", "done"]
        assert len(memory.entries) == len(memory.rows) == 2
        assert done.said
        for orphan in memory.path("queue").parent.glob(".*.orphan"):
            assert orphan.name in "\n".join(done.said)


def test_an_editor_that_never_rests_is_left_to_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.put("queue", queue_of(item(1, "pending")))
    real = atomic.stage

    def late(target: str, data: bytes, **more: bool) -> str:
        with memory.path("queue").open("ab") as stream:
            stream.write(b"by an editor\n")
        return real(target, data, **more)

    monkeypatch.setattr(atomic, "stage", late)
    with pytest.raises(AfterwordError) as error:
        evolve(memory)
    assert error.value.message == f"{QUEUE}: changed by someone else meanwhile"
    assert memory.data("queue").count(b"by an editor\n") == 3
    monkeypatch.undo()
    assert len(evolve(memory).items) == 1


# What the entries refer to is remembered.


def entry_file(memory: Memory, number: int) -> Path:
    path = memory.path("entries") / f"k-{number:03d}-some.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nid: k-{number:03d}\nreferences: [LQ-{number:03d}]\n---\n")
    return path


def test_thousands_of_entries_are_read_once(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unchanged ones never again, new ones once; and nothing that is younger than 2 s."""
    for number in range(100, 130):
        entry_file(memory, number)
    read = []
    real = entry.references

    def counted(data: bytes) -> tuple[str, ...]:
        read.append(data)
        return real(data)

    monkeypatch.setattr(entry, "references", counted)

    def look(number: int) -> tuple[str, int]:
        read.clear()
        files = entry_files.EntryFiles(memory.store)
        found = files.made_of(f"LQ-{number:03d}")
        files.keep()
        return found, len(read)

    assert look(101) == ("k-101-some.md", 30)
    assert look(101) == ("k-101-some.md", 30), "too young to be trusted"
    monkeypatch.setattr(file_key, "_SETTLED", 0)
    assert look(102) == ("k-102-some.md", 30)
    assert look(103) == ("k-103-some.md", 0)
    entry_file(memory, 7)
    assert look(7) == ("k-007-some.md", 1)
    assert look(8) == ("", 0)
    memory.path("entries").joinpath("k-103-some.md").unlink()
    assert look(103) == ("", 0)


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b'{"folder":1}', b'{"folder":[],"files":{"a":1}}', b"\xff"],
)
def test_a_cache_that_cannot_be_read_is_made_anew(memory: Memory, data: bytes) -> None:
    entry_file(memory, 1)
    cache = memory.repo.local / "cache/entries.json"
    cache.parent.mkdir(exist_ok=True)
    cache.write_bytes(data)
    files = entry_files.EntryFiles(memory.store)
    assert files.made_of("LQ-001") == "k-001-some.md"


def test_entries_of_any_bytes_and_kinds_are_passed_over(memory: Memory) -> None:
    folder = entry_file(memory, 1).parent
    (folder / "bytes.md").write_bytes(b"---\nreferences: \xff\x00[LQ-\n---\n")
    (folder / "folder.md").mkdir()
    (folder / "gone.md").symlink_to("nowhere")
    memory.put("queue", queue_of(item(1, "pending")))
    assert evolve(memory).items[0][1] == "k-001"
