"""The skills of increments and snapshots as texts, those of an adopted tree too."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from afterword.store.config import DEFAULTS

from .scene import TOOL
from .test_skills import CALL, typed

FOLDER = TOOL / "skills"
OWN = ("compile-snapshot", "increment", "modularize", "resolve-conflicts")
ADOPTED = ("lore-evolve", "lore-modularize")
PAGES = {
    **{name: FOLDER / name / "SKILL.md" for name in OWN},
    **{name: FOLDER / "adopted/context" / name / "SKILL.md" for name in ADOPTED},
}
THRESHOLDS = {
    "compile-snapshot": (
        "compile.after_rounds",
        "compile.after_increments",
        "snapshot.max_lines",
    ),
    "lore-evolve": (
        "compile.after_rounds",
        "compile.after_increments",
        "snapshot.max_lines",
    ),
}


def text(name: str) -> str:
    return PAGES[name].read_text(encoding="utf-8")


def head(page: Path) -> dict[str, str]:
    """The front matter of a skill."""
    lines = page.read_text(encoding="utf-8").split("---\n")[1].splitlines()
    return dict(line.split(": ", 1) for line in lines)


@pytest.mark.parametrize("name", PAGES)
def test_l001_a_skill_is_called_as_its_folder(name: str) -> None:
    """L001: `lore-evolve` among them."""
    assert head(PAGES[name])["name"] == name
    assert 30 <= len(head(PAGES[name])["description"]) <= 400


def test_l002_lore_evolve_says_that_it_compiles_with_conflict_detection() -> None:
    said = head(PAGES["lore-evolve"])["description"]
    assert "ompile knowledge increments into the project snapshot" in said
    assert "with conflict detection" in said


@pytest.mark.parametrize("name", ADOPTED)
def test_l003_the_adopted_skills_keep_their_category(name: str) -> None:
    assert head(PAGES[name])["category"] == "ai-context"


def test_l003_lore_evolve_answers_to_evolve_too() -> None:
    """L003: also addressed as /evolve; in the description, which is what an agent looks at."""
    assert "/evolve" in head(PAGES["lore-evolve"])["description"]


TRIGGERS = {
    "L004": "somebody asks for it, by either name",
    "L005": f"{DEFAULTS['compile.after_rounds']} rounds went by",
    "L006": "many increments wait that nobody compiled",
    "L007": "a large feature is complete, or a pull request was merged",
}


@pytest.mark.parametrize("item", TRIGGERS)
def test_l004_l006_l007_when_lore_evolve_runs(item: str) -> None:
    """L004, L006, L007: on request, when many wait, after a feature or a merge (and L005)."""
    said = re.sub(r"\s+", " ", text("lore-evolve"))
    assert TRIGGERS[item] in said
    ours = head(PAGES["compile-snapshot"])["description"]
    for words in ("user asks", "many increments wait", "large feature or a merge"):
        assert words in ours


@pytest.mark.parametrize("name", THRESHOLDS)
def test_a_skill_states_the_defaults_of_its_thresholds(name: str) -> None:
    for key in THRESHOLDS[name]:
        assert f"`{key}`" in text(name)
        assert re.search(rf"(?<!\d){DEFAULTS[key]}(?!\d)", text(name))


@pytest.mark.parametrize("name", PAGES)
def test_d10_a_skill_calls_the_program_and_nothing_else(name: str) -> None:
    """D10: what there was a prompt for is a command; the adopted pair is installed whole."""
    commands = [line for line in typed(PAGES[name]) if re.match(r"[a-z./]", line)]
    commands += re.findall(r"^ {7,}([a-z./].*)", text(name), re.MULTILINE)
    assert commands
    assert [line for line in commands if not line.startswith(CALL)] == []
    assert {page.parent.name for page in FOLDER.glob("adopted/context/*/SKILL.md")} == {
        *ADOPTED
    }


def test_l031_a_skill_leaves_conflicts_to_a_person() -> None:
    """L031: the agent shows both sides and the commands; the person types one."""
    said = re.sub(r"\s+", " ", text("resolve-conflicts"))
    assert "keeps both until a person decides. That is never you" in said
    assert "show the person both sides as they stand" in said
    assert "let them type one" in said
    for side in ("old", "new", "both"):
        assert f"conflict resolve ID --keep {side} --why " in said
    for name in ("compile-snapshot", "lore-evolve"):
        assert re.search(r"[Nn]ever decide", text(name))
