"""`afterword knowledge derive` and `candidates` as they are typed."""

from __future__ import annotations

import json
import shutil

import pytest

from bench import Bench


@pytest.fixture
def bench(repo, run_hook, afterword) -> Bench:
    return Bench(repo, run_hook, afterword)


def decide(bench, episode, text, **more):
    bench.hook("session-start", {"session_id": episode, "source": "startup"})
    ran = bench.afterword(
        "decision", "add", text, "--why", "w", "--episode", episode, **more
    )
    assert ran.code == 0, ran.err


def derive(bench, *words, **more):
    return bench.afterword("knowledge", "derive", *words, **more)


def test_an_unknown_verb_is_a_usage_error(afterword):
    """278: a bogus subcommand ends with 2."""
    ran = afterword("knowledge", "bogus")
    assert (ran.code, ran.out) == (2, "")
    assert "No such command 'bogus'" in ran.err


def test_279_derivation_is_idempotent_and_a_dry_run_writes_nothing(bench):
    """279_knowledge_derivation_is_idempotent, by hand."""
    decide(bench, "e1", "Tabs are refused")
    before = bench.tree
    dry = derive(bench, "--episode", "e1", "--dry-run")
    assert dry.code == 0
    path = dry.out.splitlines()[0].removeprefix("would write ")
    assert dry.out == (
        f"would write {path}\n"
        "knowledge derive: 1 to write, 0 unchanged, 0 skipped for episode e1\n"
    )
    assert bench.tree == before
    first = derive(bench, "--episode", "e1")
    assert first.out == (
        f"written {path}\n"
        "knowledge derive: 1 written, 0 unchanged, 0 skipped for episode e1\n"
    )
    data = (bench.repo.root / path).read_bytes()
    second = derive(bench, "--episode", "e1")
    assert second.out == (
        f"unchanged {path}\n"
        "knowledge derive: 0 written, 1 unchanged, 0 skipped for episode e1\n"
    )
    assert (bench.repo.root / path).read_bytes() == data
    counts = [
        (line["written"], line["unchanged"])
        for line in bench.repo.lines("e1", "knowledge.derived")
    ]
    assert counts == [(1, 0), (0, 1)]


def test_derive_as_json(bench):
    decide(bench, "e1", "Tabs are refused")
    ran = derive(bench, "--episode", "e1", "--json")
    (path,) = ran.json["written"]
    assert ran.json == {
        "episode": "e1",
        "dry_run": False,
        "written": [path],
        "unchanged": [],
        "skipped": [],
    }
    (bench.repo.root / path).unlink()
    ran = derive(bench, "--episode", "e1", "--json")
    assert ran.json["skipped"] == [{"path": path, "reason": "deleted"}]


def test_the_episode_of_the_session_is_derived_by_default(bench):
    decide(bench, "e1", "Tabs are refused")
    decide(bench, "e2", "Ports are below 9000")
    ran = derive(bench, env={"AFTERWORD_EPISODE": "e1"})
    assert ran.out.endswith("for episode e1\n")
    assert len(bench.ids) == 1


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_without_an_open_episode_nothing_is_derived_or_logged(bench, words):
    before = bench.tree
    ran = derive(bench, *words)
    assert ran.code == 0
    assert ran.err.splitlines()[0] == "no episode is open here: nothing to derive"
    assert bool(ran.out) == bool(words)
    if words:
        assert ran.json["episode"] is None
    assert {k: v for k, v in bench.tree.items() if ".stamp" not in k} == {
        k: v for k, v in before.items() if ".stamp" not in k
    }


@pytest.mark.parametrize("name", ["ghost", "../../x", "README"])
def test_an_unknown_episode_is_refused(bench, name):
    ran = derive(bench, "--episode", name)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        f"afterword: episode {name} is not known in this worktree\n"
        "see: afterword episode list\n"
    )


def test_what_was_recorded_outside_is_derived_by_name(bench):
    ran = bench.afterword("decision", "add", "Outside of all", "--why", "w")
    assert ran.code == 0
    ran = derive(bench, "--episode", "outside")
    assert "1 written" in ran.out
    (one,) = bench.ids
    assert one.startswith("outside-")
    (row,) = bench.afterword("knowledge", "candidates", "--json").objects
    assert (row["episode"], row["branch"]) == ("outside", None)
    assert bench.afterword("knowledge", "check").code == 0


def test_13_a_closed_episode_derives_within_its_own_span(bench):
    """spec/episodes 13: deriving later attached foreign commits."""
    decide(bench, "e1", "Tabs are refused")
    bench.repo.write("docs/adr/own.md", "own\n")
    bench.repo.commit("Own")
    assert bench.afterword("episode", "close", "e1").code == 0
    (one,) = bench.ids
    before = bench.candidate(one).read_bytes()
    assert b"file:docs/adr/own.md" in before
    bench.repo.write("docs/adr/later.md", "later\n")
    bench.repo.commit("Later, by nobody's episode")
    ran = derive(bench, "--episode", "e1")
    assert ran.out.startswith("unchanged ")
    assert bench.candidate(one).read_bytes() == before


def test_restore_writes_again_what_is_gone(bench):
    (one,) = bench.episode("e1", "Tabs are refused")
    data = bench.candidate(one).read_bytes()
    bench.candidate(one).unlink()
    assert "(deleted)" in derive(bench, "--episode", "e1").out
    ran = derive(bench, "--episode", "e1", "--restore")
    assert ran.out.startswith("written ")
    assert bench.candidate(one).read_bytes() == data


def test_an_edited_candidate_is_left_alone(bench):
    (one,) = bench.episode("e1", "Tabs are refused")
    path = bench.candidate(one)
    path.write_text(path.read_text() + "\nA person's word.\n")
    assert "(edited)" in derive(bench, "--episode", "e1", "--restore").out
    assert path.read_text().endswith("A person's word.\n")


@pytest.mark.parametrize("marker", ["MERGE_HEAD", "index.lock"])
def test_while_git_is_busy_nothing_is_derived(bench, marker):
    decide(bench, "e1", "Tabs are refused")
    (bench.repo.root / ".git" / marker).write_text("")
    before = bench.tree
    ran = derive(bench, "--episode", "e1")
    assert ran.code == 1
    assert "git is in the middle of something here" in ran.err
    assert bench.tree == before
    assert derive(bench, "--episode", "e1", "--dry-run").code == 0


def test_h64_a_text_that_holds_a_secret_yields_no_record(bench):
    """What a hook withheld is searched again with everything there is."""
    bench.hook("session-start", {"session_id": "e1", "source": "startup"})
    secret = "AKIA" + "Z7QWERTYUIOPASDF"
    line = {
        "ts": "2026-11-30T10:00:00.000Z",
        "event": "decision.recorded",
        "session": "e1",
        "task_id": "none",
        "decision": f"Use {secret} in tests",
        "why": "w",
    }
    with bench.repo.ledger("e1").open("a") as file:
        file.write(json.dumps(line) + "\n")
    ran = derive(bench, "--episode", "e1")
    assert "(secret)" in ran.out
    assert bench.ids == []


# --- candidates --------------------------------------------------------------------


def test_284_candidates_are_listed_with_class_and_branch(bench):
    bench.repo.git("switch", "-q", "-c", "topic")
    (one,) = bench.episode("e1", "Tabs are refused")
    bench.repo.git("switch", "-q", "main")
    ran = bench.afterword("knowledge", "candidates")
    lines = ran.out.splitlines()
    assert lines[-1] == "knowledge candidates: 1 awaiting review"
    date = bench.candidate(one).read_text().split("\ndate: ")[1][:10]
    assert lines[0].split() == [one, "convention", date, "topic", *"Tabs are refused".split()]  # fmt: skip
    assert ran.err == ""


def test_284_candidates_as_json(bench):
    (one,) = bench.episode("e1", "Tabs are refused")
    (row,) = bench.afterword("knowledge", "candidates", "--json").objects
    assert row == {
        "id": one,
        "class": "convention",
        "status": "candidate",
        "epistemics": "decided",
        "date": row["date"],
        "episode": "e1",
        "branch": "main",
        "title": "Tabs are refused",
        "path": f".ai/repo/knowledge/candidates/{one}.md",
    }


def test_284_an_unknown_episode_has_no_branch_and_none_is_guessed(bench):
    (one,) = bench.episode("e1", "Tabs are refused")
    text = bench.candidate(one).read_text()
    other = "ghost-0123456789ab"
    text = text.replace(one, other).replace("session:e1", "session:ghost")
    bench.candidate(other).write_text(text)
    rows = bench.afterword("knowledge", "candidates", "--json").objects
    assert [(row["id"], row["branch"]) for row in rows] == [
        (one, "main"),
        (other, None),
    ]
    shown = bench.afterword("knowledge", "candidates").out.splitlines()[1]
    assert shown.split()[3] == "-"


def test_the_branch_comes_from_record_then_open_file_then_ledger(bench):
    bench.episode("e1", "Tabs are refused", end=False)

    def branch():
        (row,) = bench.afterword("knowledge", "candidates", "--json").objects
        return row["branch"]

    assert branch() == "main", "the open file"
    (bench.repo.local / "open/e1.json").unlink()
    assert branch() == "main", "the ledger's first line"
    path = bench.repo.root / ".ai/repo/sessions/2026-11/e1.md"
    path.parent.mkdir(parents=True)
    path.write_text('---\nschema: session/v1\nsession_id: e1\nbranch: "told"\n---\n')
    assert branch() == "told"


def test_strangers_text_cannot_speak_to_the_terminal(bench):
    (one,) = bench.episode("e1", "Tabs are refused")
    path = bench.candidate(one)
    text = path.read_text().replace('title: "Tabs', 'title: "\\e[31m\\u202eTabs')
    path.write_text(text)
    ran = bench.afterword("knowledge", "candidates")
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out
    assert "Tabs are refused" in ran.out


def test_files_that_are_no_records_are_not_listed_and_are_told(bench):
    (one,) = bench.episode("e1", "Tabs are refused")
    bench.candidate("broken").write_text("---\ntitle: [unclosed\n---\n")
    bench.candidate("rejected").write_text(
        bench.candidate(one)
        .read_text()
        .replace("status: candidate", "status: superseded")
    )
    ran = bench.afterword("knowledge", "candidates", "--json")
    assert [row["id"] for row in ran.objects] == [one]
    shown = ".ai/repo/knowledge/candidates/broken.md"
    assert ran.code == 1
    assert ran.err == (
        f"{shown}:3: expected ',' or ']', but got '<stream end>'\n"
        f"mend {shown} by hand, or take git's: git checkout -- {shown}\n"
    )


def test_a_file_in_place_of_the_candidates_is_told_with_its_remedy(bench):
    decide(bench, "e1", "Tabs are refused")
    folder = bench.repo.root / ".ai/repo/knowledge/candidates"
    shutil.rmtree(folder)
    folder.write_text("no folder")
    for words in (("candidates",), ("derive", "--episode", "e1")):
        ran = bench.afterword("knowledge", *words)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err == (
            "afterword: .ai/repo/knowledge/candidates: is a file, and the records need a"
            " folder there\nmv .ai/repo/knowledge/candidates"
            " .ai/repo/knowledge/candidates.aside\n"
        )


def test_a_derivation_among_several_open_episodes_asks_which(bench):
    decide(bench, "e1", "Tabs are refused")
    decide(bench, "e2", "Ports are below 9000")
    ran = derive(bench)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "afterword: several episodes are open here: e1, e2\n"
        "name one: afterword knowledge derive --episode ID\n"
    )
