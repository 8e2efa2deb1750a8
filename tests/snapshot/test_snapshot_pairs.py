"""The labelled pairs: what the conflict test finds, measured and held (10.5).

L027-L029: decisions, constraints and architecture; keyed pairs are all right. The figures
of the README are those of the half on which no rule was tuned.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from afterword.snapshot import contradiction, words
from afterword.snapshot.contradiction import CONFLICT, POSSIBLE
from afterword.snapshot.fact import Fact
from project import TOOL, run

PAIRS = Path(__file__).parent.parent / "fixtures" / "conflict_pairs.json"
CALLED, POINTED = (CONFLICT,), (CONFLICT, POSSIBLE)
# What was measured: conflicts found, and others called one, of each half's unkeyed pairs.
MEASURED = {
    ("tuned", CALLED): (46, 0),
    ("tuned", POINTED): (61, 0),
    ("held", CALLED): (40, 0),
    ("held", POINTED): (55, 1),
}


@cache
def pairs() -> list[dict[str, object]]:
    return json.loads(PAIRS.read_text(encoding="utf-8"))


def fact(kind: str, side: dict[str, str]) -> Fact:
    return Fact(kind=kind, **{**side, "body": tuple(side.get("body", ()))})


def verdict(pair: dict) -> contradiction.Verdict:
    return contradiction.judge(
        fact(pair["kind"], pair["old"]), fact(pair["kind"], pair["new"])
    )


def is_keyed(pair: dict) -> bool:
    return "key" in pair["old"]


def test_the_pairs_are_many_and_of_every_kind() -> None:
    """At least 120, both languages, keyed or not, and the failure kinds of 10.5."""
    every = pairs()
    assert len(every) >= 250
    assert len({pair["id"] for pair in every}) == len(every)
    texts = {json.dumps([p["old"], p["new"]], sort_keys=True) for p in every}
    assert len(texts) == len(every)
    for key, least in (("language", 100), ("conflict", 100), ("half", 140)):
        counts = Counter(pair[key] for pair in every)
        assert len(counts) == 2 and min(counts.values()) >= least, counts
    assert min(Counter(map(is_keyed, every)).values()) >= 40
    assert {pair["kind"] for pair in every} == {*words.CLAIMS, words.CONFIG}
    assert {
        "named alternatives",
        "bare negation",
        "versions",
        "numbers in words",
        "paraphrase",
        "other subject",
        "comparators and intervals",
        "changed from to",
        "arrow chains",
        "opposites",
        "must and must not",
        "numbered titles",
    } <= {pair["group"] for pair in every}


def test_every_keyed_pair_is_told_right() -> None:
    """Tier 1: a conflict or none, exactly as labelled, in both halves."""
    for pair in filter(is_keyed, pairs()):
        found = verdict(pair)
        assert (found.kind == CONFLICT) == pair["conflict"], (pair, found)
        assert found.tier == 1, pair


@pytest.mark.parametrize(("half", "kinds"), MEASURED)
def test_the_measured_figures_do_not_fall(half: str, kinds: tuple[str, ...]) -> None:
    found, false = 0, []
    for pair in pairs():
        if pair["half"] == half and not is_keyed(pair) and verdict(pair).kind in kinds:
            found += pair["conflict"]
            false += [] if pair["conflict"] else [pair]
    least, most = MEASURED[half, kinds]
    assert found >= least
    assert len(false) <= most, false


def test_no_unkeyed_pair_is_called_a_conflict_that_is_none() -> None:
    """Precision of the second tier matters most: a false conflict asks a person in vain."""
    for pair in pairs():
        if not is_keyed(pair) and verdict(pair).kind == CONFLICT:
            assert pair["conflict"], pair


def test_what_one_says_of_the_other_the_other_says_of_the_one() -> None:
    for pair in pairs():
        turned = {**pair, "old": pair["new"], "new": pair["old"]}
        assert verdict(turned).kind == verdict(pair).kind, pair


def test_entries_of_unlike_pairs_hardly_ever_conflict() -> None:
    """Every entry against every other: false alarms would add up over 70,000 pairs.

    Those that do conflict were looked through: they are about one thing and contradict.
    """
    sides = [
        (pair["id"], fact(pair["kind"], pair[side]))
        for pair in pairs()
        if not is_keyed(pair)
        for side in ("old", "new")
    ]
    met = [
        (one, other)
        for one, other in combinations(sides, 2)
        if one[0] != other[0] and contradiction.judge(one[1], other[1]).kind == CONFLICT
    ]
    shown = {tuple(sorted((one[1].title, other[1].title))) for one, other in met}
    assert len(shown) <= 75, shown


def test_the_benchmark_prints_these_figures(tmp_path: Path) -> None:
    script = TOOL / "benchmarks" / "pairs.py"
    ran = run(
        [sys.executable, str(script), "--groups", "--wrong", "held"],
        tmp_path,
        env={"PATH": os.environ["PATH"]},
    )
    assert ran.code == 0, ran.err
    rows = {line.split(":")[0].split(" (")[0] for line in ran.out.splitlines()}
    assert any(line.startswith("paraphrase ") for line in ran.out.splitlines())
    assert {"keyed", "tuned", "held"} <= rows
    assert "one judgement:" in ran.out
