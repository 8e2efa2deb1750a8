"""How well the conflict test tells contradictions: the labelled pairs of the tests.

    .venv/bin/python benchmarks/pairs.py [--groups] [--wrong [tuned|held]]

Precision and recall of what is called a conflict (tiers 1 and 2) and of what is at least
pointed out as a possible one (tier 3), on both halves: the rules were tuned on the one and
only measured on the other. Ends with the time of one judgement.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from afterword.snapshot import contradiction
from afterword.snapshot.fact import Fact

PAIRS = Path(__file__).parent.parent / "tests" / "fixtures" / "conflict_pairs.json"
CALLED = (contradiction.CONFLICT,)
POINTED = (contradiction.CONFLICT, contradiction.POSSIBLE)
LINKED = (*POINTED, contradiction.OVERLAP, contradiction.SAME)
HALVES = ("tuned", "held")


class Pair(NamedTuple):
    """Two entries, whether a person says that they contradict, and what the program says."""

    id: str
    half: str
    group: str
    language: str
    is_conflict: bool
    old: Fact
    new: Fact
    verdict: contradiction.Verdict

    @property
    def is_keyed(self) -> bool:
        return bool(self.old.key)


class Score(NamedTuple):
    """Counts of found, missed and falsely found conflicts."""

    found: int
    missed: int
    false: int

    @property
    def precision(self) -> float:
        return self.found / ((self.found + self.false) or 1)

    @property
    def recall(self) -> float:
        return self.found / ((self.found + self.missed) or 1)


def read(path: Path = PAIRS) -> list[Pair]:
    """Every labelled pair with its verdict."""
    return [_pair(one) for one in json.loads(path.read_text(encoding="utf-8"))]


def _pair(one: dict[str, Any]) -> Pair:
    old, new = (_fact(one["kind"], one[side]) for side in ("old", "new"))
    return Pair(
        one["id"],
        one["half"],
        one["group"],
        one["language"],
        one["conflict"],
        old,
        new,
        contradiction.judge(old, new),
    )


def _fact(kind: str, side: dict[str, Any]) -> Fact:
    return Fact(
        kind=kind,
        title=side["title"],
        body=tuple(side.get("body", ())),
        key=side.get("key", ""),
        value=side.get("value", ""),
    )


def score(pairs: Sequence[Pair], kinds: Sequence[str] = CALLED) -> Score:
    """How many conflicts get one of these verdicts, and how many others do."""
    hit = [pair for pair in pairs if pair.verdict.kind in kinds]
    found = sum(pair.is_conflict for pair in hit)
    return Score(
        found, sum(pair.is_conflict for pair in pairs) - found, len(hit) - found
    )


def _row(name: str, pairs: Sequence[Pair], kinds: Sequence[str]) -> str:
    made = score(pairs, kinds)
    return (
        f"{name:<34} {len(pairs):>5} {made.found:>6} {made.missed:>7} {made.false:>6}"
        f" {made.precision:>10.2f} {made.recall:>7.2f}"
    )


def table(pairs: Sequence[Pair]) -> list[str]:
    """The lines of the table: keyed pairs, then both halves of the others."""
    lines = [f"{'':<34} pairs  found  missed  false  precision  recall"]
    keyed = [pair for pair in pairs if pair.is_keyed]
    lines.append(_row("keyed (tier 1)", keyed, CALLED))
    for half in HALVES:
        lines += _half(half, [p for p in pairs if p.half == half and not p.is_keyed])
    return lines


def _half(half: str, pairs: Sequence[Pair]) -> list[str]:
    return [
        _row(f"{half}: conflict (tier 2)", pairs, CALLED),
        _row(f"{half}: conflict or possible (3)", pairs, POINTED),
        _row(f"{half}: linked at all", pairs, LINKED),
    ]


def _wrong(pairs: Sequence[Pair], half: str) -> list[str]:
    lines = []
    for pair in pairs:
        is_called = pair.verdict.kind in (CALLED if pair.is_keyed else POINTED)
        if pair.half == half and is_called != pair.is_conflict:
            label = "conflict" if pair.is_conflict else "none"
            lines += [
                f"{pair.id} [{pair.group}] {label}, got {pair.verdict.kind}: {pair.verdict.why}",
                f"    {pair.old.title} {pair.old.value} {' '.join(pair.old.body)}",
                f"    {pair.new.title} {pair.new.value} {' '.join(pair.new.body)}",
            ]
    return lines


def _groups(pairs: Sequence[Pair]) -> list[str]:
    names = dict.fromkeys(pair.group for pair in pairs)
    return [
        _row(name, [pair for pair in pairs if pair.group == name], kinds)
        for name in names
        for kinds in (CALLED, POINTED)
    ]


def _seconds(pairs: Sequence[Pair], prepare: Callable[[], None]) -> float:
    """The least time of a judgement, of five rounds; `prepare` goes before each round."""
    best = float("inf")
    for _ in range(5):
        prepare()
        began = time.perf_counter()
        for pair in pairs:
            contradiction.judge(pair.old, pair.new)
        best = min(best, time.perf_counter() - began)
    return best / len(pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", action="store_true")
    parser.add_argument("--wrong", nargs="?", const="tuned", choices=HALVES)
    given = parser.parse_args()
    pairs = read()
    print("\n".join(table(pairs)))
    if given.groups:
        print("\n".join(["", "conflict, then conflict or possible", *_groups(pairs)]))
    if given.wrong:
        print("\n".join(["", *_wrong(pairs, given.wrong)]))
    first = _seconds(pairs, contradiction.forget)
    again = _seconds(pairs, lambda: None)
    print(f"\none judgement: {first * 1e6:.0f} us at first, {again * 1e6:.0f} us again")


if __name__ == "__main__":
    main()
