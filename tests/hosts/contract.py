"""What holds for every agent, whatever its host: the tests that both files inherit.

Each test runs real sessions and asserts first that the hooks fired, by the agent's
own witness hook and by the receipts in the ledger.
"""

from __future__ import annotations

import re
from pathlib import Path

from .agents import Agent
from .lab import Lab, Run, say, shell
from .memory import Memory

CLI = ".ai/bin/afterword"
WHY = '--why "two encodings of one thing"'
END = ("Stop", "SessionEnd")
# How the agents say that a hook failed, was cut off, or has settings they changed.
COMPLAINTS = r"hook: \w+ (Failed|Blocked|Stopped)|Hook cancelled|hook error|clamping"


def decide(title: str, **more: object) -> dict[str, object]:
    """A step in which the model records a decision through its shell tool."""
    return shell(f'{CLI} decision add "{title}" {WHY}', **more)


def learn(text: str) -> dict[str, object]:
    """A step in which the model puts something into the learning queue."""
    return shell(f'{CLI} learn "{text}"')


def assert_told(told: list[str], *expected: str) -> None:
    """Assert that these events are in the story, in this order."""
    rest = iter(told)
    assert all(event in rest for event in expected), f"{expected} not in {told}"


def assert_hooks_fired(run: Run, memory: Memory, *expected: str) -> None:
    """Assert that the agent called its hooks and that ours left their receipts."""
    assert_told(run.events(), *expected)
    assert_told(memory.story(run.session_id), *expected)
    assert not memory.lines_of(run.session_id, "provider.event.failed")
    assert memory.hook_log() == ""
    assert not re.search(COMPLAINTS, run.talk()), run.talk()


class EveryAgent:
    """The tests; a subclass gives the fixture ``agent``, wired into the lab's project."""

    def test_a_decision_becomes_a_candidate_of_its_session(
        self, lab: Lab, agent: Agent
    ) -> None:
        """After the end the candidate is there, attributed, and nothing else changed."""
        memory = Memory(lab.project)
        steps = [
            shell(f'{CLI} start "Teach the parser tabs" --scope lib'),
            decide("Tabs are refused in the parser"),
            say("Recorded."),
        ]
        run = agent.run("Write down what we decided.", steps)
        assert_hooks_fired(run, memory, "SessionStart(startup)", *END)
        assert [one.front["title"] for one in memory.candidates()] == [
            "Tabs are refused in the parser"
        ], run.tool_results()
        found = memory.candidates()[0]
        assert found.episode == run.session_id
        origin = found.front["provenance"]["derived_from"]
        assert f"session:{run.session_id}" in origin
        assert "two encodings of one thing" in found.body
        assert memory.lines_of(run.session_id, "task.started")
        assert memory.open_episodes() == set()
        receipts = memory.lines_of(run.session_id, "provider.event.received")
        assert {line["provider"] for line in receipts} == {agent.host}
        changed = lab.git("status", "--porcelain", "-uall").splitlines()
        assert changed and all(line.startswith("?? .ai/repo/") for line in changed)

    def test_the_next_session_is_briefed(self, lab: Lab, agent: Agent) -> None:
        """The second session's first request to the model names the candidate."""
        memory = Memory(lab.project)
        first = agent.run("One.", [decide("Tabs are refused"), say("Done.")])
        assert_hooks_fired(first, memory, "SessionStart(startup)", *END)
        second = agent.run("Two.", [say("Read.")])
        assert_hooks_fired(second, memory, "SessionStart(startup)", *END)
        candidate = memory.candidate_of("Tabs are refused")
        context = second.contexts()[0]
        assert candidate.id in context
        assert CLI in context
        assert candidate.id not in first.contexts()[0]

    def test_what_a_session_learned_is_knowledge_when_it_has_ended(
        self, lab: Lab, agent: Agent
    ) -> None:
        """Three items: in the knowledge base, done, with dates and product; told next."""
        memory = Memory(lab.project)
        texts = ["Tabs are two cells", "Widths are bytes", "Heights are lines"]
        run = agent.run("Learn.", [*map(learn, texts), say("Learned.")])
        assert_hooks_fired(run, memory, "SessionStart(startup)", *END)
        (ran,) = memory.lines_of(run.session_id, "evolve.ran")
        assert (ran["processed"], ran["automatic"]) == (3, True), run.talk()
        assert memory.open_episodes() == set()
        items = memory.queue()
        assert [item["Title"] for item in items] == texts, run.tool_results()
        assert [item["Product"] for item in items] == ran["products"]
        for item in items:
            assert item["Status"] == "done"
            assert item["Processed"] == item["Added"] == ran["ts"][:10]
        rows = memory.knowledge_base()
        assert rows == dict(zip(ran["products"], texts, strict=True))
        for entry, text in rows.items():
            assert text in memory.entry(entry)
        second = agent.run("Go on.", [say("Read.")])
        assert_hooks_fired(second, memory, "SessionStart(startup)", *END)
        context = second.contexts()[0]
        assert f"- Episode {run.session_id} ended (" in context
        assert "; evolved 3 queue items." in context
        assert "Learning queue: 0 pending, 0 processing, 3 done" in context

    def test_a_killed_session_is_closed_by_the_next_start(
        self, lab: Lab, agent: Agent
    ) -> None:
        """SIGKILL leaves an open episode; the next start closes and derives it."""
        memory = Memory(lab.project)
        steps = [decide("Spaces are kept"), say("never said", delay=60)]
        killed = agent.start("Three.", steps)
        killed.wait_for_requests(2)
        killed.kill()
        lost = killed.session_id
        assert_hooks_fired(killed, memory, "SessionStart(startup)")
        assert memory.open_episodes() == {lost}
        assert memory.candidates() == []
        rescuer = agent.run("Four.", [say("Hello again.")])
        assert_hooks_fired(rescuer, memory, "SessionStart(startup)", *END)
        (closed,) = memory.lines_of(lost, "session.closed")
        assert closed["outcome"] == "interrupted"
        (recovered,) = memory.lines_of(rescuer.session_id, "session.recovered")
        assert recovered["session_id"] == lost
        assert memory.candidate_of("Spaces are kept").episode == lost
        assert memory.open_episodes() == set()

    def test_a_killed_session_can_be_resumed_as_itself(
        self, lab: Lab, agent: Agent
    ) -> None:
        """The same session id is the same episode, also when its end was never seen."""
        memory = Memory(lab.project)
        steps = [decide("Spaces are kept"), say("never said", delay=60)]
        killed = agent.start("Three.", steps)
        killed.wait_for_requests(2)
        killed.kill()
        episode = killed.session_id
        resumed = agent.run("Go on.", [say("Here again.")], resume=episode)
        assert resumed.session_id == episode
        assert_hooks_fired(resumed, memory, "SessionStart(resume)", *END)
        assert len(memory.lines_of(episode, "session.closed")) == 1
        assert memory.candidate_of("Spaces are kept").episode == episode
        assert "Spaces are kept" in resumed.contexts()[0]

    def test_a_commit_of_the_agent_is_evidence(self, lab: Lab, agent: Agent) -> None:
        """Its trailer becomes a candidate, its id stands in the session record."""
        memory = Memory(lab.project)
        message = '-m "Measure" -m "Decision: Widths are bytes"'
        command = f"echo 1 > width && git add width && git commit -q {message}"
        run = agent.run("Commit it.", [shell(command), say("Committed.")])
        assert_hooks_fired(run, memory, "SessionStart(startup)", *END)
        candidate = memory.candidate_of("Widths are bytes")
        assert candidate.episode == run.session_id
        assert "commit" in candidate.front["tags"]
        head = lab.git("rev-parse", "HEAD").strip()
        assert f"commit:{head}" in candidate.front["provenance"]["derived_from"]
        assert memory.session_record(run.session_id)["commits"] == [head]

    def test_a_resumed_session_stays_one_episode(self, lab: Lab, agent: Agent) -> None:
        """The ledger continues, both decisions are its own, one record tells it."""
        memory = Memory(lab.project)
        first = agent.run("Five.", [decide("Widths are bytes"), say("Done.")])
        episode = first.session_id
        steps = [decide("Heights are lines"), say("Done again.")]
        second = agent.run("Six.", steps, resume=episode)
        assert second.session_id == episode
        assert_hooks_fired(second, memory, "SessionStart(resume)", *END)
        assert_told(
            memory.story(episode),
            "SessionStart(startup)", *END, "SessionStart(resume)", *END,
        )  # fmt: skip
        assert memory.candidate_of("Widths are bytes").episode == episode
        assert memory.candidate_of("Heights are lines").episode == episode
        record = memory.session_record(episode)
        assert record["decisions"] == ["Widths are bytes", "Heights are lines"]
        assert "Widths are bytes" in second.contexts()[0]

    def test_a_linked_worktree_has_a_memory_of_its_own(
        self, lab: Lab, agent: Agent, tmp_path: Path
    ) -> None:
        """The wiring comes with the checkout; the tool is found; nothing goes astray."""
        there = tmp_path / "linked"
        lab.git("worktree", "add", "-q", "-b", "side", str(there))
        memory = Memory(there)
        steps = [decide("Tabs are refused"), say("Recorded.")]
        run = agent.start("Elsewhere.", steps, cwd=there).wait()
        assert_hooks_fired(run, memory, "SessionStart(startup)", *END)
        assert memory.candidate_of("Tabs are refused").episode == run.session_id
        assert Memory(lab.project).candidates() == []
        assert lab.git("status", "--porcelain") == ""

    def test_two_sessions_at_once_keep_their_own_decisions(
        self, lab: Lab, agent: Agent, tmp_path: Path
    ) -> None:
        """Both are open when they decide; each candidate belongs to its own session."""
        memory = Memory(lab.project)
        left, right = run_side_by_side(tmp_path, agent, agent)
        for run in (left, right):
            assert_hooks_fired(run, memory, "SessionStart(startup)", *END)
        assert left.session_id != right.session_id
        assert memory.candidate_of("Said on the left").episode == left.session_id
        assert memory.candidate_of("Said on the right").episode == right.session_id
        for run in (left, right):
            assert len(memory.lines_of(run.session_id, "session.closed")) == 1
            assert not memory.lines_of(run.session_id, "session.recovered")
        assert memory.outside() == []
        assert memory.open_episodes() == set()

    def test_the_off_switch_leaves_no_trace(self, lab: Lab, agent: Agent) -> None:
        """With AFTERWORD_DISABLE=1 the agent works as if nothing were installed."""
        run = agent.run("Quiet.", [say("Quiet.")], env={"AFTERWORD_DISABLE": "1"})
        assert_told(run.events(), "SessionStart(startup)", *END)
        assert not re.search(COMPLAINTS, run.talk()), run.talk()
        assert Memory(lab.project).ledger(run.session_id) == []
        assert "<afterword-" not in run.contexts()[0]
        assert lab.git("status", "--porcelain") == ""

    def test_a_colleague_without_the_tool_notices_nothing(
        self, lab: Lab, agent: Agent
    ) -> None:
        """The wiring is in his clone, the tool is not: hooks are silent, the CLI says so."""
        lab.git("config", "--unset", "afterword.tool")
        steps = [shell(f"{CLI} decision list; echo code=$?"), say("Well.")]
        run = agent.run("Hello.", steps)
        assert_told(run.events(), "SessionStart(startup)", *END)
        assert not re.search(COMPLAINTS, run.talk()), run.talk()
        assert "code=1" in run.tool_results()[0]
        assert Memory(lab.project).ledger(run.session_id) == []
        assert "<afterword-" not in run.contexts()[0]

    def test_after_an_uninstall_the_memory_stays(self, lab: Lab, agent: Agent) -> None:
        """The hooks are gone from the settings; what was learned is not."""
        memory = Memory(lab.project)
        first = agent.run("Learn.", [decide("Tabs are refused"), say("Done.")])
        assert_hooks_fired(first, memory, "SessionStart(startup)", *END)
        lab.unwire()
        second = agent.run("Hello.", [say("Hello.")])
        assert_told(second.events(), "SessionStart(startup)", *END)
        assert not re.search(COMPLAINTS, second.talk()), second.talk()
        assert memory.ledger(second.session_id) == []
        assert memory.candidate_of("Tabs are refused").episode == first.session_id


def run_side_by_side(folder: Path, one: Agent, other: Agent) -> tuple[Run, Run]:
    """Two sessions in one worktree that both decide only once both have started."""
    go = folder / "go"
    wait = f"until [ -e '{go}' ]; do sleep 0.05; done"
    runs = []
    for agent, side in ((one, "left"), (other, "right")):
        command = f'{wait}; {CLI} decision add "Said on the {side}" {WHY}'
        runs.append(agent.start(f"On the {side}.", [shell(command), say("Said.")]))
    for run in runs:
        run.wait_for_requests(1)
    go.touch()
    return runs[0].wait(), runs[1].wait()
