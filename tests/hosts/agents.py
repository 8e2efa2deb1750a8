"""How each agent is configured, started, resumed and provoked to compact.

One class per agent; all of them write only below the lab's HOME and talk only to the
scripted model. The facts were observed with the versions pinned in npm.py.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from . import npm
from .lab import CLEAN, Json, Lab, Launch, Run

KEY = "dummy-key"


class Agent:
    """What both agents have in common."""

    host: str
    package: npm.Package
    events: tuple[str, ...]

    def __init__(self, lab: Lab) -> None:
        """Install the agent if need be and write its user settings."""
        self.lab = lab
        self.binary = str(npm.binary_of(self.package))
        self.started = 0
        self.configure()

    def configure(self) -> None:
        """Write the agent's own settings into the lab's HOME."""
        raise NotImplementedError

    def command(self, prompt: str, resume: str | None, url: str) -> list[str]:
        """The words of a headless run."""
        raise NotImplementedError

    def environment(self, url: str) -> dict[str, str]:
        """What the agent needs in its environment beside the clean one."""
        raise NotImplementedError

    def start(
        self,
        prompt: str,
        steps: Iterable[Json] = (),
        *,
        resume: str | None = None,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Run:
        """Start a session and return at once; ``resume`` names an earlier one."""
        self.started += 1
        name = f"{self.host}-{self.started}"
        url = self.lab.url_of(name)
        environment = {**self.environment(url), **(env or {})}
        command = self.command(prompt, resume, url)
        launch = Launch(name, command, environment, tuple(steps), cwd)
        return Run(self.lab, launch)

    def run(self, prompt: str, steps: Iterable[Json] = (), **more: object) -> Run:
        """Run a session to its end."""
        return self.start(prompt, steps, **more).wait()  # type: ignore[arg-type]

    def witness_hooks(self) -> Json:
        """The recorder hook for every event, in the form both agents read."""
        return {
            event: [
                {
                    "hooks": [
                        {"type": "command", "command": self.lab.witness_command(event)}
                    ]
                }
            ]
            for event in self.events
        }


class ClaudeCode(Agent):
    """Claude Code: settings.json, ``-p``, ``--resume``, a window set by environment."""

    host = "claude-code"
    package = npm.CLAUDE_CODE
    events = (
        "SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd",
        "SubagentStop", "PreCompact", "PostCompact",
    )  # fmt: skip
    # With this window a reply that reports TOKENS makes the next prompt compact first.
    COMPACTING: ClassVar = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}
    TOKENS = 190_000
    more_words: tuple[str, ...] = ()  # a test may add to every later run's command

    def configure(self) -> None:
        """Write ``~/.claude/settings.json`` with the witness hooks."""
        folder = self.lab.home / ".claude"
        folder.mkdir()
        settings = {"hooks": self.witness_hooks()}
        (folder / "settings.json").write_text(json.dumps(settings, indent=2))

    def command(self, prompt: str, resume: str | None, url: str) -> list[str]:
        """``claude -p``, with the shell tool allowed."""
        words = [self.binary, "-p", prompt, "--model", "claude-sonnet-4-5"]
        words += ["--allowedTools", "Bash", *self.more_words]
        return [*words, "--resume", resume] if resume else words

    def environment(self, url: str) -> dict[str, str]:
        """The scripted model's address, the dummy key, nothing that phones home."""
        return {
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
        }

    def confine(self) -> dict[str, str]:
        """Turn Claude Code's own sandbox on; returns what a run needs in its environment.

        The sandbox needs bubblewrap (Codex brings one along) and socat on PATH; where
        they are not installed the folder made here supplies them.
        """
        path = self.lab.home / ".claude" / "settings.json"
        settings = json.loads(path.read_text())
        settings["sandbox"] = {
            "enabled": True,
            "failIfUnavailable": True,
            "autoAllowBashIfSandboxed": True,
            "allowUnsandboxedCommands": False,
        }
        path.write_text(json.dumps(settings, indent=2))
        tools = self.lab.home / "bin"
        tools.mkdir()
        bwrap = npm.binary_of(npm.CODEX).parents[1] / "codex-resources" / "bwrap"
        (tools / "bwrap").symlink_to(bwrap)
        stand_in = Path(__file__).with_name("socat_stand_in.py")
        (tools / "socat").write_text(
            f"#!/bin/sh\nexec '{sys.executable}' -I '{stand_in}' \"$@\"\n"
        )
        (tools / "socat").chmod(0o755)
        return {"PATH": f"{CLEAN['PATH']}:{tools}"}


CODEX_CONFIG = """\
model = "gpt-5.1"
model_provider = "stub"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "{sandbox}"
{more}
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
[model_providers.stub]
name = "stub"
base_url = "http://127.0.0.1:9/v1"
env_key = "STUB_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
[analytics]
enabled = false
[otel]
exporter = "none"
metrics_exporter = "none"
[projects.{project}]
trust_level = "trusted"
"""


class Codex(Agent):
    """Codex: config.toml, ``exec``, trust hashes, its own sandbox."""

    host = "codex"
    package = npm.CODEX
    events = (
        "SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd",
        "PreCompact", "PostCompact",
    )  # fmt: skip
    # With this limit a tool call whose reply reports TOKENS is followed by a compaction.
    COMPACTING = "model_auto_compact_token_limit = 50000"
    TOKENS = 190_000

    def __init__(self, lab: Lab) -> None:
        """As for every agent; hooks are bypassed until ``trust_hooks`` was called."""
        self.bypass = True
        self.folder = lab.home / ".codex"
        super().__init__(lab)

    def configure(self) -> None:
        """Write ``~/.codex``: provider, trusted project, witness hooks."""
        self.folder.mkdir()
        hooks = {"hooks": self.witness_hooks()}
        (self.folder / "hooks.json").write_text(json.dumps(hooks, indent=2))
        self.write_config()

    def write_config(
        self, sandbox: str = "danger-full-access", more: str = "", trust: str = ""
    ) -> None:
        """Write config.toml; ``more`` goes to the top level, ``trust`` to the end."""
        project = json.dumps(str(self.lab.project))
        text = CODEX_CONFIG.format(sandbox=sandbox, more=more, project=project)
        (self.folder / "config.toml").write_text(text + trust)

    def trust_hooks(self, sandbox: str = "danger-full-access", more: str = "") -> int:
        """Trust every hook that Codex sees, by its hash, as a person would once.

        From here on runs go without the bypass flag. Returns how many hooks are
        trusted; Codex skips an untrusted hook in silence.
        """
        hooks = self.list_hooks()
        states = [
            f"[hooks.state.{json.dumps(hook['key'])}]\n"
            f"trusted_hash = {json.dumps(hook['currentHash'])}\n"
            for hook in hooks
        ]
        self.write_config(sandbox, more, "".join(states))
        self.bypass = False
        return len(states)

    def list_hooks(self) -> list[Json]:
        """What ``hooks/list`` of ``codex app-server`` says about the project's hooks."""
        initialize = {"clientInfo": {"name": "test", "version": "0"}}
        calls = [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize},
            {"jsonrpc": "2.0", "method": "initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "hooks/list",
             "params": {"cwds": [str(self.lab.project)]}},
        ]  # fmt: skip
        with subprocess.Popen(
            [*self.lab.namespace.join(), self.binary, "app-server"],
            cwd=self.lab.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
            env={**CLEAN, "HOME": str(self.lab.home), **self.environment("")},
        ) as server:  # fmt: skip
            assert server.stdin is not None and server.stdout is not None
            server.stdin.write("".join(json.dumps(call) + "\n" for call in calls))
            server.stdin.flush()
            answer = next(
                found
                for line in server.stdout
                if (found := json.loads(line)).get("id") == 2
            )
            server.kill()
        return [hook for entry in answer["result"]["data"] for hook in entry["hooks"]]

    def command(self, prompt: str, resume: str | None, url: str) -> list[str]:
        """``codex exec``, without the bypass flag once hooks are trusted."""
        words = [self.binary, "exec", "-c", f'model_providers.stub.base_url="{url}/v1"']
        if self.bypass:
            words.append("--dangerously-bypass-hook-trust")
        return [*words, "resume", resume, prompt] if resume else [*words, prompt]

    def environment(self, url: str) -> dict[str, str]:
        """The dummy key and the settings folder."""
        return {"STUB_API_KEY": KEY, "CODEX_HOME": str(self.folder)}
