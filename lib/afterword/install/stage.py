"""The scratch repository of the demo: runs programs in it, and prints them as a person types them.

A step that fails names the repository, which stays. Used by the demo alone.
"""

from __future__ import annotations

import json
import subprocess
import textwrap
from dataclasses import dataclass

from afterword.errors import AfterwordError

COMMAND = ".ai/bin/afterword"
_HOOK = ".claude/hooks/afterword-"
_WIDTH = 96


class DemoFailed(AfterwordError):
    """A step did not do what the demo promises; the message names the repository."""

    code = "demo"


@dataclass(frozen=True)
class Stage:
    """The scratch repository and the variables of everything that runs in it."""

    root: str
    variables: dict[str, str]

    def run(self, words: list[str], stdin: str = "") -> str:
        """Run a program without a word; its stdout. `DemoFailed` when it fails."""
        return self._done(words, stdin).stdout

    def _done(self, words: list[str], stdin: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            words,
            cwd=self.root,
            env=self.variables,
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip()
            problem = f"{' '.join(words)}: exit {done.returncode}\n{said}"
            raise DemoFailed(problem, hint=self.hint)
        return done

    @property
    def hint(self) -> str:
        return f"the repository of the demo is {self.root}"

    def show(self, words: list[str], stdin: str = "") -> str:
        """Run a program as a person would type it, and print what it answers."""
        typed = " ".join(_quoted(word) for word in words)
        print(f"    $ {f'echo {_quoted(stdin)} | ' if stdin else ''}{typed}")
        done = self._done(words, stdin)
        indent(_briefing(done.stdout) or done.stdout)
        indent(done.stderr)
        return done.stdout

    def event(self, event: str, **payload: str) -> str:
        """One event of the agent, through the hook script that its settings name."""
        values = {"session_id": "demo-1", **payload}
        return self.show([f"{_HOOK}{event}"], json.dumps(values))

    def expect(self, holds: bool, what: str) -> None:
        """Stop when something that the demo promises does not hold."""
        if not holds:
            raise DemoFailed(f"{what}: it did not happen", hint=self.hint)


def title(text: str) -> None:
    print(f"\n{text}", flush=True)


def _quoted(word: str) -> str:
    """A word as it is typed: quotes only where the shell needs them."""
    plain = word.replace("/", "").replace("-", "").replace(".", "").replace("_", "")
    if plain.isalnum():
        return word
    return "'" + word.replace("'", "'\\''") + "'"


def _briefing(out: str) -> str:
    """The text that a start gives to the agent; "" when this is no reply of a hook."""
    try:
        return str(json.loads(out)["hookSpecificOutput"]["additionalContext"])
    except (ValueError, KeyError, TypeError):
        return ""


def indent(text: str) -> None:
    for line in text.rstrip("\n").split("\n") if text.strip() else []:
        for piece in textwrap.wrap(line, _WIDTH, subsequent_indent="  ") or [""]:
            print(f"      {piece}")
