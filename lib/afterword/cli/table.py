"""The table of commands: each is imported when it is typed, not before.

A command's libraries (YAML, tables, git) cost more than most commands themselves,
so `--help` and completion read the one-line texts from here.
"""

from __future__ import annotations

import importlib
from typing import NamedTuple

import click

from afterword import __version__
from afterword.cli import frame


class Entry(NamedTuple):
    """Where a command lives, as `module:attribute`, and what its help line says."""

    target: str
    help: str


COMMANDS: dict[str, Entry] = {
    "start": Entry("afterword.cli.task:start", "Begin a task in this worktree."),
    "finish": Entry("afterword.cli.task:finish", "End the active task."),
    "decision": Entry("afterword.cli.decision:decision", "Record what was decided."),
    "question": Entry("afterword.cli.question:question", "Keep questions open."),
    "history": Entry("afterword.cli.history:history", "What happened here, in order."),
    "episode": Entry("afterword.cli.episode:episode", "List, show and close episodes."),
    "knowledge": Entry(
        "afterword.cli.knowledge:knowledge", "Derive and review what was learned."
    ),
    "learn": Entry("afterword.cli.learn:learn", "Put something into the queue."),
    "queue": Entry("afterword.cli.queue:queue", "List and archive what is to learn."),
    "evolve": Entry(
        "afterword.cli.evolve:evolve", "Make knowledge-base entries of queue items."
    ),
    "reflect": Entry("afterword.cli.reflect:reflect", "Look back, and keep it short."),
    "modules": Entry(
        "afterword.cli.modules:modules", "List and find the parts of the project."
    ),
    "compile": Entry(
        "afterword.cli.compile:compile_", "Fold increments into snapshot and modules."
    ),
    "conflict": Entry(
        "afterword.cli.conflict:conflict", "List and decide what contradicts."
    ),
    "increment": Entry(
        "afterword.cli.increment:increment", "Say what the snapshot is to know."
    ),
    "briefing": Entry(
        "afterword.cli.briefing:briefing", "What the next episode would be told."
    ),
    "hook": Entry("afterword.cli.hook:hook", "Replay one agent event by hand."),
    "init": Entry("afterword.cli.init:init", "Create .ai/ in this repository."),
    "adopt": Entry("afterword.cli.adopt:adopt", "Use another system's tree in place."),
    "doctor": Entry(
        "afterword.cli.doctor:doctor", "Whether hooks and memory are in order."
    ),
    "merge-driver": Entry(
        "afterword.cli.merge_driver:merge_driver", "Merge a file of ours, for git."
    ),
}


class Table(frame.FrameGroup):
    """The root group; resolves a name through `COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, _, attribute = entry.target.partition(":")
        found = getattr(importlib.import_module(module), attribute)
        assert isinstance(found, click.Command)  # the table names nothing else
        return found

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])


@click.version_option(__version__, prog_name="afterword")
@click.command(cls=Table, name="afterword")
def root() -> None:
    """The memory that a repository keeps of the agent sessions that worked in it."""
