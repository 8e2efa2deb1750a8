"""The place where an agent runs: HOME, project, witness, scripted model, namespace.

A ``Lab`` belongs to one test. A ``Run`` is one process of an agent in it. What is
particular to an agent stands in agents.py, which imports this module.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .netns import Namespace

HERE = Path(__file__).parent
INSTALLER = HERE.parents[1] / "install.py"
Json = dict[str, Any]

RUN_SECONDS = 120  # a session takes about two; a busy machine many more
# Where git is, and where a plain system has the rest.
FOLDERS = (
    os.path.dirname(shutil.which("git") or ""),
    "/usr/local/bin",
    "/usr/bin",
    "/bin",
)
CLEAN = {
    "PATH": ":".join(dict.fromkeys(folder for folder in FOLDERS if folder)),
    "LANG": "C.UTF-8",
    "TERM": "dumb",
}


def shell(command: str, **more: object) -> Json:
    """A step in which the model calls the shell tool (``delay``, ``tokens``)."""
    return {"shell": command, **more}


def say(text: str, **more: object) -> Json:
    """A step in which the model answers with text (``delay``, ``tokens``)."""
    return {"text": text, **more}


def read_lines(path: Path) -> list[Json]:
    """The objects of a JSON-lines file; none when there is no file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def results_in(item: Json) -> Iterator[str]:
    """The shell tool's outputs in one item of a conversation of either protocol."""
    if item.get("type") == "function_call_output":
        yield text_of(item["output"])
    content = item.get("content")
    for part in content if isinstance(content, list) else []:
        if part.get("type") == "tool_result":
            yield text_of(part["content"])


def text_of(value: object) -> str:
    """Every text in a JSON value, joined by newlines."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        return "\n".join(text_of(one) for one in value)
    return ""


class Lab:
    """One HOME, one git project, one scripted model in one network namespace."""

    def __init__(self, root: Path) -> None:
        """Make the folders below ``root`` and start the scripted model."""
        self.home, self.project = root / "home", root / "project"
        self.stub, self.witness = root / "stub", root / "witness"
        for folder in (self.home, self.project, self.stub, self.witness):
            folder.mkdir(parents=True)
        # Agents make sockets here, whose paths may not be longer than 107 bytes.
        self.temporary = tempfile.mkdtemp(prefix="lab-")
        self.environment = {
            **CLEAN, "HOME": str(self.home), "TMPDIR": self.temporary
        }  # fmt: skip
        self.runs: list[Run] = []
        self._init_project()
        model = [sys.executable, "-I", str(HERE / "stub_model.py"), str(self.stub)]
        self.namespace = Namespace(model, root / "namespace.log")
        self.port = int(self.namespace.wait_for(self.stub / "port"))

    def _init_project(self) -> None:
        """A repository with one commit and an identity of its own."""
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Test")
        self.git("config", "user.email", "test@example.invalid")
        (self.project / "README.md").write_text("# a project\n")
        self.git("add", "README.md")
        self.git("commit", "-q", "-m", "First commit")

    def git(self, *words: str) -> str:
        """Run git in the project and return what it printed."""
        return self.command("git", *words)

    def command(self, *words: str, check: bool = True) -> str:
        """Run a command in the project, outside the namespace; return its stdout."""
        ran = subprocess.run(
            words, cwd=self.project, env=self.environment, capture_output=True,
            text=True, timeout=RUN_SECONDS, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert not check or ran.returncode == 0, f"{words}: {ran.stdout}{ran.stderr}"
        return ran.stdout

    def wire(self, hosts: str) -> None:
        """Install afterword into the project for these hosts and commit the wiring.

        The environment is the one in which the tests run.
        """
        self.wire_again(hosts)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Wire afterword")

    def wire_again(self, hosts: str) -> None:
        """Run the installer as it is, committing nothing."""
        words = (str(INSTALLER), str(self.project), "--host", hosts)
        self.command(sys.executable, *words, "--env", sys.prefix)

    def unwire(self) -> None:
        """Take the wiring out again."""
        words = (str(INSTALLER), str(self.project), "--uninstall")
        self.command(sys.executable, *words)

    def url_of(self, run: str) -> str:
        """The address under which the scripted model plays this run's script."""
        return f"http://127.0.0.1:{self.port}/{run}"

    def witness_command(self, event: str) -> str:
        """The shell command of the recorder hook for one event."""
        recorder = HERE / "recorder.py"
        return f"'{sys.executable}' -I '{recorder}' '{self.witness}' {event}"

    def close(self) -> None:
        """End everything that is still running."""
        for run in self.runs:
            run.kill()
        self.namespace.close()
        shutil.rmtree(self.temporary, ignore_errors=True)


@dataclass(frozen=True)
class Launch:
    """How a run is started: its name, its command, its part of the environment, its script."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    steps: tuple[Json, ...]
    cwd: Path | None = None


class Run:
    """One process of an agent: its script, what it asked, what its hooks were told."""

    def __init__(self, lab: Lab, launch: Launch) -> None:
        """Write the script and start the command inside the lab's namespace."""
        self.lab, self.name = lab, launch.name
        script = {"steps": launch.steps}
        (lab.stub / f"{self.name}.script.json").write_text(json.dumps(script))
        self.stdout_path = lab.stub / f"{self.name}.stdout"
        self.stderr_path = lab.stub / f"{self.name}.stderr"
        self.started = time.monotonic()
        self.seconds = 0.0
        with open(self.stdout_path, "wb") as out, open(self.stderr_path, "wb") as err:
            self.process = subprocess.Popen(
                [*lab.namespace.join(), *launch.command],
                cwd=launch.cwd or lab.project,
                env={**lab.environment, **launch.environment, "AGENT_RUN": self.name},
                stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                start_new_session=True,
            )  # fmt: skip
        lab.runs.append(self)

    def wait(self, expect: int | None = 0) -> Run:
        """Wait for the agent's own end; ``expect`` is its exit code (None: any)."""
        code = self.process.wait(timeout=RUN_SECONDS)
        self.seconds = time.monotonic() - self.started
        assert expect is None or code == expect, f"exit {code}\n{self.talk()}"
        return self

    def kill(self) -> None:
        """SIGKILL the agent and what it started, as a crash or the OOM killer does."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def talk(self) -> str:
        """All that the agent printed."""
        return self.stdout_path.read_text() + self.stderr_path.read_text()

    def requests(self) -> list[Json]:
        """The logged requests to the model: time, path, body, reply."""
        return read_lines(self.lab.stub / f"{self.name}.requests.jsonl")

    def wait_for_requests(self, count: int) -> None:
        """Wait until the model was asked ``count`` times."""
        end = time.monotonic() + RUN_SECONDS
        while len(self.requests()) < count:
            assert time.monotonic() < end, f"no request {count}\n{self.talk()}"
            assert self.process.poll() is None, f"ended early\n{self.talk()}"
            time.sleep(0.02)

    def calls(self) -> list[Json]:
        """What the witness hook recorded: event, payload, time, env."""
        return read_lines(self.lab.witness / f"{self.name}.jsonl")

    def events(self) -> list[str]:
        """The events of this run in order, compaction and start with their source."""
        named = []
        for call in self.calls():
            payload = call["payload"]
            detail = payload.get("source") or payload.get("trigger")
            named.append(call["event"] + (f"({detail})" if detail else ""))
        return named

    def tool_results(self) -> list[str]:
        """What the shell tool gave back to the model, in order."""
        asked = [request["body"] for request in self.requests()]
        history = asked[-1].get("messages") or asked[-1].get("input") or []
        return [text for item in history for text in results_in(item)]

    def contexts(self) -> list[str]:
        """The body of each request that offers tools, as text without escapes."""
        bodies = [request["body"] for request in self.requests()]
        return [text_of(body) for body in bodies if body.get("tools")]

    @property
    def session_id(self) -> str:
        """The session id that the agent gave to its hooks."""
        ids = {call["payload"].get("session_id") for call in self.calls()}
        assert len(ids) == 1, f"session ids {ids}\n{self.talk()}"
        return str(ids.pop())
