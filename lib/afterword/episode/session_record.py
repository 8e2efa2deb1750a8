"""The session record: what an episode was, as a tracked projection of its ledger.

Written at each close, and only when the episode recorded something or committed
(spec/episodes 3.6, DESIGN 3 and 5). No absolute path, no person, no word of the
conversation. Pure but for `path_of`; part of a hook's path.
"""

from afterword.episode import events
from afterword.episode.window import Bounds, Window
from afterword.model import TYPE_CHECKING, Model
from afterword.store import safe_text, secrets, template
from afterword.store.layout import Store
from afterword.store.template import Plain

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from afterword.store.template import Scalar, Value

SCHEMA, KIND = "session/v1", "session"
OUTCOMES = ("closed", "interrupted")
KEYS = (
    "schema",
    "kind",
    "session_id",
    "title",
    "started_at",
    "closed_at",
    "outcome",
    "host",
    "branch",
    "start_head",
    "head",
    "commits",
    "shared",
    "tasks",
    "decisions",
    "questions",
    "learned",
)
# The parts of the body, and what stands there when there is nothing to tell.
SECTIONS = (
    ("Decisions", "No decision was recorded."),
    ("Questions", "No question was opened or resolved."),
    ("Tasks", "No task was started or finished."),
)


class SessionRecord(Model):
    """One closed episode. Times are UTC stamps, commits full shas oldest first.

    `shared` are commits that were made while other episodes were open here too.
    """

    episode: str
    started_at: str
    closed_at: str
    outcome: str
    host: str = ""
    branch: "str | None" = None
    start_head: "str | None" = None
    head: "str | None" = None
    commits: "tuple[str, ...]" = ()
    shared: "tuple[str, ...]" = ()
    lines: "tuple[dict[str, Any], ...]" = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell: then no file is written."""
        return not (self.commits or self.shared or self.lines)

    def data(self) -> bytes:
        """The file's bytes, a function of ledger and git alone."""
        return template.render(self._front_matter(), self._body())

    def _front_matter(self) -> "list[tuple[str, Value]]":
        """The keys; `learned`, what was put into the queue, only where there is some."""
        learned = self._texts(events.QueueAdded._name, "title")
        more: list[tuple[str, Value]] = [("learned", learned)] if learned else []
        return [
            ("schema", Plain(SCHEMA)),
            ("kind", Plain(KIND)),
            ("session_id", Plain(self.episode)),
            ("title", self._title()),
            ("started_at", self.started_at),
            ("closed_at", self.closed_at),
            ("outcome", Plain(self.outcome)),
            ("host", Plain(self.host)),
            ("branch", withheld(self.branch or "", secrets.is_doubtful)),
            ("start_head", Plain(self.start_head or "")),
            ("head", Plain(self.head or "")),
            ("commits", _plain(self.commits)),
            ("shared", _plain(self.shared)),
            ("tasks", self._texts(events.TaskStarted._name, "task_id")),
            ("decisions", self._texts(events.DecisionRecorded._name, "decision")),
            ("questions", self._texts(events.QuestionOpened._name, "question")),
            *more,
        ]

    def _title(self) -> str:
        titles = self._texts(events.TaskStarted._name, "title")
        return str(titles[0]) if titles else f"Episode {self.episode}"

    def _texts(self, event: str, key: str) -> "list[Scalar]":
        """The texts of one kind of line, each once, in order."""
        found = dict.fromkeys(
            _text(line, key) for line in self.lines if line["event"] == event
        )
        return [text for text in found if text]

    def _body(self) -> str:
        count = len(self.commits) + len(self.shared)
        parts = [
            f"# {self._title()}",
            outcome_sentence(self.outcome, self.closed_at, count),
        ]
        told = self._decisions(), self._questions(), self._tasks()
        for (heading, absent), items in zip(SECTIONS, told, strict=True):
            parts += [
                f"## {heading}",
                "\n".join(f"- {item}" for item in items) or absent,
            ]
        return "\n\n".join(parts)

    def _decisions(self) -> "list[str]":
        return [
            f"{_text(line, 'decision')} (why: {_text(line, 'why')})"
            for line in self.lines
            if line["event"] == events.DecisionRecorded._name
        ]

    def _questions(self) -> "list[str]":
        found: dict[str, str] = {}
        for line in self.lines:
            if line["event"] == events.QuestionOpened._name:
                found.setdefault(_text(line, "question"), "open")
            elif line["event"] == events.QuestionResolved._name:
                found[_text(line, "question")] = _text(line, "answer")
        return [f"{question}: {answer}" for question, answer in found.items()]

    def _tasks(self) -> "list[str]":
        found: dict[str, str] = {}
        for line in self.lines:
            if line["event"] == events.TaskStarted._name:
                found[_text(line, "task_id")] = f"{_text(line, 'title')}: active"
            elif line["event"] == events.TaskFinished._name:
                title = found.get(_text(line, "task_id"), "").partition(": active")[0]
                found[_text(line, "task_id")] = (
                    f"{title or 'Task'}: {_text(line, 'outcome')}"
                )
        return [f"{task}: {text}" for task, text in found.items()]


def outcome_sentence(outcome: str, closed_at: str, commits: int) -> str:
    """What the body says first: how the episode ended, when, and how much it committed."""
    made = {0: "No commit was made", 1: "One commit was made"}.get(
        commits, f"{commits} commits were made"
    )
    ended = "It was closed" if outcome == "closed" else "It was interrupted"
    return f"{ended} at {closed_at}. {made}."


def _plain(texts: "tuple[str, ...]") -> "list[Scalar]":
    return [Plain(text) for text in texts]


def withheld(text: str, secret: "Callable[[str], str]" = secrets.hits_prefix) -> str:
    """The text, unless it looks like a secret or a line of a transcript."""
    flat = safe_text.one_line(text)
    if secret(flat) or safe_text.transcript_marker(flat):
        return "(withheld: looks like a secret or a transcript)"
    return flat


def _text(line: "dict[str, Any]", key: str) -> str:
    value = line.get(key)
    return withheld(value) if isinstance(value, str) else ""


_RECORDED = frozenset(
    kind._name
    for kind in (
        events.TaskStarted,
        events.TaskFinished,
        events.DecisionRecorded,
        events.QuestionOpened,
        events.QuestionResolved,
        events.QueueAdded,
        events.ReflectionAdded,
    )
)


def project(
    window: Window,
    span: Bounds,
    outcome: str,
    commits: "tuple[str, ...]",
    shared: "tuple[str, ...]",
) -> SessionRecord:
    """The record of an episode that is ending, from its lines and its commits."""
    first = window.first(events.SessionStarted._name) or {}
    return SessionRecord(
        episode=window.episode,
        started_at=str(first.get("ts", "")),
        closed_at=span.closed_at,
        outcome=outcome,
        host=safe_text.one_line(str(first.get("host", ""))),
        branch=span.branch,
        start_head=span.opening,
        head=span.closing,
        commits=commits,
        shared=shared,
        lines=tuple(line for line in window.lines if line["event"] in _RECORDED),
    )


def path_of(store: Store, record: SessionRecord) -> str:
    """`sessions/<YYYY-MM>/<episode>.md`, the month of the opening."""
    return store.tracked("sessions", record.started_at[:7], f"{record.episode}.md")
