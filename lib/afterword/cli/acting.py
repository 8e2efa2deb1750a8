"""What the commands that record have in common: whose act it is, and its text.

A text is one line unless a command takes more; secrets are taken out of it before
anything is written, and what was taken out is said. Used by the modules of the
recording nouns.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from afterword.cli.frame import Frame
from afterword.episode import attribution, ledger, opened
from afterword.episode.events import Event
from afterword.episode.recording import Act
from afterword.episode.state import State
from afterword.errors import GitError, UsageError
from afterword.lifecycle import recording, rotation
from afterword.lifecycle.moment import Moment
from afterword.store import jsonline, safe_text, secrets
from afterword.store.git import program
from afterword.store.layout import Store

# Characters of a confirmation: it shows what was meant, not all of it.
SHOWN = 300

Done = TypeVar("Done")

episode_option = click.option(
    "--episode",
    metavar="ID",
    default="",
    help="The episode to record in; default: the one of this session.",
)


class Recorder:
    """One act of a command: the moment, and the episode that it belongs to."""

    def __init__(self, frame: Frame, given: str) -> None:
        frame.claim()
        self.frame = frame
        self.moment: Moment = frame.moment()
        self.episode = attribution.of_command(self.moment.store, given, os.environ)

    @property
    def where(self) -> str:
        """The episode as messages name it."""
        is_outside = self.episode == ledger.OUTSIDE
        return "outside any episode" if is_outside else f"in episode {self.episode}"

    @property
    def named(self) -> str | None:
        """The episode's id; None outside any."""
        return None if self.episode == ledger.OUTSIDE else self.episode

    def perform(self, act: Callable[[State], Act]) -> Act:
        """Record it; then, now and then, join old ledgers."""
        done = recording.perform(self.moment, self.episode, act)
        rotation.join_if_due(self.moment)
        return done

    def do(self, work: Callable[[], Done], event_of: Callable[[Done], Event]) -> Done:
        """Do a piece of work and record it, under the episode's lock all the while."""
        done: list[Done] = []

        def act(found: State) -> Act:
            done.append(work())
            return Act(event=event_of(done[0]), state=found)

        self.perform(act)
        return done[0]

    def log(self, event: Event) -> None:
        """Record what is done already."""
        self.perform(lambda found: Act(event=event, state=found))

    def tell(self, done: Act, text: str) -> None:
        """Say what was recorded; with `--json` as the event's own fields."""
        self.tell_event(done.event, text)

    def tell_event(self, event: Event, text: str, **more: Any) -> None:
        """`tell` of an event; `more` are keys that `--json` shows beside its fields."""
        if self.frame.json:
            value: dict[str, Any] = {"event": event._name, "episode": self.named}
            self.frame.emit({**value, **event.fields(), **more})
        else:
            self.frame.say(safe_text.shown(text, SHOWN))
            self._say_why_outside()

    def _say_why_outside(self) -> None:
        names = [one.episode for one in opened.every(self.moment.store)]
        if self.episode == ledger.OUTSIDE and len(names) > 1:
            self.frame.say(
                f"{len(names)} episodes are open here ({', '.join(names[:5])}), and nothing"
                " says which is meant: name it with --episode ID"
            )


def line(frame: Frame, name: str, text: str) -> str:
    """One line of text without secrets; `UsageError` for several lines or none.

    `name` is what messages call it: an option or an argument.
    """
    text = jsonline.clean(text).strip()
    if not text:
        raise UsageError(f"{name}: is empty", hint="write it as one line of text")
    if len(text.splitlines()) > 1:
        raise UsageError(
            f"{name}: is {len(text.splitlines())} lines long",
            hint="write it as one line of text",
        )
    return _masked(frame, name, text)


def text(frame: Frame, name: str, given: str) -> str:
    """Text of any number of lines, without secrets; `UsageError` for none."""
    whole = jsonline.clean(given).strip("\r\n")
    if not whole.strip():
        raise UsageError(f"{name}: is empty", hint="write what there is to say")
    return _masked(frame, name, whole)


def _masked(frame: Frame, name: str, text: str) -> str:
    masked = secrets.mask(text)
    if masked.kinds:
        kinds = ", ".join(masked.kinds)
        frame.say(f"{name}: recorded without the secret in it ({kinds})")
    return masked.text


def evidence(frame: Frame, name: str, text: str) -> str:
    """`line`, for a text that a derivation quotes: says when it will yield no record."""
    text = line(frame, name, text)
    marker = safe_text.transcript_marker(text)
    if marker:
        frame.say(
            f"{name}: begins like a transcript ({marker!r}): recorded, but no candidate"
            " will be derived from it"
        )
    return text


def optional(frame: Frame, name: str, text: str | None) -> str | None:
    """`evidence` of an option that may be left out."""
    return None if text is None else evidence(frame, name, text)


def author(frame: Frame, given: str | None) -> str:
    """Whose act it is: `--author`, else git's user.name, else the agent whose shell it is."""
    if given is not None:
        return line(frame, "--author", given)
    try:
        found = program.run(frame.store.place, "config", "user.name", ok=(0, 1))
    except GitError:
        found = b""
    name = safe_text.one_line(found.decode("utf-8", "replace"))
    return _masked(frame, "user.name", name) if name else frame.host.name


def inside(frame: Frame, store: Store, name: str, given: str) -> str:
    """A path from the repository's top, whatever directory it was typed in."""
    path = line(frame, name, given)
    root = os.path.realpath(store.root)
    here = os.path.realpath(frame.start)
    full = os.path.normpath(os.path.join(here, path))
    if not os.path.lexists(full) and os.path.lexists(os.path.join(root, path)):
        full = os.path.normpath(os.path.join(root, path))
    found = os.path.relpath(full, root).replace(os.sep, "/")
    if found.startswith("../") or found == ".." or os.path.isabs(found):
        raise UsageError(
            f"{name} {given}: leads out of the repository",
            hint=f"name a path below {store.root}",
        )
    return found
