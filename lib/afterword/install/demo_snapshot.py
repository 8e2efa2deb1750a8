"""The part of the demo about increments, the snapshot that they make, and a conflict in it.

Used by `demo` alone.
"""

from __future__ import annotations

import json

from afterword.install.stage import COMMAND, Stage, indent, title

SNAPSHOT = ".ai/repo/snapshot.md"
_LIMIT, _KEY = "The parser takes lines of up to 1000 bytes", "parser.longest_line"
_BECAUSE = "- reason: measured with the feeds of last month"
_FLOW = "Parsing: reader -> tokenizer -> parser"


def add(stage: Stage) -> None:
    """What the agent of the first session writes down."""
    title(
        "What the project is changes through increments; an exact key makes them comparable"
    )
    _constraint(stage, _LIMIT, "1000 bytes", "Ines")
    words = ["--type", "architecture", "--part", "flow", "--title", _FLOW]
    words += ["--file", "lib/parser.py", "--author", "Ines", "--confidence", "high"]
    stage.show([COMMAND, "increment", "add", *words])


def _constraint(stage: Stage, name: str, value: str, author: str) -> None:
    """A constraint with a key, as an agent that was told so writes it down."""
    words = ["increment", "add", "--type", "constraint", "--title", name]
    words += ["--key", _KEY, "--value", value, "--file", "lib/parser.py"]
    words += ["--author", author, "--confidence", "high"]
    stage.show([COMMAND, *words], _BECAUSE)


def compile_(stage: Stage, promoted: str) -> None:
    """The first compile; `promoted` is the title of the record that has to be in it."""
    title("What waits is compiled into the snapshot, promoted records too")
    stage.show([COMMAND, "increment", "list"])
    out = stage.show([COMMAND, "compile"])
    stage.expect("Snapshot compiled:" in out, "a report of the compile")
    out = stage.show(["grep", "-v", "^<!--", SNAPSHOT])
    stage.expect(
        _LIMIT in out and promoted in out, "increment and record in a snapshot"
    )
    stage.run(["git", "commit", "-q", "-m", "Compile the snapshot"])


def contradict(stage: Stage) -> None:
    """The second session says otherwise under the same key, and ends."""
    title(
        "It learns something else about the limit: both stay, and the conflict is shown"
    )
    _constraint(stage, "Lines of a feed have up to 4 kB", "4 kB", "Tomas")
    out = stage.show([COMMAND, "compile"])
    stage.expect("1 pending_resolution" in out, "a conflict in the report")
    out = stage.run(["cat", SNAPSHOT])
    indent(_block(out))
    stage.expect("- 状态: pending_resolution" in out, "a conflict in the snapshot")
    stage.event(
        "session-end",
        session_id="demo-2",
        hook_event_name="SessionEnd",
        reason="prompt_input_exit",
    )


def _block(snapshot: str) -> str:
    """The conflict as the snapshot shows it, without the line of its data."""
    text = snapshot.partition("\n### [CONFLICT]")[2].partition("<!--")[0]
    return f"### [CONFLICT]{text}"


def decide(stage: Stage) -> None:
    """A person looks at both sides and keeps one."""
    title("A person decides, with a reason; nothing else ends a conflict")
    stage.show([COMMAND, "conflict", "list"])
    listed = stage.run([COMMAND, "conflict", "list", "--json"]).splitlines()
    conflict = json.loads(listed[0])["id"]
    why = "the new feed needs it, and the parser copes"
    stage.show(
        [COMMAND, "conflict", "resolve", conflict, "--keep", "new", "--why", why]
    )
    out = stage.run(["cat", SNAPSHOT])
    indent(_block(out))
    stage.expect("pending_resolution" not in out, "no conflict that is still open")
    stage.run(["git", "add", "-A"])
    stage.run(["git", "commit", "-q", "-m", "Settle how long a line may be"])


def last(stage: Stage) -> None:
    """The third session is briefed."""
    title("And the session after that starts from the picture as it is now")
    out = stage.event(
        "session-start",
        session_id="demo-3",
        hook_event_name="SessionStart",
        source="startup",
    )
    stage.expect(SNAPSHOT in out, "a briefing that names the snapshot")
