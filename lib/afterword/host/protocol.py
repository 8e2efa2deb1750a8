"""What a coding agent does with hooks, as data: one `Host` per agent, one module each.

A host says how its payload is read, how it wants its reply, where its settings
lie and how long it waits. Pure; part of a hook's path, so standard library only.
Facts are from observed sessions, named beside each value.
"""

from afterword.model import TYPE_CHECKING, Model
from afterword.store import jsonline

if TYPE_CHECKING:
    from typing import Any

START, STOP, COMPACT, END = "session-start", "stop", "pre-compact", "session-end"
EVENTS = (START, STOP, COMPACT, END)

_SESSION_KEYS = ("session_id", "sessionId")
_EVENT_KEYS = ("hook_event_name", "hookEventName", "event_name")
_SOURCE_KEYS = ("source", "session_source")
_REASON_KEYS = ("reason", "end_reason")
_AGENT_KEYS = ("agent_id", "agentId")


class Payload(Model):
    """What is read of a hook's stdin; every other value is ignored and never stored.

    `event` is one of `EVENTS`, or "" when the payload names none, or the foreign
    name as given (made safe) when it is not ours. Absent texts are "".
    """

    event: str = ""
    event_name: str = ""
    session: str = ""
    agent: str = ""
    source: str = ""
    reason: str = ""
    trigger: str = ""
    cwd: str = ""
    keys: "tuple[str, ...]" = ()


class Host(Model):
    """One coding agent.

    `event_names` maps the host's event names to ours; `wired` our events to the
    names written into its settings. `budgets` are seconds that our part of an
    event may take; `end_budget` holds where the settings declare no time-out.
    `timeouts` are what install writes, in the host's own unit. `project_variable`
    names the project's folder in a hook's environment, `home_variable` the folder
    that replaces the one in HOME; `comments` says whether settings may hold them.
    """

    name: str
    title: str
    event_names: "dict[str, str]"
    wired: "dict[str, str]"
    timeouts: "dict[str, int]"
    timeout_unit: float = 1.0
    settings: str
    local_settings: str
    hooks_folder: str
    skills_folder: str
    project_variable: str = ""
    home_variable: str = ""
    comments: bool = False
    session_variables: "tuple[str, ...]" = ()
    agent_variables: "tuple[str, ...]" = ()
    pid_variable: str = ""
    executables: "tuple[str, ...]" = ()
    deliberate_reasons: "tuple[str, ...]" = ()
    end_budget: float
    end_timeout_cap: float = 60.0
    dependable_end: bool = True
    env_file_variable: str = ""
    notice_events: "tuple[str, ...]" = ()
    needs: str = ""

    def payload(self, data: "dict[str, Any]") -> Payload:
        """The payload's values, by candidate key names; wrong types count as absent."""
        name = _text(data, _EVENT_KEYS)
        return Payload(
            event=self.event_names.get(name, safe(name)),
            event_name=safe(name),
            session=_text(data, _SESSION_KEYS, limit=1 << 16),
            agent=safe(_text(data, _AGENT_KEYS)) or _unnamed_agent(name),
            source=safe(_text(data, _SOURCE_KEYS)),
            reason=safe(_text(data, _REASON_KEYS)),
            trigger=safe(_text(data, ("trigger",))),
            cwd=_text(data, ("cwd",), limit=4096),
            keys=tuple(sorted(safe(key) for key in data))[:40],
        )

    def reply(self, event: str, *, context: str = "", notice: str = "") -> str:
        """What goes to stdout: "" or exactly one JSON object that every host accepts.

        `hookSpecificOutput` carries nothing but the two keys; a host with a strict
        schema drops a reply with any other (observed on Codex).
        """
        body: dict[str, Any] = {}
        if context:
            body["hookSpecificOutput"] = {
                "hookEventName": self.wired[event],
                "additionalContext": context,
            }
        if notice and event in self.notice_events:
            body["systemMessage"] = notice
        return jsonline.clean(jsonline.dumps(body)) if body else ""


def _unnamed_agent(event_name: str) -> str:
    """A sub-agent's event is one, also where the payload does not say whose."""
    return "unnamed" if event_name.startswith("Subagent") else ""


def _text(data: "dict[str, Any]", keys: "tuple[str, ...]", limit: int = 200) -> str:
    """The first of the keys that holds a text, cut at `limit` characters."""
    for key in keys:
        value = data.get(key)
        if isinstance(value, str) and value:
            return jsonline.clean(value)[:limit]
    return ""


_SAFE = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:@/-"
)


def safe(text: str) -> str:
    """A payload value as it may be logged: 64 plain characters at most (spec/episodes 5.2)."""
    kept = "".join(char if char in _SAFE else "-" for char in text)
    while "--" in kept:
        kept = kept.replace("--", "-")
    return kept[:64].strip("-")
