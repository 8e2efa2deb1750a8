"""Runs acts on the evolution files that die, or halt, before the n-th change of a file.

One server process loads the program once and forks for each act, so that every step of
one can be tried in a second or two. Started by `Stepper`, spoken to in JSON lines.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

CHANGES = "open write replace rename unlink fsync makedirs ftruncate fchmod".split()
KILL, HALF, STOP = "kill", "half", "stop"
STAMP, TODAY = "2026-11-30T12:34:56Z", "2026-11-30"


class Ended:
    """How an act ended: `code` is -9 when it was killed; else what it returned or raised."""

    def __init__(self, said: dict[str, Any]) -> None:
        self.code: int = said["code"]
        self.result: dict[str, Any] = said["result"]
        self.error: str = said["error"]


class Stepper:
    """Starts acts in processes of their own."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def _ask(self, **call: Any) -> dict[str, Any]:
        assert self._server.stdin
        assert self._server.stdout
        self._server.stdin.write(json.dumps(call) + "\n")
        self._server.stdin.flush()
        return json.loads(self._server.stdout.readline())

    def run(
        self, root: Path, act: str, step: int = 0, how: str = KILL, **given: Any
    ) -> Ended:
        """Run an act, killed before its `step`-th change; `HALF`: in the middle of that write.

        `step` 0 kills nothing.
        """
        call = {"root": str(root), "act": act, "step": step, "how": how}
        return Ended(self._ask(do="run", **call, given=given))

    def halt(self, root: Path, act: str, step: int, **given: Any) -> int:
        """Run an act up to its `step`-th change and leave it there; its process id."""
        call = {"root": str(root), "act": act, "step": step, "how": STOP}
        return int(self._ask(do="halt", **call, given=given)["pid"])

    def start(self, root: Path, act: str, **given: Any) -> int:
        """Run an act without waiting for its end; its process id, for `go_on`."""
        call = {"root": str(root), "act": act, "step": 0, "how": KILL}
        return int(self._ask(do="start", **call, given=given)["pid"])

    def go_on(self, pid: int, number: int = signal.SIGCONT) -> Ended:
        """Let a halted act go on, or kill one with another signal, and wait for its end."""
        return Ended(self._ask(do="go", pid=pid, signal=int(number)))

    def close(self) -> None:
        self._server.communicate("")


def serve() -> None:
    pipes: dict[int, int] = {}
    load()
    for raw in sys.stdin:
        call = json.loads(raw)
        if call["do"] == "go":
            pid = call["pid"]
            os.kill(pid, call["signal"])
            said = _awaited(pid, pipes.pop(pid))
        else:
            pid, pipe = _forked(call)
            said = {"pid": pid}
            if call["do"] == "run":
                said = _awaited(pid, pipe)
            else:
                pipes[pid] = pipe
            if call["do"] == "halt":
                os.waitpid(pid, os.WUNTRACED)
        print(json.dumps(said), flush=True)
    for pid in pipes:  # of a test that failed
        os.kill(pid, signal.SIGKILL)


def load() -> None:
    """What an act loads, before the first fork."""
    from afterword.evolution import adding, archiving, evolving  # noqa: F401
    from afterword.store import config_file, layout  # noqa: F401

    config_file.read("nothing")


def _forked(call: dict[str, Any]) -> tuple[int, int]:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _child(call, writing)
    os.close(writing)
    return pid, reading


def _awaited(pid: int, pipe: int) -> dict[str, Any]:
    with os.fdopen(pipe, "rb") as stream:
        raw = stream.read()
    _, status = os.waitpid(pid, 0)
    said = json.loads(raw) if raw else {"result": {}, "error": ""}
    return {**said, "code": os.waitstatus_to_exitcode(status)}


def _child(call: dict[str, Any], pipe: int) -> None:
    code, said = 0, {"result": {}, "error": ""}
    tell = os.write
    try:
        said["result"] = perform(call["root"], call["act"], call["step"], call)
    except Exception as error:
        code, said["error"] = 1, str(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    tell(pipe, json.dumps(said, default=repr).encode())
    os._exit(code)


def perform(root: str, act: str, step: int, call: dict[str, Any]) -> dict[str, Any]:
    """The act's result by name; the steps are counted from where its files are touched."""
    from afterword.store import config, layout

    store = layout.need(root)
    settings = config.load(store)
    given = dict(call["given"])
    most = given.pop("file_most", 0)
    if most:
        soft = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, soft))
    if step:
        _arm(step, call["how"])
    return ACTS[act](store, settings, given).values()


def _archive(store, settings, given):
    from afterword.evolution import archiving

    return archiving.archive_queue(store, settings, STAMP, **{"wait": 5.0, **given})


def _roll(store, settings, given):
    from afterword.evolution import archiving

    return archiving.roll(store, settings, STAMP, **{"wait": 5.0, **given})


def _clean(store, settings, given):
    from afterword.evolution import archiving

    with_defaults = {"wait": 5.0, "apply": True, **given}
    return archiving.clean(store, settings, TODAY, **with_defaults)


def _evolve(store, settings, given):
    from afterword.evolution import evolving

    seconds = given.pop("seconds", 60)
    with_defaults = {"most": 3, "stamp": STAMP, "wait": 5.0, **given}
    deadline = time.monotonic() + seconds
    return evolving.evolve(store, settings, deadline=deadline, **with_defaults)


def _learn(store, settings, given):
    from afterword.evolution import adding

    with_defaults = {
        "title": "",
        "priority": "P2",
        "source": "session",
        "metadata": "",
        "today": TODAY,
        "wait": 10.0,
        **given,
    }
    return adding.learn(store, settings, **with_defaults)


def _reflect(store, settings, given):
    from afterword.evolution import adding

    with_defaults = {"title": "", "session": "", "at": "2026-11-30 12:34", "wait": 10.0}
    return adding.add_reflection(store, settings, **{**with_defaults, **given})


ACTS = {
    "archive": _archive,
    "roll": _roll,
    "clean": _clean,
    "evolve": _evolve,
    "learn": _learn,
    "reflect": _reflect,
}


def _arm(step: int, how: str) -> None:
    left = [step]

    def deadly(name: str) -> None:
        real = getattr(os, name)

        def call(*args, **kwargs):
            if name != "open" or args[1] & os.O_CREAT:
                left[0] -= 1
                if left[0] == 0:
                    if how == HALF and name == "write":
                        real(args[0], bytes(args[1])[: len(args[1]) // 2])
                    number = signal.SIGSTOP if how == STOP else signal.SIGKILL
                    os.kill(os.getpid(), number)
            return real(*args, **kwargs)

        setattr(os, name, call)

    for name in ["write"] if how == HALF else CHANGES:
        deadly(name)


if __name__ == "__main__":
    serve()
