#!/usr/bin/env python3
"""A hook that writes down that it was called, and nothing else.

``recorder.py FOLDER EVENT`` appends one JSON line (event, payload, time, the ids in
the environment) to ``FOLDER/<session name>.jsonl``. It is wired in the agent's user
settings beside the hooks under test: an independent witness. Standard library only.
"""

import json
import os
import sys
import time

# Values of other variables are never written: they may hold tokens.
NAMES = ("CLAUDE_PID", "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ID")


def main() -> None:
    """Append the line of this call."""
    folder, event = sys.argv[1:3]
    raw = sys.stdin.read()
    try:
        payload = json.loads(raw)
    except ValueError:
        payload = {"not json": raw}
    line = {
        "event": event,
        "payload": payload,
        "time": time.time(),
        "env": {name: os.environ[name] for name in NAMES if name in os.environ},
    }
    name = os.environ.get("AGENT_RUN", "unknown")
    path = os.path.join(folder, f"{name}.jsonl")
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(descriptor, json.dumps(line).encode() + b"\n")
    os.close(descriptor)


if __name__ == "__main__":
    main()
