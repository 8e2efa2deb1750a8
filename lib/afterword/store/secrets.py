"""Secrets known by their literal shape: a prefix, an assignment, a URL with a password.

Part of a hook's path, so plain string searches and no `re`. One set of rules serves
both halves: `hits_prefix` tells a hook to withhold a text, `mask` (a command) replaces
what is found, here and by `store.secret_masking` (HAZARDS H64). Imports `binascii`.
"""

from __future__ import annotations

from binascii import Error as _Base64Error
from binascii import a2b_base64

from afterword.model import Model
from afterword.store.secret_shapes import (
    ALNUM,
    BASE64,
    CAPITALS,
    DIGITS,
    DOTTED,
    LOWER,
    SECRET_WORDS,
    SHAPES,
    STANDINS,
    UPPER,
    WORD,
)

_VALUE_ENDS = frozenset(" \t\r\n\"'`,;)}]>|\u201c\u201d\u2019")
_CLOSERS = frozenset("\"'`]) \t")
_TO_SPACE = str.maketrans("-_./", "    ")
# Prefixes that are also the beginning of ordinary words.
_COMMON = frozenset(["sk-", "key-", "pypi-", "xai-", "SG."])


class Found(Model):
    """A secret in a text: where it begins and ends, and what kind it is."""

    start: int
    end: int
    kind: str


def hits_prefix(text: str) -> str:
    """The kind of the first secret that has a known shape in the text, or "".

    Looks through line breaks and base64 as well. A hit means: withhold this text
    until a command has run `mask` on it.
    """
    found = spans(text)
    if found:
        return found[0].kind
    return _hit_when_joined(text) or _hit_in_base64(text)


def spans(text: str) -> list[Found]:
    """Every literal shape in the text, each in one piece, by position; they may overlap."""
    found = [*_shaped(text), *_private_keys(text), *_url_passwords(text)]
    found += [*_headers(text), *_assigned(text)]
    return sorted(found, key=lambda one: (one.start, -one.end))


def _hit_when_joined(text: str) -> str:
    """Shapes that a line break or spaces cut in two; only unmistakable tokens count."""
    pieces = text.split()
    if len(pieces) < 2:
        return ""
    joined = "".join(pieces)
    for one in _shaped(joined):
        if not is_wordy(joined[one.start : one.end]) and _is_cut(
            pieces, joined[one.start : one.end]
        ):
            return one.kind
    return ""


def _is_cut(pieces: list[str], token: str) -> bool:
    """Whether at least one whole piece inside the token is itself no word."""
    return any(
        len(piece) > 3 and piece in token and not is_wordy(piece) for piece in pieces
    )


def is_wordy(text: str) -> bool:
    """Whether the text reads like words and numbers: no digit amid letters, no odd capitals."""
    return all(_is_word(part) for part in text.translate(_TO_SPACE).split())


def _is_word(part: str) -> bool:
    if part.isdigit():
        return True
    return part.isalpha() and (part.islower() or part.isupper() or part.istitle())


def _hit_in_base64(text: str) -> str:
    for run in base64_runs(text):
        for plain in decodings(run):
            for one in _shaped(plain) or _private_keys(plain) or _assigned(plain):
                return one.kind
    return ""


class _OnlyBase64(dict):  # type: ignore[type-arg]
    """A translation table that turns every other character into a space."""

    def __missing__(self, code: int) -> int:
        return code if chr(code) in BASE64 or code in (0x2D, 0x5F) else 0x20


_ONLY_BASE64 = _OnlyBase64()


def base64_runs(text: str) -> list[str]:
    """Runs of base64 (or its URL form) long enough to hold a secret: 20 characters."""
    return [run for run in text.translate(_ONLY_BASE64).split() if len(run) >= 20]


def decodings(run: str) -> list[str]:
    """The run decoded at each of the four alignments, as Latin-1 text."""
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


def _shaped(text: str) -> list[Found]:
    found = []
    for kind, prefix, chars, least in SHAPES:
        at = text.find(prefix)
        while at >= 0:
            start, rest = at, at + len(prefix)
            end = run_end(text, rest, chars)
            if prefix[0] == ".":  # a mark in the middle of the token
                while start and text[start - 1] in WORD:
                    start -= 1
            fits = end - rest >= least and begins_token(text, start)
            if fits and is_random(text[rest:end], prefix):
                found.append(Found(start=start, end=end, kind=kind))
            at = text.find(prefix, rest)
    return found


def run_end(text: str, at: int, chars: frozenset[str]) -> int:
    """Behind the last of the characters that follow `at` without a gap."""
    while at < len(text) and text[at] in chars:
        at += 1
    return at


def begins_token(text: str, at: int) -> bool:
    r"""Not in the middle of a word: `task-` holds no `sk-`; a written `\n` is no letter."""
    before = text[at - 1] if at else ""
    if before in ("-", "_") and at > 1 and text[at : at + 3] == "sk-":
        return False
    return before not in ALNUM or text[at - 2 : at - 1] == "\\" or not before


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
        return has_digit and not is_wordy(rest)
    return has_digit or not (UPPER.isdisjoint(rest) or LOWER.isdisjoint(rest))


def _private_keys(text: str) -> list[Found]:
    found = []
    at = text.find("-----BEGIN ")
    while at >= 0:
        head = text[at : at + 60]
        if "PRIVATE KEY" in head:
            close = text.find("-----END ", at)
            line = text.find("-----", close + 9) if close >= 0 else -1
            found.append(
                Found(
                    start=at,
                    end=line + 5 if line >= 0 else len(text),
                    kind="private-key",
                )
            )
        at = text.find("-----BEGIN ", at + 1)
    at = text.find("PuTTY-User-Key-File-")
    return (
        found
        if at < 0
        else [*found, Found(start=at, end=len(text), kind="private-key")]
    )


def _url_passwords(text: str) -> list[Found]:
    """`scheme://user:password@host`: the password alone."""
    found = []
    at = text.find("://")
    while at >= 0:
        end = at + 3
        while (
            end < len(text) and text[end] not in _VALUE_ENDS and text[end] not in "/?#<"
        ):
            end += 1
        user, colon, rest = text[at + 3 : end].partition(":")
        secret = rest.rpartition("@")[0]
        if colon and secret and not is_standin(secret):
            start = at + 4 + len(user)
            found.append(
                Found(start=start, end=start + len(secret), kind="url-password")
            )
        at = text.find("://", at + 3)
    return found


def _headers(text: str) -> list[Found]:
    """The credentials of `Bearer ...` and `Basic ...`."""
    found = []
    lower = text.lower()
    for scheme, least in (("bearer ", 16), ("basic ", 8)):
        at = lower.find(scheme)
        while at >= 0:
            start = at + len(scheme)
            end = run_end(text, start, BASE64 | DOTTED | {"~"})
            if end - start >= least and _is_credential(scheme, text[start:end]):
                found.append(Found(start=start, end=end, kind="authorization"))
            at = lower.find(scheme, start)
    return found


def _is_credential(scheme: str, value: str) -> bool:
    if scheme == "basic ":
        plain = decodings(value)
        return bool(plain) and ":" in plain[0] and plain[0].isprintable()
    return not is_wordy(value) and not DIGITS.isdisjoint(value)


def _assigned(text: str) -> list[Found]:
    """The value of `password=...`, `API_KEY: "..."`, `--token ...`, `{"secret": "..."}`."""
    lower = text.lower()
    found = []
    for word in SECRET_WORDS:
        at = lower.find(word)
        while at >= 0:
            name_end = run_end(text, at + len(word), WORD)
            start, end, sure = _value(text, name_end, flag=lower[:at].endswith("--"))
            value = text[start:end]
            if start < end and is_secret_value(
                value, sure, text[at + len(word) : name_end]
            ):
                found.append(Found(start=start, end=end, kind="assigned-secret"))
            at = lower.find(word, at + 1)
    return found


def _value(text: str, at: int, flag: bool) -> tuple[int, int, bool]:
    """Span of the value behind a name, and whether the form leaves no doubt."""
    gap = at
    while at < len(text) and text[at] in _CLOSERS:
        at += 1
    sign = next((s for s in ("=>", ":=", "=", ":") if text.startswith(s, at)), "")
    if not sign and not (flag and at > gap):
        return 0, 0, False
    tight = at == gap and sign == "="
    at += len(sign)
    if text[at : at + 1] == "=":  # a comparison
        return 0, 0, False
    while text[at : at + 1] in (" ", "\t") and at < len(text):
        tight = False
        at += 1
    quote = text[at : at + 1] if text[at : at + 1] in ("'", '"', "`") else ""
    if quote:
        end = text.find(quote, at + 1)
        return (at + 1, end, True) if 0 <= end <= at + 500 else (0, 0, False)
    end = at
    while end < len(text) and text[end] not in _VALUE_ENDS:
        end += 1
    return at, end, tight


def is_secret_value(value: str, sure: bool, suffix: str = "") -> bool:
    """Whether the value of a secret's name is one: not a stand-in, code, a count or a word."""
    value = value.rstrip(".:!?")
    if len(value) < 4 or is_standin(value) or "(" in value or " " in value:
        return False
    if suffix.strip("sS_0123456789") and value.isdigit():  # token_count=100000
        return False
    if (
        value.replace("_", "").isalpha()
        or value.replace(".", "").replace("_", "").isalpha()
    ):
        return (
            sure and "." not in value and "_" not in value and not suffix.strip("sS_")
        )
    if value.replace(",", "").replace("_", "").isdigit():
        return sure and len(value) >= 6 and not suffix
    return sure or (
        len(value) >= 8 and not DIGITS.isdisjoint(value) and not is_wordy(value)
    )


def is_standin(value: str) -> bool:
    """Whether the value points elsewhere or is shown as an example."""
    lower = value.lower()
    return lower.startswith(STANDINS) or set(lower) <= set("x*.-_#?")
