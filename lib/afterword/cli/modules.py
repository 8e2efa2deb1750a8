"""`afterword modules`: the parts of the project that have knowledge of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from afterword.cli.frame import Frame, group, pass_frame
from afterword.snapshot import places, registered
from afterword.snapshot.registry import Module, Registry
from afterword.store.safe_text import shown

SHOWN = 200


@group("modules")
def modules() -> None:
    """List the modules of this project; find those that the code has."""


@modules.command("list")
@pass_frame
def list_(frame: Frame) -> None:
    """The registered modules with their code paths, in the order of _index.md."""
    found = registered.read(frame.store)
    if frame.json:
        for one in found.modules:
            frame.emit(_object(one))
    elif found.modules:
        frame.columns([_row(one) for one in found.modules])
    if not frame.json:
        frame.out(f"modules list: {_counts(found)}")
    for line in _problems(frame, found):
        frame.say(line)
    if not found.modules:
        frame.say("no module yet; find them in the code: afterword modules discover")


def _object(one: Module) -> dict[str, Any]:
    return {
        "name": one.name,
        "path": ", ".join(one.paths),
        "status": one.status,
        "purpose": one.purpose,
    }


def _row(one: Module) -> tuple[str, ...]:
    return (
        shown(one.name, SHOWN),
        shown(one.status, 20),
        shown(", ".join(one.paths) or "-", SHOWN),
        shown(one.purpose or "-", SHOWN),
    )


def _counts(found: Registry) -> str:
    counts = Counter(one.status for one in found.modules)
    return ", ".join(f"{n} {shown(state, 20)}" for state, n in counts.items()) or "none"


def _problems(frame: Frame, found: Registry) -> Iterator[str]:
    index = places.of(frame.store.paths).index
    for line, text in found.problems:
        yield f"{index}:{line}: {text}"
