"""Every item of the lists that this program answers to is named by a test.

An item is named in a test's name or docstring: `h30`, `12.7` (or `test_12_7`), `13`
with its weakness in words, or a case of the reference system by its number.
"""

import re
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
