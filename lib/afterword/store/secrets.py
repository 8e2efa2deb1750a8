"""Secrets in text: told by a hook, replaced by a command (HAZARDS H64).

`hits_prefix` is part of a hook's path and knows literal shapes only; `mask` adds what
needs time and libraries (`store.secret_masking`, loaded when called). Imports the
other `store.secret*` modules.
"""

from __future__ import annotations

from afterword.model import Model
from afterword.store.secret_scan import (
    base64_runs,
    decodings,
    headers,
    private_keys,
    shaped,
    url_passwords,
)
from afterword.store.secret_shapes import Found
from afterword.store.secret_values import assigned, is_wordy

# A hook does not search longer texts: it withholds them.
_LONGEST = 16384


class Masked(Model):
    """A text without its secrets, and the kinds of those that it held, each once."""

    text: str
    kinds: tuple[str, ...] = ()


def mask(text: str) -> Masked:
    """The text with each secret replaced by `[masked: <kind>]`; masking twice changes nothing."""
    from afterword.store import secret_masking

    masked, kinds = secret_masking.mask(text)
    return Masked(text=masked, kinds=kinds)


def hits_prefix(text: str) -> str:
    """The kind of the first secret that has a known shape in the text, or "".

    Looks through line breaks and base64 as well. A hit means: withhold this text
    until a command has run `mask` on it. Above 16,384 characters it is `unchecked`.
    """
    if len(text) > _LONGEST:
        return "unchecked"
    found = spans(text)
    if found:
        return found[0].kind
    return _hit_when_joined(text) or _hit_in_base64(text)


def spans(text: str) -> list[Found]:
    """Every literal shape in the text, each in one piece, by position; they may overlap."""
    found = [*shaped(text), *private_keys(text), *url_passwords(text)]
    found += [*headers(text), *assigned(text)]
    return sorted(found, key=lambda one: (one.start, -one.end))


def _hit_when_joined(text: str) -> str:
    """Shapes that a line break or spaces cut in two; only unmistakable tokens count."""
    pieces = text.split()
    if len(pieces) < 2:
        return ""
    odd = [piece for piece in pieces if len(piece) > 3 and not is_wordy(piece)]
    joined = "\n".join(_neighbours(pieces))
    for one in shaped(joined) if odd else ():
        token = joined[one.start : one.end]
        if any(piece in token for piece in odd):
            return one.kind
    return ""


def _neighbours(pieces: list[str]) -> list[str]:
    """From each piece on, what it and the pieces behind it spell: so each may begin a token."""
    return ["".join(pieces[at : at + 8]) for at in range(len(pieces))]


def _hit_in_base64(text: str) -> str:
    for run in base64_runs(text):
        for plain in decodings(run):
            for one in shaped(plain) or private_keys(plain) or assigned(plain):
                return one.kind
    return ""
