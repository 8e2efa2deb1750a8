"""Secrets known by the name of what they are assigned to, and what is not one.

`password=...`, `API_KEY: "..."`, `--token ...`, `{"secret": "..."}`; against these
stand-ins, code, counts and words. Part of a hook's path: no `re`. Imports the
tables of `store.secret_shapes`.
"""

from __future__ import annotations

from afterword.store.secret_shapes import DIGITS, SECRET_WORDS, STANDINS, WORD, Found

VALUE_ENDS = frozenset(" \t\r\n\"'`,;)}]>|\u201c\u201d\u2019\u3002\uff0c")
_CLOSERS = frozenset("\"'`]) \t")
_SIGNS = ("=>", ":=", "=", ":", "\uff1a")
_CODE = frozenset("( [")
# Words that prose cannot do without and no seed phrase holds.
PROSE = frozenset(
    "the and for was are not but its has have with from into our any which been "
    "never must should than them their were does your".split()
)
_TO_SPACE = str.maketrans("-_./", "    ")
# A quoted value longer than this is no value but text between two quotes.
_LONGEST = 500


def assigned(text: str) -> list[Found]:
    """The values of all names that say they hold a secret."""
    lower = text.lower()
    if len(lower) != len(text):  # some capitals have two small letters; keep the places
        lower = "".join(
            char.lower() if len(char.lower()) == 1 else char for char in text
        )
    found = []
    for word in SECRET_WORDS:
        at = lower.find(word)
        while at >= 0:
            name_end = run_end(text, at + len(word), WORD)
            start, end, sure = _value(text, at, name_end)
            if word == "psk" and not _stands_alone(text, at, name_end):
                start = end
            suffix = text[at + len(word) : name_end]
            if start < end and is_secret_value(text[start:end], sure, suffix):
                found.append(Found(start=start, end=end, kind="assigned-secret"))
            at = lower.find(word, at + len(word))
    return found


def _stands_alone(text: str, at: int, end: int) -> bool:
    """For a name so short that it stands in words: no letter before or behind it."""
    return end == at + 3 and not text[max(at - 1, 0) : at].isalpha()


def run_end(text: str, at: int, chars: frozenset[str], most: int = 512) -> int:
    """Behind the last of the characters, `most` at most, that follow `at` without a gap."""
    last = min(len(text), at + most)
    while at < last and text[at] in chars:
        at += 1
    return at


def _value(text: str, name: int, at: int) -> tuple[int, int, bool]:
    """Span of the value behind the name, and whether the form leaves no doubt."""
    gap = at
    at = run_end(text, at, _CLOSERS, 8)
    sign = next((one for one in _SIGNS if text.startswith(one, at)), "")
    is_flag = text[max(name - 2, 0) : name] == "--" and at > gap
    if not (sign or is_flag) or text.startswith("==", at):
        return 0, 0, False
    start = run_end(text, at + len(sign), frozenset(" \t"), 8)
    if text[start : start + 1] in ("'", '"', "`"):
        end = text.find(text[start], start + 1, start + _LONGEST)
        return (start + 1, end, True) if end >= 0 else (0, 0, False)
    end = start
    while end < min(len(text), start + _LONGEST) and text[end] not in VALUE_ENDS:
        end += 1
    return start, end, at == gap and sign == "=" and start == at + 1


def is_secret_value(value: str, sure: bool, suffix: str = "") -> bool:
    """Whether the value of a name is a secret: no stand-in, code, count or word.

    `sure` says that the form leaves no doubt (quotes, or `=` without spaces);
    `suffix` is the rest of the name, which may turn a secret into a count of them.
    """
    value = value.rstrip(".:!?")
    if len(value) < 4 or is_standin(value) or not _CODE.isdisjoint(value):
        return False
    plural = suffix.strip("sS_0123456789")
    if value.replace(",", "").replace("_", "").isdigit():
        return sure and len(value) >= 6 and not suffix
    if value.replace("_", "").replace(".", "").isalpha():
        return sure and value.isalpha() and not plural
    return sure or (len(value) >= 8 and is_mixed(value))


def is_mixed(value: str) -> bool:
    """Whether there are digits and the whole does not read like words and numbers."""
    return not DIGITS.isdisjoint(value) and not is_wordy(value)


def is_standin(value: str) -> bool:
    """Whether the value points elsewhere or is shown as an example."""
    lower = value.lower()
    return lower.startswith(STANDINS) or set(lower) <= set("x*.-_#?") or lower == "pass"


def is_wordy(text: str) -> bool:
    """Whether the text reads like words and numbers: no digit amid letters, no odd capitals."""
    return all(_is_word(part) for part in text.translate(_TO_SPACE).split())


def _is_word(part: str) -> bool:
    if part.isdigit():
        return True
    return part.isalpha() and (part.islower() or part.isupper() or part.istitle())


def not_prose(parts: list[str]) -> bool:
    """Whether parts of a token, cut by spaces, are no sentence that happens to fit.

    At least half of it stands in parts that are no words, or every part is short.
    """
    odd = sum(len(part) for part in parts if not is_wordy(part))
    whole = "".join(parts)
    return 2 * odd >= len(whole) or (max(map(len, parts)) <= 4 and is_mixed(whole))
