"""What lies in the folders of records, at the price of a look: cached lists.

A list is keyed by its folder's status; after a change only the files that are new
or were replaced (by their inode, which a listing gives for nothing) are read. The lists serve the briefing, which reads again whatever it shows;
commands read the files themselves. Part of a hook's path: standard library only.
"""

import os
import time

from afterword.episode import events, ledger, opened, session_files
from afterword.knowledge import record
from afterword.model import TYPE_CHECKING, Model
from afterword.store import atomic, file_key, jsonline, safe_text, template
from afterword.store.layout import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

README = "README.md"
_SEPARATOR, _PATH_SEPARATOR = "\t", "\x1f"
_BLOCK = "\n\x1e\n"
_YOUNG = 2.0
_CELLS = 7
SHOWN = 5
FEW = 50  # new files that are read again rather than the whole list written twice
DETACHED = "-"


class Listed(Model):
    """One record as a list holds it. `branch` as `branch_of` gives it."""

    id: str
    status: str
    kind: str
    date: str
    branch: str = ""
    paths: "tuple[str, ...]" = ()
    title: str = ""


class Waiting(Model):
    """What awaits review: on one branch, and of episodes that this clone does not know.

    `shown` are the newest few; `unread` counts files that time did not allow to read.
    """

    count: int = 0
    shown: "tuple[Listed, ...]" = ()
    unknown: int = 0
    unknown_shown: "tuple[Listed, ...]" = ()
    unread: int = 0


def waiting(store: Store, branch: "str | None", deadline: float) -> Waiting:
    """The candidates of a branch that await review; warm, it reads one small file."""
    stamp = _stamp(store.tracked("candidates"))
    if stamp is None:
        return Waiting()
    summary = _summary(store)
    if summary.get("stamp") == stamp:
        groups, unread = summary["groups"], 0
    else:
        branches: dict[str, str] = {}

        def read(store: Store, identity: str, data: bytes) -> Listed:
            return _candidate(store, identity, data, branches)

        known, kept_stamp = _cached(store, "candidates")
        lines, unread = _lines(store, "candidates", read, deadline, (known, kept_stamp))
        is_base = bool(kept_stamp) and summary.get("stamp") == kept_stamp
        groups = _changed(summary["groups"], known, lines) if is_base else None
        groups = _grouped(lines) if groups is None else groups
        if not unread and not _is_young(store.tracked("candidates")):
            _keep_summary(store, stamp, groups)
    count, shown = groups.get(branch or DETACHED, (0, []))
    unknown, unknown_shown = groups.get("", (0, []))
    return Waiting(
        count=count,
        shown=tuple(_listed(line) for line in shown),
        unknown=unknown,
        unknown_shown=tuple(_listed(line) for line in unknown_shown),
        unread=unread,
    )


def curated(store: Store, deadline: float) -> "tuple[Listed, ...]":
    """The curated records, with the paths that each relates to."""
    if _stamp(store.tracked("curated")) is None:
        return ()
    lines, _ = _lines(store, "curated", _curated, deadline, _cached(store, "curated"))
    return tuple(_listed(line) for line in lines.values())


def _changed(
    groups: "dict[str, tuple[int, list[str]]]",
    known: "dict[str, str]",
    lines: "dict[str, str]",
) -> "dict[str, tuple[int, list[str]]] | None":
    """The groups of `known` after a few changes; None where all must be looked at again."""
    gone = [known[cell] for cell in known.keys() - lines.keys()]
    come = {cell: lines[cell] for cell in lines.keys() - known.keys()}
    shown = {line for _, top in groups.values() for line in top}
    if len(gone) + len(come) > FEW or shown.intersection(gone):
        return None
    after = {branch: (count, list(top)) for branch, (count, top) in groups.items()}
    for line in gone:
        _, status, _, _, branch, _ = line.split(_SEPARATOR, 5)
        if status == "candidate":
            after[branch] = (after[branch][0] - 1, after[branch][1])
    for branch, (count, top) in _grouped(come).items():
        before, newest = after.get(branch, (0, []))
        both = _grouped({line: line for line in (*newest, *top)})
        after[branch] = (before + count, both[branch][1])
    return after


def _grouped(lines: "dict[str, str]") -> "dict[str, tuple[int, list[str]]]":
    """By branch, how many are candidates and the lines of the newest few."""
    counts: dict[str, int] = {}
    newest: dict[str, list[tuple[str, str, str]]] = {}
    for line in lines.values():
        identity, status, _, date, branch, _ = line.split(_SEPARATOR, 5)
        if status != "candidate":
            continue
        counts[branch] = counts.get(branch, 0) + 1
        top = newest.setdefault(branch, [])
        # Sorting all of them would cost more than everything else here.
        if len(top) < SHOWN or (date, identity) > top[-1][:2]:
            top[SHOWN - 1 :] = [(date, identity, line)]
            top.sort(reverse=True)
    return {
        branch: (counts[branch], [line for _, _, line in top])
        for branch, top in newest.items()
    }


def _lines(
    store: Store,
    key: str,
    read: "Callable[[Store, str, bytes], Listed]",
    deadline: float,
    cached: "tuple[dict[str, str], str]",
) -> "tuple[dict[str, str], int]":
    """The list of a folder as lines by id, and how many files were left unread."""
    folder = store.tracked(key)
    stamp = _stamp(folder) or ""
    known, kept_stamp = cached
    if kept_stamp == stamp:
        return known, 0
    with os.scandir(folder) as items:
        cells = [
            f"{name[:-3]}/{item.inode()}"
            for item in items
            if (name := item.name).endswith(".md") and name != README
        ]
    found = {cell: known[cell] for cell in cells if cell in known}
    unread = 0
    fresh = set(cells) - found.keys() if len(found) < len(cells) else ()
    for cell in sorted(fresh):
        identity = cell.partition("/")[0]
        if not record.is_id(identity):
            continue
        if time.monotonic() > deadline:
            unread += 1
        else:
            path = os.path.join(folder, identity + ".md")
            found[cell] = _line(cell, _read_one(store, path, identity, read))
    settled = not unread and not _is_young(folder)
    if settled or len(fresh) > FEW:
        _keep(store, key, stamp if settled else "", found)
    return found, unread


def _read_one(
    store: Store,
    path: str,
    identity: str,
    read: "Callable[[Store, str, bytes], Listed]",
) -> Listed:
    try:
        data = atomic.read(path, limit=1 << 20) or b""
    except OSError:
        data = b""
    return read(store, identity, data)


def _candidate(
    store: Store, identity: str, data: bytes, branches: "dict[str, str]"
) -> Listed:
    """`branches` remembers those of the episodes met so far: one may have thousands."""
    fields = template.any_fields(data) or {}
    episode = episode_of(fields)
    if episode not in branches:
        branches[episode] = branch_of(store, episode)
    return Listed(
        id=identity,
        status=_word(fields, "status"),
        kind=_word(fields, "class"),
        date=_word(fields, "date"),
        branch=branches[episode],
    )


def _curated(store: Store, identity: str, data: bytes) -> Listed:
    fields = template.any_fields(data) or {}
    fits = record.fits(fields, data)
    return Listed(
        id=identity,
        status=_word(fields, "status") if fits else "unfit",
        kind=_word(fields, "class"),
        date=_word(fields, "date"),
        paths=related_files(fields),
        title=_word(fields, "title"),
    )


def _word(fields: "dict[str, template.Value]", key: str) -> str:
    value = fields.get(key)
    return (
        safe_text.one_line(value).replace(_PATH_SEPARATOR, " ")
        if isinstance(value, str)
        else ""
    )


def episode_of(fields: "dict[str, template.Value]") -> str:
    """The episode that a record was derived from: the first `session:` reference."""
    provenance = fields.get("provenance")
    sources = provenance.get("derived_from") if isinstance(provenance, dict) else None
    for source in sources if isinstance(sources, list) else []:
        if isinstance(source, str) and source.startswith("session:"):
            return source[len("session:") :]
    return ""


def related_files(fields: "dict[str, template.Value]") -> "tuple[str, ...]":
    """The paths of a record's `relates_to file:` relations."""
    relations = fields.get("relations")
    targets = [
        relation.get("target")
        for relation in (relations if isinstance(relations, list) else [])
        if isinstance(relation, dict)
    ]
    return tuple(
        target[len("file:") :]
        for target in targets
        if isinstance(target, str) and target.startswith("file:")
    )


def branch_of(store: Store, episode: str) -> str:
    """The branch on which an episode began: `-` where HEAD was detached, "" where unknown.

    Session record, then open file, then the first line of its ledger; never guessed.
    """
    if not record.is_id(episode):
        return ""
    path = session_files.find(store, episode)
    if path is not None and os.path.isfile(path):
        fields = template.any_fields(atomic.read(path, limit=1 << 20) or b"") or {}
        return _word(fields, "branch") or DETACHED
    present = opened.load(store, episode)
    if present is not None:
        return present.branch or DETACHED
    for line in ledger.first_lines(ledger.path_of(store, episode)):
        if line["event"] == events.SessionStarted._name:
            return str(line.get("branch") or DETACHED)
    return ""


def _stamp(folder: str) -> "str | None":
    try:
        status = os.stat(folder)
    except OSError:
        return None
    return ".".join(map(str, file_key.of(status)))


def _is_young(folder: str) -> bool:
    """A change within the resolution of the time stamp would go unseen."""
    status = os.stat(folder)
    return time.time() - max(status.st_mtime, status.st_ctime) < _YOUNG


def _cache_path(store: Store, key: str) -> str:
    return store.local_path("cache", f"{key}.tsv")


def _cached(store: Store, key: str) -> "tuple[dict[str, str], str]":
    """The list as last kept, and the folder's status that it was made from."""
    try:
        data = atomic.read(_cache_path(store, key))
    except OSError:
        return {}, ""
    blocks = (data or b"").decode("utf-8", "replace").split(_BLOCK)
    if len(blocks) != 3:
        return {}, ""
    head, cells, lines = blocks[0], blocks[1].split("\n"), blocks[2].split("\n")
    is_whole = blocks[2].count(_SEPARATOR) == len(lines) * (_CELLS - 1)
    if not is_whole or len(cells) != len(lines) or not blocks[2]:
        return {}, ""
    return dict(zip(cells, lines, strict=True)), head


def _line(cell: str, item: Listed) -> str:
    """One line of a list; its first cell is `<id>/<inode>`."""
    paths = _PATH_SEPARATOR.join(item.paths)
    return _SEPARATOR.join(
        (cell, item.status, item.kind, item.date, item.branch, paths, item.title)
    )


def _listed(line: str) -> Listed:
    cell, status, kind, date, branch, paths, title = line.split(_SEPARATOR)
    return Listed(
        id=cell.partition("/")[0],
        status=status,
        kind=kind,
        date=date,
        branch=branch,
        paths=tuple(paths.split(_PATH_SEPARATOR)) if paths else (),
        title=title,
    )


def _keep(store: Store, key: str, stamp: str, found: "dict[str, str]") -> None:
    # The cells apart from the lines: two splits make ten thousand of each in a blink.
    blocks = (stamp, "\n".join(found), "\n".join(found.values()))
    _write_cache(_cache_path(store, key), _BLOCK.join(blocks).encode())


def _summary_path(store: Store) -> str:
    return store.local_path("cache", "waiting.json")


def _summary(store: Store) -> "dict[str, Any]":
    try:
        data = atomic.read(_summary_path(store), limit=1 << 22)
        values = jsonline.loads(data.decode()) if data else {}
    except (OSError, ValueError):
        return {}
    return (
        values
        if isinstance(values, dict) and isinstance(values.get("groups"), dict)
        else {}
    )


def _keep_summary(
    store: Store, stamp: str, groups: "dict[str, tuple[int, list[str]]]"
) -> None:
    values = {"stamp": stamp, "groups": {b: list(group) for b, group in groups.items()}}
    _write_cache(_summary_path(store), jsonline.to_line(values))


def _write_cache(path: str, data: bytes) -> None:
    try:
        atomic.write(path, data, durable=False)
    except OSError:
        return  # a cache that cannot be written is only slow
