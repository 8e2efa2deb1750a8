"""Secrets known by a mark in their middle or by the name of what carries them.

Tokens of Telegram, Discord, Airtable and others, cookies, the `auth` of a registry,
a key in hex. Part of a hook's path: no `re`; each finder first looks for its mark.
Imports the tables and `store.secret_values`.
"""

from __future__ import annotations

from afterword.store.secret_scan import CREDENTIAL, begins_token, is_user_password
from afterword.store.secret_shapes import (
    ALNUM,
    BASE64,
    DIGITS,
    DOTTED,
    HEX,
    LOWER,
    TOKEN,
    UPPER,
    Found,
)
from afterword.store.secret_values import is_mixed, run_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Chars = frozenset[str]
    Row = tuple[str, str, Chars, int, int, Chars, int]

_HASH = ALNUM | frozenset("./$")
_CLIENT = DOTTED | {"~"}

# kind, mark, characters before it and how many (least, most), those behind it (least)
_MARKED: tuple[Row, ...] = (
    ("telegram-token", ":AA", DIGITS, 8, 10, TOKEN, 30),
    ("mailchimp-key", "-us", HEX, 32, 32, DIGITS, 1),
    ("password-hash", "$2a$", ALNUM, 0, 0, _HASH, 50),
    ("password-hash", "$2b$", ALNUM, 0, 0, _HASH, 50),
    ("password-hash", "$2y$", ALNUM, 0, 0, _HASH, 50),
    ("azure-client-secret", "8Q~", TOKEN, 3, 3, _CLIENT, 31),
    ("azure-client-secret", "7Q~", TOKEN, 3, 3, _CLIENT, 31),
    ("vault-token", "s.", ALNUM, 0, 0, ALNUM, 24),
    ("airtable-token", ".", ALNUM, 17, 17, HEX, 64),
    ("discord-token", ".", TOKEN, 23, 28, DOTTED, 33),
)
_LONGEST = {"mailchimp-key": 3, "vault-token": 24, "airtable-token": 64}

_SESSIONS = ("sid=", "sessid=", "session=", "sessionid=", "session_id=")
_COOKIES = ("cookie: ", "cookie:", "cookie=")
_BASE64 = BASE64 - {"="}
_VALUE = CREDENTIAL | frozenset("%:!*")
_AROUND = frozenset("\"' :=")
_TELLING = ("key", "secret", "seed", "priv", "wallet")


def marked(text: str) -> list[Found]:
    """Every secret of these forms in the text, in no order."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = text
    found = [*_tokens(text)]
    if "sid" in lower or "sess" in lower or "cookie" in lower:
        found += _cookies(text, lower)
    if "auth" in lower:
        found += _registry_auths(text, lower)
    if any(word in lower for word in _TELLING):
        found += _hex_keys(text, lower)
    return found


def _tokens(text: str) -> Iterator[Found]:
    for kind, mark, before, least, most, behind, length in _MARKED:
        at = text.find(mark) if len(text) >= length else -1
        while at >= 0:
            rest = at + len(mark)
            end = run_end(text, rest, behind)
            start = at
            while at - start <= most and start and text[start - 1] in before:
                start -= 1
            fits = end - rest >= length and least <= at - start <= most
            if (
                fits
                and end - rest <= _LONGEST.get(kind, 512)
                and begins_token(text, start)
            ):
                value = text[start:end]
                if _is_complete(kind, value, rest - start):
                    yield Found(start=start, end=end, kind=kind)
            at = text.find(mark, rest)


def _is_complete(kind: str, value: str, head: int) -> bool:
    """What the form alone leaves open; `head` is the length with the mark."""
    if kind == "airtable-token":
        return value.startswith("pat")
    if kind == "discord-token":
        middle, _, last = value[head:].partition(".")
        return len(middle) in (6, 7) and len(last) >= 27 and _is_mix(value[: head - 1])
    if kind in ("vault-token", "azure-client-secret"):
        return _is_mix(value[head:])
    return True


def _is_mix(value: str) -> bool:
    """Letters of both cases and a digit."""
    return not any(map(frozenset(value).isdisjoint, (UPPER, LOWER, DIGITS)))


def _cookies(text: str, lower: str) -> Iterator[Found]:
    """`sessionid=...` anywhere, and each value of a `Cookie:` header."""
    for name in _SESSIONS:
        at = lower.find(name)
        while at >= 0:
            start = run_end(text, at + len(name), _AROUND, 2)
            at = end = run_end(text, start, _VALUE, 4096)
            if _is_session(text[start:end]):
                yield Found(start=start, end=end, kind="cookie")
            at = lower.find(name, at)
    for name in _COOKIES:
        at = lower.find(name)
        while at >= 0:
            start = run_end(text, at + len(name), _AROUND, 2)
            end, found = _pairs(text, start)
            yield from found
            at = lower.find(name, end)


def _is_session(value: str) -> bool:
    """A value of a server: no word, and no id of parts in hex (uuids, our own ids)."""
    if len(value) < 16 or not is_mixed(value):
        return False
    ids = value.split("-")
    return len(ids) == 1 or not all(HEX.issuperset(part) for part in ids if part[1:])


def _pairs(text: str, start: int) -> tuple[int, list[Found]]:
    """Where the pairs `name=value; ...` end, and the values that are no words."""
    found: list[Found] = []
    while True:
        value = run_end(text, start, DOTTED, 64)
        if text[value : value + 1] != "=" or value == start:
            return max(value, start), found
        end = run_end(text, value + 1, _VALUE, 4096)
        if end - value > 8 and is_mixed(text[value + 1 : end]):
            found.append(Found(start=value + 1, end=end, kind="cookie"))
        start = run_end(text, end, frozenset("; "), 3)
        if start == end:
            return end, found


def _registry_auths(text: str, lower: str) -> Iterator[Found]:
    """`"auth": "<user:password in base64>"`, as registries of images keep it."""
    at = lower.find("auth")
    while at >= 0:
        start = run_end(text, at + 4, _AROUND, 6)
        end = run_end(text, start, _BASE64, 4096) if start > at + 4 else start
        end = run_end(text, end, frozenset("="), 2) if end > start else end
        if end - start >= 8 and is_user_password(text[start:end]):
            yield Found(start=start, end=end, kind="registry-auth")
        at = lower.find("auth", at + 4)


def _hex_keys(text: str, lower: str) -> Iterator[Found]:
    """`0x` and 64 digits of hex behind a word that says what they are."""
    at = lower.find("0x")
    while at >= 0:
        end = run_end(lower, at + 2, HEX)
        near = lower[max(at - 40, 0) : at]
        if end - at == 66 and any(word in near for word in _TELLING):
            yield Found(start=at, end=end, kind="hex-key")
        at = lower.find("0x", max(end, at + 2))
