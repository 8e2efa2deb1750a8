"""`afterword adopt`: use the tree of another memory system where it lies."""

from __future__ import annotations

import os

import click

from afterword.cli.frame import Frame, command, pass_frame
from afterword.errors import AfterwordError
from afterword.install import adopt as adopting
from afterword.install import applying, planning, tree
from afterword.install.adopt import Adoption
from afterword.store import layout, stamp
from afterword.store.layout import Store


@command("adopt")
@click.argument("directory", metavar="[DIR]", required=False)
@pass_frame
def adopt(frame: Frame, directory: str | None) -> None:
    """Use the tree of another system in place: nothing is moved, nothing overwritten.

    DIR is where it lies; without it, such a tree is looked for. Its settings are
    carried over as far as they have a name here; the others are listed.
    """
    place = layout.repository(frame.start)
    adoption = adopting.detect(place.root)
    if adoption is None or not _is_meant(place.root, adoption, directory):
        raise AfterwordError(
            f"{directory or place.root}: no tree of another system that could be adopted",
            hint="known is .ai/repo of majordomus; a new memory is made by: afterword init",
            code="nothing-to-adopt",
        )
    created = _create(place.root, adoption)
    store = Store(place=place)
    adopting.claim_local(place.root, place.git_dir)
    said = stamp.claim(store)
    left = _left(place.root, adoption, created)
    notes = [*adoption.notes, *left, *([said] if said else [])]
    _tell(frame, adoption, created, notes, left)


def _is_meant(root: str, adoption: Adoption, given: str | None) -> bool:
    if given is None:
        return True
    full = os.path.realpath(given)
    return full in (
        os.path.realpath(root),
        os.path.realpath(os.path.join(root, adoption.where)),
    )


def _create(root: str, adoption: Adoption) -> list[str]:
    """What is missing of our own tree, the settings in it; the paths created."""
    changes = planning.installing(tree.parts(root, adoption.settings)).changes
    for change in changes:
        applying.apply(change)
    return [change.shown for change in changes]


def _left(root: str, adoption: Adoption, created: list[str]) -> list[str]:
    if tree.CONFIG in created:
        return []
    return adopting.left_to_set(root, adoption.settings)


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
                "system": adoption.system,
                "where": adoption.where,
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
    frame.say(f"the {adoption.system} tree in {adoption.where} is used in place{tail}")
