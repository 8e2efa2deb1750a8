"""The sections of a briefing: what each reads, and how it says it.

All of it is data from agents and from strangers' branches, so every line is made
plain and cut, and only what a person promoted is quoted (DESIGN 12). Part of a
hook's path: standard library only.
"""

import time

from afterword.briefing.fence import Section
from afterword.episode import events, ledger, state, window
from afterword.errors import GitError
from afterword.knowledge import catalogue, record
from afterword.model import TYPE_CHECKING
from afterword.store import atomic, clock, digest, jsonline, template
from afterword.store.git.head import Head
from afterword.store.layout import Store
from afterword.store.safe_text import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

LINE, LAST_END = 200, 300
QUESTIONS, VERIFIED, DECIDED = 5, 8, 10
READ_SECONDS, GIT_SECONDS = 1.0, 0.5
MOST_READ = 1 << 21  # bytes of evidence lines
COMMAND = ".ai/bin/afterword"
_HEX = frozenset("0123456789abcdef")


def where(store: Store, head: Head, episode: str) -> Section:
    place = (
        f"branch {plain(head.branch, 80)}"
        if head.branch
        else "no branch (detached HEAD)"
    )
    at = f" at {head.sha[:7]}" if head.sha else ", no commit yet"
    said = plain(_last_end(store), LAST_END)
    items = (said,) if said else ()
    return Section(
        heading=f"Episode {episode or '(none)'} on {place}{at}.", items=items
    )


def changed(shims: "Sequence[str]") -> "Section | None":
    """Hook files run with a person's rights, and any branch can change them."""
    if not shims:
        return None
    return Section(
        heading="These hook files are not as afterword wrote them. Tell the user to look"
        " at them (git log -p) and to run afterword's install.py again:",
        items=tuple(plain(shim, LINE) for shim in shims),
    )


def _last_end(store: Store) -> str:
    try:
        data = atomic.read(store.local_path("cache", "last-end"), limit=4096)
    except OSError:
        return ""
    return data.decode("utf-8", "replace") if data else ""


def work(store: Store) -> Section:
    found = state.load(store)
    if found is None or found.task is None:
        return Section(heading="No active task.")
    task = found.task
    scope = f" (scope: {plain(', '.join(task.scope), 100)})" if task.scope else ""
    return Section(
        heading=f"Active task {task.task_id}: {plain(task.title, 140)}{scope}"
    )


def questions(store: Store) -> "Section | None":
    found = state.load(store)
    asked = found.questions if found else ()
    if not asked:
        return None
    items = tuple(
        f"{n}. {plain(q.question, LINE)}" for n, q in enumerate(asked[:QUESTIONS], 1)
    )
    return Section(
        heading=f"Open questions: {len(asked)}",
        items=items,
        left_out=len(asked) - len(items),
        hint=f"{COMMAND} question list",
    )


def waiting(store: Store, head: Head) -> "list[Section]":
    """Candidates on this branch by id, class and age; those of unknown episodes apart."""
    found = catalogue.waiting(store, head.branch, time.monotonic() + READ_SECONDS)
    told = [Section(heading="No candidate awaits review on this branch.")]
    if found.count:
        told = [
            Section(
                heading=f"Candidates awaiting review on this branch: {found.count}",
                items=tuple(_candidate_line(store, item) for item in found.shown),
                left_out=found.count - len(found.shown),
                hint=f"{COMMAND} knowledge candidates",
            )
        ]
    if found.unknown:
        ids = ", ".join(shown_id(item.id) for item in found.unknown_shown)
        heading = (
            f"{found.unknown} more of episodes that this clone does not know: {ids}"
        )
        told.append(Section(heading=heading))
    if found.unread:
        heading = f"{found.unread} candidates were not read yet, for lack of time."
        told.append(Section(heading=heading))
    return told


def shown_id(identity: str) -> str:
    """A record's id, unless it spells something: a file name comes from anyone's branch.

    Ids of hosts are numbers and hex; one of many words is shown by its digest alone.
    """
    episode, _, digits = identity.rpartition("-")
    words = [word for word in episode.replace(".", "-").split("-") if word.isalpha()]
    is_digest = len(digits) == 12 and _HEX.issuperset(digits)
    if is_digest and len(identity) <= 80 and len(words) <= 3:
        return identity
    return f"...-{digits[-12:]}" if is_digest else "(an id of another form)"


def _candidate_line(store: Store, item: catalogue.Listed) -> str:
    title = _own_title(store, item)
    identity = item.id if title else shown_id(item.id)
    return f"{identity} ({_kind(item)}, {_age(item.date)})" + (
        f": {title}" if title else ""
    )


def _kind(item: catalogue.Listed) -> str:
    """The class, if it is one: the file may come from anyone's branch."""
    return item.kind if item.kind in record.CLASSES else "unknown class"


def _age(date: str) -> str:
    """How old a record is, in days of UTC."""
    try:
        days = int((clock.now() - clock.seconds(f"{date}T00:00:00Z")) // 86400)
    except ValueError:
        return "of unknown age"
    return "of today" if days <= 0 else f"{days} day{'s' if days > 1 else ''} old"


def _own_title(store: Store, item: catalogue.Listed) -> str:
    """The title, only if this machine's ledger says that it wrote exactly these bytes."""
    try:
        data = atomic.read(store.tracked("candidates", f"{item.id}.md"), limit=1 << 20)
    except OSError:
        return ""
    fields = template.any_fields(data or b"")
    if data is None or fields is None:
        return ""
    path = ledger.path_of(store, item.id.rpartition("-")[0])
    is_ours = digest.of_text(data) in _derived_hashes(path)
    return plain(str(fields.get("title", "")), 120) if is_ours else ""


def _derived_hashes(path: str) -> "set[str]":
    """The hashes of every derivation in the last part of a ledger."""
    lines = ledger.last_lines(path, size=1 << 17)
    return {
        value
        for line in lines
        if line["event"] == events.KnowledgeDerived._name
        for value in line.get("hashes") or ()
    }


def verified(store: Store, head: Head) -> "Section | None":
    """What persons promoted: first what touches recently changed paths, then the newest.

    A record counts only while its hash fits what was promoted.
    """
    everything = catalogue.curated(store, time.monotonic() + READ_SECONDS)
    records = [item for item in everything if item.status == "verified"]
    if not records:
        return None
    changed = (
        changed_paths(store, head)
        if any(item.paths for item in records)
        else frozenset()
    )
    records.sort(key=lambda item: (item.date, item.id), reverse=True)
    records.sort(key=lambda item: not changed.intersection(item.paths))
    items: list[str] = []
    for item in records[: 4 * VERIFIED]:
        title = _quote(store, item) if len(items) < VERIFIED else ""
        if title:
            items.append(f"[{_kind(item)}] {title} ({shown_id(item.id)})")
    return Section(
        heading=f"Verified knowledge, promoted by a person: {len(records)}",
        items=tuple(items),
        left_out=len(records) - len(items),
        hint=f"the files below {store.paths['curated']}",
    )


def _quote(store: Store, item: catalogue.Listed) -> str:
    """The title of a curated record whose hash still fits what was promoted, else ""."""
    try:
        data = atomic.read(store.tracked("curated", f"{item.id}.md"), limit=1 << 20)
    except OSError:
        return ""
    fields = template.any_fields(data) if data else None
    if data is None or fields is None:
        return ""
    return plain(str(fields.get("title", "")), 160) if record.fits(fields, data) else ""


def changed_paths(store: Store, head: Head) -> "frozenset[str]":
    """Paths that the last commits touched, asked of git once per HEAD."""
    path = store.local_path("cache", "changed.json")
    try:
        data = atomic.read(path, limit=1 << 20)
        kept = jsonline.loads(data.decode()) if data else {}
        if kept.get("head") == head.sha:
            return frozenset(kept["paths"])
    except (ValueError, KeyError, TypeError, AttributeError):
        pass  # made anew below
    if head.sha is None:
        return frozenset()
    from afterword.store.git import queries

    try:
        deadline = time.monotonic() + GIT_SECONDS
        paths = queries.changed_paths(store.place, head.sha, deadline=deadline)
    except GitError:
        paths = ()  # kept like any answer: a git that hangs is asked once per HEAD
    try:
        line = jsonline.to_line({"head": head.sha, "paths": list(paths)})
        atomic.write(path, line, durable=False)
    except OSError:
        return frozenset(paths)  # a cache that cannot be written is only slow
    return frozenset(paths)


def decided(store: Store, episode: str) -> "Section | None":
    """What this episode decided before its conversation was cut or left."""
    lines = window.read(store, episode, MOST_READ).of(events.DecisionRecorded._name)
    if not lines:
        return None
    texts = list(
        dict.fromkeys(plain(str(line.get("decision", "")), LINE) for line in lines)
    )
    return Section(
        heading=f"Decided so far in this episode: {len(texts)}",
        items=tuple(texts[-DECIDED:]),
        left_out=max(len(texts) - DECIDED, 0),
        hint=f"{COMMAND} decision list",
    )
