"""promote and reject: acts of a person, whole or not at all (spec/episodes 6.2, 6.3, 13)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from killing import Killer

from afterword.errors import AfterwordError
from afterword.finding import ERROR
from afterword.knowledge import check, record, review_text, shelf
from afterword.store import frontmatter, template
from bench import GOOD, ID
from project import command


@pytest.fixture
def one(bench) -> str:
    (identity,) = bench.episode("e1", "Tabs are refused in the parser")
    return identity


def promote(bench, identity, *words, evidence="Seen in the parser's tests.\n", **more):
    return bench.afterword(
        "knowledge", "promote", identity, *words, input=evidence, **more
    )


def reject(bench, identity, *words, **more):
    return bench.afterword("knowledge", "reject", identity, *words, **more)


def acts(bench, event: str) -> list[dict]:
    """The lines of an event in every ledger."""
    found = []
    for path in sorted((bench.repo.local / "ledger").glob("*.jsonl")):
        found += [json.loads(raw) for raw in path.read_bytes().splitlines()]
    return [line for line in found if line["event"] == event]


# --- 283_knowledge_promotion_is_an_act ---------------------------------------------


def test_283_every_refusal_changes_nothing_and_logs_nothing(bench, one):
    before = bench.tree
    for code, message, ran in (
        (1, "no evidence was given", promote(bench, one, evidence=b"")),
        (1, "no evidence was given", promote(bench, one, evidence=" \n\t\n")),
        (1, "begins with 'assistant'", promote(bench, one, evidence="a\nassistant: b\n")),
        (1, "looks like a merge marker", promote(bench, one, evidence="a\n<<<<<<< x\n")),
        (1, "longer than 262144 bytes", promote(bench, one, evidence="x" * 262145)),
        (1, "no candidate has the id 'ghost'", promote(bench, "ghost")),
        (1, "not a class of records", promote(bench, one, "--class", "opinion")),
        (2, "unexpected extra argument", promote(bench, one, "another")),
        (2, "ID is missing", bench.afterword("knowledge", "promote", input="x")),
        (2, "ID is empty", promote(bench, "")),
        (2, "--reason is missing", reject(bench, one)),
        (2, "--reason is empty", reject(bench, one, "--reason", " \n")),
        (1, "no candidate has the id 'ghost'", reject(bench, "ghost", "--reason", "r")),
        (1, "no record has that id", reject(bench, one, "--reason", "r", "--by", "ghost")),
        (1, "cannot replace itself", reject(bench, one, "--reason", "r", "--by", one)),
        (1, "begins with 'response'", reject(bench, one, "--reason", "response: no")),
    ):  # fmt: skip
        assert (ran.code, ran.out) == (code, ""), message
        assert message in ran.err
    assert bench.tree == before


def test_283_promotion_moves_the_record_and_is_logged_once(bench, one):
    text = bench.candidate(one).read_text()
    ran = promote(
        bench, one, "--class", "constraint", evidence="First line.\n\n  second\n"
    )
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f".ai/repo/knowledge/curated/{one}.md\n"
    assert not bench.candidate(one).exists()
    found = bench.curated(one).read_text()
    fields = frontmatter.parse(found.encode(), "x")
    before = frontmatter.parse(text.encode(), "x")
    assert fields["status"] == "verified"
    assert fields["class"] == "constraint"
    assert fields["provenance"] == before["provenance"]
    assert fields["id"] == one
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", fields["date"])
    assert list(fields) == [*before, "promoted"]
    assert found.endswith("\n# Evidence\n\nFirst line.\n\n  second\n")
    assert template.body(text.encode()).decode() in found
    (line,) = acts(bench, "knowledge.promoted")
    assert (line["id"], line["path"]) == (one, f".ai/repo/knowledge/curated/{one}.md")
    assert "agent" not in line
    assert bench.afterword("knowledge", "check").code == 0
    derived = bench.afterword("knowledge", "derive", "--episode", "e1")
    path = f".ai/repo/knowledge/candidates/{one}.md"
    assert f"skipped {path} (promoted)\n" in derived.out
    again = promote(bench, one)
    assert again.code == 1
    assert again.err == (
        f"afterword: {one} was promoted already: .ai/repo/knowledge/curated/{one}.md\n"
        "see: afterword knowledge candidates\n"
    )
    assert len(acts(bench, "knowledge.promoted")) == 1


def test_283_a_rejected_candidate_stays_and_never_comes_back(bench, one):
    date = frontmatter.parse(bench.candidate(one).read_bytes(), "x")["date"]
    ran = reject(bench, one, "--reason", "Tabs are accepted since.")
    assert (ran.code, ran.out) == (0, f".ai/repo/knowledge/candidates/{one}.md\n")
    text = bench.candidate(one).read_text()
    assert text.endswith("\n# Rejected\n\nTabs are accepted since.\n")
    fields = frontmatter.parse(text.encode(), "x")
    assert (fields["status"], fields["date"]) == ("superseded", date)
    assert "superseded_by" not in fields
    (line,) = acts(bench, "knowledge.rejected")
    assert line["reason"] == "Tabs are accepted since."
    derived = bench.afterword("knowledge", "derive", "--episode", "e1")
    path = f".ai/repo/knowledge/candidates/{one}.md"
    assert f"skipped {path} (superseded)\n" in derived.out
    for ran in (promote(bench, one), reject(bench, one, "--reason", "r")):
        assert ran.code == 1
        assert "status is 'superseded', and only a candidate can be reviewed" in ran.err
    listed = bench.afterword("knowledge", "candidates")
    assert listed.out == "knowledge candidates: 0 awaiting review\n"
    assert bench.afterword("knowledge", "check").code == 0


def test_283_by_names_the_record_that_replaces_it_right_after_the_status(bench):
    one, other = bench.episode("e1", "Tabs are refused", "Ports are below 9000")
    assert promote(bench, other).code == 0
    ran = reject(bench, one, "--reason", "The other says more.", "--by", other)
    assert ran.code == 0
    assert f"\nstatus: superseded\nsuperseded_by: {other}\n" in (
        bench.candidate(one).read_text()
    )
    (line,) = acts(bench, "knowledge.rejected")
    assert line["superseded_by"] == other
    assert line["by"].startswith("afterword/"), "the envelope's own field"
    assert bench.afterword("knowledge", "check").code == 0


def test_a_promoted_record_is_quoted_to_the_next_episode_until_it_is_edited(bench, one):
    assert promote(bench, one).code == 0
    brief = bench.hook("session-start", {"session_id": "e2", "source": "startup"}).out
    assert (
        "Tabs are refused in the parser"
        in json.loads(brief)["hookSpecificOutput"]["additionalContext"]
    )
    path = bench.curated(one)
    path.write_text(path.read_text().replace("Seen in", "Never seen in"))
    brief = bench.hook("session-start", {"session_id": "e3", "source": "startup"}).out
    assert "Tabs are refused in the parser" not in brief
    ran = bench.afterword("knowledge", "check")
    assert ran.code == 1
    assert "error promoted: title, class or body were changed" in ran.out


def test_a_record_that_was_edited_is_promoted_again_where_it_lies(bench, one):
    assert promote(bench, one).code == 0
    path = bench.curated(one)
    path.write_text(path.read_text().replace("Seen in", "Always seen in"))
    fix = (
        f"stand behind it as it is now: afterword knowledge promote {one} < EVIDENCE"
        f" (or take git's: git checkout -- .ai/repo/knowledge/curated/{one}.md)"
    )
    assert f"\n    {fix}\n" in bench.afterword("knowledge", "check").out
    refused = promote(bench, one, evidence="")
    assert (refused.code, "no evidence was given" in refused.err) == (1, True)
    ran = promote(bench, one, evidence="Read again.\n")
    assert (ran.code, ran.out) == (0, f".ai/repo/knowledge/curated/{one}.md\n")
    text = path.read_text()
    assert "Always seen in" in text
    assert text.endswith("\n# Evidence\n\nRead again.\n")
    assert bench.afterword("knowledge", "check").code == 0
    assert len(acts(bench, "knowledge.promoted")) == 2
    assert "was promoted already" in promote(bench, one).err


def test_a_curated_record_with_merge_markers_says_what_to_type(bench, one):
    assert promote(bench, one).code == 0
    path, shown = bench.curated(one), f".ai/repo/knowledge/curated/{one}.md"
    path.write_text(path.read_text() + "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n")
    fix = (
        f"edit {shown}: delete the side that does not hold, and the marker lines"
        f" themselves; then: git add {shown}; then: afterword knowledge promote {one}"
        " < EVIDENCE"
    )
    assert f"\n    {fix}\n" in bench.afterword("knowledge", "check").out
    ran = promote(bench, one)
    assert ran.code == 1
    assert ran.err.endswith(f": a merge left its conflict markers here\n{fix}\n")


def test_evidence_that_is_no_text_is_refused(bench, one):
    before = bench.tree
    ran = promote(bench, one, evidence=b"good\n\xff\xfe\n")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "afterword: evidence, line 2: is not UTF-8 text\n"
        "convert it: iconv -t UTF-8 FILE | afterword knowledge promote ID\n"
    )
    assert bench.tree == before


def test_an_id_is_looked_at_before_evidence_is_waited_for(bench, one):
    read, write = os.pipe()  # nobody ever writes, nobody closes
    try:
        done = subprocess.run(
            command("knowledge", "promote", "ghost"),
            cwd=bench.repo.root,
            stdin=read,
            capture_output=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(read)
        os.close(write)
    assert done.returncode == 1
    assert b"no candidate has the id 'ghost'" in done.stderr


def test_an_episode_that_nobody_named_is_no_source(bench, one):
    bench.hook("session-start", {"session_id": "e2", "source": "startup"})
    assert promote(bench, one).code == 0
    fields = frontmatter.parse(bench.curated(one).read_bytes(), "x")
    assert fields["provenance"]["derived_from"] == ["session:e1"]


def test_the_open_episode_becomes_a_source_and_takes_the_line(bench, one):
    bench.hook("session-start", {"session_id": "e2", "source": "startup"})
    assert promote(bench, one, "--episode", "e2").code == 0
    fields = frontmatter.parse(bench.curated(one).read_bytes(), "x")
    assert fields["provenance"]["derived_from"] == ["session:e1", "session:e2"]
    assert len(bench.repo.lines("e2", "knowledge.promoted")) == 1
    assert bench.repo.lines("e2", "knowledge.promoted")[0]["session"] == "e2"


def test_without_an_open_episode_the_line_stands_outside(bench, one):
    assert promote(bench, one).code == 0
    (line,) = bench.repo.lines("outside", "knowledge.promoted")
    assert "session" not in line


def test_json_says_what_was_written(bench, one):
    ran = promote(bench, one, "--json")
    assert ran.json == {
        "id": one,
        "status": "verified",
        "path": f".ai/repo/knowledge/curated/{one}.md",
        "masked": [],
    }


# --- whose act ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "variable", ["AFTERWORD_EPISODE", "CLAUDECODE", "CODEX_THREAD_ID", "CODEX_SANDBOX"]
)
def test_agents_are_refused_and_told_what_to_do(bench, one, variable):
    before = bench.tree
    for ran in (
        promote(bench, one, env={variable: "1"}),
        reject(bench, one, "--reason", "r", env={variable: "1"}),
    ):
        assert ran.code == 1
        assert ran.err == (
            f"afterword: this is an act of a person, and {variable} shows that an agent"
            " is typing\nask a person to run it; or, to let agents review:"
            " review.agents: true in .ai/config.yaml\n"
        )
    assert bench.tree == before


@pytest.mark.parametrize("value", ["true", "false", "# nothing"])
def test_only_a_literal_true_lets_agents_review_and_the_line_says_so(bench, one, value):
    bench.repo.write(".ai/config.yaml", f"review:\n  agents: {value}\n")
    ran = promote(bench, one, env={"CLAUDECODE": "1"})
    assert ran.code == (0 if value == "true" else 1)
    lines = acts(bench, "knowledge.promoted")
    assert [line.get("agent") for line in lines] == [True] * (value == "true")


# --- what a person edited ----------------------------------------------------------


def test_edits_of_a_person_stay_through_a_promotion(bench, one):
    """H57, H59: comments, order, unknown keys, quoting and line ends."""
    path = bench.candidate(one)
    text = path.read_text()
    text = text.replace("status: candidate\n", "status: candidate  # look again\n")
    text = text.replace("schema: ", "# ours\nschema: ", 1)
    text = text.replace("    - session:e1\n", "    - session:e1  # the only one\n")
    text = text.replace("tags:", "reviewer: 'a person'\ntags:")
    data = text.replace("\n", "\r\n").encode()
    path.write_bytes(data)
    bench.hook("session-start", {"session_id": "e2", "source": "startup"})
    assert promote(bench, one, "--episode", "e2").code == 0
    found = bench.curated(one).read_bytes()
    assert b"\n" not in found.replace(b"\r\n", b"")
    wanted = {
        b"status: candidate  # look again": b"status: verified  # look again",
        b"    - session:e1  # the only one": b"    - session:e1  # the only one\r\n    - session:e2",
    }
    for line in data.rstrip().split(b"\r\n"):
        assert wanted.get(line, line) in found or line.startswith(b"date:")
    one_read = shelf.parsed(shelf.CURATED, one, "x.md", found)
    errors = [f.code for f in check.of_record(one_read) if f.severity == ERROR]
    assert errors == ["unknown_key"]


def test_an_edited_record_still_counts_and_is_still_quoted(bench, one):
    """A comment in the front matter takes a record out of the fast reader's hands only."""

    def brief(name: str) -> str:
        ran = bench.hook("session-start", {"session_id": name, "source": "startup"})
        assert ran.err == ""
        return json.loads(ran.out)["hookSpecificOutput"]["additionalContext"]

    path = bench.candidate(one)
    path.write_text(path.read_text().replace("tags:", "# mine\ntags:"))
    assert "Candidates awaiting review on this branch: 1" in brief("e2")
    assert promote(bench, one).code == 0
    text = brief("e3")
    assert "Tabs are refused in the parser" in text
    assert "promoted by a person: 1" in text


def test_a_candidate_that_is_damaged_is_refused_with_its_line(bench, one):
    path = bench.candidate(one)
    text = path.read_text()
    for old, new, message in (
        ('title: "Tabs', "title: [Tabs", r"\.md:\d+: "),
        (f"id: {one}", "id: other-1", r"\.md:3: id is 'other-1', not "),
        ("  origin: extracted\n", "", r"\.md:\d+: has no provenance\.origin"),
        ("status: candidate", "status: verified", r"\.md:8: status is 'verified'"),
    ):
        assert old in text
        path.write_text(text.replace(old, new, 1))
        before = bench.tree
        ran = promote(bench, one)
        assert ran.code == 1
        assert re.search(message, ran.err), ran.err
        assert bench.tree == before


def test_an_existing_curated_record_is_never_overwritten(bench, one):
    """spec/episodes 13: promote overwrote an existing curated file of that id."""
    bench.curated(one).write_text("a person's own\n")
    before = bench.tree
    ran = promote(bench, one)
    assert ran.code == 1
    assert ran.err == (
        f"afterword: .ai/repo/knowledge/curated/{one}.md exists already: promoting would"
        f" overwrite it\ncompare it with .ai/repo/knowledge/candidates/{one}.md and"
        " delete the one that is wrong\n"
    )
    assert bench.tree == before


@pytest.mark.parametrize(
    "identity",
    ["../../x", "/etc/passwd", "C:\\x", ".git/hooks/x", "..", "a/b", "README"],
)
def test_h62_an_id_is_never_a_path(bench, one, identity):
    bench.repo.write(".ai/repo/x.md", bench.candidate(one).read_text())
    before = bench.tree
    for ran in (
        promote(bench, identity),
        reject(bench, identity, "--reason", "r"),
        reject(bench, one, "--reason", "r", "--by", identity),
    ):
        assert ran.code == 1, identity
    assert bench.tree == before
    assert not (bench.repo.root / ".git/hooks/x.md").exists()


@pytest.mark.parametrize("kind", ["symlink", "fifo"])
def test_h63_a_candidate_that_is_no_plain_file_is_refused(bench, one, kind):
    path = bench.candidate(one)
    victim = bench.repo.write("victim.md", path.read_text())
    path.unlink()
    if kind == "symlink":
        path.symlink_to(victim)
    else:
        os.mkfifo(path)
    for ran in (promote(bench, one), reject(bench, one, "--reason", "r")):
        assert ran.code == 1
    assert not bench.curated(one).exists()
    assert "status: candidate" in victim.read_text()


def test_h64_secrets_are_masked_in_record_and_ledger(bench):
    one, other = bench.episode("e1", "Tabs are refused", "Ports are below 9000")
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    ran = promote(bench, one, evidence=f"It ran with {secret} set.\n")
    assert ran.code == 0
    assert ran.err.startswith("written without the secret in it (")
    assert reject(bench, other, "--reason", f"It needs {secret}").code == 0
    for path in (bench.repo.root / ".ai").rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


def test_a_candidate_of_another_clone_is_promoted_like_ones_own(bench, one, tmp_path):
    bench.repo.commit("Keep the candidate")
    clone = tmp_path / "clone"
    bench.repo.git("clone", "-q", str(bench.repo.root), str(clone))
    ran = promote(bench, one, cwd=clone)
    assert (ran.code, ran.out) == (0, f".ai/repo/knowledge/curated/{one}.md\n")
    assert not (clone / f".ai/repo/knowledge/candidates/{one}.md").exists()
    ran = bench.afterword("knowledge", "check", cwd=clone)
    assert (ran.code, ran.out) == (0, "knowledge check: 1 record(s), 0 failing\n")


# --- many at once, and killed ------------------------------------------------------


def test_h28_parallel_promotions_all_arrive_and_one_id_has_one_winner(bench):
    names = [f"Rule number {number}" for number in range(10)]
    ids = bench.episode("e1", *names)
    assert len(ids) == 10
    jobs = [*ids, *[ids[0]] * 4]
    with ThreadPoolExecutor(max_workers=8) as pool:
        done = list(pool.map(lambda identity: promote(bench, identity), jobs))
    won = [job for job, ran in zip(jobs, done, strict=True) if ran.code == 0]
    assert sorted(won) == sorted(ids)
    for ran in done:
        assert ran.code == 0 or "was promoted already" in ran.err
    assert bench.ids == []
    assert all(bench.curated(identity).exists() for identity in ids)
    assert sorted(line["id"] for line in acts(bench, "knowledge.promoted")) == sorted(
        ids
    )
    assert bench.afterword("knowledge", "check").code == 0


@pytest.fixture
def killer():
    made = Killer()
    yield made
    made.close()


@pytest.mark.parametrize("act", ["promote", "reject"])
def test_a_kill_at_every_step_leaves_never_a_hole_and_never_two(
    bench, killer, tmp_path, act
):
    """spec/episodes 13: a crash between the two files of a promotion."""
    one, other = bench.episode("e1", "Tabs are refused", "Ports are below 9000")
    words = ["knowledge", act, one] + (["--reason", "r"] if act == "reject" else [])
    original = bench.candidate(one).read_bytes()
    for step in range(1, 200):
        root = tmp_path / f"at-{step}"
        shutil.copytree(bench.repo.root, root, symlinks=True)
        code = killer.run(root, words, "Seen.\n", step)
        if code == 0:
            break
        assert code == -9
        _check_after_a_kill(root, one, original, act)
        follow = ["knowledge", "promote", other]
        assert killer.run(root, follow, "Seen too.\n") == 0
        _check_completed(root, one, original, act)
        shutil.rmtree(root)
    assert step > 12, "the act has more steps than that"


def _places(root: Path, one: str) -> tuple[Path, Path]:
    top = root / ".ai/repo/knowledge"
    return top / "candidates" / f"{one}.md", top / "curated" / f"{one}.md"


def _is_whole(path: Path, status: str) -> bool:
    if not path.exists():
        return False
    fields = frontmatter.parse(path.read_bytes(), str(path))
    return fields.get("status") == status and path.read_text().endswith("\n")


def _check_after_a_kill(root: Path, one: str, original: bytes, act: str) -> None:
    candidate, curated = _places(root, one)
    unchanged = candidate.exists() and candidate.read_bytes() == original
    done = (
        _is_whole(curated, "verified")
        if act == "promote"
        else _is_whole(candidate, "superseded")
    )
    assert unchanged or done
    assert not curated.exists() or _is_whole(curated, "verified")


def _check_completed(root: Path, one: str, original: bytes, act: str) -> None:
    """Behind the next act: one file, one line if it was done and none if it was not."""
    candidate, curated = _places(root, one)
    lines = [
        line
        for path in (root / ".ai/local/ledger").glob("*.jsonl")
        for line in map(json.loads, path.read_bytes().splitlines())
        if line["event"] in ("knowledge.promoted", "knowledge.rejected")
        and line["id"] == one
    ]
    if candidate.exists() and candidate.read_bytes() == original:
        assert (curated.exists(), lines) == (False, [])
    elif act == "promote":
        assert (candidate.exists(), len(lines)) == (False, 1)
        assert _is_whole(curated, "verified")
    else:
        assert (curated.exists(), len(lines)) == (False, 1)
        assert _is_whole(candidate, "superseded")
    knowledge = root / ".ai/repo/knowledge"
    left = [path.name for path in knowledge.rglob(".*")]
    left += [path.name for path in (root / ".ai/local/review").iterdir()]
    left += [path.name for path in (root / ".ai/local/batch").glob("[!.]*")]
    assert left == [], "only an intent's temp may stay, which doctor names"


def test_a_candidate_edited_after_a_kill_is_left_and_named(
    bench, one, killer, tmp_path
):
    """DESIGN 10: both exist; the candidate goes only if its hash is the intent's."""
    for step in range(1, 200):
        root = tmp_path / f"at-{step}"
        shutil.copytree(bench.repo.root, root, symlinks=True)
        code = killer.run(root, ["knowledge", "promote", one], "Seen.\n", step)
        candidate, curated = _places(root, one)
        assert code == -9, "no step left both files"
        if candidate.exists() and curated.exists():
            break
    candidate.write_text(candidate.read_text() + "\nA person's word.\n")
    ran = promote(bench, one, cwd=root)
    assert ran.code == 1
    assert "exists already" in ran.err
    assert "A person's word." in candidate.read_text()
    assert _is_whole(curated, "verified")
    lines = (root / ".ai/local/ledger/outside.jsonl").read_bytes().splitlines()
    assert sum(b'"knowledge.promoted"' in line for line in lines) == 1


# --- any evidence at all -----------------------------------------------------------

TERMS = review_text.Terms(kind="fact", date="2026-11-30", source="session:e9")


@given(
    st.binary(max_size=400)
    | st.text(max_size=400).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
@settings(max_examples=300, deadline=None)
def test_any_evidence_is_refused_or_makes_a_record_without_a_fault(raw):
    found = shelf.parsed(shelf.CANDIDATES, ID, "x.md", GOOD.encode())
    try:
        text = review_text.evidence(raw).text
    except AfterwordError as error:
        assert error.hint
        return
    data = review_text.promoted(found, text, TERMS)
    made = shelf.parsed(shelf.CURATED, ID, "x.md", data)
    errors = [one for one in check.of_record(made) if one.severity == ERROR]
    assert errors == []
    assert made.sources == ("session:e1", "session:e9")
    assert made.body.startswith("# Tabs are refused\n")
    assert made.text("promoted") == record.promotion_hash(
        "Tabs are refused", "fact", template.body(data)
    )
    assert template.quick_fields(data) is not None, "the briefing reads it as it is"


@given(st.text(min_size=1, max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_reason_is_refused_or_rejects(text):
    found = shelf.parsed(shelf.CANDIDATES, ID, "x.md", GOOD.encode())
    try:
        kept = review_text.reason(text).text
    except AfterwordError as error:
        assert error.hint
        return
    data = review_text.rejected(found, kept, "e1-ffffffffffff")
    made = shelf.parsed(shelf.CANDIDATES, ID, "x.md", data)
    assert [one.code for one in check.of_record(made)] == []
