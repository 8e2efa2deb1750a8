"""The `.ai/` tree of a project: what `install.py` and `afterword init` create.

Nothing that exists is overwritten. Shared with the command line, so it takes a
root and returns a plan; nothing here knows of agents or of git's configuration.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from afterword.install import applying, planning, policy, shims
from afterword.install.parts import Lines, Part, Seed, Shim
from afterword.install.planning import Change
from afterword.lifecycle.moment import READMES
from afterword.store.config import KEYS, NAME, Key
from afterword.store.layout import PATHS

COMMAND = ".ai/bin/afterword"
CONFIG = f".ai/{NAME}"

_GITIGNORE = b"""# What each worktree keeps for itself; the memory that is shared lies in repo/.
local/
local-*/
"""
_CONFIG_HEAD = """# The settings of this repository's memory. Every key is optional: what stands in a
# comment is the default. `.ai/bin/afterword doctor` names a key that it does not know.
"""
# No text merge ever doubles a record, and a checkout with CRLF keeps hashes and shims.
_GOVERNED = ("*.md merge=afterword text eol=lf", "*.json merge=afterword text eol=lf")
_BARE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./-]*")


def parts(
    root: str, settings: Mapping[str, Any] | None = None, *, everywhere: bool = False
) -> list[Part]:
    """The files of the tree, in the order in which they are made.

    `settings` are the keys to write into a config.yaml that does not exist yet;
    `everywhere` takes in the usual places of records that lie elsewhere now.
    """
    found: list[Part] = [
        _seed(root, ".ai/.gitignore", _GITIGNORE),
        Seed(
            *_named(root, CONFIG),
            config_text(settings or {}).encode(),
            replaces=config_text({}).encode(),
        ),
        Shim(*_named(root, COMMAND), shims.command(), executable=True),
        attributes(root, ".ai/bin", ("afterword text eol=lf",)),
        attributes(root, ".ai/repo", _GOVERNED),
    ]
    if everywhere or not _moved(root):
        found += [
            _seed(root, f"{PATHS[key]}/README.md", text.encode())
            for key, text in READMES.items()
        ]
    return found


def attributes(
    root: str, folder: str, lines: tuple[str, ...], *, lf: bool = True
) -> Lines:
    """The `.gitattributes` beside governed files; with `lf` its own line ends are fixed too."""
    own = (".gitattributes text eol=lf",) if lf else ()
    name = f"{folder}/.gitattributes"
    return Lines(*_named(root, name), (*lines, *own), follows=True)


def _seed(root: str, shown: str, text: bytes) -> Seed:
    return Seed(*_named(root, shown), text)


def _named(root: str, shown: str) -> tuple[str, str, str]:
    return os.path.join(root, *shown.split("/")), shown, root


def _moved(root: str) -> bool:
    """Whether the settings put the records somewhere else than we would."""
    path = os.path.join(root, *CONFIG.split("/"))
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return False
    values, unread = policy.read(text)
    named = {name for name, _, _ in values}
    # A mapping in one line, or in lines that are not understood, is not looked into.
    opaque = "paths" in named or (bool(unread) and "\npaths:" in f"\n{text}")
    return opaque or not named.isdisjoint(f"paths.{key}" for key in READMES)


def plan_tree(root: str) -> list[Change]:
    """What `afterword init` has to do in the worktree whose top is `root`; [] when all is there."""
    return list(planning.installing(parts(root)).changes)


def create(root: str) -> list[str]:
    """Create what is missing of the tree; the paths created, from the root."""
    changes = plan_tree(root)
    for change in changes:
        applying.apply(change)
    return [change.shown for change in changes]


def config_text(settings: Mapping[str, Any]) -> str:
    """config.yaml with every key of the table: those of `settings` set, the others as comments."""
    lines = [_CONFIG_HEAD]
    for section in dict.fromkeys(key.name.rpartition(".")[0] for key in KEYS):
        keys = [key for key in KEYS if key.name.rpartition(".")[0] == section]
        lines += _section(section, keys, settings)
    return "\n".join(lines)


def _section(section: str, keys: list[Key], settings: Mapping[str, Any]) -> list[str]:
    lines = []
    if section:
        live = any(key.name in settings for key in keys)
        lines.append(f"{section}:" if live else f"# {section}:")
    for key in keys:
        indent = "  " if section else ""
        value = yaml_scalar(settings.get(key.name, key.default))
        line = f"{indent}{key.name.rpartition('.')[2]}: {value}  # {key.doc}"
        lines.append(line if key.name in settings else f"# {line}")
    return [*lines, ""]


def yaml_scalar(value: Any) -> str:
    """A value as YAML reads it back: plain where that is safe, else in JSON's form."""
    if (
        isinstance(value, str)
        and _BARE.fullmatch(value)
        and not _BARE_NUMBER.fullmatch(value)
    ):
        return value
    if isinstance(value, (list, tuple)):
        return (
            "["
            + ", ".join(json.dumps(item, ensure_ascii=False) for item in value)
            + "]"
        )
    return json.dumps(value, ensure_ascii=False)


_BARE_NUMBER = re.compile(
    r"[0-9._eE+-]+|true|false|null|yes|no|on|off|y|n", re.IGNORECASE
)
