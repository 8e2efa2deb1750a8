"""Which wired hooks may be tried: those whose every step is known before it is taken.

Settings and shims come with a clone, from whoever made it (HAZARDS H66; DESIGN 12:
nothing in the store is executed). So the command must be ours, the shim that it leads
to ours to the byte, and the tool that the shim finds must not be the worktree's.
"""

from __future__ import annotations

import os

from afterword.doctor import tool
from afterword.doctor.scene import Scene
from afterword.doctor.tool import INSTALL
from afterword.doctor.wiring import Wired
from afterword.errors import AfterwordError
from afterword.finding import ERROR, Finding
from afterword.host.protocol import Host
from afterword.install import shims
from afterword.model import Model
from afterword.store import atomic


class Doubt(Model):
    """Why a hook is not run, and what to type next: nothing that a repository brings along."""

    message: str
    fix: str


class Lead(Model):
    """The shim that a command of ours runs: its path, how messages name it, its bytes."""

    path: str
    shown: str
    text: bytes


def doubt(scene: Scene, one: Wired) -> Finding | None:
    """The finding that a hook was not run, and why; None for one that may be."""
    lead = _lead(scene, one.host, one.hook.event, one.hook.command)
    found = _of_command(one.shown) if lead is None else _of_shim(lead)
    found = found or _of_tool(scene)
    if found is None:
        return None
    return Finding(
        severity=ERROR,
        code="hook-not-run",
        path=one.shown,
        line=one.hook.line,
        message=f"the {one.hook.event} hook was not run: {found.message}",
        fix=found.fix,
    )


def _lead(scene: Scene, host: Host, event: str, command: str) -> Lead | None:
    """Where a command leads; None when it is not, character for character, one of ours."""
    folder, name = host.hooks_folder, shims.name(event)
    if command == shims.project_command(host, event):
        shown = f"{folder}/{name}"
        path = os.path.join(scene.store.root, shown)
        return Lead(path=path, shown=shown, text=shims.project_hook(host, event))
    if command == shims.home_command(host, event):
        path = os.path.join(_home(scene, host), folder.partition("/")[2], name)
        return Lead(path=path, shown=path, text=shims.home_hook(host, event))
    return None


def _home(scene: Scene, host: Host) -> str:
    """The host's folder in the home directory, as the command's own words find it."""
    usual = f"{scene.environment.get('HOME', '')}/{host.hooks_folder.partition('/')[0]}"
    moved = scene.environment.get(host.home_variable or "", "")
    return moved or usual


def _of_command(shown: str) -> Doubt:
    return Doubt(
        message="its command is not what afterword writes; read it before an agent runs it",
        fix=f"take the entry out of {shown} (see git diff -- {shown}), then: {INSTALL}",
    )


def _of_shim(lead: Lead) -> Doubt | None:
    """Whether the file is there and ours; one found from a relative path is never run."""
    if not os.path.isabs(lead.path):
        return Doubt(message=f"{lead.path} is not an absolute path", fix=INSTALL)
    try:
        data = atomic.read(lead.path)
    except (OSError, AfterwordError) as error:
        return Doubt(message=f"{lead.shown} cannot be read: {error}", fix=INSTALL)
    if data is None:
        return Doubt(message=f"{lead.shown} is missing", fix=INSTALL)
    if data != lead.text:
        folder = os.path.dirname(lead.shown)
        return Doubt(
            message=f"{lead.shown} is not what afterword wrote",
            fix=f"move it away (see git diff -- {folder}), then: {INSTALL}",
        )
    return None


def _of_tool(scene: Scene) -> Doubt | None:
    reason = tool.refused(scene, tool.find(scene))
    return Doubt(message=reason, fix=INSTALL) if reason else None


def search_path(scene: Scene) -> str:
    """PATH without what lies in the worktree or depends on where one stands.

    The command and the shim find `sh` and `git` by it.
    """
    folders = scene.environment.get("PATH", "").split(os.pathsep)
    return os.pathsep.join(
        folder
        for folder in folders
        if os.path.isabs(folder) and not tool.lies_inside(scene, folder)
    )
