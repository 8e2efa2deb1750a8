"""The language that new text in a file takes: that of its own labels."""

from __future__ import annotations

import time

import pytest

from afterword.evolution.words import EN, ZH, language_of

CHINESE = "### LQ-001: 甲\n- 优先级: P1\n- 状态: pending\n- 内容: 乙\n\n".encode()
ENGLISH = b"### LQ-001: a\n- Priority: P1\n- Status: pending\n- Content: b\n\n"


@pytest.mark.parametrize("fallback", [EN, ZH])
def test_a_file_without_labels_has_the_language_of_the_settings(fallback: str) -> None:
    assert language_of(b"# Queue\n", fallback) == fallback
    assert language_of(CHINESE + ENGLISH, fallback) == fallback


def test_most_labels_tell() -> None:
    assert language_of(CHINESE * 2 + ENGLISH, EN) == ZH
    assert language_of(CHINESE + ENGLISH * 2, ZH) == EN


def test_the_beginning_tells_however_long_the_file_is() -> None:
    """A long file costs no more: every look at a queue asks."""
    large = CHINESE * 1000 + ENGLISH * 100_000
    began = time.process_time()
    assert language_of(large, EN) == ZH
    assert time.process_time() - began < 0.05
