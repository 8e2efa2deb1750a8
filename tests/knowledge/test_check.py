"""`knowledge check`: every fault of a record by code, file and line (spec/episodes 6.4)."""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.finding import ERROR, INFO, WARNING
from afterword.knowledge import check, record, references, shelf
from afterword.knowledge.references import Known
from afterword.store import template
from bench import GOOD, ID


def put(text: str, place: str = shelf.CANDIDATES, stem: str = ID) -> shelf.Shelved:
    path = f".ai/repo/knowledge/{place}/{stem}.md"
    return shelf.parsed(place, stem, path, text.encode())


def codes(one: shelf.Shelved) -> list[str]:
    return [finding.code for finding in check.of_record(one)]


def curated(text: str) -> str:
    return text.replace("status: candidate", "status: verified")


def test_a_record_as_derived_has_no_fault():
    assert codes(put(GOOD)) == []


@pytest.mark.parametrize(
    ("code", "line", "old", "new"),
    [
        ("schema", 2, "schema: knowledge/v1", "schema: knowledge/v2"),
        ("schema", 1, "schema: knowledge/v1\n", ""),
        ("id", 3, f"id: {ID}", "id: ../../etc/passwd"),
        ("id", 3, f"id: {ID}", "id: e1-ffffffffffff"),
        ("kind", 4, "kind: knowledge", "kind: rule"),
        ("class", 5, "class: convention", "class: opinion"),
        ("title", 6, 'title: "Tabs are refused"', 'title: ""'),
        ("title", 1, 'title: "Tabs are refused"\n', ""),
        ("title", 6, 'title: "Tabs are refused"', "title: 12"),
        ("description", 7, "description: ", 'description: ""  # '),
        ("status", 8, "status: candidate", "status: approved"),
        ("status", 8, "status: candidate", "status: verified"),
        ("epistemics", 9, "epistemics: decided", "epistemics: sure"),
        ("date", 10, "date: 2026-11-02", "date: 02.11.2026"),
        ("date", 10, "date: 2026-11-02", "date: 2026-13-02"),
        ("tags", 11, "  - decision", '  - "A Tag"'),
        ("provenance", 14, "origin: extracted", "origin: guessed"),
        ("provenance", 14, "  derived_from:\n    - session:e1\n", ""),
        ("superseded", 8, "status: candidate", "status: superseded"),
        ("superseded_by", 9, "status: candidate", "status: candidate\nsuperseded_by: x"),
        ("unknown_key", 9, "status: candidate", "status: candidate\nowner: me"),
        ("transcript", 7, "description: ", 'description: "assistant: said so"  # '),
        ("transcript", 6, 'title: "Tabs', 'title: "messages: Tabs'),
        ("transcript", 22, "\nRecorded as", "\nassistant: Recorded as"),
        ("merge_markers", 22, "\nRecorded as", "\n<<<<<<< ours\nRecorded as"),
        ("shape", 1, "---\nschema", "schema"),
        ("shape", 1, GOOD, ""),
    ],
)  # fmt: skip
def test_281_one_fault_is_one_finding_at_its_line(code, line, old, new):
    """281_knowledge_check_refuses_malformed_records, the faults of a record alone."""
    assert old in GOOD
    found = list(check.of_record(put(GOOD.replace(old, new, 1))))
    assert [(one.severity, one.code, one.line) for one in found] == [
        (ERROR, code, line)
    ]


def test_a_relation_of_an_unknown_type_is_named():
    text = GOOD.replace(
        "---\n\n# Tabs",
        "relations:\n  - type: likes\n    target: file:README.md\n---\n\n# Tabs",
    )
    assert codes(put(text)) == ["relation"]


@pytest.mark.parametrize(
    "text",
    ["superseded_by: e1-ffffffffffff", "# Rejected"],
    ids=["replaced", "rejected"],
)
def test_a_superseded_record_says_why_or_by_what(text):
    found = GOOD.replace("status: candidate", "status: superseded")
    if text.startswith("#"):
        found += f"\n{text}\n\nIt no longer holds.\n"
    else:
        found = found.replace("status: superseded", f"status: superseded\n{text}")
    assert codes(put(found)) == []


def test_a_secret_in_a_body_is_named_with_its_line():
    found = list(check.of_record(put(GOOD + "\nkey AKIA" + "IOSFODNN7EXAMPLQ\n")))
    assert [(one.code, one.severity) for one in found] == [("secret", ERROR)]


def test_a_promoted_record_that_was_edited_no_longer_fits():
    text = curated(GOOD)
    fits = record.promotion_hash(
        "Tabs are refused", "convention", template.body(text.encode())
    )
    text = text.replace("---\n\n# Tabs", f"promoted: {fits}\n---\n\n# Tabs", 1)
    assert codes(put(text, shelf.CURATED)) == []
    for old, new in (
        ("class: convention", "class: fact"),
        ('title: "Tabs are', 'title: "Tabs are not'),
        ("\nRecorded as", "\nNever recorded as"),
    ):
        found = list(check.of_record(put(text.replace(old, new, 1), shelf.CURATED)))
        assert [one.code for one in found] == ["promoted"]
        assert found[0].line == 18
    crlf = text.replace("\n", "\r\n")
    assert codes(put(crlf, shelf.CURATED)) == []


def test_a_verified_record_without_a_promotion_is_told_and_does_not_fail():
    found = list(check.of_record(put(curated(GOOD), shelf.CURATED)))
    assert [(one.severity, one.code) for one in found] == [(INFO, "promoted")]


def test_a_candidate_among_the_curated_records_is_a_fault():
    assert codes(put(GOOD, shelf.CURATED)) == ["status"]


KNOWN = Known(
    sessions=frozenset({"e1"}),
    tasks=frozenset({"t-1"}),
    commits=frozenset({"a" * 40}),
    files=frozenset({"README.md", "tests/x.py"}),
    gone=frozenset({"docs/old.md"}),
    records=frozenset({"k1"}),
    documents=frozenset({"rule:r1"}),
)


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("session:e1", ""),
        ("session:ghost", ERROR),
        ("task:t-1", ""),
        ("task:t-2", ERROR),
        ("decision:t-1", ""),
        ("decision:none", ERROR),
        ("task:none", ERROR),
        ("file:README.md", ""),
        ("file:docs/old.md", WARNING),
        ("file:docs/never.md", ERROR),
        ("file:../outside", ERROR),
        ("file:/etc/passwd", ERROR),
        ("test:tests/x.py::test_one", ""),
        ("commit:" + "a" * 40, ""),
        ("commit:" + "b" * 40, INFO),
        ("knowledge:k1", ""),
        ("knowledge:k2", ERROR),
        ("rule:r1", ""),
        ("rule:r2", ERROR),
        ("opinion:x", ERROR),
        ("no reference", ERROR),
        ("session:", ERROR),
        ("", ERROR),
    ],
)
def test_281_references_are_resolved_by_kind(text, severity):
    found, message = references.judge(text, KNOWN, minted_by="", tracked=False)
    assert (found, bool(message)) == (severity, bool(severity))


@pytest.mark.parametrize(
    ("text", "tracked", "severity"),
    [
        ("session:far", True, INFO),
        ("task:t-9", True, INFO),
        ("session:far", False, ERROR),
        ("session:other", True, ERROR),
    ],
)
def test_a_record_that_git_brought_may_name_an_episode_of_another_clone(
    text, tracked, severity
):
    found, _ = references.judge(text, KNOWN, minted_by="far", tracked=tracked)
    assert found == severity


def test_what_git_cannot_be_asked_is_never_silently_well():
    known = KNOWN.replace(commits=None, gone=None, why_not="no git program")
    for text in ("commit:" + "a" * 40, "file:docs/old.md"):
        severity, message = references.judge(text, known, minted_by="", tracked=False)
        assert severity == WARNING
        assert "no git program" in message


@given(st.text(max_size=300))
def test_any_text_can_be_checked(text):
    for place in shelf.SHELVES:
        found = list(check.of_record(put(text, place)))
        assert all(one.code and one.message for one in found)


@given(st.text(max_size=80), st.text(max_size=200))
def test_what_the_template_writes_is_never_a_fault_of_shape(title, body):
    data = template.render([("title", title or "x")], body)
    one = shelf.parsed(shelf.CANDIDATES, ID, "x.md", data)
    found = {finding.code for finding in check.of_record(one)}
    assert "shape" not in found


# --- through the real command ------------------------------------------------------


def test_281_knowledge_check_refuses_malformed_records(bench):
    (one, other) = bench.episode("e1", "Tabs are refused", "Ports are below 9000")
    assert bench.afterword("knowledge", "check").code == 0
    path = bench.candidate(one)
    good = path.read_text()
    for code, old, new in (
        ("status", "status: candidate", "status: verified"),
        ("reference", "session:e1", "session:ghost"),
        ("reference", "    - session:e1", "    - session:e1\n    - decision:none"),
        ("unknown_key", "kind: knowledge", "kind: knowledge\nmood: fine"),
        ("transcript", "---\n\n# ", "---\n\nassistant: hello\n\n# "),
        ("superseded", "status: candidate", "status: superseded"),
        ("duplicate_id", one, other),
    ):
        path.write_text(good.replace(old, new))
        ran = bench.afterword("knowledge", "check")
        assert ran.code == 1, (code, ran.out)
        pattern = rf"^\S*{re.escape(one)}\.md:\d+: error {code}: "
        assert re.search(pattern, ran.out, re.M), (code, ran.out)
        doctor = bench.afterword("doctor", "--json")
        assert doctor.code == 1
        told = {(row["severity"], row["code"], row["path"]) for row in doctor.objects}
        assert ("error", code, f".ai/repo/knowledge/candidates/{one}.md") in told
        path.write_text(good)
    ran = bench.afterword("knowledge", "check")
    assert (ran.code, ran.out) == (0, "knowledge check: 2 record(s), 0 failing\n")


def test_281_one_id_in_both_folders_names_both_files(bench):
    (one,) = bench.episode("e1", "Tabs are refused")
    data = bench.candidate(one).read_text()
    bench.curated(one).write_text(data.replace("status: candidate", "status: verified"))
    ran = bench.afterword("knowledge", "check", "--json")
    assert ran.code == 1
    twice = [row["path"] for row in ran.objects if row["code"] == "duplicate_id"]
    assert twice == [
        f".ai/repo/knowledge/candidates/{one}.md",
        f".ai/repo/knowledge/curated/{one}.md",
    ]
    assert set(ran.objects[0]) == {"severity", "code", "path", "line", "message"}


def test_a_file_that_was_renamed_since_is_a_warning_and_a_lost_commit_an_information(
    bench,
):
    bench.hook("session-start", {"session_id": "e1", "source": "startup"})
    bench.repo.write("docs/adr/one.md", "# One\n")
    bench.repo.commit("Add a decision record")
    bench.afterword("decision", "add", "Use one", "--why", "w", "--episode", "e1")
    bench.hook("session-end", {"session_id": "e1", "reason": "other"})
    (one,) = bench.ids
    assert "file:docs/adr/one.md" in bench.candidate(one).read_text()
    assert bench.afterword("knowledge", "check").code == 0
    bench.repo.git("mv", "docs/adr/one.md", "docs/adr/two.md")
    bench.repo.commit("Rename it")
    ran = bench.afterword("knowledge", "check", "--json")
    assert ran.code == 0
    assert [(row["severity"], row["code"]) for row in ran.objects] == [
        ("warning", "reference")
    ]
    text = bench.candidate(one).read_text()
    bench.candidate(one).write_text(
        re.sub("commit:[0-9a-f]{40}", "commit:" + "d" * 40, text)
    )
    ran = bench.afterword("knowledge", "check", "--json")
    assert ran.code == 0
    assert "info" in [row["severity"] for row in ran.objects]


def test_references_are_found_in_outside_and_joined_ledgers(bench):
    bench.afterword("start", "A task", "--scope", "lib")
    ran = bench.afterword("decision", "add", "Outside of all", "--why", "w")
    assert ran.code == 0
    assert bench.afterword("knowledge", "derive", "--episode", "outside").code == 0
    assert len(bench.ids) == 1
    assert "decision:t-" in bench.candidate(bench.ids[0]).read_text()
    assert bench.afterword("knowledge", "check").code == 0


def test_references_are_found_in_an_adopted_tree(bench):
    """Its old session records resolve what its records refer to (spec/episodes 1)."""
    name = "20261102T081530Z--s-20261102081530-7be1--main--9f0c111--0123456789abcdef.md"
    bench.repo.write(
        f".ai/repo/sessions/{name}",
        "---\nschema: session/v1\nkind: session\nsession_id: s-20261102081530-7be1\n"
        "task_id: t-20261102081611-03ac\nstarted_at: 2026-11-02T08:15:30Z\n"
        "closed_at: 2026-11-02T09:15:30Z\noutcome: closed\nbranch: topic\n"
        "tasks:\n  - t-20261102081611-03ac\n---\n\n# What Happened\n",
    )
    identity = "s-20261102081530-7be1-0a1b2c3d4e5f"
    text = GOOD.replace(ID, identity).replace(
        "session:e1",
        "session:s-20261102081530-7be1\n    - decision:t-20261102081611-03ac",
    )
    bench.candidate(identity).write_text(text)
    ran = bench.afterword("knowledge", "check")
    assert (ran.code, ran.out) == (0, "knowledge check: 1 record(s), 0 failing\n")
    (row,) = bench.afterword("knowledge", "candidates", "--json").objects
    assert row["branch"] == "topic"


@pytest.mark.parametrize("kind", ["symlink", "dangling", "fifo", "folder"])
def test_h63_what_is_no_plain_file_is_a_finding_and_never_followed(bench, kind):
    path = bench.candidate("e1-aaaaaaaaaaaa")
    if kind == "symlink":
        victim = bench.repo.write("victim.md", GOOD)
        path.symlink_to(victim)
    elif kind == "dangling":
        path.symlink_to("/nowhere/at/all")
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    ran = bench.afterword("knowledge", "check", "--json")
    assert ran.code == 1
    assert [row["code"] for row in ran.objects] == ["shape"]


def test_h44_markers_in_a_record_stop_review_with_file_and_line(bench):
    (one,) = bench.episode("e1", "Tabs are refused")
    path = bench.candidate(one)
    path.write_text(path.read_text() + "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n")
    before = bench.tree
    for words in (("promote", one), ("reject", one, "--reason", "no")):
        ran = bench.afterword("knowledge", *words, input="seen")
        assert ran.code == 1
        line = path.read_text().split("\n").index("<<<<<<< ours") + 1
        assert ran.err == (
            f"afterword: .ai/repo/knowledge/candidates/{one}.md:{line}: a merge left its conflict markers here\n"
            f"edit .ai/repo/knowledge/candidates/{one}.md: delete the side that does not"
            " hold, and the marker lines themselves; then: git add"
            f" .ai/repo/knowledge/candidates/{one}.md\n"
        )
    assert bench.tree == before
