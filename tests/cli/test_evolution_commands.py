"""learn, queue, evolve and reflect as real processes in a real repository (CLI.md; issue 3)."""

from __future__ import annotations

import fcntl
import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from project import TOOL, Ran, Repo, command

FOLDER = ".ai/repo/evolution"
QUEUE, QUEUE_ARCHIVE = (
    f"{FOLDER}/{name}.md" for name in ("learning_queue", "learning_queue_archive")
)
LOG, LOG_ARCHIVE = (
    f"{FOLDER}/{name}.md" for name in ("reflection_log", "reflection_log_archive")
)
FIXTURES = TOOL / "tests/fixtures/evolution"
START = {"session_id": "e1", "source": "startup"}
IDENTITY = re.compile(r"LQ-[0-9]{3,}-[0-9a-f]{6}\n")
# Of the shape of a token; assembled here so that no scanner takes this file for a leak.
TOKEN = "ghp" + "_" + "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5"


@pytest.fixture
def e1(run_hook):
    """The episode e1, open."""
    assert run_hook("session-start", START).code == 0
    return "e1"


def real(repo: Repo, name: str, fixture: str) -> bytes:
    """A real file put in the place of ours; its bytes."""
    data = (FIXTURES / fixture).read_bytes()
    repo.write(name, data)
    return data


def tree(repo: Repo) -> dict[str, bytes]:
    """Every file that git would track, and its bytes."""
    return {
        str(path.relative_to(repo.root)): path.read_bytes()
        for path in sorted((repo.root / ".ai/repo").rglob("*"))
        if path.is_file()
    }


def failed(ran: Ran) -> tuple[int, str, list[str]]:
    return ran.code, ran.out, ran.err.splitlines()


@contextmanager
def held(repo: Repo, name: str) -> Iterator[None]:
    """A lock of the store in the hands of another process: this one."""
    path = repo.local / "locks" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def done(number: int) -> str:
    return (
        f"### LQ-{number:03d}: thing {number}\n- Priority: P2\n- Status: done\n"
        f"- Added: 2026-03-01\n- Processed: 2026-03-{number:02d}\n\n"
    )


PENDING = (
    "### LQ-020: what waits\n- Priority: P1\n- Status: pending\n- Added: 2026-03-02\n\n"
)


def queue_of(*items: str) -> str:
    return "# Learning queue\n\n## Pending\n\n" + "".join(items)


# learn --------------------------------------------------------------------------------


def test_learn_puts_an_item_under_the_pending_heading(repo, afterword, e1):
    ran = afterword("learn", "Sort before you merge", "--priority", "P1")
    assert ran.code == 0
    assert IDENTITY.fullmatch(ran.out)
    assert ran.err == "queued in episode e1: Sort before you merge\n"
    identity = ran.out.strip()
    (line,) = repo.lines("e1", "queue.added")
    assert (line["id"], line["title"], line["priority"]) == (
        identity,
        "Sort before you merge",
        "P1",
    )
    text = (repo.root / QUEUE).read_text()
    assert text.partition("## Pending\n")[2] == (
        f"\n### {identity}: Sort before you merge\n- Priority: P1\n- Source: session\n"
        f"- Status: pending\n- Added: {line['ts'][:10]}\n- Content: Sort before you merge\n"
    )


def test_learn_takes_all_that_its_options_say(repo, afterword, e1):
    words = ("--title", "T", "--source", "error", "--meta", "a=b", "c=d, e", "--json")
    ran = afterword("learn", "One\nTwo", *words)
    value = ran.json
    assert value == {
        "event": "queue.added",
        "episode": "e1",
        "id": value["id"],
        "title": "T",
        "priority": "P2",
        "path": QUEUE,
        "lowered": 0,
    }
    text = (repo.root / QUEUE).read_text()
    assert "- Source: error\n" in text
    assert "- Content: One\n  Two\n- Metadata: a=b, c=d, e\n" in text


def test_learn_outside_any_episode_is_a_person_s(repo, afterword):
    ran = afterword("learn", "By hand")
    assert ran.err == "queued outside any episode: By hand\n"
    assert len(repo.lines("outside", "queue.added")) == 1
    assert "- Source: manual\n" in (repo.root / QUEUE).read_text()


def test_learn_opens_a_closed_episode_again(repo, afterword, run_hook, e1):
    """DESIGN 5: a recorded act continues it."""
    run_hook("session-end", {"session_id": "e1"})
    assert afterword("learn", "Late", "--episode", "e1").code == 0
    assert [line["event"] for line in repo.lines("e1")][-2:] == [
        "session.started",
        "queue.added",
    ]


def test_learn_in_an_episode_that_nobody_knows_is_refused(repo, afterword):
    ran = afterword("learn", "x", "--episode", "nobody")
    assert (ran.code, ran.out) == (1, "")
    assert not (repo.root / QUEUE).exists()


def test_learn_names_a_long_text_by_its_first_line(afterword):
    title = afterword("learn", f"# {'word ' * 60}\nmore", "--json").json["title"]
    assert title.startswith("word word")
    assert title.endswith("…")
    assert len(title) <= 100


def test_learn_lowers_headings_that_would_begin_a_section(repo, afterword):
    ran = afterword("learn", "Text\n# Top\n## Next\n```\n# in a fence\n```")
    assert ran.err.splitlines()[0] == (
        "2 headings were lowered to level 4, below those of the file itself"
    )
    assert len(afterword("queue", "list", "--json").objects) == 1
    text = (repo.root / QUEUE).read_text()
    assert "  #### Top\n  #### Next\n  ```\n  # in a fence\n  ```\n" in text


def test_learn_masks_secrets_and_says_so(repo, afterword):
    ran = afterword("learn", f"The token\nis {TOKEN}", "--meta", f"token={TOKEN}")
    assert ran.code == 0
    assert ran.err.splitlines()[0].startswith("TEXT: recorded without the secret in it")
    assert ran.err.splitlines()[1].startswith("--meta: recorded without the secret")
    for path in (repo.root / QUEUE, repo.ledger("outside")):
        assert TOKEN not in path.read_text()
    assert "[masked: " in (repo.root / QUEUE).read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("",), "TEXT: is empty"),
        ((" \n ",), "TEXT: is empty"),
        (("x", "--title", " "), "--title: is empty"),
        (("x", "--title", "a\nb"), "--title: is 2 lines long"),
        (("x", "--meta", "plain"), "--meta plain: is no K=V"),
        (("x", "--meta", "=v"), "--meta =v: is no K=V"),
        (("x", "--source", ""), "--source: is empty"),
    ],
)
def test_learn_refuses_what_it_cannot_write(repo, afterword, words, message):
    ran = afterword("learn", *words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[0] == f"afterword: {message}"
    assert not (repo.root / QUEUE).exists()
    assert not repo.ledger("outside").exists()


def test_learn_knows_four_priorities(afterword):
    ran = afterword("learn", "x", "--priority", "P4", "--json")
    assert ran.code == 2
    assert ran.json["error"]["code"] == "usage"


def test_q5_twenty_at_once_are_twenty_items(repo, afterword, e1):
    """N4, R12: and no two of them have a number in common."""
    running = [
        subprocess.Popen(
            command("learn", f"Lesson {n}"),
            cwd=repo.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for n in range(20)
    ]
    for process in running:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    rows = afterword("queue", "list", "--json").objects
    assert len(rows) == 20
    assert {int(row["id"].split("-")[1]) for row in rows} == set(range(1, 21))
    assert len(repo.lines("e1", "queue.added")) == 20


def test_agents_may_learn_evolve_and_reflect(repo, afterword, run_hook, e1):
    """They are no acts of a person (CLI.md)."""
    env = {"CLAUDECODE": "1"}
    assert afterword("learn", "x", env=env).code == 0
    assert afterword("evolve", env=env).code == 0
    assert afterword("reflect", "add", input="text", env=env).code == 0
    assert afterword("reflect", "clean", "--yes", env=env).code == 0


# queue list ---------------------------------------------------------------------------


def test_queue_list_is_every_item_in_the_order_of_the_file(repo, afterword):
    """A1.1, N17: the keys of CLI.md, and a count from the file itself."""
    real(repo, QUEUE, "learning_queue.2026-02-28.1e9ca11e.md")
    rows = afterword("queue", "list", "--json").objects
    assert len(rows) == 30
    assert rows[0] == {
        "id": "LQ-030",
        "status": "done",
        "priority": rows[0]["priority"],
        "source": rows[0]["source"],
        "added": rows[0]["added"],
        "processed": rows[0]["processed"],
        "title": rows[0]["title"],
        "malformed": [],
        "where": f"{QUEUE}:24",
    }
    ran = afterword("queue", "list")
    assert len(ran.out.splitlines()) == 31
    assert ran.out.splitlines()[-1] == (
        "queue list: 0 pending, 0 processing, 30 done, 0 other"
    )
    assert ran.err == ""


def test_c4_an_item_processed_before_it_was_added_is_named(repo, afterword):
    real(repo, QUEUE, "learning_queue.2026-03-02.f4356e30.md")
    rows = afterword("queue", "list", "--json").objects
    said = "processed 2026-01-21 before added 2026-03-02"
    assert {row["id"] for row in rows if row["malformed"] == [said]} == {
        "LQ-031",
        "LQ-032",
    }
    ran = afterword("queue", "list")
    assert ran.code == 0
    assert len(ran.err.splitlines()) == 2
    assert ran.err.splitlines()[0].endswith(f": LQ-031: {said}")


def test_q7_headings_that_are_no_items_are_counted_and_left(repo, afterword):
    real(repo, QUEUE, "learning_queue.2026-03-17.15cdd87f.md")
    ran = afterword("queue", "list")
    assert ran.out.splitlines()[-1] == (
        "queue list: 6 pending, 0 processing, 0 done, 0 other"
    )
    assert re.fullmatch(
        rf"{re.escape(QUEUE)}:\d+: 3 headings name no item: left as they are\n", ran.err
    )


def test_q16_doubled_ids_and_what_is_open_are_said(repo, afterword):
    text = queue_of(done(1), done(2), done(1)) + "### LQ-003: t\n```\nopen\n"
    repo.write(QUEUE, text)
    assert afterword("queue", "list").err.splitlines() == [
        f"{QUEUE}:23: LQ-003: leaves a fence or a comment open",
        f"{QUEUE}:5: LQ-001 stands again in line 17",
    ]


@pytest.mark.parametrize(
    ("status", "ids"),
    [
        ("pending", ["LQ-1"]),
        ("processing", ["LQ-2", "LQ-3"]),
        ("in-progress", ["LQ-3"]),
        ("done", ["LQ-4"]),
        ("other", ["LQ-5", "LQ-6"]),
        ("Done", ["LQ-5"]),
        ("", ["LQ-6"]),
        ("nothing so", []),
    ],
)
def test_q10_a_status_is_asked_for_by_state_or_word_for_word(
    repo, afterword, status, ids
):
    """C1: what is unknown stays unknown."""
    texts = ("pending", "processing", "in-progress", "done", "Done", "")
    items = (f"### LQ-{n}: t\n- Status: {s}\n\n" for n, s in enumerate(texts, 1))
    repo.write(QUEUE, queue_of(*items))
    ran = afterword("queue", "list", "--status", status, "--json")
    assert [row["id"] for row in ran.objects] == ids


def test_a_queue_that_is_not_there_is_an_empty_one(repo, afterword):
    ran = afterword("queue", "list")
    assert failed(ran) == (
        0,
        "queue list: 0 pending, 0 processing, 0 done, 0 other\n",
        [],
    )
    assert afterword("queue", "list", "--json").out == ""
    assert not (repo.root / FOLDER).exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (QUEUE, ("queue", "list")),
        (QUEUE, ("queue", "archive")),
        (QUEUE, ("queue", "archive", "--dry-run")),
        (QUEUE, ("evolve",)),
        (QUEUE, ("evolve", "--dry-run")),
        (QUEUE, ("learn", "x")),
        (LOG, ("reflect", "list")),
        (LOG, ("reflect", "roll")),
        (LOG, ("reflect", "clean", "--yes")),
        (LOG, ("reflect", "add")),
    ],
)
def test_a_file_with_merge_markers_is_refused_by_its_line(repo, afterword, name, words):
    text = "# Head\n\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"
    repo.write(name, text)
    before = tree(repo)
    ran = afterword(*words, input="text")
    assert ran.code == 1
    assert ran.err.startswith(f"afterword: {name}:3: ")
    assert tree(repo) == before


@pytest.mark.parametrize("fixture", sorted(p.name for p in FIXTURES.glob("*.md")))
def test_no_real_file_makes_a_command_fail_or_is_changed_by_looking(
    repo, afterword, fixture
):
    """N13, N17: any of them in either place, also as a copy with CRLF."""
    data = (FIXTURES / fixture).read_bytes()
    for text in (data, data.replace(b"\n", b"\r\n")):
        repo.write(QUEUE, text)
        repo.write(LOG, text)
        for words in (
            ("queue", "list"),
            ("queue", "archive", "--dry-run"),
            ("reflect", "list"),
            ("reflect", "clean"),
            ("evolve", "--dry-run"),
        ):
            ran = afterword(*words)
            assert ran.code == 0, (words, ran.err)
        assert (repo.root / QUEUE).read_bytes() == text
        assert (repo.root / LOG).read_bytes() == text


# queue archive ------------------------------------------------------------------------

ARCHIVED = {
    "en": "[archive] learning_queue: moved 20 done items to learning_queue_archive.md",
    "zh": "[归档] learning_queue: 已移动 20 条 done 条目至 learning_queue_archive.md",
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("words", [("queue", "archive"), ("evolve", "--archive-queue")])
def test_t1_5b_archiving_by_hand(repo, afterword, e1, language, words):
    """T1.10, A1.4, A1.6, N12: with nothing pending too, and nothing is evolved."""
    repo.write(".ai/config.yaml", f"language: {language}\n")
    real(repo, QUEUE, "learning_queue.2026-02-28.1e9ca11e.md")
    ran = afterword(*words)
    assert failed(ran) == (0, "", [ARCHIVED[language]])
    assert len(afterword("queue", "list", "--json").objects) == 10
    (line,) = repo.lines("e1", "queue.archived")
    assert (line["moved"], line["kept"], line["archive"]) == (20, 10, QUEUE_ARCHIVE)
    assert repo.lines("e1", "evolve.ran") == []
    again = afterword(*words)
    assert failed(again) == (
        0,
        "",
        ["nothing to archive: 10 done, and the queue keeps 10"],
    )
    assert len(repo.lines("e1", "queue.archived")) == 1


def test_a_dry_run_of_archiving_says_what_would_move(repo, afterword):
    real(repo, QUEUE, "learning_queue.2026-03-02.f4356e30.md")
    before = tree(repo)
    ran = afterword("queue", "archive", "--dry-run")
    assert (ran.code, ran.out) == (0, f"would move 2 done items to {QUEUE_ARCHIVE}\n")
    value = afterword("queue", "archive", "--dry-run", "--json").json
    assert value == {
        "dry_run": True,
        "moved": 2,
        "kept": 10,
        "archive": QUEUE_ARCHIVE,
        "lines": value["lines"],
        "held": False,
        "collisions": [],
    }
    assert tree(repo) == before
    assert not repo.ledger("outside").exists()


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("queue", "archive"), QUEUE),
        (("evolve", "--archive-queue"), QUEUE),
        (("reflect", "roll"), LOG),
    ],
)
@pytest.mark.parametrize(
    ("language", "notice"),
    [
        ("en", "[archive] skipped: another process is archiving"),
        ("zh", "[归档] 跳过：另一个进程正在归档"),
    ],
)
def test_a1_7_of_two_archivers_the_second_skips_and_says_so(
    repo, afterword, words, name, language, notice
):
    """T1.8, T2.8: exit 0, for the first one does this very work."""
    repo.write(".ai/config.yaml", f"language: {language}\n")
    repo.write(name, queue_of(*(done(n) for n in range(1, 13))))
    before = tree(repo)
    with held(repo, "archive"):
        ran = afterword(*words)
    assert failed(ran) == (0, "", [notice])
    assert tree(repo) == before


def test_n11_the_thresholds_are_settings(repo, afterword):
    repo.write(".ai/config.yaml", "queue:\n  keep_done: 2\narchive:\n  warn_lines: 3\n")
    repo.write(QUEUE, queue_of(*(done(n) for n in range(1, 6))))
    ran = afterword("queue", "archive")
    assert ran.err.splitlines() == [
        "[archive] learning_queue: moved 3 done items to learning_queue_archive.md",
        "[warning] learning_queue_archive.md has more than 3 lines: look through it by"
        " hand",
    ]


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5", "true"])
@pytest.mark.parametrize("key", ["queue.keep_done", "reflections.keep"])
def test_c10_a_threshold_that_is_no_count_is_a_config_error(
    repo, afterword, key, value
):
    noun, _, name = key.partition(".")
    repo.write(".ai/config.yaml", f"language: en\n{noun}:\n  {name}: {value}\n")
    repo.write(QUEUE, queue_of(*(done(n) for n in range(1, 13))))
    before = tree(repo)
    ran = afterword("queue", "archive", "--json")
    assert ran.code == 1
    assert ran.json["error"]["code"] == "config"
    assert ran.json["error"]["message"].startswith(".ai/config.yaml:3: ")
    assert tree(repo) == before


@pytest.mark.parametrize(
    ("key", "other", "words"),
    [
        ("queue_archive", "queue", ("queue", "archive")),
        ("queue_archive", "queue", ("evolve",)),
        ("reflections_archive", "reflections", ("reflect", "roll")),
        ("reflections_archive", "reflections", ("reflect", "clean")),
    ],
)
def test_a_dry_run_refuses_one_file_for_two_places_as_the_run_does(
    repo, afterword, key, other, words
):
    path = {"queue": QUEUE, "reflections": LOG}[other]
    repo.write(".ai/config.yaml", f"paths:\n  {key}: {path}\n")
    repo.write(QUEUE, queue_of(*(done(n) for n in range(1, 13))))
    before = tree(repo)
    dry = () if "clean" in words else ("--dry-run",)
    real_run = ("--yes",) if "clean" in words else ()
    for more in (dry, real_run):
        assert failed(afterword(*words, *more)) == (
            1,
            "",
            [
                f"afterword: {path}: the settings name it for {other} and for {key}",
                "give each a file of its own, under paths: in .ai/config.yaml",
            ],
        )
    assert tree(repo) == before


def test_n3_an_archive_that_leads_out_of_the_repository_is_refused(repo, afterword):
    outside = repo.root.parent / "outside.md"
    repo.write(QUEUE, queue_of(*(done(n) for n in range(1, 13))))
    (repo.root / QUEUE_ARCHIVE).symlink_to(outside)
    before = (repo.root / QUEUE).read_bytes()
    ran = afterword("queue", "archive")
    assert failed(ran) == (
        1,
        "",
        [
            f"afterword: {QUEUE_ARCHIVE}: leads out of the repository, to {outside}",
            "put a file or folder of this repository in the place of the link",
        ],
    )
    assert not outside.exists()
    assert (repo.root / QUEUE).read_bytes() == before


# evolve -------------------------------------------------------------------------------


def test_evolve_prints_what_became_of_what_and_archives(repo, afterword, e1):
    """T1.5a: an archive run follows, when it is triggered."""
    repo.write(QUEUE, queue_of(*(done(n) for n in range(1, 11))))
    ids = [afterword("learn", f"Lesson {n}").out.strip() for n in range(4)]
    ran = afterword("evolve", "--max", "2")
    lines = ran.out.splitlines()
    assert [line.split(" ")[:3] for line in lines] == [
        ["evolved", identity, "->"] for identity in ids[:2]
    ]
    for line in lines:
        assert re.fullmatch(
            rf"evolved \S+ -> (k-[0-9a-f]{{8}}) {FOLDER}/entries/\1-lesson-\d\.md", line
        )
    assert ran.err.splitlines() == [
        "evolve: 2 evolved, 2 more waiting",
        "[archive] learning_queue: moved 2 done items to learning_queue_archive.md",
    ]
    (line,) = repo.lines("e1", "evolve.ran")
    assert (line["processed"], line["items"], line["automatic"]) == (2, ids[:2], False)
    assert line["products"] == [one.split(" ")[3] for one in lines]
    assert repo.lines("e1")[-1]["event"] == "queue.archived"


def test_evolve_with_nothing_to_do_says_so_in_the_ledger(repo, afterword, e1):
    """C22: that is what keeps the episode's end from running again."""
    ran = afterword("evolve")
    assert failed(ran) == (0, "", ["evolve: 0 evolved, 0 more waiting"])
    (line,) = repo.lines("e1", "evolve.ran")
    assert (line["processed"], line["items"], line["products"]) == (0, [], [])
    assert not (repo.root / FOLDER / "knowledge_base.md").exists()


def test_evolve_in_json_is_one_object(repo, afterword, e1):
    identity = afterword("learn", "Lesson").out.strip()
    value = afterword("evolve", "--json").json
    (item,) = value.pop("items")
    assert item == {"id": identity, "entry": item["entry"], "path": item["path"]}
    assert value == {
        "event": "evolve.ran",
        "dry_run": False,
        "processed": 1,
        "left": 0,
        "recovered": 0,
        "archived": {
            "moved": 0,
            "kept": 1,
            "archive": QUEUE_ARCHIVE,
            "lines": 0,
            "held": False,
            "collisions": [],
        },
    }


def test_a_dry_run_of_evolve_says_what_it_would_do_and_does_it_then(
    repo, afterword, e1
):
    repo.write(QUEUE, queue_of(*(done(n) for n in range(1, 11))))
    ids = [afterword("learn", f"Lesson {n}").out.strip() for n in range(4)]
    before = tree(repo)
    dry = afterword("evolve", "--dry-run")
    lines = dry.out.splitlines()
    assert [line.split(" ")[2] for line in lines[:3]] == ids[:3]
    assert [line.rpartition(" -> ")[2].partition(" ")[2] for line in lines[:3]] == [
        "Lesson 0",
        "Lesson 1",
        "Lesson 2",
    ]
    assert lines[3] == f"would move 3 done items to {QUEUE_ARCHIVE}"
    assert dry.err == "evolve: 3 to evolve, 1 more waiting\n"
    assert tree(repo) == before
    assert repo.lines("e1", "evolve.ran") == []
    entries = [line.split(" ")[4] for line in lines[:3]]
    ran = afterword("evolve", "--json").json
    assert [one["entry"] for one in ran["items"]] == entries
    assert ran["archived"]["moved"] == 3


def test_evolve_while_another_process_evolves_is_refused(repo, afterword, e1):
    """A person asked for more than the other may do; nothing is recorded."""
    afterword("learn", "Lesson")
    before = tree(repo)
    with held(repo, "evolve"):
        ran = afterword("evolve")
    assert failed(ran) == (
        1,
        "",
        [
            "afterword: another process is evolving, so nothing was done",
            "try again in a moment: afterword evolve",
        ],
    )
    assert tree(repo) == before
    assert repo.lines("e1", "evolve.ran") == []


MARKED = "# Head\n\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"
RESOLVE = "Resolve the conflict, remove the markers, then run this again."


@pytest.mark.parametrize("is_json", [False, True])
def test_what_was_evolved_is_told_when_the_archive_cannot_be_read(
    repo, afterword, e1, is_json
):
    """Exit 1 would say that nothing was done; the item is done and recorded."""
    repo.write(QUEUE_ARCHIVE, MARKED)
    repo.write(QUEUE, queue_of(*(done(n) for n in range(1, 12)), PENDING))
    ran = afterword("evolve", *(["--json"] if is_json else []))
    assert ran.code == 0
    assert ran.err.splitlines()[-2:] == [
        f"not archived yet: {QUEUE_ARCHIVE}:3: a merge left its conflict markers here",
        RESOLVE,
    ]
    if is_json:
        assert ran.json["archived"] is None
        assert [one["id"] for one in ran.json["items"]] == ["LQ-020"]
    else:
        assert ran.out.startswith("evolved LQ-020 -> k-")
    (line,) = repo.lines("e1", "evolve.ran")
    assert line["items"] == ["LQ-020"]


@pytest.mark.parametrize("words", [(), ("--dry-run",)])
def test_evolve_with_nothing_done_refuses_an_archive_that_cannot_be_read(
    repo, afterword, e1, words
):
    repo.write(QUEUE_ARCHIVE, MARKED)
    repo.write(QUEUE, queue_of(*(done(n) for n in range(1, 12))))
    ran = afterword("evolve", *words)
    assert ran.code == 1
    assert f"afterword: {QUEUE_ARCHIVE}:3: " in ran.err


@pytest.mark.parametrize("most", ["0", "-1", "x"])
def test_evolve_takes_a_count_only(afterword, most):
    assert afterword("evolve", "--max", most).code == 2


# reflect ------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["markers", "folder"])
def test_what_was_added_is_told_when_the_log_cannot_be_rolled(
    repo, afterword, e1, fault
):
    """Exit 1 would have it added again; the reflection is there and recorded."""
    if fault == "markers":
        repo.write(LOG_ARCHIVE, MARKED)
    else:
        (repo.root / LOG_ARCHIVE).mkdir(parents=True)
    ran = afterword("reflect", "add", "--title", "A day", input="- it\n")
    assert (ran.code, ran.out) == (0, f"{LOG}\n")
    assert f"not rolled yet: {LOG_ARCHIVE}" in ran.err
    assert (RESOLVE in ran.err) == (fault == "markers")
    assert "recorded in episode e1: A day" in ran.err
    assert (repo.root / LOG).read_text().count("A day") == 1
    (line,) = repo.lines("e1", "reflection.added")
    assert line["title"] == "A day"


def test_reflect_add_writes_a_reflection_and_prints_the_log_s_path(repo, afterword, e1):
    """A2.5, N12."""
    ran = afterword("reflect", "add", "--title", "A day", input="### Learned\n- it\n")
    (line,) = repo.lines("e1", "reflection.added")
    assert failed(ran) == (
        0,
        f"{LOG}\n",
        [f"reflection of {line['date']} recorded in episode e1: A day"],
    )
    assert line["title"] == "A day"
    text = (repo.root / LOG).read_text()
    assert re.fullmatch(
        r"# Reflection log\n\n## Reflection - \d{4}-\d\d-\d\d \d\d:\d\d \(session: e1\):"
        r" A day\n\n### Learned\n- it\n\n---\n",
        text,
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_t2_5_the_eleventh_reflection_rolls_the_oldest(repo, afterword, e1, language):
    """T2.10, A2.2, A2.6: never more than ten after one was written."""
    repo.write(".ai/config.yaml", f"language: {language}\n")
    days = (f"## Reflection - 2020-01-{n:02d}\n\ntext\n\n---\n\n" for n in range(1, 11))
    repo.write(LOG, "".join(days))
    ran = afterword("reflect", "add", "--json", input="text")
    assert (ran.json["rolled"], ran.json["event"]) == (1, "reflection.added")
    assert (
        ran.err
        == {
            "en": "[archive] reflection_log: moved 1 reflection to"
            " reflection_log_archive.md\n",
            "zh": "[归档] reflection_log: 已移动 1 条反思至 reflection_log_archive.md\n",
        }[language]
    )
    assert len(afterword("reflect", "list", "--json").objects) == 10
    assert "2020-01-01" in (repo.root / LOG_ARCHIVE).read_text()
    assert [line["event"] for line in repo.lines("e1")][-2:] == [
        "reflection.added",
        "reflections.rolled",
    ]


def test_what_is_written_stays_when_it_cannot_be_rolled_now(repo, afterword):
    days = (f"## Reflection - 2020-01-{n:02d}\n\ntext\n\n---\n\n" for n in range(1, 11))
    repo.write(LOG, "".join(days))
    with held(repo, "archive"):
        ran = afterword("reflect", "add", input="text")
    assert ran.code == 0
    assert "[archive] skipped: another process is archiving" in ran.err
    assert len(afterword("reflect", "list", "--json").objects) == 11


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "stdin: is empty"),
        (b" \n\n", "stdin: is empty"),
        (
            b"we met\n<<<<<<< ours\n",
            "stdin:2: begins as the mark of a merge conflict does",
        ),
        ("反思".encode("gbk"), "stdin: is not UTF-8 from byte 0 on"),
        (b"x" * (256 * 1024 + 1), "stdin: is longer than 262144 bytes"),
    ],
)
def test_reflect_add_refuses_what_it_cannot_write(repo, afterword, data, message):
    ran = afterword("reflect", "add", input=data)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[0] == f"afterword: {message}"
    assert not (repo.root / LOG).exists()


def test_reflect_add_waits_for_nothing_at_a_terminal(repo):
    """It says what to type instead."""
    ours, theirs = os.openpty()
    try:
        ran = subprocess.run(
            command("reflect", "add"),
            cwd=repo.root,
            stdin=theirs,
            capture_output=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert ran.returncode == 2
    assert ran.stderr.decode().splitlines() == [
        "afterword: reflect add reads its text from stdin",
        "give it a file: afterword reflect add < FILE",
    ]


def test_reflect_add_masks_secrets_and_lowers_headings(repo, afterword):
    ran = afterword("reflect", "add", input=f"# Top\nthe token is {TOKEN}\n")
    assert ran.err.splitlines()[0].startswith("stdin: recorded without the secret")
    assert ran.err.splitlines()[1] == (
        "1 heading was lowered to level 4, below those of the file itself"
    )
    assert TOKEN not in (repo.root / LOG).read_text()


def test_reflect_list_has_every_kind_and_tells_the_empty_ones(repo, afterword):
    """R3, R4, R13: the numbers of a real log of forty-five."""
    real(repo, LOG, "reflection_log.2026-02-27.07295c49.md")
    rows = afterword("reflect", "list", "--json").objects
    kinds = [row["kind"] for row in rows]
    assert [kinds.count(kind) for kind in ("R1", "R2", "R3")] == [6, 2, 37]
    assert {row["kind"] for row in rows if row["empty"]} == {"R3"}
    assert sum(row["empty"] for row in rows) == 37
    assert set(rows[0]) == {
        "date",
        "time",
        "title",
        "session",
        "kind",
        "empty",
        "where",
    }
    last = afterword("reflect", "list").out.splitlines()[-1]
    assert (
        last
        == f"reflect list: 45, {sum(bool(r['date']) for r in rows)} dated, 37 empty"
    )


def test_reflect_roll_keeps_the_window(repo, afterword, e1):
    """T2.3, T2.4, A2.2, A2.3: ten of a real log; twice is once."""
    real(repo, LOG, "reflection_log.2026-02-27.a767be37.md")
    dry = afterword("reflect", "roll", "--dry-run")
    assert dry.out == f"would move 9 reflections to {LOG_ARCHIVE}\n"
    ran = afterword("reflect", "roll")
    assert failed(ran) == (
        0,
        "",
        ["[archive] reflection_log: moved 9 reflections to reflection_log_archive.md"],
    )
    (line,) = repo.lines("e1", "reflections.rolled")
    assert (line["moved"], line["kept"]) == (9, 10)
    before = tree(repo)
    assert failed(afterword("reflect", "roll")) == (
        0,
        "",
        ["nothing to roll: 10 dated reflections, and the log keeps 10"],
    )
    assert tree(repo) == before


def test_t2_2_clean_shows_its_plan_and_writes_nothing_without_yes(repo, afterword):
    """C12: the number is printed for a person to confirm."""
    real(repo, LOG, "reflection_log.2026-02-27.07295c49.md")
    before = tree(repo)
    ran = afterword("reflect", "clean")
    lines = ran.out.splitlines()
    assert (ran.code, len(lines)) == (0, 38)
    assert lines[0].startswith(f"would remove {LOG}:244 2026-02-26 ")
    assert lines[-1] == "reflect clean: 37 empty, 8 stay"
    assert ran.err == "remove them: afterword reflect clean --yes\n"
    value = afterword("reflect", "clean", "--json").json
    assert (value["dry_run"], len(value["removed"]), value["kept"]) == (True, 37, 8)
    assert value["backup"] is None
    assert value["removed"][0]["where"] == f"{LOG}:244"
    assert tree(repo) == before


@pytest.mark.parametrize("language", ["en", "zh"])
def test_t2_2_clean_with_yes_removes_them_and_keeps_a_copy(repo, afterword, language):
    """C11, R10: a second copy of the day has a name of its own."""
    repo.write(".ai/config.yaml", f"language: {language}\n")
    data = real(repo, LOG, "reflection_log.2026-02-27.07295c49.md")
    ran = afterword("reflect", "clean", "--yes")
    said = {
        "en": "[clean] removed 37 empty reflections, kept 8",
        "zh": "[清理] 已移除 37 条空条目，保留 8 条有效反思",
    }
    assert ran.err == f"{said[language]}\n"
    backup = ran.out.strip()
    assert re.fullmatch(rf"{FOLDER}/reflection_log_backup_\d{{8}}\.md", backup)
    assert (repo.root / backup).read_bytes() == data
    assert len(afterword("reflect", "list", "--json").objects) == 8
    repo.write(LOG, data)
    again = afterword("reflect", "clean", "--yes", "--json").json
    assert again["backup"].endswith("-2.md")
    assert (repo.root / backup).read_bytes() == data


def test_clean_with_nothing_empty_writes_no_copy(repo, afterword):
    real(repo, LOG, "reflection_log.2026-02-27.a767be37.md")
    before = tree(repo)
    ran = afterword("reflect", "clean", "--yes")
    assert failed(ran) == (0, "", ["[clean] removed 0 empty reflections, kept 19"])
    assert tree(repo) == before


# all of them --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", [("learn",), ("queue", "add"), ("reflect", "keep"), ("queue", "list", "x")]
)
def test_a_wrong_call_is_a_usage_error_in_json_too(afterword, words):
    ran = afterword(*words, "--json")
    assert ran.code == 2
    assert json.loads(ran.out)["error"]["code"] == "usage"


def test_nothing_is_looked_for_outside_the_named_repository(
    repo, afterword, tmp_path: Path
):
    ran = afterword("queue", "list", "--repo", str(repo.root), cwd=tmp_path)
    assert ran.code == 0
    assert afterword("queue", "list", cwd=tmp_path).code == 1
