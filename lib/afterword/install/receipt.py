"""What an install put in, kept outside the tree so that it can be taken out exactly.

A receipt is written before the first file changes. One per worktree, in its git
directory; one in the home directory for hooks of user scope. It holds the bytes of
settings from before, so only its owner may read it.
"""

from __future__ import annotations

import base64
import json
import os
from dataclasses import asdict, dataclass, field
from typing import Any

from afterword.errors import StoreDamaged
from afterword.install.entries import Memo
from afterword.install.parts import Part
from afterword.install.planning import Change
from afterword.store import atomic

NAME = "afterword-install.json"
VERSION = 1


@dataclass
class Receipt:
    """`files` by shown name; `folders` that install made; `config` keys with their former values.

    `projects` (home receipt only) are the worktrees that a user-scope install serves;
    `aside` is what `.ai/local` was moved to because it was not ours, `found` the names
    that an adopted one held.
    """

    path: str
    files: dict[str, Change] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    config: dict[str, str | None] = field(default_factory=dict)
    projects: list[str] = field(default_factory=list)
    aside: str = ""
    found: list[str] = field(default_factory=list)
    exists: bool = False


def of_worktree(git_dir: str) -> str:
    """Where the receipt of a worktree lies."""
    return os.path.join(git_dir, NAME)


def of_home(home: str) -> str:
    """Where the receipt of user-scope hooks lies."""
    state = os.environ.get("XDG_STATE_HOME", "")
    base = state if os.path.isabs(state) else os.path.join(home, ".local", "state")
    return os.path.join(base, "afterword", NAME)


def load(path: str) -> Receipt:
    """The receipt, empty where there is none. `StoreDamaged` for one that cannot be read."""
    data = atomic.read(path)
    if data is None:
        return Receipt(path)
    try:
        return _parsed(path, json.loads(data))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise StoreDamaged(
            f"{path}: this receipt of an earlier install cannot be read",
            hint="move it away and run the same command again: it goes by what it finds",
        ) from None


def _parsed(path: str, values: dict[str, Any]) -> Receipt:
    files = {shown: _change(shown, entry) for shown, entry in values["files"].items()}
    return Receipt(
        path,
        files,
        [str(folder) for folder in values["folders"]],
        dict(values["config"]),
        [str(project) for project in values.get("projects", [])],
        str(values.get("aside", "")),
        [str(name) for name in values.get("found", [])],
        exists=True,
    )


def _change(shown: str, entry: dict[str, Any]) -> Change:
    memo = entry["memo"]
    return Change(
        path=entry["path"],
        shown=shown,
        before=_bytes(entry["before"]),
        after=_bytes(entry["after"]),
        memo=memo and Memo(tuple(memo["made"]), memo["inner"], memo["blank"]),
    )


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def _text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def save(receipt: Receipt) -> None:
    """Write the receipt, readable for its owner only."""
    files = {
        shown: {
            "path": change.path,
            "before": _text(change.before),
            "after": _text(change.after),
            "memo": change.memo and asdict(change.memo),
        }
        for shown, change in receipt.files.items()
    }
    values = {
        "version": VERSION,
        "files": files,
        "folders": receipt.folders,
        "config": receipt.config,
        "projects": receipt.projects,
        "aside": receipt.aside,
        "found": receipt.found,
    }
    text = json.dumps(values, indent=1, ensure_ascii=False)
    temp = atomic.stage(receipt.path, text.encode("utf-8", "surrogateescape"))
    os.chmod(temp, 0o600)
    os.replace(temp, receipt.path)
    atomic.make_durable(os.path.dirname(receipt.path))
    receipt.exists = True


def remember(receipt: Receipt, change: Change, part: Part) -> None:
    """Note one planned change; what stood there before the first install is kept.

    Of a file that a person changed since the last install, the version to come back
    to is that file without our part.
    """
    earlier = receipt.files.get(change.shown)
    if earlier is None:
        receipt.files[change.shown] = change
        return
    before = earlier.before
    if change.before not in (earlier.before, earlier.after):
        before = change.before and part.take_out(change.before, earlier.memo).data
    receipt.files[change.shown] = Change(
        change.path,
        change.shown,
        before,
        change.after,
        memo=_joined(earlier.memo, change.memo),
    )


def _joined(first: Memo | None, second: Memo | None) -> Memo | None:
    if first is None or second is None:
        return first or second
    made = tuple(dict.fromkeys(first.made + second.made))
    return Memo(made, {**second.inner, **first.inner}, first.blank)
