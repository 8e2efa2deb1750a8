"""Secrets known by nothing but their looks: long strings that no person writes.

A git sha, a uuid, a digest, a name in a program must not be taken for one: hex is
never judged by its looks, and words tell. Measured: 2 hits in 287,000 lines of
Python and its documents (both base64), 92 % of random strings of 24 letters and
digits found, 98 % of those of 40 and more. For `store.secret_masking` only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from afterword.store.secret_joined import Joined
from afterword.store.secret_shapes import HEX, Found
from afterword.store.secret_values import is_wordy

_SHORTEST = 24
_RUN = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_TAIL, _HEAD = re.compile(r"[A-Za-z0-9+/_-]+$"), re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_WORDS = re.compile(r"[A-Z]?[a-z]{4,}|[A-Z]{4,}|[0-9]{4,}")
# What stands before a string that looks random and is a digest or a public key.
_PUBLIC = re.compile(
    r"(?:sha\d{1,3}[-:]|SHA256:|md5-|ssh-\w+ |ecdsa-[\w-]+ |integrity[\"']?[:=] ?[\"']?|h1:)$",
    re.IGNORECASE,
)
_DIGEST = re.compile(r"(?:sha\d{1,3}|md5)-", re.IGNORECASE)


def spans(text: str) -> Iterator[Found]:
    """The random strings of a text: whole runs, else parts between slashes, as in a path."""
    for hit in _RUN.finditer(text):
        before = text[max(hit.start() - 30, 0) : hit.start()]
        if _PUBLIC.search(before) or _DIGEST.match(hit.group()):
            continue
        for start, end in _candidates(text, hit.start(), hit.end()):
            if is_random_string(text[start:end]):
                yield Found(start=start, end=end, kind="random-string")
                break


def _candidates(text: str, start: int, end: int) -> list[tuple[int, int]]:
    found, at = [(start, end)], start
    for part in text[start:end].split("/"):
        found.append((at, at + len(part)))
        at += len(part) + 1
    return found


def folded(joined: Joined) -> Iterator[Found]:
    """Random strings that the end of a line cut in two."""
    for start, fold, end in joined.folds():
        left = _TAIL.search(joined.text, max(fold - 200, start), fold)
        right = _HEAD.match(joined.text, fold, end)
        if not (left and right and goes_on(left.group()) and goes_on(right.group())):
            continue
        if is_random_string(left.group() + right.group()):
            yield joined.span(left.start(), right.end(), "random-string")


def is_random_string(value: str) -> bool:
    """Whether a string of base64 characters looks generated rather than named."""
    if len(value) < _SHORTEST or len(set(value)) < 12 or value.startswith("AAAA"):
        return False  # AAAA begins a public key
    kinds = [_kind(char) for char in value.rstrip("=")]
    if min(map(kinds.count, "aA0")) < max(1, len(value) // 20):
        return False
    longest = max(map(len, re.split(r"[/_-]", value)))
    changes = sum(one != other for one, other in pairwise(kinds))
    words = sum(map(len, _WORDS.findall(value)))
    return longest >= 10 and changes > len(value) * 0.42 and words < len(value) * 0.5


def _kind(char: str) -> str:
    if char.isdigit():
        return "0"
    return "A" if char.isupper() else "a" if char.islower() else char


def goes_on(part: str) -> bool:
    """Whether a piece still belongs to a token that could end before it."""
    return len(part) >= 6 and looks_random(part)


def looks_random(part: str) -> bool:
    """No words; and if hex, longer than an abbreviated commit."""
    return not is_wordy(part) and (len(part) > 12 or not HEX.issuperset(part))
