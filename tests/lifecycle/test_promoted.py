"""Promoted records as facts of the snapshot: where the two halves of the memory meet (DESIGN 8)."""

from __future__ import annotations

import pytest

from afterword.knowledge import review_text, shelf
from afterword.knowledge.record import Candidate, Section
from afterword.knowledge.review_text import Terms
from afterword.lifecycle import promoted
from afterword.snapshot import fact
from afterword.store import layout
from project import Repo

ID = "e1-0123456789ab"
CURATED = ".ai/repo/knowledge/curated"


def candidate(**more: object) -> Candidate:
    values: dict[str, object] = {
        "id": ID,
        "kind": "convention",
        "title": "Keep it simple",
        "description": "Recorded as a decision.",
        "epistemics": "decided",
        "date": "2026-11-30",
        "tag": "decision",
        "sources": ("session:e1",),
        "files": ("docs/adr/2.md", "docs/adr/1.md"),
        "sections": (Section(heading="Why", text="because"),),
    }
    return Candidate(**{**values, **more})


def record(evidence: str = "I saw it.", kind: str = "convention", **more) -> bytes:
    found = shelf.parsed("candidates", ID, "x", candidate(**more).data())
    return review_text.promoted(
        found, evidence, Terms(kind=kind, date="2026-12-01", source="")
    )


@pytest.mark.parametrize(
    ("kind", "type_"),
    [
        ("constraint", "constraint"),
        ("convention", "decision"),
        ("fact", "lesson"),
        ("lesson", "lesson"),
        ("memory", "lesson"),
    ],
)
def test_a_record_is_a_verified_fact_of_high_confidence(kind: str, type_: str) -> None:
    data = record(kind=kind)
    found = promoted.of_record(ID, data)
    assert found is not None
    assert (found.kind, found.title) == (type_, "Keep it simple")
    assert (found.confidence, found.status) == ("high", "verified")
    assert found.recorded == "2026-12-01"
    assert found.files == ("docs/adr/1.md", "docs/adr/2.md")
    assert found.sources == ((ID, fact.source_hash(data)),)


def test_headings_become_bold_labels_and_paragraphs_bullets() -> None:
    evidence = (
        "I saw it.\nTwice:\n\n- one\n- two\n\n```sh\n# no heading\n\nls\n```\nafter"
    )
    empty = Section(heading="Empty", text="")
    why = Section(heading="Why", text="because")
    found = promoted.of_record(ID, record(evidence, sections=(why, empty)))
    assert found is not None
    assert list(found.body) == [
        "- Recorded as a decision.",
        "- **Why**: because",
        "- **Empty**",
        "- **Evidence**: I saw it.",
        "  Twice:",
        "- one",
        "- two",
        "- ```sh",
        "  # no heading",
        "",
        "  ls",
        "  ```",
        "  after",
    ]


def test_an_open_fence_in_the_evidence_is_closed() -> None:
    found = promoted.of_record(ID, record("```\nls"))
    assert found is not None
    assert found.body[-3:] == ("- **Evidence**: ```", "  ls", "  ```")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"I saw it.", b"I saw it!"),  # edited since: the hash does not fit
        (b"status: verified", b"status: candidate"),
        (b"class: convention", b"class: rumour"),
        (
            b"---\n",
            b"",
        ),
    ],
)
def test_a_record_that_nobody_stands_behind_as_it_is_states_nothing(
    old: bytes, new: bytes
) -> None:
    assert promoted.of_record(ID, record().replace(old, new)) is None


def test_a_record_supersedes_the_records_that_it_names() -> None:
    data = record().replace(
        b"  - type: relates_to\n    target: file:docs/adr/1.md\n",
        b"  - type: supersedes\n    target: knowledge:e0-aaaaaaaaaaaa\n",
    )
    found = promoted.of_record(ID, data)
    assert found is not None
    assert [one.target for one in found.supersedes] == ["e0-aaaaaaaaaaaa"]


def test_front_matter_of_another_shape_is_read_too() -> None:
    data = record().replace(b'title: "Keep it simple"', b"title: Keep it simple")
    found = promoted.of_record(ID, data)
    assert found is not None
    assert found.title == "Keep it simple"


def test_the_folder_is_read_in_order_and_what_is_no_record_is_passed_over(
    repo: Repo,
) -> None:
    repo.write(f"{CURATED}/b-0123456789ab.md", record(title="B"))
    repo.write(f"{CURATED}/a-0123456789ab.md", record(title="A"))
    repo.write(f"{CURATED}/README.md", "# Curated records\n")
    repo.write(f"{CURATED}/broken.md", b"\xff\xfe")
    repo.write(f"{CURATED}/-bad.md", record())
    (repo.root / CURATED / "link.md").symlink_to("a-0123456789ab.md")
    (repo.root / CURATED / "folder.md").mkdir()
    store = layout.need(str(repo.root))
    assert [one.title for one in promoted.facts(store)] == ["A", "B"]


def test_without_curated_records_there_is_nothing(repo: Repo) -> None:
    store = layout.need(str(repo.root))
    assert promoted.facts(store) == ()
