"""Texts that no command has masked and that a hook had better not keep.

Trailers, names of branches, watched paths: here looks are enough, since a command
checks what is withheld. Part of a hook's path: no `re`. Imports the tables of
`store.secret_shapes`, `store.secret_values` and `store.secret_folding`.
"""

from __future__ import annotations

from afterword.store import secret_folding
from afterword.store.secret_scan import Keeping, has_piece
from afterword.store.secret_shapes import ALNUM, DIGITS, HEX, LOWER, UPPER
from afterword.store.secret_values import PROSE, is_standin, is_wordy

# A token shorter than this is not told by its looks, nor one with fewer odd characters.
_SHORTEST, _ODD = 20, 16
_ABBREVIATED = 12  # hex up to here is an abbreviated commit or a part of a uuid
_DIGESTS = (40, 64)
_ANNOUNCE = (
    "secret token passw passphrase credential api key api_key apikey api-key auth"
    " bearer private signing encryption cookie session"
)
_ANNOUNCED_BY = tuple(_ANNOUNCE.replace("api key", "api+key").split())
_HASHES = ("md5", "sha", "digest", "checksum", "hash", "uuid", "commit", "etag")
_NAMES = "pass password passwd passphrase passcode secret token key pwd pin"
_SPOKEN = tuple(_NAMES.split())
_VERBS = frozenset(("is", "was", "are", "=", ":", "to"))
_CLIENTS = ("mysql", "mariadb", "mongo", "sshpass", "ldap", "redis")
_SEEDS = ("seed", "mnemonic", "recovery", "wallet")
_EDGES = "\"'`.,;:!?()[]{}<>"

_TO_RUNS, _TO_WORDS = Keeping(ALNUM | frozenset("_-+/.~")), Keeping(ALNUM)
_VOWELS = frozenset("aeiouy")
_CAMEL = {ord(char): " " + char for char in UPPER}
_CAMEL.update({ord(char): " " for char in DIGITS})


def kind(text: str) -> str:
    """What a text may hold that has no known shape, or ""."""
    if secret_folding.hides(text):
        text = secret_folding.plain(text)
    lower = text.lower()
    words = text.split()
    return (
        _spoken(words)
        or _on_command_line(words, lower)
        or _seed_phrase(lower)
        or _in_runs(text, lower)
    )


def _in_runs(text: str, lower: str) -> str:
    if not has_piece(text, 16):
        return ""
    runs = [run for run in text.translate(_TO_RUNS).split() if len(run) >= 16]
    if not runs:
        return ""
    if ("cookie" in lower or "sess" in lower or "sid=" in lower) and any(
        map(_is_cookie, runs)
    ):
        return "cookie"
    announced = any(word in lower for word in _ANNOUNCED_BY) or "api key" in lower
    hashed = any(word in lower for word in _HASHES)
    for run in runs:
        if len(run) >= _SHORTEST and _is_random(run, announced, hashed):
            return "random-string"
    return ""


def _is_cookie(run: str) -> bool:
    return any(
        len(word) >= 16 and not DIGITS.isdisjoint(word) and not is_wordy(word)
        for word in run.translate(_TO_WORDS).split()
    )


def _is_random(run: str, announced: bool, hashed: bool) -> bool:
    """Whether the words of a run, by separators, are for the most part none."""
    odd = 0
    for word in run.translate(_TO_WORDS).split():
        if word[:2] in ("0x", "0X") and len(word) >= 34 and is_hex(word[2:]):
            return True
        if is_hex(word) and len(word) > _ABBREVIATED:
            if _is_odd_hex(word, announced, hashed):
                return True
        elif _is_odd(word):
            odd += len(word)
    return odd >= _ODD


def is_hex(word: str) -> bool:
    """Hex in one case, and not digits alone."""
    one_case = HEX.issuperset(word) or (HEX.issuperset(word.lower()) and word.isupper())
    return one_case and not word.isdigit()


def _is_odd_hex(word: str, announced: bool, hashed: bool) -> bool:
    """A digest passes, unless it spells something or is announced as a secret."""
    if len(word) < _SHORTEST or (announced and len(word) >= 32):
        return len(word) >= _SHORTEST
    if spelled(word):
        return True
    return not (hashed or len(word) in _DIGESTS)


def spelled(word: str) -> str:
    """What hex spells when that is nothing but printable ASCII, else ""."""
    if len(word) % 2 or len(word) < _SHORTEST:
        return ""
    text = bytes.fromhex(word).decode("latin-1")
    return text if text.isascii() and text.isprintable() else ""


def _is_odd(word: str) -> bool:
    """No word, no number, no name of a program: digits amid letters, or odd capitals."""
    if len(word) < 4 or word.isdigit() or is_hex(word):
        return False
    core = word.strip("0123456789")
    if core.isalpha() and (core.islower() or core.isupper() or core.istitle()):
        return False
    if LOWER.isdisjoint(word) or UPPER.isdisjoint(word):
        return True
    if word[0] == "I" and len(word) == 41 and is_hex(word[1:]):  # Gerrit's Change-Id
        return False
    named = sum(map(_named, word.translate(_CAMEL).split()))
    return named * 10 < len(word) * 6


def _named(part: str) -> int:
    return 0 if len(part) < 4 or _VOWELS.isdisjoint(part[1:]) else len(part)


def _spoken(words: list[str]) -> str:
    """`the password is hunter2`, `login me password pw12`, `db_pass: QwErTy`."""
    for at, word in enumerate(words[:-1]):
        name = word.strip(_EDGES).lower()
        if not name.endswith(_SPOKEN):
            continue
        said = words[at + 1].lower() in _VERBS and at + 2 < len(words)
        value = words[at + 2 if said else at + 1].strip(_EDGES)
        is_password = "pass" in name or "pwd" in name
        announced = said or is_password or word[-1] in ":="
        if announced and _is_value(value, 4 if is_password else 6):
            return "assigned-secret"
    return ""


def _is_value(value: str, least: int) -> bool:
    """Digits, signs or odd capitals: more than a word of the sentence."""
    is_word = DIGITS.isdisjoint(value) and _mild(value) and is_wordy(value)
    return len(value) >= least and not is_word and not is_standin(value)


def _mild(value: str) -> bool:
    """Letters with nothing among them that prose has not."""
    return value.translate(_TO_SPACE).replace(" ", "").isalpha()


_TO_SPACE = str.maketrans("-_./'()\u2019,", "         ")


def _on_command_line(words: list[str], lower: str) -> str:
    """`-u name:password`, and `-pPASSWORD` of the clients of databases."""
    if not any(option in lower for option in ("-u", "-p", "-a ")):
        return ""
    is_client = any(client in lower for client in _CLIENTS)
    for at, word in enumerate(words):
        option, _, value = word.partition("=")
        if option in ("-u", "--user", "--proxy-user"):
            value = value or "".join(words[at + 1 : at + 2])
        elif word[:2] == "-u":
            value = word[2:]
        else:
            value = ""
        name, _, secret = value.strip("\"'").partition(":")
        if len(secret) > 3 and not (name + secret).isdigit() and not is_standin(secret):
            return "basic-auth"
        given = word[2:].strip("\"'")
        if word == "-a":  # of redis-cli
            given = "".join(words[at + 1 : at + 2])
        if (
            is_client
            and word[:2] in ("-p", "-a")
            and len(given) > 2
            and not is_standin(given)
        ):
            return "assigned-secret"
    return ""


def _seed_phrase(lower: str) -> str:
    """Twelve plain words in a row, in a text that speaks of such a phrase."""
    if not any(word in lower for word in _SEEDS):
        return ""
    words = lower.replace("=", " ").replace(":", " ").split()
    row = 0
    for word in words:
        bare = word.strip(_EDGES)
        fits = 3 <= len(bare) <= 8 and bare.isalpha()
        row = row + 1 if fits and bare not in PROSE else 0
        if row == 12:
            return "seed-phrase"
    return ""
