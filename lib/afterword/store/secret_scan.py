"""Secrets known by their literal shape: a prefix, a key block, a URL, a header, base64.

Part of a hook's path: string searches, no `re`. Each finder takes a text and gives
the places found, in one piece. Imports `binascii` and the other `store.secret*` tables.
"""

from __future__ import annotations

from binascii import Error as _Base64Error
from binascii import a2b_base64

from afterword.store.secret_shapes import (
    ALNUM,
    BASE64,
    CAPITALS,
    DIGITS,
    DOTTED,
    LOWER,
    SHAPES,
    SHORTEST,
    UPPER,
    WORD,
    Found,
)
from afterword.store.secret_values import VALUE_ENDS, is_mixed, is_standin, run_end

# Prefixes that are also the beginning of ordinary words.
_COMMON = frozenset(["sk-", "key-", "pypi-", "xai-", "SG."])
_SCHEMES = (("bearer ", 16), ("basic ", 8), ("authorization: ", 16), ("ssws ", 20))
_KEY_BEGIN, _KEY_END, _DASHES = "-----BEGIN ", "-----END ", "-----"
_AUTHORITY_ENDS = VALUE_ENDS | frozenset("/?#<")
# What stands before the @ of a URL and is that long, with digits, is nobody's name.
_TOKEN_USER = 20
CREDENTIAL = BASE64 | DOTTED | {"~"}


def shaped(text: str) -> list[Found]:
    """Every token that begins with a known prefix and goes on as its issuer's tokens do."""
    found: list[Found] = []
    if not has_piece(text, SHORTEST):
        return found
    for kind, prefix, chars, least in [row for row in SHAPES if row[1] in text]:
        at = text.find(prefix)
        while at >= 0:
            rest = at + len(prefix)
            end = run_end(text, rest, chars)
            start = _word_start(text, at) if prefix[0] == "." else at
            # A sign like & parts the token from what stands before.
            begins = prefix[0] in "&?" or begins_token(text, start)
            fits = end - rest >= least and begins
            if fits and is_random(text[rest:end], prefix):
                end = run_end(text, end, chars, 4096)
                found.append(Found(start=start, end=end, kind=kind))
                rest = end
            at = text.find(prefix, rest)
    return found


def has_piece(text: str, least: int) -> bool:
    """Whether anything in the text is that long without a space: most prose has nothing."""
    return any(len(piece) >= least for piece in text.split())


def _word_start(text: str, at: int) -> int:
    """For a mark in the middle of a token: where the token begins."""
    while at and text[at - 1] in WORD:
        at -= 1
    return at


def begins_token(text: str, at: int) -> bool:
    r"""Not in the middle of a word: `task-` holds no `sk-`; a written `\n` is no letter."""
    before = text[at - 1 : at] if at else ""
    if before in ("-", "_") and text.startswith("sk-", at):
        return False
    return before not in ALNUM or text[max(at - 2, 0) : at - 1] == "\\"


def is_random(rest: str, prefix: str) -> bool:
    """Whether what follows the prefix could be random: it has digits, or mixes its cases."""
    if prefix == "eyJ":
        return "." in rest or len(rest) > 60
    if len(set(rest)) < 4 or set(rest) <= set("xX_-."):
        return False
    has_digit = not DIGITS.isdisjoint(rest)
    if len(prefix) == 4 and prefix.isupper() and CAPITALS.issuperset(rest):
        return len(rest) == 16 and (has_digit or prefix == "AKIA")
    if prefix in _COMMON:
        return is_mixed(rest)
    return has_digit or not (UPPER.isdisjoint(rest) or LOWER.isdisjoint(rest))


def private_keys(text: str) -> list[Found]:
    """Private key blocks, to their last line; without one, to the end of the text."""
    found = []
    at = text.find(_KEY_BEGIN)
    while at >= 0:
        after = at + len(_KEY_BEGIN)
        if "PRIVATE KEY" in text[at : at + 60]:
            close = text.find(_KEY_END, at)
            last = text.find(_DASHES, close + len(_KEY_END)) if close >= 0 else -1
            after = last + len(_DASHES) if last >= 0 else len(text)
            found.append(Found(start=at, end=after, kind="private-key"))
        at = text.find(_KEY_BEGIN, after)
    at = text.find("PuTTY-User-Key-File-")
    if at >= 0:
        found.append(Found(start=at, end=len(text), kind="private-key"))
    return found


def url_passwords(text: str) -> list[Found]:
    """`scheme://user:password@host`: the password; `scheme://token@host`: the token."""
    found = []
    at = text.find("://")
    while at >= 0:
        end = at + 3
        while end < len(text) and text[end] not in _AUTHORITY_ENDS:
            end += 1
        named, has_host, _ = text[at + 3 : end].rpartition("@")
        user, _, secret = named.partition(":") if has_host else ("", "", "")
        alone = not secret and len(user) >= _TOKEN_USER and is_mixed(user)
        if alone or (secret and not is_standin(secret)):
            start = at + 3 + (0 if alone else len(user) + 1)
            stop = start + len(user if alone else secret)
            found.append(Found(start=start, end=stop, kind="url-password"))
        at = text.find("://", end)
    return found


def headers(text: str) -> list[Found]:
    """The credentials of `Bearer ...`, `Basic ...`, `Authorization: ...`."""
    found = []
    lower = text.lower()
    for scheme, least in _SCHEMES:
        at = lower.find(scheme)
        while at >= 0:
            start = at + len(scheme)
            if lower.startswith("token ", start):
                start += len("token ")
            end = run_end(text, start, CREDENTIAL, 4096)
            if end - start >= least and _is_credential(scheme, text[start:end]):
                found.append(Found(start=start, end=end, kind="authorization"))
            at = lower.find(scheme, end)
    return found


def _is_credential(scheme: str, value: str) -> bool:
    if scheme == "basic ":
        return is_user_password(value)
    return is_mixed(value)


def is_user_password(value: str) -> bool:
    """Whether the value is `user:password` in base64."""
    plain = decodings(value)
    return bool(plain) and ":" in plain[0] and plain[0].isprintable()


class Keeping(dict):  # type: ignore[type-arg]
    """A translation table that keeps some characters and makes every other a space."""

    def __init__(self, kept: frozenset[str]) -> None:
        super().__init__((code, 0x20) for code in range(128))
        self.update((ord(char), ord(char)) for char in kept)

    def __missing__(self, code: int) -> int:
        return 0x20


_ONLY_BASE64 = Keeping(BASE64 | {"-", "_"})


def base64_runs(text: str) -> list[str]:
    """Runs of base64 (or its URL form) long enough to hold a secret: 20 characters."""
    if not has_piece(text, 20):
        return []
    return [run for run in text.translate(_ONLY_BASE64).split() if len(run) >= 20]


def decodings(run: str) -> list[str]:
    """The run decoded at each of the four alignments, in order, as Latin-1 text."""
    body = run.replace("-", "+").replace("_", "/").rstrip("=")
    found = []
    for offset in range(4):
        cut = body[offset:]
        try:
            raw = a2b_base64(cut[: len(cut) - (len(cut) % 4 == 1)] + "===")
        except (_Base64Error, ValueError):
            continue
        found.append(raw.decode("latin-1"))
    return found
