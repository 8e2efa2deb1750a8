"""The private environment: made by a real venv and pip, without a network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from afterword.install import environment
from afterword.install.environment import BadEnvironment, Environment

from .scene import INSTALLER

# A build backend of twenty lines, so that pip has something to install from a folder
# without asking an index for the means to build it.
BACKEND = """\
import os
import zipfile

META = "Metadata-Version: 2.1\\nName: afterword\\nVersion: 1\\nProvides-Extra: test\\n"
WHEEL = "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
POINTS = "[console_scripts]\\nafterword = afterword.main:main\\n"


def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "afterword-1-py3-none-any.whl"
    info = "afterword-1.dist-info"
    files = {
        f"{info}/METADATA": META,
        f"{info}/WHEEL": WHEEL,
        f"{info}/entry_points.txt": POINTS,
        "afterword.pth": os.path.abspath("lib") + "\\n",
    }
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
        record = "".join(f"{path},,\\n" for path in files)
        wheel.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\\n")
    return name
"""
PROJECT = (
    '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small checkout of a tool named afterword, in a folder with a blank in its name."""
    tool = tmp_path / "a tool"
    (tool / "lib/afterword").mkdir(parents=True)
    (tool / "lib/afterword/__init__.py").write_text("")
    (tool / "lib/afterword/main.py").write_text("def main():\n    print('it runs')\n")
    (tool / "pyproject.toml").write_text(PROJECT)
    (tool / "backend.py").write_text(BACKEND)
    return tool


def make(env: Environment, **how: bool) -> tuple[bool, list[str]]:
    said: list[str] = []
    return environment.ensure(env, said.append, **how), said


def test_an_environment_is_made_once_and_mended_when_needed(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "target"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "path"))
    env = environment.at(str(checkout))
    assert env.path == str(checkout / ".venv")
    changed, said = make(env)
    assert changed
    assert said == [
        f"making a Python environment in {env.path}",
        f"installing afterword and what it needs into {env.path}",
    ]
    assert runs(env)
    assert Path(env.program("afterword-home")).read_text() == f"{checkout}\n"
    assert list((checkout / "lib/afterword/__pycache__").glob("main.*.pyc"))
    assert not (tmp_path / "target").exists()

    began = time.monotonic()
    assert make(env) == (False, [])
    assert time.monotonic() - began < 10

    assert make(env, test=True)[0]
    receipt = json.loads((checkout / ".venv/afterword-env.json").read_text())
    assert receipt["extras"] == ["test"]
    assert make(env) == (False, [])  # what is there for tests stays

    (checkout / "pyproject.toml").write_text(PROJECT + "# newer\n")
    assert make(env)[0]

    Path(env.python).unlink()
    Path(env.python).symlink_to("/nonexistent/python3.99")
    changed, said = make(env)
    assert changed and said[0].startswith("making a Python environment")
    assert runs(env)


def runs(env: Environment) -> bool:
    done = subprocess.run([env.command], capture_output=True, text=True, check=True)
    return done.stdout == "it runs\n"


def test_an_interrupted_set_up_is_completed(checkout: Path, tmp_path: Path) -> None:
    """Killed after the venv was made and before the packages were there."""
    env = environment.at(str(checkout), str(tmp_path / "some where" / "env"))
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", env.path], check=True
    )
    with pytest.raises(BadEnvironment) as caught:
        make(env)
    assert "No module named pip" in caught.value.message
    subprocess.run([env.python, "-m", "ensurepip"], check=True, capture_output=True)
    assert make(env)[0]
    assert runs(env)


def test_without_a_network_it_is_said_what_to_do(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_RETRIES", "0")
    project = PROJECT.replace("[]", '["nothing-like-this>=1"]')
    (checkout / "pyproject.toml").write_text(project)
    with pytest.raises(BadEnvironment) as caught:
        make(environment.at(str(checkout)))
    lines = caught.value.message.splitlines()
    assert lines[0] == "the packages that afterword needs could not be installed:"
    assert "nothing-like-this" in caught.value.message
    assert caught.value.hint == (
        "check the network (or PIP_INDEX_URL, PIP_FIND_LINKS) and run the same command again;"
        " no project was changed"
    )


def test_a_folder_of_somebody_else_is_not_touched(
    checkout: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/precious").write_text("x")
    with pytest.raises(BadEnvironment) as caught:
        make(environment.at(str(checkout), str(tmp_path / "mine")))
    assert str(caught.value) == (
        f"{tmp_path}/mine: holds other things than a Python environment; not touched\n"
        "name an empty or a new folder; type: --env DIR"
    )
    assert os.listdir(tmp_path / "mine") == ["precious"]


def test_a_file_in_its_place_is_named(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(
        BadEnvironment, match="a file stands where the environment should be"
    ):
        make(environment.at(str(checkout), str(tmp_path / "file")))
    with pytest.raises(BadEnvironment) as caught:
        make(environment.at(str(checkout), str(tmp_path / "file" / "env")))
    assert str(caught.value) == (
        f"{tmp_path}/file/env: cannot be made (Not a directory)\n"
        "keep the environment elsewhere; type: --env DIR"
    )


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_python_without_venv_is_told_what_to_install(
    checkout: Path, tmp_path: Path, module: str
) -> None:
    """As Debian ships it: the module is missing."""
    code = (
        f"import sys; sys.modules[{module!r}] = None; sys.path.insert(0, {str(INSTALLER.parent / 'lib')!r});"
        " from afterword.install import main;"
        f" sys.exit(main.main(['--env-only', '--env', {str(tmp_path / 'env')!r}], {str(checkout)!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == (
        f"install.py: error: this Python ({sys.executable}) lacks its module {module}\n"
        "install.py: on Debian and Ubuntu type: sudo apt install python3-venv; or run install.py with another"
        " Python\n"
    )


def test_an_environment_elsewhere_may_begin_with_a_tilde(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    assert environment.at("/tool", "~/env").path == "/home/somebody/env"
    assert environment.at("/tool").command == "/tool/.venv/bin/afterword"
