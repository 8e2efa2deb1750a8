"""A text as it reads when nothing hides its letters: wide forms, zero widths, `%5F`.

`plain` is part of a hook's path; `places` also tells where each character came from,
for `store.secret_masking`. Both leave a text alone that hides nothing. No imports.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_ROUNDS = 3  # `%255F` is `%5F` encoded once more
_HEX = frozenset("0123456789abcdefABCDEF")
# Characters that show nothing: soft hyphen, joiners, marks of direction, byte order.
_UNSEEN = (0xAD, 0x34F, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F))
_UNSEEN += (*range(0x2060, 0x2065), *range(0xFE00, 0xFE10), 0xFEFF)
_FOLD: dict[int, str] = dict.fromkeys(_UNSEEN, "")
_FOLD.update((code, chr(code - 0xFEE0)) for code in range(0xFF01, 0xFF5F))


def hides(text: str) -> bool:
    """Whether there may be something to fold; cheap."""
    return "%" in text or not text.isascii()


def plain(text: str) -> str:
    """The text folded: full-width forms narrow, unseen characters gone, `%XX` decoded."""
    for _ in range(_ROUNDS):
        before = text
        text = text if text.isascii() else text.translate(_FOLD)
        text = _decoded(text) if "%" in text else text
        if text == before:
            break
    return text


def _decoded(text: str) -> str:
    first, *others = text.split("%")
    found = [first]
    for other in others:
        code = other[:2]
        is_code = len(code) == 2 and _HEX.issuperset(code)
        found.append(chr(int(code, 16)) + other[2:] if is_code else "%" + other)
    return "".join(found)


def places(text: str) -> tuple[str, list[int]]:
    """The folded text, and the place in the original of each character and of its end."""
    at: list[int] = list(range(len(text) + 1))
    for _ in range(_ROUNDS):
        folded, back = _once(text)
        if folded == text:
            break
        text, at = folded, [at[place] for place in back]
    return text, at


def _once(text: str) -> tuple[str, Sequence[int]]:
    kept: list[str] = []
    back: list[int] = []
    at = 0
    while at < len(text):
        code = text[at + 1 : at + 3] if text[at] == "%" else ""
        is_code = len(code) == 2 and _HEX.issuperset(code)
        shown = chr(int(code, 16)) if is_code else _FOLD.get(ord(text[at]), text[at])
        if shown:
            kept.append(shown)
            back.append(at)
        at += 3 if is_code else 1
    return "".join(kept), [*back, len(text)]
