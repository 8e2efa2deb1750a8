"""The derivation table, row by row (spec/episodes 4.1-4.5), and its laws."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from afterword.episode.window import Window
from afterword.knowledge import derive
from afterword.knowledge.record import CLASSES, is_id
from afterword.store.git.evidence import Commit

TS = "2026-11-02T23:59:59.999Z"


def window(*lines: dict[str, Any]) -> Window:
    return Window(
        episode="e1", lines=tuple({"ts": TS, "session": "e1", **line} for line in lines)
    )


def finished(outcome: str, **more: Any) -> dict[str, Any]:
    return {"event": "task.finished", "task_id": "t-1", "outcome": outcome, **more}


VERIFY = {"command": "make test", "exit": 0, "seconds": 3}
ROWS = [
    (
        {"event": "decision.recorded", "decision": "D", "task_id": "t-1"},
        ("convention", "decided", "decision", "D", ("session:e1", "decision:t-1")),
    ),
    (
        {"event": "decision.recorded", "decision": "D", "task_id": "none"},
        ("convention", "decided", "decision", "D", ("session:e1",)),
    ),
    (
        {
            "event": "question.resolved",
            "question": "Q",
            "answer": "A",
            "task_id": "t-1",
        },
        ("fact", "observed", "question", "A", ("session:e1", "task:t-1")),
    ),
    (
        finished("blocked", reason="no key"),
        ("lesson", "inferred", "task", "Task t-1 ended blocked: no key", None),
    ),
    (finished("failed"), ("lesson", "inferred", "task", "Task t-1 ended failed", None)),
    (
        finished("no_match"),
        ("lesson", "inferred", "task", "Task t-1 ended no_match", None),
    ),
    (
        finished("completed", verify=VERIFY),
        (
            "fact",
            "observed",
            "task",
            "Task t-1 completed; verified by: make test (exit 0)",
            None,
        ),
    ),
]


@pytest.mark.parametrize(("line", "expected"), ROWS)
def test_278_each_row_of_the_table(
    line: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    (found,) = derive.candidates(window(line), ())
    kind, epistemics, tag, title, sources = expected
    assert (found.kind, found.epistemics, found.tag, found.title) == (
        kind,
        epistemics,
        tag,
        title,
    )
    assert found.sources == (sources or ("session:e1", "task:t-1"))
    assert found.date == "2026-11-02", "the day of the evidence, in UTC"
    assert is_id(found.id)


@pytest.mark.parametrize(
    "line",
    [
        finished("partial"),
        finished("completed"),
        finished("completed", verify=None),
        finished("completed", verify="make"),
        finished("unheard-of"),
        {"event": "decision.recorded", "decision": ""},
        {"event": "decision.recorded", "decision": " \n "},
        {"event": "decision.recorded", "decision": 5},
        {"event": "decision.recorded"},
        {"event": "question.resolved", "question": "Q", "answer": ""},
        {"event": "question.opened", "question": "Q"},
        {"event": "task.started", "task_id": "t-1", "title": "x"},
        {"event": "knowledge.derived"},
        {"event": "made.up", "decision": "D"},
    ],
)
def test_278_nothing_else_yields_a_record(line: dict[str, Any]) -> None:
    assert derive.candidates(window(line), ()) == ()


def test_12_20_wording_is_never_interpreted() -> None:
    """12.20: "no longer" is not a prohibition; a person sets the class."""
    for text in ("We must never use X", "No longer needed", "Fact: water is wet"):
        (found,) = derive.candidates(
            window({"event": "decision.recorded", "decision": text}), ()
        )
        assert found.kind == "convention"


def test_13_duplicate_evidence_collapses_and_the_first_line_wins() -> None:
    one = {"event": "decision.recorded", "decision": "Same", "why": "first"}
    two = {**one, "why": "second", "ts": "2026-11-03T00:00:00.000Z"}
    (found,) = derive.candidates(window(one, two), ())
    assert found.date == "2026-11-02"
    assert found.sections[0].text == "first"


def test_13_rewording_does_not_move_the_file() -> None:
    """The reason, the command and the rationale are not in the digest."""
    for one, two in (
        (finished("failed", reason="a"), finished("failed", reason="b")),
        (
            finished("completed", verify=VERIFY),
            finished("completed", verify={**VERIFY, "command": "tox"}),
        ),
    ):
        (first,), (second,) = (
            derive.candidates(window(line), ()) for line in (one, two)
        )
        assert first.id == second.id


def commit(number: int, **more: Any) -> Commit:
    return Commit(sha=f"{number:040x}", at=1_800_000_000 + number, **more)


def test_commits_of_watched_paths_are_references_of_every_record() -> None:
    commits = (
        commit(1, watched=("docs/adr/b.md", "docs/adr/a.md")),
        commit(2),
        commit(3, watched=("docs/adr/a.md",)),
    )
    (found,) = derive.candidates(
        window({"event": "decision.recorded", "decision": "D"}), commits
    )
    assert found.sources[1:] == (f"commit:{1:040x}", f"commit:{3:040x}")
    assert found.files == ("docs/adr/a.md", "docs/adr/b.md")


@pytest.mark.parametrize(
    ("key", "kind", "epistemics"),
    [
        ("Decision", "convention", "decided"),
        ("Constraint", "constraint", "decided"),
        ("Lesson", "lesson", "inferred"),
        ("Fact", "fact", "observed"),
    ],
)
def test_trailers(key: str, kind: str, epistemics: str) -> None:
    (found,) = derive.candidates(window(), (commit(7, trailers=((key, "T"),)),))
    assert (found.kind, found.epistemics, found.tag) == (kind, epistemics, "commit")
    assert found.sources == ("session:e1", f"commit:{7:040x}")


def test_a_trailer_that_repeats_a_recorded_text_yields_nothing() -> None:
    line = {"event": "decision.recorded", "decision": "Same"}
    found = derive.candidates(
        window(line), (commit(7, trailers=(("Decision", " Same "), ("Other", "x"))),)
    )
    assert len(found) == 1


TEXT = st.text(min_size=1, max_size=60)
LINES = st.lists(
    st.fixed_dictionaries(
        {
            "event": st.sampled_from(
                ["decision.recorded", "question.resolved", "task.finished"]
            )
        },
        optional={
            "task_id": TEXT | st.just("none") | st.integers(),
            "decision": TEXT | st.none(),
            "why": TEXT | st.lists(TEXT),
            "question": TEXT,
            "answer": TEXT | st.booleans(),
            "outcome": st.sampled_from(["failed", "completed", "partial"]) | TEXT,
            "reason": TEXT,
            "verify": st.none()
            | st.fixed_dictionaries({"command": TEXT, "exit": TEXT}),
        },
    ),
    max_size=6,
)


@given(LINES)
def test_same_ledger_same_bytes_whatever_stands_in_it(
    lines: list[dict[str, Any]],
) -> None:
    """Pure, total, without duplicates; every file is front matter that YAML reads alike."""
    found = derive.candidates(window(*lines), ())
    again = derive.candidates(window(*lines, *lines), ())
    assert [one.data() for one in found] == [one.data() for one in again]
    assert len({one.id for one in found}) == len(found)
    for one in found:
        head = one.data().decode().split("\n---\n")[0].removeprefix("---\n")
        fields = yaml.safe_load(head)
        assert fields["id"] == one.id
        assert fields["class"] in CLASSES
        assert fields["status"] == "candidate"
        assert isinstance(fields["title"], str)
        assert fields["provenance"]["derived_from"][0] == "session:e1"
