"""The ground the other tests stand on: no network, hooks that fire, a real sandbox.

Nothing here needs the program; a failure here after a new version of an agent is
pinned says that the agent changed, not afterword.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from . import npm
from .agents import Agent, ClaudeCode, Codex
from .lab import Lab, say, shell

pytestmark = pytest.mark.hosts

PLAIN = [
    "SessionStart(startup)",
    "UserPromptSubmit",
    "PostToolUse",
    "Stop",
    "SessionEnd",
]
DIAL = """
import errno, socket
try:
    socket.create_connection(("192.0.2.1", 443), timeout=5)
except OSError as error:
    print(errno.errorcode[error.errno])
"""


def test_nothing_but_loopback_can_be_reached(lab: Lab) -> None:
    """In the namespace an outside address is unreachable at once, not after a wait."""
    command = [*lab.namespace.join(), sys.executable, "-I", "-c", DIAL]
    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=20, check=True
    )
    assert ran.stdout.strip() == "ENETUNREACH"


@pytest.mark.parametrize("kind", [ClaudeCode, Codex])
def test_a_scripted_session_runs_its_tool_and_its_hooks(
    lab: Lab, kind: type[Agent]
) -> None:
    """The model's command is executed and every event reaches the witness hook."""
    agent = kind(lab)
    run = agent.run("Make a file.", [shell("echo from-the-model > made"), say("Made.")])
    assert run.events() == PLAIN
    assert (lab.project / "made").read_text() == "from-the-model\n"
    assert "Made." in run.talk()


def test_codex_skips_untrusted_hooks_in_silence(lab: Lab) -> None:
    """Why every test asserts that hooks fired; with the hashes written they do."""
    codex = Codex(lab)
    codex.bypass = False
    assert codex.run("Hello.", [say("Hello.")]).events() == []
    assert codex.trust_hooks() == len(codex.events)
    assert "SessionStart(startup)" in codex.run("Hello.", [say("Hello.")]).events()


def test_the_sandbox_of_codex_works_here(lab: Lab) -> None:
    """Its workspace is writable; .git, HOME and the temporary folder are not."""
    codex = Codex(lab)
    codex.write_config(sandbox="workspace-write")
    words = 'touch made; touch .git/x; touch "$HOME/x"; touch /tmp/afterword-x'
    run = codex.run("Try.", [shell(words), say("Tried.")])
    (result,) = run.tool_results()
    assert result.count("Read-only file system") == 3, result
    assert (lab.project / "made").exists()


def test_a_missing_npm_fails_and_is_not_skipped(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says what to install."""
    monkeypatch.setenv("AFTERWORD_TEST_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(AssertionError, match="need npm, which is not on PATH"):
        npm.binary_of(npm.CODEX)
