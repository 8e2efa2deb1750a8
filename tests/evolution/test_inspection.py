"""What is wrong with evolution files is told by line, by kind, and never in a flood."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory import FIXTURES, Memory, fixture, item, queue_of

from afterword.evolution import (
    inspection,
    inspection_base,
    inspection_queue,
    inspection_text,
)
from afterword.finding import ERROR, INFO, WARNING, Finding

PATH, ARCHIVE = "queue.md", "archive.md"


def told(found: list[Finding]) -> list[tuple[str, str, int | None, str]]:
    return [(one.severity, one.code, one.line, one.message) for one in found]


def of_queue(main: bytes, archive: bytes = b"") -> list[Finding]:
    return inspection_text.bounded(
        inspection_queue.findings(PATH, main, ARCHIVE, archive)
    )


def of_text(data: bytes, *, front: bool = True) -> list[Finding]:
    return list(inspection_text.findings(PATH, data, front=front))


def of_base(data: bytes, *names: str) -> list[Finding]:
    return inspection_text.bounded(
        inspection_base.findings("base.md", data, "entries", names)
    )


# --- real files ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("02-24.2ca7f405", []),
        ("02-28.1e9ca11e", []),
        (
            "03-02.f4356e30",
            [
                (WARNING, "item-malformed", 124, "LQ-031: processed 2026-01-21 before added 2026-03-02"),
                (WARNING, "item-malformed", 134, "LQ-032: processed 2026-01-21 before added 2026-03-02"),
            ],
        ),
        (
            "03-09.1fdbe138",
            [(WARNING, "item-without-id", 5, "2 headings look like items but without an id: never evolved, never archived")],
        ),
        (
            "03-17.15cdd87f",
            [(WARNING, "item-without-id", 8, "3 headings look like items but without an id: never evolved, never archived")],
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_c4_real_queues(name: str, expected: list[object], newline: bytes) -> None:
    """TRUTH.md: what is malformed, what has no id; nothing else is found."""
    data = fixture(f"learning_queue.2026-{name}.md").replace(b"\n", newline)
    assert told([*of_text(data), *of_queue(data)]) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "02-24.2b24e278",
            [(WARNING, "knowledge-base", 46, "the category table counts 25 entries, there are 28")],
        ),
        (
            "02-27.b2774efb",
            [
                (WARNING, "knowledge-base", 70, "the category table counts 47 entries, there are 49"),
                (WARNING, "entry-doubled", 65, "2 entries stand here a second time with the same content (first: k-048): listed once"),
            ],
        ),
        (
            "02-28.1e9ca11e",
            [(WARNING, "knowledge-base", 82, "the category table counts 59 entries, there are 62")],
        ),
        ("03-09.1b45d032", []),
    ],
)  # fmt: skip
def test_real_knowledge_bases_with_counts_that_nobody_kept(
    name: str, expected: list[object]
) -> None:
    """Their ids are the adopted system's: no entry file is asked for."""
    data = fixture(f"knowledge_base.2026-{name}.md")
    assert told(of_base(data, "k-001-early.md")) == expected


def test_a_real_log_in_gbk_with_nuls() -> None:
    data = fixture("reflection_log.2026-02-24.2b24e278.md")
    assert told(of_text(data, front=False)) == [
        (WARNING, "nul", 32, "holds 6 NUL bytes: grep and git take it for a binary file"),
        (WARNING, "not-utf8", 27, "is no UTF-8 at byte 1760"),
    ]  # fmt: skip


# --- bytes ---------------------------------------------------------------------------


def test_mixed_line_ends_are_counted_and_the_odd_one_is_named() -> None:
    (one,) = of_text(b"a\nb\nc\r\nd\n")
    assert told([one]) == [
        (WARNING, "line-ends", 3, "has lines that end in different ways: 3 in LF, 1 in CRLF")
    ]  # fmt: skip
    assert one.fix == (
        "save queue.md with one kind of line end; afterword keeps those it has"
    )
    assert of_text(b"a\r\nb\r\n") == of_text(b"a\rb\r") == of_text(b"") == []
    assert "1 in CR" in of_text(b"a\nb\rc\n")[0].message


@pytest.mark.parametrize(
    ("opening", "what", "closing"),
    [
        (b"```", "a code fence", "```"),
        (b"~~~~ text", "a code fence", "~~~~"),
        (b"<!-- note", "a comment", "-->"),
    ],
)
def test_what_is_never_closed_swallows_what_follows(
    opening: bytes, what: str, closing: str
) -> None:
    first, second = item(1, "pending").encode(), item(2, "pending").encode()
    data = b"# Queue\n" + first + opening + b"\n" + second
    (one,) = of_text(data)
    assert told([one]) == [
        (WARNING, "unclosed", 9, f"{what} is opened here and never closed: the 6 lines below are read as part of it")
    ]  # fmt: skip
    assert one.fix == f"close it with a line {closing}"
    last = b"# Queue\n" + opening + b"\n"
    assert of_text(last)[0].message.endswith("closed: what follows is read as part of it")  # fmt: skip


def test_merge_markers_have_their_line_and_silence_the_rest(memory: Memory) -> None:
    text = b"### LQ-001: a\n<<<<<<< ours\n- Status: x\n=======\n- Status: y\n>>>>>>> theirs\n"
    path = memory.store.paths[memory.put("queue", text) and "queue"]
    (one,) = inspection.inspect(memory.store, 5000)
    assert told([one]) == [(ERROR, "merge_markers", 2, "holds merge markers")]
    assert one.where == f"{path}:2"
    assert one.fix == (
        f"edit {path}: delete the side that does not hold, and the marker lines"
        f" themselves; then: git add {path}"
    )


# --- items ---------------------------------------------------------------------------


def test_c5_an_id_that_stands_for_two_things_is_told_with_both_places() -> None:
    """Q4, Q16: within the queue, within the archive, and between them."""
    one, other = item(1, "done"), item(1, "done").replace("Title of 1", "Another")
    assert of_queue(queue_of(one), queue_of(one)) == []
    assert of_queue(queue_of(one, one)) == []
    assert told(of_queue(queue_of(one, other))) == [
        (WARNING, "item-id-doubled", 13, "LQ-001 stands in line 5, too, with other content: both are kept")
    ]  # fmt: skip
    (found,) = of_queue(queue_of(item(2, "pending"), other), queue_of(one))
    assert found.where == "queue.md:12"
    assert found.message == (
        "LQ-001 stands in archive.md:5, too, with other content: both are kept"
    )
    (found,) = of_queue(queue_of(), queue_of(one, other))
    assert found.where == "archive.md:13"


def test_an_archived_block_with_its_mark_is_the_same_block() -> None:
    one = item(1, "done")
    stamped = one.rstrip() + "\n<!-- archived 2026-11-30T12:34:56Z -->\n\n"
    assert of_queue(queue_of(one), queue_of(stamped)) == []


def test_c1_unknown_states_are_one_information_with_the_first_of_them() -> None:
    """Q9, Q10: told, because nobody evolves or archives them."""
    text = queue_of(
        item(1, "done"), item(2, "done（部分）"), item(3, "Done"), item(4, "")
    )
    assert told(of_queue(text)) == [
        (INFO, "item-status", 13, "LQ-002 and 2 more have a status other than pending, processing or done (first: 'done（部分）'): kept as is, never evolved, never archived")
    ]  # fmt: skip
    (found,) = of_queue(queue_of(item(4, "")))
    assert found.message.startswith("LQ-004 has a status other than pending")
    assert "(first: none)" in found.message


def test_c19_items_left_in_processing_are_told_once() -> None:
    text = queue_of(item(1, "pending"), item(2, "processing"), item(3, "in-progress"))
    (found,) = of_queue(text)
    assert told([found]) == [
        (WARNING, "item-begun", 12, "LQ-002 and 1 more are still processing: evolve was cut short there; the next end goes on with it")
    ]  # fmt: skip
    assert found.fix == "afterword evolve"
    (found,) = of_queue(queue_of(item(2, "processing")))
    assert found.message.startswith("LQ-002 is still processing: ")


@pytest.mark.parametrize(
    "heading",
    ["[P1] title", "[P1] 2026-03-08 - title", "P0 - category", "✅ P1: title", "P2"],
)
def test_q10_blocks_without_an_id_are_counted(heading: str) -> None:
    text = queue_of(item(1, "done"), f"### {heading}\n**来源：** x\n\n")
    assert told(of_queue(text)) == [
        (WARNING, "item-without-id", 13, "1 heading looks like an item but without an id: never evolved, never archived")
    ]  # fmt: skip


def test_q7_q11_other_headings_and_examples_are_no_items() -> None:
    for text in ("✅ 已归档: Q-001 到 Q-018", "PLAN", "Notes on P1", "LQ: x"):
        assert of_queue(queue_of(f"### {text}\n")) == []
    assert of_queue(queue_of("```\n### [P1] title\n### LQ-001: title\n```\n")) == []


def test_an_item_in_the_fence_of_another_is_told() -> None:
    text = queue_of(
        item(1, "done").rstrip() + "\n```\nopen\n",
        item(2, "pending"),
        item(3, "pending").rstrip() + "\n```\n\n",
        item(4, "done"),
    )
    expected = (
        "{} stands in a code fence or comment that an item above opens: it is read as"
        " text of that item"
    )
    assert told(of_queue(text)) == [
        (WARNING, "item-swallowed", 14, expected.format("LQ-002")),
        (WARNING, "item-swallowed", 21, expected.format("LQ-003")),
    ]


def test_findings_of_one_kind_are_bounded_and_counted() -> None:
    items = [
        item(n, "done", added="2026-03-09").replace("Processed: 2026-03-09", "Processed: 2026-01-01")
        for n in range(1, 51)
    ]  # fmt: skip
    found = of_queue(queue_of(*items))
    assert [one.message[:7] for one in found] == ["LQ-001:", "LQ-002:", "LQ-003:", "and 47 "]  # fmt: skip
    assert (found[-1].message, found[-1].fix) == ("and 47 more", "")
    assert found[-1].line == 29


# --- the knowledge base --------------------------------------------------------------

HEAD = "| ID | Title | Category | Confidence | Created | Status |\n|----|----|----|----|----|----|\n"  # fmt: skip


def row(identity: str, title: str = "T") -> str:
    return f"| {identity} | {title} | workflow | 0.5 | 2026-03-01 | active |\n"


def test_rows_and_entry_files_of_our_own_ids_go_together() -> None:
    """An adopted id has a file or not, as its system pleased (spec/evolution.md 1.5)."""
    data = (HEAD + row("k-001") + row("k-0000000a") + row("k-0000000b")).encode()
    names = ("k-0000000a-title.md", "k-0000000c.md", "k-002-old.md", "README.md")
    missing, unlisted = of_base(data, *names)
    assert told([missing]) == [(WARNING, "entry-missing", 5, "k-0000000b has no file in entries")]  # fmt: skip
    assert missing.fix == "find it: git log --diff-filter=D --name-only -- entries"
    assert told([unlisted]) == [
        (WARNING, "entry-unlisted", None, "entries/k-0000000c.md has no row here, so no listing shows it")
    ]  # fmt: skip
    assert unlisted.fix == "add a row for k-0000000c, or move the file away"


def test_k3_rows_that_are_doubled_or_glued_are_told() -> None:
    glued = row("k-003").rstrip().rstrip("|") + "|" + row("k-004")
    data = HEAD + row("k-001") + row("k-001") + glued + row("k-001", "Other")
    assert told(of_base(data.encode())) == [
        (WARNING, "knowledge-base", 5, "2 rows stand in one line"),
        (WARNING, "knowledge-base", 6, "k-001 stands in line 3 with other content"),
        (WARNING, "entry-doubled", 4, "1 entry stands here a second time with the same content (first: k-001): listed once"),
    ]  # fmt: skip


def test_declared_counts_that_are_wrong_are_told() -> None:
    data = "---\nentries: 7\n---\n" + HEAD + row("k-001")
    assert told(of_base(data.encode())) == [
        (WARNING, "knowledge-base", 2, "entries: 7 is declared, there are 1")
    ]


# --- files ---------------------------------------------------------------------------


def test_no_evolution_files_no_finding(memory: Memory) -> None:
    before = memory.tree()
    assert inspection.inspect(memory.store, 5000) == []
    assert memory.tree() == before


def test_all_five_files_are_looked_at_and_none_is_touched(memory: Memory) -> None:
    keys = ("queue", "queue_archive", "reflections", "reflections_archive", "knowledge_base")  # fmt: skip
    for key in keys:
        memory.put(key, b"# A\n\0\n")
    before = memory.tree()
    found = inspection.inspect(memory.store, 5000)
    assert [(one.path, one.code) for one in found] == [
        (memory.store.paths[key], "nul") for key in keys
    ]
    assert memory.tree() == before


def test_a_log_may_begin_with_a_rule(memory: Memory) -> None:
    """Reflections are read without front matter, so a fence between rules is one."""
    memory.put("reflections", b"---\n```\n---\n")
    (one,) = inspection.inspect(memory.store, 5000)
    assert (one.code, one.line) == ("unclosed", 2)


@pytest.mark.parametrize("key", ["queue_archive", "reflections_archive"])
def test_t1_9_t2_9_a_long_archive_is_told(memory: Memory, key: str) -> None:
    """C28: both archives, strictly above the setting."""
    memory.put(key, b"# Archive\n" + b"x\n" * 9)
    assert inspection.inspect(memory.store, 10) == []
    (one,) = inspection.inspect(memory.store, 9)
    assert told([one]) == [
        (WARNING, "archive-long", None, "has 10 lines, more than archive.warn_lines (9)")
    ]  # fmt: skip
    assert one.path == memory.store.paths[key]


def test_f9_a_link_out_of_the_repository_is_an_error(
    memory: Memory, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_bytes(b"# Not ours\0")
    path = memory.put("queue_archive", b"")
    path.unlink()
    path.symlink_to(outside)
    memory.put("queue", queue_of(item(1, "processing")))
    link, begun = inspection.inspect(memory.store, 5000)
    name = memory.store.paths["queue_archive"]
    assert told([link]) == [
        (ERROR, "unsafe-path", None, f"leads out of the repository, to {outside}: no command reads or writes it")
    ]  # fmt: skip
    assert link.fix == f"move {name} away, or see paths: in .ai/config.yaml"
    assert begun.code == "item-begun"  # one bad file hides no other


@pytest.mark.parametrize("kind", ["folder", "fifo"])
def test_what_is_no_file_is_an_error_and_does_not_hang(
    memory: Memory, kind: str
) -> None:
    path = memory.put("knowledge_base", b"")
    path.unlink()
    path.mkdir() if kind == "folder" else os.mkfifo(path)
    (one,) = inspection.inspect(memory.store, 5000)
    assert told([one]) == [
        (ERROR, "unsafe-path", None, "not a regular file: no command reads or writes it")
    ]  # fmt: skip


def test_a_folder_of_entries_that_leads_out_says_nothing_of_missing_files(
    memory: Memory, tmp_path: Path
) -> None:
    memory.put("knowledge_base", (HEAD + row("k-0000000a")).encode())
    memory.path("entries").symlink_to(tmp_path)
    assert [one.code for one in inspection.inspect(memory.store, 5000)] == ["unsafe-path"]  # fmt: skip


def test_one_file_for_two_places_is_an_error(memory: Memory) -> None:
    memory.put("queue", queue_of(item(1, "done")))
    paths = {**memory.store.paths, "reflections": memory.store.paths["queue"]}
    (one,) = inspection.inspect(memory.store.replace(paths=paths), 5000)
    assert told([one]) == [
        (ERROR, "unsafe-path", None, "the settings name it for queue and for reflections: no command writes it")
    ]  # fmt: skip


# --- any bytes, any size -------------------------------------------------------------

REAL = [path.read_bytes() for path in sorted(FIXTURES.glob("*.md"))]


@given(st.sampled_from(REAL), st.binary(max_size=12), st.integers(0, 60_000))
def test_bytes_of_any_kind_never_raise(data: bytes, more: bytes, at: int) -> None:
    at %= len(data) + 1
    mutated = data[:at] + more + data[at + len(more) * (at % 3) :]
    for one in [*of_text(mutated), *of_queue(mutated, data), *of_base(mutated)]:
        assert one.line is None or 1 <= one.line <= 1 + mutated.count(b"\n") + mutated.count(b"\r") + data.count(b"\n")  # fmt: skip


@pytest.mark.parametrize(
    "unit",
    [
        item(1, "done").encode(),
        b"### [P1] title\n- x: y\n\n",
        b"### LQ-001: t\n<!--\n### LQ-002: u\n-->\n",
        b"\0\xff\r\n",
        (HEAD + row("k-0000000a")).encode(),
    ],
)
def test_five_megabytes_are_told_in_seconds(unit: bytes) -> None:
    data = unit * (5_000_000 // len(unit))
    began = time.process_time()
    of_text(data)
    of_queue(data)
    assert (
        time.process_time() - began < 15
    )  # 0.3 to 2 s here; a square would take hours
