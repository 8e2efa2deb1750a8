"""What awaits review: the candidates on the shelf, with the branch of their episode.

Reads the directory, not git's index, so a candidate counts as soon as it is written.
Commands only; the briefing has the cached lists of `catalogue`.
"""

from __future__ import annotations

import os
from typing import Any

from afterword.episode import events, ledgers
from afterword.knowledge import catalogue, record, session_index, shelf
from afterword.knowledge.shelf import CANDIDATES, Shelved
from afterword.model import Model
from afterword.store.layout import Store


class Waiting(Model):
    """The candidates by id, and the files on their shelf that cannot be read as records.

    `branches` maps an episode to its branch, None where it had none or is not known.
    """

    candidates: tuple[Shelved, ...]
    unreadable: tuple[Shelved, ...]
    branches: dict[str, str | None]

    def row(self, one: Shelved) -> dict[str, Any]:
        """A candidate with the JSON keys of CLI.md."""
        return {
            "id": one.stem,
            "class": one.text("class"),
            "status": one.text("status"),
            "epistemics": one.text("epistemics"),
            "date": one.text("date"),
            "episode": one.episode or None,
            "branch": self.branches.get(one.episode),
            "title": one.text("title"),
            "path": one.path,
        }


def awaiting(store: Store) -> Waiting:
    """Every candidate with status `candidate`; promoted and rejected ones await nothing."""
    found = [
        shelf.load(store, CANDIDATES, stem) for stem in shelf.stems(store, CANDIDATES)
    ]
    waiting = [one for one in found if one.text("status") == "candidate"]
    episodes = {one.episode for one in waiting if record.is_id(one.episode)}
    return Waiting(
        candidates=tuple(waiting),
        unreadable=tuple(one for one in found if one.fields is None),
        branches=branches_of(store, episodes),
    )


def branches_of(store: Store, episodes: set[str]) -> dict[str, str | None]:
    """The branch on which each episode began; None where nothing says so, never guessed.

    Session record, open file, ledger; then records, joined and adopted ledgers.
    """
    found = {name: catalogue.branch_of(store, name) for name in sorted(episodes)}
    if not all(found.values()):
        for path in session_index.paths(store):
            name = session_index.named(os.path.basename(path))
            if found.get(name) == "":
                found[name] = _recorded(path)
    unknown = {name for name, branch in found.items() if not branch}
    if unknown:
        found.update(_started(store, unknown))
    return {
        name: branch if branch and branch != catalogue.DETACHED else None
        for name, branch in found.items()
    }


def _recorded(path: str) -> str:
    fields = session_index.fields_of(session_index.head_of(path), path)
    branch = fields.get("branch")
    return branch if isinstance(branch, str) else ""


def _started(store: Store, unknown: set[str]) -> dict[str, str]:
    """The branches in the start lines of ledgers that are not files of their own any more."""
    found: dict[str, str] = {}
    for source in ledgers.sources(store):
        if source.episode and (source.size is None or source.episode not in unknown):
            continue
        for _, line in ledgers.lines(source):
            name = line.get("session")
            is_start = line["event"] == events.SessionStarted._name
            if is_start and isinstance(name, str) and name in unknown - found.keys():
                found[name] = _branch(line.get("branch"))
    return found


def _branch(value: object) -> str:
    """Ledgers of the older system write a word where HEAD was detached."""
    return (
        value if isinstance(value, str) and value != "DETACHED" else catalogue.DETACHED
    )
