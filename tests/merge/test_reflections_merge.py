"""Two versions of a reflection log and their ancestor: every reflection of both stays."""

from __future__ import annotations

import functools

import pytest

from afterword.evolution import reflection, reflection_log
from afterword.merge import reflections

from .building import edit, joined, real, united


def entry(
    day: int, session: str, text: str = "it went well", time: str = "10:00"
) -> str:
    head = f"## Reflection - 2026-11-{day:02d} {time} (session: {session})"
    return f"{head}\n\n### What went well\n\n- {text}\n\n---\n\n"


def log_of(*entries: str, head: str = "# Reflection log\n\n") -> bytes:
    return (head + "".join(entries)).encode()


merged = functools.partial(joined, reflections.merge)
clean = functools.partial(united, reflections.merge)


def added(log: bytes | None, day: int, session: str, language: str = "en") -> bytes:
    return reflection_log.add(
        log,
        title="",
        text=f"### What went well\n\n- {session}\n".encode(),
        at=f"2026-11-{day:02d} 10:00",
        session=session,
        language=language,
    )


ONE, TWO, THREE, FOUR = (entry(day, f"e{day}") for day in (1, 2, 3, 4))


@pytest.mark.parametrize(
    "before", [log_of(ONE), log_of(), b""], ids=["base", "other", "none"]
)
def test_the_additions_of_both_stand_in_the_order_of_time(before):
    found = clean(before, log_of(ONE, THREE), log_of(ONE, TWO, FOUR))
    assert found == log_of(ONE, TWO, THREE, FOUR)


def test_a_log_that_grows_at_its_top_goes_on_so():
    found = clean(log_of(TWO, ONE), log_of(FOUR, TWO, ONE), log_of(THREE, TWO, ONE))
    assert found == log_of(FOUR, THREE, TWO, ONE)


def test_a_log_made_on_two_clones_is_one_log():
    ours, theirs = added(None, 2, "e2"), added(None, 1, "e1")
    found = clean(b"", ours, theirs)
    assert found == added(theirs, 2, "e2")


def test_an_edit_beats_a_roll_and_a_roll_what_was_left_alone():
    base = log_of(ONE, TWO, THREE)
    rolled = reflection_log.roll(base, b"", 1, "2026-11-30T12:00:00Z", "en").main
    assert rolled == log_of(THREE)
    changed = ONE.replace("it went well", "it went really well")
    assert clean(base, rolled, log_of(changed, TWO, THREE)) == log_of(changed, THREE)


def test_of_two_edits_both_stay():
    base = log_of(ONE, TWO)
    texts = [ONE.replace("it went", f"{word} went") for word in ("all", "much")]
    found = clean(base, *(log_of(text, TWO) for text in texts))
    assert len(found) == len(log_of(*texts, TWO))
    assert all(text.encode() in found for text in (*texts, TWO))
    # and they stay in any later merge
    again = clean(base, found, log_of(ONE, TWO, THREE))
    assert all(text.encode() in again for text in (*texts, TWO, THREE))


def test_two_of_the_same_minute_are_told_apart_by_session_and_by_content():
    other, same = entry(2, "e9"), entry(2, "e2", "another text")
    found = clean(log_of(ONE), log_of(ONE, TWO), log_of(ONE, other, same))
    assert all(text.encode() in found for text in (ONE, TWO, other, same))
    assert len(reflection.read(found).entries) == 4


def test_c9_r8_all_others_stay_where_a_person_put_them():
    """R2 without `---`, R4 without a heading, order not sorted; what one side added follows."""
    base = real("reflection_log.2026-02-27.a767")
    ours = edit(base, "## 2026-02-11 Reflection", "## 2026-02-11 The reflection")
    theirs = added(base, 1, "e1", "zh")
    found = clean(base, ours, theirs)
    assert found == edit(
        theirs, "## 2026-02-11 Reflection", "## 2026-02-11 The reflection"
    )


def test_r7_additions_to_a_legacy_log_stand_where_it_grows():
    base = real("reflection_log.2026-02-27.a767")
    ours, theirs = added(base, 2, "e2", "zh"), added(base, 1, "e1", "zh")
    found = clean(base, ours, theirs)
    log = reflection.read(found)
    assert log.is_newest_first()
    assert [one.session for one in log.entries[:3]] == ["e2", "e1", "v5.2.5 发布"]
    assert found.endswith(base.partition(b"# Reflection Log\n\n")[2])


def test_machine_written_and_undated_ones_are_merged_by_what_they_are():
    base = real("reflection_log.2026-02-27.0729")
    emptied = reflection_log.clean(base).main
    theirs = base + entry(1, "e1").encode()
    found = clean(base, emptied, theirs)
    left, now = reflection.read(emptied), reflection.read(found)
    raws = [now.raw(one).strip() for one in now.entries]
    assert raws[:-1] == [left.raw(one).strip() for one in left.entries]
    assert raws[-1] == entry(1, "e1").strip().encode()


def test_a_gbk_block_and_its_nuls_stay():
    """Not UTF-8 from byte 1760 on (TRUTH): merged by blocks all the same."""
    base = real("reflection_log.2026-02-24")
    ours = edit_bytes(base, b"Codex Workflow Optimization", b"Codex workflow")
    theirs = base.rstrip(b"\n") + b"\n\n" + entry(1, "e1").encode()
    found = clean(base, ours, theirs)
    assert found == edit_bytes(
        theirs, b"Codex Workflow Optimization", b"Codex workflow"
    )
    assert found.count(b"\0") == base.count(b"\0") == 6


def edit_bytes(data: bytes, old: bytes, new: bytes) -> bytes:
    assert data.count(old) == 1
    return data.replace(old, new)


def test_text_of_nobody_is_merged_by_lines_and_shown_where_it_contradicts():
    base = log_of(ONE, head="# Reflection log\n\nfirst\nsecond\nthird\n\n")
    ours = edit(base, "first\n", "1\n")
    assert clean(base, ours, edit(base, "third\n", "3\n")) == edit(
        ours, "third\n", "3\n"
    )
    clash = merged(base, ours, edit(base, "first\n", "I\n"))
    assert clash.conflicts == ("section Reflection log",)
    assert b"\n<<<<<<< ours\n1\n=======\nI\n>>>>>>> theirs\nsecond\n" in clash.data


@pytest.mark.parametrize("ending", [b"\r\n", b"\n"], ids=["crlf", "lf"])
def test_line_ends_stay(ending):
    def whole(*entries: str) -> bytes:
        return log_of(*entries).replace(b"\n", ending)

    assert clean(whole(ONE), whole(ONE, TWO), whole(ONE, THREE)) == whole(
        ONE, TWO, THREE
    )


def test_a_text_that_is_new_on_top_ends_before_what_follows():
    """One side writes it into an empty line that the other side takes away."""
    base = log_of(ONE, TWO, head="\n")
    found = clean(base, log_of(ONE, TWO, head="Intro\n"), log_of(ONE, TWO, head=""))
    assert found == log_of(ONE, TWO, head="Intro\n\n")
