"""The learning queue, the reflections, the knowledge base: what is wrong with them.

The files themselves are looked at by `evolution.inspection`; here, what an adopted
system left beside them and what it says about sessions. Named, never removed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from afterword.doctor.scene import Scene
from afterword.episode import opened
from afterword.evolution import guarded, inspection, inspection_text
from afterword.finding import INFO, WARNING, Finding
from afterword.lifecycle import evolved

# Locks of the adopted system are files or folders that nobody removes after a kill
# (spec/evolution.md F1-F4); its temps end in a uuid (F10).
_LOCKS = (".archive.lock", ".evolve.lock")
_TEMP = re.compile(r".+\.tmp\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def check(scene: Scene) -> Iterator[Finding]:
    """All about the five files, the entries and what lies beside them."""
    yield from inspection.inspect(scene.store, scene.config["archive.warn_lines"])
    yield from inspection_text.bounded(_litter(scene))
    yield from _flag(scene)


def _litter(scene: Scene) -> Iterator[Finding]:
    """Locks and temps of the adopted system: of no effect here, so nobody clears them."""
    for folder in _folders(scene):
        for name in _names(folder):
            if name in _LOCKS:
                yield _foreign(scene, folder, name, "foreign-lock", "is a lock")
            elif _TEMP.fullmatch(name):
                yield _foreign(scene, folder, name, "foreign-temp", "is a temp file")


def _foreign(scene: Scene, folder: str, name: str, code: str, what: str) -> Finding:
    path = scene.shown(os.path.join(folder, name))
    return Finding(
        severity=WARNING,
        code=code,
        path=scene.shown(folder),
        message=f"{name} {what} of another system, of which afterword takes no notice",
        fix=f"if that system no longer runs: rm -r '{path}'",
    )


def _folders(scene: Scene) -> list[str]:
    """Where the evolution files lie, each once; what leads out is told by the inspection."""
    found = []
    for key in (*guarded.FILES, inspection.ENTRIES, "active_context"):
        if scene.store.paths.get(key):
            try:
                found.append(scene.store.folder(key))
            except OSError:
                continue
    return list(dict.fromkeys(found))


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _flag(scene: Scene) -> Iterator[Finding]:
    """A flag that an end does not heed: it is of no session that is open here (C16)."""
    session = evolved.flagged_session(scene.store)
    if session is None:
        return
    episodes = opened.every(scene.store) if scene.is_ours else ()
    if session and opened.episode_id(session) in {one.episode for one in episodes}:
        return
    whose = f"session {session}, which is not open here" if session else "no session id"
    yield Finding(
        severity=INFO,
        code="flag-ignored",
        path=scene.store.paths["active_context"],
        message=f"auto_evolve_done: true stands beside {whose}: it is ignored",
    )
