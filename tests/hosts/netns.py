"""A network namespace in which nothing exists but loopback.

``Namespace`` starts one process in a new namespace and lets others join it with
nsenter. Run as a script this module is that first process: it leaves the machine's
network, brings loopback up and becomes the command it was given. Root needs no more;
another user gets a user namespace as well, in which he stays who he is (agents check
who owns their folders). Standard library only.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

SIOCGIFFLAGS = 0x8913
SIOCSIFFLAGS = 0x8914
IFF_UP = 0x1
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
READY_SECONDS = 60


def leave_the_network() -> None:
    """Move this process into a network namespace of its own; OSError when refused."""
    user, group = os.geteuid(), os.getegid()
    flags = CLONE_NEWNET if user == 0 else CLONE_NEWUSER | CLONE_NEWNET
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(flags) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"unshare: {os.strerror(number)}")
    if user != 0:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def bring_loopback_up() -> None:
    """Set the interface ``lo`` of the current namespace up (no ip program needed)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sh14x", b"lo", 0)
        answer = fcntl.ioctl(control, SIOCGIFFLAGS, request)
        flags = struct.unpack("16sh14x", answer)[1] | IFF_UP
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags))


class Namespace:
    """A running namespace, kept alive by its first process until ``close``."""

    def __init__(self, command: list[str], log: Path) -> None:
        """Start ``command`` in a new namespace; its output goes to ``log``."""
        self.nsenter = shutil.which("nsenter") or ""
        assert self.nsenter, (
            "the tests with real agents need nsenter (util-linux): "
            "they run agents without any network"
        )
        with open(log, "wb") as output:
            self.first = subprocess.Popen(
                [sys.executable, "-I", __file__, *command],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                start_new_session=True,
            )  # fmt: skip
        self.log = log

    def join(self) -> list[str]:
        """The words that, put before a command, run it inside this namespace.

        nsenter replaces itself by the command, so the process id stays.
        """
        target = [self.nsenter, "-t", str(self.first.pid), "-n"]
        if os.geteuid() == 0:
            return target
        return [*target, "-U", "--preserve-credentials"]

    def wait_for(self, path: Path) -> str:
        """The text of a file that the first process writes when it is ready."""
        end = time.monotonic() + READY_SECONDS
        while not path.exists():
            assert self.first.poll() is None and time.monotonic() < end, (
                f"no network namespace for the agents: {self.log.read_text()}"
            )
            time.sleep(0.01)
        return path.read_text(encoding="utf-8")

    def close(self) -> None:
        """End the first process; the namespace goes when the last member ends."""
        self.first.kill()
        self.first.wait()


if __name__ == "__main__":
    leave_the_network()
    bring_loopback_up()
    os.execvp(sys.argv[1], sys.argv[1:])
