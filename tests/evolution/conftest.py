"""A memory with evolution files, and acts on it that die or halt at any step."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from memory import Memory
from stepping import Stepper

from project import Repo


@pytest.fixture
def memory(repo: Repo) -> Memory:
    return Memory(repo)


@pytest.fixture
def stepper() -> Iterator[Stepper]:
    made = Stepper()
    yield made
    made.close()
