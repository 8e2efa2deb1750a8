"""The commits that an episode made, and what they say.

HEAD's reflog names what was made in this worktree; a reader (the git program or
dulwich) tells what each commit is. What follows from the two is decided here, once,
so both readers give the same answer. Part of a hook's path.
"""

import time

from afterword.model import TYPE_CHECKING, Model
from afterword.store.git import head, program, reflog, trailers

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from afterword.store.git.head import GitPlace
    from afterword.store.git.reader import Facts, Reader

READERS = ("program", "dulwich", "auto")


class Span(Model):
    """When an episode was open here: unix seconds, floored, and the heads at its ends.

    `closed` is None while it is open; a head is None when there was no commit yet or it
    was not recorded.
    """

    opened: int
    closed: "int | None" = None
    opening: "str | None" = None
    closing: "str | None" = None


class Commit(Model):
    """One commit of an episode.

    `at` is its commit time; `trailers` are (Decision | Constraint | Lesson | Fact, text
    in one line); `watched` the touched paths below the watched trees that the closing
    head still tracks, sorted by their bytes, none for a merge; `touches` whether it
    touched any, tracked still or gone.
    """

    sha: str
    at: int
    trailers: "tuple[tuple[str, str], ...]" = ()
    watched: "tuple[str, ...]" = ()
    touches: bool = False


def episode_commits(
    place: "GitPlace",
    span: Span,
    watched: "Iterable[str]",
    *,
    limit: int = 500,
    deadline: "float | None" = None,
    reader: str = "auto",
) -> "tuple[Commit, ...]":
    """The episode's commits, oldest first; the newest `limit` when there are more.

    `watched` are files and folders relative to the root; `deadline` is on
    `time.monotonic()`'s clock. Raises `GitError` (with it `GitMissing`, `GitTimeout`).
    Rule: DESIGN section 6, spec/episodes 4.5.
    """
    if reader not in READERS:
        raise ValueError(f"no such reader: {reader}")
    until = time.monotonic() + program.DEFAULT_SECONDS if deadline is None else deadline
    trees = watched_trees(watched)
    here = head.read_head(place).sha
    tips = [sha for sha in dict.fromkeys((span.closing, here)) if sha]
    if not tips or limit < 1:
        return ()
    log = reflog.inside(_moves(place, until), span)
    wanted = _wanted(log)[-limit:]
    if log.covers and not wanted:
        return ()  # the usual case of a short episode: no reader is opened
    with open_reader(place, reader, until) as source:
        if log.covers:
            tip, found = _made_here(source, wanted, tips, trees)
        else:
            tip, found = _without_reflog(source, span, tips, trees, limit)
        return _commits(source, found, tip, trees)


def _moves(place: "GitPlace", deadline: float) -> "Iterable[reflog.Entry]":
    """HEAD's moves, newest first: from their file, or from git where they are in a table."""
    if not head.is_reftable(place):
        return reflog.read(place.git_dir)
    from afterword.store.git import program_reader

    return program_reader.reflog_entries(place, deadline)


def open_reader(
    place: "GitPlace", reader: str, deadline: "float | None"
) -> "AbstractContextManager[Reader]":
    """The reader asked for; `auto` is git, or dulwich where there is no git program.

    dulwich gives way to git in a reftable repository, whose reflog it cannot read.
    """
    if chosen(place, reader) == "program":
        from afterword.store.git.program_reader import ProgramReader

        return ProgramReader(place, deadline)
    from afterword.store.git.dulwich_reader import DulwichReader

    return DulwichReader(place, deadline)


def chosen(place: "GitPlace", reader: str) -> str:
    """Which of the two readers answers for this place when `reader` is asked for."""
    if reader == "auto":
        reader = "program" if program.available(place) else "dulwich"
    return "program" if head.is_reftable(place) else reader


def watched_trees(paths: "Iterable[str]") -> "tuple[str, ...]":
    """Watched paths as git names them: relative, without `.` and a slash at the end.

    `.` alone stays and is the whole tree; what leaves the repository is dropped.
    """
    kept = []
    for path in paths:
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if path and not path.startswith("/") and ".." not in parts and "\0" not in path:
            kept.append("/".join(parts) or ".")
    return (".",) if "." in kept else tuple(dict.fromkeys(kept))


def _made_here(
    source: "Reader",
    wanted: "list[tuple[str, int | None]]",
    tips: "list[str]",
    trees: "tuple[str, ...]",
) -> "tuple[str | None, list[Facts]]":
    """The commits that the reflog says were made, less those that nothing reaches any more.

    With them the closing head, or HEAD where that commit is gone.
    """
    facts = source.facts([*dict.fromkeys([sha for sha, _ in wanted] + tips)], trees)
    made = {sha: facts[sha] for sha, at in wanted if _is_made(facts.get(sha), at)}
    tip = next((sha for sha in tips if sha in facts), None)
    reached = _chained(made, tip)
    rest = [sha for sha in made if sha not in reached]
    if rest:
        reached |= source.reachable(rest, [tip] if tip else [])
    return tip, [fact for sha, fact in made.items() if sha in reached]


def _wanted(log: reflog.Log) -> "list[tuple[str, int | None]]":
    """What may have been made, in order, with the time that its date must bear out.

    No time is needed where git's own words say that the commit was made then.
    """
    found: dict[str, int | None] = {}
    for entry in log.entries:
        said = reflog.made(entry.message)
        if entry.new and said:
            found[entry.new] = None
        elif entry.new and said is None:
            found.setdefault(entry.new, entry.at)
    return list(found.items())


def _is_made(fact: "Facts | None", at: "int | None") -> bool:
    """Whether the commit exists and, where words do not tell, was made at that moment."""
    return fact is not None and (at is None or abs(fact.at - at) <= 1)


def _chained(known: "dict[str, Facts]", tip: "str | None") -> "set[str]":
    """What the tip reaches through known commits alone: usually all, and git is not asked."""
    reached: set[str] = set()
    waiting = [tip] if tip else []
    while waiting:
        sha = waiting.pop()
        if sha in known and sha not in reached:
            reached.add(sha)
            waiting.extend(known[sha].parents)
    return reached


def _without_reflog(
    source: "Reader",
    span: Span,
    tips: "list[str]",
    trees: "tuple[str, ...]",
    limit: int,
) -> "tuple[str | None, list[Facts]]":
    """Reachable from the closing and not from the opening head, in span, by this user."""
    mine = source.email().lower()
    if not mine:
        return None, []
    closed = span.closed
    tip = tips[0]
    found = source.between(tip, span.opening, limit)
    if not found and len(tips) > 1 and not source.existing([tip]):
        tip = tips[1]
        found = source.between(tip, span.opening, limit)
    kept = [
        fact.sha
        for fact in found
        if fact.email.lower() == mine
        and span.opened <= fact.at
        and (closed is None or fact.at <= closed)
    ]
    return tip, parents_first(source.facts(kept, trees).values()) if kept else []


def parents_first(commits: "Iterable[Facts]") -> "list[Facts]":
    """By time, then by name, but never a child before its parent, whatever the dates say."""
    waiting = {commit.sha: commit for commit in commits}
    ordered: list[Facts] = []
    for start in sorted(waiting.values(), key=lambda commit: (commit.at, commit.sha)):
        stack = [start.sha]
        while stack:
            commit = waiting.get(stack[-1])
            if commit is None:
                stack.pop()
                continue
            before = sorted(parent for parent in commit.parents if parent in waiting)
            if before:
                stack.extend(reversed(before))
            else:
                ordered.append(waiting.pop(stack.pop()))
    return ordered


def _commits(
    source: "Reader", found: "list[Facts]", tip: "str | None", trees: "tuple[str, ...]"
) -> "tuple[Commit, ...]":
    touched = {path for fact in found for path in fact.touched}
    tracked = source.tracked_at(tip, touched, trees) if touched and tip else frozenset()
    return tuple(
        Commit(
            sha=fact.sha,
            at=fact.at,
            touches=bool(fact.touched),
            trailers=trailers.watched(fact.message),
            watched=tuple(
                path.decode("utf-8", "surrogateescape")
                for path in sorted(fact.touched & tracked)
            ),
        )
        for fact in found
    )
