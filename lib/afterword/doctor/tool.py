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
    configured = _configured(scene)
    if configured and not _runs(scene, configured):
        yield _error(
            "tool-gone", f"{CONFIG} is {configured}, which is no program any more"
        )
    yield from _judge(scene, find(scene))
    yield from _command(scene)


def find(scene: Scene) -> str:
    """What a shim takes for the tool, whether or not it then runs it; "" when there is none."""
    configured = _configured(scene)
    if configured and _runs(scene, configured):
        return configured
    path = scene.environment.get("PATH", "")
    return shutil.which(shims.COMMAND, path=path) or ""


def _configured(scene: Scene) -> str:
    """The clone's own value, from the one file that `git config --local` reads."""
    config = local_config.read(scene.store.place.common_dir + "/config")
    return config.get(repository.TOOL_KEY, "")


def _runs(scene: Scene, path: str) -> bool:
    return os.access(os.path.join(scene.store.root, path), os.X_OK)


def refused(scene: Scene, tool: str) -> str:
    """Why this tool is not to be run; "" for a program of this machine's own."""
    if not tool:
        return "no shim finds afterword"
    if not os.path.isabs(tool):
        return f"{tool} is not an absolute path: no shim runs it"
    if lies_inside(scene, os.path.dirname(tool)) or lies_inside(scene, tool):
        return f"{tool} lies inside this project, so no shim runs it"
    if os.path.basename(tool) != shims.COMMAND:
        return f"{tool} is not called {shims.COMMAND}"
    return ""


def lies_inside(scene: Scene, path: str) -> bool:
    """Whether a path, links resolved, is in the worktree: a repository brought it along."""
    root = os.path.realpath(scene.store.root)
    return f"{os.path.realpath(path)}/".startswith(f"{root.rstrip('/')}/")


def _error(code: str, message: str) -> Finding:
    return Finding(severity=ERROR, code=code, message=message, fix=INSTALL)


def _judge(scene: Scene, tool: str) -> Iterator[Finding]:
    folder = os.path.dirname(tool)
    reason = refused(scene, tool)
    if not tool:
        yield _error("no-tool", "no shim finds afterword: every hook ends in silence")
    elif reason:
        yield _error(_code(scene, tool), reason)
    elif os.path.exists(os.path.join(folder, _HOME)):
        yield from _judge_home(folder)
    else:
        yield Finding(
            severity=INFO,
            code="tool",
            message=f"{tool} was installed by other means; shims call its `hook`",
        )


def _code(scene: Scene, tool: str) -> str:
    """A relative tool is none at all; one that is named otherwise is somebody else's."""
    if not os.path.isabs(tool):
        return "no-tool"
    inside = lies_inside(scene, os.path.dirname(tool)) or lies_inside(scene, tool)
    return "tool-inside" if inside else "foreign-tool"


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
            fix=f"move it away, then: {INSTALL}",
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
