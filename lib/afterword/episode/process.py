"""Which process the host is, and whether it still lives.

A pid alone is worthless (it is reused, another container has its own), so it is
kept with start time, boot id, pid namespace and host name; only where all of them
match is a missing process known to be dead. Linux; elsewhere there is no identity
and only silence counts. Part of a hook's path: standard library only.
"""

import os

from afterword.host.protocol import Host
from afterword.model import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

MAX_ANCESTORS = 12


def of_host(host: Host) -> "dict[str, Any] | None":
    """The identity of the agent that called us: its own variable, else the nearest known ancestor."""
    given = os.environ.get(host.pid_variable, "") if host.pid_variable else ""
    if given.isascii() and given.isdigit():
        found = identity(int(given))
        if found is not None:
            return found
    pid = os.getppid()
    for _ in range(MAX_ANCESTORS):
        if pid <= 1:
            return None
        if _executable(pid) in host.executables:
            return identity(pid)
        pid = _parent(pid)
    return None


def identity(pid: int) -> "dict[str, Any] | None":
    """What tells this process from every other; None where it cannot be known."""
    started = _start_time(pid)
    surroundings = _surroundings()
    if started is None or surroundings is None:
        return None
    return {"pid": pid, "started": started, **surroundings}


def is_dead(known: "dict[str, Any] | None") -> bool:
    """Whether a process kept by `identity` is certainly gone; False where that is not known."""
    if not isinstance(known, dict) or not isinstance(known.get("pid"), int):
        return False
    surroundings = _surroundings()
    if surroundings is None or any(known.get(k) != v for k, v in surroundings.items()):
        return False
    return _start_time(known["pid"]) != known.get("started")


def is_alive(pid: int) -> bool:
    """Whether a process of that number exists here; one of another user counts as well."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _surroundings() -> "dict[str, Any] | None":
    boot = _file("/proc/sys/kernel/random/boot_id").strip()
    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        return None
    return (
        {"boot": boot, "namespace": namespace, "node": os.uname().nodename}
        if boot
        else None
    )


def _stat(pid: int) -> "list[str]":
    """The fields of /proc/PID/stat behind the command, which may hold spaces and brackets."""
    return _file(f"/proc/{pid}/stat").rpartition(")")[2].split()


def _start_time(pid: int) -> "int | None":
    """Clock ticks since boot (field 22); None for no such process or a zombie."""
    fields = _stat(pid)
    return int(fields[19]) if len(fields) > 19 and fields[0] not in "ZX" else None


def _parent(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[1]) if len(fields) > 1 else 0


def _executable(pid: int) -> str:
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe")).removesuffix(
            " (deleted)"
        )
    except OSError:
        return ""


def _file(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return ""
    try:
        return os.read(descriptor, 4096).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)
