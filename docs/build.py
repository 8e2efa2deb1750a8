"""Writes docs/configuration.md from the table of settings; `--check` only compares.

.venv/bin/python docs/build.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

from afterword.store.config import KEYS, NAME, Key

TARGET = Path(__file__).parent / "configuration.md"
KINDS = {
    "switch": "true or false; on unless it is exactly `false`",
    "consent": "true or false; off unless it is exactly `true`",
    "count": "a whole number above 0",
    "duration": "a duration: 90s, 30m, 12h or 14d",
    "list": "a list of paths",
    "path": "a path from the repository's top",
}


def configuration() -> str:
    """The page: what a setting is, then one section a key, in the order of the table."""
    parts = [
        "# Configuration",
        f"`.ai/{NAME}` holds the settings of a repository's memory. Every key is optional. An "
        "unknown key is reported and ignored; a wrong value stops commands with file and line, "
        "and hooks go on with the default and say so. This page is made from the table in "
        "`lib/afterword/store/config.py` by `docs/build.py`.",
        *(_section(key) for key in KEYS),
    ]
    return "\n\n".join(parts) + "\n"


def _section(key: Key) -> str:
    kind = KINDS.get(key.kind) or "one of " + ", ".join(key.choices)
    return (
        f"## {key.name}\n\n{key.doc}\n\n- default: `{_shown(key.default)}`\n"
        f"- value: {kind}\n- why: {key.why}"
    )


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(str(item) for item in value) + "]"
    return str(value)


def main() -> int:
    text = configuration()
    if "--check" in sys.argv[1:]:
        if TARGET.read_text(encoding="utf-8") == text:
            return 0
        print(
            f"{TARGET.name} is stale: run .venv/bin/python docs/build.py",
            file=sys.stderr,
        )
        return 1
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
