"""`afterword adopt`: use the trees of other memory systems where they lie."""

from __future__ import annotations

import os

import click

from afterword.cli.frame import Frame, command, pass_frame
from afterword.errors import AfterwordError
from afterword.install import applying, planning, tree
from afterword.install.adopt import attributes, detection, local_half, unset
from afterword.install.adopt.adoption import Adoption
from afterword.store import layout, stamp
from afterword.store.layout import Store


@command("adopt")
@click.argument("directory", metavar="[DIR]", required=False)
@pass_frame
def adopt(frame: Frame, directory: str | None) -> None:
    """Use the tree of another system in place: nothing is moved, nothing overwritten.

    DIR is where it lies; without it, such trees are looked for. Their settings are
    carried over as far as they have a name here; the others are listed.
    """
    place = layout.repository(frame.start)
    adoption = _meant(place.root, directory)
    if adoption is None:
        raise AfterwordError(
            f"{directory or place.root}: no tree of another system that could be adopted",
            hint=f"known are {detection.KNOWN}; a new memory is made by: afterword init",
            code="nothing-to-adopt",
        )
    created = _create(place.root, adoption)
    if adoption.has_local:
        local_half.claim(place.root, place.git_dir)
    said = stamp.claim(Store(place=place))
    left = _left(place.root, adoption, created)
    claimed = [said] if said else []
    notes = [*adoption.notes, *left, *claimed, *_remaining(adoption, created)]
    _tell(frame, adoption, created, notes, left)


def _meant(root: str, given: str | None) -> Adoption | None:
    """The trees in the given folder or its repository's; all of them when none is given."""
    found = detection.detect(root)
    if found is None or given is None or _same(given, root):
        return found
    return found.of(
        tuple(
            tree.where
            for tree in found.trees
            if _same(given, os.path.join(root, tree.where))
        )
    )


def _same(first: str, second: str) -> bool:
    return os.path.realpath(first) == os.path.realpath(second)


def _create(root: str, adoption: Adoption) -> list[str]:
    """What is missing of our own files, the settings in them; the paths written."""
    changes = [
        *planning.installing(tree.parts(root, adoption.settings)).changes,
        *planning.installing(attributes.parts(root, adoption.governed)).changes,
    ]
    for change in changes:
        applying.apply(change)
    return [change.shown for change in changes]


def _left(root: str, adoption: Adoption, created: list[str]) -> list[str]:
    if tree.CONFIG in created:
        return []
    return unset.left_to_set(root, adoption.settings)


def _remaining(adoption: Adoption, created: list[str]) -> list[str]:
    """What only an install can do, because it knows the agents and git's configuration."""
    names = [tree.system for tree in adoption.trees if tree.governed]
    told = f"run install.py for this project: it adds the skills of {', '.join(names)}"
    return [told] if names and created else []


def _tell(
    frame: Frame,
    adoption: Adoption,
    created: list[str],
    notes: list[str],
    left: list[str],
) -> None:
    if frame.json:
        frame.emit(
            {
                "system": ", ".join(adoption.systems),
                "where": ", ".join(tree.where for tree in adoption.trees),
                "settings": adoption.settings,
                "created": created,
                "notes": notes,
            }
        )
        return
    for path in created:
        frame.out(f"created {path}")
    for note in notes:
        frame.say(note)
    tail = "" if created or left else " already, nothing to do"
    for found in adoption.trees:
        frame.say(f"the {found.system} tree in {found.where} is used in place{tail}")
