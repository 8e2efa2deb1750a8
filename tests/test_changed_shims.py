"""A hook file that afterword did not write is named to the next session (DESIGN 12, H66)."""

from __future__ import annotations

import json

import pytest

from afterword import host as hosts
from afterword.host import shims as digests
from afterword.host.protocol import EVENTS
from afterword.install import shims
from afterword.store import digest


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("host", hosts.every(), ids=lambda host: host.name)
def test_the_digests_are_those_of_what_install_writes(host, event):
    """The hot path has digests as data; they must follow the shims' text."""
    expected = digest.of_text(shims.project_hook(host, event))
    assert digests.DIGESTS[f"{host.name} {event}"] == expected


def test_the_digest_of_the_command_is_that_of_what_install_writes():
    """The shim that agents call by hand is looked at too."""
    assert digests.DIGESTS[digests.COMMAND] == digest.of_text(shims.command())


def test_a_changed_hook_file_is_named_in_the_briefing(repo, run_hook):
    """An untouched shim is passed over, one with other bytes is named with what to type."""
    folder = repo.root / ".claude/hooks"
    folder.mkdir(parents=True)
    host = hosts.named("claude-code")
    (folder / "afterword-stop").write_bytes(shims.project_hook(host, "stop") + b"id\n")
    (folder / "afterword-session-end").write_bytes(
        shims.project_hook(host, "session-end")
    )
    answer = run_hook("session-start", {"session_id": "e1", "source": "startup"})
    text = json.loads(answer.out)["hookSpecificOutput"]["additionalContext"]
    assert (
        "These hook files are not as afterword wrote them. Tell the user to look at them"
        " (git log -p) and to run afterword's install.py again:\n"
        "- .claude/hooks/afterword-stop\n" in text
    )
    assert "afterword-session-end" not in text
