"""Increments: what both sides added is united, what contradicts is shown, nothing mixed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterword.merge.increments import merge
from afterword.merge.laws import Merged

from .building import edit, joined, swapped, united

BASE = """# 2026-11-02 upload-limits

## Meta
- author: Ines
- timestamp: 2026-11-02 10:00:00
- trigger: manual
- confidence: high
- domain:

## Affected Files
- `src/upload.py` → DECISION

## Decisions
- Uploads are retried three times
  - 原因: the proxy drops some
  - key: upload.retries

## Evidence
- 来源: Ines
- 验证状态: unverified
""".encode()
RETRIED = "- Uploads are retried three times\n"
KEY = "  - key: upload.retries\n"


def test_entries_that_both_added_are_united():
    ours = edit(BASE, KEY, KEY + "- Tabs are refused\n")
    theirs = edit(BASE, KEY, KEY + "- Drafts expire\n  - 原因: space\n")
    wanted = "- Drafts expire\n  - 原因: space\n- Tabs are refused\n"
    assert united(merge, BASE, ours, theirs) == edit(BASE, KEY, KEY + wanted)


def test_another_increment_in_the_same_file_is_united():
    """The digest rule of spec 4.1: what is due today is appended to today's file."""
    more = [
        f"\n# 2026-11-02 {name}\n\n## Decisions\n- Rule of {name}\n".encode()
        for name in ("alpha", "beta")
    ]
    found = united(merge, BASE, BASE + more[1], BASE + more[0])
    assert found == BASE + more[0] + more[1]


def test_two_texts_of_one_entry_are_a_conflict_in_that_entry_only():
    ours = edit(BASE, "drops some", "drops many")
    theirs = edit(BASE, "drops some", "is slow")
    found = joined(merge, BASE, ours, edit(theirs, "- trigger: manual", "- trigger: x"))
    assert found.conflicts == ("- Uploads are retried three times",)
    wanted = (
        "<<<<<<< ours\n  - 原因: the proxy drops many\n=======\n"
        "  - 原因: the proxy is slow\n>>>>>>> theirs\n"
    )
    assert wanted in found.data.decode()
    assert "- trigger: x\n" in found.data.decode()


@pytest.mark.parametrize(
    ("old", "one", "other", "name"),
    [
        ("- author: Ines", "- author: Tomas", "- author: Zoe", "author"),
        ("- confidence: high", "- confidence: low", "- confidence: medium", None),
        (
            "验证状态: unverified",
            "验证状态: verified",
            "验证状态: challenged",
            "status",
        ),
    ],
)
def test_two_values_of_a_field_are_a_conflict(old, one, other, name):
    found = joined(merge, BASE, edit(BASE, old, one), edit(BASE, old, other))
    assert found.conflicts == (name or "confidence",)


def test_of_two_times_the_earlier_one_stands():
    sides = [edit(BASE, "10:00:00", time) for time in ("11:00:00", "09:00:00")]
    assert united(merge, BASE, *sides) == sides[1]


def test_two_increments_under_one_name_are_never_mixed():
    """git's detection of renames offers such pairs; two clones may choose one name."""
    other = BASE.replace(b"upload-limits", b"drafts").replace(b"Uploads", b"Drafts")
    for before in (b"", BASE):
        found = joined(merge, before, edit(BASE, "Ines\n- t", "Zoe\n- t"), other)
        assert found.conflicts == ("id",)
        assert other in found.data


def test_added_on_both_sides_with_another_text_is_a_conflict():
    found = joined(merge, b"", BASE, edit(BASE, "drops some", "is slow"))
    assert found.conflicts == ("- Uploads are retried three times",)


def test_any_bytes_are_merged():
    ours = BASE + b"- \xff\xfe\n"
    theirs = b"\xff\n" + BASE
    assert united(merge, BASE, ours, theirs) == b"\xff\n" + BASE + b"- \xff\xfe\n"


LINES = (
    "# 2026-11-02 x\n|# other\n|## Meta\n|- author: a\n|- author: b\n|- timestamp: 2026-11-01\n"
    "|- timestamp: 2026-11-02\n|## Decisions\n|- One\n|- Two\n|  - why\n|  - because\n|\n"
    "|[DECISION] raw\n|```\n|text\n|---\n|<!-- c -->\n"
).split("|")
FILES = st.lists(st.sampled_from(LINES), max_size=9).map("".join)


@settings(max_examples=300, deadline=None)
@given(o=FILES, a=FILES, b=FILES)
def test_laws_of_increments_of_any_shape(o, a, b):
    """Laws 1-4 of DESIGN 11; no line that a side added is gone."""
    before, ours, theirs = (text.encode() for text in (o, a, b))
    assert merge(before, before, theirs) == merge(before, theirs, before)
    assert merge(before, before, theirs) == Merged(data=theirs)
    assert merge(before, ours, ours) == Merged(data=ours)
    one, other = merge(before, ours, theirs), merge(before, theirs, ours)
    if one is None or other is None:
        assert one is other
        return
    assert one.data == swapped(other.data)
    assert bool(one.conflicts) == (b"<<<<<<< ours\n" in one.data)
    kept = set(one.data.decode().split("\n"))
    for side in (a, b):
        added = set(side.split("\n")) - set(o.split("\n"))
        assert all(line in kept or line.startswith("- timestamp") for line in added)
