"""The repository's own configuration file, read without the git program.

Only `<common>/config` and `<git_dir>/config.worktree`, never an included file: what
stands there is data from whoever made the repository. Part of a hook's path.
"""

import os

from afterword.model import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterword.store.git.head import GitPlace

_LIMIT = 1 << 20
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}
_KEY = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")
_TRUE = ("true", "yes", "on", "1")


def read(path: str) -> "dict[str, str]":
    """Key (`section.name` or `section.Sub Section.name`, section and name in lower case)
    to its last value; a key without `=` is "true". Empty when the file cannot be read."""
    from afterword.store.git.head import read_small

    data = read_small(path, _LIMIT)
    return dict(pairs(data.decode("utf-8", "surrogateescape"))) if data else {}


def of_place(place: "GitPlace") -> "dict[str, str]":
    """The local configuration of a worktree, its own part (if it has one) last."""
    found = read(place.common_dir + "/config")
    if truth(found.get("extensions.worktreeconfig", "")):
        found.update(read(place.git_dir + "/config.worktree"))
    return found


def user_email(place: "GitPlace") -> str:
    """The committer's address from the variables and files that git reads, includes apart."""
    named = os.environ.get("GIT_COMMITTER_EMAIL", "")
    if named:
        return named.strip()
    home = os.path.expanduser("~")
    own = os.environ.get("XDG_CONFIG_HOME") or home + "/.config"
    found: dict[str, str] = {}
    for path in ("/etc/gitconfig", own + "/git/config", home + "/.gitconfig"):
        found.update(read(path))
    found.update(of_place(place))
    named = found.get("committer.email") or found.get("user.email") or ""
    return named or os.environ.get("EMAIL", "")


def truth(value: str) -> bool:
    """git's idea of a true value."""
    return value.strip().lower() in _TRUE


def pairs(text: str) -> "Iterator[tuple[str, str]]":
    """Every key and value in the order of the file; stops at the first line git would refuse."""
    section = ""
    lines = iter(text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n"))
    for raw in lines:
        line = raw.lstrip()
        if line.startswith("["):
            head = _section(line)
            if head is None:
                return
            section, line = head
            line = line.lstrip()
        if not line or line[0] in "#;":
            continue
        name, rest = _name(line)
        if not name or not section:
            return
        value = _value(rest, lines)
        if value is None:
            return
        yield f"{section}.{name}", value


def _section(line: str) -> "tuple[str, str] | None":
    """`[core]` or `[remote "origin"]` as the key's prefix, and the rest of the line."""
    at = 1
    while at < len(line) and (line[at] in _KEY or line[at] == "."):
        at += 1
    name = line[1:at].lower()
    if not name or at == len(line):
        return None
    if line[at] == "]":
        return name, line[at + 1 :]
    quote = line[at:].lstrip(" \t")
    if line[at] not in " \t" or not quote.startswith('"'):
        return None
    return _subsection(name, quote[1:])


def _subsection(name: str, text: str) -> "tuple[str, str] | None":
    """The quoted part of a section line; a backslash keeps the character after it."""
    kept = ""
    chars = enumerate(text)
    for at, char in chars:
        if char == "\\":
            _, char = next(chars, (0, ""))  # noqa: PLW2901 - the escaped one takes its place
            kept += char
        elif char == '"':
            rest = text[at + 1 :]
            return (f"{name}.{kept}", rest[1:]) if rest.startswith("]") else None
        else:
            kept += char
    return None


def _name(line: str) -> "tuple[str, str]":
    """The variable's name in lower case, and what follows it."""
    at = 0
    while at < len(line) and line[at] in _KEY:
        at += 1
    return (
        (line[:at].lower(), line[at:].lstrip(" \t")) if line[0].isalpha() else ("", "")
    )


def _value(text: str, lines: "Iterator[str]") -> "str | None":
    """The value after a name, quotes and continuation lines resolved; None when malformed."""
    if not text or text[0] in "#;":
        return "true"
    if text[0] != "=":
        return None
    kept, solid, quoted = "", 0, False
    chars = iter(text[1:].lstrip())
    while True:
        char = next(chars, None)
        if char is None or (char in "#;" and not quoted):
            return None if quoted else kept[:solid]
        if char == "\\":
            escaped = next(chars, None)
            if escaped is None:  # the value goes on in the next line
                chars, solid = iter(next(lines, "")), len(kept)
                continue
            if escaped not in _ESCAPES:
                return None
            kept += _ESCAPES[escaped]
            solid = len(kept)
        elif char == '"':
            quoted = not quoted
        elif kept or quoted or not char.isspace():
            kept += char
            # White space counts inside quotes or before something else, not at the end.
            solid = len(kept) if quoted or not char.isspace() else solid
