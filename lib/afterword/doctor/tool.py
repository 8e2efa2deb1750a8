"""Whether a shim finds this machine's tool, and whether git finds the merge driver.

Goes the shims' own way: `afterword.tool` of this clone's configuration, else PATH;
absolute, runnable, outside the worktree; `afterword-home` beside it; an interpreter.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from afterword.doctor.scene import Scene
from afterword.errors import AfterwordError
from afterword.finding import ERROR, INFO, WARNING, Finding
from afterword.host.protocol import EVENTS
from afterword.install import repository, shims
from afterword.store import atomic
from afterword.store.git import local_config

INSTALL = "python3 PATH/TO/afterword/install.py ."
CONFIG = "git config afterword.tool"
_HOME = "afterword-home"


def check(scene: Scene) -> Iterator[Finding]:
    """The tool, what stands beside it, and the project's own command."""
    configured = local_config.of_place(scene.store.place).get(repository.TOOL_KEY, "")
    tool = configured if os.access(configured or "", os.X_OK) else ""
    if configured and not tool:
        yield _error(
            "tool-gone", f"{CONFIG} is {configured}, which is no program any more"
        )
    if not tool:
        tool = shutil.which(shims.COMMAND, path=scene.environment.get("PATH", "")) or ""
    if tool:
        yield from _judge(scene, tool)
    else:
        yield _error("no-tool", "no shim finds afterword: every hook ends in silence")
    yield from _command(scene)


def _error(code: str, message: str) -> Finding:
    return Finding(severity=ERROR, code=code, message=message, fix=INSTALL)


def _judge(scene: Scene, tool: str) -> Iterator[Finding]:
    folder = os.path.dirname(tool)
    real, root = os.path.realpath(folder), os.path.realpath(scene.store.root)
    if not os.path.isabs(tool):
        yield _error("no-tool", f"{tool} is not an absolute path: no shim runs it")
    elif f"{real}/".startswith(f"{root}/"):
        yield _error(
            "tool-inside", f"{tool} lies inside this project, so no shim runs it"
        )
    elif os.path.exists(os.path.join(folder, _HOME)):
        yield from _judge_home(folder)
    else:
        yield Finding(
            severity=INFO,
            code="tool",
            message=f"{tool} was installed by other means; shims call its `hook`",
        )


def _judge_home(folder: str) -> Iterator[Finding]:
    """The checkout that `afterword-home` names, and the interpreter beside it."""
    path = os.path.join(folder, _HOME)
    home = (atomic.read(path) or b"").decode("utf-8", "replace").split("\n")[0]
    missing = [
        name
        for name in ("lib/afterword", *(f"hooks/{event}" for event in EVENTS))
        if not os.path.exists(os.path.join(home, name))
    ]
    if missing:
        yield _error(
            "tool-gone", f"{home}, named by {path}, lacks {', '.join(missing)}"
        )
    python = os.path.join(folder, "python")
    if not os.access(python, os.X_OK):
        yield _error("no-interpreter", f"{python}: the tool's interpreter is gone")
    if not missing:
        yield Finding(severity=INFO, code="tool", message=f"the tool is {home}")


def _command(scene: Scene) -> Iterator[Finding]:
    """`.ai/bin/afterword`, which skills and briefings tell an agent to call."""
    path = os.path.join(scene.store.ai, "bin", shims.COMMAND)
    shown = scene.store.relative(path)
    data = atomic.read(path)
    if data is None:
        yield Finding(
            severity=ERROR,
            code="no-command",
            path=shown,
            message="is missing: briefings and skills tell agents to call it",
            fix=INSTALL,
        )
    elif data != shims.command():
        yield Finding(
            severity=ERROR,
            code="foreign-shim",
            path=shown,
            message="is not what afterword wrote: read it before you run it",
            fix=f"look at it, then: {INSTALL}",
        )
    elif not os.access(path, os.X_OK):
        yield Finding(
            severity=WARNING,
            code="not-executable",
            path=shown,
            message="cannot be executed",
            fix=f"chmod +x {shown}",
        )


def check_merging(scene: Scene) -> Iterator[Finding]:
    """The driver in this clone's configuration, and the attribute that calls it."""
    config = local_config.of_place(scene.store.place)
    wanted = {
        key: value
        for key, value in repository.keys("").items()
        if key != repository.TOOL_KEY
    }
    wrong = [key for key, value in wanted.items() if config.get(key) != value]
    if wrong:
        yield Finding(
            severity=WARNING,
            code="no-merge-driver",
            message=f"git of this clone lacks {', '.join(wrong)}: the memory's files are merged as plain text",
            fix=INSTALL,
        )
    path = os.path.join(scene.store.ai, "repo", ".gitattributes")
    if b"merge=afterword" not in (_read(path)):
        yield Finding(
            severity=WARNING,
            code="no-attributes",
            path=scene.store.relative(path),
            message="does not give merge=afterword to the records: no merge driver is called",
            fix=INSTALL,
        )


def _read(path: str) -> bytes:
    try:
        return atomic.read(path) or b""
    except (OSError, AfterwordError):
        return b""
