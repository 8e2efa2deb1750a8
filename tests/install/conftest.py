"""Fixtures of the tests of install."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from afterword.install import environment as environments
from afterword.install.environment import Environment

from .scene import TOOL, Scene, environment, recorder


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


@pytest.fixture
def real(tmp_path: Path) -> Environment:
    """The interpreter and the command of the tests, as an environment that is in order."""
    env = environments.at(str(TOOL), str(tmp_path / "real"))
    bin_folder = Path(env.command).parent
    bin_folder.mkdir(parents=True)
    (Path(env.path) / "pyvenv.cfg").write_text("")
    Path(env.python).write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    Path(env.command).write_text(
        f'#!/bin/sh\nPYTHONPATH="{TOOL}/lib" exec "{sys.executable}" -m'
        ' afterword.cli.main "$@"\n'
    )
    for program in (env.python, env.command):
        Path(program).chmod(0o755)
    (bin_folder / "afterword-home").write_text(f"{TOOL}\n")
    environments.write_receipt(env, environments.wanted(env, []))
    return env
