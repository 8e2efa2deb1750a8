"""What the target files and their histories say before a compile adds anything.

Merge markers are refused here, or read past where a person asked to rebuild. Pure;
imports the room's readers only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from afterword.errors import StoreDamaged
from afterword.model import Model
from afterword.snapshot import document
from afterword.snapshot.document import Document
from afterword.snapshot.fact import Fact
from afterword.snapshot.places import Places
from afterword.snapshot.sources import Inputs, TargetFiles
from afterword.store import merge_markers

TYPE_CHECKING = False
if TYPE_CHECKING:
    Named = tuple[str, bytes | None]

REBUILD = "resolve the conflict; or fold the entries of both sides anew: afterword compile --rebuild"


class Known(Model):
    """The facts of all files, and by target what its file holds.

    `files` are the bytes that the plan builds on: those read, or without the markers of
    a merge. `stems` are listed in headers; `problems` are `path:line: text`.
    """

    facts: tuple[Fact, ...]
    documents: Mapping[str, Document]
    files: Mapping[str, TargetFiles]
    index: bytes | None
    stems: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(fact.id for fact in self.facts)


def read(inputs: Inputs) -> Known:
    """Read every target file and history; `StoreDamaged` with `path:line` for merge markers."""
    files = {name: _whole(inputs, name) for name in inputs.targets}
    documents = {
        name: document.read(found.data, module=name, language=inputs.language)
        for name, found in files.items()
        if found.data is not None
    }
    return Known(
        facts=tuple(_facts(documents, files)),
        documents=documents,
        files=files,
        index=_passed(inputs, inputs.places.index, inputs.index),
        stems=tuple(stem for one in documents.values() for stem in one.stems),
        problems=tuple(_problems(inputs.places, documents)),
    )


def _facts(
    documents: Mapping[str, Document], files: Mapping[str, TargetFiles]
) -> Iterator[Fact]:
    """The facts of the target files, then those of their histories."""
    for name, found in files.items():
        there = documents[name].facts if name in documents else ()
        for fact in (*there, *document.facts(found.history or b"")):
            yield _housed(fact, name, files)


def _housed(fact: Fact, name: str, files: Mapping[str, TargetFiles]) -> Fact:
    """A fact of a module that was given another name belongs to that name's folder."""
    if (
        not fact.sources
        or not fact.folders
        or any(one in files for one in fact.folders)
    ):
        return fact
    return fact.replaced(folders=(name,) if name else ())


def _whole(inputs: Inputs, name: str) -> TargetFiles:
    """A target's files, each without markers of a merge."""
    found = inputs.targets[name].values()
    return TargetFiles(
        **{
            field: _passed(inputs, path, found[field])
            for field, path in inputs.places.files(name).items()
        }
    )


def _passed(inputs: Inputs, path: str, data: bytes | None) -> bytes | None:
    line = merge_markers.first_line(data) if data else 0
    if not data or not line:
        return data
    if inputs.rebuild:
        return document.without_markers(data)
    raise StoreDamaged(
        f"{path}:{line}: a merge left its conflict markers here", hint=REBUILD
    )


def _problems(where: Places, documents: Mapping[str, Document]) -> Iterator[str]:
    for name, one in documents.items():
        for line, text in one.problems:
            yield f"{where.target(name)}:{line}: {text}"
