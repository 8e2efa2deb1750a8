"""How modules are discovered: the patterns and exclusions that `_index.md` may change.

The defaults are those of spec/snapshot.md 8. Pure; imports `store.blocks` only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from afterword.store import blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Globs of file names, roots, names of directories that hold no modules.
    Config = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]

HEADING = "Auto-Discovery Config"
# Globs of file names that make their directory a module, by language.
PATTERNS = {
    "Java": ("*Controller.java", "*Service.java"),
    "TypeScript/JavaScript": (
        "*Controller.ts",
        "*Handler.ts",
        "router.ts",
        "*Controller.js",
        "*Handler.js",
        "router.js",
    ),
    "Go": ("handler.go", "controller.go"),
    "Python": ("*views.py", "*api.py", "*handler.py"),
}
GLOBS: tuple[str, ...] = tuple(one for some in PATTERNS.values() for one in some)
# Directories whose subdirectories are modules when they hold an entry point.
ROOTS: tuple[str, ...] = ("src", "app")
EXCLUSIONS: tuple[str, ...] = (
    "test",
    "__tests__",
    "spec",
    "fixtures",
    "shared",
    "common",
    "util",
    "helpers",
)
_PATTERNS_UNDER = ("discovery patterns", "patterns", "发现规则")
_EXCLUSIONS_UNDER = ("exclusions", "排除规则", "排除")
_CODE = re.compile(r"`([^`]+)`")
_LABEL = re.compile(r"[-*+]\s+\**([^*:：`]+)\**\s*[:：]")
# What a pattern without an extension means in a language: `*Service` files of Go.
_EXTENSIONS = {
    "java": (".java",),
    "typescript": (".ts",),
    "javascript": (".js",),
    "node.js": (".ts", ".js"),
    "go": (".go",),
    "python": (".py",),
}


def read(data: bytes) -> Config:
    """Patterns, roots and exclusions as the file has them; where it has none, the defaults."""
    patterns = _bullets(data, _PATTERNS_UNDER)
    exclusions = _bullets(data, _EXCLUSIONS_UNDER)
    globs, roots = GLOBS, ROOTS
    if patterns is not None:
        marked = [(text, one) for text in patterns for one in _marked(text)]
        globs = tuple(glob for text, one in marked for glob in _globs(text, one))
        roots = tuple(one.strip("/") for _, one in marked if one.endswith("/"))
    if exclusions is None:
        return globs, roots, EXCLUSIONS
    names = (one.strip("/") for text in exclusions for one in _marked(text))
    return globs, roots, tuple(one for one in names if one)


def _marked(text: str) -> list[str]:
    """What stands in backticks in a bullet."""
    return [one.strip() for one in _CODE.findall(text)]


def _globs(text: str, one: str) -> tuple[str, ...]:
    """The globs that a pattern means; none for a directory, or for an annotation.

    Discovery sees the names of files only, never what is in them.
    """
    if one.endswith("/") or one.startswith("@") or not one or " " in one:
        return ()
    if "." in one:
        return (one,)
    label = _LABEL.match(text)
    languages = label[1].casefold().replace(" ", "").split("/") if label else []
    found = [end for name in languages for end in _EXTENSIONS.get(name, ())]
    return tuple(f"{one}{end}" for end in dict.fromkeys(found or [".*"]))


def _bullets(data: bytes, names: Sequence[str]) -> list[str] | None:
    """The bullets under the headings of these names; None where there is no such heading."""
    found: list[str] | None = None
    is_inside = False
    for start, end, kind in blocks.lines(data):
        if kind != blocks.TEXT:
            continue
        text = data[start:end].decode("utf-8", "surrogateescape").strip()
        if heading := blocks.heading_of(data[start:end]):
            name = heading[1].decode("utf-8", "surrogateescape").strip()
            is_inside = name.casefold() in names
            found = [] if is_inside and found is None else found
        elif is_inside and found is not None and text.startswith(("-", "*", "+")):
            found.append(text)
    return found


def text() -> bytes:
    """The section as a new `_index.md` has it, to be edited there."""
    lines = [f"## {HEADING}", "", "### Discovery Patterns", ""]
    for language, globs in PATTERNS.items():
        marked = ", ".join(f"`{one}`" for one in globs)
        lines.append(f"- **{language}**: directories with {marked}")
    roots = " or ".join(f"`{one}/`" for one in ROOTS)
    lines.append(f"- **General**: directories under {roots} with an entry-point file")
    lines += ["", "### Exclusions", ""]
    marked = ", ".join(f"`{one}/`" for one in EXCLUSIONS)
    lines.append(f"- {marked}: hold no modules")
    lines.append("- A single file without an entry point is no module")
    return "\n".join([*lines, ""]).encode()
