"""Derivation as a step of the lifecycle: window + git -> candidates -> ledger line.

The same code serves compaction, closing, recovery and `knowledge derive`. Part of a
hook's path: standard library only; git is read by the git program in a hook.
"""

from afterword.episode import events, opened, window
from afterword.errors import GitError
from afterword.knowledge import derivation, derive
from afterword.lifecycle.moment import Moment, seed_readme
from afterword.model import TYPE_CHECKING, Model
from afterword.store import clock
from afterword.store.git import evidence as git_evidence
from afterword.store.git.evidence import Commit, Span
from afterword.store.git.program import GitTimeout

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterword.episode.window import Bounds, Window


# Bytes of evidence lines that a hook reads: with what becomes of them, about 30 MB.
HOOK_EVIDENCE = 2 * 1024 * 1024
MOST_COMMITS = 500


class Commits(Model):
    """An episode's commits: `own` are evidence, `shared` were made beside other episodes."""

    own: "tuple[Commit, ...]" = ()
    shared: "tuple[Commit, ...]" = ()


def window_of(moment: Moment, episode: str) -> "Window":
    """The window of an episode; `TooLarge` where a hook must leave it to a command."""
    most = HOOK_EVIDENCE if moment.in_hook else 0
    return window.read(moment.store, episode, most)


def commits_of(moment: Moment, found: "Window", span: "Bounds | None") -> Commits:
    """The commits made in the episode's span, those made beside another episode apart.

    Raises `GitTimeout`, which a later attempt may not meet. Any other refusal of git
    costs the commits only: the ledger is evidence enough, and it is said.
    """
    if span is None:
        return Commits()
    everything = _read(moment, span)
    until = clock.seconds(span.closed_at) if span.closed_at else float("inf")
    since = clock.seconds(span.opened_at)
    others = opened.beside(moment.store, found.episode, since, until)
    shared = tuple(
        commit
        for commit in everything
        # A commit's time is in whole seconds, so a start within its second counts.
        if any(start - 1 < commit.at <= end for start, end in others)
    )
    return Commits(own=tuple(c for c in everything if c not in shared), shared=shared)


def _read(moment: Moment, span: "Bounds") -> "tuple[Commit, ...]":
    """A hook asks the git program, a command dulwich; the two are held equal by a test."""
    try:
        return _commits(moment, span, "auto" if moment.in_hook else "dulwich")
    except GitTimeout:
        raise
    except GitError as error:
        # A setting that git chokes on need not stop the other reader.
        try:
            return _commits(moment, span, "dulwich" if moment.in_hook else "program")
        except Exception:
            moment.say(f"no commits were read: {error.message}")
            return ()


def _commits(moment: Moment, span: "Bounds", reader: str) -> "tuple[Commit, ...]":
    found = git_evidence.episode_commits(
        moment.store.place,
        Span(
            opened=span.opened,
            closed=span.closed,
            opening=span.opening,
            closing=span.closing,
        ),
        tuple(moment.config["knowledge.rule_paths"]),
        limit=MOST_COMMITS,
        deadline=moment.deadline,
        reader=reader,
    )
    if len(found) == MOST_COMMITS:
        moment.say(f"only the newest {MOST_COMMITS} commits of the episode were read")
    return found


def derive_now(
    moment: Moment,
    found: "Window",
    commits: Commits,
    *,
    restore: bool = False,
    dry_run: bool = False,
    secret: "Callable[[str], str] | None" = None,
) -> derivation.Result:
    """Derive the candidates of a window and say so in its ledger. `OSError` on a full disk."""
    rows = derivation.plan(
        moment.store,
        found,
        derive.candidates(found, commits.own),
        restore=restore,
        secret=secret,
    )
    if not dry_run and any(row.action == derivation.WRITE for row in rows):
        seed_readme(moment.store, "candidates")
    result = derivation.apply(
        moment.store,
        found.episode,
        rows,
        dry_run=dry_run,
        deadline=moment.deadline if moment.in_hook else float("inf"),
    )
    if not dry_run:
        moment.log(
            found.episode,
            events.KnowledgeDerived(
                episode=found.episode,
                written=len(result.written),
                unchanged=len(result.unchanged),
                skipped=len(result.skipped),
                paths=list(result.written),
                hashes=list(result.hashes),
            ),
        )
    return result


def derive_episode(moment: Moment, episode: str) -> derivation.Result:
    """Derive an open episode as it stands: compaction, a start after it, a Stop without an end."""
    found = window_of(moment, episode)
    return derive_now(moment, found, commits_of(moment, found, window.bounds(found)))
