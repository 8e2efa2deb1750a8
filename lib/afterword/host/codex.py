"""Codex, as observed with 0.171.0 (docs/hosts.md). Data only.

SessionEnd is killed after 1 s, a declared time-out is clamped to 3 s with a
warning; SIGTERM fires no SessionEnd at all; replies are checked against a schema
without unknown keys; project hooks run only once a person has trusted them.
"""

from afterword.host.protocol import COMPACT, END, START, STOP, Host

HOST = Host(
    name="codex",
    title="Codex",
    event_names={
        "SessionStart": START,
        "Stop": STOP,
        "SubagentStop": STOP,
        "PreCompact": COMPACT,
        "SessionEnd": END,
    },
    wired={
        START: "SessionStart",
        STOP: "Stop",
        COMPACT: "PreCompact",
        END: "SessionEnd",
    },
    timeouts={START: 10, STOP: 10, COMPACT: 10, END: 3},
    settings=".codex/hooks.json",
    local_settings=".codex/hooks.json",
    hooks_folder=".codex/hooks",
    skills_folder=".agents/skills",
    home_variable="CODEX_HOME",
    # With one comment in hooks.json 0.171.0 ran none of its hooks, trusted or not.
    comments=False,
    session_variables=("CODEX_SESSION_ID", "CODEX_THREAD_ID"),
    agent_variables=("CODEX_SANDBOX", "CODEX_THREAD_ID", "CODEX_SESSION_ID"),
    executables=("codex",),
    end_budget=0.8,
    end_timeout_cap=3.0,
    notice_events=(STOP,),
    needs="Codex runs project hooks only after you trust them: start codex here, type /hooks and trust the four afterword hooks.",
)
