"""What a record refers to, and whether it can be found.

`collect` looks everything up at once (one pass over the ledgers, one question to git);
`judge` is pure. A commit that nobody knows any more is an information, a file that
was removed since a warning, an episode that never was an error (spec/episodes 6.4).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from afterword.episode import archive, ledgers, opened, state
from afterword.errors import AfterwordError
from afterword.finding import ERROR, INFO, WARNING
from afterword.knowledge import record, session_index
from afterword.model import Model
from afterword.store.git import program, queries
from afterword.store.layout import Store

SECONDS = 20.0
KINDS = (*record.SOURCES, "knowledge", "rule", "adr")
# Where the older system keeps what has an `id:` line of its own.
_FOLDERS = {
    "rule": (".ai/repo/rules",),
    "adr": (".ai/repo/adrs", "docs/adr", "docs/adrs", "docs/decisions"),
    "issue": (".ai/repo/issues",),
}


class Reference(Model):
    """`<kind>:<identity>` taken apart."""

    kind: str
    identity: str


class Known(Model):
    """What there is to refer to. `commits` is None where git could not be asked.

    `gone` are files that the history knows and the tree does not; None: not asked.
    """

    sessions: frozenset[str] = frozenset()
    tasks: frozenset[str] = frozenset()
    commits: frozenset[str] | None = frozenset()
    files: frozenset[str] = frozenset()
    gone: frozenset[str] | None = frozenset()
    records: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()
    why_not: str = ""


def parse(text: str) -> Reference | None:
    """The parts of a reference; None for what has another form."""
    kind, colon, identity = text.partition(":")
    if not colon or not identity.strip() or identity != identity.strip():
        return None
    return Reference(kind=kind, identity=identity)


def judge(text: str, known: Known, *, minted_by: str, tracked: bool) -> tuple[str, str]:
    """Severity and message for one reference, or ("", "") when all is well.

    `minted_by` is the episode that the record's own id names: a clone need not know
    it, if the record came `tracked` by git from the clone that does.
    """
    found = parse(text)
    if found is None:
        return ERROR, f"{text}: a reference is KIND:IDENTITY"
    if found.kind not in KINDS:
        return ERROR, f"{text}: {found.kind} is not a kind of reference"
    if found.identity == "none":
        return ERROR, f"{text}: none is not something to refer to"
    if found.kind in ("file", "test"):
        return _judge_file(text, _path(found), known)
    if found.kind == "commit":
        return _judge_commit(text, found.identity, known)
    if found.kind in ("session", "task", "decision"):
        return _judge_ledger(text, found, known, minted_by if tracked else "")
    names = known.records if found.kind == "knowledge" else known.documents
    name = found.identity if found.kind == "knowledge" else text
    return (
        ("", "") if name in names else (ERROR, f"{text}: there is no such {found.kind}")
    )


def _judge_ledger(
    text: str, found: Reference, known: Known, elsewhere: str
) -> tuple[str, str]:
    if found.identity in (known.sessions if found.kind == "session" else known.tasks):
        return "", ""
    # Its session record comes with the end of the episode, perhaps later than the record.
    is_foreign = bool(elsewhere) and elsewhere not in known.sessions
    if is_foreign and (found.kind != "session" or found.identity == elsewhere):
        return INFO, f"{text}: this clone does not know that episode"
    what = "episode" if found.kind == "session" else "task"
    return ERROR, f"{text}: no ledger and no session record knows that {what}"


def _judge_file(text: str, path: str, known: Known) -> tuple[str, str]:
    if path.startswith("/") or ".." in path.split("/"):
        return ERROR, f"{text}: not a path inside the repository"
    if path in known.files:
        return "", ""
    if known.gone is None:
        return (
            WARNING,
            f"{text}: not here, and git could not say whether it was ({known.why_not})",
        )
    if path in known.gone:
        return WARNING, f"{text}: was deleted or renamed since"
    return ERROR, f"{text}: there is no such file, and git has known none"


def _judge_commit(text: str, sha: str, known: Known) -> tuple[str, str]:
    if known.commits is None:
        return WARNING, f"{text}: git could not be asked ({known.why_not})"
    if sha in known.commits:
        return "", ""
    return (
        INFO,
        f"{text}: no such commit any more (squashed, rebased away, or not fetched)",
    )


def _path(found: Reference) -> str:
    """The file of a `file:` or `test:` reference; a test may name a case behind `::`."""
    return found.identity.partition("::")[0] if found.kind == "test" else found.identity


def collect(store: Store, texts: Iterable[str], records: Iterable[str]) -> Known:
    """Look up everything that these references name; `records` are the ids on the shelves."""
    asked = [found for found in map(parse, dict.fromkeys(texts)) if found is not None]
    paths = {_path(found) for found in asked if found.kind in ("file", "test")}
    files = {path for path in paths if os.path.lexists(os.path.join(store.root, path))}
    sessions, tasks = _episodes(store, asked)
    commits, why_no_commits = _existing(store, asked)
    gone, why_no_files = _once(store, sorted(paths - files))
    return Known(
        sessions=frozenset(sessions),
        tasks=frozenset(tasks),
        commits=commits,
        files=frozenset(files),
        gone=gone,
        records=frozenset(records),
        documents=frozenset(_documents(store, asked)),
        why_not=why_no_commits or why_no_files,
    )


def _episodes(store: Store, asked: list[Reference]) -> tuple[set[str], set[str]]:
    """Episodes and tasks that are known here; the ledgers are read only for what names cannot tell."""
    wanted = {found.identity for found in asked if found.kind == "session"}
    wanted_tasks = {
        found.identity for found in asked if found.kind in ("task", "decision")
    }
    sessions = {entry.episode for entry in archive.entries(store)}
    sessions.update(source.episode for source in ledgers.sources(store))
    sessions.update(episode.episode for episode in opened.every(store))
    sessions.update(session_index.names(store))
    active = state.load(store)
    tasks = {active.task.task_id} if active and active.task else set()
    if wanted_tasks - tasks or wanted - sessions:
        _read_ledgers(store, sessions, tasks)
    if wanted_tasks - tasks or wanted - sessions:
        told = session_index.told(store)
        sessions.update(told.sessions)
        tasks.update(told.tasks)
    return sessions, tasks


def _read_ledgers(store: Store, sessions: set[str], tasks: set[str]) -> None:
    for source in ledgers.sources(store):
        try:
            for _, line in ledgers.lines(source):
                for key, names in (
                    ("session", sessions),
                    ("session_id", sessions),
                    ("task_id", tasks),
                ):
                    value = line.get(key)
                    if isinstance(value, str):
                        names.add(value)
        except OSError:
            continue  # doctor reports a ledger that cannot be read


def _existing(
    store: Store, asked: list[Reference]
) -> tuple[frozenset[str] | None, str]:
    """The commits that exist; None and the reason where git could not be asked."""
    shas = [found.identity for found in asked if found.kind == "commit"]
    try:
        return queries.existing(store.place, shas) if shas else frozenset(), ""
    except (AfterwordError, OSError) as error:
        return None, str(error).splitlines()[0]


def _once(store: Store, missing: list[str]) -> tuple[frozenset[str] | None, str]:
    """The missing files that git once had; None and the reason where it could not be asked."""
    try:
        return _removed(store, missing), ""
    except (AfterwordError, OSError) as error:
        return None, str(error).splitlines()[0]


def _removed(store: Store, paths: list[str]) -> frozenset[str]:
    """Those of the paths that some commit took away."""
    safe = [
        path for path in paths if not path.startswith(("/", ":")) and "\0" not in path
    ]
    if not safe:
        return frozenset()
    out = program.run(
        *(store.place, "log", "--all", "--format=", "--name-only", "-z"),
        *("--no-renames", "--diff-filter=D", "--", *safe),
        deadline=time.monotonic() + SECONDS,
        ok=(0, 128),  # 128: there is no commit yet
    )
    return frozenset(
        name.decode("utf-8", "surrogateescape").strip("\n") for name in out.split(b"\0")
    )


def _documents(store: Store, asked: list[Reference]) -> set[str]:
    """The references to rules, decision records and issues whose `id:` line or file exists."""
    found = set()
    for reference in asked:
        for folder in _FOLDERS.get(reference.kind, ()):
            if _has_document(os.path.join(store.root, folder), reference.identity):
                found.add(f"{reference.kind}:{reference.identity}")
    return found


def _has_document(folder: str, identity: str) -> bool:
    line = f"id: {identity}".encode()
    for parent, _, names in os.walk(folder):
        for name in sorted(names):
            if name == f"{identity}.md":
                return True
            if name.endswith((".md", ".yaml")):
                data = session_index.head_of(os.path.join(parent, name))
                if line in (raw.strip() for raw in data.splitlines()[:60]):
                    return True
    return False
