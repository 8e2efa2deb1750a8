"""`install.py --demo`: one whole episode in a scratch repository, through the real hooks.

Plays the agent (its hook events and its commands) and the person who reviews, prints
each command with what it answered, and checks what has to come of it. The scratch
repository stays, so that it can be looked at.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import textwrap
from dataclasses import dataclass

from afterword import host as hosts
from afterword.errors import AfterwordError
from afterword.install import project
from afterword.install.environment import Environment
from afterword.install.project import Wish

_COMMAND = ".ai/bin/afterword"
_HOOK = ".claude/hooks/afterword-"
_DECISION = "Tabs are refused in the parser"
_LESSON = "The tokenizer must see the raw line"
_WIDTH = 96
# Who runs this must not be taken for the agent or for the repository of the demo.
_FOREIGN = (
    "AFTERWORD_",
    "GIT_",
    *(v for h in hosts.every() for v in h.agent_variables),
)
_PERSON = {
    "GIT_AUTHOR_NAME": "A Person",
    "GIT_AUTHOR_EMAIL": "person@example.org",
    "GIT_COMMITTER_NAME": "A Person",
    "GIT_COMMITTER_EMAIL": "person@example.org",
    # Signing, templates and hooks of whoever runs the demo are none of its business.
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "NO_COLOR": "1",
}


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
        _indent(_briefing(done.stdout) or done.stdout)
        _indent(done.stderr)
        return done.stdout

    def expect(self, holds: bool, what: str) -> None:
        """Stop when something that the demo promises does not hold."""
        if not holds:
            raise DemoFailed(f"{what}: it did not happen", hint=self.hint)


def run(env: Environment) -> int:
    """Play the episode; 0, or `DemoFailed` naming the step."""
    stage = _stage(env)
    _start(stage)
    _work(stage)
    _compact(stage)
    _end(stage)
    _review(stage)
    _next(stage)
    _closing(stage)
    return 0


def _stage(env: Environment) -> Stage:
    """A fresh repository with one commit, wired for Claude Code."""
    root = os.path.realpath(tempfile.mkdtemp(prefix="afterword-demo-"))
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN)}
    stage = Stage(root, {**kept, **_PERSON})
    _title("A scratch repository, wired as this does it: python3 install.py " + root)
    stage.run(["git", "init", "-q"])
    stage.run(["git", "symbolic-ref", "HEAD", "refs/heads/main"])
    _write(stage, "lib/parser.py", "def parse(line):\n    return line.split()\n")
    wiring = project.prepare(
        Wish(
            project=root,
            home=env.tool,
            command=env.command,
            hosts="claude-code",
            adopt=False,
        ),
        lambda _: False,
    )
    _indent("\n".join(project.carry_out(wiring)))
    stage.run(["git", "add", "-A"])
    stage.run(
        ["git", "commit", "-q", "-m", "A parser, and a memory for its repository"]
    )
    return stage


def _event(stage: Stage, event: str, **payload: str) -> str:
    """One event of the agent, through the hook script that its settings name."""
    values = {"session_id": "demo-1", **payload}
    return stage.show([f"{_HOOK}{event}"], json.dumps(values))


def _start(stage: Stage) -> None:
    _title(
        "The agent starts a session: its hook prints the briefing, here about an empty memory"
    )
    out = _event(
        stage, "session-start", hook_event_name="SessionStart", source="startup"
    )
    stage.expect("additionalContext" in out, "a briefing")


def _work(stage: Stage) -> None:
    _title("The agent works, and records what it decides and learns, when it does")
    stage.show([_COMMAND, "start", "Reject tabs in the parser", "--scope", "lib"])
    stage.show(
        [_COMMAND, "decision", "add", _DECISION, "--why", "two encodings of one thing"]
    )
    stage.show([_COMMAND, "question", "add", "May a tab stand in a comment?"])
    stage.show(
        [
            _COMMAND,
            "question",
            "resolve",
            "1",
            "--answer",
            "Yes, comments are not parsed",
        ]
    )
    _title("It commits; a trailer of the message is evidence too")
    _write(
        stage,
        "lib/parser.py",
        "def parse(line):\n    if '\\t' in line:\n        raise ValueError(line)\n"
        "    return line.split()\n",
    )
    stage.run(["git", "add", "lib"])
    stage.show(["git", "commit", "-q", "-m", "Refuse tabs", "-m", f"Lesson: {_LESSON}"])


def _compact(stage: Stage) -> None:
    _title(
        "The conversation is compacted: what was recorded becomes candidates, before it is lost"
    )
    _event(stage, "pre-compact", hook_event_name="PreCompact", trigger="auto")
    stage.show(["ls", ".ai/repo/knowledge/candidates"])
    stage.show(
        [_COMMAND, "finish", "--outcome", "completed", "--verify", "git diff --quiet"]
    )


def _end(stage: Stage) -> None:
    _title("The session ends: the episode is closed, the rest is derived")
    _event(stage, "stop", hook_event_name="Stop")
    _event(
        stage, "session-end", hook_event_name="SessionEnd", reason="prompt_input_exit"
    )
    out = stage.show([_COMMAND, "knowledge", "candidates"])
    stage.expect(
        _DECISION in out and _LESSON in out,
        "candidates from the decision and the commit",
    )
    stage.show([_COMMAND, "history", "--event", "session.closed"])


def _review(stage: Stage) -> None:
    _title(
        "A person reviews: promotes what deserves it, with the evidence, and rejects what does not"
    )
    found = _candidates(stage)
    stage.show(
        [_COMMAND, "knowledge", "promote", found[_DECISION]],
        "The parser's tests, and RFC 12",
    )
    stage.show(
        [
            _COMMAND,
            "knowledge",
            "reject",
            found[_LESSON],
            "--reason",
            "said in the code",
        ]
    )
    stage.show([_COMMAND, "knowledge", "check"])
    stage.show(["cat", f".ai/repo/knowledge/curated/{found[_DECISION]}.md"])
    stage.run(["git", "add", "-A"])
    stage.run(["git", "commit", "-q", "-m", "Review what the first session learned"])


def _candidates(stage: Stage) -> dict[str, str]:
    """The ids of the candidates by their titles."""
    lines = stage.run([_COMMAND, "knowledge", "candidates", "--json"]).splitlines()
    return {item["title"]: item["id"] for item in map(json.loads, lines)}


def _next(stage: Stage) -> None:
    _title("The next session is briefed from it")
    out = _event(
        stage,
        "session-start",
        session_id="demo-2",
        hook_event_name="SessionStart",
        source="startup",
    )
    stage.expect(_DECISION in out, "a briefing with the promoted decision")


def _closing(stage: Stage) -> None:
    print()
    print(f"All of it lies in {stage.root}, as plain text:")
    print("  .ai/repo/knowledge/   candidates and curated records, to commit and share")
    print("  .ai/repo/sessions/    what each session did, to commit and share")
    print("  .ai/local/ledger/     what was recorded, on this machine only")
    print(f"Look around: cd {stage.root} && {_COMMAND} --help")
    print(f"The folder stays until you delete it: rm -rf {stage.root}")
    print("Wire your own project: python3 install.py PROJECT")


def _write(stage: Stage, name: str, text: str) -> None:
    path = os.path.join(stage.root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _title(text: str) -> None:
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


def _indent(text: str) -> None:
    for line in text.rstrip("\n").split("\n") if text.strip() else []:
        for piece in textwrap.wrap(line, _WIDTH, subsequent_indent="  ") or [""]:
            print(f"      {piece}")
