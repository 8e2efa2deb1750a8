"""Every item of the lists that this program answers to is named by a test.

An item is named in a test's name or docstring: `h30`, `12.7` (or `test_12_7`), `13`
with its weakness in words, or a case of the reference system by its number. Those of
evolution count there only: `t1_7a` in a name, `T1.7a` in a docstring.
"""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent

# Public bug reports of such tools, by group; F and I come with what they concern.
HAZARDS = {
    "A": [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20],
    "B": [21, 22, 23, 25],
    "C": [27, 29, 30, 32, 33, 34, 36, 37],
    "D": [38, 39, 40, 41, 43, 44, 46, 48],
    "E": [49, 50, 52, 54],
    "G": [62, 63, 64, 65, 66],
    "H": [68, 69, 70, 71, 74, 76],
}
# Cases of the reference system under its own numbers. Those about checkpoints and
# handovers (131, 1016, prompt capture, record commits) are replaced: docs/deviations.md.
CASES = [63, 111, 119, 130, 220, 278, 279, 280, 281, 282, 283, 284, 285]
INCIDENTS = [
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
    16,
    17,
    19,
    20,
    21,
    22,
    24,
]
WEAKNESSES = [
    "duplicate evidence",
    "commit window",
    "what_a_person_did",
    "rationale",
    "rewording",
    "paths of both ledger ages",
    "quoted text never looks like an envelope",
    "recovered episodes",
    "deriving_later",
    "derive after rotation",
]

# Evolution: what was required, how it is accepted, and the bugs of the code that did it.
REQUIRED = (
    "T1.0 T1.1 T1.2 T1.3 T1.4 T1.5a T1.5b T1.6 T1.7a T1.7b T1.7c T1.8 T1.9 T1.10",
    "T2.0 T2.1 T2.2 T2.3 T2.4 T2.5 T2.6 T2.7 T2.8 T2.9 T2.10 T2.11",
    "T3.0 T3.1 T3.2 T3.3 T3.4 T3.5",
    "T4.1 T4.2 T4.3 T4.4 T4.5 T4.6 T4.7 T4.8 T4.9 T4.10",
    "N1 N2 N3 N4 N5 N6 N7 N8 N9 N10 N11 N12 N13 N14 N15 N16 N17 N18 N19 N20 N21",
    "A1.1 A1.2 A1.3 A1.4 A1.5 A1.6 A1.7 A1.8",
    "A2.1 A2.2 A2.3 A2.4 A2.5 A2.6",
    "A3.1 A3.2 A3.3 A3.4 A3.5 A3.6",
    "A4.1 A4.2 A4.3 A4.4 A4.5 A4.6 A4.7 A4.8 A4.9 A4.10 A4.11",
)
BUGS = {"Q": 16, "R": 13, "K": 8, "F": 10}
# The snapshot: what the seed demands, the gaps in it, and the defects of its scripts.
DEMANDS = [f"L{number:03}" for number in range(1, 91)]
GAPS = [f"G{number}" for number in range(1, 21)]
DEFECTS = [f"D{number}" for number in range(1, 11)]
# Where such a test may stand.
ROOMS = "evolution snapshot cli lifecycle merge install doctor store".split()


@functools.cache
def named() -> str:
    """The names and docstrings of the tests of these rooms, and those of the benchmarks."""
    folders = [HERE / room for room in ROOMS]
    paths = [path for folder in folders for path in folder.rglob("test_*.py")]
    texts = [text for path in paths for text in functions(path, "test_")]
    for path in (HERE.parent / "benchmarks").glob("*.py"):
        texts += functions(path, "")
    return "\n".join(texts)


def functions(path: Path, prefix: str) -> Iterator[str]:
    """The name, with spaces for underscores, and the docstring of each function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name.startswith(prefix):
            yield node.name.replace("_", " ")
            yield ast.get_docstring(node) or ""


def is_named(item: str) -> bool:
    """`T1.7a` in a docstring or `t1_7a` in a name, but not within another id or word."""
    written = re.escape(item)
    spoken = re.escape(item.lower().replace(".", " "))
    pattern = rf"(?<![\w.]){written}(?!\w|\.\d|-\d)|^(?:.* )?{spoken}(?= |$)"
    return re.search(pattern, named(), re.MULTILINE) is not None


def replaced(system: str) -> set[str]:
    """The ids in the first column of the table of what is done otherwise."""
    text = (HERE.parent / "docs/deviations.md").read_text(encoding="utf-8")
    section = text.partition(f"\n## {system}")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| ([^|]+) \|", section, re.MULTILINE)
    return {
        item for cell in cells for item in re.findall(r"[A-Z]\d+(?:\.\d+)?\w?", cell)
    }


@pytest.mark.parametrize("item", " ".join(REQUIRED).split())
def test_every_requirement_of_evolution_has_a_test(item: str) -> None:
    assert is_named(item)


@pytest.mark.parametrize(
    "item",
    [
        f"{group}{number}"
        for group, most in BUGS.items()
        for number in range(1, most + 1)
    ],
)
def test_every_bug_of_the_reference_has_a_test_or_cannot_be_ours(item: str) -> None:
    assert is_named(item) or item in replaced("Evolution")


@pytest.mark.parametrize("item", [*DEMANDS, *GAPS])
def test_every_demand_and_gap_of_the_snapshot_has_a_test(item: str) -> None:
    assert is_named(item)


@pytest.mark.parametrize("item", DEFECTS)
def test_every_defect_of_the_seeds_scripts_has_a_test_or_cannot_be_ours(
    item: str,
) -> None:
    assert is_named(item) or item in replaced("Snapshot")


@pytest.fixture(scope="module")
def everything() -> str:
    own = Path(__file__)
    texts = [path.read_text() for path in HERE.rglob("*.py") if path != own]
    return "\n".join(texts)


@pytest.mark.parametrize(
    "number", [number for group in HAZARDS.values() for number in group]
)
def test_every_hazard_has_a_test(everything: str, number: int) -> None:
    assert re.search(rf"(?i)(?<![a-z0-9])h{number}(?!\d)", everything.replace("_", " "))


@pytest.mark.parametrize("number", CASES)
def test_every_case_has_a_test(everything: str, number: int) -> None:
    assert re.search(rf"(?<!\d){number}(?!\d)", everything.replace("_", " "))


@pytest.mark.parametrize("number", INCIDENTS)
def test_every_incident_has_a_test(everything: str, number: int) -> None:
    assert re.search(rf"(?<!\d)12[._]{number}(?!\d)", everything)


@pytest.mark.parametrize("words", WEAKNESSES)
def test_every_weakness_has_a_test(everything: str, words: str) -> None:
    pattern = re.sub(r"[ _]", "[ _]", words)
    assert re.search(pattern, everything, re.IGNORECASE)
