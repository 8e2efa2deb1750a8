"""The strict YAML parser behind front matter, and its complaints in our words.

ruamel.yaml is imported inside the functions, because it costs three bare interpreters
and hooks load their neighbours. Imports `errors`, `store.cold`.
"""

from __future__ import annotations

from afterword.errors import StoreDamaged
from afterword.store import cold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ruamel.yaml.nodes import MappingNode

_HINT = "Correct the front matter by hand; nothing was changed."


class FrontMatterError(StoreDamaged):
    """Front matter that cannot be read or changed; the message begins with `path:line:`."""


def complaint(path: str, line: int, what: str) -> FrontMatterError:
    """The error to raise: `path:line: what`, and what to do."""
    return FrontMatterError(f"{path}:{line}: {what}", hint=_HINT)


def text_of(front: bytes, path: str) -> str:
    """The front matter below a line of its own, so that line 0 is line 1 of the file."""
    try:
        return "---\n" + front.decode()
    except UnicodeDecodeError as error:
        line = front.count(b"\n", 0, error.start) + 2
        raise complaint(path, line, "the front matter is not UTF-8") from None


def load(text: str, path: str) -> Any:
    """The value, as YAML 1.2 has it but with dates as text; the first of a doubled key."""
    cold.enable()
    from ruamel.yaml import YAML
    from ruamel.yaml.constructor import SafeConstructor

    # A class of its own, because constructors are registered on the class.
    constructor: Any = type("Constructor", (SafeConstructor,), {})
    constructor.add_constructor(
        "tag:yaml.org,2002:timestamp", SafeConstructor.construct_yaml_str
    )
    reader = YAML(typ="safe", pure=True)
    reader.Constructor = constructor
    reader.allow_duplicate_keys = True
    return _strictly(reader.load, text, path)


def compose(text: str, path: str) -> MappingNode | None:
    """The tree of the text, whose nodes know their places in it."""
    cold.enable()
    from ruamel.yaml import YAML

    node: MappingNode | None = _strictly(YAML(typ="rt", pure=True).compose, text, path)
    return node


def _strictly(read: Any, text: str, path: str) -> Any:
    """What the parser says, its complaints as ours."""
    from ruamel.yaml.error import YAMLError

    try:
        return read(text)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else _line_of(text, error)
        what = getattr(error, "problem", None) or getattr(error, "reason", "")
        raise complaint(path, line, str(what or "not YAML").split("\n")[0]) from None
    except RecursionError:
        raise complaint(path, 2, "the front matter is nested too deeply") from None
    except ValueError as error:
        raise complaint(path, 2, str(error).split("\n")[0]) from None


def _line_of(text: str, error: Exception) -> int:
    """The line of a character that YAML does not allow."""
    return text.count("\n", 0, getattr(error, "position", 0)) + 1
