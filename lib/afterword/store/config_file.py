"""Reads `.ai/config.yaml`: YAML with line numbers, each key checked against the table.

A wrong value costs that key only and is a problem with file:line; an unknown key is
a warning. Loads ruamel.yaml and pydantic, so a hook comes here only when its cache
is stale.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    TypeAdapter,
    ValidationError,
)
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from afterword.errors import ConfigError, UnsafePath
from afterword.store import atomic
from afterword.store.config import DEFAULTS, KEYS, NAME, Config, Key, duration
from afterword.store.layout import Store


def _duration_text(text: str) -> str:
    duration(text)
    return text


def _one_of(choices: tuple[str, ...]) -> Callable[[str], str]:
    def check(text: str) -> str:
        if text not in choices:
            raise ValueError(f"{text!r} is not one of {choices}")
        return text

    return check


def _adapter(key: Key) -> TypeAdapter[Any]:
    kinds: dict[str, Any] = {
        "switch": StrictBool,
        "consent": StrictBool,
        "count": Annotated[StrictInt, Field(gt=0)],
        "duration": Annotated[StrictStr, AfterValidator(_duration_text)],
        "list": list[StrictStr],
        "path": StrictStr,
    }
    if key.kind == "choice":
        return TypeAdapter(Annotated[StrictStr, AfterValidator(_one_of(key.choices))])
    return TypeAdapter(kinds[key.kind])


# The settings of a person fit a page; more could stall every hook.
MOST_BYTES = 64 * 1024
_LONGEST_SHOWN = 20

_TABLE = {key.name: key for key in KEYS}
_SECTIONS = {key.name.partition(".")[0] for key in KEYS if "." in key.name}


def read(path: str) -> Config:
    """The settings of a file; what is wrong with it is in `problems` and `warnings`."""
    where = f".ai/{NAME}"
    try:
        if os.path.islink(path):
            return _unreadable(f"{where}: is a symlink, which is not followed")
        data = atomic.read(path, limit=MOST_BYTES + 1) or b""
        if len(data) > MOST_BYTES:
            return _unreadable(f"{where}: is longer than {MOST_BYTES // 1024} KB")
        tree = YAML().load(io.BytesIO(data))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        return _unreadable(f"{where}:{line}: {error.problem or error.context}")
    except (YAMLError, UnicodeDecodeError, ValueError) as error:
        return _unreadable(f"{where}:1: {str(error).splitlines()[0]}")
    except RecursionError:
        return _unreadable(f"{where}: is nested too deeply")
    except (OSError, UnsafePath) as error:
        return _unreadable(f"{where}: {error}")
    if tree is None:
        return Config(settings=dict(DEFAULTS))
    if not isinstance(tree, CommentedMap):
        return _unreadable(f"{where}:1: settings are `key: value` lines")
    return _checked(where, tree)


def _unreadable(problem: str) -> Config:
    return Config(settings=dict(DEFAULTS), problems=(problem,))


def _checked(where: str, tree: CommentedMap) -> Config:
    settings, problems, warnings = dict(DEFAULTS), [], []
    for name, value, line in _flat(tree):
        key = _TABLE.get(name)
        if key is None:
            warnings.append(
                f"{where}:{line}: {name}: not a setting of afterword, ignored"
            )
            continue
        try:
            settings[name] = _adapter(key).validate_python(_plain(key, value))
        except ValidationError as error:
            problems.append(f"{where}:{line}: {name}: {_reason(key, error)}")
    return Config(settings=settings, problems=tuple(problems), warnings=tuple(warnings))


def _flat(tree: CommentedMap) -> list[tuple[str, Any, int]]:
    """The keys as `section.key`, with their values and lines."""
    found: list[tuple[str, Any, int]] = []
    for name, value in tree.items():
        line = _line(tree, name)
        if name in _SECTIONS and isinstance(value, CommentedMap):
            found += [
                (f"{name}.{key}", inner, _line(value, key))
                for key, inner in value.items()
            ]
        elif name in _SECTIONS and value is None:
            continue
        else:
            found.append((str(name), value, line))
    return found


def _line(tree: CommentedMap, name: Any) -> int:
    try:
        return int(tree.lc.key(name)[0]) + 1
    except (KeyError, TypeError):
        return 1


def _plain(key: Key, value: Any) -> Any:
    if key.kind == "choice" and isinstance(value, bool):
        # YAML reads a bare true or false as a truth value; the choice is its word.
        return "true" if value else "false"
    if isinstance(value, CommentedSeq):
        return list(value)
    return str(value) if isinstance(value, str) else value


def _reason(key: Key, error: ValidationError) -> str:
    wanted = {
        "switch": "must be true or false; it counts as on",
        "consent": "must be true or false; it counts as off",
        "count": "must be a whole number above 0",
        "duration": "must be a duration such as 90s, 30m, 12h or 14d",
        "choice": f"must be one of {', '.join(key.choices)}",
        "list": "must be a list of texts",
        "path": "must be a path from the repository's top",
    }
    given = error.errors()[0]["input"]
    # A value may be a secret that was pasted into the wrong place.
    is_short = len(repr(given)) <= _LONGEST_SHOWN
    return f"{wanted[key.kind]}, not {repr(given) if is_short else 'what stands there'}"


def need(store: Store) -> Config:
    """The settings for a command: `ConfigError` with file:line when one cannot be used."""
    from afterword.store import config

    found = config.load(store)
    if found.problems:
        raise ConfigError("\n".join(found.problems), hint=f"mend .ai/{NAME}")
    return found
