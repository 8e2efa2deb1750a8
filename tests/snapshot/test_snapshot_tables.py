"""Tables: what is read of any file, and that changes touch nothing else."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.snapshot import sections, tables
from afterword.snapshot.tables import Table

_CELL = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp", "Zs"))
    | st.sampled_from("|\\ `*"),
    max_size=8,
)


def only(text: str | bytes) -> Table:
    data = text.encode() if isinstance(text, str) else text
    (table,) = tables.read(data)
    return table


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", [("1", "2")]),
        ("| a | b\n|---|---\n| 1 | 2\n", [("1", "2")]),
        ("a | b\n--|--\n1 | 2", [("1", "2")]),
        ("| a | b |\r\n|:-|-:|\r\n| 1 |  |\r\n", [("1", "")]),
        ("|a|b|\n|-|-|\n|1\\|x|`2`|\n", [("1|x", "`2`")]),
        ("| a |\n|---|\n| 1 | more | cells |\n", [("1", "more", "cells")]),
        ("| a |\n|---|\n\n| 1 |\n", []),
        (
            "| a |\n|---|\n| 1 |\ntext | with a pipe\n",
            [("1",), ("text", "with a pipe")],
        ),
        ("| a |\n|---|\n| 1 |\n> | quoted |\n", [("1",)]),
        ("| a |\n|---|\n| 1 |\n## | heading\n", [("1",)]),
        ("| 订单 |\n|---|\n| 值 |\n", [("值",)]),
        ("||\n|---|\n||\n", [("",)]),
    ],
)
def test_rows_are_read_with_or_without_their_outer_pipes(
    text: str, rows: list[tuple[str, ...]]
) -> None:
    assert [row.cells for row in only(text).rows] == rows


@pytest.mark.parametrize(
    "text",
    [
        "",
        "| a | b |\n",
        "| a |\nno rule\n| 1 |\n",
        "```\n| a |\n|---|\n| 1 |\n```\n",
        "<!--\n| a |\n|---|\n-->\n",
        "| a |\n| |\n| 1 |\n",
        "# a | b\n|---|\n",
    ],
)
def test_other_text_is_no_table(text: str) -> None:
    assert tables.read(text.encode()) == []


def test_a_table_knows_its_heading_and_rows_their_lines() -> None:
    text = "\ufeff# T\n\n```\n## no\n```\n## Modules\n\n| a |\n|---|\n| 1 |\n\n### x\n| b |\n|--|\n"
    first, second = tables.read(text.encode())
    assert (first.above, first.rows[0].line) == ("Modules", 10)
    assert (second.above, second.rows) == ("x", ())


@given(st.lists(st.lists(_CELL, min_size=2, max_size=2), max_size=4))
def test_what_is_written_is_read(rows: list[list[str]]) -> None:
    table = only(tables.new(("One", "Two"), rows))
    assert [list(row.cells) for row in table.rows] == [
        [tables.shown(cell) for cell in row] for row in rows
    ]


@given(st.binary(max_size=200), st.text(max_size=5))
def test_a_changed_cell_is_all_that_changes(noise: bytes, text: str) -> None:
    data = b"\n\n| a | b |\n|---|---|\n| 1 | 2\n\n" + noise
    table = tables.read(data)[0]
    edits = [*tables.with_cells(table.rows[0], {1: text, 3: "more"})]
    made = tables.changed(data, edits, b"\n")
    shown = tables.shown(text)
    assert tables.read(made)[0].rows[0].cells == ("1", shown, "", "more")
    assert made.endswith(data[table.end :])
    assert made.startswith(data[: table.rows[0].start])


def test_rows_come_in_by_their_keys_and_the_row_for_none_goes() -> None:
    data = b"| a |\n|---|\n| (none yet) |\n"

    def added(data: bytes, *names: str) -> bytes:
        rows = [(name,) for name in names]
        edits = tables.with_rows(only(data), rows, b"\n", lambda row: (row[0],))
        return tables.changed(data, [*edits], b"\n")

    at_once = added(data, "c", "a", "b")
    assert at_once == b"| a |\n|---|\n| a |\n| b |\n| c |\n"
    assert added(added(data, "c"), "b", "a") == at_once
    assert added(b"| a |\n|---|", "x") == b"| a |\n|---|\n| x |\n"
    assert (
        added(b"| a |\n|---|\n| z", "a", "zz") == b"| a |\n|---|\n| a |\n| z\n| zz |\n"
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_section_comes_before_those_that_follow_it(end: str) -> None:
    text = f"# T{end}{end}## First{end}{end}a{end}## Last{end}{end}b"
    made = sections.with_section(text.encode(), "New", b"x\n", ("Middle", "last"))
    place = f"{end}## New{end}{end}x{end}{end}## Last"
    assert made.decode() == text.replace("## Last", place)
    behind = sections.with_section(text.encode(), "New", b"x\n", ("other",))
    assert behind.decode() == f"{text}{end}{end}## New{end}{end}x{end}"


def test_a_section_without_a_table_gets_one_behind_its_text() -> None:
    data = b"## Modules\n\nNone so far.\n\n## Other\n"
    made = sections.with_rows(
        data, "Modules", ("A",), [("x",)], table=None, key=lambda row: (row[0],)
    )
    assert made == (b"## Modules\n\nNone so far.\n\n| A |\n|---|\n| x |\n\n## Other\n")


def test_reading_is_linear() -> None:
    def seconds(rows: int) -> float:
        data = b"| a | b |\n|---|---|\n" + b"| 1 | 2 |\n" * rows
        start = time.process_time()
        assert len(only(data).rows) == rows
        return time.process_time() - start

    small = min(seconds(2_000) for _ in range(3))
    assert min(seconds(20_000) for _ in range(3)) < 20 * small
