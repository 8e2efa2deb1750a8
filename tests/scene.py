"""A real repository with a memory, and the real hooks run in it as processes.

Every `Scene.hook` checks what holds whatever happens (HAZARDS, "Everywhere"): exit 0,
stdout empty or one JSON document that every host accepts, no traceback, ledgers that
parse line by line, an untouched index, and no change outside our own folder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from afterword.episode import events, ledger
from afterword.store import layout
from afterword.store.git.head import read_head

TOOL = Path(__file__).resolve().parent.parent
HOOKS = TOOL / "hooks"
EVENTS = ("session-start", "stop", "pre-compact", "session-end")
NAMES = {
    "session-start": "SessionStart",
    "stop": "Stop",
    "pre-compact": "PreCompact",
    "session-end": "SessionEnd",
}
GIT_ENV = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A Person",
    "GIT_AUTHOR_EMAIL": "person@example.org",
    "GIT_COMMITTER_NAME": "A Person",
    "GIT_COMMITTER_EMAIL": "person@example.org",
}


@dataclass(frozen=True)
class Ran:
    """What a hook process left behind."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def said(self) -> list[str]:
        return self.err.splitlines()

    @property
    def briefing(self) -> str:
        return json.loads(self.out)["hookSpecificOutput"]["additionalContext"]


def clean_env(home: Path) -> dict[str, str]:
    """An environment of its own: no variable of an agent that runs these tests."""
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def command(event: str, root: Path | None, host: str = "claude-code") -> list[str]:
    """How a shim calls a hook: the tool's own interpreter, isolated, without site."""
    call = [
        sys.executable,
        "-I",
        "-S",
        "-X",
        "utf8",
        str(HOOKS / event),
        "--host",
        host,
    ]
    return [*call, "--root", str(root)] if root is not None else call


def stated(event: str, session: str | None, **values: object) -> dict[str, object]:
    """A payload of the shape that Claude Code and Codex send; placeholders only."""
    payload: dict[str, object] = {
        "transcript_path": "/nowhere/rollout.jsonl",
        "hook_event_name": NAMES[event],
    }
    if session is not None:
        payload["session_id"] = session
    return {**payload, **values}


class Scene:
    """One repository under test."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.env = clean_env(home)
        self.host = "claude-code"

    # git ---------------------------------------------------------------------------

    def git(self, *words: str, cwd: Path | None = None, check: bool = True) -> str:
        done = subprocess.run(
            ["git", *words],
            cwd=cwd or self.root,
            env={**self.env, **GIT_ENV},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout

    def commit(self, message: str, **files: str) -> str:
        """Write files, all staged, and commit."""
        for name, text in files.items():
            self.write(name, text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    # hooks -------------------------------------------------------------------------

    def hook(
        self,
        event: str,
        payload: object = None,
        *,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
        host: str | None = None,
        call: Sequence[str] | None = None,
        before: Callable[[], None] | None = None,
        strict: bool = True,
        timeout: float = 20,
    ) -> Ran:
        """Run one hook to its end. `payload`: bytes as they are, else made JSON.

        `strict` checks the ledgers and the tree afterwards as well.
        """
        data = payload if isinstance(payload, bytes) else as_json(payload)
        index = self._index()
        began = time.monotonic()
        done = subprocess.run(
            call or command(event, self.root, host or self.host),
            input=data,
            env=self.env if env is None else env,
            cwd=cwd or self.root,
            capture_output=True,
            preexec_fn=before,
            timeout=timeout,
            check=False,
        )
        ran = Ran(
            done.returncode,
            done.stdout.decode(),
            done.stderr.decode(),
            time.monotonic() - began,
        )
        check_reply(event, ran)
        assert self._index() == index, "the index was touched"
        if strict:
            self.check_ledgers()
            self.check_tree()
        return ran

    def start(self, session: str, source: str = "startup", **more: Any) -> Ran:
        return self.hook(
            "session-start", stated("session-start", session, source=source), **more
        )

    def stop(self, session: str, **more: Any) -> Ran:
        return self.hook(
            "stop", stated("stop", session, stop_hook_active=False), **more
        )

    def compact(self, session: str, **more: Any) -> Ran:
        return self.hook(
            "pre-compact", stated("pre-compact", session, trigger="auto"), **more
        )

    def end(self, session: str, reason: str = "other", **more: Any) -> Ran:
        return self.hook(
            "session-end", stated("session-end", session, reason=reason), **more
        )

    # the store ---------------------------------------------------------------------

    @property
    def store(self) -> layout.Store:
        found = layout.find(str(self.root))
        assert found is not None
        return found

    @property
    def local(self) -> Path:
        return self.root / ".ai" / "local"

    def ledger(self, episode: str) -> Path:
        return self.local / "ledger" / f"{episode}.jsonl"

    def lines(self, episode: str) -> list[dict[str, Any]]:
        path = self.ledger(episode)
        if not path.is_file():
            return []
        return [json.loads(line) for line in path.read_bytes().splitlines() if line]

    def of(self, episode: str, event: str) -> list[dict[str, Any]]:
        return [line for line in self.lines(episode) if line["event"] == event]

    def names(self, episode: str) -> list[str]:
        return [line["event"] for line in self.lines(episode)]

    def is_open(self, episode: str) -> bool:
        return (self.local / "open" / f"{episode}.json").exists()

    def log(self, episode: str, event: events.Event) -> None:
        """What a command records, through the same door."""
        with moved_clock(self.env.get("AFTERWORD_NOW")):
            ledger.append(self.store, episode, event, read_head(self.store.place))

    def decide(self, episode: str, text: str, why: str = "it was measured") -> None:
        self.log(episode, events.DecisionRecorded(decision=text, why=why))

    @property
    def candidates(self) -> dict[str, str]:
        folder = self.root / ".ai/repo/knowledge/candidates"
        return (
            {
                path.stem: path.read_text()
                for path in sorted(folder.iterdir())
                if path.name != "README.md" and not path.name.startswith(".")
            }
            if folder.is_dir()
            else {}
        )

    @property
    def records(self) -> dict[str, str]:
        folder = self.root / ".ai/repo/sessions"
        return {path.stem: path.read_text() for path in folder.glob("*/*.md")}

    # what always holds -------------------------------------------------------------

    def _index(self) -> bytes:
        index = self.root / ".git" / "index"
        return index.read_bytes() if index.is_file() else b""

    def check_ledgers(self) -> None:
        folder = self.local / "ledger"
        for path in folder.glob("*.jsonl") if folder.is_dir() else ():
            for raw in path.read_bytes().splitlines():
                line = json.loads(raw.decode())
                assert isinstance(line["ts"], str), path
                assert isinstance(line["event"], str), path

    def check_tree(self) -> None:
        for line in self.git("status", "--porcelain=v1", "-uall").splitlines():
            assert line[3:].strip('"').startswith(".ai/"), line

    def no_litter(self) -> None:
        """No temp file of ours anywhere below `.ai`."""
        left = [p for p in (self.root / ".ai").rglob("*") if p.name.endswith(".tmp")]
        assert left == []


@contextmanager
def moved_clock(stamp: str | None) -> Iterator[None]:
    """The clock of the scene for a line that this process writes."""
    if stamp is not None:
        os.environ["AFTERWORD_NOW"] = stamp
    try:
        yield
    finally:
        os.environ.pop("AFTERWORD_NOW", None)


def as_json(payload: object) -> bytes:
    return b"" if payload is None else json.dumps(payload).encode()


def check_reply(event: str, ran: Ran) -> None:
    """What a host must be able to live with, whatever went wrong."""
    assert ran.code == 0, ran
    assert "Traceback" not in ran.err, ran.err
    if not ran.out:
        return
    body = json.loads(ran.out)
    assert set(body) <= {"hookSpecificOutput", "systemMessage"}, body
    inner = body.get("hookSpecificOutput")
    if inner is not None:
        assert event == "session-start", ran.out
        assert set(inner) == {"hookEventName", "additionalContext"}
        assert inner["hookEventName"] == "SessionStart"
        assert len(inner["additionalContext"]) <= 9500
        assert len(inner["additionalContext"].splitlines()) <= 60


def make_scene(folder: Path, *, commit: bool = True) -> Scene:
    """A repository on branch `main`, with `.ai/` as `init` leaves it."""
    root, home = folder / "project", folder / "home"
    root.mkdir()
    home.mkdir()
    scene = Scene(root, home)
    scene.git("init", "-q", "-b", "main")
    scene.write(".ai/.gitignore", "local/\n")
    if commit:
        scene.write("README.md", "# A project\n")
        scene.commit("First")
    return scene
