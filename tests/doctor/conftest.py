"""The fixture of this folder: a repository, its hooks and the command."""

from __future__ import annotations

import pytest

from bench import Bench


@pytest.fixture
def bench(repo, run_hook, afterword) -> Bench:
    return Bench(repo, run_hook, afterword)
