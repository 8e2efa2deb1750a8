"""What every command stands in: where, how it speaks, and the options that all have.

`Frame` finds the store, the settings and the moment when a command asks for them.
`command` and `group` make click commands that take `--repo` and `--json` before or
after the verb. Domain rooms know nothing of this.
"""

from __future__ import annotations

import functools
import os
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click

from afterword import host as hosts
from afterword.cli import launch
from afterword.errors import AfterwordError, UsageError
from afterword.host.protocol import Host
from afterword.lifecycle.moment import Moment
from afterword.store import config_file, jsonline, layout, safe_text, stamp
from afterword.store.config import Config
from afterword.store.git import safe_head
from afterword.store.layout import Store

# Seconds after which a command gives up work on git and files; nobody is cut short.
PATIENCE = 600.0


class Frame:
    """One run of a command. `repo` and `json` are the options of that name."""

    def __init__(self) -> None:
        self.repo = ""
        self.json = False

    @property
    def start(self) -> str:
        """The directory from which the repository is looked for."""
        if self.repo and not os.path.isdir(self.repo):
            raise UsageError(
                f"--repo {self.repo}: no such directory",
                hint="name the top of a repository, or leave --repo out",
            )
        return self.repo or os.getcwd()

    @functools.cached_property
    def _settled(self) -> tuple[Store, Config]:
        found = layout.need(self.start)
        config = config_file.need(found)
        for warning in config.warnings:
            self.say(warning)
        return found.replace(paths=config.paths()), config

    @property
    def store(self) -> Store:
        """The memory around `start`; `NotARepository` where there is none.

        A local half that came along with a clone is moved aside before anything is
        read from it; where there is none yet, none is made.
        """
        return self._readable

    @functools.cached_property
    def _readable(self) -> Store:
        store = self._settled[0]
        if os.path.lexists(store.local):
            self._claim(store)
        return store

    @property
    def config(self) -> Config:
        """The settings; `ConfigError` with file:line when one cannot be used."""
        return self._settled[1]

    def claim(self) -> Store:
        """The store, its local half made and ours: to be called before writing there."""
        store = self._settled[0]
        self._claim(store)
        return store

    def _claim(self, store: Store) -> None:
        said = stamp.claim(store)
        if said:
            self.say(said)

    @functools.cached_property
    def host(self) -> Host:
        """The agent whose shell this is by its variables; the first host where none is."""
        for host in hosts.every():
            if any(os.environ.get(name) for name in host.agent_variables):
                return host
        return hosts.named("")

    def moment(self, host: Host | None = None) -> Moment:
        """The moment of this command, the head read now."""
        return Moment(
            store=self.store,
            config=self.config,
            host=host or self.host,
            head=safe_head.read(self.store.place),
            deadline=time.monotonic() + PATIENCE,
            in_hook=False,
            say=self.say,
        )

    def out(self, text: str) -> None:
        """Lines of data on stdout."""
        write(text.encode("utf-8", "replace") + b"\n")

    def emit(self, value: object) -> None:
        """One JSON object in a line on stdout."""
        write(jsonline.to_line(value))

    def say(self, text: str) -> None:
        """Talk: to stderr, in words that can be typed here and obeyed by no terminal."""
        sys.stderr.write(visible(self.typed(text)) + "\n")
        sys.stderr.flush()

    def typed(self, text: str) -> str:
        """The text with `afterword VERB` as it is typed in a repository that is wired."""
        return launch.typed(text, self._launcher)

    @functools.cached_property
    def _launcher(self) -> str:
        try:
            return launch.path(self.start, os.getcwd())
        except (OSError, AfterwordError):
            return ""

    def columns(self, rows: Sequence[Sequence[str]]) -> None:
        """Rows as aligned columns, two spaces between them, the last one ragged."""
        widths = [max(map(places, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            pairs = zip(row, widths, strict=True)
            cells = [cell + " " * (width - places(cell)) for cell, width in pairs]
            self.out("  ".join(cells).rstrip())

    def paint(self, text: str, **style: Any) -> str:
        """The text styled as by `click.style`, at a terminal without NO_COLOR only."""
        plain = "NO_COLOR" in os.environ or not sys.stdout.isatty()
        return text if plain else click.style(text, **style)


def places(text: str) -> int:
    """How many places of a terminal's line a text takes; Chinese takes two a character."""
    if text.isascii():
        return len(text)
    return sum(1 + (unicodedata.east_asian_width(char) in "WF") for char in text)


def visible(text: str) -> str:
    """Lines of a message without what a terminal obeys or does not show."""
    return "\n".join(safe_text.shown(line, len(line)) for line in text.split("\n"))


def write(data: bytes) -> None:
    """Bytes to stdout, whatever encoding the locale gave it."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


pass_frame = click.make_pass_decorator(Frame, ensure=True)


def _set_repo(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.ensure_object(Frame).repo = value


def _set_json(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Frame).json = True


def _shared_options() -> list[click.Parameter]:
    return [
        click.Option(
            ["--repo"],
            metavar="DIR",
            expose_value=False,
            is_eager=True,
            callback=_set_repo,
            help="The repository; default: the one around the current directory.",
        ),
        click.Option(
            ["--json"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_set_json,
            help="Print JSON, one object or one object a line.",
        ),
    ]


class FrameCommand(click.Command):
    """A command with the shared options.

    `variadic` names options that take several values at once (`--scope A B`).
    """

    def __init__(
        self, *args: Any, variadic: Iterable[str] = (), **settings: Any
    ) -> None:
        super().__init__(*args, **settings)
        self.params += _shared_options()
        self._variadic = frozenset(variadic)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, spread(args, self._variadic))


def spread(args: Sequence[str], variadic: frozenset[str]) -> list[str]:
    """`--scope A B` as `--scope A --scope B`, for the options named; up to a `--`."""
    found: list[str] = []
    current, fresh = "", False
    for position, word in enumerate(args):
        if word == "--":
            return [*found, *args[position:]]
        if word.startswith("-"):
            name, has_value, _ = word.partition("=")
            current = name if name in variadic else ""
            fresh = bool(current) and not has_value
        elif current and not fresh:
            found.append(current)
        else:
            fresh = False
        found.append(word)
    return found


class FrameGroup(click.Group):
    """A noun with its verbs, and the shared options before the verb."""

    command_class = FrameCommand
    # A noun below a noun is made the same way.
    group_class = type

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.params += _shared_options()


def command(name: str, **settings: Any) -> Callable[[Callable[..., Any]], FrameCommand]:
    """A command of the table; its docstring is its help."""
    return click.command(name, cls=FrameCommand, **settings)


def group(name: str, **settings: Any) -> Callable[[Callable[..., Any]], FrameGroup]:
    """A noun of the table; its verbs are added with `@noun.command("verb")`."""
    return click.group(name, cls=FrameGroup, **settings)
