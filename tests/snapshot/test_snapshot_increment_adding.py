"""Increments put into their folder: named, whole, durable, none lost or overwritten."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.errors import AfterwordError
from afterword.snapshot import adding, increment, increment_writing
from afterword.snapshot.adding import Added
from afterword.snapshot.fact import Fact, Supersedes
from afterword.store import config_file, layout, stamp
from project import Repo, command

AT = "2026-04-23 10:20:30"
FOLDER = ".ai/repo/increments"
INDEX = "# Module Index\n\n## Modules\n| Module | Code Path | Purpose | Status |\n|---|---|---|---|\n"


def add(repo: Repo, **given: Any) -> Added:
    store = layout.need(str(repo.root))
    stamp.claim(store)
    fields = {"kind": "decision", "title": "t", "author": "A", "at": AT, "wait": 1}
    return adding.add(store, config_file.need(store), **{**fields, **given})


def read(repo: Repo, added: Added) -> increment.Increment:
    return increment.read((repo.root / added.path).read_bytes(), added.stem)


def test_an_increment_says_all_that_was_given(repo: Repo) -> None:
    added = add(
        repo,
        kind="architecture",
        title="支付: order → bank",
        body=("Because\nof this", "key: not a field"),
        part="flow",
        key="pay.flow",
        value="order, bank",
        supersedes=[Supersedes("Old - one", "slow")],
        confidence="high",
        author="张三",
        files=["src/pay.py"],
    )
    (fact,) = read(repo, added).facts
    assert fact == added.fact
    assert (fact.kind, fact.part, fact.title) == (
        "architecture",
        "flow",
        "支付: order → bank",
    )
    assert (fact.key, fact.value) == ("pay.flow", "order, bank")
    assert fact.supersedes == (Supersedes("Old - one", "slow"),)
    assert (fact.confidence, fact.status) == ("high", "unverified")
    assert (fact.author, fact.recorded, fact.files) == ("张三", AT, ("src/pay.py",))
    assert fact.body[-1] == "- key: not a field"


def test_the_bytes_are_the_canonical_shape(repo: Repo) -> None:
    added = add(
        repo,
        title="Retry three times",
        body=("- 原因: the belt moves on",),
        confidence="high",
        files=["src/a.py"],
    )
    assert (repo.root / added.path).read_text() == (
        "# 2026-04-23 retry-three-times\n"
        "\n"
        "## Meta\n"
        "- author: A\n"
        "- timestamp: 2026-04-23 10:20:30\n"
        "- trigger: manual\n"
        "- confidence: high\n"
        "\n"
        "## Affected Files\n"
        "- `src/a.py` → DECISION\n"
        "\n"
        "## Decisions\n"
        "- Retry three times\n"
        "  - 原因: the belt moves on\n"
        "\n"
        "## Evidence\n"
        "- source: A, 2026-04-23\n"
        "- status: unverified\n"
    )


def test_the_labels_follow_the_language(repo: Repo) -> None:
    repo.write(".ai/config.yaml", "language: zh\n")
    text = (repo.root / add(repo).path).read_text()
    assert "- 来源: A, 2026-04-23\n- 验证状态: unverified\n" in text


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Retry three times", "retry-three-times"),
        ("支付超时改为 5s", "5s"),
        ("支付超时", "decision"),
        ("Überholte Größe", "uberholte-groe"),
        ("don't panic!", "dont-panic"),
        ("../../etc/passwd", "etc-passwd"),
        ("a" * 60, "a" * 40),
        ("word " * 20, "word-word-word-word-word-word-word-word"),
        ("🎉", "decision"),
    ],
)
def test_names_sort_by_date_and_are_safe_for_titles_in_any_script(
    repo: Repo, title: str, slug: str
) -> None:
    added = add(repo, title=title)
    assert re.fullmatch(rf"2026-04-23_{slug}-[0-9a-f]{{6}}", added.stem)
    assert added.fact.title == title.strip()


@given(st.text(min_size=1), st.text(min_size=1))
def test_a_name_is_plain_whatever_the_title(one: str, other: str) -> None:
    facts = [Fact(kind="decision", title=title) for title in (one, other)]
    names = [increment_writing.name(fact, AT) for fact in facts]
    for name in names:
        assert re.fullmatch(r"2026-04-23_[a-z0-9-]{1,40}-[0-9a-f]{6}\.md", name)
    if facts[0].id != facts[1].id:
        assert names[0] != names[1]


def test_the_same_words_twice_are_two_files(repo: Repo) -> None:
    one, other = add(repo), add(repo)
    assert one.stem != other.stem
    assert one.fact.id == other.fact.id
    assert len(list((repo.root / FOLDER).iterdir())) == 2


def test_a_file_that_is_there_is_never_overwritten(repo: Repo) -> None:
    fact = Fact(
        kind="decision", title="t", author="A", confidence="medium", recorded=AT
    )
    taken = repo.write(f"{FOLDER}/{increment_writing.name(fact, AT)}", "mine\n")
    added = add(repo)
    assert taken.read_text() == "mine\n"
    assert (repo.root / added.path) != taken


def test_l022_a_registered_domain_takes_it_into_its_folder(repo: Repo) -> None:
    repo.write(
        ".ai/repo/modules/_index.md", INDEX + "| order | `src/order/` | - | active |\n"
    )
    added = add(repo, domain="order")
    assert added.path.startswith(".ai/repo/modules/order/increments/2026-04-23_t-")
    assert (added.fact.domains, added.fact.folders) == (("order",), ("order",))
    assert added.said == ()


def test_l025_an_unknown_domain_is_said_and_kept(repo: Repo) -> None:
    added = add(repo, domain="order")
    assert added.path.startswith(FOLDER)
    assert added.fact.domains == ("order",)
    assert added.said == (
        "'order' is no module of .ai/repo/modules/_index.md: put among the global"
        " increments",
    )


def test_a_registry_in_pieces_loses_no_increment(repo: Repo) -> None:
    repo.write(
        ".ai/repo/modules/_index.md", "<<<<<<< a\n| order |\n=======\n>>>>>>> b\n"
    )
    added = add(repo, domain="order")
    assert (repo.root / added.path).exists()
    assert added.said == (
        ".ai/repo/modules/_index.md:1: a merge left its conflict markers here: put among"
        " the global increments",
    )


def test_a_title_that_says_nothing_is_refused(repo: Repo) -> None:
    with pytest.raises(AfterwordError) as caught:
        add(repo, title="None")
    assert str(caught.value) == (
        "'None': would not be read back as it is given\nsay it in other words"
    )
    assert not (repo.root / FOLDER).exists()


def test_a_folder_that_leads_out_of_the_repository_is_refused(
    repo: Repo, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (repo.root / ".ai/repo").mkdir(exist_ok=True)
    (repo.root / FOLDER).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(AfterwordError, match="leads out of the repository"):
        add(repo)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_waiting_ones_are_listed_in_order_without_other_files(repo: Repo) -> None:
    for name in (
        f"{FOLDER}/2026-04-02_b.md",
        f"{FOLDER}/2026-04-01_a.md",
        f"{FOLDER}/README.md",
        f"{FOLDER}/.gitkeep",
        f"{FOLDER}/archive/2026-03-01_old.md",
        ".ai/repo/modules/order/increments/2026-04-03_c.md",
    ):
        repo.write(name, "## Decisions\n- t\n")
    assert adding.waiting(layout.need(str(repo.root))) == [
        ("", "2026-04-01_a.md"),
        ("", "2026-04-02_b.md"),
        ("order", "2026-04-03_c.md"),
    ]


def test_twenty_at_once_all_survive(repo: Repo) -> None:
    words = ("increment", "add", "--type", "decision", "--title")
    running = [
        subprocess.Popen(
            command(*words, f"Number {number % 10}"),
            cwd=repo.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        for number in range(20)
    ]
    printed = {one.communicate(timeout=120)[0].decode().strip() for one in running}
    assert {one.returncode for one in running} == {0}
    found = {f"{FOLDER}/{path.name}" for path in (repo.root / FOLDER).iterdir()}
    assert found == printed
    assert len(found) == 20
    lines = repo.lines("outside", "increment.added")
    assert {f"{FOLDER}/{line['stem']}.md" for line in lines} == found


def test_a_kill_at_any_moment_leaves_whole_increments_or_none(repo: Repo) -> None:
    words = ("increment", "add", "--type", "decision", "--title", "Killed", "--json")
    began = time.monotonic()
    subprocess.run(command(*words), cwd=repo.root, stdin=subprocess.DEVNULL, check=True)
    whole = time.monotonic() - began
    for step in range(12):
        running = subprocess.Popen(
            command(*words),
            cwd=repo.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(whole * (step + 1) / 12)
        running.send_signal(signal.SIGKILL)
        running.wait(timeout=60)
    added = add(repo, title="Afterwards")
    names = os.listdir(repo.root / FOLDER)
    assert not [name for name in names if name.endswith(".tmp")]
    for name in names:
        found = increment.read((repo.root / FOLDER / name).read_bytes(), name)
        assert [fact.title for fact in found.facts] in (["Killed"], ["Afterwards"])
        assert found.problems == ()
    assert f"{added.stem}.md" in names
