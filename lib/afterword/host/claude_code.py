"""Claude Code, as observed with 2.1.332 and 2.1.197 (docs/hosts.md). Data only.

SessionEnd is killed after 1.5 s unless the settings declare a longer time-out,
which is honoured; SessionStart output above 10,000 characters is replaced by a
2 kB preview; a `SessionStart` hook may write exports to `CLAUDE_ENV_FILE`.
"""

from afterword.host.protocol import COMPACT, END, START, STOP, Host

HOST = Host(
    name="claude-code",
    title="Claude Code",
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
    timeouts={START: 10, STOP: 10, COMPACT: 10, END: 10},
    settings=".claude/settings.json",
    local_settings=".claude/settings.local.json",
    hooks_folder=".claude/hooks",
    skills_folder=".claude/skills",
    project_variable="CLAUDE_PROJECT_DIR",
    home_variable="CLAUDE_CONFIG_DIR",
    # With one comment in the settings 2.1.332 ran no hook of that file, and said nothing in
    # print mode; asked for, and rejected so far: anthropics/claude-code 83190, 17968.
    comments=False,
    session_variables=("CLAUDE_CODE_SESSION_ID",),
    agent_variables=("CLAUDECODE", "CLAUDE_CODE_SESSION_ID"),
    pid_variable="CLAUDE_PID",
    executables=("claude",),
    deliberate_reasons=("clear", "logout", "prompt_input_exit"),
    end_budget=1.2,
    env_file_variable="CLAUDE_ENV_FILE",
    notice_events=(STOP,),
)
