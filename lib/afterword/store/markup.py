"""Markup in the text of strangers taken out: HTML, link targets, addresses.

Part of a hook's path: no `re`. `safe_text` puts these together with the rest; imports
nothing.
"""

from __future__ import annotations

_LINK = "(link)"
_SCHEME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-")
_OPAQUE_SCHEMES = ("javascript:", "vbscript:", "data:", "mailto:")
_URL_ENDS = frozenset(" \t\n\"'`()[]{}\u2039\u203a|")
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

# What a reader of HTML or a model takes for a tag. Any other `<word>` is a type or a
# placeholder, and its brackets are neutralised instead.
_TAGS = frozenset(
    "a abbr address applet area article aside audio b base bdi bdo big blockquote body br"
    " button canvas caption center cite code col dd del details dialog div dl dt em embed"
    " fieldset figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html"
    " i iframe img input ins kbd label legend li link main map mark marquee math menu meta"
    " nav noscript object ol option output p param picture pre progress q s samp script"
    " section select slot small source span strike strong style sub summary sup svg table"
    " tbody td template textarea tfoot th thead title tr track tt u ul var video wbr"
    " antml assistant command context document documents example function_calls human"
    " important instruction instructions invoke memory parameter persistent-memory policy"
    " prompt reminder result rule rules system system-reminder system_prompt task think"
    " thinking tool tool_call tool_result tool_use tools untrusted user warning".split()
)


def without_html(text: str) -> str:
    """Comments and tags removed; a tag may span what were lines, an open comment takes the rest."""
    if "<" not in text:
        return text
    kept, at = [], 0
    while at < len(text):
        start = text.find("<", at)
        if start < 0:
            start = len(text)
        kept.append(text[at:start])
        at = _tag_end(text, start)
        if at == start and start < len(text):
            kept.append("<")
            at += 1
    return "".join(kept)


def _tag_end(text: str, start: int) -> int:
    """Behind the tag or comment that begins at `start`; `start` itself when none does."""
    if text.startswith("<!--", start):
        end = text.find("-->", start + 4)
        return end + 3 if end >= 0 else len(text)
    is_closing = text[start + 1 : start + 2] in ("/", "!", "?")
    name = start + 2 if is_closing else start + 1
    if text[name : name + 1] not in _LETTERS:
        return start
    end = text.find(">", name)
    inside = text[name:end]
    if end < 0 or "<" in inside or "://" in inside.split(" ")[0]:
        return start  # an autolink is left to the URL rule
    return end + 1 if is_closing or _is_tag(inside) else start


def _is_tag(inside: str) -> bool:
    """Whether `<inside>` is HTML or an instruction's tag, and no type parameter.

    A capital begins a type (`List<Object>`, `Map<A, B>`); attributes belong to tags.
    """
    name, _, rest = inside.rstrip("/ ").replace("/", " ").partition(" ")
    if "=" in rest:
        return True
    is_one_case = name.islower() or (name.isupper() and len(name) > 1)
    return is_one_case and name.lower().partition(":")[0] in _TAGS


def without_links(text: str) -> str:
    """Markdown links and images reduced to their text; `](` and `][` never remain."""
    for _ in range(8):  # links nested in link text
        start = text.find("](")
        if start < 0 or text == (text := _one_pass(text)):
            break
    return text.replace("](", "] (").replace("][", "] [")


def _one_pass(text: str) -> str:
    """Each `[text](target)` whose text holds no bracket becomes its text."""
    kept: list[str] = []
    at = 0
    while (middle := text.find("](", at)) >= 0:
        opening = text.rfind("[", at, middle)
        end = text.find(")", middle)
        if opening < 0 or end < 0:
            kept.append(text[at : middle + 2])
            at = middle + 2
            continue
        image = opening > at and text[opening - 1] == "!"
        kept += [text[at : opening - image], text[opening + 1 : middle]]
        at = end + 1
    return "".join(kept) + text[at:]


def without_urls(text: str) -> str:
    """Each address with a scheme, and each beginning with `www.`, becomes `(link)`."""
    lower = text.lower()
    if (
        "://" not in lower
        and "www." not in lower
        and not any(s in lower for s in _OPAQUE_SCHEMES)
    ):
        return text
    return " ".join(_defanged(word) for word in text.split(" "))


def _defanged(word: str) -> str:
    lower = word.lower()
    found = [
        at for at in (lower.find("://"), lower.find("www."), _opaque(lower)) if at >= 0
    ]
    if not found:
        return word
    at = min(found)
    start = at
    while start and word[start - 1] in _SCHEME:
        start -= 1
    end = at + 3
    while end < len(word) and word[end] not in _URL_ENDS:
        end += 1
    while (
        end > at + 4 and word[end - 1] in ".,;:!?"
    ):  # of the sentence, not the address
        end -= 1
    return word[:start] + _LINK + _defanged(word[end:])


def _opaque(lower: str) -> int:
    """Where a scheme without slashes begins; `data:` alone is an ordinary word."""
    for scheme in _OPAQUE_SCHEMES:
        at = lower.find(scheme)
        if at >= 0 and len(lower) > at + len(scheme):
            return at + len(scheme) - 1
    return -1
