"""What an episode leaves at its end and at a compaction (spec/episodes 11, 278-280, 284)."""

import hashlib
from pathlib import Path

import pytest

from afterword.episode import events
from scene import Scene, stated


def test_278_knowledge_is_derived_at_the_boundary(scene: Scene) -> None:
    """No task: one decision, one end, exactly one candidate, in the order of the contract."""
    scene.start("e1")
    scene.decide("e1", 'Say "no" to \\ in paths')
    ran = scene.end("e1")
    assert ran.out == ""
    ((name, text),) = scene.candidates.items()
    assert name.startswith("e1-")
    for line in (
        "class: convention",
        'title: "Say \\"no\\" to \\\\ in paths"',
        "status: candidate",
        "  origin: extracted",
        "    - session:e1",
    ):
        assert line in text.splitlines()
    assert "decision:" not in text
    assert "task:" not in text
    assert "none" not in text
    assert (scene.root / ".ai/repo/knowledge/candidates/README.md").is_file()
    names = scene.names("e1")
    assert names.index("knowledge.derived") < names.index("session.closed")
    (derived,) = scene.of("e1", "knowledge.derived")
    assert (derived["written"], derived["unchanged"], derived["skipped"]) == (1, 0, 0)
    assert derived["paths"] == [f".ai/repo/knowledge/candidates/{name}.md"]
    assert not scene.is_open("e1")
    scene.no_litter()


def test_278_a_task_verified_and_a_decision_under_it(scene: Scene) -> None:
    """12.6: text with quotes is parsed once and escaped once, never cut at the first quote."""
    scene.start("e1")
    scene.log("e1", events.TaskStarted(task_id="t-1", title="Parse", scope=["lib"]))
    scene.log(
        "e1", events.DecisionRecorded(task_id="t-1", decision='A "b" \\ c', why="x")
    )
    scene.log(
        "e1",
        events.TaskFinished(
            task_id="t-1",
            outcome="completed",
            verify={"command": "make test", "exit": 0, "seconds": 1},
        ),
    )
    scene.end("e1")
    by_class = {
        next(line for line in text.splitlines() if line.startswith("class: ")): text
        for text in scene.candidates.values()
    }
    assert set(by_class) == {"class: convention", "class: fact"}
    convention, fact = by_class["class: convention"], by_class["class: fact"]
    assert "    - decision:t-1" in convention
    assert "epistemics: decided" in convention
    assert 'title: "A \\"b\\" \\\\ c"' in convention
    assert "    - task:t-1" in fact
    assert "epistemics: observed" in fact
    assert "make test (exit 0)" in fact


def test_279_knowledge_derivation_is_idempotent(scene: Scene) -> None:
    """Two compactions, one file, the same bytes; the second wrote nothing."""
    scene.start("e1")
    scene.decide("e1", "Retry at most three times")
    scene.compact("e1")
    ((name, before),) = scene.candidates.items()
    scene.compact("e1")
    scene.compact("e1")
    assert scene.candidates == {name: before}
    counts = [
        (line["written"], line["unchanged"])
        for line in scene.of("e1", "knowledge.derived")
    ]
    assert counts == [(1, 0), (0, 1), (0, 1)]
    scene.decide("e1", "And then give up")
    scene.compact("e1")
    scene.end("e1")
    assert len(scene.candidates) == 2
    last = scene.of("e1", "knowledge.derived")
    assert [(line["written"], line["unchanged"]) for line in last[3:]] == [
        (1, 1),
        (0, 2),
    ]


def test_280_knowledge_on_end_false_is_said_and_changes_nothing_else(
    scene: Scene,
) -> None:
    scene.write(".ai/config.yaml", "session:\n  knowledge_on_end: false\n")
    scene.start("e1")
    scene.decide("e1", "Not derived now")
    ran = scene.end("e1")
    assert "session.knowledge_on_end" in ran.err
    assert scene.candidates == {}
    assert scene.of("e1", "knowledge.derived") == []
    assert scene.of("e1", "provider.event.failed") == []
    assert scene.names("e1")[-1] == "session.closed"
    assert not scene.is_open("e1")


def test_12_3_one_switch_governs_only_itself(scene: Scene) -> None:
    """Incident 12.3: a switch above the derivation silently governed another."""
    scene.write(".ai/config.yaml", "session:\n  knowledge_on_compact: false\n")
    scene.start("e1")
    scene.decide("e1", "Derived at the end all the same")
    ran = scene.compact("e1")
    assert "session.knowledge_on_compact" in ran.err
    assert scene.candidates == {}
    scene.end("e1")
    assert len(scene.candidates) == 1


def test_280_a_candidates_folder_that_cannot_be_written(scene: Scene) -> None:
    """The failure is in the ledger, and the episode closes (a file stands in the way)."""
    scene.start("e1")
    scene.decide("e1", "Cannot be written")
    scene.write(".ai/repo/knowledge/candidates", "a file, not a folder\n")
    ran = scene.end("e1")
    assert ran.out == ""
    (failed,) = scene.of("e1", "provider.event.failed")
    assert "knowledge" in failed["reason"]
    assert failed["provider_event"] == "session-end"
    assert scene.names("e1")[-1] == "session.closed"
    assert scene.of("e1", "knowledge.derived") == []
    assert not scene.is_open("e1")


def test_284_briefing_names_the_candidates(scene: Scene) -> None:
    absence = "No candidate awaits review on this branch."
    assert absence in scene.start("e0").briefing
    scene.start("e1")
    for number in range(8):
        scene.decide("e1", f"Decision {number}")
    scene.end("e1")
    text = scene.start("e2").briefing
    assert "Candidates awaiting review on this branch: 8" in text
    shown = [line for line in text.splitlines() if line.startswith("- e1-")]
    assert len(shown) == 5
    assert "... and 3 more" in text
    scene.git("checkout", "-q", "-b", "other")
    assert absence in scene.start("e3").briefing


def test_12_12_12_21_temps_and_readmes_are_no_records(scene: Scene) -> None:
    scene.start("e1")
    scene.decide("e1", "One")
    scene.end("e1")
    ((name, text),) = scene.candidates.items()
    folder = scene.root / ".ai/repo/knowledge/candidates"
    (folder / f".{name}.md.999999.0a1b2c3d.tmp").write_text(text)
    (folder / "README.md").write_text(text)
    (folder / "notes.txt").write_text(text)
    (folder / ".hidden.md").write_text(text)
    briefing = scene.start("e2").briefing
    assert "awaiting review on this branch: 1" in briefing


def test_284_a_candidate_of_an_unknown_episode_is_counted_apart(scene: Scene) -> None:
    scene.start("e1")
    scene.decide("e1", "Known here")
    scene.end("e1")
    ((name, text),) = scene.candidates.items()
    foreign = text.replace("session:e1", "session:elsewhere").replace(
        f"id: {name}", "id: elsewhere-0123456789ab"
    )
    scene.write(".ai/repo/knowledge/candidates/elsewhere-0123456789ab.md", foreign)
    briefing = scene.start("e2").briefing
    assert "Candidates awaiting review on this branch: 1" in briefing
    assert "1 more of episodes that this clone does not know" in briefing
    assert "elsewhere-0123456789ab" in briefing


def test_12_5_the_same_evidence_never_makes_a_second_file(scene: Scene) -> None:
    """Incident 12.5 and 13, duplicate evidence: id-named files, the first line wins."""
    scene.start("e1")
    scene.env["AFTERWORD_NOW"] = "2026-03-01T23:59:59.000Z"
    for _ in range(2):
        _append_decision(scene, "2026-03-01T23:59:59.000Z")
        _append_decision(scene, "2026-03-02T00:00:01.000Z")
    scene.compact("e1")
    ((name, text),) = scene.candidates.items()
    assert "date: 2026-03-01" in text
    for _ in range(3):
        scene.compact("e1")
        _append_decision(scene, "2026-03-03T00:00:01.000Z")
    assert scene.candidates == {name: text}


def _append_decision(scene: Scene, ts: str) -> None:
    from afterword.episode import ledger
    from afterword.store import jsonline

    line = {
        "ts": ts,
        "event": "decision.recorded",
        "head": None,
        "branch": "main",
        "by": "afterword/0",
        "session": "e1",
        "task_id": "none",
        "decision": "Said twice",
        "why": "x",
    }
    ledger.append_line(str(scene.ledger("e1")), jsonline.to_line(line), durable=False)


@pytest.mark.parametrize("what", ["edited", "deleted"])
def test_13_what_a_person_did_to_a_candidate_stays(scene: Scene, what: str) -> None:
    """13: an edited candidate is never rewritten, a deleted one never comes back."""
    scene.start("e1")
    scene.decide("e1", "First wording")
    scene.compact("e1")
    (path,) = (scene.root / ".ai/repo/knowledge/candidates").glob("e1-*.md")
    if what == "edited":
        path.write_text(path.read_text().replace("First wording", "A better one"))
    else:
        path.unlink()
    before = path.read_bytes() if path.exists() else None
    scene.decide("e1", "Another")
    scene.compact("e1")
    scene.end("e1")
    assert (path.read_bytes() if path.exists() else None) == before
    assert scene.of("e1", "knowledge.derived")[-1]["skipped"] == 1


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_13_a_checkout_with_other_line_ends_is_no_edit(
    scene: Scene, ending: str
) -> None:
    """H59 and 13: hashes are over LF text, so autocrlf edits nothing."""
    scene.start("e1")
    scene.decide("e1", "One")
    scene.compact("e1")
    (path,) = (scene.root / ".ai/repo/knowledge/candidates").glob("e1-*.md")
    path.write_bytes(path.read_bytes().replace(b"\n", ending.encode()))
    before = path.read_bytes()
    scene.decide("e1", "Two")
    scene.compact("e1")
    assert path.read_bytes() == before
    assert scene.of("e1", "knowledge.derived")[-1]["unchanged"] == 1


def test_13_a_candidate_without_bytes_counts_as_absent(scene: Scene) -> None:
    """DESIGN 10: a crash may leave a file of zero length; it is written again."""
    scene.start("e1")
    scene.decide("e1", "One")
    folder = scene.root / ".ai/repo/knowledge/candidates"
    scene.compact("e1")
    (path,) = folder.glob("e1-*.md")
    whole = path.read_bytes()
    scene.ledger("e1").write_bytes(
        b"".join(
            line + b"\n"
            for line in scene.ledger("e1").read_bytes().splitlines()
            if b"knowledge.derived" not in line
        )
    )
    path.write_bytes(b"")
    scene.compact("e1")
    assert path.read_bytes() == whole


def test_13_rationale_reaches_the_record(scene: Scene) -> None:
    scene.start("e1")
    scene.log(
        "e1",
        events.DecisionRecorded(
            decision="Use A", why="B is slow", rejected="B", evidence="bench.txt"
        ),
    )
    scene.end("e1")
    (text,) = scene.candidates.values()
    assert "## Why\n\nB is slow" in text
    assert "## Rejected alternative\n\nB\n" in text
    assert "## Evidence\n\nbench.txt" in text


def test_13_deriving_later_attaches_no_foreign_commit(scene: Scene) -> None:
    """13, commit window: a commit made after the close belongs to nobody's candidate."""
    scene.start("e1")
    scene.decide("e1", "Bounded by the close")
    scene.commit("inside", **{"docs/adr/0001.md": "one\n"})
    inside = scene.git("rev-parse", "HEAD").strip()
    scene.end("e1")
    (text,) = scene.candidates.values()
    assert f"    - commit:{inside}" in text
    scene.commit("after", **{"docs/adr/0002.md": "two\n"})
    scene.start("e2")
    scene.end("e2")
    (again,) = scene.candidates.values()
    assert again == text


def test_13_a_commit_beside_another_episode_is_shared(scene: Scene) -> None:
    scene.start("e1")
    scene.start("e2")
    scene.decide("e1", "Mine")
    sha = scene.commit("beside", **{"docs/adr/0001.md": "one\n"})
    scene.end("e1")
    scene.end("e2")
    assert all(sha not in text for text in scene.candidates.values())
    assert f"shared:\n  - {sha}" in scene.records["e1"].replace('"', "")
    assert f"shared:\n  - {sha}" in scene.records["e2"].replace('"', "")


def test_12_16_an_episode_without_anything_leaves_no_record(scene: Scene) -> None:
    """12.16, 12.17: no empty body, no list of things that are not the episode's."""
    scene.start("e1")
    scene.stop("e1")
    scene.end("e1")
    assert scene.records == {}
    assert scene.names("e1")[-1] == "session.closed"


def test_an_episode_that_only_learned_something_is_recorded(scene: Scene) -> None:
    scene.start("e1")
    title = "The tokenizer sees the raw line"
    scene.log("e1", events.QueueAdded(id="LQ-001-1a2b3c", title=title, priority="P2"))
    scene.end("e1")
    assert f'learned:\n  - "{title}"\n' in scene.records["e1"]
    scene.start("e2")
    scene.log("e2", events.ReflectionAdded(date="2026-11-30", title=""))
    scene.end("e2")
    assert "learned" not in scene.records["e2"]


def test_63_session_records_hold_no_path_and_no_person(scene: Scene) -> None:
    scene.start("e1")
    scene.decide("e1", "Kept")
    scene.commit("work", **{"src/a.py": "a = 1\n"})
    sha = scene.git("rev-parse", "HEAD").strip()
    scene.end("e1", reason="logout")
    (text,) = scene.records.values()
    assert str(scene.root) not in text
    assert scene.env["HOME"] not in text
    assert "person@example.org" not in text
    assert "outcome: closed" in text
    assert f"commits:\n  - {sha}" in text.replace('"', "")
    assert "Kept (why: it was measured)" in text


def test_trailers_of_the_episodes_commits_are_evidence(scene: Scene) -> None:
    scene.start("e1")
    scene.commit("Change\n\nConstraint: never block the agent\nLesson: it was a race")
    scene.end("e1")
    kinds = sorted(
        line
        for text in scene.candidates.values()
        for line in text.splitlines()
        if line.startswith(("class:", "title:"))
    )
    assert kinds == [
        "class: constraint",
        "class: lesson",
        'title: "it was a race"',
        'title: "never block the agent"',
    ]


def test_an_amended_commit_mints_nothing_new(scene: Scene) -> None:
    scene.start("e1")
    scene.commit("Change\n\nFact: forty two")
    scene.compact("e1")
    before = set(scene.candidates)
    scene.git(
        "commit", "-q", "--amend", "--allow-empty", "-m", "Better\n\nFact: forty two"
    )
    scene.compact("e1")
    scene.end("e1")
    assert set(scene.candidates) == before


def test_promoted_and_rejected_ones_are_left_alone(scene: Scene) -> None:
    scene.start("e1")
    for text in ("Promoted", "Rejected"):
        scene.decide("e1", text)
    scene.compact("e1")
    folder = scene.root / ".ai/repo/knowledge"
    found = {text: name for name, text in scene.candidates.items()}
    for text, name in found.items():
        path = folder / "candidates" / f"{name}.md"
        if "Promoted" in text:
            (folder / "curated").mkdir(exist_ok=True)
            path.rename(folder / "curated" / path.name)
        else:
            path.write_text(text.replace("status: candidate", "status: superseded"))
    before = scene.candidates
    scene.decide("e1", "Third")
    scene.compact("e1")
    assert len(scene.candidates) == len(before) + 1
    assert before.items() <= scene.candidates.items()
    assert scene.of("e1", "knowledge.derived")[-1]["skipped"] == 2


def test_12_22_no_process_of_ours_outlives_a_hook(scene: Scene) -> None:
    """12.22 and H76: nothing is backgrounded, so nothing can be lost or leak."""
    marker = f"AFTERWORD_TEST_MARK={scene.root}"
    scene.env["AFTERWORD_TEST_MARK"] = str(scene.root)
    for number in range(5):
        scene.start(f"e{number}")
        scene.commit("c", **{"docs/adr/a.md": str(number)})
        scene.compact(f"e{number}")
        scene.stop(f"e{number}")
        scene.end(f"e{number}")
    alive = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if marker.encode() in (process / "environ").read_bytes():
                alive.append((process / "cmdline").read_bytes())
        except OSError:
            continue
    assert alive == []


def test_12_24_digest_is_over_evidence_not_wording(scene: Scene) -> None:
    """Spec 4.3, word for word: the id of a decision outside any task."""
    scene.start("e1")
    scene.decide("e1", "Exact", why="any why")
    scene.end("e1")
    evidence = "decision.recorded\nnone\nExact"
    expected = f"e1-{hashlib.sha256(evidence.encode()).hexdigest()[:12]}"
    assert list(scene.candidates) == [expected]


def test_an_unknown_payload_is_logged_by_its_key_names(scene: Scene) -> None:
    scene.start("e1")
    payload = stated("stop", "e1", hook_event_name="Surprise", token="s3cr3t-value")
    ran = scene.hook("stop", payload)
    assert "Surprise" in ran.err
    (failed,) = scene.of("e1", "provider.event.failed")
    assert "token" in failed["reason"]
    assert "s3cr3t-value" not in scene.ledger("e1").read_text()
