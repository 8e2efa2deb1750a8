"""The driver as a process: its four words, its three exit codes, the one file it writes."""

from __future__ import annotations

import os
import stat
import sys

import pytest

from afterword.install import repository
from afterword.merge import kinds
from afterword.merge.registration import describe_registration

from .building import candidate, edit, real
from .clones import CANDIDATES, CURATED, EVOLUTION, SESSIONS, TOOL, Ran, run

BASE = candidate()
TAGS = "tags:\n  - derived\n  - decision\n"
A = edit(BASE, TAGS, f"{TAGS}  - uploads\n")
B = edit(BASE, TAGS, f"{TAGS}  - network\n")
BOTH = edit(BASE, TAGS, f"{TAGS}  - network\n  - uploads\n")
PATH = f"{CANDIDATES}/e1-0a1b2c3d4e5f.md"
QUEUE = f"{EVOLUTION}/learning_queue.md"


@pytest.fixture
def top(tmp_path):
    """The top of an empty repository, where git runs its drivers."""
    root = tmp_path / "project"
    root.mkdir()
    assert run(["git", "init", "-q"], root).code == 0
    return root


def merge(top, before, ours, theirs, path=PATH) -> Ran:
    """Run the driver as git does; checks that it leaves nothing behind."""
    for name, data in zip("OAB", (before, ours, theirs), strict=True):
        (top / name).write_bytes(data)
    ran = run([TOOL, "merge-driver", "O", "A", "B", path], top)
    assert ran.out == ""
    assert sorted(os.listdir(top)) == [".git", "A", "B", "O"]
    assert [(top / name).read_bytes() for name in "OB"] == [before, theirs]
    return ran


def test_exit_0_is_a_clean_merge_in_silence(top):
    assert merge(top, BASE, A, B) == Ran(0, "", "")
    assert (top / "A").read_bytes() == BOTH


def test_exit_1_has_markers_and_says_what_to_do(top):
    a, b = (
        edit(BASE, "class: convention", f"class: {kind}") for kind in ("fact", "lesson")
    )
    ran = merge(top, BASE, a, b)
    assert (ran.code, ran.err) == (
        1,
        f"afterword: {PATH}: both sides changed class;"
        " choose between the markers, then git add it\n",
    )
    assert b"<<<<<<< ours\nclass: fact\n=======\nclass: lesson\n" in (
        (top / "A").read_bytes()
    )


def test_two_records_in_one_file_are_said_to_be_two(top):
    ran = merge(top, BASE, A, candidate("e2-ffffffffffff"))
    assert (ran.code, ran.err) == (
        1,
        f"afterword: {PATH}: two different records met in one file, both are in it"
        " whole; keep one and give the other a file of its own, then git add both\n",
    )


MARKED = edit(BASE, "class: convention\n", "<<<<<<< ours\nclass: fact\n>>>>>>> b\n")


@pytest.mark.parametrize(
    ("ours", "theirs", "reason"),
    [
        (MARKED, B, "ours: holds merge markers in line 5"),
        (A, MARKED, "theirs: holds merge markers in line 5"),
        (A, b"\x00\xff" * 9, "theirs: is not UTF-8 text"),
        (A.replace(b"Retry", b"R\xe9try"), B, "ours: is not UTF-8 text"),
    ],
    ids=["h44 markers in ours", "h44 markers in theirs", "binary", "latin-1"],
)
def test_exit_2_leaves_unusable_input_to_git(top, ours, theirs, reason):
    ran = merge(top, BASE, ours, theirs)
    assert (ran.code, ran.err) == (
        2,
        f"afterword: {PATH}: left to git's own merge: {reason}\n",
    )
    assert (top / "A").read_bytes() == ours


def test_a_base_with_markers_counts_as_none(top):
    assert merge(top, MARKED, A, B).code == 0
    assert (top / "A").read_bytes() == BOTH


def test_an_empty_base_is_an_add_on_both_sides(top):
    assert merge(top, b"", A, B).code == 0
    assert (top / "A").read_bytes() == BOTH


def test_the_file_keeps_its_mode(top):
    (top / "A").write_bytes(b"")
    os.chmod(top / "A", 0o640)
    assert merge(top, BASE, A, B).code == 0
    assert stat.S_IMODE(os.stat(top / "A").st_mode) == 0o640


@pytest.mark.parametrize(
    "words",
    [(), ("O", "A", "B"), ("O", "A", "B", "p.md", "more")],
    ids=["none", "three", "five"],
)
def test_any_other_number_of_words_is_exit_2(top, words):
    ran = run([TOOL, "merge-driver", *words], top)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("afterword: ")


def test_a_file_that_is_not_there_is_exit_2(top):
    ran = run([TOOL, "merge-driver", "O", "A", "B", PATH], top)
    assert (ran.code, ran.err) == (
        2,
        f"afterword: {PATH}: left to git's own merge: FileNotFoundError: O: no such file\n",
    )


def test_h63_a_pipe_in_place_of_a_version_does_not_hang(top):
    for name in "OAB":
        os.mkfifo(top / name)
    ran = run([TOOL, "merge-driver", "O", "A", "B", PATH], top)
    assert (ran.code, ran.err) == (
        2,
        f"afterword: {PATH}: left to git's own merge: UnsafePath: O: not a regular file\n",
    )


def test_h32_a_full_disk_is_exit_2_with_nothing_half_written(top):
    for name, data in zip("OAB", (BASE, A, B), strict=True):
        (top / name).write_bytes(data)
    call = f'ulimit -f 0; exec "{TOOL}" merge-driver O A B {PATH}'
    ran = run(["sh", "-c", call], top)
    assert (ran.code, ran.err) == (
        2,
        f"afterword: {PATH}: left to git's own merge:"
        " OSError: [Errno 27] File too large\n",
    )
    assert (top / "A").read_bytes() == A
    assert sorted(os.listdir(top)) == [".git", "A", "B", "O"]


def test_a_path_that_looks_like_an_option_is_a_path(top):
    assert merge(top, b"1\n2\n3\n", b"0\n2\n3\n", b"1\n2\n4\n", "--help").code == 0
    assert (top / "A").read_bytes() == b"0\n2\n4\n"


MODULES = ".ai/repo/modules"
OTHER = f"{MODULES}/order/specs/index.md"
TEXT = b"one\ntwo\nthree\nfour\n"


def test_a_file_of_another_kind_is_merged_by_lines(top):
    theirs = TEXT.replace(b"four", b"4")
    assert merge(top, TEXT, b"zero\n" + TEXT, theirs, OTHER) == Ran(0, "", "")
    assert (top / "A").read_bytes() == b"zero\none\ntwo\nthree\n4\n"


def test_a_conflict_by_lines_is_exit_1_with_both_sides(top):
    ours, theirs = (TEXT.replace(b"two", word) for word in (b"2", b"II"))
    ran = merge(top, TEXT, ours, theirs, OTHER)
    assert (ran.code, ran.err) == (
        1,
        f"afterword: {OTHER}: both sides changed the same lines;"
        " choose between the markers, then git add it\n",
    )
    assert (top / "A").read_bytes() == (
        b"one\n<<<<<<< ours\n2\n=======\nII\n>>>>>>> theirs\nthree\nfour\n"
    )


def test_a_record_that_cannot_be_taken_apart_is_merged_by_lines(top):
    torn = BASE.replace(b"\n---\n\n#", b"\n#")
    ours = torn.replace(b"class: convention", b"class: fact")
    theirs = torn + b"\nMore.\n"
    assert merge(top, torn, ours, theirs).code == 0
    assert (top / "A").read_bytes() == ours + b"\nMore.\n"


def test_without_a_repository_around_it_text_is_left_to_git(tmp_path):
    for name, data in zip("OAB", (TEXT, TEXT + b"5\n", b"0\n" + TEXT), strict=True):
        (tmp_path / name).write_bytes(data)
    ran = run([TOOL, "merge-driver", "O", "A", "B", OTHER], tmp_path)
    assert (ran.code, ran.err) == (
        2,
        f"afterword: {OTHER}: left to git's own merge: git merge-file could not be asked\n",
    )


@pytest.mark.parametrize(
    ("path", "known"),
    [
        (f"{CANDIDATES}/x.md", True),
        (f"{CURATED}/x.md", True),
        (f"{SESSIONS}/e1.md", True),
        (".ai/repo/sessions/e1.md", True),
        (f"{CANDIDATES}/README.md", False),
        (".ai/repo/sessions/README.md", False),
        (f"{CANDIDATES}/deeper/x.md", False),
        (f"{CANDIDATES}/x.json", False),
        (".ai/repo/snapshot.md", True),
        (".ai/repo/other.md", False),
        (".ai/repo/archive/decisions-history.md", True),
        (".ai/repo/increments/2026-11-01_x-0a1b2c.md", True),
        (".ai/repo/increments/archive/2026-11-01_x-0a1b2c.md", True),
        (".ai/repo/increments/other/x.md", False),
        (".ai/repo/increments/README.md", False),
        (f"{MODULES}/_index.md", True),
        (f"{MODULES}/order/knowledge.md", True),
        (f"{MODULES}/order/cross-refs.md", True),
        (f"{MODULES}/order/progress.md", True),
        (f"{MODULES}/order/archive/decisions-history.md", True),
        (f"{MODULES}/order/increments/2026-11-01_x.md", True),
        (f"{MODULES}/order/increments/archive/2026-11-01_x.md", True),
        (f"{MODULES}/order/_index.md", False),
        (f"{MODULES}/order/deeper/knowledge.md", False),
        (f"{MODULES}/knowledge.md", False),
        (f"{MODULES}/order/specs/index.md", False),
        ("knowledge/candidates/x.md", False),
        (QUEUE, True),
        (f"{EVOLUTION}/learning_queue_archive.md", True),
        (f"{EVOLUTION}/reflection_log.md", True),
        (f"{EVOLUTION}/reflection_log_archive.md", True),
        (f"{EVOLUTION}/knowledge_base.md", True),
        (f"{EVOLUTION}/entries/k-1f2e3d4c-x.md", True),
        (f"{EVOLUTION}/entries/README.md", False),
        (f"{EVOLUTION}/other.md", False),
        (f"{QUEUE}/x.md", False),
    ],
)
def test_a_kind_is_told_by_the_path(path, known, tmp_path):
    assert (kinds.find(path, str(tmp_path)) is not None) == known


@pytest.mark.parametrize(
    ("config", "known"),
    [
        ("paths:\n  candidates: memory/new\n", True),
        ("paths:\n  queue: memory/new/x.md\n", True),
        ("paths:\n  knowledge_base: memory/b.md\n  entries: memory/new\n", True),
        ("paths:\n  queue: memory/new/y.md\n", False),
        ("# paths:\n#   candidates: memory/new\n", False),
        ("<<<<<<< ours\npaths:\n  candidates: memory/new\n>>>>>>> b\n", False),
        ("paths: [\n", False),
        ("paths:\n  candidates: 7\n", False),
        (None, False),
    ],
    ids=[
        "adopted",
        "file",
        "entries",
        "other file",
        "comment",
        "in conflict",
        "torn",
        "no path",
        "absent",
    ],
)
def test_configured_places_count_beside_the_defaults(config, known, tmp_path):
    if config is not None:
        (tmp_path / ".ai").mkdir()
        (tmp_path / ".ai/config.yaml").write_text(config)
    assert (kinds.find("memory/new/x.md", str(tmp_path)) is not None) == known
    assert kinds.find(PATH, str(tmp_path)) is not None
    assert not (tmp_path / ".ai/local").exists()


def test_the_driver_writes_no_cache_and_no_log(top):
    (top / ".ai").mkdir()
    (top / ".ai/config.yaml").write_text("paths:\n  candidates: memory/new\n")
    for name, data in zip("OAB", (BASE, A, B), strict=True):
        (top / name).write_bytes(data)
    ran = run([TOOL, "merge-driver", "O", "A", "B", "memory/new/x.md"], top)
    assert ran == Ran(0, "", "")
    assert (top / "A").read_bytes() == BOTH
    assert os.listdir(top / ".ai") == ["config.yaml"]


def test_whatever_fails_inside_leaves_the_merge_to_git(top):
    """No exception, however unexpected, may end as exit 1 without markers."""
    keys = "".join(f"{' ' * depth}k:\n" for depth in range(900))
    base, ours, theirs = (
        f"---\nid: x\n{keys}{' ' * 900}k: {word}\n---\n".encode() for word in "oab"
    )
    ran = merge(top, base, ours, theirs)
    assert ran.code == 2
    assert ran.err.startswith(
        f"afterword: {PATH}: left to git's own merge: unexpected RecursionError: "
    )
    assert (top / "A").read_bytes() == ours


ITEMS = real("learning_queue.2026-02-27")
LOG = real("reflection_log.2026-02-24")


def test_an_evolution_file_is_merged_whatever_its_bytes(top):
    """GBK and NULs, of which git's own merge makes nothing (spec/evolution.md 1.3)."""
    new = b"\n## Reflection - 2026-11-01 10:00 (session: e1)\n\ntext\n\n---\n"
    theirs = LOG.replace(b"Codex Workflow Optimization", b"Codex workflow")
    path = f"{EVOLUTION}/reflection_log.md"
    assert merge(top, LOG, LOG + new, theirs, path) == Ran(0, "", "")
    data = (top / "A").read_bytes()
    assert b"(Session: Codex workflow)" in data
    assert data.endswith(new) and data.count(b"\0") == 6


def test_h44_an_evolution_file_with_markers_is_left_to_git(top):
    marked = ITEMS.replace(b"\n### LQ-011", b"\n<<<<<<< ours\n### LQ-011")
    ran = merge(top, ITEMS, marked, ITEMS + b"\nmore\n", QUEUE)
    line = marked[: marked.index(b"<<<<<<<")].count(b"\n") + 1
    assert (ran.code, ran.err) == (
        2,
        f"afterword: {QUEUE}: left to git's own merge: ours: holds merge markers"
        f" in line {line}\n",
    )
    assert (top / "A").read_bytes() == marked


def test_of_many_conflicts_the_first_are_named(top):
    """Twelve items and the template in its fence."""
    sides = (
        ITEMS.replace("内容: ".encode(), f"内容: {word} ".encode()) for word in "ab"
    )
    ran = merge(top, ITEMS, *sides, QUEUE)
    items = ", ".join(f"LQ-{number:03d}: 内容" for number in range(1, 10))
    assert (ran.code, ran.err) == (
        1,
        f"afterword: {QUEUE}: both sides changed section 队列格式, {items}, 3 more;"
        " choose between the markers, then git add it\n",
    )


def test_install_registers_what_the_driver_expects():
    assert repository.keys("/opt/tool") == describe_registration("/opt/tool")


@pytest.mark.parametrize("path", [PATH, QUEUE], ids=["record", "queue"])
def test_git_s_call_loads_no_library(top, path):
    """It comes once for each file: the command line's imports would be most of its cost."""
    code = (
        "import sys; from afterword.cli import main; sys.argv[1:] = sys.argv[2:]\n"
        "try: main.main()\n"
        "except SystemExit: print(*sorted(sys.modules))"
    )
    for name, data in zip("OAB", (BASE, A, B), strict=True):
        (top / name).write_bytes(data)
    words = ["-c", code, "x", "merge-driver", "O", "A", "B", path]
    loaded = run([sys.executable, *words], top).out.split()
    assert (top / "A").read_bytes() not in (A, B)
    assert "afterword.merge.driver" in loaded
    assert not {"click", "ruamel.yaml", "pydantic", "dulwich", "json"} & set(loaded)
