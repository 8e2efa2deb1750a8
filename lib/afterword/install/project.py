"""Wires a project: finds out what is to change, shows it or carries it out.

The plan is whole before the first byte is written; a host whose settings cannot be
edited drops out of it with the reason, and nothing of that host is half done.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field

from afterword.errors import AfterwordError
from afterword.host.protocol import Host
from afterword.install import (
    agents,
    applying,
    planning,
    receipt,
    repository,
    tree,
)
from afterword.install.adopt import attributes, detection, local_half, unset
from afterword.install.adopt.adoption import Adoption
from afterword.install.agents import Place
from afterword.install.parts import Lines, Part
from afterword.install.planning import Plan
from afterword.install.receipt import Receipt
from afterword.install.repository import Repository
from afterword.store import atomic, stamp
from afterword.store.git.head import locate
from afterword.store.layout import Store

# Temps of ours that a killed process left, and the half that is never shared.
_IGNORED = ("/.ai/local/", "/.ai/local-*/", "/.ai/**/.*.tmp", "/.ai/**/*.orphan")


@dataclass(frozen=True)
class Wish:
    """What was asked for. `home` is the checkout of the tool, `command` its program."""

    project: str
    home: str
    command: str
    hosts: str | None = None
    scope: str = "project"
    adopt: bool | None = None


@dataclass
class Wiring:
    """All that an install is going to do, and what is said about it.

    `refused` are the messages of hosts that were left out; `config` the git keys that
    change, with their new values; `parts` belong to the changes of the plan by name.
    """

    repository: Repository
    place: Place
    hosts: list[Host] = field(default_factory=list)
    plan: Plan = field(default_factory=Plan)
    home_plan: Plan = field(default_factory=Plan)
    parts: dict[str, Part] = field(default_factory=dict)
    config: dict[str, str] = field(default_factory=dict)
    refused: list[AfterwordError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    adoption: Adoption | None = None

    @property
    def adopted_folders(self) -> list[str]:
        """Those of another system in which something changes."""
        changed = {os.path.dirname(change.shown) for change in self.plan.changes}
        places = self.adoption.governed if self.adoption else ()
        return [place.folder for place in places if place.folder in changed]


def prepare(wish: Wish, ask: Callable[[Adoption], bool]) -> Wiring:
    """The plan of an install; raises when there is nothing that could be wired.

    `ask` decides about a tree of another system when the wish leaves it open.
    """
    found = repository.find(wish.project)
    _outside(found.root, wish)
    _plain(found.root)
    base = os.path.expanduser("~") if wish.scope == "user" else found.root
    notes = [*found.notes, *_checkout_inside(found.root, wish)]
    wiring = Wiring(found, Place(base, wish.scope), notes=notes)
    _adopt(wiring, wish, ask)
    _plan_tree(wiring)
    _plan_hosts(wiring, wish)
    if not wiring.hosts:
        raise wiring.refused[0]
    wanted = repository.keys(wish.command)
    wiring.config = {
        key: value
        for key, value in wanted.items()
        if repository.configured(found, key) != value
    }
    return wiring


def _adopt(wiring: Wiring, wish: Wish, ask: Callable[[Adoption], bool]) -> None:
    """Take in the trees of other systems, unless the wish or whoever is asked says no."""
    if wish.adopt is False:
        return
    adoption = detection.detect(wiring.repository.root)
    if adoption is None or not (wish.adopt or ask(adoption)):
        return
    wiring.adoption = adoption
    for found in adoption.trees:
        wiring.notes.append(
            f"the {found.system} tree in {found.where} is used in place"
        )
        wiring.notes += found.notes


def _outside(root: str, wish: Wish) -> None:
    """Shims never run a tool from inside the worktree, so wiring one would be in vain."""
    real = os.path.realpath(os.path.dirname(wish.command))
    if real.startswith(root.rstrip(os.sep) + os.sep):
        raise AfterwordError(
            f"{wish.command}: lies inside the project, and hooks never run a program that a"
            " repository could have brought along",
            hint=f"keep the environment elsewhere; type: install.py --env DIR {shlex.quote(root)}",
            code="tool-inside",
        )


def _plain(root: str) -> None:
    """What hooks would refuse to keep anything in is refused before it is wired."""
    ai = os.path.join(root, ".ai")
    if os.path.lexists(os.path.join(ai, ".git")):
        raise planning.Refused(
            f"{ai}: is a repository of its own, and the memory belongs to the one around it",
            hint=f"move it away, then run install.py again; or type: install.py {shlex.quote(ai)}",
        )
    if os.path.islink(ai):
        raise planning.Refused(
            f"{ai}: a symlink to {os.readlink(ai)}, and the memory is kept in a plain folder",
            hint="put a folder in its place, then run install.py again",
        )


def _checkout_inside(root: str, wish: Wish) -> list[str]:
    if not f"{wish.home}{os.sep}".startswith(root.rstrip(os.sep) + os.sep):
        return []
    return [
        f"{wish.home} lies inside the project: its hooks run whatever is checked out there"
    ]


def _plan_tree(wiring: Wiring) -> None:
    adoption = wiring.adoption
    settings = adoption.settings if adoption else {}
    root = wiring.repository.root
    _add(wiring, tree.parts(root, settings))
    if adoption is not None:
        _add(wiring, attributes.parts(root, adoption.governed))
    if settings and not any(
        change.shown == tree.CONFIG for change in wiring.plan.changes
    ):
        wiring.notes += unset.left_to_set(root, settings)


def _add(wiring: Wiring, parts: list[Part], *, home: bool = False) -> None:
    """Plan the parts, or nothing of them when one is refused."""
    new = [part for part in parts if part.shown not in wiring.parts]
    plan = planning.installing(new, modes=repository.keeps_modes(wiring.repository))
    wiring.parts.update({part.shown: part for part in new})
    wiring.notes += plan.notes
    plan = Plan(plan.changes)
    if home:
        wiring.home_plan += plan
    else:
        wiring.plan += plan


def _plan_hosts(wiring: Wiring, wish: Wish) -> None:
    adoption = wiring.adoption
    ignored = [*_IGNORED, *(adoption.ignored if adoption else ())]
    systems = adoption.systems if adoption else ()
    for host in agents.chosen(wish.hosts, wiring.place):
        try:
            place, said = agents.effective(host, wiring.place)
            parts = agents.parts(host, place, wish.home, systems)
            _add(wiring, parts, home=place.scope == "user")
        except AfterwordError as error:
            wiring.refused.append(error)
            continue
        wiring.hosts.append(host)
        wiring.notes += [said] if said else []
        ignored += agents.ignored_locally(host, place, wish.home, systems)
    _add(wiring, [exclude(wiring.repository, tuple(ignored))])


def exclude(found: Repository, lines: tuple[str, ...] = _IGNORED) -> Lines:
    """This clone's own ignore patterns, with ours."""
    shown = os.path.relpath(found.exclude, found.root)
    shown = found.exclude if shown.startswith("..") else shown
    return Lines(
        found.exclude, shown, found.common_dir, lines, follows=True, keeps=True
    )


def carry_out(wiring: Wiring) -> list[str]:
    """Do what was planned, the receipts first; returns a line for each thing done."""
    found = wiring.repository
    mine = receipt.load(receipt.of_worktree(found.git_dir))
    _note(mine, wiring, wiring.plan)
    for key in wiring.config:
        mine.config.setdefault(key, _former(found, key))
    receipt.save(mine)
    done = []
    if wiring.home_plan.changes or wiring.place.scope == "user":
        _note_home(wiring)
    for change in (*wiring.plan.changes, *wiring.home_plan.changes):
        applying.apply(change)
        done.append(f"{change.verb} {change.shown}")
    applying.sweep(part.path for part in wiring.parts.values())
    for key, value in wiring.config.items():
        repository.configure(found, key, value)
        done.append(f"set git config {key}")
    wiring.notes += _claim(wiring, mine)
    return done


def _note(notes: Receipt, wiring: Wiring, plan: Plan) -> None:
    root = wiring.repository.root
    for folder in applying.missing_folders(plan.changes):
        inside = folder.startswith(root + os.sep)
        name = os.path.relpath(folder, root) if inside else folder
        if name not in notes.folders:
            notes.folders.append(name)
    for change in plan.changes:
        receipt.remember(notes, change, wiring.parts[change.shown])


def _note_home(wiring: Wiring) -> None:
    home = receipt.load(receipt.of_home(wiring.place.base))
    home.folders += applying.missing_above(home.path)
    _note(home, wiring, wiring.home_plan)
    if wiring.repository.root not in home.projects:
        home.projects.append(wiring.repository.root)
    receipt.save(home)


def _former(found: Repository, key: str) -> str | None:
    """A key's value from before any install; other worktrees share it and may have set it."""
    for other in other_receipts(found):
        if key in other.config:
            return other.config[key]
    return repository.configured(found, key)


def other_receipts(found: Repository) -> list[Receipt]:
    """The receipts of the other worktrees of this repository that still exist."""
    folder = os.path.join(found.common_dir, "worktrees")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    linked = [os.path.join(folder, name) for name in names]
    places = [found.common_dir, *(place for place in linked if _stands(place))]
    loaded = [
        receipt.load(receipt.of_worktree(place))
        for place in places
        if os.path.realpath(place) != found.git_dir
    ]
    return [other for other in loaded if other.exists]


def _stands(git_dir: str) -> bool:
    """Whether a linked worktree was not deleted by hand."""
    named = atomic.read(os.path.join(git_dir, "gitdir")) or b""
    return os.path.exists(os.path.join(git_dir, os.fsdecode(named.rstrip(b"\n"))))


def _claim(wiring: Wiring, mine: Receipt) -> list[str]:
    """Make `.ai/local` this worktree's own; what was moved aside is noted, to come back."""
    root = wiring.repository.root
    ai = os.path.join(root, ".ai")
    takes = wiring.adoption is not None and wiring.adoption.has_local
    held = local_half.claim(root, wiring.repository.git_dir) if takes else []
    before = set(os.listdir(ai))
    place = locate(root)
    said = stamp.claim(Store(place=place)) if place is not None else ""
    aside = sorted(
        name for name in set(os.listdir(ai)) - before if name.startswith("local-")
    )
    if held or aside:
        mine.found = mine.found or held
        mine.aside = aside[0] if aside else mine.aside
        receipt.save(mine)
    return [said] if said else []
