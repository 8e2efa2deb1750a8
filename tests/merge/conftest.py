"""Fixtures of the merge tests: two and three clones of one project."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .clones import TOOL, Clone, clone, origin


@pytest.fixture
def team(tmp_path: Path) -> Callable[..., list[Clone]]:
    """`team(files, count=2, tool=...)`: clones that start from these files."""

    def make(
        files: dict[str, bytes | str], count: int = 2, tool: str | None = TOOL
    ) -> list[Clone]:
        source = origin(tmp_path / "origin", files)
        return [clone(source, tmp_path / f"clone{at}", tool) for at in range(count)]

    return make
