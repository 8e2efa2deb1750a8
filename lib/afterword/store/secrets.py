"""Secrets in text: told by a hook, replaced by a command (HAZARDS H64).

`hits_prefix` is part of a hook's path and knows literal shapes only; `mask` adds what
needs time and libraries (`store.secret_masking`, loaded when called). Imports the
other `store.secret*` modules.
"""

from __future__ import annotations

from afterword.model import Model
from afterword.store import secret_folding
from afterword.store.secret_marked import marked
from afterword.store.secret_scan import (
    base64_runs,
    decodings,
    headers,
    private_keys,
    shaped,
    url_passwords,
)
from afterword.store.secret_shapes import DIGITS, LOWER, SHAPES, Found
from afterword.store.secret_values import assigned, is_wordy, not_prose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# A hook does not search longer texts: it withholds them.
_LONGEST = 16384
# A secret is not spelled over more parts than this.
_MOST_PIECES = 8
_MASK_BEGIN = "[masked: "
_LABEL = LOWER | DIGITS | {"-"}


# A closing episode asks twice about each text: for its candidate and for its record.
_judged: dict[str, str] = {}
_MOST_JUDGED = 1000


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
    if text not in _judged:
        if len(_judged) >= _MOST_JUDGED:
            _judged.clear()
        _judged[text] = _first_kind(text)
    return _judged[text]


def is_doubtful(text: str) -> str:
    """What a text that no command has masked may hold, by kind, or "".

    Stricter than `hits_prefix`: looks are enough (random strings, habits of command
    lines, letters in disguise). For trailers, names of branches and paths; a hook
    withholds them until a command has run `mask` on them.
    """
    found = hits_prefix(text)
    if found:
        return found
    from afterword.store import secret_doubt

    key = "doubt:" + text
    if key not in _judged:
        _judged[key] = next(
            filter(None, map(secret_doubt.kind, _between_masks(text))), ""
        )
    return _judged[key]


def _first_kind(text: str) -> str:
    for part in _shown(text):
        found = spans(part)
        kind = found[0].kind if found else ""
        kind = kind or _hit_when_joined(part) or _hit_in_base64(part)
        if kind:
            return kind
    return ""


def _shown(text: str) -> Iterator[str]:
    """What stands between masks, and the same without disguise where it wears one."""
    for part in _between_masks(text):
        yield part
        if secret_folding.hides(part):
            yield secret_folding.plain(part)


def _between_masks(text: str) -> list[str]:
    """The text without its masks, whose labels name secrets and would be taken for them."""
    first, *others = text.split(_MASK_BEGIN)
    found = [first]
    for other in others:
        label, end, rest = other.partition("]")
        if end and label and _LABEL.issuperset(label):
            found.append(rest)
        else:  # no mask of ours
            found[-1] += _MASK_BEGIN + other
    return found


def spans(text: str) -> list[Found]:
    """Every literal shape in the text, each in one piece, by position; they may overlap."""
    found = [*shaped(text), *private_keys(text), *url_passwords(text)]
    found += [*headers(text), *assigned(text), *marked(text)]
    return sorted(found, key=lambda one: (one.start, -one.end))


def _hit_when_joined(text: str) -> str:
    """Shapes that a line break or spaces cut; a sentence that happens to fit does not count."""
    pieces = text.split()
    whole = "".join(pieces)
    if len(pieces) < 2 or not any(row[1] in whole for row in SHAPES):
        return ""
    if all(is_wordy(piece) for piece in pieces):
        return ""
    # From each piece on, what it and those behind it spell: so each may begin a token.
    lines = ["".join(pieces[at : at + _MOST_PIECES]) for at in range(len(pieces))]
    joined = "\n".join(lines)
    for one in shaped(joined):
        at = joined.count("\n", 0, one.start)
        offset = one.start - joined.rfind("\n", 0, one.start) - 1
        parts = _covered(pieces[at : at + _MOST_PIECES], offset, one.end - one.start)
        if len(parts) > 1 and not_prose(parts):
            return one.kind
    return ""


def _covered(pieces: list[str], offset: int, length: int) -> list[str]:
    """The parts of the pieces that a token covers; none when it begins behind the first."""
    found: list[str] = []
    for piece in pieces if offset < len(pieces[0]) else ():
        part = piece[offset : offset + length] if not found else piece[:length]
        if not part:
            break
        found.append(part)
        length -= len(part)
    return found


def _hit_in_base64(text: str) -> str:
    for run in base64_runs(text):
        plain = "\n".join(decodings(run))
        for one in shaped(plain) or private_keys(plain) or assigned(plain):
            return one.kind
    return ""
