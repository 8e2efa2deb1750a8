"""Runs every wired hook as its agent would, with a made-up payload, in a dry form.

The command of the settings goes to `sh`, so shim, git, tool, interpreter and settings
are all really used, once `vetting` has found each of them ours. `AFTERWORD_DRY_RUN`
makes the hook say what it would do and change nothing; no word from it means that the
chain is broken somewhere, and silence is what a broken chain looks like to an agent.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator

from afterword import host as hosts
from afterword.doctor import vetting, wiring
from afterword.doctor.scene import Scene
from afterword.doctor.tool import INSTALL
from afterword.doctor.wiring import Wired
from afterword.errors import AfterwordError
from afterword.finding import ERROR, INFO, WARNING, Finding
from afterword.host.protocol import EVENTS
from afterword.model import Model

VARIABLE = "AFTERWORD_DRY_RUN"
LONGEST = 15.0
# A dry hook does nothing but start; one that takes longer starves the real one.
SLOW = 1.0


class Outcome(Model):
    """How one hook ended: exit code (None: ended by us after `LONGEST`), words, seconds."""

    code: int | None
    out: bytes
    err: str
    seconds: float


def check(scene: Scene) -> Iterator[Finding]:
    """One finding for each hook that is not run or does not answer, one for each host that does."""
    for host in hosts.every():
        try:
            hooks = wiring.wired(scene, host)
        except AfterwordError:
            continue  # the wiring's own check has said it
        found = [finding for one in hooks for finding in _try(scene, one)]
        yield from found
        if hooks and not any(finding.severity == ERROR for finding in found):
            names = ", ".join(
                event for event in EVENTS if event in {one.hook.event for one in hooks}
            )
            yield Finding(
                severity=INFO,
                code="hooks-ran",
                message=f"{host.title}: {names} were run and answered",
            )


def _try(scene: Scene, one: Wired) -> Iterator[Finding]:
    doubt = vetting.doubt(scene, one)
    if doubt is not None:
        yield doubt
        return
    session = f"doctor-{secrets.token_hex(6)}"
    payload = {"session_id": session, "hook_event_name": one.hook.event_name}
    outcome = run(
        one.hook.command,
        cwd=scene.store.root,
        environment=_environment(scene, one),
        data=json.dumps({**payload, "cwd": scene.store.root}).encode(),
    )
    severity, code, message, fix = _judge(one, outcome, session)
    if code:
        yield Finding(
            severity=severity,
            code=code,
            path=one.shown,
            line=one.hook.line,
            message=f"the {one.hook.event} hook {message}",
            fix=fix,
        )


def _environment(scene: Scene, one: Wired) -> dict[str, str]:
    """What the host would give it, less our off switch and the worktree's programs, plus the dry form."""
    found = {**scene.environment, "PATH": vetting.search_path(scene)}
    found.pop("AFTERWORD_DISABLE", None)
    found[VARIABLE] = "1"
    if one.host.project_variable:
        found[one.host.project_variable] = scene.store.root
    return found


def _judge(one: Wired, outcome: Outcome, session: str) -> tuple[str, str, str, str]:
    last = (outcome.err.strip().splitlines() or ["nothing on stderr"])[-1][:200]
    if outcome.code is None:
        return ERROR, "hook-hangs", f"did not end within {LONGEST:g} s", INSTALL
    if outcome.code != 0:
        return ERROR, "hook-fails", f"ended with {outcome.code}: {last}", INSTALL
    if f"would serve session {session}" not in outcome.err:
        text = f"ran and never reached afterword: {last}"
        return (
            ERROR,
            "hook-silent",
            text,
            f"{INSTALL} (and see what is said of the tool)",
        )
    if outcome.out.strip():
        return (
            ERROR,
            "hook-talks",
            "writes to stdout what no agent understands",
            INSTALL,
        )
    if outcome.seconds > SLOW:
        text = f"took {outcome.seconds:.1f} s to start"
        return WARNING, "hook-slow", text, "see what slows this machine down"
    return "", "", "", ""


def run(command: str, *, cwd: str, environment: dict[str, str], data: bytes) -> Outcome:
    """A command string as a host runs it: by `sh`, in a process group of its own."""
    began = time.monotonic()
    process = subprocess.Popen(
        ["/bin/sh", "-c", command],
        cwd=cwd,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(data, timeout=LONGEST)
        code: int | None = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        code = None
    text = err.decode("utf-8", "replace")
    return Outcome(code=code, out=out, err=text, seconds=time.monotonic() - began)
