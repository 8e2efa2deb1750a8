"""Batches: all of a change or none of it, and never a source gone without its destination."""

from __future__ import annotations

import os

import pytest

from afterword.errors import AfterwordError, UnsafePath
from afterword.store import atomic, batch, layout
from afterword.store.batch import Change


@pytest.fixture
def store(repo) -> layout.Store:
    found = layout.find(str(repo.root))
    assert found is not None
    return found


def moved(data: bytes = b"new\n") -> tuple[Change, Change]:
    return (
        Change(path="to.md", before=None, data=data),
        Change(path="from.md", before=b"old\n", data=None),
    )


def litter(repo) -> list[str]:
    local = [path.name for path in (repo.local / "batch").glob("*")]
    return local + [path.name for path in repo.root.glob(".*.tmp")]


def test_a_batch_does_all(store, repo):
    repo.write("from.md", "old\n")
    batch.apply(store, "l", moved())
    assert (repo.root / "to.md").read_bytes() == b"new\n"
    assert not (repo.root / "from.md").exists()
    assert litter(repo) == []


@pytest.mark.parametrize("name", ["to.md", "from.md"])
def test_a_file_that_is_not_what_the_plan_was_made_from_refuses_all(store, repo, name):
    repo.write("from.md", "old\n")
    repo.write(name, "other\n")
    with pytest.raises(AfterwordError, match=f"{name}: changed by someone else"):
        batch.apply(store, "l", moved())
    assert (repo.root / name).read_text() == "other\n"
    assert (repo.root / "from.md").exists()
    assert litter(repo) == []


def test_what_changes_in_the_last_moment_is_left_and_no_source_goes(
    store, repo, monkeypatch
):
    repo.write("from.md", "old\n")
    real = atomic.write

    def late(path, data, **more):
        real(path, data, **more)
        repo.write("to.md", "an editor's\n")

    monkeypatch.setattr(atomic, "write", late)
    with pytest.raises(AfterwordError) as error:
        batch.apply(store, "l", moved())
    (orphan,) = repo.root.glob(".*.orphan")
    assert str(error.value.message).splitlines() == [
        "to.md: changed by someone else meanwhile; what was to be written is kept in "
        + orphan.name,
        "from.md: kept",
    ]
    assert orphan.read_bytes() == b"new\n"
    assert (repo.root / "to.md").read_text() == "an editor's\n"
    assert (repo.root / "from.md").read_text() == "old\n"


def test_a_disk_that_refuses_leaves_nothing_behind(store, repo, monkeypatch):
    repo.write("from.md", "old\n")

    def full(path, data, **more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic, "write", full)
    with pytest.raises(OSError, match="No space left"):
        batch.apply(store, "l", moved())
    assert (repo.root / "from.md").read_text() == "old\n"
    assert litter(repo) == []


def test_an_intent_whose_temp_is_gone_removes_no_source(store, repo):
    repo.write("from.md", "old\n")
    files = [
        {"path": "to.md", "temp": ".to.md.1.00.tmp", "before": "", "after": "f" * 64},
        {"path": "from.md", "temp": "", "before": batch._hash(b"old\n"), "after": ""},
    ]
    assert batch._roll(store, files) == [
        "to.md: what was to be written is gone",
        "from.md: kept",
    ]
    assert (repo.root / "from.md").exists()


@pytest.mark.parametrize("text", ["[]", "{}", '{"files":[1]}', '{"files":[{}]}', "x"])
def test_an_intent_that_cannot_be_read_is_passed_over(store, repo, text):
    repo.write(".ai/local/batch/1-a.json", text)
    assert batch.pending(store) == []
    assert batch.roll_forward(store, "l") == []


def test_f10_the_temp_of_an_intent_goes_with_its_lock(store, repo):
    folder = repo.local / "batch"
    folder.mkdir(parents=True)
    names = [f".{lock}.1-00c0ffee.json.1.00c0ffee.tmp" for lock in ("l", "other")]
    for name in names:
        (folder / name).write_bytes(b"half")
    assert batch.roll_forward(store, "l") == []
    assert [path.name for path in folder.iterdir()] == names[1:]


def with_source(data: bytes = b"old\n") -> tuple[Change, Change]:
    """A move of a file as it is."""
    return (
        Change(path="done/to.md", before=None, data=data, source="from.md"),
        Change(path="from.md", before=data, data=None),
    )


def test_a_file_that_only_moves_is_linked_not_copied(store, repo):
    inode = repo.write("from.md", "old\n").stat().st_ino
    batch.apply(store, "l", with_source())
    moved_file = repo.root / "done" / "to.md"
    assert moved_file.stat().st_ino == inode
    assert moved_file.stat().st_nlink == 1
    assert not (repo.root / "from.md").exists()
    assert litter(repo) == []


def test_where_no_link_can_be_made_a_moved_file_is_copied(store, repo, monkeypatch):
    repo.write("from.md", "old\n")

    def refused(source, target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    batch.apply(store, "l", with_source())
    assert (repo.root / "done" / "to.md").read_bytes() == b"old\n"
    assert not (repo.root / "from.md").exists()


def test_a_folder_that_lets_no_file_go_refuses_all_before_anything_changes(
    store, repo, monkeypatch
):
    repo.write("from.md", "old\n")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError):
        batch.apply(store, "l", moved())
    assert (repo.root / "from.md").read_text() == "old\n"
    assert not (repo.root / "to.md").exists()
    assert litter(repo) == []


def test_a_link_in_the_place_of_one_file_is_checked_in_a_folder_that_was(store, repo):
    repo.write("a.md", "a\n")
    (repo.root / "b.md").symlink_to(repo.root.parent / "outside.md")
    changes = [
        Change(path="a.md", before=b"a\n", data=b"b\n"),
        Change(path="b.md", before=None, data=b"b\n"),
    ]
    with pytest.raises(UnsafePath, match="leads out of the repository"):
        batch.apply(store, "l", changes)
    assert (repo.root / "a.md").read_bytes() == b"a\n"
