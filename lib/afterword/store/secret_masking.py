"""Finds secrets thoroughly and replaces them: what commands do before text is kept.

Adds to the literal shapes: tokens cut by line breaks or spaces, base64, random
strings, a few command-line habits, and the plugins of detect-secrets. Loaded by
`store.secrets.mask` only, never by a hook's usual path. Imports `re`, detect-secrets
(inside a function: it takes 0.1 s) and the other `store.secret*` modules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module

from afterword.store import (
    secret_doubt,
    secret_folding,
    secret_habits,
    secret_random,
    secret_scan,
    secrets,
)
from afterword.store.secret_joined import GAP, Joined
from afterword.store.secret_random import goes_on, looks_random
from afterword.store.secret_shapes import ALNUM, BASE64, CAPITALS, SHAPES, Found
from afterword.store.secret_values import (
    is_standin,
    is_wordy,
    not_prose,
    run_end,
)

_MASK = re.compile(r"(\[masked: [a-z0-9-]+\])")
_ROUNDS = 6

_PADDING = frozenset("=")
# A secret is not spelled over more parts than this, and its first part is no longer.
_MOST_PIECES = 12
_LONGEST_PIECE = 512

_BASE64_RUN = re.compile(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_HEX_RUN = re.compile(r"(?<![0-9A-Za-z])(?:[0-9a-f]{20,}|[0-9A-F]{20,})(?![0-9A-Za-z])")
_SUSPICIOUS = re.compile(r"(?=[^\s]{0,200}\d)[A-Za-z0-9_:.-]{20,}")
_PLUGINS = (
    "cloudant.CloudantDetector discord.DiscordBotTokenDetector github_token.GitHubTokenDetector"
    " gitlab_token.GitLabTokenDetector ibm_cloud_iam.IbmCloudIamDetector"
    " ibm_cos_hmac.IbmCosHmacDetector jwt.JwtTokenDetector mailchimp.MailchimpDetector"
    " npm.NpmDetector openai.OpenAIDetector pypi_token.PypiTokenDetector"
    " sendgrid.SendGridDetector slack.SlackDetector softlayer.SoftlayerDetector"
    " square_oauth.SquareOAuthDetector stripe.StripeDetector telegram_token.TelegramBotTokenDetector"
    " twilio.TwilioKeyDetector artifactory.ArtifactoryDetector aws.AWSKeyDetector"
    " azure_storage_key.AzureStorageKeyDetector"
)


def mask(text: str) -> tuple[str, tuple[str, ...]]:
    """The masked text, and the kinds found, in order of their first place."""
    kinds: list[str] = []
    for _ in range(_ROUNDS):  # what is left may show another secret
        parts = _MASK.split(text)
        parts[::2] = [_masked(part, kinds) for part in parts[::2]]
        joined = "".join(parts)
        if joined == text:
            break
        text = joined
    return text, tuple(dict.fromkeys(kinds))


def _masked(text: str, kinds: list[str]) -> str:
    kept, at = [], 0
    for one in _merged(_all_spans(text)):
        kept += [text[at : one.start], f"[masked: {one.kind}]"]
        kinds.append(one.kind)
        at = one.end
    return "".join([*kept, text[at:]])


def _merged(found: Iterable[Found]) -> list[Found]:
    """Overlapping places made one, named after the first of them that was found."""
    ranked = list(enumerate(found))
    ranked.sort(key=lambda pair: pair[1].start)
    merged: list[tuple[int, Found]] = []
    for rank, one in ranked:
        if merged and one.start < merged[-1][1].end:
            best, last = merged[-1]
            kind = one.kind if rank < best else last.kind
            whole = last.replace(end=max(last.end, one.end), kind=kind)
            merged[-1] = (min(rank, best), whole)
        else:
            merged.append((rank, one))
    return [one for _, one in merged]


def _all_spans(text: str) -> Iterator[Found]:
    """Every place, the most telling finders first; the name of a place is its first finder's."""
    if len(text) < 6:
        return
    yield from _plain_spans(text)
    yield from _in_hex(text)
    if secret_folding.hides(text):
        yield from _in_disguise(text)


def _in_disguise(text: str) -> Iterator[Found]:
    """What shows when wide forms, unseen characters and `%5F` are read as plain ones."""
    plain, at = secret_folding.places(text)
    for one in _plain_spans(plain) if plain != text else ():
        yield one.replace(start=at[one.start], end=at[one.end])


def _in_hex(text: str) -> Iterator[Found]:
    """Secrets whose letters are written as hex: the whole run."""
    for run in _HEX_RUN.finditer(text):
        plain = secret_doubt.spelled(run.group().lower())
        for one in _plain_spans(plain) if plain else ():
            yield Found(start=run.start(), end=run.end(), kind=f"hex-{one.kind}")
            break


def _plain_spans(text: str) -> Iterator[Found]:
    literal = secrets.spans(text)
    yield from (_extended(text, one) for one in literal)
    joined = Joined(text)
    yield from _cut_tokens(joined)
    yield from _in_base64(joined)
    yield from _by_plugins(joined)
    yield from secret_habits.spans(text)
    yield from secret_random.spans(text)
    yield from secret_random.folded(joined)


def _cut_tokens(joined: Joined) -> Iterator[Found]:
    """Known shapes that lie over more than one piece."""
    for kind, prefix, chars, least in SHAPES:
        at = joined.text.find(prefix)
        while at >= 0:
            rest = at + len(prefix)
            near = joined.end_of(joined.piece(at)) - at < _LONGEST_PIECE
            end = _token_end(joined, at, rest, chars, least) if near else 0
            start = _begin(joined, at) if prefix[0] == "." else at
            begins = secret_scan.begins_token(joined.original, joined.place(start))
            if end and begins and joined.piece(start) != joined.piece(end - 1):
                yield joined.span(start, end, kind)
            at = joined.text.find(prefix, rest)


def _begin(joined: Joined, at: int) -> int:
    """Where a token begins whose mark stands in its middle: a piece or two before it."""
    piece = joined.piece(at)
    start = joined.starts[piece]
    head = joined.text[joined.starts[piece - 1] : start] if piece else ""
    return start - len(head) if ALNUM.issuperset(head) and looks_random(head) else start


def _token_end(
    joined: Joined, at: int, rest: int, chars: frozenset[str], least: int
) -> int:
    """Where the token ends that is put together piece by piece; 0 when there is none."""
    parts: list[str] = []
    end = rest
    for begin, stop in joined.stretches(rest, _MOST_PIECES):
        run = run_end(joined.text, begin, chars, stop - begin)
        part = joined.text[begin:run]
        if end - rest >= least and (not goes_on(part) or secret_scan.shaped(part)):
            break
        parts.append(part)
        end = run
        if run < stop:  # something else stands behind
            break
    whole = joined.text[rest:end]
    if len(whole) < least or not secret_scan.is_random(whole, joined.text[at:rest]):
        return 0
    # Complete in its first part, or of capitals only, it needs no further proof.
    sure = len(parts[0]) >= least or chars == CAPITALS
    return end if sure or not_prose(parts) else 0


def _extended(text: str, one: Found) -> Found:
    """The place with the random parts that a line break cut off from it."""
    end = one.end
    value = text[one.start : end]
    if one.kind == "private-key" or len(value) < 12:
        return one
    if one.kind == "assigned-secret" and is_wordy(value):
        return one
    while gap := GAP.match(text, end):
        stop = run_end(text, gap.end(), BASE64 | {"-", "_", "."}, 4096)
        part = text[gap.end() : stop].rstrip(".")
        if "\n" not in gap.group() or not goes_on(part):
            break
        end = gap.end() + len(part)
    return one.replace(end=end)


def _in_base64(joined: Joined) -> Iterator[Found]:
    """Secrets inside base64, wrapped or not: the characters that spell the secret."""
    for run in _BASE64_RUN.finditer(joined.text):
        parts = joined.parts(*run.span())
        starts = [run.start()]
        for part in parts if len(parts) > 1 else ():  # each may stand for itself
            yield from _decoded(joined, starts[-1], part)
            starts.append(starts[-1] + len(part))
        yield from _decoded(joined, run.start(), run.group())


def _decoded(joined: Joined, at: int, run: str) -> Iterator[Found]:
    for offset, plain in enumerate(secret_scan.decodings(run) if len(run) > 19 else ()):
        done = 0
        for one in _inside(plain):
            start = at + offset + one.start * 4 // 3
            end = min(at + offset - (-one.end * 4 // 3), at + len(run))
            place = joined.span(start, end, f"base64-{one.kind}")
            if place.end > done:  # several secrets may share one word of base64
                place = _widened(place, joined.original)
                done = place.end
                yield place


def _inside(plain: str) -> list[Found]:
    if len(plain) - sum(map(str.isprintable, plain)) <= len(plain) // 8:
        return list(_all_spans(plain))  # really a text
    return [*secret_scan.shaped(plain), *secret_scan.private_keys(plain)]


def _widened(one: Found, text: str) -> Found:
    """To the ends of the base64 word, so that no half of it is left."""
    start, end = one.start, one.end
    while start and text[start - 1] in ALNUM:
        start -= 1
    while end < len(text) and text[end] in ALNUM:
        end += 1
    return one.replace(start=start, end=run_end(text, end, _PADDING))


def _by_plugins(joined: Joined) -> Iterator[Found]:
    """What the plugins of detect-secrets know; loaded only for text that could hold it."""
    if not _SUSPICIOUS.search(joined.text):
        return
    for kind, find in _plugins():
        for value in sorted({*find(joined.original), *find(joined.text)}):
            yield from _places(joined, value.strip("\"'\n =:"), kind)


def _places(joined: Joined, value: str, kind: str) -> Iterator[Found]:
    """Where the value stands, in one piece or in several that are no prose."""
    if len(value) < 8 or is_wordy(value) or is_standin(value):
        return
    for hit in re.finditer(re.escape(value), joined.text):
        parts = joined.parts(*hit.span())
        while len(parts) > 1 and is_wordy(parts[-1]):  # the sentence that goes on
            parts.pop()
        if len(parts) == 1 or not_prose(parts):
            yield joined.span(hit.start(), hit.start() + sum(map(len, parts)), kind)


@cache
def _plugins() -> list[tuple[str, Callable[[str], Iterable[str]]]]:
    """Kind and finder of each plugin; making them takes longer than asking them."""
    found = []
    for name in _PLUGINS.split():
        module, _, plugin = name.partition(".")
        one = getattr(import_module(f"detect_secrets.plugins.{module}"), plugin)()
        kind = re.sub("[^a-z0-9]+", "-", one.secret_type.lower()).strip("-")
        found.append((kind, one.analyze_string))
    return found
