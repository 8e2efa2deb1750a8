"""Real sessions of Codex (version pinned in npm.py), its hooks trusted by hash."""

from __future__ import annotations

import pytest

from .agents import Codex
from .contract import CLI, END, EveryAgent, assert_hooks_fired, assert_told, decide
from .lab import Lab, say, shell
from .memory import Memory

pytestmark = pytest.mark.hosts

OURS = 4  # session-start, stop, pre-compact, session-end


@pytest.fixture
def agent(lab: Lab) -> Codex:
    """Codex, wired into the lab's project, every hook trusted as a person would."""
    lab.wire("codex")
    codex = Codex(lab)
    assert codex.trust_hooks() == len(codex.events) + OURS
    return codex


class TestCodex(EveryAgent):
    """What holds for every agent, and what only Codex has."""

    def test_a_compaction_derives_and_briefs_again(
        self, lab: Lab, agent: Codex
    ) -> None:
        """An automatic compaction in mid-session, after a decision."""
        memory = Memory(lab.project)
        agent.trust_hooks(more=agent.COMPACTING)
        steps = [decide("Tabs are refused", tokens=agent.TOKENS), say("Going on.")]
        run = agent.run("Fill the window.", steps)
        expected = ("PreCompact(auto)", "SessionStart(compact)", *END)
        assert_hooks_fired(run, memory, "SessionStart(startup)", *expected)
        assert_told(
            memory.story(run.session_id),
            "decision.recorded", "PreCompact(auto)", "knowledge.derived",
            "SessionStart(compact)", "SessionEnd", "session.closed",
        )  # fmt: skip
        derived = memory.lines_of(run.session_id, "knowledge.derived")
        assert derived[0]["written"] == 1
        assert sum(line["written"] for line in derived) == 1
        assert memory.candidate_of("Tabs are refused").episode == run.session_id
        assert "Tabs are refused" in run.contexts()[-1]

    def test_recording_works_inside_the_sandbox_of_codex(
        self, lab: Lab, agent: Codex
    ) -> None:
        """Only the workspace is writable: not .git, not HOME, not /tmp, no network.

        The refusals are asserted too, so that the test cannot pass without a sandbox.
        """
        memory = Memory(lab.project)
        agent.trust_hooks(sandbox="workspace-write")
        places = (".git/probe", '"$HOME/probe"', ".codex/probe")
        probe = "; ".join(f"touch {place} && echo writable" for place in places)
        command = f'{probe}; {CLI} start "A task" --scope lib'
        steps = [shell(command), decide("Tabs are refused"), say("Recorded.")]
        run = agent.run("Decide inside the sandbox.", steps)
        assert_hooks_fired(run, memory, "SessionStart(startup)", *END)
        first, second = run.tool_results()
        assert first.count("Read-only file system") == len(places), first
        assert "writable" not in first
        assert "exited with code 0" in second, second
        assert memory.lines_of(run.session_id, "task.started"), first
        assert memory.candidate_of("Tabs are refused").episode == run.session_id

    def test_recording_works_in_the_sandbox_before_the_hooks_are_trusted(
        self, lab: Lab, agent: Codex
    ) -> None:
        """Nobody trusted our hooks, so there is no episode; the decision is kept."""
        memory = Memory(lab.project)
        agent.write_config(sandbox="workspace-write")
        run = agent.run("Decide.", [decide("Tabs are refused"), say("Recorded.")])
        assert run.calls() == []
        assert "exited with code 0" in run.tool_results()[0], run.tool_results()
        assert [line["decision"] for line in memory.outside()] == ["Tabs are refused"]

    def test_a_terminated_session_is_closed_by_the_next_start(
        self, lab: Lab, agent: Codex
    ) -> None:
        """Codex fires no SessionEnd on SIGTERM; nothing is lost all the same."""
        memory = Memory(lab.project)
        steps = [decide("Spaces are kept"), say("never said", delay=60)]
        lost = agent.start("Seven.", steps)
        lost.wait_for_requests(2)
        lost.process.terminate()
        lost.wait(expect=None)
        assert "SessionEnd" not in lost.events()
        rescuer = agent.run("Eight.", [say("Hello again.")])
        assert_hooks_fired(rescuer, memory, "SessionStart(startup)", *END)
        (closed,) = memory.lines_of(lost.session_id, "session.closed")
        assert closed["outcome"] == "interrupted"
        assert memory.candidate_of("Spaces are kept").episode == lost.session_id

    def test_hooks_are_found_from_a_subfolder(self, lab: Lab, agent: Codex) -> None:
        """Codex runs hooks in its working directory, which may lie below the root."""
        memory = Memory(lab.project)
        below = lab.project / "lib"
        below.mkdir()
        run = agent.start("Nine.", [say("Down here.")], cwd=below).wait()
        assert_hooks_fired(run, memory, "SessionStart(startup)", *END)
        assert memory.open_episodes() == set()

    def test_a_second_install_keeps_the_trust(self, lab: Lab, agent: Codex) -> None:
        """Codex forgets its trust when a hook's words or place change."""
        before = agent.list_hooks()
        lab.wire_again("codex")
        after = agent.list_hooks()
        assert {hook["trustStatus"] for hook in after} == {"trusted"}
        assert [hook["currentHash"] for hook in after] == [
            hook["currentHash"] for hook in before
        ]
        assert lab.git("status", "--porcelain") == ""
