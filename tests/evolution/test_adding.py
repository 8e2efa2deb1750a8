"""Adding queue items and reflections: where they go, how they are called, what stays."""

from __future__ import annotations

import codecs
from typing import Any

import pytest
from memory import FIXTURES, FULL_LOG, FULL_QUEUE, Memory, fixture, item, queue_of
from stepping import STAMP, TODAY

from afterword.errors import AfterwordError, StoreDamaged
from afterword.evolution import adding, archiving, reflection
from afterword.store import atomic

QUEUE = ".ai/repo/evolution/learning_queue.md"
LOG = ".ai/repo/evolution/reflection_log.md"


def learn(memory: Memory, text: str, **more: Any) -> adding.Added:
    given = {
        "title": "",
        "priority": "P2",
        "source": "session",
        "metadata": "",
        "today": TODAY,
        "wait": 1.0,
        **more,
    }
    return adding.learn(memory.store, memory.config, text=text, **given)


def reflect(memory: Memory, text: str, **more: Any) -> adding.AddedReflection:
    given = {"title": "", "session": "", "at": "2026-11-30 12:34", "wait": 1.0, **more}
    return adding.add_reflection(memory.store, memory.config, text=text, **given)


def test_the_first_item_makes_the_queue(memory: Memory) -> None:
    told = learn(memory, "Locks die with their holder.", priority="P1")
    assert (told.path, told.title) == (QUEUE, "Locks die with their holder.")
    ((identity, state),) = memory.states().items()
    assert (identity, state) == (told.id, "pending")
    assert told.id.startswith("LQ-001-")
    assert memory.items()[0].priority == "P1"
    assert memory.items()[0].added == TODAY


def test_q4_numbers_go_on_above_the_queue_and_its_archive(memory: Memory) -> None:
    """The seed counted the main file, and lost what got an old number."""
    memory.put("queue", fixture(FULL_QUEUE))
    assert learn(memory, "After thirty").id.startswith("LQ-031-")
    archiving.archive_queue(memory.store, memory.config, STAMP, wait=1.0)
    left = [one for one in memory.items() if one.state == "done"]
    memory.put("queue", queue_of())
    assert len(left) == 10
    assert learn(memory, "The queue is empty").id.startswith("LQ-021-")
    memory.put(
        "queue_archive", memory.data("queue_archive") + item(200, "done").encode()
    )
    assert learn(memory, "The archive knows more").id.startswith("LQ-201-")


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        ("One line", "", "One line"),
        ("One line", "Named", "Named"),
        ("\n\n# A heading\n\nText", "", "A heading"),
        ("- [ ] an action\nmore", "", "[ ] an action"),
        ("two\nlines", " spread\nover lines ", "spread over lines"),
        ("x" * 101, "", "x" * 99 + "…"),
    ],
)
def test_the_title_is_the_first_line_unless_there_is_one(
    memory: Memory, text: str, title: str, expected: str
) -> None:
    assert learn(memory, text, title=title).title == expected
    assert memory.items()[0].title == expected


@pytest.mark.parametrize(
    ("text", "lowered"),
    [
        ("Text\n\n# One\n\n### Three\n\n#### Four", 2),
        ("# First\n\n## Second", 1),
        ("Text\n\n```\n# code\n```", 0),
    ],
)
def test_headings_of_the_text_that_would_end_the_item_are_counted(
    memory: Memory, text: str, lowered: int
) -> None:
    learn(memory, "Before")
    assert learn(memory, text).lowered == lowered
    learn(memory, "After")
    assert len(memory.items()) == 3


def test_q13_q15_a_full_queue_takes_one_more_where_items_wait(memory: Memory) -> None:
    """The seed marked an unprocessed item done to make room."""
    items = [item(number, "pending") for number in range(1, 61)]
    memory.put("queue", queue_of(*items) + b"## Done\n\n")
    learn(memory, "The sixty-first")
    assert list(memory.states().values()) == ["pending"] * 61
    assert memory.data("queue").endswith(b"## Done\n\n")


@pytest.mark.parametrize(
    "path", sorted(FIXTURES.glob("learning_queue.*")), ids=lambda path: path.name
)
def test_real_queues_keep_every_line(memory: Memory, path: Any) -> None:
    memory.put("queue", path.read_bytes())
    before = len(memory.items())
    learn(memory, "One more")
    assert len(memory.items()) == before + 1
    now = memory.data("queue").splitlines()
    for line in path.read_bytes().splitlines():
        now.remove(line)
    assert any(b"One more" in line for line in now)


def test_a_reflection_goes_where_the_log_grows(memory: Memory) -> None:
    told = reflect(memory, "# What went well\n\nTests", title="A day", session="s-1")
    assert (told.date, told.title, told.path, told.lowered) == (
        *("2026-11-30", "A day", LOG),
        1,
    )
    (first,) = reflection.read(memory.data("reflections")).entries
    assert (first.date, first.time, first.session) == ("2026-11-30", "12:34", "s-1")
    memory.put("reflections", fixture(FULL_LOG))
    reflect(memory, "Newest first, so on top")
    entries = reflection.read(memory.data("reflections")).entries
    assert (entries[0].date, len(entries)) == ("2026-11-30", 20)


@pytest.mark.parametrize(
    ("act", "key", "path"),
    [(learn, "queue", QUEUE), (reflect, "reflections", LOG)],
)
def test_merge_markers_are_refused_with_file_and_line(
    memory: Memory, act: Any, key: str, path: str
) -> None:
    text = b"# Mine\n<<<<<<< HEAD\n"
    memory.put(key, text)
    with pytest.raises(StoreDamaged) as error:
        act(memory, "Text")
    assert error.value.message == f"{path}:2: a merge left its conflict markers here"
    assert memory.data(key) == text


@pytest.mark.parametrize(("act", "key"), [(learn, "queue"), (reflect, "reflections")])
def test_what_an_editor_saves_meanwhile_stays(
    memory: Memory, act: Any, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    act(memory, "First")
    path, left = memory.path(key), [2]
    real = atomic.stage

    def late(target: str, data: bytes, **more: bool) -> str:
        if left[0]:
            left[0] -= 1
            path.write_bytes(path.read_bytes() + b"\nby an editor\n")
        return real(target, data, **more)

    monkeypatch.setattr(atomic, "stage", late)
    act(memory, "Second")
    assert memory.data(key).count(b"by an editor") == 2
    assert b"Second" in memory.data(key)
    left[0] = 9
    with pytest.raises(AfterwordError) as error:
        act(memory, "Third")
    assert error.value.message.endswith(": changed by someone else meanwhile")
    assert b"Third" not in memory.data(key)


def test_surrogates_and_controls_never_raise(memory: Memory) -> None:
    learn(memory, "\ud800 half\x00\x1b[2J", title="\udfff\n\x07")
    reflect(memory, "\ud800 half\x00", title="\udfff", session="\ud800")
    assert len(memory.items()) == 1
    assert len(memory.reflections()) == 1


@pytest.mark.parametrize(
    "data",
    [
        b"we met\r<<<<<<< ours\rand more\n",
        codecs.BOM_UTF8 * 2 + b"\n<<<<<<< ours\n",
        b"we met\r\n>>>>>>> theirs",
    ],
)
def test_a_text_whose_line_ends_hide_the_mark_of_a_merge_is_refused(
    memory: Memory, afterword: Any, data: bytes
) -> None:
    ran = afterword("reflect", "add", "--title", "Plan", input=data)
    assert ran.code == 2
    assert "stdin:2: begins as the mark of a merge conflict does" in ran.err
    assert memory.data("reflections") == b""
    assert afterword("reflect", "list").code == 0
