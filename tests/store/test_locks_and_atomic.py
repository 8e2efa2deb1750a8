"""Locks that die with their holder, files that are old or new and nothing between."""

import multiprocessing
import os
import stat
import time
from pathlib import Path

import pytest

from afterword.errors import LockHeld, UnsafePath
from afterword.store import atomic
from afterword.store.layout import Store
from afterword.store.locks import Lock, episode_bucket
from scene import make_scene


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_scene(tmp_path).store


def test_a_lock_excludes_and_is_free_again(store: Store) -> None:
    with Lock(store, "x"):
        began = time.monotonic()
        with (
            pytest.raises(LockHeld, match="another afterword process"),
            Lock(store, "x", wait=0.05),
        ):
            raise AssertionError
        assert time.monotonic() - began < 0.3
    with Lock(store, "x", wait=0.0):
        assert os.path.exists(store.local_path("locks", "x")), "never unlinked"


@pytest.mark.parametrize("name", ["", ".x", "a/b", "../x"])
def test_h62_a_locks_name_is_no_path(store: Store, name: str) -> None:
    with pytest.raises(UnsafePath):
        Lock(store, name)


def test_h78_the_locks_of_all_episodes_are_sixty_four() -> None:
    names = {episode_bucket(f"episode {number}") for number in range(5000)}
    assert len(names) == 64


def _write_many(arguments: tuple[str, int]) -> None:
    path, own = arguments
    for turn in range(50):
        atomic.write(path, f"{own} {turn} ".encode() * 200, durable=False)


def test_h27_forty_writers_of_one_file(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    context = multiprocessing.get_context("fork")
    with context.Pool(8) as pool:
        waiting = pool.map_async(_write_many, [(str(path), own) for own in range(40)])
        while not waiting.ready():
            data = path.read_bytes() if path.exists() else b""
            assert len(set(data.decode().split(" ")[:-1])) <= 41
            assert data.count(b" ") in (0, 400)
        waiting.get()
    assert list(tmp_path.iterdir()) == [path], "no temp is left"


def test_the_mode_is_kept_and_a_link_is_not_followed(tmp_path: Path) -> None:
    path, victim = tmp_path / "x", tmp_path / "victim"
    path.write_bytes(b"old")
    path.chmod(0o640)
    atomic.write(str(path), b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    victim.write_bytes(b"precious")
    path.unlink()
    path.symlink_to(victim)
    atomic.write(str(path), b"ours")
    assert victim.read_bytes() == b"precious"
    assert not path.is_symlink()


def test_what_is_not_a_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for name in ("fifo", "."):
        with pytest.raises(UnsafePath, match="not a regular file"):
            atomic.read(str(tmp_path / name))
    assert atomic.read(str(tmp_path / "none")) is None
    assert atomic.read(str(tmp_path / "none/deeper")) is None


@pytest.mark.parametrize("name", ["x.md", "x" * 250, ".hidden", "ü" * 100])
def test_temp_names_are_told_from_others(name: str) -> None:
    temp = os.path.basename(atomic.temp_name(f"/folder/{name}"))
    assert atomic.is_temp(temp)
    assert not atomic.is_temp(name)
    assert len(temp) < 200


def test_a_failed_write_leaves_the_old_file_and_no_temp(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/inside").write_bytes(b"x")
    with pytest.raises(OSError, match="folder"):
        atomic.write(str(tmp_path / "folder"), b"new")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder"]
