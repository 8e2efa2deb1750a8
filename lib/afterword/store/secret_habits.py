"""Secrets on command lines and in sentences, where a name or an option announces them.

For `store.secret_masking` only: regular expressions over one text, each with the
secret as its first group. Imports `re` and `store.secret_values`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterword.store.secret_shapes import HEX, Found
from afterword.store.secret_values import PROSE, is_mixed, is_standin

_HABITS = (
    (
        "basic-auth",
        re.compile(
            r"(?:^|\s)(?:-u|--user)[ =](?!\d+:\d+(?!\S))[\"']?[^\s:\"']+:([^\s\"'@]{4,})"
        ),
    ),
    ("netrc-password", re.compile(r"\blogin\s+\S+\s+password\s+(\S{4,})")),
    ("assigned-secret", re.compile(r"\bsshpass\s+-p\s*[\"']?([^\s\"']{4,})")),
    (
        "assigned-secret",
        re.compile(r"<(?:password|secret|token|apikey)>([^<\s]{4,})<", re.I),
    ),
    (
        "database-password",
        re.compile(
            r"\b(?:mysql|mariadb)[\w-]*(?=\s)[^\n|;&]{0,200}?\s-p[\"']?([^\s\"']{3,})"
        ),
    ),
    (
        "database-password",
        re.compile(r"\bredis-cli\s[^\n|;&]{0,200}?-a\s+[\"']?([^\s\"']{4,})"),
    ),
    (
        "private-key",
        re.compile(
            r"\b(?:private|secret)[ _-]key\W{1,6}(?:is\s+)?([0-9a-f]{64})\b", re.I
        ),
    ),
)
_SPOKEN = re.compile(
    r"\b(?:(?:secret|token|key)\s+(?:is|was)\s+[\"'`]?(?=[^\s\"'`]{8})"
    r"|(pass(?:word|phrase|wd))\s+(?:is|was)\s+[\"'`]?)([^\s\"'`]{4,})",
    re.I,
)
_NAMED_KEY = re.compile(r"\b[A-Z0-9_]+_KEY\s*[=:]\s*[\"']?()([A-Za-z0-9+/=_-]{16,})")

_WORDS = r"(?:\d{1,2}[.)]\s*)?[a-z]{3,8}"
_SEED = re.compile(
    r"\b(?:seed|mnemonic|recovery|wallet)\b(?:[ _-](?:phrase|words?|key|code))?"
    r"(?:\s+(?:is|was|are))?[\"'`:=(\[\s]{1,6}"
    rf"({_WORDS}(?:[\"',]{{0,2}}\s{{1,4}}[\"']?{_WORDS}){{11,23}})\b",
)
_WORD = re.compile(r"[a-z]{3,8}")
_LEAST_WORDS = 9  # different ones among twelve and more


def spans(text: str) -> Iterator[Found]:
    """The places of all such secrets; the value alone, not what announces it."""
    for kind, pattern in _HABITS:
        for hit in pattern.finditer(text):
            if not is_standin(hit.group(1)):
                yield Found(start=hit.start(1), end=hit.end(1), kind=kind)
    for pattern in (_SPOKEN, _NAMED_KEY):
        for hit in pattern.finditer(text):
            value = hit.group(2).rstrip(".,;:!?)")
            if not is_mixed(value) or is_standin(value):
                continue
            if len(value) >= 4 and not _is_reference(value, bool(hit.group(1))):
                end = hit.start(2) + len(value)
                yield Found(start=hit.start(2), end=end, kind="assigned-secret")
    yield from _seed_phrases(text)


def _is_reference(value: str, is_password: bool) -> bool:
    """A digest, a uuid, a path or a call: nothing that opens a door."""
    if is_password and re.search(r"[^\w./:()-]", value):
        return False
    bare = value.replace("-", "").lower()
    is_hex = HEX.issuperset(bare) and not (is_password and len(bare) < 7)
    return is_hex or "/" in value or "(" in value or "." in value


def _seed_phrases(text: str) -> Iterator[Found]:
    """Twelve words or so behind a name for them, up to the first that is prose."""
    for hit in _SEED.finditer(text):
        end, seen = hit.start(1), set()
        for word in _WORD.finditer(text, hit.start(1), hit.end(1)):
            if word.group() in PROSE:
                break
            end = word.end()
            seen.add(word.group())
        if len(seen) >= _LEAST_WORDS:
            yield Found(start=hit.start(1), end=end, kind="seed-phrase")
