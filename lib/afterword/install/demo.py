"""`install.py --demo`: whole episodes in a scratch repository, through the real hooks.

Plays the agent (its hook events and its commands) and the person who reviews, prints
each command with what it answered, and checks what has to come of it. The scratch
repository stays, so that it can be looked at.
"""

from __future__ import annotations

import json
import os
import tempfile

from afterword import host as hosts
from afterword.install import demo_snapshot, project
from afterword.install.environment import Environment
from afterword.install.project import Wish
from afterword.install.stage import COMMAND, Stage, indent, title

_DECISION = "Tabs are refused in the parser"
_LESSON = "The tokenizer must see the raw line"
_NOTICED = "A tab at the end of a line is lost before the parser sees it"
_LOOK_BACK = "The test came last; it would have shown the tab."
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


def run(env: Environment) -> int:
    """Play the episode; 0, or `DemoFailed` naming the step."""
    stage = _stage(env)
    _start(stage)
    _work(stage)
    _compact(stage)
    _end(stage)
    _review(stage)
    demo_snapshot.compile_(stage, _DECISION)
    _next(stage)
    demo_snapshot.contradict(stage)
    demo_snapshot.decide(stage)
    demo_snapshot.last(stage)
    _closing(stage)
    return 0


def _stage(env: Environment) -> Stage:
    """A fresh repository with one commit, wired for Claude Code."""
    root = os.path.realpath(tempfile.mkdtemp(prefix="afterword-demo-"))
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN)}
    stage = Stage(root, {**kept, **_PERSON})
    title("A scratch repository, wired as this does it: python3 install.py " + root)
    stage.run(["git", "init", "-q"])
    stage.run(["git", "symbolic-ref", "HEAD", "refs/heads/main"])
    stage.run(["git", "config", "user.name", _PERSON["GIT_AUTHOR_NAME"]])
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
    indent("\n".join(project.carry_out(wiring)))
    stage.run(["git", "add", "-A"])
    stage.run(
        ["git", "commit", "-q", "-m", "A parser, and a memory for its repository"]
    )
    return stage


def _start(stage: Stage) -> None:
    title(
        "The agent starts a session: its hook prints the briefing, here about an empty memory"
    )
    out = stage.event("session-start", hook_event_name="SessionStart", source="startup")
    stage.expect("additionalContext" in out, "a briefing")


def _work(stage: Stage) -> None:
    title("The agent works, and records what it decides and learns, when it does")
    stage.show([COMMAND, "start", "Reject tabs in the parser", "--scope", "lib"])
    stage.show(
        [COMMAND, "decision", "add", _DECISION, "--why", "two encodings of one thing"]
    )
    stage.show([COMMAND, "question", "add", "May a tab stand in a comment?"])
    stage.show(
        [
            COMMAND,
            "question",
            "resolve",
            "1",
            "--answer",
            "Yes, comments are not parsed",
        ]
    )
    title("What it noticed and cannot work out now goes into the learning queue")
    stage.show([COMMAND, "learn", _NOTICED, "--source", "debugging"])
    demo_snapshot.add(stage)
    title("It commits; a trailer of the message is evidence too")
    _write(
        stage,
        "lib/parser.py",
        "def parse(line):\n    if '\\t' in line:\n        raise ValueError(line)\n"
        "    return line.split()\n",
    )
    stage.run(["git", "add", "lib"])
    stage.show(["git", "commit", "-q", "-m", "Refuse tabs", "-m", f"Lesson: {_LESSON}"])


def _compact(stage: Stage) -> None:
    title(
        "The conversation is compacted: what was recorded becomes candidates, before it is lost"
    )
    stage.event("pre-compact", hook_event_name="PreCompact", trigger="auto")
    stage.show(["ls", ".ai/repo/knowledge/candidates"])
    stage.show(
        [COMMAND, "finish", "--outcome", "completed", "--verify", "git diff --quiet"]
    )


def _end(stage: Stage) -> None:
    title(
        "It looks back; the session ends: the rest is derived, the queue is worked on"
    )
    stage.show([COMMAND, "reflect", "add", "--title", "Tabs"], _LOOK_BACK)
    stage.event("stop", hook_event_name="Stop")
    stage.event("session-end", hook_event_name="SessionEnd", reason="prompt_input_exit")
    out = stage.show([COMMAND, "knowledge", "candidates"])
    stage.expect(
        _DECISION in out and _LESSON in out,
        "candidates from the decision and the commit",
    )
    out = stage.show([COMMAND, "knowledge"])
    stage.expect(_NOTICED in out, "an entry of the knowledge base from the queue")
    stage.show([COMMAND, "history", "--event", "session.closed"])


def _review(stage: Stage) -> None:
    title(
        "A person reviews: promotes what deserves it, with the evidence, and rejects what does not"
    )
    found = _candidates(stage)
    stage.show(
        [COMMAND, "knowledge", "promote", found[_DECISION]],
        "The parser's tests, and RFC 12",
    )
    stage.show(
        [
            COMMAND,
            "knowledge",
            "reject",
            found[_LESSON],
            "--reason",
            "said in the code",
        ]
    )
    stage.show([COMMAND, "knowledge", "check"])
    stage.show(["cat", f".ai/repo/knowledge/curated/{found[_DECISION]}.md"])
    stage.run(["git", "add", "-A"])
    stage.run(["git", "commit", "-q", "-m", "Review what the first session learned"])


def _candidates(stage: Stage) -> dict[str, str]:
    """The ids of the candidates by their titles."""
    lines = stage.run([COMMAND, "knowledge", "candidates", "--json"]).splitlines()
    return {item["title"]: item["id"] for item in map(json.loads, lines)}


def _next(stage: Stage) -> None:
    title("The next session is briefed from it")
    out = stage.event(
        "session-start",
        session_id="demo-2",
        hook_event_name="SessionStart",
        source="startup",
    )
    stage.expect(_DECISION in out, "a briefing with the promoted decision")
    stage.expect(demo_snapshot.SNAPSHOT in out, "a briefing that names the snapshot")


def _closing(stage: Stage) -> None:
    print()
    print(f"All of it lies in {stage.root}, as plain text:")
    print("  .ai/repo/knowledge/   candidates and curated records, to commit and share")
    print("  .ai/repo/sessions/    what each session did, to commit and share")
    print(
        "  .ai/repo/evolution/   queue, reflections, knowledge base, to commit and share"
    )
    print("  .ai/repo/snapshot.md  what holds, compiled, to commit and share")
    print("  .ai/repo/increments/  what it is compiled from, to commit and share")
    print("  .ai/local/ledger/     what was recorded, on this machine only")
    print(f"Look around: cd {stage.root} && {COMMAND} --help")
    print(f"The folder stays until you delete it: rm -rf {stage.root}")
    print("Wire your own project: python3 install.py PROJECT")


def _write(stage: Stage, name: str, text: str) -> None:
    path = os.path.join(stage.root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
