"""What an entry, a conflict, a pending item looks like in a target file, line by line.

Lines are text without line ends. `visible` is what the facts of an entry show and
nothing else shows it, so that a reader can tell a person's lines from the program's.
Pure; imports the room's models, `metadata`, `resolution` and `store.blocks`.
"""

from __future__ import annotations

from collections.abc import Sequence

from afterword.snapshot import adopted, metadata, resolution, texts, updates, words
from afterword.snapshot.fact import Fact
from afterword.snapshot.folded import Conflict, Entry, PendingItem, Side
from afterword.store import blocks

UNKNOWN = "unknown"
LEVEL, PART_LEVEL = 3, 4
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


# Headings.


def title(fact: Fact) -> str:
    """A fact's title as its heading shows it; it reads back alike unless it cannot."""
    shown, last = texts.one_line(fact.title), ""
    while shown != last:  # what closes a heading, and space before it, is no title
        last, bare = shown, blocks.heading_of(b"# " + texts.encoded(shown))
        shown = texts.decoded(bare[1]).strip() if bare else shown
    is_taken = shown.startswith((words.UNCONFIRMED, words.CONFLICT))
    return f"\\{shown}" if is_taken else shown or "(untitled)"


def heading(entry: Entry, shown: str = "") -> str:
    """The heading line of an entry; `shown` is its title as the file has it."""
    mark = "" if entry.is_confirmed else f"{words.UNCONFIRMED} "
    return f"{'#' * level_of(entry.head)} {mark}{shown or title(entry.head)}"


# The lines of an entry.


def visible(facts: Sequence[Fact]) -> list[str]:
    """The lines that the facts of an entry show, without those that persons added."""
    return texts.safe(updates.merged(facts), level_of(facts[0]))


def mark(entry: Entry) -> str:
    """The line that says since when an entry holds no longer (L044, L048), "" for none."""
    ending = entry.ending
    if ending is None or has_own_mark(entry.head):
        return ""
    author = texts.one_line(ending.author) or UNKNOWN
    reason = texts.one_line(ending.reason)
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
    return texts.safe(head.kept, level_of(head))


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
        f"### {words.CONFLICT} {texts.one_line(one.topic)}",
        *(f"- {_says(label_, getattr(one, name), target)}" for name, label_ in _SAYS),
        *state_lines(one, language),
    ]


def _says(label_: str, side: Side, target: str) -> str:
    place = f"module {side.target}" if side.target else "global snapshot"
    where = f" ({place})" if side.target != target else ""
    return (
        f"{label_}{where}: {texts.one_line(side.says)} (recorded {side.recorded or UNKNOWN}, "
        f"author: {texts.one_line(side.author) or UNKNOWN}, status: {side.status or UNKNOWN})"
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
    return texts.one_line(resolution.why(fact))


def _signature(fact: Fact) -> str:
    author = texts.one_line(fact.author) or UNKNOWN
    return f"{fact.recorded[:10] or UNKNOWN}, {author}"


def state_of(one: Conflict) -> str:
    """`pending_resolution`, or since when and by whom it is resolved (G11)."""
    effective = resolution.effective(one.resolutions)
    if one.is_open:
        return words.PENDING_RESOLUTION
    if not effective:
        return words.RESOLVED
    last = effective[-1]
    author = texts.one_line(last.author) or UNKNOWN
    return f"{words.RESOLVED} {last.recorded[:10] or UNKNOWN} by {author}"


def log_line(one: Conflict, section: str) -> str:
    """The line of a conflict in the Conflict Log (L068)."""
    topic = texts.one_line(one.topic)
    return f"- {words.CONFLICT} {topic}: {state_of(one)} (see {section})"


# Pending items (7.6).


def pending(item: PendingItem) -> str:
    """The line of a pending item (L061); G8: what it contradicts."""
    fact = item.fact
    against = texts.one_line(item.contradicts)
    more = f", contradicts {against}" if against else ""
    text = f"- [{fact.kind.upper()}] {texts.one_line(fact.title)}{_said_briefly(fact)}"
    return f"{text} — 来源: {origin(fact)}, 需验证{more}"


def _said_briefly(fact: Fact) -> str:
    lines = [line for line in fact.body if line.strip() and not _is_about(line)]
    if len(lines) != 1:
        return ""
    text = texts.one_line(adopted.without_bullet(lines[0]))
    return f": {text}" if text and len(text) <= _BODY_MOST else ""


def _is_about(line: str) -> bool:
    return words.field_of(texts.label(line)) in _ABOUT


def origin(fact: Fact) -> str:
    """Where a fact comes from: what it says itself, else its author, else its increment."""
    said = (
        texts.value(line)
        for line in fact.body
        if words.field_of(texts.label(line)) == "source"
    )
    found = next(said, "") or fact.author
    return texts.one_line(found) or (fact.sources[0][0] if fact.sources else UNKNOWN)
