"""`afterword decision`: what was decided and why, the moment it is."""

from __future__ import annotations

from typing import Any

import click

from afterword.cli import acting
from afterword.cli.acting import Recorder
from afterword.cli.frame import Frame, group, pass_frame
from afterword.episode import events, history, ledger, recording
from afterword.episode.history import Query
from afterword.episode.recording import Decision
from afterword.store.layout import Store
from afterword.store.safe_text import shown

SHOWN = 400
FIELDS = ("decision", "why", "rejected", "evidence", "supersedes", "task_id")


@group("decision")
def decision() -> None:
    """Record what was decided and why; a candidate is derived from it."""


@decision.command("add")
@click.argument("text")
@click.option("--why", metavar="TEXT", required=True, help="Why, in one line.")
@click.option("--rejected", metavar="TEXT", help="What was considered instead.")
@click.option("--evidence", metavar="TEXT", help="What shows it.")
@click.option(
    "--supersedes", metavar="TITLE", help="The text of the decision that it replaces."
)
@acting.episode_option
@pass_frame
def add(
    frame: Frame,
    text: str,
    why: str,
    rejected: str | None,
    evidence: str | None,
    supersedes: str | None,
    episode: str,
) -> None:
    """Record a decision, TEXT in one line."""
    recorder = Recorder(frame, episode)
    made = Decision(
        text=acting.evidence(frame, "TEXT", text),
        why=acting.evidence(frame, "--why", why),
        rejected=acting.optional(frame, "--rejected", rejected),
        evidence=acting.optional(frame, "--evidence", evidence),
        supersedes=_superseded(frame, recorder.moment.store, supersedes),
    )
    done = recorder.perform(lambda found: recording.decide(found, made))
    recorder.tell(done, f"decision recorded {recorder.where}: {made.text}")


def _superseded(frame: Frame, store: Store, given: str | None) -> str | None:
    if given is None:
        return None
    title = acting.line(frame, "--supersedes", given)
    return recording.superseded(title, (line["decision"] for line in _all(store, "")))


def _all(store: Store, episode: str) -> list[dict[str, Any]]:
    """The decisions recorded in this worktree, oldest first."""
    query = Query(event=events.DecisionRecorded._name, episode=episode)
    found = [
        ledger.parse_line(raw) for raw in history.select(store, query, lambda _: None)
    ]
    return [line for line in found if line and isinstance(line.get("decision"), str)]


@decision.command("list")
@click.option("--episode", metavar="ID", default="", help="Of that episode only.")
@pass_frame
def list_(frame: Frame, episode: str) -> None:
    """The decisions recorded in this worktree, oldest first."""
    lines = _all(frame.store, episode)
    replaced = {line.get("supersedes") for line in lines}
    for line in lines:
        if frame.json:
            frame.emit(_object(line, replaced))
        else:
            _show(frame, line, replaced)
    if not lines and not frame.json:
        frame.say("no decision recorded")


def _object(line: dict[str, Any], replaced: set[Any]) -> dict[str, Any]:
    fields = {key: line.get(key) for key in FIELDS}
    return {
        "ts": line["ts"],
        "episode": line.get("session"),
        **fields,
        "superseded": line["decision"] in replaced,
    }


def _show(frame: Frame, line: dict[str, Any], replaced: set[Any]) -> None:
    mark = " (superseded)" if line["decision"] in replaced else ""
    frame.out(f"{line['ts'][:10]}  {shown(line['decision'], SHOWN)}{mark}")
    why = line.get("why")
    if isinstance(why, str) and why:
        frame.out(f"            why: {shown(why, SHOWN)}")
