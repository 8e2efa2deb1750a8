"""Fixtures of the tests with real agents."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .lab import Lab

pytest.register_assert_rewrite(f"{__package__}.contract")


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A HOME, a project and a scripted model in a network namespace of their own."""
    if sys.platform != "linux":
        pytest.skip("not on this system: network namespaces, which only Linux has")
    made = Lab(tmp_path)
    yield made
    made.close()
