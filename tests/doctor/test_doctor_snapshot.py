"""doctor on increments, snapshot and modules."""

from __future__ import annotations

import os
import time

import pytest

from afterword.doctor import snapshot
from afterword.doctor.scene import Scene
from afterword.store import config, layout

FOLDER = ".ai/repo/increments"
INCREMENT = (
    "# 2026-05-01 x\n\n## Meta\n- author: Ada\n- timestamp: 2026-05-01 10:00:00\n"
    "- confidence: high\n\n## Decisions\n- Call timeout\n  - key: t.call\n  - value: {}\n"
)


def scene_of(repo):
    """What the command makes of a repository, in this process."""
    found = layout.need(str(repo.root))
    settings = config.peek(found)
    store = found.replace(paths=settings.paths())
    return Scene(store, settings, dict(os.environ), time.time())


def told(repo):
    return [(one.severity, one.code, one.where, one.message) for one in snapshot.check(scene_of(repo))]  # fmt: skip


def test_a_memory_without_increments_has_no_finding(repo):
    assert told(repo) == []


def test_what_waits_is_told_with_the_command(repo):
    repo.write(f"{FOLDER}/2026-05-01_x.md", INCREMENT.format("3s"))
    (found,) = snapshot.check(scene_of(repo))
    assert (found.severity, found.code, found.path) == (
        "info",
        "increments-wait",
        FOLDER,
    )
    assert found.message == "1 increment waiting for the next compile"
    assert found.fix == "afterword compile"


def test_an_increment_that_cannot_be_read_is_told_with_its_line(repo):
    """Nothing is written by looking."""
    repo.write(f"{FOLDER}/2026-05-01_x.md", "# 2026-05-01 x\n\n## Decisions\n- Größe\n".encode("latin-1"))  # fmt: skip
    before = sorted(repo.root.rglob("*"))
    found = {row[1]: row for row in told(repo)}
    severity, _, where, _ = found["increment-unreadable"]
    assert (severity, where.partition(":")[0]) == (
        "warning",
        f"{FOLDER}/2026-05-01_x.md",
    )
    assert sorted(repo.root.rglob("*")) == before


def test_an_increment_edited_in_the_archive_leaves_the_snapshot_behind(repo, afterword):
    repo.write(f"{FOLDER}/2026-05-01_x.md", INCREMENT.format("3s"))
    assert afterword("compile", "--no-git").code == 0
    assert told(repo) == []
    repo.write(f"{FOLDER}/archive/2026-05-01_x.md", INCREMENT.format("4s"))
    assert told(repo) == [
        (
            "info",
            "snapshot-behind",
            ".ai/repo/snapshot.md",
            "does not show what the archived increments and promoted records say",
        )
    ]


def test_open_conflicts_are_told_until_a_person_decides(repo, afterword):
    for number, value in ((1, "3s"), (2, "5s")):
        text = INCREMENT.format(value).replace("05-01", f"05-0{number}")
        repo.write(f"{FOLDER}/2026-05-0{number}_x.md", text)
    assert afterword("compile", "--no-git").code == 0
    ((severity, code, _, message),) = told(repo)
    assert (severity, code) == ("info", "conflicts-open")
    identity = message.rpartition(" ")[2]
    words = ("conflict", "resolve", identity, "--keep", "old", "--why", "measured")
    assert afterword(*words).code == 0
    assert told(repo) == []


@pytest.mark.parametrize("name", ["snapshot.md", "increments/2026-05-01_x.md"])
def test_merge_markers_are_told_once_by_the_check_of_markers(repo, name):
    repo.write(f".ai/repo/{name}", "# S\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n")
    assert told(repo) == []
