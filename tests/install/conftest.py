"""Fixtures of the tests of install."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from .scene import Scene, environment, recorder


@pytest.fixture
def make_scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Scene]:
    """A scene whose repository lies in a folder of the given name."""
    home = tmp_path / "home"
    home.mkdir()
    for key in list(os.environ):
        if key.startswith(("GIT_", "CLAUDE", "CODEX", "AFTERWORD", "XDG_")):
            monkeypatch.delenv(key)
    for key, value in environment(home).items():
        monkeypatch.setenv(key, value)

    def make(name: str = "project", *, init: bool = True) -> Scene:
        root = tmp_path / name
        root.mkdir(parents=True)
        scene = Scene(root, home, tmp_path / "env", tmp_path / "tool")
        recorder(scene.env, scene.tool)
        if init:
            scene.git("init", "-q", "-b", "main")
        return scene

    return make


@pytest.fixture
def scene(make_scene: Callable[..., Scene]) -> Scene:
    """A fresh repository without a commit."""
    return make_scene()
