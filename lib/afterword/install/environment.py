"""The tool's private environment: a venv beside install.py, or where `--env` says.

Made once and recognised afterwards by a receipt, so that a repeated call costs a few
milliseconds. Whatever can go wrong (no venv module, no network, an interpreter that
is gone) ends in one message that says what to do.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from afterword.errors import AfterwordError
from afterword.install import applying
from afterword.store import atomic

RECEIPT = "afterword-env.json"
HOME_FILE = "afterword-home"
MINIMUM = (3, 10)
_WAIT = 900.0  # seconds for another install.py to download and build everything
# What would make pip or the interpreter look somewhere else than into the environment.
_UNWANTED = (
    "PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX"
    " VIRTUAL_ENV __PYVENV_LAUNCHER__ PIP_TARGET PIP_PREFIX PIP_USER PIP_ROOT"
    " PIP_REQUIRE_VIRTUALENV PIP_PYTHON PIP_DRY_RUN"
).split()

Say = Callable[[str], None]


class BadEnvironment(AfterwordError):
    """The private environment cannot be made; the hint says what is missing."""

    code = "environment"


@dataclass(frozen=True)
class Environment:
    """An environment at `path` for the checkout of the tool at `tool`."""

    path: str
    tool: str

    @property
    def python(self) -> str:
        return os.path.join(self.path, "bin", "python")

    @property
    def command(self) -> str:
        return os.path.join(self.path, "bin", "afterword")

    def program(self, name: str) -> str:
        """A program that is installed in the environment."""
        return os.path.join(self.path, "bin", name)


def at(tool: str, path: str | None = None) -> Environment:
    """The environment of a checkout: `.venv` beside install.py unless a path is given."""
    chosen = (
        os.path.abspath(os.path.expanduser(path))
        if path
        else os.path.join(tool, ".venv")
    )
    return Environment(chosen, tool)


def ensure(env: Environment, say: Say, *, test: bool = False) -> bool:
    """Make the environment what it has to be; whether anything had to be done.

    Raises `BadEnvironment` with the reason; what was made so far is completed by
    the next call.
    """
    _usable(env)
    _make_folder(env)
    with applying.alone(env.path, _WAIT, say):
        extras = sorted({*_known(env).get("extras", []), *(["test"] if test else [])})
        fresh = _known(env) == wanted(env, extras) and os.access(env.command, os.X_OK)
        if not fresh:
            _build(env, extras, say)
            write_receipt(env, wanted(env, extras))
        _point_home(env)
        _compile(env)
    return not fresh


def _usable(env: Environment) -> None:
    """Refuse a folder that holds something else than an environment."""
    marker = os.path.join(env.path, "pyvenv.cfg")
    if os.path.lexists(env.path) and not os.path.isdir(env.path):
        raise BadEnvironment(
            f"{env.path}: a file stands where the environment should be",
            hint="move it away, or keep the environment elsewhere; type: --env DIR",
        )
    others = os.path.isdir(env.path) and os.listdir(env.path)
    if others and not os.path.exists(marker):
        raise BadEnvironment(
            f"{env.path}: holds other things than a Python environment; not touched",
            hint="name an empty or a new folder; type: --env DIR",
        )


def _make_folder(env: Environment) -> None:
    try:
        os.makedirs(env.path, exist_ok=True)
    except OSError as error:
        raise BadEnvironment(
            f"{env.path}: cannot be made ({error.strerror})",
            hint="keep the environment elsewhere; type: --env DIR",
        ) from None


def wanted(env: Environment, extras: Sequence[str]) -> dict[str, object]:
    """What the receipt of a right environment says."""
    with open(os.path.join(env.tool, "pyproject.toml"), "rb") as file:
        project = hashlib.sha256(file.read()).hexdigest()
    return {
        "tool": env.tool,
        "project": project,
        "python": _version(env.python),
        "extras": list(extras),
    }


def _known(env: Environment) -> dict[str, list[str]]:
    try:
        with open(os.path.join(env.path, RECEIPT), encoding="utf-8") as file:
            known = json.load(file)
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _version(python: str) -> str:
    """The version that an interpreter states, "" when it does not run."""
    words = [python, "-I", "-S", "-c", "import sys; print(sys.version)"]
    try:
        return subprocess.run(
            words,
            capture_output=True,
            text=True,
            check=True,
            env=_environment(),
            timeout=60,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def _environment() -> dict[str, str]:
    clean = {key: value for key, value in os.environ.items() if key not in _UNWANTED}
    return {
        **clean,
        "PIP_USER": "0",
        "PIP_NO_INPUT": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


def _build(env: Environment, extras: Sequence[str], say: Say) -> None:
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(env.path, RECEIPT))
    if not _recent(_version(env.python)):
        _make(env, say)
    what = f"{env.tool}[{','.join(extras)}]" if extras else env.tool
    say(f"installing afterword and what it needs into {env.path}")
    _run(
        [env.python, "-I", "-m", "pip", "install", "--quiet", "--editable", what],
        "the packages that afterword needs could not be installed",
        "check the network (or PIP_INDEX_URL, PIP_FIND_LINKS) and run the same command again;"
        " no project was changed",
    )


def _recent(version: str) -> bool:
    """Whether an interpreter's version is one that afterword runs on."""
    numbers = re.match(r"(\d+)\.(\d+)", version)
    return numbers is not None and tuple(map(int, numbers.groups())) >= MINIMUM


def _make(env: Environment, say: Say) -> None:
    """Create the venv, anew where its interpreter is gone or too old."""
    for module in ("venv", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            raise BadEnvironment(
                f"this Python ({sys.executable}) lacks its module {module}",
                hint="on Debian and Ubuntu type: sudo apt install python3-venv; or run install.py"
                " with another Python",
            )
    say(f"making a Python environment in {env.path}")
    clear = ["--clear"] if os.path.exists(os.path.join(env.path, "pyvenv.cfg")) else []
    _run(
        [sys.executable, "-I", "-m", "venv", *clear, env.path],
        f"no Python environment could be made in {env.path}",
        "on Debian and Ubuntu: sudo apt install python3-venv; or choose another place"
        " with --env DIR",
    )


def _run(words: list[str], problem: str, hint: str) -> None:
    """Run a step of the set-up; its last lines become part of the message when it fails."""
    try:
        done = subprocess.run(
            words,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise BadEnvironment(f"{problem}: {error}", hint=hint) from None
    if done.returncode != 0:
        said = _essence(done.stderr.strip() or done.stdout)
        raise BadEnvironment("\n  ".join([f"{problem}:", *said]), hint=hint)


def _essence(output: str) -> list[str]:
    """The lines of a failed step that name the reason, else its last ones."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error:")]
    return list(dict.fromkeys(errors))[:4] or lines[-6:]


def write_receipt(env: Environment, values: dict[str, object]) -> None:
    """Note, last of all, that the environment is what these values say."""
    text = json.dumps(values, indent=1) + "\n"
    atomic.write(os.path.join(env.path, RECEIPT), text.encode())


def _point_home(env: Environment) -> None:
    """One line beside the command that says where hooks/ and lib/ are; shims read it."""
    path = env.program(HOME_FILE)
    line = os.fsencode(env.tool) + b"\n"
    if atomic.read(path) != line:
        atomic.write(path, line)


def _compile(env: Environment) -> None:
    """Byte code for every module, so that a hook is fast where the checkout is read-only."""
    folder = os.path.join(env.tool, "lib")
    words = [env.python, "-I", "-m", "compileall", "-q", folder]
    # A checkout that cannot be written keeps what byte code it has: slower, not wrong.
    subprocess.run(words, env=_environment(), capture_output=True, check=False)
