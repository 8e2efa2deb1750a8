"""Each agent's settings and shims: wired for all four events, ours to the byte, with time-outs.

Looks at the project's, this machine's and the home directory's settings. What is
found wired here is what `trial` runs, where `vetting` has nothing against it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from afterword import host as hosts
from afterword.doctor import hooks as ours
from afterword.doctor.hooks import Hook
from afterword.doctor.scene import Scene
from afterword.doctor.tool import INSTALL
from afterword.errors import AfterwordError
from afterword.finding import ERROR, INFO, WARNING, Finding
from afterword.host.protocol import END, EVENTS, Host
from afterword.install import agents, planning, shims
from afterword.install.agents import Place
from afterword.model import Model
from afterword.store import atomic


class Wired(Model):
    """One hook of ours in one settings file. `shown` names the file in messages."""

    host: Host
    place: Place
    shown: str
    hook: Hook


def places(scene: Scene) -> list[Place]:
    """Where hooks can be wired: the project, this machine's settings of it, the home directory."""
    home = scene.environment.get("HOME", "")
    root = scene.store.root
    found = [Place(root, "project"), Place(root, "local")]
    return [*found, Place(home, "user")] if os.path.isabs(home) else found


def wired(scene: Scene, host: Host) -> list[Wired]:
    """The hooks of ours in all settings of a host; `SettingsError` for one that does not parse."""
    found: dict[tuple[str, int], Wired] = {}
    for place in places(scene):
        part = agents.settings_part(host, place)
        file = planning.look(part)
        if file is None or file.data is None:
            continue
        for hook in ours.of_settings(file.data, part.shown):
            # Some hosts have one file for both scopes of a project.
            found.setdefault(
                (file.path, hook.offset),
                Wired(host=host, place=place, shown=part.shown, hook=hook),
            )
    return list(found.values())


def check(scene: Scene) -> Iterator[Finding]:
    """Every host that is wired anywhere; that none is, is an error."""
    count = 0
    for host in hosts.every():
        try:
            hooks = wired(scene, host)
        except AfterwordError as error:
            count += 1
            yield _unreadable(error)
            continue
        if hooks:
            count += 1
            yield from _judge(scene, host, hooks)
    if not count:
        yield Finding(
            severity=ERROR,
            code="not-wired",
            message="no agent's settings call afterword: nothing is remembered",
            fix=INSTALL,
        )


def _unreadable(error: AfterwordError) -> Finding:
    place, _, message = error.message.partition(": ")
    path, _, line = place.rpartition(":")
    is_placed = bool(path) and line.isdigit()
    return Finding(
        severity=ERROR,
        code="settings",
        path=path if is_placed else "",
        line=int(line) if is_placed else None,
        message=message if is_placed else error.message,
        fix="mend the file: the agent reads no hook in it until then",
    )


def _judge(scene: Scene, host: Host, hooks: list[Wired]) -> Iterator[Finding]:
    missing = [
        event for event in EVENTS if event not in {one.hook.event for one in hooks}
    ]
    if missing:
        names = ", ".join(host.wired[event] for event in missing)
        yield Finding(
            severity=ERROR,
            code="event-not-wired",
            path=hooks[0].shown,
            message=f"{host.title} is not told to call afterword at {names}",
            fix=INSTALL,
        )
    for one in hooks:
        yield from _judge_hook(one)
    for place in {one.place.scope: one.place for one in hooks}.values():
        yield from _judge_shims(host, place)
    yield from _disabled(host, hooks, scene)
    if host.needs:
        yield from _trust(scene, host, hooks)


def _judge_hook(one: Wired) -> Iterator[Finding]:
    host, hook = one.host, one.hook
    if hook.event_name != host.wired[hook.event]:
        yield Finding(
            severity=ERROR,
            code="wrong-event",
            path=one.shown,
            line=hook.line,
            message=f"the {hook.event} hook stands under {hook.event_name}: it does nothing there",
            fix=INSTALL,
        )
    if hook.timeout is None:
        yield Finding(
            severity=WARNING,
            code="no-timeout",
            path=one.shown,
            line=hook.line,
            message=f"the {hook.event} hook has no time-out of its own: {host.title} may end it early",
            fix=f'add "timeout": {host.timeouts[hook.event]}',
        )
    elif hook.event == END and hook.timeout * host.timeout_unit > host.end_timeout_cap:
        yield Finding(
            severity=WARNING,
            code="timeout-clamped",
            path=one.shown,
            line=hook.line,
            message=f"{host.title} cuts a time-out above {host.end_timeout_cap:g} s at {hook.event}",
            fix=f'set "timeout": {host.timeouts[hook.event]}',
        )


def _judge_shims(host: Host, place: Place) -> Iterator[Finding]:
    text = shims.home_hook if place.scope == "user" else shims.project_hook
    for event in EVENTS:
        path, shown, _ = place.part(host, f"{host.hooks_folder}/{shims.name(event)}")
        data = atomic.read(path)
        if data is None:
            yield _shim(
                ERROR, "no-shim", shown, f"is missing: {host.title} calls it in vain"
            )
        elif data != text(host, event):
            yield _shim(
                ERROR,
                "foreign-shim",
                shown,
                "is not what afterword wrote: read it before an agent runs it",
            ).replace(fix=f"move it away, then: {INSTALL}")
        elif not os.access(path, os.X_OK):
            yield _shim(
                WARNING, "not-executable", shown, "cannot be executed by itself"
            ).replace(fix=f"chmod +x '{shown}'")


def _shim(severity: str, code: str, shown: str, message: str) -> Finding:
    return Finding(
        severity=severity, code=code, path=shown, message=message, fix=INSTALL
    )


def _disabled(host: Host, hooks: list[Wired], scene: Scene) -> Iterator[Finding]:
    """What the settings say that makes the host ignore hooks, as install would warn."""
    for scope in {one.place.scope: one.place for one in hooks}.values():
        part = agents.settings_part(host, scope)
        file = planning.look(part)
        for warning in part.put(file.data).notes if file else ():
            yield _unreadable(AfterwordError(warning)).replace(code="hooks-ignored")


def _trust(scene: Scene, host: Host, hooks: list[Wired]) -> Iterator[Finding]:
    """Codex skips hooks that nobody has trusted, without a word (HAZARDS H19)."""
    place = hooks[0].place
    config = place_in_home(scene, host, "config.toml")
    path = agents.settings_part(host, place).path
    text = (atomic.read(config, limit=1 << 22) or b"").decode("utf-8", "replace")
    trusted = f"{os.path.realpath(path)}:" in text or f"{path}:" in text
    yield Finding(
        severity=INFO if trusted else WARNING,
        code="trust",
        path=hooks[0].shown,
        message=f"{host.title} knows these hooks; any edit of them voids that trust in silence"
        if trusted
        else f"{host.title} has not been told to trust these hooks: it skips them without a word",
        fix="" if trusted else host.needs,
    )


def place_in_home(scene: Scene, host: Host, name: str) -> str:
    """A file in the host's folder of the home directory, wherever its variable has moved that."""
    moved = scene.environment.get(host.home_variable, "") if host.home_variable else ""
    top = host.settings.partition("/")[0]
    home = (
        moved
        if os.path.isabs(moved)
        else os.path.join(scene.environment.get("HOME", ""), top)
    )
    return os.path.join(home, name)
