"""doctor on the learning queue, the reflections and the knowledge base."""

from __future__ import annotations

import os
import time

import pytest

from afterword.doctor import evolution
from afterword.doctor.scene import Scene
from afterword.store import config, layout

QUEUE = ".ai/repo/evolution/learning_queue.md"
ARCHIVE = ".ai/repo/evolution/learning_queue_archive.md"
UUID = "5f9c1b1e-0a2b-4c3d-8e9f-0123456789ab"


def item(number, state, extra=""):
    return (
        f"### LQ-{number:03d}: T\n- Priority: P2\n- Status: {state}\n"
        f"- Added: 2026-03-02\n{extra}\n"
    )


def scene_of(repo):
    """What the command makes of a repository, in this process."""
    found = layout.need(str(repo.root))
    settings = config.peek(found)
    store = found.replace(paths=settings.paths())
    return Scene(store, settings, dict(os.environ), time.time())


def adopted(repo):
    repo.write(
        ".ai/config.yaml",
        "paths:\n  queue: .omc/axiom/evolution/learning_queue.md\n"
        "  reflections: .omc/axiom/reflection_log.md\n"
        "  reflections_archive: .omc/axiom/evolution/reflection_log_archive.md\n"
        "  knowledge_base: .omc/axiom/evolution/knowledge_base.md\n"
        "  entries: .omc/knowledge\n"
        "  active_context: .omc/axiom/active_context.md\n",
    )
    repo.write(".omc/axiom/reflection_log.md", "# Reflection Log\n")


def ours(wired, *codes):
    return [(row["severity"], row["path"], row["line"], row["message"]) for row in wired.found(*codes)]  # fmt: skip


def test_a_memory_without_evolution_files_has_no_finding(repo):
    assert list(evolution.check(scene_of(repo))) == []


def test_what_is_wrong_is_told_with_the_keys_of_doctor_and_nothing_is_written(wired):
    text = item(1, "processing") + item(2, "maybe", "- Processed: 2026-01-21\n")
    wired.bench.repo.write(QUEUE, "# Q\n\n" + text)
    wired.bench.repo.commit("Learn")
    wired.doctor()
    before = wired.bench.tree
    assert ours(wired, "item-begun") == [
        (
            "warning",
            QUEUE,
            3,
            "LQ-001 is still processing: evolve was cut short there; the next end goes on with it",
        )
    ]
    code, rows = wired.doctor()
    by_code = {row["code"]: row for row in rows}
    assert code == 0
    assert by_code["item-begun"]["fix"] == ".ai/bin/afterword evolve"
    assert by_code["item-status"]["severity"] == "info"
    assert by_code["item-malformed"]["line"] == 8
    assert wired.bench.tree == before


def test_h44_merge_markers_in_the_queue_are_told_once(wired):
    wired.bench.repo.write(QUEUE, "# Q\n<<<<<<< ours\n=======\n>>>>>>> theirs\n")
    assert ours(wired, "merge_markers") == [("error", QUEUE, 2, "holds merge markers")]
    assert wired.doctor()[0] == 1


def test_f9_an_archive_that_leads_out_hides_nothing_else(wired, own_environment):
    """No check fails over it: the disk and the litter are still looked at."""
    outside = own_environment / "elsewhere.md"
    outside.write_text("# Elsewhere\n")
    path = wired.bench.repo.write(ARCHIVE, "")
    path.unlink()
    path.symlink_to(outside)
    wired.bench.repo.write(".ai/repo/evolution/.x.md.999999.abcdef01.tmp", "")
    wired.bench.repo.write(QUEUE, "# Q\n" + item(1, "maybe"))
    assert ours(wired, "unsafe-path") == [
        (
            "error",
            ARCHIVE,
            None,
            f"leads out of the repository, to {outside}: no command reads or writes it",
        )
    ]
    codes = {row["code"] for row in wired.doctor()[1]}
    assert "check-failed" not in codes
    assert {"temp", "item-status"} <= codes


def test_f1_f10_what_the_adopted_system_left_is_named_and_stays(repo):
    """F2, F7: its locks can go stale; ours are of the operating system, so nothing to name."""
    adopted(repo)
    folder = repo.root / ".omc/axiom/evolution"
    (folder / ".archive.lock").mkdir(parents=True)
    (folder / ".archive.lock/lock.json").write_text("{}")
    (repo.root / ".omc/axiom/.evolve.lock").write_text("2026-03-02T00:00:00Z")
    for number in range(5):
        (folder / f".usage_metrics.json.tmp.{UUID[:-1]}{number}").write_text("")
    found = {(one.code, one.path): one for one in evolution.check(scene_of(repo))}
    lock = found["foreign-lock", ".omc/axiom/evolution"]
    assert (lock.severity, lock.message) == (
        "warning",
        ".archive.lock is a lock of another system, of which afterword takes no notice",
    )
    assert lock.fix == (
        "if that system no longer runs: rm -r '.omc/axiom/evolution/.archive.lock'"
    )
    assert found["foreign-lock", ".omc/axiom"].message.startswith(".evolve.lock is")
    temps = [one for one in evolution.check(scene_of(repo)) if one.code == "foreign-temp"]  # fmt: skip
    assert [one.message for one in temps] == [
        *(
            f".usage_metrics.json.tmp.{UUID[:-1]}{number} is a temp file of another"
            " system, of which afterword takes no notice"
            for number in range(3)
        ),
        "and 2 more",
    ]
    assert len(list(folder.iterdir())) == 6


@pytest.mark.parametrize(
    ("session", "whose"),
    [
        ("session_id: 2026-03-04-implement\n", "session 2026-03-04-implement, which is not open here"),
        ("", "no session id"),
    ],
)  # fmt: skip
def test_c16_a_flag_that_nobody_reset_is_told_and_harmless(repo, session, whose):
    adopted(repo)
    context = f"---\n{session}auto_evolve_done: true\n---\n# Context\n"
    repo.write(".omc/axiom/active_context.md", context)
    (one,) = evolution.check(scene_of(repo))
    assert (one.severity, one.code, one.path) == (
        "info",
        "flag-ignored",
        ".omc/axiom/active_context.md",
    )
    assert one.message == f"auto_evolve_done: true stands beside {whose}: it is ignored"


@pytest.mark.parametrize(
    "context",
    [
        "---\nsession_id: e1\nauto_evolve_done: true\n---\n",
        "---\nsession_id: e2\nauto_evolve_done: false\n---\n",
        "---\nsession_id: e2\n---\n# auto_evolve_done: true\n",
        "auto_evolve_done: true\n",
    ],
)
def test_c16_the_flag_of_an_open_session_and_no_flag_are_not_told(
    repo, run_hook, context
):
    adopted(repo)
    run_hook("session-start", {"session_id": "e1", "source": "startup"})
    repo.write(".omc/axiom/active_context.md", context)
    assert list(evolution.check(scene_of(repo))) == []


def test_litter_of_ours_beside_adopted_files_is_named_once(wired):
    """A place that is one file has neighbours that are not the memory's: not below them."""
    adopted(wired.bench.repo)
    name = ".x.md.999999.abcdef01.tmp"
    places = (".omc/axiom", ".omc/axiom/evolution", ".omc/knowledge/deep")
    for folder in (*places, ".omc/axiom/other"):
        wired.bench.repo.write(f"{folder}/{name}", "")
    assert [row["path"] for row in wired.found("temp")] == [
        f"{folder}/{name}" for folder in places
    ]
