"""Which files wire one coding agent, in a project or in the home directory.

Shims and skills come first, the settings that call them last: an install that is
killed in between leaves nothing that could fail.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from afterword import host as hosts
from afterword.errors import AfterwordError, UsageError
from afterword.host.protocol import EVENTS, Host
from afterword.install import planning, shims, tree
from afterword.install.entries import Entry
from afterword.install.parts import Part, Settings, Shim, Skill, carries_signature
from afterword.install.settings import wired_events
from afterword.store import atomic

SCOPES = ("project", "local", "user")
# The folder of `skills/` with the skills of each system that can be adopted; agents look
# for skills one level deep, so that a plugin does not show these.
ADOPTED = "adopted"


@dataclass(frozen=True)
class Place:
    """Where an agent's files lie: `base` is a worktree's top or the home directory."""

    base: str
    scope: str

    def part(self, host: Host, relative: str) -> tuple[str, str, str]:
        """Path, shown name and enclosing folder of one of the host's files."""
        if self.scope != "user":
            return os.path.join(self.base, *relative.split("/")), relative, self.base
        top, _, rest = relative.partition("/")
        moved = os.environ.get(host.home_variable, "") if host.home_variable else ""
        if os.path.isabs(moved) and top == host.hooks_folder.partition("/")[0]:
            return (
                os.path.join(moved, *rest.split("/")),
                os.path.join(moved, rest),
                moved,
            )
        return os.path.join(self.base, *relative.split("/")), f"~/{relative}", self.base


def chosen(names: str | None, place: Place) -> list[Host]:
    """The hosts of `--host`; by default those whose settings folder exists, else Claude Code."""
    if names == "all":
        return list(hosts.every())
    if names is None:
        found = [host for host in hosts.every() if _has_folder(host, place)]
        return found or [hosts.named("claude-code")]
    wanted = list(dict.fromkeys(name.strip() for name in names.split(",")))
    for name in wanted:
        if name not in hosts.NAMES:
            known = ", ".join(hosts.NAMES)
            raise UsageError(
                f"--host {name}: not an agent that can be wired; known: {known}",
                hint=f"type: --host {hosts.NAMES[0]}, several names with commas between, or --host all",
            )
    return [hosts.named(name) for name in wanted]


def _has_folder(host: Host, place: Place) -> bool:
    return os.path.isdir(os.path.dirname(place.part(host, host.settings)[0]))


def effective(host: Host, place: Place) -> tuple[Place, str]:
    """The place where this host is wired, and what to say if that is not the one asked for.

    A host without settings of this machine's own uses the project's; a project that is
    wired in one of the two is not wired in the other as well, or each hook would run twice.
    """
    if place.scope == "local" and host.local_settings == host.settings:
        text = f"{host.title} has no settings for one machine only: {host.settings} is used"
        return Place(place.base, "project"), text
    if place.scope == "user":
        return place, ""
    other = Place(place.base, "project" if place.scope == "local" else "local")
    name = settings_part(host, other).shown
    if name == settings_part(host, place).shown or not _is_wired(host, other):
        return place, ""
    return other, f"{host.title} is wired by {name} already: it stays there"


def _is_wired(host: Host, place: Place) -> bool:
    """Whether a hook of ours stands in the host's settings of that scope."""
    part = settings_part(host, place)
    try:
        found = planning.look(part)
        return found is not None and bool(wired_events(found.data, part.shown))
    except AfterwordError:
        return False  # a file that cannot be read wires nothing


def settings_part(host: Host, place: Place) -> Settings:
    """The host's settings file with its four entries."""
    relative = host.local_settings if place.scope == "local" else host.settings
    command = shims.home_command if place.scope == "user" else shims.project_command
    entries = tuple(
        Entry(name, event, command(host, event), host.timeouts[event])
        for event, name in host.wired.items()
    )
    return Settings(*place.part(host, relative), host, entries, follows=True)


def parts(
    host: Host, place: Place, tool: str, systems: Sequence[str] = ()
) -> list[Part]:
    """Everything that wires one host; `tool` is the checkout that holds `skills/`.

    `systems` are those whose trees are adopted: their users' calls go on working.
    """
    text = shims.home_hook if place.scope == "user" else shims.project_hook
    found: list[Part] = [
        Shim(
            *place.part(host, f"{host.hooks_folder}/{shims.name(event)}"),
            text(host, event),
            executable=True,
        )
        for event in EVENTS
    ]
    if place.scope != "user":
        lines = ("afterword-* text eol=lf",)
        found.insert(0, tree.attributes(place.base, host.hooks_folder, lines))
    found += skills(host, place, tool, systems)
    found.append(settings_part(host, place))
    return found


def skills(
    host: Host, place: Place, tool: str, systems: Sequence[str] = ()
) -> list[Part]:
    """The copies of the tool's skills, and of those that adopted systems had, for a host."""
    folders = [tool, "skills"], *([tool, "skills", ADOPTED, name] for name in systems)
    return [
        Skill(*place.part(host, f"{host.skills_folder}/{name}/SKILL.md"), text)
        for folder in folders
        for name, text in _kept_in(os.path.join(*folder))
    ]


def _kept_in(folder: str) -> list[tuple[str, bytes]]:
    """The name and the text of each skill in a folder."""
    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        text = atomic.read(os.path.join(folder, name, "SKILL.md"))
        found += [(name, text)] if text is not None else []
    return found


def copied_skills(host: Host, place: Place) -> list[Part]:
    """The skills in a project that carry our signature, whichever version copied them."""
    folder = place.part(host, host.skills_folder)[0]
    found: list[Part] = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        part = Skill(*place.part(host, f"{host.skills_folder}/{name}/SKILL.md"), b"")
        if carries_signature(part.path):
            found.append(part)
    return found


def ignored_locally(
    host: Host, place: Place, tool: str, systems: Sequence[str] = ()
) -> list[str]:
    """Ignore patterns for what a local-scope install puts into the working tree."""
    if place.scope != "local":
        return []
    names = [part.shown for part in skills(host, place, tool, systems)]
    own = [f"{host.hooks_folder}/afterword-*", f"{host.hooks_folder}/.gitattributes"]
    return [f"/{name}" for name in (*own, *names, host.local_settings)]
