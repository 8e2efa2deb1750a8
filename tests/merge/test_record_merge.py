"""Two versions of one record: which fields come together, and which a person decides."""

from __future__ import annotations

import pytest

from afterword.merge import record
from afterword.merge.laws import Merged

from .building import (
    RECORD,
    SHA,
    candidate,
    edit,
    entry,
    fields,
    promoted,
    rejected,
    swapped,
)

BASE = candidate(files=("docs/adr/1.md",))
TAGS = "tags:\n  - derived\n  - decision\n"


def merge(before: bytes, ours: bytes, theirs: bytes) -> Merged:
    found = record.merge(before, ours, theirs)
    assert found is not None
    other = record.merge(before, theirs, ours)
    assert other is not None
    assert other.data == swapped(found.data)
    return found


def clean(before: bytes, ours: bytes, theirs: bytes) -> bytes:
    found = merge(before, ours, theirs)
    assert found.conflicts == ()
    return found.data


def test_lists_are_united_in_an_order_of_their_own():
    a = edit(BASE, TAGS, "tags:\n  - derived\n  - decision\n  - uploads\n")
    b = edit(BASE, TAGS, "tags:\n  - derived\n  - decision\n  - network\n")
    found = clean(BASE, a, b)
    assert fields(found)["tags"] == ["derived", "decision", "network", "uploads"]
    assert found == edit(
        BASE,
        TAGS,
        "tags:\n  - derived\n  - decision\n  - network\n  - uploads\n",
    )


def test_sources_begin_with_the_record_s_own_episode_and_end_with_commits():
    line = f"    - commit:{SHA[9]}\n"
    a = edit(BASE, line, f"{line}    - session:e0\n")
    b = edit(BASE, line, f"{line}    - commit:{SHA[1]}\n    - issue:7\n")
    found = fields(clean(BASE, a, b))["provenance"]["derived_from"]
    assert found == [
        "session:e1",
        "session:e0",
        "decision:t-1",
        "issue:7",
        f"commit:{SHA[1]}",
        f"commit:{SHA[9]}",
    ]


def test_relations_are_united_by_type_and_target():
    old = "relations:\n  - type: relates_to\n    target: file:docs/adr/1.md\n"
    a = edit(BASE, old, f"{old}  - type: supports\n    target: file:docs/adr/3.md\n")
    b = edit(BASE, old, f"{old}  - target: file:docs/adr/2.md\n    type: relates_to\n")
    found = fields(clean(BASE, a, b))["relations"]
    assert found == [
        {"type": "relates_to", "target": "file:docs/adr/1.md"},
        {"target": "file:docs/adr/2.md", "type": "relates_to"},
        {"type": "supports", "target": "file:docs/adr/3.md"},
    ]


@pytest.mark.parametrize("later", ["2026-11-05", "2027-01-01"])
def test_the_earliest_date_wins_where_both_changed_it(later):
    a, b = (edit(BASE, "2026-11-02", day) for day in ("2026-11-04", later))
    assert fields(clean(BASE, a, b))["date"] == "2026-11-04"


def test_a_date_that_is_none_is_shown_and_not_compared():
    a, b = (edit(BASE, "2026-11-02", day) for day in ("2026-11-04", "soon"))
    assert merge(BASE, a, b).conflicts == ("date",)


def test_different_keys_are_different_edits():
    a = edit(BASE, "class: convention", "class: constraint")
    b = edit(BASE, TAGS, f"{TAGS}  - uploads\n")
    assert clean(BASE, a, b) == edit(a, TAGS, f"{TAGS}  - uploads\n")


def test_promoted_against_rejected_is_a_contradiction_that_is_shown():
    found = merge(BASE, promoted(BASE, "seen in use"), rejected(BASE, "not so"))
    assert found.conflicts == ("status", "body")
    assert (
        "<<<<<<< ours\nstatus: verified\n=======\nstatus: superseded\n>>>>>>> theirs\n"
        in found.data.decode()
    )
    assert (
        "<<<<<<< ours\n# Evidence\n\nseen in use\n=======\n"
        "# Rejected\n\nnot so\n>>>>>>> theirs\n" in found.data.decode()
    )


def test_promoted_twice_with_other_evidence_unites_what_is_no_text():
    a = promoted(BASE, "seen in use", "session:e7", "2026-11-09")
    b = promoted(BASE, "measured", "session:e5", "2026-11-08")
    found = merge(BASE, a, b)
    assert found.conflicts == ("promoted", "body")
    text = found.data.decode()
    assert "date: 2026-11-08\n" in text
    assert "    - session:e5\n    - session:e7\n    - decision:t-1\n" in text
    assert "<<<<<<< ours\nseen in use\n=======\nmeasured\n>>>>>>> theirs\n" in text


def test_promoted_twice_with_the_same_words_is_one_promotion():
    a = promoted(BASE, "seen in use", "session:e7", "2026-11-09")
    b = promoted(BASE, "seen in use", "session:e5", "2026-11-08")
    found = fields(clean(BASE, a, b))
    assert (found["status"], found["date"]) == ("verified", "2026-11-08")
    assert fields(a)["promoted"] == found["promoted"]


def test_a_promotion_is_never_signed_anew_by_a_merge():
    """What nobody stood behind keeps the old signature: the checks find it."""
    a = promoted(BASE, "seen in use")
    b = edit(BASE, 'title: "Retry uploads', 'title: "Retry all uploads')
    found = clean(BASE, a, b)
    assert fields(found)["promoted"] == fields(a)["promoted"]
    assert fields(found)["title"] == "Retry all uploads at most three times"


def test_two_texts_of_one_record_are_shown_with_what_they_share_outside():
    a = edit(BASE, "\n\nRecorded as", "\n\nOurs.\n\nRecorded as")
    b = edit(BASE, "\n\nRecorded as", "\n\nTheirs.\n\nRecorded as")
    found = merge(BASE, a, b)
    assert found.conflicts == ("body",)
    head, _, rest = found.data.decode().partition("<<<<<<< ours\n")
    assert head.endswith("at most three times\n\n")
    assert rest == (
        "Ours.\n=======\nTheirs.\n>>>>>>> theirs\n\n"
        "Recorded as a decision outside any task in episode e1.\n"
    )


def test_two_records_that_git_paired_are_never_mixed():
    """Its rename detection offers versions of different records as one file."""
    other = candidate("e2-ffffffffffff", title="Close idle connections")
    found = merge(BASE, edit(BASE, "class: convention", "class: fact"), other)
    assert found.conflicts == ("id",)
    ours = edit(BASE, "class: convention", "class: fact")
    assert found.data == b"<<<<<<< ours\n%b=======\n%b>>>>>>> theirs\n" % (ours, other)


def test_a_base_of_another_record_is_no_base():
    """A cherry-pick may bring one along: nothing counts as unchanged since."""
    other = candidate("e2-ffffffffffff", date="2026-12-24")
    a = edit(BASE, "class: convention", "class: fact")
    assert merge(other, BASE, a).conflicts == ("class",)
    assert record.merge(other, BASE, BASE) == Merged(data=BASE)


def test_add_and_add_of_one_record_is_merged_without_a_base():
    a = edit(BASE, TAGS, f"{TAGS}  - uploads\n")
    assert clean(b"", BASE, a) == a


def test_what_both_added_behind_one_key_stands_in_the_template_s_order():
    a = edit(BASE, "status: candidate\n", "status: candidate\nowner: ada\n")
    b = edit(
        BASE,
        "status: candidate\n",
        "status: candidate\nsuperseded_by: e1-ffffffffffff\n",
    )
    found = clean(BASE, a, b).decode()
    assert (
        "status: candidate\nsuperseded_by: e1-ffffffffffff\nowner: ada\nepistemics"
        in found
    )


PERSON = (
    "---\n"
    "# kept by hand\n"
    f"id: '{RECORD}'\n"
    "title: Retry uploads   # at most three times\n"
    "status: candidate\n"
    "\n"
    "tags: [derived, decision]\n"
    "watchers:\n"
    "- ada   # since May\n"
    "# left in June\n"
    "- bob\n"
    "date: 2026-11-02\n"
    "# nothing below\n"
    "---\n"
    "\n"
    "# Retry uploads\n"
).encode()


@pytest.mark.parametrize(
    ("ours", "theirs", "wanted"),
    [
        pytest.param(
            ("decision]", "decision, uploads]"),
            ("decision]", "decision, network]"),
            ("decision]", "decision, network, uploads]"),
            id="flow list stays one",
        ),
        pytest.param(
            ("- bob\n", "- bob\n- eve\n"),
            ("- ada ", "# first\n- ada "),
            (
                "- ada   # since May\n# left in June\n- bob\n",
                "# first\n- ada   # since May\n# left in June\n- bob\n- eve\n",
            ),
            id="comments of items go with them",
        ),
        pytest.param(
            ("# kept by hand\n", "# kept by ada\n"),
            (f"id: '{RECORD}'\n", f"id: '{RECORD}'\nowner: ada\n"),
            (
                f"# kept by hand\nid: '{RECORD}'\n",
                f"# kept by ada\nid: '{RECORD}'\nowner: ada\n",
            ),
            id="a comment is a field of its own",
        ),
        pytest.param(
            ("status: candidate\n", "status: superseded\n"),
            ("   # at most three times", ""),
            None,
            id="the line of another key",
        ),
        pytest.param(
            ("# nothing below\n", ""),
            ("tags: [derived, decision]\n", ""),
            None,
            id="what one side took out is out",
        ),
    ],
)
def test_what_a_person_wrote_keeps_its_shape(ours, theirs, wanted):
    a, b = edit(PERSON, *ours), edit(PERSON, *theirs)
    both = edit(PERSON, *wanted) if wanted else edit(a, *theirs)
    assert clean(PERSON, a, b) == both


def test_an_edit_beats_a_removal():
    a = edit(PERSON, "tags: [derived, decision]\n", "")
    b = edit(PERSON, "decision]", "decision, uploads]")
    found = clean(PERSON, a, b)
    assert entry(found, "tags", bare=True) == "tags: [derived, decision, uploads]\n"


def test_an_order_of_keys_that_a_person_chose_stays():
    lines = BASE.decode().split("\n")
    moved = "\n".join([lines[0], lines[5], *lines[1:5], *lines[6:]]).encode()
    b = edit(BASE, TAGS, f"{TAGS}  - uploads\n")
    assert clean(BASE, moved, b) == edit(moved, TAGS, f"{TAGS}  - uploads\n")


def crlf(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


A = edit(BASE, TAGS, f"{TAGS}  - uploads\n")
B = edit(BASE, "class: convention", "class: fact")
BOTH = edit(A, "class: convention", "class: fact")


@pytest.mark.parametrize(
    ("before", "ours", "theirs", "wanted"),
    [
        (crlf(BASE), crlf(A), crlf(B), crlf(BOTH)),
        (BASE, crlf(A), B, crlf(BOTH)),
        (crlf(BASE), A, crlf(B), BOTH),
        (b"", crlf(A), A, A),
    ],
    ids=["all CRLF", "one made it CRLF", "one made it LF", "no base"],
)
def test_h59_line_ends_are_the_side_s_that_changed_them(before, ours, theirs, wanted):
    assert clean(before, ours, theirs) == wanted


def test_h59_mixed_line_ends_stay_on_their_lines():
    mixed = edit(BASE, "kind: knowledge\n", "kind: knowledge\r\n")
    a = edit(mixed, TAGS, f"{TAGS}  - uploads\n")
    b = edit(mixed, "class: convention", "class: fact")
    assert clean(mixed, a, b) == edit(a, "class: convention", "class: fact")


def test_h59_a_byte_order_mark_and_a_lost_last_newline_are_no_edits():
    a = b"\xef\xbb\xbf" + BASE[:-1]
    b = BASE + b"\nMore.\n"
    assert clean(BASE, a, b) == b"\xef\xbb\xbf" + b


def test_h59_a_conflict_in_a_crlf_file_has_its_line_ends():
    a = edit(BASE, "status: candidate", "status: verified")
    b = edit(BASE, "status: candidate", "status: superseded")
    found = merge(crlf(BASE), crlf(a), crlf(b)).data
    assert b"<<<<<<< ours\r\nstatus: verified\r\n=======\r\n" in found
    assert found.count(b"\n") == found.count(b"\r\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# No front matter\n",
        "---\ntitle: never closed\n",
        "---\nid: a\nid: b\n---\n",
        "---\n- a list\n---\n",
        "---\n  indented: first\n---\n",
    ],
)
def test_what_is_no_record_is_not_taken_apart(text):
    assert record.merge(BASE, A, text.encode()) is None
    assert record.merge(BASE, text.encode(), A) is None


def test_h56_front_matter_that_does_not_parse_keeps_its_bytes():
    torn = edit(BASE, 'title: "Retry', "title: [unclosed, “Retry")
    found = clean(BASE, torn, A)
    assert found == edit(torn, TAGS, f"{TAGS}  - uploads\n")
