#!/usr/bin/env python3
"""Stands in for socat where it is not installed: listens, and forwards nothing.

Claude Code's sandbox wants socat for the sandboxed command's way to the network. A
command that only writes files never uses it, so a listener that hangs up is enough.
Understands ``UNIX-LISTEN:path,...`` and ``TCP*-LISTEN:port,...``. Standard library only.
"""

import socket
import sys


def listener(address: str) -> socket.socket:
    """The listening socket that an address of socat's language describes."""
    kind, _, rest = address.partition(":")
    place = rest.partition(",")[0]
    if kind == "UNIX-LISTEN":
        made = socket.socket(socket.AF_UNIX)
        made.bind(place)
        made.listen()
        return made
    return socket.create_server(("127.0.0.1", int(place)))


def main() -> None:
    """Hang up on whoever connects, until killed."""
    with listener(sys.argv[1]) as listening:
        while True:
            listening.accept()[0].close()


if __name__ == "__main__":
    main()
