"""The title of an entry: read out of a bullet or heading, and written so that it is read back.

Tags, marks, check boxes and bold words in front of it are told apart from it; of a term
or a part of the architecture, what follows the colon is its description. A backslash in
front of a mark keeps it text, as in Markdown. Pure; imports `increment_shapes` and `words`.
"""

from __future__ import annotations

import re

from afterword.snapshot import increment_shapes as shapes
from afterword.snapshot import increment_values as values
from afterword.snapshot import words
from afterword.store import safe_text
from afterword.store.blocks import Record

# Types whose title is a name with its description behind a colon (L050, L052, L056).
_NAMED = frozenset(
    (words.GLOSSARY, words.CONFIG, words.EXTERNAL, words.BUSINESS, words.OVERVIEW)
)
_LONGEST_NAME = 80
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~【")
ROUND = "round"  # the tag of a `[round: N]` without a type
_BOX = re.compile(r"\[[ xX]\]\s+")
_MARK = re.compile(r"[\[【]([^\[\]【】\n]{1,30})[\]】](?![(\[])\s*")
_BOLD = re.compile(
    r"(\*\*|__)(?P<inner>(?:(?!\1).)+)\1\s*(?P<colon>[:：]|[—–-](?=\s))?\s*"
)
# Where a name ends: a colon, or a dash or an equals sign between spaces.
_END = re.compile(
    r"(?<!\\)(?P<escapes>\\*)(?::(?=\\*(?:\s|\Z|[^\x00-\x7f]))|：)"
    r"|(?<=\s)(?P<dash_escapes>\\*)[—–=-](?=\s)"
)
_DATE = re.compile(r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?\Z")


class Title(Record):
    """What the first line of an entry says.

    `said` is a description that stood behind it, `kind` and `tag` those of its `[TYPE]`
    ("" without one), `state` added, changed, removed or "", `is_unconfirmed` whether
    `[待验证]` stood in front.
    """

    __slots__ = ("is_unconfirmed", "kind", "said", "state", "tag", "text")
    text: str
    said: str
    kind: str
    tag: str
    state: str
    is_unconfirmed: bool

    def __init__(
        self,
        text: str,
        said: str = "",
        *,
        kind: str = "",
        tag: str = "",
        state: str = "",
        is_unconfirmed: bool = False,
    ) -> None:
        self._set(
            text=text,
            said=said,
            kind=kind,
            tag=tag,
            state=state,
            is_unconfirmed=is_unconfirmed,
        )


def read(
    line: str, kind: str = "", part: str = "", *, is_heading: bool = False
) -> Title:
    """The title of an entry whose section is of a type and part; a tag's type comes first.

    A heading is a whole title: nothing behind a colon is taken from it.
    """
    text = safe_text.one_line(line)
    if text[:1] == "\\" and text[1:2] in _PUNCTUATION and len(text) > 1:
        found = Title(text[1:])
    else:
        found = _bare(_marked(text, kind), is_heading=is_heading)
    if is_heading or found.said:
        return found
    return _named(found, found.kind or kind, part)


def _marked(text: str, kind: str) -> Title:
    """The text behind its tag, its check box and the marks of a snapshot."""
    found = Title(_BOX.sub("", text, count=1) if _BOX.match(text) else text)
    for _ in range(4):
        after = _without_mark(found) or _without_tag(found, kind)
        if after is None:
            break
        found = after
    return found


def _without_mark(found: Title) -> Title | None:
    mark = _MARK.match(found.text)
    if not mark:
        return None
    name, rest = mark[1].strip(), found.text[mark.end() :]
    if name == words.UNCONFIRMED.strip("[]"):
        return _replaced(found, text=rest, is_unconfirmed=True)
    if name.casefold() == "conflict":
        # Only a compile finds conflicts; in a target file the mark would be read as one.
        return _replaced(found, text=f"CONFLICT: {rest}")
    state = shapes.state_of(name)
    return _replaced(found, text=rest, state=state) if state and rest else None


def _without_tag(found: Title, kind: str) -> Title | None:
    tag = None if found.kind or found.tag else shapes.tagged(found.text)
    if tag is None or (tag.tag and not tag.kind and kind in _NAMED):
        return None
    if tag.kind:
        return _replaced(found, text=tag.rest, kind=tag.kind)
    whole = f"[{tag.tag}] {tag.rest}" if tag.tag else tag.rest
    return _replaced(found, text=whole, kind=words.UNCATEGORIZED, tag=tag.tag or ROUND)


def _replaced(found: Title, **changes: object) -> Title:
    values = {name: getattr(found, name) for name in Title.__slots__} | changes
    return Title(**values)


def _bare(found: Title, *, is_heading: bool) -> Title:
    """The title out of bold marks; what follows them behind a colon is its description.

    A type's name in front of the colon is a tag: `**Decision**: title`.
    """
    bold = _BOLD.match(found.text)
    plain = shapes.label(found.text) if is_heading and not bold else None
    if plain and not found.kind and plain.name.casefold() in words.TAGS and plain.value:
        return _replaced(found, text=plain.value, kind=shapes.kind_of(plain.name))
    if not bold:
        return found
    inner, rest = bold["inner"].strip(), found.text[bold.end() :].strip()
    if rest and not (bold["colon"] or inner.endswith((":", "："))):
        return found
    inner = inner.rstrip(":：").strip()
    if rest and not found.kind and shapes.kind_of(inner):
        return _replaced(found, text=rest, kind=shapes.kind_of(inner))
    return _replaced(found, text=inner, said=rest) if inner else found


def _named(found: Title, kind: str, part: str) -> Title:
    """A name and what it is, for the types that have both."""
    if not takes_name(kind, part):
        return found
    for end in _END.finditer(found.text):
        if end["escapes"] or end["dash_escapes"]:
            continue
        name = found.text[: end.start()].strip()
        if not name or len(name) > _LONGEST_NAME:
            break
        said = found.text[end.end() :].strip()
        return _replaced(found, text=_plain(name), said=said)
    return _replaced(found, text=_plain(found.text))


def split(title: str, kind: str, part: str) -> Title:
    """A title that somebody gave alone: a name and its description, for types with both."""
    found = _named(Title(title), kind, part)
    return found if found.said else Title(title)


def takes_name(kind: str, part: str) -> bool:
    """Whether an entry of a type is a name with a description."""
    return kind in _NAMED or (kind == words.ARCHITECTURE and bool(part))


def _plain(text: str) -> str:
    """The text without the backslash that kept a name from ending there."""
    return _END.sub(
        lambda end: end.group()[1:] if end.group()[0] == "\\" else end.group(), text
    )


def write(title: str, kind: str, part: str = "") -> str:
    """The title as the first line of a bullet, from which `read` gives it back."""
    text = title
    if takes_name(kind, part):
        text = _END.sub(lambda end: "\\" + end.group(), text)
    if _is_read_otherwise(text, title, kind, part):
        text = "\\" + text
    return text


def _is_read_otherwise(text: str, title: str, kind: str, part: str) -> bool:
    found = read(text, kind, part)
    is_fence = text.startswith(("```", "~~~"))
    is_item = shapes.bullet(f"- {text}") == text
    return found != Title(title) or is_fence or not is_item or shapes.is_nothing(text)


def without_type(tag: str) -> str:
    """What is odd about an entry whose tag names no type."""
    return "an entry without a [TYPE]" if tag == ROUND else f"[{tag}] is no known type"


def dated(title: str) -> tuple[str, str]:
    """A heading's title and the date in brackets at its end, "" without one (7.1)."""
    named, remark = aside(title)
    date = values.moment(remark) if _DATE.match(remark) else ""
    return (named, date) if date else (title, "")


def aside(title: str) -> tuple[str, str]:
    """A title and the remark in brackets at its end, "" without one."""
    at = max(title.rfind("("), title.rfind("（"))
    if at < 1 or title[-1:] not in (")", "）"):
        return title, ""
    return title[:at].strip(), title[at + 1 : -1].strip()
