"""A command's text on stdin: read whole, and never waited for without end."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator

import pytest

from afterword.store import stdin

LIMIT = 100_000


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    for descriptor in (reader, writer):
        try:
            os.close(descriptor)
        except OSError:
            continue


def test_a_text_is_read_to_its_end(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    os.write(writer, b"one\ntwo")
    os.close(writer)
    assert stdin.read_text(reader, LIMIT) == b"one\ntwo"


def test_a_text_in_pieces_is_read_to_its_end(pipe: tuple[int, int]) -> None:
    reader, writer = pipe

    def write() -> None:
        for piece in (b"one ", b"two ", b"three"):
            os.write(writer, piece)
            time.sleep(0.05)
        os.close(writer)

    thread = threading.Thread(target=write)
    thread.start()
    assert stdin.read_text(reader, LIMIT, first=5, more=5) == b"one two three"
    thread.join()


def test_a_file_is_read_whole_and_a_long_one_to_the_limit(tmp_path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"x" * 3 * LIMIT)
    descriptor = os.open(path, os.O_RDONLY)
    assert len(stdin.read_text(descriptor, 4 * LIMIT) or b"") == 3 * LIMIT
    os.lseek(descriptor, 0, os.SEEK_SET)
    assert LIMIT < len(stdin.read_text(descriptor, LIMIT) or b"") < 3 * LIMIT
    os.close(descriptor)


def test_an_open_and_silent_stdin_is_told_apart_from_an_empty_one(
    pipe: tuple[int, int],
) -> None:
    reader, writer = pipe
    assert stdin.read_text(reader, LIMIT, first=0.05) is None
    os.close(writer)
    assert stdin.read_text(reader, LIMIT) == b""


def test_a_text_that_never_ends_is_no_text(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    os.write(writer, b"half")
    with pytest.raises(TimeoutError):
        stdin.read_text(reader, LIMIT, more=0.05)


def test_a_closed_stdin_is_empty(pipe: tuple[int, int]) -> None:
    reader, _ = pipe
    os.close(reader)
    assert stdin.read_text(reader, LIMIT) == b""
