"""The documents name only commands and options that exist, and the generated page is fresh."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from afterword.cli import table

TOP = Path(__file__).resolve().parent.parent
PAGES = sorted(
    [*TOP.glob("*.md"), *TOP.glob("docs/*.md"), *TOP.glob("skills/**/SKILL.md")]
)
CALL = re.compile(r"(?:\.ai/bin/afterword|(?<![\w/.-])afterword) ([a-z][^`\n|<]*)")


def calls(page: Path) -> list[str]:
    """The command lines of a page: after a prompt, in code, or between backticks."""
    found = []
    for line in page.read_text(encoding="utf-8").splitlines():
        is_code = line.startswith("    ") or "`" in line
        found += [match[1].strip() for match in CALL.finditer(line)] if is_code else []
    return found


def resolved(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the words lead to, and the words behind its name."""
    command: click.Command = table.root
    rest = list(words)
    while isinstance(command, click.Group) and rest:
        context = click.Context(command)
        below = command.get_command(context, rest[0])
        if below is None:
            break
        command, rest = below, rest[1:]
    return command, rest


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_a_page_names_commands_and_options_that_exist(page: Path) -> None:
    """A stale command in a skill is a bug in production: an agent types it."""
    unknown = []
    for call in calls(page):
        try:
            words = shlex.split(call.partition(" #")[0].partition(";")[0])
        except ValueError:
            continue  # prose that goes on behind an apostrophe
        first = words[0].partition("|")[0].strip(",.:") if words else ""
        if first not in table.root.list_commands(click.Context(table.root)):
            continue  # a sentence about afterword, not a call of it
        command, rest = resolved([first, *words[1:]])
        known = {name for option in command.params for name in option.opts}
        given = {word for word in rest if word.startswith("--")}
        unknown += [
            f"{call}: {option}" for option in given - known - {"--repo", "--json"}
        ]
    assert unknown == []


def test_every_command_is_named_in_the_readme_or_a_skill() -> None:
    """What nobody is told of might as well not exist."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    names = table.root.list_commands(click.Context(table.root))
    assert [name for name in names if name not in text] == []


def test_the_page_of_settings_is_made_from_the_table() -> None:
    """`docs/build.py` writes it; an edit of the table alone leaves it stale."""
    done = subprocess.run(
        [sys.executable, str(TOP / "docs/build.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_nothing_is_left_to_fill_in() -> None:
    """No figure in a page stands for one that is still to be measured."""
    marked = [page.name for page in PAGES if "BENCHMARK" in page.read_text("utf-8")]
    assert marked == []
