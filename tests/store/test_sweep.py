"""Temps of killed processes go, under the lock of their targets (DESIGN 10, F10)."""

from pathlib import Path

from afterword.store import atomic, sweep


def temp(target: Path) -> Path:
    path = Path(atomic.temp_name(str(target)))
    path.write_bytes(b"half")
    return path


def test_only_temps_of_the_targets_named_are_removed(tmp_path: Path) -> None:
    mine, other = temp(tmp_path / "queue.md"), temp(tmp_path / "log.md")
    kept = [tmp_path / name for name in ("queue.md", ".queue.md.tmp", "queue.md.1.tmp")]
    for path in kept:
        path.write_bytes(b"text")
    assert sweep.sweep(str(tmp_path), lambda name: name == "queue.md") == 1
    assert not mine.exists()
    assert other.exists()
    assert all(path.exists() for path in kept)


def test_a_name_with_dots_is_read_back_whole(tmp_path: Path) -> None:
    name = atomic.temp_name(str(tmp_path / "a.b.1.md"))
    assert sweep.target_of(Path(name).name) == "a.b.1.md"


def test_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert sweep.sweep(str(tmp_path / "none"), lambda _: True) == 0
