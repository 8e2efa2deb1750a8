"""The two acts of a person: promote a candidate, or reject it (spec/episodes 6.2, 6.3).

Each is checked in a fixed order, written as one batch under one lock, then logged. A
killed act is completed by the next one: `acts` keeps what the ledger has to say until
it says it. Commands only.
"""

from __future__ import annotations

from afterword.episode import events
from afterword.errors import AfterwordError, StoreDamaged, UsageError
from afterword.knowledge import acts, record, remedies, review_text, shelf
from afterword.knowledge.acts import LOCK, Desk
from afterword.knowledge.shelf import CANDIDATES, CURATED, SHELVES, Shelved
from afterword.model import Model
from afterword.store import batch, digest
from afterword.store.batch import Change
from afterword.store.locks import COMMAND_WAIT, Lock

LIST = "see: afterword knowledge candidates"


class Done(Model):
    """The record that an act wrote, from the root; `masked` are kinds of secrets taken out."""

    id: str
    path: str
    masked: tuple[str, ...] = ()


def promote(desk: Desk, identity: str, evidence: bytes, kind: str = "") -> Done:
    """Move a candidate to the curated records as verified, with a person's evidence.

    A curated record that is not what was promoted any more is promoted where it lies.
    `kind` replaces the class. Refusals are `AfterwordError`, with nothing changed and
    nothing logged; `OSError` when the disk refuses, likewise.
    """
    if kind and kind not in record.CLASSES:
        raise AfterwordError(
            f"--class {kind}: not a class of records",
            hint=f"one of {', '.join(record.CLASSES)}",
            code="class",
        )
    with Lock(desk.store, LOCK, wait=COMMAND_WAIT):
        found = _to_promote(desk, identity)
        text = review_text.evidence(evidence)
        data = review_text.promoted(found, text.text, _terms(desk, found, kind))
        path = f"{desk.store.paths[CURATED]}/{identity}.md"
        event = events.KnowledgePromoted(
            id=identity, path=path, agent=desk.is_agent or None
        )
        _carry_out(desk, event, _moves(found, path, data))
    return Done(id=identity, path=path, masked=text.kinds)


def promotable(desk: Desk, identity: str) -> None:
    """Refuse what `promote` would refuse, before a person is asked for evidence."""
    with Lock(desk.store, LOCK, wait=COMMAND_WAIT):
        _to_promote(desk, identity)


def _to_promote(desk: Desk, identity: str) -> Shelved:
    acts.complete(desk)
    store = desk.store
    if not shelf.has(store, CANDIDATES, identity) and shelf.has(
        store, CURATED, identity
    ):
        found = _changed(desk, identity)
    else:
        found = _reviewable(desk, CANDIDATES, identity)
        if shelf.has(store, CURATED, identity):
            _refuse_second(desk, identity)
    _has_origin(found)
    return found


def _changed(desk: Desk, identity: str) -> Shelved:
    """A curated record that nobody has stood behind as it is now; refused when somebody has."""
    found = _reviewable(desk, CURATED, identity)
    if record.fits(found.fields or {}, found.data):
        raise _promoted_already(desk, identity)
    return found


def _moves(found: Shelved, path: str, data: bytes) -> tuple[Change, ...]:
    """One file written anew where it lies, or moved from the candidates."""
    if found.path == path:
        return (Change(path=path, before=found.data, data=data),)
    return (
        Change(path=path, before=None, data=data),
        Change(path=found.path, before=found.data, data=None),
    )


def _terms(desk: Desk, found: Shelved, kind: str) -> review_text.Terms:
    return review_text.Terms(
        kind=kind or found.text("class"),
        date=desk.today,
        source="" if desk.source in found.sources else desk.source,
    )


def reject(desk: Desk, identity: str, reason: str, by: str = "") -> Done:
    """Mark a candidate as superseded, in place, with the reason; it stays for good.

    `by` is the id of the record that replaces it. Errors as those of `promote`.
    """
    if not reason.strip():
        raise UsageError(
            "--reason is empty: a rejection says why",
            hint=f'afterword knowledge reject {identity} --reason "WHY"',
        )
    with Lock(desk.store, LOCK, wait=COMMAND_WAIT):
        acts.complete(desk)
        found = _candidate(desk, identity)
        _replacement(desk, identity, by)
        text = review_text.reason(reason)
        data = review_text.rejected(found, text.text, by)
        event = events.KnowledgeRejected(
            id=identity,
            path=found.path,
            reason=" ".join(text.text.split()),
            superseded_by=by or None,
            agent=desk.is_agent or None,
        )
        _carry_out(
            desk, event, (Change(path=found.path, before=found.data, data=data),)
        )
    return Done(id=identity, path=found.path, masked=text.kinds)


def _carry_out(desk: Desk, event: events.Event, changes: tuple[Change, ...]) -> None:
    """The note of the act, the files together, the ledger line, and the note goes."""
    target, source = changes[0], changes[-1]
    note = acts.Note(
        episode=desk.ledger,
        event=event,
        target=target.path,
        after=digest.hexdigest(target.data or b""),
        source=source.path,
        before=digest.hexdigest(source.before or b""),
    )
    acts.keep(desk.store, note)
    try:
        batch.apply(desk.store, LOCK, changes)
    except BaseException:
        # Whether it had begun is for the next act to find out, as after a kill.
        if not batch.pending(desk.store):
            acts.drop(desk.store, note)
        raise
    acts.log(desk, note)


def _candidate(desk: Desk, identity: str) -> Shelved:
    """The candidate of that id that may be rejected, or the refusal that says why not."""
    return _reviewable(desk, CANDIDATES, identity)


def _reviewable(desk: Desk, where: str, identity: str) -> Shelved:
    """The record of that id on a shelf, if it is whole and of the status that belongs there."""
    if not shelf.has(desk.store, where, identity):
        if shelf.has(desk.store, CURATED, identity):
            raise _promoted_already(desk, identity)
        raise AfterwordError(
            f"no candidate has the id {identity!r}", hint=LIST, code="unknown-candidate"
        )
    found = shelf.load(desk.store, where, identity)
    _is_whole(found, identity)
    wanted = "candidate" if where == CANDIDATES else "verified"
    if found.text("status") != wanted:
        only = "a candidate" if where == CANDIDATES else "a verified curated record"
        raise AfterwordError(
            f"{found.path}:{found.line_of('status')}: status is {found.text('status')!r},"
            f" and only {only} can be reviewed",
            hint=LIST,
            code="status",
        )
    return found


def _promoted_already(desk: Desk, identity: str) -> AfterwordError:
    return AfterwordError(
        f"{identity} was promoted already: {desk.store.paths[CURATED]}/{identity}.md",
        hint=LIST,
        code="promoted",
    )


def _is_whole(found: Shelved, identity: str) -> None:
    if found.markers:
        raise StoreDamaged(
            f"{found.path}:{found.markers}: a merge left its conflict markers here",
            hint=remedies.of("merge_markers", found),
        )
    if found.fields is None:
        raise AfterwordError(
            f"{found.path}:{found.line}: {found.problem}",
            hint="mend the file; afterword knowledge check names every fault",
            code="shape",
        )
    if found.text("id") != identity:
        raise AfterwordError(
            f"{found.path}:{found.line_of('id')}: id is {found.text('id')!r}, not {identity!r}",
            hint="mend the file: its name and its id are one",
            code="id",
        )


def _has_origin(found: Shelved) -> None:
    provenance = (found.fields or {}).get("provenance")
    if not isinstance(provenance, dict) or not provenance.get("origin"):
        raise AfterwordError(
            f"{found.path}:{found.line_of('provenance')}: has no provenance.origin,"
            " so nobody can say where it comes from",
            hint="mend the file; afterword knowledge check names every fault",
            code="provenance",
        )


def _refuse_second(desk: Desk, identity: str) -> None:
    """Both files are there, and no act of ours left them so: a person decides."""
    paths = [f"{desk.store.paths[name]}/{identity}.md" for name in SHELVES]
    raise AfterwordError(
        f"{paths[1]} exists already: promoting would overwrite it",
        hint=f"compare it with {paths[0]} and delete the one that is wrong",
        code="duplicate",
    )


def _replacement(desk: Desk, identity: str, by: str) -> None:
    if not by:
        return
    if by == identity:
        raise AfterwordError(
            f"--by {by}: a record cannot replace itself", hint=LIST, code="by"
        )
    if not any(shelf.has(desk.store, name, by) for name in SHELVES):
        raise AfterwordError(f"--by {by}: no record has that id", hint=LIST, code="by")


def refuse_agents(sign: str, *, allowed: bool) -> bool:
    """Whether an agent is acting with leave; `AfterwordError` when it acts without.

    `sign` is the variable that shows an agent, "" for a person.
    """
    if sign and not allowed:
        raise AfterwordError(
            f"this is an act of a person, and {sign} shows that an agent is typing",
            hint="ask a person to run it; or, to let agents review: review.agents: true in .ai/config.yaml",
            code="agent",
        )
    return bool(sign)
