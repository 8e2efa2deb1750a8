"""The paths that an increment names: its Affected Files, its Changes, an entry's own files.

A sentence in the place of a path is none (4.3, deviation 2). Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from afterword.snapshot import increment_words as spelled
from afterword.snapshot.increment_shapes import is_nothing, kind_of
from afterword.store.blocks import Record

_ARROW = re.compile(r"\s*(?:→|⇒|->|=>|—>|-->)\s*")
# A text in backticks, as many at both ends, and no longer than a path.
_TICKED = re.compile(r"(?<!`)(`+)(?!`)(.{1,400}?)(?<!`)\1(?!`)")
_BETWEEN = re.compile(r"\s*[,，、;；]\s*")
_LINE_OF_FILE = re.compile(r":\d+(?:[-:]\d+)?\Z|#L\d+(?:-L?\d+)?\Z")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.@+~*?{}\[\]-]+")
_WORD = re.compile(r"[^\s`'\"()（）,，。、;；]+")
_REMARK = re.compile(r"[(（][^()（）]*[)）]")


class Affected(Record):
    """A line of Affected Files: its paths, and the types behind its arrow."""

    __slots__ = ("kinds", "paths")
    paths: tuple[str, ...]
    kinds: tuple[str, ...]

    def __init__(self, paths: tuple[str, ...], kinds: tuple[str, ...]) -> None:
        self._set(paths=paths, kinds=kinds)


def affected(text: str) -> Affected:
    """`path -> TYPE (note)` as paths and types; a sentence has no paths (deviation 2)."""
    arrow = _ARROW.search(_TICKED.sub(lambda found: "`" * len(found.group()), text))
    named = text[: arrow.start()] if arrow else text
    said = re.split(r"[\s/|,，、\[\]()（）]+", text[arrow.end() :]) if arrow else []
    kinds = tuple(dict.fromkeys(filter(None, map(kind_of, said))))
    found = paths(named)[0] or paths(_first_word(named), is_strict=True)[0]
    return Affected(found, kinds)


def _first_word(text: str) -> str:
    """What stands before a colon or a dash, such as in `src/a.py: DECISION`."""
    return text.split(maxsplit=1)[0].rstrip(":：") if text.split() else ""


def changed_paths(text: str) -> tuple[str, ...]:
    """The paths in front of a line of Changes."""
    ticked = [path_of(found[2]) for found in _TICKED.finditer(text)]
    if not ticked:
        ticked = list(
            paths(text.partition(": ")[0].partition("：")[0], is_strict=True)[0]
        )
    return tuple(dict.fromkeys(path for path in ticked if path and _is_path(path)))


def paths(text: str, *, is_strict: bool = False) -> tuple[tuple[str, ...], bool]:
    """The paths of a list of them, and whether it is nothing else.

    A path in backticks is one whatever it holds; a bare word is one unless `is_strict`
    asks for a slash or a dot.
    """
    found = [path_of(one[2]) for one in _TICKED.finditer(text)]
    rest = _REMARK.sub(" ", _TICKED.sub(" ", text))
    is_whole = True
    for piece in _BETWEEN.split(rest.strip()):
        word = piece.strip().strip("\"'“”")
        if not word or word.casefold() in spelled.NO_PATH or is_nothing(word):
            continue
        if _is_bare_path(word, is_strict):
            found.append(path_of(word))
        else:
            is_whole = False
    return tuple(dict.fromkeys(filter(_is_meant, found))), is_whole


def _is_meant(path: str) -> bool:
    return path.casefold() not in spelled.NO_PATH and not is_nothing(path)


def _is_bare_path(word: str, is_strict: bool) -> bool:
    if any(char.isspace() for char in word) or "://" in word:
        return False
    if _is_path(word):
        return True
    return not is_strict and bool(_PLAIN_NAME.fullmatch(word))


def _is_path(word: str) -> bool:
    """Whether a text has the marks of a path: a slash, or a dot within."""
    return "/" in word or "\\" in word or "." in word.strip(".")


def path_of(text: str) -> str:
    """A path as it is compared with others: no `./`, no line number, `/` between parts."""
    path, before = " ".join(text.split()), None
    while path != before:
        before = path
        path = _LINE_OF_FILE.sub("", path).removeprefix("./").strip()
    return path.replace("\\", "/") if "/" not in path else path


def ticked(path: str) -> str:
    """A path in backticks, as many as keep it whole."""
    runs = [len(run) for run in re.findall("`+", path)]
    ticks = "`" * (max(runs, default=0) + 1)
    space = " " if path[:1] == "`" or path[-1:] == "`" else ""
    return f"{ticks}{space}{path}{space}{ticks}"


def single_kind(text: str, kinds: Mapping[str, frozenset[str]]) -> str:
    """The type that Affected Files gives the one file which a text mentions (4.4).

    `kinds` are the types of each path there, as `kinds_of` gives them.
    """
    said = {path_of(found[2]) for found in _TICKED.finditer(text)}
    said |= {path_of(word) for word in _WORD.findall(text)}
    named = [path for path in said if path in kinds]
    found = kinds[named[0]] if len(named) == 1 else frozenset()
    return next(iter(found)) if len(found) == 1 else ""


def kinds_of(lines: Iterable[Affected]) -> dict[str, frozenset[str]]:
    """The types behind the arrows of Affected Files, by path."""
    found: dict[str, frozenset[str]] = {}
    for one in lines:
        for path in one.paths:
            found[path] = found.get(path, frozenset()) | set(one.kinds)
    return found
