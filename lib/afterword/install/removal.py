"""Takes out of a project exactly what install put in; the memory itself stays.

Goes by the receipt where there is one and by what it finds where there is none
(another clone installed): a file unchanged since gets its bytes from before, a
changed one loses our part only.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from afterword import host as hosts
from afterword.errors import AfterwordError
from afterword.host.protocol import Host
from afterword.install import (
    agents,
    applying,
    planning,
    project,
    receipt,
    repository,
    tree,
)
from afterword.install.adopt import attributes, detection
from afterword.install.agents import Place
from afterword.install.parts import Part, Settings
from afterword.install.planning import Plan
from afterword.install.receipt import Receipt
from afterword.install.repository import Repository
from afterword.store.layout import STAMP_NAME
from afterword.store.stamp import STAMP

# What lies in `.ai/local` without anything having been recorded.
_REBUILT = ("cache", "locks")
# In the git directory: whose the local half is, and which index was looked through for it.
_CLAIMS = (STAMP_NAME, "afterword-index")


@dataclass
class Removal:
    """What an uninstall is going to do; `whole` when no host stays wired."""

    repository: Repository
    mine: Receipt
    home: Receipt
    plan: Plan = field(default_factory=Plan)
    parts: list[Part] = field(default_factory=list)
    config: dict[str, str | None] = field(default_factory=dict)
    refused: list[AfterwordError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    whole: bool = True
    home_too: bool = False


def prepare(where: str, tool: str, names: str | None, scope: str) -> Removal:
    """The plan of an uninstall; `tool` is the checkout whose skills were copied."""
    found = repository.find(where)
    home = os.path.expanduser("~")
    removal = Removal(
        found,
        receipt.load(receipt.of_worktree(found.git_dir)),
        receipt.load(receipt.of_home(home)),
        notes=list(found.notes),
    )
    place = Place(found.root, "project")
    chosen = list(hosts.every()) if names is None else agents.chosen(names, place)
    staying = [
        host for host in hosts.every() if host not in chosen and _wired(host, place)
    ]
    removal.whole = not staying
    for host in chosen:
        _plan(removal, _host_parts(host, place, tool), removal.mine)
    if removal.whole:
        _plan(removal, _tree_parts(found.root, removal.mine), removal.mine)
        _plan_shared(removal)
    _plan_home(removal, chosen, tool, home, scope)
    return removal


def _wired(host: Host, place: Place) -> bool:
    """Whether any of the host's shims stands in the project."""
    parts = agents.parts(host, place, "")
    return any(os.path.lexists(part.path) for part in parts if part.executable)


def _host_parts(host: Host, place: Place, tool: str) -> list[Part]:
    """The host's files of every project scope; settings go first, so that nothing calls a lost shim."""
    local = Place(place.base, "local")
    settings: list[Part] = [agents.settings_part(host, place)]
    if host.local_settings != host.settings:
        settings.append(agents.settings_part(host, local))
    others = [
        part
        for part in agents.parts(host, place, tool)
        if not isinstance(part, Settings)
    ]
    known = {part.shown for part in others}
    copied = [
        part for part in agents.copied_skills(host, place) if part.shown not in known
    ]
    return [*settings, *others, *copied]


def _tree_parts(root: str, mine: Receipt) -> list[Part]:
    """The parts that go: all that install writes into `.ai/` and adopted folders.

    Whatever was recorded beside it stays; for this machine alone, also ignored by git.
    """
    return [
        *(
            part
            for part in tree.parts(root, everywhere=True)
            if part.shown != ".ai/.gitignore" or not _recorded(root, mine)
        ),
        *attributes.any_form(root, detection.GOVERNED),
    ]


def _others(folder: str, known: set[str]) -> bool:
    return os.path.isdir(folder) and bool(set(os.listdir(folder)) - known)


def _recorded(root: str, mine: Receipt) -> bool:
    """Whether the local half holds anything of ours that cannot be made again."""
    known = {STAMP, *_REBUILT, *mine.found}
    return _others(os.path.join(root, ".ai", "local"), known)


def _plan(removal: Removal, parts: list[Part], notes: Receipt) -> None:
    for part in parts:
        try:
            plan = planning.removing(part, notes.files.get(part.shown))
        except AfterwordError as error:
            removal.refused.append(error)
            continue
        removal.parts.append(part)
        removal.plan += Plan(plan.changes)
        removal.notes += plan.notes


def _plan_shared(removal: Removal) -> None:
    """What all worktrees share goes with the last one that has an install of its own."""
    found = removal.repository
    others = project.other_receipts(found)
    if others:
        removal.notes.append(
            "git's configuration stays: other worktrees of this repository are wired too"
        )
        return
    _plan(removal, [project.exclude(found)], removal.mine)
    for key in repository.keys(""):
        now = repository.configured(found, key)
        former = removal.mine.config.get(key)
        if now is not None and now != former:
            removal.config[key] = former


def _plan_home(
    removal: Removal, chosen: list[Host], tool: str, home: str, scope: str
) -> None:
    """Hooks of user scope go when asked for, or with the last project that they served."""
    notes = removal.home
    served = [
        path
        for path in notes.projects
        if path != removal.repository.root and os.path.isdir(path)
    ]
    if scope != "user" and (served or not notes.exists):
        if removal.repository.root in notes.projects:
            removal.notes.append(
                f"the hooks in your home directory stay, they serve {served[0]} as well;"
                " --scope user --uninstall takes them out"
            )
        return
    removal.home_too = True
    place = Place(home, "user")
    for host in chosen:
        parts = agents.parts(host, place, tool)
        known = {part.shown for part in parts}
        copied = [
            part
            for part in agents.copied_skills(host, place)
            if part.shown not in known
        ]
        _plan(removal, [*reversed(parts), *copied], notes)


def carry_out(removal: Removal) -> list[str]:
    """Do what was planned; returns a line for each thing done."""
    found = removal.repository
    done = []
    for change in removal.plan.changes:
        applying.apply(change)
        done.append(f"{'remove' if change.after is None else 'restore'} {change.shown}")
    applying.sweep(part.path for part in removal.parts)
    for key, value in removal.config.items():
        repository.configure(found, key, value)
        done.append(
            f"unset git config {key}" if value is None else f"restore git config {key}"
        )
    if removal.whole:
        done += _local_half(removal)
    _forget(removal)
    return done


def _local_half(removal: Removal) -> list[str]:
    """Remove what is ours in `.ai/local` if nothing was recorded; what was not ours stays.

    A folder that was moved aside comes back.
    """
    found, mine = removal.repository, removal.mine
    local = os.path.join(found.root, ".ai", "local")
    if os.path.islink(local) or _recorded(found.root, mine):
        return []
    stamped = os.path.isfile(os.path.join(local, STAMP))
    for name in {*_REBUILT, STAMP}.difference(mine.found):
        _remove_tree(os.path.join(local, name))
    applying.prune([local])
    for name in _CLAIMS:
        _remove_tree(os.path.join(found.git_dir, name))
    aside = os.path.join(found.root, ".ai", mine.aside)
    if mine.aside and os.path.isdir(aside) and not os.path.lexists(local):
        os.rename(aside, local)
        return [f"restore .ai/local from {mine.aside}"]
    if not stamped:
        return []
    if os.path.isdir(local):
        names = ", ".join(sorted(os.listdir(local)))
        return [
            f"remove afterword's own files in .ai/local; not its own, kept: {names}"
        ]
    return ["remove .ai/local, which held no record"]


def _remove_tree(path: str) -> None:
    """Remove a file or a folder of ours, without following a symlink."""
    if os.path.isdir(path) and not os.path.islink(path):
        for name in os.listdir(path):
            _remove_tree(os.path.join(path, name))
        os.rmdir(path)
    elif os.path.lexists(path):
        os.unlink(path)


def _forget(removal: Removal) -> None:
    """Drop the receipts, but for what could not be taken out; remove the folders left empty."""
    mine = removal.mine
    _prune(removal)
    gone = {part.shown for part in removal.parts}
    mine.files = {
        shown: change for shown, change in mine.files.items() if shown not in gone
    }
    if removal.whole and not removal.refused:
        _remove_tree(mine.path)
    elif mine.exists:
        receipt.save(mine)
    _forget_home(removal, gone)


def _forget_home(removal: Removal, gone: set[str]) -> None:
    home = removal.home
    if not home.exists:
        return
    home.projects = [path for path in home.projects if path != removal.repository.root]
    home.files = {
        shown: change for shown, change in home.files.items() if shown not in gone
    }
    if removal.home_too and not home.files:
        _remove_tree(home.path)
        applying.prune(home.folders)
    else:
        receipt.save(home)


def _prune(removal: Removal) -> None:
    """Remove empty folders: those that install made, and those of files that it did not note."""
    root, mine = removal.repository.root, removal.mine
    folders = {os.path.join(root, folder) for folder in mine.folders}
    for change in removal.plan.changes:
        folder = os.path.dirname(change.path)
        noted = change.shown in mine.files or change.after is not None
        while (
            not noted
            and folder.startswith(root + os.sep)
            and not _git_own(root, folder)
        ):
            folders.add(folder)
            folder = os.path.dirname(folder)
    applying.prune(folders)


def _git_own(root: str, folder: str) -> bool:
    return f"{folder}{os.sep}".startswith(os.path.join(root, ".git") + os.sep)
