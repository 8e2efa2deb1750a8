"""What an entry, a conflict, a pending item looks like in a target file, line by line.

Lines are text without line ends. `visible` is what the facts of an entry show and
nothing else shows it, so that a reader can tell a person's lines from the program's.
Pure; imports the room's models, `metadata`, `resolution` and `store.blocks`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from afterword.snapshot import adopted, metadata, resolution, words
from afterword.snapshot.fact import Fact, normalised
from afterword.snapshot.folded import Conflict, Entry, PendingItem, Side
from afterword.store import blocks, jsonline
from afterword.store.blocks import Record

UNKNOWN = "unknown"
LEVEL, PART_LEVEL = 3, 4
_QUOTE = "> "
_LABELLED = re.compile(r"[-*+]\s+([^:：]{1,60}?)\s*[:：]\s*(.*)\Z", re.DOTALL)
_BULLET = re.compile(r"[-*+]\s")
_HANDLING = {
    "en": "A person must decide; both records stay in force until then.",
    "zh": "需要人工裁决。在确认前，快照保留双方记录。",
}
_SAYS = (("old", "Snapshot says"), ("new", "New increment says"))
_BODY_MOST = 200
# Labels that tell where a text comes from, and are no part of what it says.
_ABOUT = frozenset(("source", "author", "confidence", "status", "recorded", "verifier"))


def level_of(fact: Fact) -> int:
    """The level of an entry's heading."""
    return PART_LEVEL if fact.part in words.PARTS else LEVEL


def one_line(text: str) -> str:
    """Text in one line, as it can be written as UTF-8."""
    return " ".join(part.strip() for part in re.split(r"[\r\n]+", text)).strip()


# Headings.


def title(fact: Fact) -> str:
    """A fact's title as its heading shows it; it reads back alike unless it cannot."""
    shown, last = one_line(fact.title), ""
    while shown != last:  # what closes a heading, and space before it, is no title
        last, bare = shown, blocks.heading_of(b"# " + encoded(shown))
        shown = decoded(bare[1]).strip() if bare else shown
    is_taken = shown.startswith((words.UNCONFIRMED, words.CONFLICT))
    return f"\\{shown}" if is_taken else shown or "(untitled)"


def heading(entry: Entry, shown: str = "") -> str:
    """The heading line of an entry; `shown` is its title as the file has it."""
    mark = "" if entry.is_confirmed else f"{words.UNCONFIRMED} "
    return f"{'#' * level_of(entry.head)} {mark}{shown or title(entry.head)}"


# The lines of an entry.


def visible(facts: Sequence[Fact]) -> list[str]:
    """The lines that the facts of an entry show, without those that persons added."""
    return safe(_merged(facts), level_of(facts[0]))


class Update(Record):
    """What a later fact adds: a bullet with its lines below, who signs it, its label if
    it replaces the line of that label."""

    __slots__ = ("label", "lines", "signed")
    lines: tuple[str, ...]
    signed: str
    label: str

    def __init__(self, lines: tuple[str, ...], signed: str, label: str) -> None:
        self._set(lines=lines, signed=signed, label=label)

    def shown(self, old: str = "") -> list[str]:
        """The lines, dated and signed, with the text beside it that they replace."""
        first = self.lines[0]
        if not _BULLET.match(first):
            return list(self.lines)
        was = f" (was {old})" if old else ""
        signed = f" ({self.signed})" if self.signed else ""
        return [first + was + signed, *self.lines[1:]]


def _merged(facts: Sequence[Fact]) -> list[str]:
    lines = list(facts[0].body)
    for update in updates(facts):
        name = update.label
        places = (at for at, line in enumerate(lines) if name and _names(line, name))
        at = next(places, -1)
        if at < 0:
            lines += update.shown()
        else:
            lines[at : at + 1] = update.shown(value(lines[at]))
    return lines


def _names(line: str, name: str) -> bool:
    """Whether a bullet has that label, confirmed or not."""
    return label(line.replace(f"{words.UNCONFIRMED} ", "", 1)) == name


def updates(facts: Sequence[Fact]) -> list[Update]:
    """What the facts behind the first add to it, each new line once.

    In kinds of fields, the latest text of a label counts (L050, L052).
    """
    head = facts[0]
    is_confirmed = any(map(_is_confirmed, facts))
    known = {normalised(head.title), *_normalised_blocks(head.body)}
    is_fielded = head.kind in words.FIELDED
    current = {label(line): normalised(value(line)) for line in reversed(head.body)}
    found: list[Update] = []
    for fact in facts[1:]:
        for block in _blocks(_said(fact, head)):
            name = label(block[0]) if is_fielded and len(block) == 1 else ""
            text = normalised("\n".join(block))
            said = normalised(value(block[0]))
            if current.get(name) == said if name in current and name else text in known:
                continue
            known.add(text)
            current[name] = said
            lines = (_marked(block[0], fact, is_confirmed), *block[1:])
            found.append(Update(lines, _signature_of(fact), name))
    return found


def _said(fact: Fact, head: Fact) -> list[str]:
    """A fact's lines, its title among them where it is another than the entry's."""
    is_same = normalised(fact.title) == normalised(head.title)
    own = [] if is_same else [f"- {one_line(fact.title)}"]
    return [*own, *fact.body]


def _is_confirmed(fact: Fact) -> bool:
    return fact.confidence == words.HIGH or fact.status == words.VERIFIED


def _normalised_blocks(lines: Sequence[str]) -> Iterator[str]:
    return (normalised("\n".join(block)) for block in _blocks(lines))


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Lines by first-level bullets; a fence stays with the bullet that it follows."""
    data = "".join(f"{line}\n" for line in map(one_line_end, lines)).encode(
        "utf-8", "surrogatepass"
    )
    kinds = [kind for _, _, kind in blocks.lines(data, front=False)]
    found: list[list[str]] = []
    for line, kind in zip(lines, kinds, strict=False):
        if not line.strip() and not found:
            continue
        if not found or (kind == blocks.TEXT and _BULLET.match(line)):
            found.append([line])
        else:
            found[-1].append(line)
    yield from found


def one_line_end(text: str) -> str:
    """Text without line ends, everything else in place."""
    return re.sub(r"[\r\n]", " ", text)


def _marked(line: str, fact: Fact, is_confirmed: bool) -> str:
    """A bullet, marked while nothing confirmed it in an entry that is confirmed."""
    if not _BULLET.match(line):
        return line
    mark = f"{words.UNCONFIRMED} " if is_confirmed and not _is_confirmed(fact) else ""
    return f"{line[:2]}{mark}{line[2:].strip()}"


def _signature_of(fact: Fact) -> str:
    return ", ".join(filter(None, (fact.recorded[:10], one_line(fact.author))))


def label(line: str) -> str:
    """The label of a first-level bullet `- label: text`, "" for any other line."""
    found = _LABELLED.match(line)
    return normalised(found.group(1)) if found else ""


def value(line: str) -> str:
    """What stands behind the label of a bullet."""
    found = _LABELLED.match(line)
    return found.group(2).strip() if found else ""


def safe(lines: Sequence[str], level: int) -> list[str]:
    """Lines as they can stand below a heading of that level and above metadata.

    As they are wherever they leave nothing open and begin nothing new; else quoted.
    """
    plain = list(lines)
    while plain and not plain[-1].strip():
        plain.pop()
    return plain if _is_contained(plain, level) else quoted(plain)


def quoted(lines: Sequence[str]) -> list[str]:
    """Lines as a quotation, which no reader takes for structure."""
    return [f"{_QUOTE}{one_line_end(line)}".rstrip() for line in lines]


def _is_contained(lines: Sequence[str], level: int) -> bool:
    if any("\n" in line or "\r" in line for line in lines):
        return False
    data = encoded("".join(f"{line}\n" for line in lines))
    if decoded(data) != "".join(f"{line}\n" for line in lines):
        return False
    if b"<!--" in data and any(metadata.is_like(line) for line in lines):
        return False
    if blocks.unclosed(data, front=False):
        return False
    return all(one.level > level for one in blocks.headings(data, front=False))


def encoded(text: str) -> bytes:
    """Text as bytes of a file: those that were no UTF-8 are what they were."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return jsonline.clean(text).encode()


def decoded(data: bytes) -> str:
    """The text of bytes, which `encoded` undoes whatever they are."""
    return data.decode("utf-8", "surrogateescape")


def mark(entry: Entry) -> str:
    """The line that says since when an entry holds no longer (L044, L048), "" for none."""
    ending = entry.ending
    if ending is None or has_own_mark(entry.head):
        return ""
    author = one_line(ending.author) or UNKNOWN
    reason = one_line(ending.reason)
    why = f" - {reason}" if reason else ""
    return f"- {ending.word}: {ending.date or UNKNOWN} by {author}{why}"


def has_own_mark(fact: Fact) -> bool:
    """Whether adopted text says itself that it holds no longer."""
    return not fact.sources and any(map(adopted.is_mark, fact.body))


def entry(one: Entry, shown: str = "") -> list[str]:
    """The lines of an entry under a heading; `shown` is its title as the file has it."""
    lines = [*visible(one.facts), *kept(one.head)]
    ended = mark(one)
    return [
        heading(one, shown),
        *lines,
        *([ended] if ended else []),
        entry_metadata(one, shown=shown),
    ]


def kept(head: Fact) -> list[str]:
    """The lines that persons wrote into an entry."""
    return safe(head.kept, level_of(head))


def entry_metadata(
    one: Entry, *, shown: str = "", is_headed: bool = True, **more: object
) -> str:
    """The metadata line of an entry: in short where the lines above it say the rest."""
    ended = mark(one)
    other = {
        "shown": shown if shown and shown != title(one.head) else "",
        "mark": ended,
        **more,
    }
    if is_headed and not other["shown"] and is_plain(one.facts):
        return metadata.to_line({**metadata.of_fact(one.head, whole=False), **other})
    listed = [metadata.of_fact(fact, whole=True) for fact in one.facts]
    head = {"id": one.id, "kind": one.head.kind, "part": one.head.part}
    return metadata.to_line({**head, **other, "facts": listed})


def is_plain(facts: Sequence[Fact]) -> bool:
    """Whether heading and lines alone give the fact's title and body back."""
    head = facts[0]
    return (
        len(facts) == 1
        and not head.kept
        and title(head) == head.title
        and visible(facts) == list(head.body)
    )


# Conflicts (7.5).


def conflict(one: Conflict, target: str, language: str) -> list[str]:
    """The lines of a conflict block, without its metadata."""
    return [
        f"### {words.CONFLICT} {one_line(one.topic)}",
        *(f"- {_says(label_, getattr(one, name), target)}" for name, label_ in _SAYS),
        *state_lines(one, language),
    ]


def _says(label_: str, side: Side, target: str) -> str:
    place = f"module {side.target}" if side.target else "global snapshot"
    where = f" ({place})" if side.target != target else ""
    return (
        f"{label_}{where}: {one_line(side.says)} (recorded {side.recorded or UNKNOWN}, "
        f"author: {one_line(side.author) or UNKNOWN}, status: {side.status or UNKNOWN})"
    )


def state_lines(one: Conflict, language: str) -> list[str]:
    """What was decided of a conflict, and by whom, or that a person must decide."""
    effective = resolution.effective(one.resolutions)
    state = f"- {words.STATE_LABEL}: {state_of(one)}"
    handled = f"- {words.HANDLING_LABEL}: "
    if not effective:
        text = _HANDLING.get(language, _HANDLING["en"])
        return [state, handled + text] if one.is_open else [state]
    if not one.is_open:
        return [state, f"{handled}kept {one.keep}: {_why(effective[-1])}"]
    listed = (
        f"{handled}kept {fact.keep} ({_signature(fact)}): {_why(fact)}"
        for fact in effective
    )
    return [state, *listed]


def _why(fact: Fact) -> str:
    return one_line(resolution.why(fact))


def _signature(fact: Fact) -> str:
    author = one_line(fact.author) or UNKNOWN
    return f"{fact.recorded[:10] or UNKNOWN}, {author}"


def state_of(one: Conflict) -> str:
    """`pending_resolution`, or since when and by whom it is resolved (G11)."""
    effective = resolution.effective(one.resolutions)
    if one.is_open:
        return words.PENDING_RESOLUTION
    if not effective:
        return words.RESOLVED
    last = effective[-1]
    author = one_line(last.author) or UNKNOWN
    return f"{words.RESOLVED} {last.recorded[:10] or UNKNOWN} by {author}"


def log_line(one: Conflict, section: str) -> str:
    """The line of a conflict in the Conflict Log (L068)."""
    topic = one_line(one.topic)
    return f"- {words.CONFLICT} {topic}: {state_of(one)} (see {section})"


# Pending items (7.6).


def pending(item: PendingItem) -> str:
    """The line of a pending item (L061); G8: what it contradicts."""
    fact = item.fact
    against = one_line(item.contradicts)
    more = f", contradicts {against}" if against else ""
    text = f"- [{fact.kind.upper()}] {one_line(fact.title)}{_said_briefly(fact)}"
    return f"{text} — 来源: {origin(fact)}, 需验证{more}"


def _said_briefly(fact: Fact) -> str:
    lines = [line for line in fact.body if line.strip() and not _is_about(line)]
    if len(lines) != 1:
        return ""
    text = one_line(adopted.without_bullet(lines[0]))
    return f": {text}" if text and len(text) <= _BODY_MOST else ""


def _is_about(line: str) -> bool:
    return words.field_of(label(line)) in _ABOUT


def origin(fact: Fact) -> str:
    """Where a fact comes from: what it says itself, else its author, else its increment."""
    said = (
        value(line) for line in fact.body if words.field_of(label(line)) == "source"
    )
    found = next(said, "") or fact.author
    return one_line(found) or (fact.sources[0][0] if fact.sources else UNKNOWN)


def without(lines: Iterable[str], shown: Sequence[str]) -> list[str]:
    """The lines of a person: those of `lines` that are not `shown` there in order."""
    found, own = list(lines), list(shown)
    if found == own:
        return []
    if found[: len(own)] == own:
        return _trimmed(found[len(own) :])
    import difflib

    matcher = difflib.SequenceMatcher(None, own, found, autojunk=False)
    added: list[str] = []
    for operation, _, _, start, end in matcher.get_opcodes():
        if operation in ("insert", "replace"):
            added += found[start:end]
    return _trimmed(added)


def _trimmed(lines: list[str]) -> list[str]:
    """Without empty lines around them."""
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    return lines
