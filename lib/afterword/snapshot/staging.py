"""What a typed compile wrote, staged for the next commit: all of it or nothing (D1).

Uses the git program; no git, a busy repository or a refusal is a note, never a failure
of the compile. The Stop hook never comes here. Standard library and `store` only.
"""

from __future__ import annotations

import os

from afterword.errors import GitError
from afterword.snapshot.places import Places
from afterword.store import safe_text
from afterword.store.git import local_config, program
from afterword.store.git.head import busy
from afterword.store.layout import Store


def stage(store: Store, places: Places) -> str:
    """Stage snapshot, increments with removals, modules, history (L079-L081, D1).

    Returns why nothing was staged, "" when it was. One call of git, which writes its
    index whole or not at all.
    """
    what = busy(store.place)
    if what:
        return f"not staged: git is in the middle of something here ({what})"
    try:
        paths = _staged(store, places)
        what = _ignored(store, paths) or _filtered(store, places)
        if what:
            return f"not staged: {what}"
        if paths:
            program.run(store.place, "add", "-A", "--", *paths)
    except program.GitMissing:
        return "not staged: no git program on PATH"
    except GitError as error:
        return f"not staged: {safe_text.one_line(error.message)}"
    return ""


def _staged(store: Store, places: Places) -> list[str]:
    """The places that are there, or that git knows: of others it would say no file fits."""
    named = (
        places.global_increments,
        places.modules,
        places.snapshot,
        places.snapshot_history,
    )
    absent = [path for path in named if not os.path.lexists(_full(store, path))]
    known = _known(store, absent) if absent else set()
    return [path for path in named if path not in absent or path in known]


def _full(store: Store, path: str) -> str:
    return os.path.join(store.root, *path.split("/"))


def _known(store: Store, paths: list[str]) -> set[str]:
    """Those of the paths that git tracks, or below which it tracks something."""
    listed = program.run(store.place, "ls-files", "-z", "--", *paths)
    tracked = listed.decode("utf-8", "surrogateescape").split("\0")
    return {
        path
        for path in paths
        if any(name == path or name.startswith(f"{path}/") for name in tracked)
    }


def _ignored(store: Store, paths: list[str]) -> str:
    """What git ignores of ours: it would stage a removal without the file's new place."""
    asked = ("-z", "--others", "--ignored", "--exclude-standard", "--", *paths)
    said = program.run(store.place, "ls-files", *asked) if paths else b""
    for path in said.decode("utf-8", "replace").split("\0"):
        name = os.path.basename(path)
        if name.endswith(".md") and not name.startswith("."):
            return f"git ignores {path}; see: git check-ignore -v {path}"
    return ""


def _filtered(store: Store, places: Places) -> str:
    """Whether staging would run a filter of the repository's own configuration.

    It names a program, and a configuration may be a stranger's; staging past it would
    put a text into the commit that somebody wanted encrypted.
    """
    found = local_config.of_place(store.place)
    own = {key.split(".")[1] for key in found if key.startswith("filter.")}
    if not own:
        return ""
    names = [
        f"{folder}/any.md" for folder in (places.increments(""), places.archive(""))
    ]
    names += [places.index, *places.files("").values(), *places.files("any").values()]
    said = program.run(store.place, "check-attr", "-z", "filter", "--", *names)
    values = said.decode("utf-8", "surrogateescape").split("\0")[2::3]
    name = next((value for value in values if value in own), "")
    if not name:
        return ""
    return f"the git filter {name!r} would run; stage it by hand: git add"
