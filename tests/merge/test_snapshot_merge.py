"""Snapshot and module knowledge in a merge: facts by rule, a person's text never guessed."""

from __future__ import annotations

import pytest

from afterword.merge import kinds
from afterword.merge.laws import Merged
from afterword.merge.snapshot import merge
from afterword.store.layout import PATHS

from . import compiles
from .building import edit, joined, swapped, united
from .compiles import SNAPSHOT, Compiled, Memory, Noted, Resolved, Said

TIMEOUT = "Payment call timeout is 5s"
KEYED = ("key: pay.timeout", "value: 5s")
BASE = compiles.done(
    [
        Said("a", TIMEOUT, (*KEYED, "原因: the provider is slow")),
        Said("b", "Tabs are refused", day=2),
        Compiled(10),
    ],
    {},
)
DATA = BASE[SNAPSHOT]


def after(*acts: compiles.Act, day: int = 20) -> Memory:
    return compiles.done([*acts, Compiled(day)], BASE)


def both(ours: Memory, theirs: Memory, base: Memory = BASE) -> str:
    """The snapshot of a merge without markers, which another compile leaves as it is."""
    memory, marks = compiles.merged(base, ours, theirs)
    assert not marks
    assert compiles.merged(base, theirs, ours) == (memory, [])
    assert Compiled(21).apply(memory) == memory
    return compiles.snapshot(memory)


def test_what_both_compiled_stands_in_the_order_of_the_fold():
    text = both(
        after(Said("d", "Uploads are retried", day=5), day=20),
        after(Said("c", "Drafts expire", day=4), day=18),
    )
    titles = [line[4:] for line in text.split("\n") if line.startswith("### ")]
    assert titles == [
        TIMEOUT,
        "Tabs are refused",
        "Drafts expire",
        "Uploads are retried",
    ]
    assert "> Last compiled: 2026-11-20\n" in text
    listed = "2026-11-01_a, 2026-11-02_b, 2026-11-04_c, 2026-11-05_d"
    assert f"> Compiled increments: {listed}\n" in text


def test_two_updates_of_one_entry_are_both_in_it():
    text = both(
        after(Said("c", "Tabs are refused", ("原因: diffs",), day=4, author="Zoe")),
        after(Said("d", "Tabs are refused", ("原因: the linter",), day=5)),
    )
    assert text.count("Tabs are refused\n") == 1
    assert (
        "- 原因: diffs (2026-11-04, Zoe)\n- 原因: the linter (2026-11-05, Ines)\n"
        in text
    )


def test_what_the_sides_say_against_each_other_becomes_a_conflict_block():
    """Neither side knew a conflict: the merge shows it, as a compile of both would."""
    text = both(
        after(Said("c", "Retries of uploads", ("key: up.retries", "value: 3"), day=4)),
        after(Said("d", "Retries of uploads", ("key: up.retries", "value: 5"), day=5)),
    )
    assert text.count("### [CONFLICT] Retries of uploads\n") == 1
    assert (
        "- [CONFLICT] Retries of uploads: pending_resolution (see Key Decisions)"
        in text
    )


OPEN = compiles.done(
    [Said("c", "Payment call timeout is 3s", ("key: pay.timeout", "value: 3s"), day=4)],
    BASE,
)
OPEN = Compiled(15).apply(OPEN)


def resolved(name: str, keep: str, day: int = 20) -> Memory:
    return compiles.done([Resolved(name, keep, day), Compiled(day)], OPEN)


def test_one_resolution_ends_the_conflict_for_both():
    text = both(
        resolved("r", "new"),
        compiles.done([Said("d", "Drafts expire", day=5), Compiled(18)], OPEN),
        OPEN,
    )
    assert "- 状态: resolved 2026-11-20 by Zoe\n- 处理: kept new: talked\n" in text
    assert "- Superseded: 2026-11-20 by Zoe - talked\n" in text


def test_two_resolutions_of_one_conflict_reopen_it_with_both_listed():
    text = both(resolved("r", "new"), resolved("s", "old", 21), OPEN)
    assert "- 状态: pending_resolution\n" in text
    assert "- 处理: kept new (2026-11-20, Zoe): talked\n" in text
    assert "- 处理: kept old (2026-11-21, Zoe): talked\n" in text
    assert "Superseded" not in text


def test_two_resolutions_that_agree_leave_it_resolved():
    """They say the same, so they are one statement, made on the earlier day."""
    text = both(resolved("r", "new"), resolved("s", "new", 21), OPEN)
    assert "- 状态: resolved 2026-11-20 by Zoe\n" in text


def test_a_third_resolution_ends_what_two_reopened():
    reopened, _ = compiles.merged(OPEN, resolved("r", "new"), resolved("s", "old", 21))
    ended = compiles.done([Resolved("t", "both", 22), Compiled(22)], reopened)
    other = compiles.done([Said("d", "Drafts expire", day=5), Compiled(23)], reopened)
    text = both(ended, other, reopened)
    assert "- 状态: resolved 2026-11-22 by Zoe\n- 处理: kept both: talked\n" in text


def test_a_confirmation_on_one_side_clears_the_mark():
    """G18 across clones."""
    base = compiles.done(
        [Said("m", "Drafts expire", confidence="medium", day=5), Compiled(12)], BASE
    )
    assert "### [待验证] Drafts expire\n" in compiles.snapshot(base)
    sure = compiles.done([Said("n", "Drafts expire", day=6), Compiled(20)], base)
    other = compiles.done([Said("o", "Orders expire", day=7), Compiled(21)], base)
    assert "### Drafts expire\n" in both(sure, other, base)


def test_a_pending_item_that_one_side_confirmed_is_an_entry():
    base = compiles.done(
        [Said("m", "Drafts expire", confidence="low", day=5), Compiled(12)], BASE
    )
    sure = compiles.done([Said("n", "Drafts expire", day=6), Compiled(20)], base)
    other = compiles.done([Said("o", "Orders expire", day=7), Compiled(21)], base)
    text = both(sure, other, base)
    assert "### Drafts expire\n" in text
    assert "Pending Verification" not in text


def test_what_one_side_moved_to_its_history_is_not_there_again():
    """L073: only what is current stays in the file; the other side's addition stays too."""
    said = Said(
        "c", "Tabs are allowed", ("supersedes: Tabs are refused - asked",), day=4
    )
    base = compiles.done([said, Compiled(12)], BASE)
    moved = compiles.done(
        [Said("d", "Orders expire", day=5), Compiled(20, most=18)], base
    )
    assert "### Tabs are refused" not in compiles.snapshot(moved)
    other = compiles.done([Said("e", "Drafts expire", day=6), Compiled(19)], base)
    memory, marks = compiles.merged(base, moved, other)
    assert not marks
    text = compiles.snapshot(memory)
    assert "### Tabs are refused" not in text
    assert "### Drafts expire\n" in text and "### Orders expire\n" in text
    assert compiles.ids(memory) >= compiles.ids(moved) | compiles.ids(other)


CHANGED = ("- 原因: the provider is slow", "- 原因: it was measured")


def test_a_line_that_a_person_changed_stays_beside_what_the_program_added():
    edited = {**BASE, SNAPSHOT: edit(DATA, *CHANGED)}
    text = both(edited, after(Said("c", "Drafts expire", day=4)))
    assert CHANGED[1] in text and CHANGED[0] not in text
    assert "### Drafts expire\n" in text


def test_two_texts_of_persons_in_one_entry_are_shown_and_nothing_else():
    ours = edit(after(Said("c", "Drafts expire", day=4))[SNAPSHOT], *CHANGED)
    theirs = edit(
        after(Said("d", "Orders expire", day=5))[SNAPSHOT], CHANGED[0], "- 原因: asked"
    )
    found = joined(merge, DATA, ours, theirs)
    assert found.conflicts == (TIMEOUT,)
    text = found.data.decode()
    shown = "<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n"
    assert shown.format(CHANGED[1], "- 原因: asked") in text
    assert text.count("<<<<<<<") == 1
    assert "### Drafts expire\n" in text and "### Orders expire\n" in text


def test_text_of_persons_in_different_places_is_united():
    noted = compiles.done([Noted("Ines")], BASE)
    text = both(noted, after(Noted("Zoe"), Said("c", "Drafts expire", day=4)))
    for line in ("- seen by Ines\n", "- seen by Zoe\n", "### Drafts expire\n"):
        assert text.count(line) == 1


def test_two_texts_of_one_section_of_a_person_are_shown():
    base = compiles.done([Noted("Ines")], BASE)[SNAPSHOT]
    ours, theirs = (
        edit(base, "seen by Ines", f"seen {when}") for when in ("now", "then")
    )
    found = joined(
        merge,
        base,
        ours,
        edit(theirs, "Last compiled: 2026-11-10", "Last compiled: 2026-11-12"),
    )
    assert found.conflicts == ("section Notes of Ines",)
    assert (
        b"<<<<<<< ours\n- seen now\n=======\n- seen then\n>>>>>>> theirs\n"
        in found.data
    )
    assert b"> Last compiled: 2026-11-12\n" in found.data


ADOPTED = b"""# Our snapshot

Kept since spring.

## Key Decisions

### Orders expire after a day (2026-04-24)
- \xe5\x8e\x9f\xe5\x9b\xa0: space

### Drafts stay

## Config Index

| Behaviour | Location | Item |
|---|---|---|
| retries | app.yaml | upload.retries |

## Glossary

- SKU: what is sold
"""


@pytest.mark.parametrize("name", ["", "order"])
def test_adopted_text_that_nobody_touched_keeps_its_bytes(name):
    path = f"{compiles.ORDER}/knowledge.md" if name else SNAPSHOT
    start = {compiles.INDEX: compiles.REGISTRY, path: ADOPTED}
    base = Compiled(9).apply(start)
    sides = [
        compiles.done(
            [Said(one, f"Rule {one}", day=day, domain=name), Compiled(20 + day)], base
        )
        for one, day in (("a", 1), ("b", 2))
    ]
    memory, marks = compiles.merged(base, *sides)
    assert not marks
    text = memory[path].decode()
    assert "### Rule a\n" in text and "### Rule b\n" in text
    for part in ADOPTED.decode().split("\n\n")[1:]:
        assert part.strip("\n") in text
    assert Compiled(28).apply(memory)[path] == memory[path]


def test_rows_and_bullets_that_both_added_by_hand_are_united():
    ours = edit(
        ADOPTED, "upload.retries |\n", "upload.retries |\n| cache | app.yaml | c |\n"
    )
    theirs = edit(
        ADOPTED, "upload.retries |\n", "upload.retries |\n| batch | app.yaml | b |\n"
    )
    theirs = edit(theirs, "sold\n", "sold\n- EAN: its number\n")
    found = united(merge, ADOPTED, ours, theirs).decode()
    rows = "| batch | app.yaml | b |\n| cache | app.yaml | c |\n\n## Glossary"
    assert f"upload.retries |\n{rows}" in found
    assert "- SKU: what is sold\n- EAN: its number\n" in found


def test_two_texts_of_one_adopted_entry_are_shown():
    ours, theirs = (
        edit(ADOPTED, ": space\n", f": {why}\n") for why in ("cost", "time")
    )
    found = joined(merge, ADOPTED, ours, theirs)
    assert len(found.conflicts) == 1
    assert b"<<<<<<< ours\n- \xe5\x8e\x9f\xe5\x9b\xa0: cost\n=======\n" in found.data


def test_a_title_that_one_side_changed_leaves_the_sections_alone():
    ours = edit(DATA, "# AI Context Snapshot", "# What we know")
    text = both({**BASE, SNAPSHOT: ours}, after(Said("c", "Drafts expire", day=4)))
    assert text.startswith("# What we know\n")
    assert text.count("## Key Decisions\n") == 1


def test_crlf_of_one_side_and_additions_of_the_other():
    ours = DATA.replace(b"\n", b"\r\n")
    theirs = after(Said("c", "Drafts expire", day=4))[SNAPSHOT]
    found = united(merge, DATA, ours, theirs)
    assert found == theirs.replace(b"\n", b"\r\n")


def test_a_new_conflict_speaks_the_language_of_the_settings(tmp_path):
    folder = tmp_path / ".ai"
    folder.mkdir()
    (folder / "config.yaml").write_text("language: zh\n")
    kind = kinds.find(SNAPSHOT, str(tmp_path))
    sides = [
        after(Said(name, "Retries", ("key: up.retries", f"value: {name}"), day=4))[
            SNAPSHOT
        ]
        for name in "35"
    ]
    assert kind is not None
    found = kind.merge(DATA, *sides)
    assert found is not None and "- 处理: 需要人工裁决。" in found.data.decode()


@pytest.mark.parametrize(
    "base", [DATA, ADOPTED, b"", b"\xff\n## Key Decisions\n- \xfe\n"]
)
def test_any_bytes_never_raise(base):
    sides = base + b"\xff\xfe x\n", b"\xff\n" + base
    one, other = merge(base, *sides), merge(base, *reversed(sides))
    assert (one is None) == (other is None)
    assert one is None or one.data == swapped(other.data)
    assert merge(base, base, sides[0]) == Merged(data=sides[0])


def test_the_kind_of_a_module_knows_its_name():
    kind = kinds.named(f"{compiles.ORDER}/knowledge.md", PATHS)
    assert kind is not None and kind.given["owner"] == "order"
