"""Real sessions of Claude Code (version pinned in npm.py)."""

from __future__ import annotations

import pytest

from .agents import ClaudeCode
from .contract import CLI, END, EveryAgent, assert_hooks_fired, assert_told, decide
from .lab import Lab, say, shell
from .memory import Memory

pytestmark = pytest.mark.hosts


@pytest.fixture
def agent(lab: Lab) -> ClaudeCode:
    """Claude Code, wired into the lab's project."""
    lab.wire("claude-code")
    return ClaudeCode(lab)


class TestClaudeCode(EveryAgent):
    """What holds for every agent, and what only Claude Code has."""

    def test_a_compaction_derives_and_briefs_again(
        self, lab: Lab, agent: ClaudeCode
    ) -> None:
        """An automatic compaction in mid-session, after a decision."""
        memory = Memory(lab.project)
        steps = [
            decide("Tabs are refused", tokens=agent.TOKENS),
            say("The summary."),
            say("The summary, said again."),
            say("Going on."),
        ]
        run = agent.run("Fill the window.", steps, env=agent.COMPACTING)
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

    def test_a_compaction_on_request_derives_what_a_crash_left(
        self, lab: Lab, agent: ClaudeCode
    ) -> None:
        """``/compact`` after a crash: no prompt, no Stop, but the decision is kept."""
        memory = Memory(lab.project)
        steps = [decide("Tabs are refused"), say("never said", delay=60)]
        crashed = agent.start("Work.", steps)
        crashed.wait_for_requests(2)
        crashed.kill()
        episode = crashed.session_id
        run = agent.run("/compact", [say("A summary.")] * 2, resume=episode)
        expected = ("PreCompact(manual)", "SessionStart(compact)", "SessionEnd")
        assert_hooks_fired(run, memory, "SessionStart(resume)", *expected)
        assert_told(
            memory.story(episode),
            "decision.recorded", "SessionStart(resume)", "PreCompact(manual)",
            "knowledge.derived", "SessionStart(compact)",
        )  # fmt: skip
        assert memory.candidate_of("Tabs are refused").episode == episode

    def test_a_fork_is_an_episode_of_its_own(self, lab: Lab, agent: ClaudeCode) -> None:
        """The fork has another session id; what it decides is not the first one's."""
        memory = Memory(lab.project)
        first = agent.run("Begin.", [decide("Widths are bytes"), say("Done.")])
        agent.more_words = ("--fork-session",)
        steps = [decide("Heights are lines"), say("Done too.")]
        fork = agent.run("Branch off.", steps, resume=first.session_id)
        assert_hooks_fired(fork, memory, "SessionStart(fork)", *END)
        assert fork.session_id != first.session_id
        assert memory.candidate_of("Widths are bytes").episode == first.session_id
        assert memory.candidate_of("Heights are lines").episode == fork.session_id

    def test_recording_works_inside_the_sandbox_of_claude_code(
        self, lab: Lab, agent: ClaudeCode
    ) -> None:
        """Commands may write in the project only: not in HOME, not in git's hooks.

        The refusals are asserted too, so that the test cannot pass without a sandbox.
        """
        memory = Memory(lab.project)
        env = agent.confine()
        places = ('"$HOME/probe"', ".git/hooks/probe", ".claude/settings.json")
        probe = "; ".join(f"touch {place} && echo writable" for place in places)
        steps = [
            shell(f'{probe}; {CLI} start "A task" --scope lib'),
            decide("Tabs are refused"),
            say("Recorded."),
        ]
        run = agent.run("Decide inside the sandbox.", steps, env=env)
        assert_hooks_fired(run, memory, "SessionStart(startup)", *END)
        first = run.tool_results()[0]
        assert first.count("Read-only file system") == len(places), first
        assert "writable" not in first
        assert memory.lines_of(run.session_id, "task.started"), first
        assert memory.candidate_of("Tabs are refused").episode == run.session_id

    def test_the_episode_is_exported_to_the_shell(
        self, lab: Lab, agent: ClaudeCode
    ) -> None:
        """SessionStart writes AFTERWORD_EPISODE where Claude Code takes exports."""
        memory = Memory(lab.project)
        steps = [shell('echo "episode=$AFTERWORD_EPISODE;"'), say("Seen.")]
        run = agent.run("What is set?", steps)
        assert_hooks_fired(run, memory, "SessionStart(startup)", *END)
        assert f"episode={run.session_id};" in run.tool_results()[0]
