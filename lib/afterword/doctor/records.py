"""The records: what `knowledge check` finds, the review queue, what git does not carry.

The queue is measured, never emptied by a machine (spec/episodes 9): too many, too old
and untracked candidates are warnings.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from afterword.doctor.scene import Scene, age, some
from afterword.errors import AfterwordError
from afterword.evolution import guarded, inspection_text
from afterword.finding import ERROR, INFO, WARNING, Finding
from afterword.knowledge import check as knowledge_check
from afterword.knowledge import shelf
from afterword.knowledge.shelf import CANDIDATES, CURATED, Shelved
from afterword.store import atomic, clock
from afterword.store.git import program, queries

CAP, MAX_AGE = "knowledge.candidates_max_files", "knowledge.candidate_max_age"
REVIEW = "afterword knowledge candidates; then promote or reject"
SECONDS = 20.0


def check(scene: Scene) -> Iterator[Finding]:
    """All findings of `knowledge check`, and records that were written here and are not here."""
    report = knowledge_check.run(scene.store, scene.records)
    yield from report.findings
    missing = [
        path
        for path in sorted(scene.survey.derived_at)
        if not _is_somewhere(scene, path)
    ]
    if missing:
        names = [os.path.basename(path).removesuffix(".md") for path in missing]
        yield Finding(
            severity=INFO,
            code="candidates-elsewhere",
            message=f"{len(names)} candidate(s) that were written here are not in this tree"
            f" (deleted, stashed, cleaned away, or on another branch): {some(names)}",
            fix=f"afterword knowledge derive --restore --episode {names[0].rpartition('-')[0]}",
        )


def _is_somewhere(scene: Scene, path: str) -> bool:
    stem = os.path.basename(path).removesuffix(".md")
    return os.path.exists(os.path.join(scene.store.root, path)) or shelf.has(
        scene.store, CURATED, stem
    )


def check_queue(scene: Scene) -> Iterator[Finding]:
    """Too many candidates, too old ones, and records that git does not track."""
    waiting = tuple(
        one
        for one in scene.records
        if one.shelf == CANDIDATES and one.text("status") == "candidate"
    )
    cap = scene.config[CAP]
    if len(waiting) > cap:
        names = some([one.stem for one in waiting])
        yield Finding(
            severity=WARNING,
            code="queue-long",
            message=f"{len(waiting)} candidates await review, more than {CAP} ({cap}): {names}",
            fix=REVIEW,
        )
    yield from _old(scene, waiting)
    yield from _untracked(scene, list(waiting))


def _old(scene: Scene, waiting: tuple[Shelved, ...]) -> Iterator[Finding]:
    limit = scene.config.seconds(MAX_AGE)
    added = _added(scene, waiting) if waiting else {}
    for one in waiting:
        source, at = _age_source(scene, one, added)
        if at is None:
            yield Finding(
                severity=WARNING,
                code="undatable",
                path=one.path,
                message="has no date by which its age could be told",
                fix=REVIEW,
            )
        elif scene.now - at > limit:
            yield Finding(
                severity=WARNING,
                code="candidate-old",
                path=one.path,
                message=f"awaits review for {age(scene.now - at)}, more than {scene.config[MAX_AGE]} (age by {source})",
                fix=REVIEW,
            )


def _age_source(
    scene: Scene, one: Shelved, added: dict[str, int]
) -> tuple[str, float | None]:
    """What tells a candidate's age, and since when: its first derivation, its commit, its date."""
    derived = scene.survey.derived_at.get(one.path, "")
    for source, text in (
        ("its first knowledge.derived line", derived),
        ("", ""),
        ("its date", f"{one.text('date')}T00:00:00Z"),
    ):
        if not source and one.path in added:
            return "the commit that added it", float(added[one.path])
        try:
            if source and text:
                return source, clock.seconds(text)
        except ValueError:
            continue
    return "", None


def _added(scene: Scene, waiting: tuple[Shelved, ...]) -> dict[str, int]:
    """When git first got each candidate, in seconds; one question for all of them."""
    wanted = {one.path for one in waiting} - scene.survey.derived_at.keys()
    if not wanted:
        return {}
    folder = scene.store.paths[CANDIDATES]
    out = program.run(
        *(scene.store.place, "log", "--format=//%ct", "--name-only", "-z"),
        *("--no-renames", "--diff-filter=A", "HEAD", "--", folder),
        deadline=time.monotonic() + SECONDS,
        ok=(0, 128),  # 128: there is no commit yet
    )
    found: dict[str, int] = {}
    at = 0
    for raw in out.split(b"\0"):
        word = raw.strip(b"\n").decode("utf-8", "surrogateescape")
        if word.startswith("//"):
            at = int(word[2:])
        elif word in wanted:
            found[word] = at  # newest first, so the oldest stays
    return found


def _untracked(scene: Scene, waiting: list[Shelved]) -> Iterator[Finding]:
    """Records that only this disk has: `git clean` or a lost machine takes them away."""
    curated = [one for one in scene.records if one.shelf == CURATED]
    paths = [one.path for one in (*waiting, *curated)]
    tracked = queries.tracked(scene.store.place, paths) if paths else frozenset()
    for name, code, files in (
        ("candidates", "candidates-untracked", waiting),
        ("curated records", "curated-untracked", curated),
    ):
        missing = [one.path for one in files if one.path not in tracked]
        if missing:
            folder = os.path.dirname(missing[0])
            yield Finding(
                severity=WARNING,
                code=code,
                path=missing[0],
                message=f"git does not track {len(missing)} of the {name}: {some(missing)}",
                fix=f"git add {folder} && git commit",
            )


SNAPSHOT_FILES = ("snapshot", "snapshot_history")


def check_markers(scene: Scene) -> Iterator[Finding]:
    """Merge markers in every governed file but those that their own checks read."""
    store = scene.store
    own = {store.tracked(key) for key in (CANDIDATES, CURATED)}
    others = {os.path.join(store.root, store.paths[key]) for key in guarded.FILES}
    tops = [os.path.join(store.ai, "repo")]
    tops += [store.tracked(key) for key in ("sessions", "increments", "modules")]
    paths = [
        os.path.join(store.ai, "config.yaml"),
        os.path.join(store.ai, ".gitignore"),
        *(os.path.join(store.root, store.paths[key]) for key in SNAPSHOT_FILES),
    ]
    for top in tops:
        for parent, folders, names in os.walk(top):
            folders.sort()
            if parent not in own:
                paths += [os.path.join(parent, name) for name in sorted(names)]
    for path in dict.fromkeys(paths):
        if path not in others:
            yield from _marked(scene, path)


def _marked(scene: Scene, path: str) -> Iterator[Finding]:
    shown = scene.shown(path)
    try:
        data = atomic.read(path) or b""
    except (OSError, AfterwordError) as error:
        yield Finding(
            severity=ERROR,
            code="unreadable",
            path=shown,
            message=f"cannot be read: {getattr(error, 'strerror', None) or error}",
            fix=f"mend its rights, or take git's: git checkout -- {shown}",
        )
        return
    yield from inspection_text.markers(shown, data)
