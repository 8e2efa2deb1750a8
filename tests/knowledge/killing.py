"""Runs commands that kill their own process at the n-th change of a file.

One server process loads the program once and forks for each run, so that every step
of an act can be tried in a second or two. Started by `Killer`, spoken to in JSON lines.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

CHANGES = ("open", "write", "replace", "unlink", "fsync", "makedirs")


class Killer:
    """`run` returns the exit code, -9 when the command was killed at that step."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, root: Path, words: list[str], data: str, step: int = 0) -> int:
        """`step` 0 kills nothing."""
        assert self._server.stdin
        assert self._server.stdout
        call = {"root": str(root), "words": words, "data": data, "step": step}
        self._server.stdin.write(json.dumps(call) + "\n")
        self._server.stdin.flush()
        return int(self._server.stdout.readline())

    def close(self) -> None:
        self._server.communicate("")


def serve() -> None:
    # What a review loads, before the first fork.
    from afterword.cli import boundary, knowledge  # noqa: F401
    from afterword.store import frontmatter, secrets

    secrets.mask("nothing")
    frontmatter.parse(b"---\na: [1]\n---\n", "x")
    for raw in sys.stdin:
        call = json.loads(raw)
        pid = os.fork()
        if pid == 0:
            _child(call)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _child(call: dict) -> None:
    from afterword.cli import boundary

    os.chdir(call["root"])
    source = os.memfd_create("stdin")
    os.write(source, call["data"].encode())
    os.lseek(source, 0, os.SEEK_SET)
    null = os.open(os.devnull, os.O_RDWR)
    for number, descriptor in ((0, source), (1, null), (2, null)):
        os.dup2(descriptor, number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 lives as long as the process
    if call["step"]:
        _arm(call["step"])
    os._exit(boundary.run(call["words"]))


def _arm(step: int) -> None:
    left = [step]

    def deadly(name: str) -> None:
        real = getattr(os, name)

        def call(*args, **kwargs):
            if name != "open" or args[1] & os.O_CREAT:
                left[0] -= 1
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **kwargs)

        setattr(os, name, call)

    for name in CHANGES:
        deadly(name)


if __name__ == "__main__":
    serve()
