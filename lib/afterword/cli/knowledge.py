"""`afterword knowledge`: derive candidates, and the review that only a person does.

Without a verb it lists the knowledge base: `cli.knowledge_base`.
"""

from __future__ import annotations

import os
import sys

import click

from afterword.cli import acting
from afterword.cli.frame import Frame, group, pass_frame
from afterword.episode import attribution, ledger, opened
from afterword.errors import AfterwordError, UsageError
from afterword.finding import failing, ordered
from afterword.host import agent
from afterword.knowledge import listing, record, remedies, review, shelf
from afterword.knowledge.acts import Desk
from afterword.knowledge.derivation import Result
from afterword.knowledge.review_text import MAX_BYTES
from afterword.lifecycle import deriving
from afterword.store import clock
from afterword.store.git import safe_head
from afterword.store.layout import Store
from afterword.store.safe_text import shown

SHOWN = 300


@group("knowledge", invoke_without_command=True)
@click.option(
    "--filter",
    "keyword",
    metavar="TEXT",
    help="Entries whose title or category contains it.",
)
@click.option("--category", metavar="NAME", help="Entries of that category.")
@click.option(
    "--include-archive",
    is_flag=True,
    help="Also archived queue items and reflections.",
)
@pass_frame
@click.pass_context
def knowledge(
    ctx: click.Context,
    frame: Frame,
    keyword: str | None,
    category: str | None,
    include_archive: bool,
) -> None:
    """List the knowledge base; derive, list, promote, reject and check records."""
    from afterword.cli import knowledge_base  # no verb needs it

    asked = knowledge_base.Asked(
        keyword=keyword, category=category, include_archive=include_archive
    )
    if ctx.invoked_subcommand is None:
        knowledge_base.run(frame, asked)
    elif not asked.is_bare:
        raise UsageError(
            f"--filter, --category and --include-archive list the knowledge base,"
            f" they are no options of {ctx.invoked_subcommand}",
            hint="afterword knowledge --filter TEXT",
        )


@knowledge.command("derive")
@click.option(
    "--episode",
    metavar="ID",
    default="",
    help="That episode, open or closed, or `outside`; default: the one of this session.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be written.")
@click.option(
    "--restore",
    is_flag=True,
    help="Also write again what was written before and is gone.",
)
@pass_frame
def derive(frame: Frame, episode: str, dry_run: bool, restore: bool) -> None:
    """Derive the candidates of an episode from its ledger and from git."""
    store = frame.store if dry_run else frame.claim()
    found = attribution.of_command(store, episode, os.environ)
    if found == ledger.OUTSIDE and not episode:
        _needs_one(store)
        _nothing_open(frame, dry_run)
        return
    shelf.has_folder(store, shelf.CANDIDATES)
    result = deriving.derive(frame.moment(), found, dry_run=dry_run, restore=restore)
    if frame.json:
        frame.emit(_object(result, dry_run))
    else:
        _show_result(frame, result, dry_run)


def _needs_one(store: Store) -> None:
    """Refuse to guess among several open episodes."""
    names = [one.episode for one in opened.every(store)]
    if names:
        raise AfterwordError(
            f"several episodes are open here: {', '.join(names)}",
            hint="name one: afterword knowledge derive --episode ID",
            code="no-episode",
        )


def _nothing_open(frame: Frame, dry_run: bool) -> None:
    frame.say("no episode is open here: nothing to derive")
    frame.say("name one: afterword knowledge derive --episode ID (or outside)")
    if frame.json:
        empty: dict[str, object] = {"episode": None, "dry_run": dry_run}
        frame.emit({**empty, "written": [], "unchanged": [], "skipped": []})


def _object(result: Result, dry_run: bool) -> dict[str, object]:
    return {
        "episode": result.episode,
        "dry_run": dry_run,
        "written": list(result.written),
        "unchanged": list(result.unchanged),
        "skipped": [
            {"path": path, "reason": reason} for path, reason in result.skipped
        ],
    }


def _show_result(frame: Frame, result: Result, dry_run: bool) -> None:
    for path in result.written:
        frame.out(f"{'would write' if dry_run else 'written'} {path}")
    for path in result.unchanged:
        frame.out(f"unchanged {path}")
    for path, reason in result.skipped:
        frame.out(f"skipped {path} ({reason})")
    counts = (
        f"{len(result.written)} {'to write' if dry_run else 'written'},"
        f" {len(result.unchanged)} unchanged, {len(result.skipped)} skipped"
    )
    frame.out(f"knowledge derive: {counts} for episode {result.episode}")


@knowledge.command("candidates")
@pass_frame
@click.pass_context
def candidates(ctx: click.Context, frame: Frame) -> None:
    """List the candidates that await review; exit 1 when a file cannot be read."""
    waiting = listing.awaiting(frame.store)
    rows = [waiting.row(one) for one in waiting.candidates]
    if frame.json:
        for row in rows:
            frame.emit(row)
    else:
        frame.columns(
            [
                (
                    shown(row["id"], SHOWN),
                    shown(row["class"], 20),
                    shown(row["date"], 20),
                    shown(row["branch"] or "-", 60),
                    shown(row["title"], SHOWN),
                )
                for row in rows
            ]
        )
        frame.out(f"knowledge candidates: {len(rows)} awaiting review")
    for one in waiting.unreadable:
        code = "merge_markers" if one.markers else "shape"
        frame.say(f"{one.path}:{one.line}: {one.problem}")
        frame.say(remedies.of(code, one))
    if waiting.unreadable:
        ctx.exit(1)


@knowledge.command("promote")
@click.argument("identity", metavar="ID")
@click.option(
    "--class",
    "kind",
    metavar="C",
    default="",
    help=f"The record's class: {', '.join(record.CLASSES)}.",
)
@acting.episode_option
@pass_frame
def promote(frame: Frame, identity: str, kind: str, episode: str) -> None:
    """Make a candidate verified; the evidence for it is read from stdin.

    A curated record that was edited since is made verified again, as it is now.
    """
    desk = _desk(frame, identity, episode)
    review.promotable(desk, identity)
    done = review.promote(desk, identity, _stdin(), kind)
    _tell(frame, desk, done, "verified")


@knowledge.command("reject")
@click.argument("identity", metavar="ID")
@click.option("--reason", metavar="TEXT", required=True, help="Why it does not hold.")
@click.option("--by", metavar="ID", default="", help="The record that replaces it.")
@acting.episode_option
@pass_frame
def reject(frame: Frame, identity: str, reason: str, by: str, episode: str) -> None:
    """Mark a candidate as superseded; it stays, and is never derived again."""
    if not reason.strip():
        raise UsageError(
            "--reason is empty: a rejection says why",
            hint='afterword knowledge reject ID --reason "WHY"',
        )
    desk = _desk(frame, identity, episode)
    done = review.reject(desk, identity, reason, by)
    _tell(frame, desk, done, "superseded")


def _desk(frame: Frame, identity: str, given: str) -> Desk:
    """Where and by whom an act is done; an agent is refused before anything is read."""
    if not identity.strip():
        raise UsageError("ID is empty", hint=review.LIST)
    is_agent = review.refuse_agents(
        agent.sign(os.environ), allowed=frame.config["review.agents"] is True
    )
    store = frame.claim()
    episode = attribution.of_command(store, given, os.environ)
    # The one open episode may be of an agent that has nothing to do with this person.
    is_meant = bool(given) or episode in attribution.named_by(os.environ)
    is_open = is_meant and opened.load(store, episode) is not None
    return Desk(
        store=store,
        head=safe_head.read(store.place),
        ledger=episode,
        source=f"session:{episode}" if is_open else "",
        today=clock.stamp()[:10],
        is_agent=is_agent,
        said=[],
    )


def _stdin() -> bytes:
    """The evidence; nothing is waited for at a terminal."""
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    return sys.stdin.buffer.read(MAX_BYTES + 1)


def _tell(frame: Frame, desk: Desk, done: review.Done, status: str) -> None:
    for line in desk.said:
        frame.say(line)
    if done.masked:
        frame.say(f"written without the secret in it ({', '.join(done.masked)})")
    if frame.json:
        value = {"id": done.id, "status": status, "path": done.path}
        frame.emit({**value, "masked": list(done.masked)})
    else:
        frame.out(done.path)


@knowledge.command("check")
@pass_frame
@click.pass_context
def check(ctx: click.Context, frame: Frame) -> None:
    """Check every record; exit 1 when one of them fails."""
    from afterword.knowledge import check as checking  # brings pydantic: 0.1 s

    report = checking.run(frame.store)
    for finding in ordered(report.findings):
        if frame.json:
            frame.emit(finding.row())
        else:
            message = shown(finding.message, SHOWN)
            frame.out(
                f"{shown(finding.where, SHOWN)}: {finding.severity} {finding.code}: {message}"
            )
            if finding.fix:
                frame.out(f"    {shown(frame.typed(finding.fix), SHOWN)}")
    if not frame.json:
        frame.out(
            f"knowledge check: {report.records} record(s), {report.failing} failing"
        )
    if failing(report.findings):
        ctx.exit(1)
