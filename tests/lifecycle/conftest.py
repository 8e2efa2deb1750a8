"""The fixture of this folder: a repository with a memory, hooks run as processes."""

from pathlib import Path

import pytest

from scene import Scene, make_scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return make_scene(tmp_path)
