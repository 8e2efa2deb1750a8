"""The skills as texts: what they state holds, and they leave all work to the program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from afterword.store.config import DEFAULTS

from .scene import TOOL

FOLDER = TOOL / "skills"
OWN = ("evolve-queue", "knowledge", "learn", "reflect")
ADOPTED = {
    "ax-evolve": "# ax-evolve [--archive-queue]",
    "ax-knowledge": "# ax-knowledge [--filter K] [--category C]",
    "ax-reflect": "# ax-reflect",
}
PAGES = {
    **{name: FOLDER / name / "SKILL.md" for name in OWN},
    **{name: FOLDER / "adopted/axiom" / name / "SKILL.md" for name in ADOPTED},
}
# The thresholds that a skill's commands apply.
THRESHOLDS = {
    "evolve-queue": ("evolve.max_per_session", "queue.keep_done", "archive.warn_lines"),
    "ax-evolve": ("evolve.max_per_session", "queue.keep_done", "archive.warn_lines"),
    "reflect": ("reflections.keep", "archive.warn_lines"),
    "ax-reflect": ("reflections.keep", "archive.warn_lines"),
}
CALL = ".ai/bin/afterword "


def typed(page: Path) -> list[str]:
    """The first lines of a page's code blocks, and what stands between backticks in a table."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"(?:\A|\n\n)    (\S.*)", text)
    cells = re.findall(r"^\|[^|]+\| `([^`]+)` \|$", text, re.MULTILINE)
    return [*blocks, *cells]


@pytest.mark.parametrize("name", PAGES)
def test_a_skill_says_what_it_is(name: str) -> None:
    lines = PAGES[name].read_text(encoding="utf-8").split("\n")
    assert lines[:2] == ["---", f"name: {name}"]
    assert re.fullmatch(r"description: .{30,400}", lines[2])
    assert lines[3] == "---"
    assert lines[-1] == ""


@pytest.mark.parametrize("name", THRESHOLDS)
def test_n11_a_skill_states_the_defaults_of_its_thresholds(name: str) -> None:
    """N11: 10 done, 10 reflections, 3 a session, 5000 lines; each with the key that changes it."""
    text = PAGES[name].read_text(encoding="utf-8")
    for key in THRESHOLDS[name]:
        assert f"`{key}`" in text
        assert re.search(rf"(?<!\d){DEFAULTS[key]}(?!\d)", text)


def test_n11_the_defaults_are_the_seed_s() -> None:
    """N11, T4.8: 10 done items, 10 reflections, 3 items an end; T1.9, T2.9: 5000 lines."""
    assert {key: DEFAULTS[key] for keys in THRESHOLDS.values() for key in keys} == {
        "evolve.max_per_session": 3,
        "queue.keep_done": 10,
        "archive.warn_lines": 5000,
        "reflections.keep": 10,
    }


@pytest.mark.parametrize("name", PAGES)
def test_n21_a_skill_calls_the_program_and_nothing_else(name: str) -> None:
    """N21, T3.0: all logic is in code; a skill has no other command, and no rule to apply."""
    lines = typed(PAGES[name])
    commands = [line for line in lines if re.match(r"[a-z./]", line)]
    assert commands
    assert [line for line in commands if not line.startswith(CALL)] == []


@pytest.mark.parametrize("name", ADOPTED)
def test_n12_an_adopted_skill_keeps_its_call(name: str) -> None:
    """N12, A2.5: the names and options that users of that system type."""
    text = PAGES[name].read_text(encoding="utf-8")
    assert f"\n{ADOPTED[name]}\n" in text
    for option in re.findall(r"--[a-z-]+", ADOPTED[name]):
        assert any(
            line.startswith(CALL) and option in line for line in typed(PAGES[name])
        )


def test_the_knowledge_skill_shows_what_the_command_can() -> None:
    """T3.1, T3.2, T3.3: bare, by keyword, by category; the search has a skill of its own."""
    lines = typed(PAGES["knowledge"])
    text = PAGES["knowledge"].read_text(encoding="utf-8")
    assert lines[0] == ".ai/bin/afterword knowledge"
    for option in ("--filter", "--category", "--include-archive"):
        assert option in text
    assert "--search" not in text


def test_agents_look_one_level_deep_so_a_plugin_shows_ours_alone() -> None:
    names = {page.parent.name for page in FOLDER.glob("*/SKILL.md")}
    assert names >= set(OWN)
    assert not names & set(ADOPTED)
    adopted = {page.parent.name for page in FOLDER.glob("adopted/*/*/SKILL.md")}
    assert adopted >= set(ADOPTED)
    assert not names & adopted
