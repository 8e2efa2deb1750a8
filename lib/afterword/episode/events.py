"""The vocabulary of the ledger: one frozen class per event, nothing else is written.

An event is `<noun>.<past participle>`; its fields follow the envelope of DESIGN
section 6. Lists are JSON lists, counts are numbers, absent fields are not written.
May import `model` only; every room of the program may import this.
"""

from afterword.model import TYPE_CHECKING, Model

if TYPE_CHECKING:
    from typing import Any

ENVELOPE = ("ts", "event", "head", "branch", "by", "session")
NO_TASK = "none"


class Event(Model):
    """One thing that happened. `_name` is its name in the ledger."""

    _name = ""

    def fields(self) -> "dict[str, Any]":
        """What is written behind the envelope: given fields in declared order, None left out."""
        return {key: value for key, value in self.values().items() if value is not None}


class SessionStarted(Event):
    """An episode was opened or continued; the first one's head is the opening commit."""

    _name = "session.started"
    host: str
    source: str = ""
    host_session: "str | None" = None
    lazily: "bool | None" = None


class SessionEnding(Event):
    """An end was asked for; whoever completes it uses reason, outcome and the envelope's head.

    Where nobody asked and a later start found the episode stranded, the two fields
    say when and at which head it last gave a sign of life.
    """

    _name = "session.ending"
    reason: str = ""
    outcome: str = "interrupted"
    last_sign: "str | None" = None
    last_head: "str | None" = None


class SessionClosed(Event):
    """The episode is closed; all steps before it are done."""

    _name = "session.closed"
    outcome: str
    session_path: "str | None" = None


class SessionRecovered(Event):
    """This episode's start closed another that nobody closed."""

    _name = "session.recovered"
    session_id: str
    reason: str
    session_path: "str | None" = None


class RoundEnded(Event):
    """The agent finished answering once; `agent` names a sub-agent, whose rounds do not count."""

    _name = "round.ended"
    agent: "str | None" = None


class TaskStarted(Event):
    _name = "task.started"
    task_id: str
    title: str
    scope: "list[str]"


class TaskFinished(Event):
    """`verify` is null or `{command, exit, seconds}`."""

    _name = "task.finished"
    task_id: str
    outcome: str
    verify: "dict[str, Any] | None" = None
    reason: "str | None" = None

    def fields(self) -> "dict[str, Any]":
        return {**super().fields(), "verify": self.verify}


class DecisionRecorded(Event):
    _name = "decision.recorded"
    task_id: str = NO_TASK
    decision: str
    why: str
    rejected: "str | None" = None
    evidence: "str | None" = None
    supersedes: "str | None" = None


class QuestionOpened(Event):
    _name = "question.opened"
    task_id: str = NO_TASK
    question: str


class QuestionResolved(Event):
    _name = "question.resolved"
    task_id: str = NO_TASK
    question: str
    answer: str


class ProviderEventReceived(Event):
    """The receipt of a hook call, written before any guard."""

    _name = "provider.event.received"
    provider: str
    provider_event: str
    source: "str | None" = None
    reason: "str | None" = None
    trigger: "str | None" = None
    agent: "str | None" = None
    provider_session: "str | None" = None


class ProviderEventFailed(Event):
    _name = "provider.event.failed"
    provider: str
    provider_event: str
    reason: str


class KnowledgeDerived(Event):
    """A derivation ran, also when it wrote nothing. `hashes` go with `paths`, over LF text."""

    _name = "knowledge.derived"
    episode: str
    written: int
    unchanged: int
    skipped: int
    paths: "list[str]"
    hashes: "list[str]"


class KnowledgePromoted(Event):
    _name = "knowledge.promoted"
    id: str
    path: str
    agent: "bool | None" = None


class KnowledgeRejected(Event):
    _name = "knowledge.rejected"
    id: str
    path: str
    reason: str
    superseded_by: "str | None" = None
    agent: "bool | None" = None


class QueueAdded(Event):
    """Something to learn was put into the learning queue."""

    _name = "queue.added"
    id: str
    title: str
    priority: str


class QueueArchived(Event):
    """Done items left the learning queue for `archive`; `kept` done ones stayed."""

    _name = "queue.archived"
    moved: int
    kept: int
    archive: str


class EvolveRan(Event):
    """Queue items became knowledge-base entries: `items` and `products` go together.

    `automatic` at an episode's end. Written also when nothing was done by hand, for it is
    what keeps the end from running once more.
    """

    _name = "evolve.ran"
    processed: int
    items: "list[str]"
    products: "list[str]"
    automatic: bool = False


class ReflectionAdded(Event):
    _name = "reflection.added"
    date: str
    title: str


class ReflectionsRolled(Event):
    """The oldest reflections left the log for `archive`; `kept` dated ones stayed."""

    _name = "reflections.rolled"
    moved: int
    kept: int
    archive: str


class IncrementAdded(Event):
    """An increment was written: the stem of its file, and the title of its entry."""

    _name = "increment.added"
    stem: str
    type: str
    title: str


class SnapshotCompiled(Event):
    """Increments were folded into the snapshot; `automatic` by a Stop.

    `stems` are those compiled, `added` counts new entries, `conflicts` what is pending now.
    """

    _name = "snapshot.compiled"
    stems: "list[str]"
    added: int
    conflicts: int
    pending: int
    paths: "list[str]"
    automatic: bool = False


class ConflictResolved(Event):
    """A person decided a conflict; `increment` is the stem of the record of it.

    `agent` is true where an agent acted with leave (`review.agents`).
    """

    _name = "conflict.resolved"
    id: str
    keep: str
    why: str
    increment: str
    agent: "bool | None" = None


class LedgerRotated(Event):
    """Ledger files of closed episodes were joined into `archive`; nothing was removed before."""

    _name = "ledger.rotated"
    archived: int
    kept: int
    archive: str


EVENTS: "dict[str, type[Event]]" = {
    kind._name: kind
    for kind in (
        SessionStarted,
        SessionEnding,
        SessionClosed,
        SessionRecovered,
        RoundEnded,
        TaskStarted,
        TaskFinished,
        DecisionRecorded,
        QuestionOpened,
        QuestionResolved,
        ProviderEventReceived,
        ProviderEventFailed,
        KnowledgeDerived,
        KnowledgePromoted,
        KnowledgeRejected,
        QueueAdded,
        QueueArchived,
        EvolveRan,
        ReflectionAdded,
        ReflectionsRolled,
        IncrementAdded,
        SnapshotCompiled,
        ConflictResolved,
        LedgerRotated,
    )
}

# What a derivation reads; a compaction without a new one of these has nothing to do.
EVIDENCE = frozenset(
    (DecisionRecorded._name, QuestionResolved._name, TaskFinished._name)
)
