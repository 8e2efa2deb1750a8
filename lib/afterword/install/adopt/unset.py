"""What to say of a config.yaml that exists already: the settings that an adoption would write.

A person's file is never changed. Reads it without a YAML library.
"""

from __future__ import annotations

import os
from typing import Any

from afterword.install import policy
from afterword.store import atomic, config


def left_to_set(root: str, settings: dict[str, Any]) -> list[str]:
    """What to say of an existing config.yaml: [] when it says what the other system's does."""
    lines = unset(root, settings)
    where = f".ai/{config.NAME}"
    told = f"{where}: exists and stays as it is; set there yourself: {', '.join(lines)}"
    return [told] if lines else []


def unset(root: str, settings: dict[str, Any]) -> list[str]:
    """The carried settings that config.yaml does not hold with that value, as lines to write in it.

    A value that is the default need not stand there, nor a path beside the one that it
    belongs to. A file that is not plain YAML counts as holding nothing.
    """
    path = os.path.join(root, ".ai", config.NAME)
    data = atomic.read(path) if os.path.isfile(path) else None
    values, _ = policy.read((data or b"").decode("utf-8-sig", "replace"))
    usual = {key.name: _written(key.default) for key in config.KEYS}
    stand = {**usual, **{name: value for name, value, _ in values}}
    paths = config.Config(settings=stand).paths()
    stand |= {f"paths.{name}": path for name, path in paths.items()}
    return [
        f"{name}: {_written(value)}"
        for name, value in sorted(settings.items())
        if not _same(stand.get(name, ""), _written(value))
    ]


def _written(value: Any) -> str:
    """A scalar setting as a person writes it in YAML."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _same(first: str, second: str) -> bool:
    """Whether two texts are one value: 24h and 1440m are."""
    try:
        return config.duration(first) == config.duration(second)
    except ValueError:
        return first.lower() == second.lower()
