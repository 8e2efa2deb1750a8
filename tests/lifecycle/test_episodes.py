"""Opening, resuming, ending and recovering episodes (spec/episodes 3, 11, 12)."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from afterword.episode import archive, events, joining
from scene import Scene, as_json, command, stated

UUID = "0b0f7d6e-1c2d-4e3f-8a9b-0c1d2e3f4a5b"


def at(stamp: str, scene: Scene) -> None:
    scene.env["AFTERWORD_NOW"] = stamp


# 111 one episode per session of the host ------------------------------------------


def test_111_resume_keeps_the_episode(scene: Scene) -> None:
    scene.start(UUID)
    scene.start(UUID, "resume")
    scene.start(UUID, "compact")
    assert scene.names(UUID).count("session.started") == 1
    opened = json.loads((scene.local / "open" / f"{UUID}.json").read_text())
    assert (opened["host"], opened["episode"]) == ("claude-code", UUID)


def test_111_a_second_session_gets_its_own_episode(scene: Scene) -> None:
    """12.9: a singleton episode folded two windows into one."""
    scene.start("e1")
    scene.start("e2")
    scene.decide("e1", "Of one")
    scene.decide("e2", "Of two")
    scene.end("e1")
    assert not scene.is_open("e1")
    assert scene.is_open("e2")
    assert "session.closed" not in scene.names("e2")
    scene.end("e2")
    assert sorted(scene.records) == ["e1", "e2"]
    assert "Of two" not in scene.records["e1"]
    assert "Of one" not in scene.records["e2"]


def test_111_an_unknown_end_closes_nothing_and_leaves_its_receipt(scene: Scene) -> None:
    scene.start("e1")
    ran = scene.end("e9")
    assert "names no session that is open here: nothing done" in ran.err
    assert scene.is_open("e1")
    assert not scene.ledger("e9").exists()
    (receipt,) = scene.of("outside", "provider.event.received")
    assert receipt["provider_session"] == "e9"
    assert "session" not in receipt


def test_111_an_end_without_a_session_id_closes_nothing(scene: Scene) -> None:
    """Spec 5.2, hazard: it used to close another window's episode."""
    scene.start("e1")
    ran = scene.hook("session-end", stated("session-end", None, reason="other"))
    assert "names no session" in ran.err
    assert scene.is_open("e1")
    assert len(scene.of("outside", "provider.event.received")) == 1


def test_12_8_the_window_is_a_stamp_never_a_time_range(scene: Scene) -> None:
    at("2026-05-01T10:00:00.000Z", scene)
    scene.start("e1")
    scene.start("e2")
    scene.decide("e2", "Between the start and the end of one")
    scene.end("e1")
    assert scene.candidates == {}


# 220 one episode, one record ------------------------------------------------------


def test_220_repeated_ends_leave_one_record(scene: Scene) -> None:
    """12.11: four deliveries made four records."""
    scene.start("e1")
    scene.decide("e1", "Once")
    scene.end("e1")
    before = scene.records
    for _ in range(3):
        assert "nothing to close" in scene.end("e1").err
    assert scene.records == before
    assert scene.names("e1").count("session.closed") == 1
    assert len(scene.candidates) == 1


def test_220_an_end_delivered_again_after_a_half_done_teardown(scene: Scene) -> None:
    scene.start("e1")
    scene.decide("e1", "Once")
    opened = (scene.local / "open/e1.json").read_bytes()
    scene.end("e1")
    before = scene.records
    (scene.local / "open/e1.json").write_bytes(opened)  # the unlink never happened
    scene.end("e1")
    assert not scene.is_open("e1")
    assert scene.records == before
    assert scene.names("e1").count("session.closed") == 1


@pytest.mark.parametrize("turn", range(3))
def test_220_three_ends_at_once(scene: Scene, turn: int) -> None:
    episode = f"e{turn}"
    scene.start(episode)
    scene.decide(episode, "Once")
    together(scene, [("session-end", episode)] * 3)
    if scene.is_open(episode):  # every one of them may have given way
        scene.start("next")
    assert scene.names(episode).count("session.closed") == 1
    assert list(scene.records) == [episode]
    assert len(scene.candidates) == 1
    scene.no_litter()
    scene.check_ledgers()


def together(scene: Scene, calls: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Run hooks at the same time; their stdout and stderr, all exits 0."""
    running = []
    for event, session in calls:
        process = subprocess.Popen(
            command(event, scene.root),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=scene.env,
            cwd=scene.root,
        )
        running.append((process, as_json(stated(event, session, source="startup"))))
    for process, payload in running:
        assert process.stdin is not None
        process.stdin.write(payload)
        process.stdin.close()
        process.stdin = None
    said = []
    for process, _ in running:
        out, err = process.communicate(timeout=30)
        assert process.returncode == 0, err
        assert b"Traceback" not in err
        said.append((out.decode(), err.decode()))
    return said


# resumable ends -------------------------------------------------------------------


def test_a_start_opens_a_closed_episode_again(scene: Scene) -> None:
    """DESIGN 5: the ledger continues, the opening head stays, the record is made anew."""
    first = scene.git("rev-parse", "HEAD").strip()
    scene.start(UUID)
    scene.decide(UUID, "Before the break")
    scene.end(UUID, reason="prompt_input_exit")
    assert "outcome: closed" in scene.records[UUID]
    scene.commit("between", **{"a.txt": "a"})
    scene.start(UUID, "resume")
    scene.decide(UUID, "After the break")
    scene.end(UUID)
    assert f"start_head: {first}" in scene.records[UUID]
    assert "outcome: interrupted" in scene.records[UUID]
    assert "Before the break" in scene.records[UUID]
    assert "After the break" in scene.records[UUID]
    assert len(scene.candidates) == 2
    assert scene.names(UUID).count("session.closed") == 2


@pytest.mark.parametrize("event", ["stop", "pre-compact"])
def test_a_late_event_is_logged_and_reopens_nothing(scene: Scene, event: str) -> None:
    scene.start("e1")
    scene.decide("e1", "Done")
    scene.end("e1")
    before = scene.names("e1")
    ran = scene.hook(event, stated(event, "e1"))
    assert "nothing reopened" in ran.err
    assert not scene.is_open("e1")
    assert scene.names("e1") == [*before, "provider.event.received"]


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        ("clear", "closed"),
        ("logout", "closed"),
        ("prompt_input_exit", "closed"),
        ("other", "interrupted"),
        ("resume", "interrupted"),
        ("crash", "interrupted"),
        ("", "interrupted"),
    ],
)
def test_only_the_hosts_deliberate_reasons_close(
    scene: Scene, reason: str, outcome: str
) -> None:
    """Spec 3.7: calling a cut-short episode complete is the worse error."""
    scene.start("e1")
    scene.end("e1", reason=reason)
    assert scene.lines("e1")[-1]["outcome"] == outcome


def test_119_codex_always_interrupts(scene: Scene) -> None:
    scene.host = "codex"
    scene.start("e1")
    scene.end("e1", reason="clear")
    assert scene.lines("e1")[-1]["outcome"] == "interrupted"


# lazy opening, sub-agents, forks --------------------------------------------------


@pytest.mark.parametrize("event", ["stop", "pre-compact"])
def test_h18_an_unknown_session_is_opened_lazily(scene: Scene, event: str) -> None:
    """H18: SessionStart never fires on some hosts."""
    scene.hook(event, stated(event, "e1"))
    (started,) = scene.of("e1", "session.started")
    assert started["lazily"] is True
    assert scene.is_open("e1")
    scene.decide("e1", "Kept")
    scene.end("e1")
    assert len(scene.candidates) == 1


@pytest.mark.parametrize("agent", [{"agent_id": "a1"}, {"agentId": "a1"}])
def test_h50_a_subagent_neither_counts_nor_closes(
    scene: Scene, agent: dict[str, str]
) -> None:
    scene.start("e1")
    scene.stop("e1")
    payload = stated("stop", "e1", hook_event_name="SubagentStop", **agent)
    for _ in range(3):
        scene.hook("stop", payload)
    scene.hook("session-end", stated("session-end", "e1", reason="other", **agent))
    assert scene.hook("session-start", stated("session-start", "e1", **agent)).out == ""
    assert scene.is_open("e1")
    assert (scene.local / "rounds").read_bytes() == b"."
    rounds = scene.of("e1", "round.ended")
    assert [line.get("agent") for line in rounds] == [None, "a1", "a1", "a1"]


def test_h50_a_subagents_stop_without_an_agent_id_is_no_round(scene: Scene) -> None:
    scene.start("e1")
    scene.hook("stop", stated("stop", "e1", hook_event_name="SubagentStop"))
    assert not (scene.local / "rounds").exists()


def test_h49_a_fork_that_reports_its_parents_id_derives_nothing_twice(
    scene: Scene,
) -> None:
    sleeper = subprocess.Popen(["sleep", "60"])
    try:
        scene.env["CLAUDE_PID"] = str(sleeper.pid)
        scene.start("parent")
        bound = (scene.local / "open/parent.json").read_bytes()
        scene.env["CLAUDE_PID"] = str(os.getpid())
        scene.start("parent", "fork")
        assert (scene.local / "open/parent.json").read_bytes() == bound
        scene.decide("parent", "Said once")
        scene.start("child", "fork")
        scene.compact("parent")
        scene.end("child")
        scene.end("parent")
    finally:
        sleeper.kill()
        sleeper.wait()
    assert len(scene.candidates) == 1


def test_h13_one_session_one_record_whatever_starts_again(scene: Scene) -> None:
    scene.start("e1")
    scene.decide("e1", "Kept through compactions")
    assert "Decided so far" in scene.start("e1", "compact").briefing
    assert "Decided so far" in scene.start("e1", "compact").briefing
    text = scene.start("e1", "resume").briefing
    assert "Kept through compactions" in text
    scene.end("e1")
    assert list(scene.records) == ["e1"]


def test_h12_a_start_after_compaction_derives_too(scene: Scene) -> None:
    """H12, H20: PreCompact is not fired by every compaction."""
    scene.start("e1")
    scene.decide("e1", "Before the cut")
    scene.start("e1", "compact")
    assert len(scene.candidates) == 1
    scene.start("e1", "compact")
    assert len(scene.of("e1", "knowledge.derived")) == 1


def test_a_clear_is_an_end_and_a_start_of_another_session(scene: Scene) -> None:
    scene.start("e1")
    scene.decide("e1", "One")
    scene.end("e1", reason="clear")
    text = scene.start("e2", "clear").briefing
    assert "Episode e1 ended (closed) and derived 1 new candidate." in text
    assert not scene.is_open("e1")
    assert scene.is_open("e2")


# killed clients and stranded episodes ---------------------------------------------


def host_process(scene: Scene) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(["sleep", "120"])
    scene.env["CLAUDE_PID"] = str(process.pid)
    return process


def test_client_killed_by_sigkill_is_closed_by_the_next_start(scene: Scene) -> None:
    """H5, and spec 11: interrupted, derived once, the live peer untouched."""
    dead, live = host_process(scene), None
    try:
        scene.start("e1")
        scene.decide("e1", "Survives a kill")
        sha = scene.commit("work", **{"docs/adr/1.md": "x\n"})
        scene.stop("e1")
        live = host_process(scene)
        scene.start("peer")
        assert scene.is_open("e1")
        dead.send_signal(signal.SIGKILL)
        dead.wait()
        ran = scene.start("e3")
        assert not scene.is_open("e1")
        assert scene.is_open("peer")
        assert len(scene.candidates) == 1
        assert "outcome: interrupted" in scene.records["e1"]
        assert sha in scene.records["e1"]
        (recovered,) = scene.of("e3", "session.recovered")
        assert recovered["session_id"] == "e1"
        assert recovered["reason"] == "its agent is gone"
        assert "Episode e1" not in ran.out, "recovery comes after the briefing"
        scene.start("e4")
        assert len(scene.of("e4", "session.recovered")) == 0
        assert "nothing to close" in scene.end("e1").err
    finally:
        for process in (dead, live):
            if process:
                process.kill()
                process.wait()


def test_a_restart_with_the_same_id_keeps_the_episode(scene: Scene) -> None:
    process = host_process(scene)
    scene.start("e1")
    process.kill()
    process.wait()
    process = host_process(scene)
    try:
        scene.start("e1", "resume")
        scene.start("e2")
        assert scene.is_open("e1"), "rebound to the new process"
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("later", "closed"), [("21:59:59.000", False), ("22:00:01.000", True)]
)
def test_a_stranded_episode_is_closed_after_its_time(
    scene: Scene, later: str, closed: bool
) -> None:
    """Both sides of `episode.stranded_after` (12 h), measured from the last sign of life."""
    at("2026-05-01T08:00:00.000Z", scene)
    scene.start("e1")
    at("2026-05-01T10:00:00.000Z", scene)
    scene.stop("e1")
    at(f"2026-05-01T{later}Z", scene)
    scene.start("e2")
    assert scene.is_open("e1") is not closed
    if closed:
        (ending,) = scene.of("e1", "session.ending")
        assert ending["last_sign"] == "2026-05-01T10:00:00.000Z"


def test_12_13_being_recovered_is_no_sign_of_life(scene: Scene) -> None:
    """What an episode's recovery writes elsewhere does not make it look young."""
    at("2026-05-01T08:00:00.000Z", scene)
    scene.start("e1")
    scene.log("e1", events.SessionRecovered(session_id="e0", reason="x"))
    line = scene.lines("e1")[-1]
    line["ts"] = "2026-05-01T19:00:00.000Z"
    kept = scene.ledger("e1").read_bytes().splitlines()[:-1]
    scene.ledger("e1").write_bytes(
        b"\n".join([*kept, json.dumps(line, separators=(",", ":")).encode()]) + b"\n"
    )
    at("2026-05-01T20:30:00.000Z", scene)
    scene.start("e2")
    assert not scene.is_open("e1")


def test_recovery_takes_three_and_leaves_the_rest_to_the_next(scene: Scene) -> None:
    at("2026-05-01T08:00:00.000Z", scene)
    for number in range(5):
        scene.start(f"old{number}")
        scene.decide(f"old{number}", f"Kept {number}")
    for stamp, left in (("2026-05-02T08:00:00.000Z", 2), ("2026-05-02T08:01:00Z", 0)):
        at(stamp, scene)
        scene.start("new")
        assert sum(scene.is_open(f"old{n}") for n in range(5)) == left
    assert len(scene.candidates) == 5


def test_13_recovered_episodes_are_derived(scene: Scene) -> None:
    """13: recovered episodes were never derived; 12.4: every close derives, not the hook."""
    at("2026-05-01T08:00:00.000Z", scene)
    scene.start("e1")
    scene.decide("e1", "Not lost")
    at("2026-05-03T08:00:00.000Z", scene)
    scene.start("e2")
    names = scene.names("e1")
    assert names[-3:] == ["session.ending", "knowledge.derived", "session.closed"]
    assert len(scene.candidates) == 1
    assert 'closed_at: "2026-05-01T08:00:00' in scene.records["e1"]


def test_h5_start_and_stop_without_any_end(scene: Scene) -> None:
    at("2026-05-01T08:00:00.000Z", scene)
    scene.start("e1")
    scene.stop("e1")
    scene.decide("e1", "Kept")
    at("2026-05-02T08:00:00.000Z", scene)
    scene.start("e2")
    at("2026-05-02T08:00:01.000Z", scene)
    scene.start("e3")
    assert scene.names("e1").count("session.closed") == 1
    assert len(scene.candidates) == 1


def test_130_lifecycle_survives_a_stale_task(scene: Scene) -> None:
    """12.1: a task guard on the lifecycle silenced the store for six days."""
    at("2026-05-01T08:00:00.000Z", scene)
    scene.start("e0")
    scene.log("e0", events.TaskStarted(task_id="t-1", title="Old task", scope=["lib"]))
    scene.end("e0")
    at("2026-05-07T08:00:00.000Z", scene)
    for episode in ("e1", "e2"):
        scene.start(episode)
        scene.decide(episode, f"In {episode}")
        scene.compact(episode)
        scene.stop(episode)
        scene.end(episode)
        names = scene.names(episode)
        assert names.count("provider.event.received") == 4
        assert names.count("knowledge.derived") == 2
        assert names[-1] == "session.closed"
    assert {"e1", "e2"} <= set(scene.records)


def test_a_live_episode_is_never_closed_by_another(scene: Scene) -> None:
    process = host_process(scene)
    try:
        scene.start("e1")
        del scene.env["CLAUDE_PID"]
        for number in range(3):
            scene.start(f"x{number}")
            scene.end(f"x{number}")
        assert scene.is_open("e1")
        assert "session.ending" not in scene.names("e1")
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    "change",
    [{"boot": "another"}, {"namespace": "pid:[1]"}, {"node": "another"}, {"pid": "x"}],
)
def test_a_pid_of_elsewhere_proves_nothing(
    scene: Scene, change: dict[str, object]
) -> None:
    """Only where boot, pid namespace and host name match is a missing pid a dead host."""
    process = host_process(scene)
    scene.start("e1")
    process.kill()
    process.wait()
    path = scene.local / "open/e1.json"
    values = json.loads(path.read_text())
    values["process"].update(change)
    path.write_text(json.dumps(values))
    del scene.env["CLAUDE_PID"]
    scene.start("e2")
    assert scene.is_open("e1")


def test_a_pid_that_was_reused_is_a_dead_host(scene: Scene) -> None:
    scene.env["CLAUDE_PID"] = str(os.getpid())
    scene.start("e1")
    path = scene.local / "open/e1.json"
    values = json.loads(path.read_text())
    values["process"]["started"] += 1
    path.write_text(json.dumps(values))
    del scene.env["CLAUDE_PID"]
    scene.start("e2")
    assert not scene.is_open("e1")


# ends that were killed or put off -------------------------------------------------


@pytest.mark.parametrize(
    "marker",
    ["index.lock", "MERGE_HEAD", "rebase-merge", "CHERRY_PICK_HEAD", "BISECT_LOG"],
)
def test_h39_while_git_is_busy_only_the_ledger_is_written(
    scene: Scene, marker: str
) -> None:
    scene.start("e1")
    scene.decide("e1", "Put off")
    path = scene.root / ".git" / marker
    if marker == "rebase-merge":
        path.mkdir()
    else:
        path.write_text("0" * 40)
    scene.compact("e1")
    scene.stop("e1")
    scene.start("e1", "compact")
    ran = scene.end("e1", reason="logout")
    assert "left to the next start" in ran.err
    assert not (scene.root / ".ai/repo").exists()
    scene.start("e2")
    assert not (scene.root / ".ai/repo").exists()
    path.rmdir() if path.is_dir() else path.unlink()
    scene.start("e3")
    assert len(scene.candidates) == 1
    assert "outcome: closed" in scene.records["e1"], "what the host said counts"
    assert not scene.is_open("e1")
    assert scene.names("e1").count("session.ending") == 1


def test_an_unfinished_end_is_taken_back_by_a_resume(scene: Scene) -> None:
    scene.start("e1")
    lock = scene.root / ".git/index.lock"
    lock.write_text("")
    scene.end("e1")
    lock.unlink()
    scene.start("e1", "resume")
    scene.start("e2")
    assert scene.is_open("e1")
    assert "session.closed" not in scene.names("e1")


def test_12_2_a_wrong_event_is_refused_and_closes_nothing(scene: Scene) -> None:
    scene.start("e1")
    for event, name in (
        ("session-end", "Stop"),
        ("session-end", "SessionStart"),
        ("stop", "SessionEnd"),
        ("pre-compact", "SessionEnd"),
        ("session-start", "UserPromptSubmit"),
    ):
        ran = scene.hook(event, stated(event, "e1", hook_event_name=name))
        assert len(ran.said) == 1
        assert "nothing done" in ran.err
        assert ran.out == ""
    assert scene.is_open("e1")
    assert len(scene.of("e1", "provider.event.failed")) == 5
    assert scene.names("e1").count("round.ended") == 0


def test_a_payload_without_an_event_name_is_a_replay_by_hand(scene: Scene) -> None:
    """The issue's own example, word for word."""
    scene.hook("session-start", b'{"session_id":"e1","source":"startup"}')
    scene.decide("e1", "Tabs are refused in the parser", "two encodings of one thing")
    scene.hook("session-end", b'{"session_id":"e1","reason":"other"}')
    assert len(scene.candidates) == 1


# off switches ---------------------------------------------------------------------


def test_off_switches_are_silent(scene: Scene) -> None:
    for event in ("session-start", "stop", "pre-compact", "session-end"):
        ran = scene.hook(
            event, stated(event, "e1"), env={**scene.env, "AFTERWORD_DISABLE": "1"}
        )
        assert (ran.out, ran.err) == ("", "")
    scene.write(".ai/config.yaml", "enabled: false\n")
    for event in ("session-start", "stop", "pre-compact", "session-end"):
        ran = scene.hook(event, stated(event, "e1"))
        assert (ran.out, ran.err) == ("", "")
    assert not scene.local.exists()


def test_no_store_is_a_silent_no_op(scene: Scene, tmp_path: Path) -> None:
    for name in (".ai/.gitignore", ".ai"):
        path = scene.root / name
        path.rmdir() if path.is_dir() else path.unlink()
    for event in ("session-start", "stop", "pre-compact", "session-end"):
        ran = scene.hook(event, stated(event, "e1"), strict=False)
        assert (ran.out, ran.err) == ("", "")
    assert not (scene.root / ".ai").exists()


def test_briefing_on_start_false_is_said(scene: Scene) -> None:
    scene.write(".ai/config.yaml", "session:\n  briefing_on_start: false\n")
    ran = scene.start("e1")
    assert ran.out == ""
    assert "session.briefing_on_start" in ran.err
    assert scene.is_open("e1")


# joined ledgers -------------------------------------------------------------------


def test_a_joined_ledger_comes_back_whole_with_its_episode(scene: Scene) -> None:
    """13: derive after rotation found nothing. Now: same opening head, nothing undone."""
    scene.start("e1")
    scene.decide("e1", "Long ago")
    scene.compact("e1")
    (path,) = (scene.root / ".ai/repo/knowledge/candidates").glob("e1-*.md")
    path.unlink()
    scene.end("e1")
    before = scene.ledger("e1").read_bytes()
    joining.join_oldest(scene.store, 0, frozenset(), 10.0)
    assert not scene.ledger("e1").exists()
    assert any(True for _ in archive.entries(scene.store))
    scene.start("e1", "resume")
    assert scene.ledger("e1").read_bytes().startswith(before)
    scene.end("e1")
    assert scene.candidates == {}, "a person deleted it"


@pytest.mark.parametrize("event", ["stop", "pre-compact", "session-end"])
def test_a_late_event_of_a_joined_episode_loses_nothing(
    scene: Scene, event: str
) -> None:
    scene.start("e1")
    scene.decide("e1", "Long ago")
    scene.end("e1")
    before = scene.ledger("e1").read_bytes()
    joining.join_oldest(scene.store, 0, frozenset(), 10.0)
    scene.hook(event, stated(event, "e1"))
    assert not scene.is_open("e1")
    scene.start("e1", "resume")
    assert scene.ledger("e1").read_bytes().startswith(before)
    assert scene.lines("e1")[0]["event"] == "provider.event.received"
    assert len(scene.of("e1", "decision.recorded")) == 1


def test_stop_beside_end_and_start_beside_end(scene: Scene) -> None:
    for turn in range(3):
        episode = f"e{turn}"
        scene.start(episode)
        scene.decide(episode, "Kept")
        together(scene, [("session-end", episode), ("stop", episode)])
        together(scene, [("session-end", episode), ("session-start", episode)])
        time.sleep(0.01)
        scene.end(episode)
        if scene.is_open(episode):
            scene.start("next")
        assert scene.names(episode)[-1] in ("session.closed", "provider.event.received")
        assert not scene.is_open(episode)
        assert episode in scene.records
    assert len(scene.candidates) == 3
    scene.check_ledgers()
    scene.no_litter()
