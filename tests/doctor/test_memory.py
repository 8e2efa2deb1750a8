"""doctor on the memory: writers, episodes, queue, litter, records, the disk."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys

import pytest

from afterword.episode import events, ledger
from afterword.store import clock, layout
from afterword.store.git.head import read_head

DAY = 86400.0


def ago(seconds: float) -> str:
    return clock.stamp(clock.now() - seconds)


def append(wired, episode, name, at, **fields):
    """One ledger line as it would have been written at that time."""
    path = wired.bench.repo.ledger(episode)
    path.parent.mkdir(parents=True, exist_ok=True)
    line = {
        "ts": at,
        "event": name,
        "head": None,
        "branch": "main",
        "by": "afterword/0",
    }
    if episode != "outside":
        line["session"] = episode
    with path.open("a") as file:
        file.write(json.dumps({**line, **fields}) + "\n")


def closed(wired, episode, at, *, record=True):
    """An episode that decided something and was closed at that time, not derived."""
    append(wired, episode, "session.started", at, host="claude-code")
    append(wired, episode, "decision.recorded", at, task_id="none", decision=f"D {episode}", why="w")  # fmt: skip
    path = f".ai/repo/sessions/2026-11/{episode}.md" if record else None
    append(wired, episode, "session.closed", at, outcome="closed", session_path=path)


# --- 282_health_sees_a_stopped_knowledge_writer ------------------------------------


def test_282_a_fresh_repository_is_not_judged_and_that_is_said(wired):
    (row,) = wired.found("not-judged")
    assert row["severity"] == "info"
    assert row["message"] == (
        "no derivation has run here yet, so there is no writer to judge"
    )
    assert wired.doctor()[0] == 0


def test_282_a_close_without_derivation_fails_after_a_while_and_derive_clears_it(wired):
    wired.bench.episode("e1", "Tabs are refused")
    week = ago(7 * DAY)
    for name in ("old-1", "old-2"):
        closed(wired, name, week)
    closed(wired, "young", ago(DAY))
    wired.bench.repo.commit("Keep")
    rows = wired.found("writer-stopped")
    assert [row["severity"] for row in rows] == ["error", "error"]
    assert rows[0]["message"] == (
        "the knowledge writer has stopped: episode old-1 was closed 7 days ago and was"
        " not derived"
    )
    assert rows[0]["fix"] == ".ai/bin/afterword knowledge derive --episode old-1"
    (waiting,) = wired.found("waiting")
    assert waiting["message"].endswith("younger than 48h: young")
    assert wired.doctor()[0] == 1
    for name in ("old-1", "old-2"):
        ran = wired.bench.afterword("knowledge", "derive", "--episode", name)
        assert ran.code == 0, ran.err
    assert wired.found("writer-stopped") == []


def test_282_13_an_older_gap_is_seen_behind_a_newer_derivation(wired):
    """spec/episodes 13: only the newest close was looked at."""
    closed(wired, "gap", ago(9 * DAY))
    closed(wired, "fine", ago(8 * DAY))
    wired.bench.afterword("knowledge", "derive", "--episode", "fine")
    assert ["gap" in row["message"] for row in wired.found("writer-stopped")] == [True]


def test_282_evidence_behind_the_last_derivation_counts_as_not_derived(wired):
    closed(wired, "e1", ago(9 * DAY))
    wired.bench.afterword("knowledge", "derive", "--episode", "e1")
    append(wired, "e1", "decision.recorded", ago(8 * DAY), task_id="none", decision="More", why="w")  # fmt: skip
    append(wired, "e1", "session.closed", ago(8 * DAY), outcome="closed")
    assert len(wired.found("writer-stopped")) == 1


def test_282_with_the_switch_off_nothing_is_judged_and_that_is_said(wired):
    wired.bench.episode("e1", "Tabs are refused")
    closed(wired, "old", ago(7 * DAY))
    wired.bench.repo.write(".ai/config.yaml", "session:\n  knowledge_on_end: false\n")
    assert wired.found("writer-stopped") == []
    (row,) = wired.found("not-judged")
    assert row["message"] == (
        "session.knowledge_on_end is false: closed episodes are not judged"
    )


def test_282_where_nothing_was_ever_derived_that_is_a_warning(wired):
    closed(wired, "old", ago(7 * DAY))
    (row,) = wired.found("never-derived")
    assert row["severity"] == "warning"


def test_a_close_at_no_time_is_a_torn_line_and_the_episode_is_not_closed(wired):
    append(wired, "e1", "session.started", ago(DAY), host="claude-code")
    append(wired, "e1", "session.closed", "yesterday", outcome="closed")
    assert [row["line"] for row in wired.found("torn-line")] == [2]
    assert len(wired.found("lost-episode")) == 1


def test_24_adopted_ledgers_are_not_judged_for_their_derivations(wired):
    path = wired.bench.repo.local / "state/ledger.jsonl"
    path.parent.mkdir(parents=True)
    line = {"ts": "2026-01-01T00:00:00Z", "event": "session.closed", "session": "s-1"}
    path.write_text(json.dumps(line) + "\n")
    wired.bench.episode("e1", "Tabs are refused")
    assert wired.found("writer-stopped") == []


# --- 132_health_sees_a_stopped_writer ----------------------------------------------


def test_132_health_sees_a_stopped_writer_and_one_real_episode_clears_it(wired):
    wired.bench.episode("e1", "Tabs are refused")
    closed(wired, "e2", ago(-30), record=False)
    (row,) = wired.found("record-writer-stopped")
    assert row["severity"] == "error"
    assert "episode e2 recorded something" in row["message"]
    closed(wired, "e3", ago(-60))
    assert wired.found("record-writer-stopped") == []
    (row,) = wired.found("record-missing")
    assert (row["severity"], "e2" in row["message"]) == ("info", True)


def test_132_an_episode_that_no_start_finds_is_an_error(wired):
    append(wired, "lost", "session.started", ago(DAY), host="claude-code")
    (row,) = wired.found("lost-episode")
    assert row["severity"] == "error"
    assert row["fix"] == ".ai/bin/afterword episode close lost"
    ran = wired.bench.afterword("episode", "close", "lost")
    assert ran.code == 0, ran.err
    assert wired.found("lost-episode") == []


def test_132_stranded_episodes_and_a_recovery_that_stopped(wired):
    wired.bench.hook("session-start", {"session_id": "e1", "source": "startup"})
    assert wired.found("stranded", "recovery-stopped") == []
    path = wired.bench.repo.ledger("e1")
    lines = [json.loads(raw) for raw in path.read_text().splitlines()]
    path.write_text("".join(json.dumps({**l, "ts": ago(DAY)}) + "\n" for l in lines))  # noqa: E741
    (row,) = wired.found("stranded")
    assert (row["severity"], row["fix"]) == (
        "warning",
        ".ai/bin/afterword episode recover",
    )
    for l in lines:  # noqa: E741
        l["ts"] = ago(30 * DAY)
    path.write_text("".join(json.dumps(l) + "\n" for l in lines))  # noqa: E741
    closed(wired, "e2", ago(DAY))
    (row,) = wired.found("recovery-stopped")
    assert row["severity"] == "error"
    assert wired.bench.afterword("episode", "recover").code == 0
    assert wired.found("stranded", "recovery-stopped") == []


def test_failed_events_since_the_last_derivation_are_told(wired):
    wired.bench.episode("e1", "Tabs are refused")
    wired.bench.hook("stop", b"not json")
    (row,) = wired.found("events-failed")
    assert row["severity"] == "warning"
    assert "stop: the payload is not JSON" in row["message"]


def test_h52_the_time_since_the_last_event_is_told_for_each_host(wired):
    (row,) = wired.found("never-called", "last-event")
    assert (row["severity"], row["code"]) == ("warning", "never-called")
    append(wired, "outside", "provider.event.received", ago(3 * DAY), provider="claude-code", provider_event="stop")  # fmt: skip
    (row,) = wired.found("never-called", "last-event")
    assert row["message"] == "Claude Code: the last event was 3 days ago"
    assert wired.found("host-silent") != []
    wired.bench.hook("session-start", {"session_id": "e1", "source": "startup"})
    assert wired.found("host-silent") == []


def test_h52_unknown_entrypoints_still_record(wired):
    env = {"CLAUDE_CODE_ENTRYPOINT": "never-heard-of"}
    wired.bench.hook("session-start", {"session_id": "e1"}, env=env)
    (row,) = wired.found("last-event")
    assert row["message"] == "Claude Code: the last event was less than a minute ago"


def test_h30_torn_ledger_lines_have_file_and_line(wired):
    wired.bench.episode("e1", "Tabs are refused")
    path = wired.bench.repo.ledger("e1")
    before = len(path.read_text().splitlines())
    with path.open("ab") as file:
        file.write(b'{"ts":"2026-11-30T10:00:00Z","eve\n<<<<<<< ours\n')
    rows = wired.found("torn-line")
    assert [(row["path"], row["line"]) for row in rows] == [
        (".ai/local/ledger/e1.jsonl", before + 1),
        (".ai/local/ledger/e1.jsonl", before + 2),
    ]


@pytest.mark.parametrize("kind", ["fifo", "symlink", "folder"])
def test_h63_a_ledger_that_is_no_file_is_an_error_and_does_not_hang(wired, kind):
    wired.bench.episode("e1", "Tabs are refused")
    path = wired.bench.repo.ledger("e9")
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "symlink":
        path.symlink_to(wired.bench.repo.ledger("e1"))
    else:
        path.mkdir()
    (row,) = wired.found("ledger-unreadable")
    assert (row["severity"], row["path"]) == ("error", ".ai/local/ledger/e9.jsonl")


def test_joined_ledgers_are_looked_into(wired):
    folder = wired.bench.repo.local / "ledger/closed"
    wired.bench.hook("session-start", {"session_id": "e1"})
    folder.mkdir()
    line = b'{"ts":"2026-11-01T10:00:00.000Z","event":"session.closed","session":"x","outcome":"closed"}\n'
    header = {
        "episode": "x",
        "size": len(line) + 5,
        "sha256": hashlib.sha256(line + b"torn\n").hexdigest(),
    }
    path = folder / "2026-11.jsonl"
    whole = json.dumps(header).encode() + b"\n" + line + b"torn\n"
    path.write_bytes(whole)
    assert wired.found("archive-torn", "archive-changed") == []
    (row,) = wired.found("torn-line")
    assert (row["path"], row["line"]) == (".ai/local/ledger/closed/2026-11.jsonl", 3)
    path.write_bytes(whole.replace(b"closed", b"CLOSED") + b'{"episode":"y"')
    codes = [row["code"] for row in wired.found("archive-torn", "archive-changed")]
    assert codes == ["archive-changed", "archive-torn"]


# --- 285_candidates_are_reviewed_not_accumulated -----------------------------------


def test_285_the_queue_is_measured_and_never_red(wired):
    wired.bench.repo.write(".ai/config.yaml", "knowledge:\n  candidates_max_files: 2\n")
    wired.bench.episode("e1", "One", "Two")
    wired.bench.repo.commit("Keep")
    assert wired.found("queue-long") == []
    wired.bench.episode("e2", "Three")
    wired.bench.repo.commit("Keep")
    code, rows = wired.doctor()
    assert code == 0
    (row,) = [row for row in rows if row["code"] == "queue-long"]
    assert row["severity"] == "warning"
    assert "more than knowledge.candidates_max_files (2)" in row["message"]
    one = wired.bench.ids[0]
    wired.bench.afterword("knowledge", "reject", one, "--reason", "r")
    assert wired.found("queue-long") == []


def test_285_an_old_candidate_is_named_with_the_source_of_its_age(wired):
    (one,) = wired.bench.episode("e1", "Tabs are refused")
    assert wired.found("candidate-old") == []
    path = wired.bench.candidate(one)
    foreign = "far-0123456789ab"
    text = path.read_text().replace(one, foreign).replace("session:e1", "session:far")
    date = text.split("\ndate: ")[1][:10]
    wired.bench.candidate(foreign).write_text(text.replace(date, "2020-01-01"))
    rows = wired.found("candidate-old")
    assert [row["message"].rpartition(" (")[2] for row in rows] == ["age by its date)"]
    env = {"GIT_COMMITTER_DATE": "2021-01-01T00:00:00Z"}
    wired.bench.repo.git("add", "-A")
    subprocess.run(
        ["git", "commit", "-qm", "Keep"], cwd=wired.root, env={**os.environ, **env}, check=True
    )  # fmt: skip
    rows = wired.found("candidate-old")
    assert [row["message"].rpartition(" (")[2] for row in rows] == [
        "age by the commit that added it)"
    ]
    ledger_ = wired.bench.repo.ledger("e1")
    lines = [json.loads(raw) for raw in ledger_.read_text().splitlines()]
    for line in lines:
        if line["event"] == "knowledge.derived":
            line["ts"] = ago(20 * DAY)
    ledger_.write_text("".join(json.dumps(line) + "\n" for line in lines))
    messages = {row["path"]: row["message"] for row in wired.found("candidate-old")}
    assert messages[f".ai/repo/knowledge/candidates/{one}.md"] == (
        "awaits review for 20 days, more than 14d (age by its first knowledge.derived line)"
    )


def test_285_18_untracked_records_are_warnings(wired):
    one, other = wired.bench.episode("e1", "Tabs are refused", "Ports are below 9000")
    wired.bench.afterword("knowledge", "promote", other, input="Seen.")
    code, rows = wired.doctor()
    assert code == 0
    found = {row["code"]: row for row in rows if row["severity"] == "warning"}
    assert set(found) == {"candidates-untracked", "curated-untracked", "sessions-untracked"}  # fmt: skip
    assert found["candidates-untracked"]["path"].endswith(f"{one}.md")
    assert found["curated-untracked"]["path"].endswith(f"{other}.md")


# --- litter, loss, strangers -------------------------------------------------------


def test_litter_of_dead_processes_is_named_and_that_of_living_ones_is_not(wired):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    folder = ".ai/repo/knowledge/candidates"
    dead = wired.bench.repo.write(f"{folder}/.a.md.{gone.pid}.0a0a0a0a.tmp", "x")
    wired.bench.repo.write(f"{folder}/.b.md.{os.getpid()}.0a0a0a0a.tmp", "x")
    wired.bench.repo.write(f"{folder}/.c.md.1.0a0a0a0a.orphan", "x")
    assert [row["path"] for row in wired.found("temp")] == [f"{folder}/{dead.name}"]
    assert len(wired.found("orphan")) == 1


def test_intents_that_wait_and_one_that_cannot_be_read(wired):
    wired.bench.hook("session-start", {"session_id": "e1"})
    batch = wired.bench.repo.local / "batch"
    batch.mkdir()
    (batch / "1-a.json").write_text('{"lock":"review","files":[]}\n')
    (batch / "1-b.json").write_text("torn")
    (row,) = wired.found("unfinished")
    assert row["message"] == "a change under the lock 'review' was not completed"
    note = {
        "episode": "outside",
        "target": "a.md",
        "after": "f",
        "source": "b.md",
        "before": "0",
        "event": "knowledge.promoted",
        "fields": {"id": "k1", "path": "a.md"},
    }
    review = wired.bench.repo.local / "review"
    review.mkdir()
    (review / "k1.json").write_text(json.dumps(note))
    messages = [row["message"] for row in wired.found("unfinished")]
    assert "the review of k1 was cut short before it was logged" in messages
    (row,) = wired.found("intent-unreadable")
    assert row["severity"] == "error"


def test_h66_a_planted_local_half_is_named_and_not_believed(wired):
    shutil.rmtree(wired.bench.repo.local)
    planted = wired.bench.repo.local / "ledger/outside.jsonl"
    planted.parent.mkdir(parents=True)
    planted.write_text("torn\n")
    (row,) = wired.found("foreign-local")
    assert row["severity"] == "error"
    assert wired.found("torn-line") == [], "nothing in it is read"
    wired.bench.hook("session-start", {"session_id": "e1"})
    (row,) = wired.found("planted")
    assert row["path"].startswith(".ai/local-")


def test_h46_doctor_says_what_git_clean_took_away(wired):
    wired.bench.episode("e1", "Tabs are refused")
    wired.bench.repo.git("clean", "-fdxq")
    (row,) = wired.found("local-gone")
    assert "git clean -x takes it away" in row["message"]
    assert "the active task and the open questions" in row["message"]


def test_h46_doctor_says_that_the_whole_memory_is_gone(bare):
    bare.install()
    bare.bench.episode("e1", "Tabs are refused")
    bare.bench.repo.git("rm", "-rq", "--cached", ".ai")
    bare.bench.repo.git("commit", "-qm", "Out")
    bare.bench.repo.git("clean", "-fdxq")
    code, rows = bare.doctor()
    assert code == 1
    assert [row["code"] for row in rows] == ["memory-gone"]


def test_h46_candidates_that_were_stashed_away_are_told(wired):
    (one,) = wired.bench.episode("e1", "Tabs are refused")
    wired.bench.repo.git("stash", "-q", "-u")
    (row,) = wired.found("candidates-elsewhere")
    assert one in row["message"]
    assert row["fix"] == ".ai/bin/afterword knowledge derive --restore --episode e1"
    wired.bench.repo.git("stash", "pop", "-q")
    assert wired.found("candidates-elsewhere") == []


def test_a_repository_that_never_had_a_memory_is_refused_as_everywhere(
    afterword, tmp_path
):
    subprocess.run(["git", "init", "-q", str(tmp_path / "other")], check=True)
    ran = afterword("doctor", cwd=tmp_path / "other")
    assert ran.code == 1
    assert "no .ai/ here" in ran.err


def test_h33_a_read_only_store_is_red(wired):
    """Rights do not stop root, a read-only mount does; where none can be made, rights are tried."""
    if os.geteuid() == 0:
        script = (
            f"mount --bind {wired.root}/.ai {wired.root}/.ai &&"
            f" mount -o remount,ro,bind {wired.root}/.ai && "
        )
        words = ["unshare", "-m", "sh", "-c", script + '"$@"', "sh"]
        if subprocess.run(
            [*words, "true"], check=False, capture_output=True
        ).returncode:
            pytest.skip("not on this system: a mount namespace")
    else:
        words = []
        (wired.root / ".ai/local").chmod(0o555)
    command = os.path.join(os.path.dirname(sys.executable), "afterword")
    done = subprocess.run(
        [*words, command, "doctor", "--json"], cwd=wired.root, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert "read-only" in [row["code"] for row in rows]


def test_h32_a_full_disk_is_red(wired, monkeypatch):
    from afterword.doctor import disk
    from afterword.doctor.scene import Scene
    from afterword.store import config

    monkeypatch.setattr(disk, "LEAST_BYTES", 1 << 60)
    store = layout.find(str(wired.root))
    scene = Scene(store, config.peek(store), dict(os.environ), clock.now())
    codes = {finding.code for finding in disk.check(scene)}
    assert codes == {"disk-full"}


# --- 63_session_records ------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "old", "new"),
    [
        ("session-key", "kind: session", "kind: session\ntranscript: hello"),
        ("session-value", "schema: session/v1", "schema: session/v2"),
        ("session-value", "\noutcome: ", "\noutcome: cut  # "),
        ("session-missing", "session_id: e1\n", ""),
        ("session-path", "\nhost: claude-code", "\nhost: /home/me/project"),
        ("session-transcript", "## Decisions", "assistant: hello\n\n## Decisions"),
        ("session-shape", "kind: session", "kind: [session"),
    ],
)
def test_63_session_records_are_checked(wired, code, old, new):
    wired.bench.episode("e1", "Tabs are refused")
    (path,) = (wired.root / ".ai/repo/sessions").glob("*/*.md")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    (row,) = wired.found(code)
    assert (row["severity"], row["path"]) == (
        "error",
        str(path.relative_to(wired.root)),
    )
    assert wired.doctor()[0] == 1


def test_63_two_records_of_one_episode_are_both_named(wired):
    wired.bench.episode("e1", "Tabs are refused")
    (path,) = (wired.root / ".ai/repo/sessions").glob("*/*.md")
    other = path.with_name("e2.md")
    shutil.copy(path, other)
    rows = wired.found("session-duplicate")
    assert sorted(row["path"] for row in rows) == sorted(
        str(one.relative_to(wired.root)) for one in (path, other)
    )
    (path.parent / "README.md").write_text("# No record\n")
    assert len(wired.found("session-duplicate")) == 2


def test_63_adopted_records_keep_their_keys(wired):
    wired.bench.repo.write(
        ".ai/repo/sessions/20261102T081530Z--s-1--main--9f0c111--0123456789abcdef.md",
        "---\nschema: session/v1\nkind: session\nsession_id: s-1\nworktree_id: 0123abcd\n"
        "started_at: 2026-11-02T08:15:30Z\nclosed_at: 2026-11-02T09:15:30Z\n"
        "outcome: closed\nchanged_files: []\n---\n\n# What Happened\n",
    )
    _, rows = wired.doctor()
    assert [row for row in rows if row["code"].startswith("session-")] == []


def test_h44_merge_markers_in_governed_files_are_errors_with_their_line(wired):
    wired.bench.repo.write(
        ".ai/repo/snapshot.md", "# A\n\n<<<<<<< ours\na\n>>>>>>> b\n"
    )
    wired.bench.repo.write(".ai/config.yaml", "<<<<<<< ours\nenabled: true\n")
    rows = wired.found("merge_markers")
    assert [(row["path"], row["line"]) for row in rows] == [
        (".ai/config.yaml", 1),
        (".ai/repo/snapshot.md", 3),
    ]


def test_every_number_of_ledgers_is_read_in_one_pass(wired):
    store = layout.find(str(wired.root))
    head = read_head(store.place)
    for number in range(50):
        for at in range(10):
            event = events.DecisionRecorded(decision=f"D {number} {at}", why="w")
            ledger.append(store, f"e{number}", event, head)
    assert wired.doctor()[0] == 0


def test_what_was_recorded_outside_and_never_derived_is_told(bench):
    def found() -> list[dict]:
        rows = bench.afterword("doctor", "--json").objects
        return [row for row in rows if row["code"] == "outside-underived"]

    assert found() == []
    bench.afterword("decision", "add", "Tabs are refused", "--why", "w")
    (row,) = found()
    assert row["severity"] == "warning"
    assert row["fix"] == "afterword knowledge derive --episode outside"
    assert bench.afterword("knowledge", "derive", "--episode", "outside").code == 0
    assert found() == []
