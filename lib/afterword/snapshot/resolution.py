"""How a conflict ends: by what verified facts say of it, and by nothing else (L031, G11).

A resolution is a fact that `resolves` a conflict and says what to `keep`. Those that
nobody has answered count; they decide while they agree. Pure; imports `fact` and words.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from afterword.snapshot import words
from afterword.snapshot.fact import Fact, normalised
from afterword.store import digest

_LABELS = (":", "：")


def conflict_id(one: str, other: str) -> str:
    """`c-` and eight hex digits over two fact ids; their order does not count (DESIGN 8)."""
    pair = "\0".join(sorted((one, other)))
    return "c-" + digest.hexdigest(pair.encode("utf-8", "surrogatepass"))[:8]


def is_asked(fact: Fact) -> bool:
    """Whether a fact says how a conflict ends, with or without the right to."""
    return bool(fact.resolves) and fact.keep in words.KEEP


def is_given(fact: Fact) -> bool:
    """Whether a fact is a resolution: verified, and not taken back by an edit."""
    return is_asked(fact) and fact.status == words.VERIFIED


def effective(resolutions: Sequence[Fact]) -> tuple[Fact, ...]:
    """The resolutions of a conflict that no other of them comes `after`, in their order.

    Those that name each other in a circle all count.
    """
    answered = {
        name for one in resolutions for name in one.after if name.strip() != one.id
    }
    standing = tuple(one for one in resolutions if one.id not in answered)
    return standing or tuple(resolutions)


def kept(fact: Fact, old: Collection[str] = (), new: Collection[str] = ()) -> str:
    """What a resolution keeps of a conflict whose sides are these facts: old, new or both.

    An earlier statement that turns up late can make the old side the new one. So the fact
    that a resolution `supersedes` by its id has lost, whichever side that is now.
    """
    lost = {one.target.strip() for one in fact.supersedes}
    if fact.keep != words.KEEP_BOTH and not lost.isdisjoint(old):
        return words.KEEP_NEW
    if fact.keep != words.KEEP_BOTH and not lost.isdisjoint(new):
        return words.KEEP_OLD
    return fact.keep


def agreed(
    resolutions: Sequence[Fact], old: Collection[str] = (), new: Collection[str] = ()
) -> str:
    """What the effective resolutions keep, all of them; "" for none and for discord."""
    found = {kept(one, old, new) for one in effective(resolutions)}
    return found.pop() if len(found) == 1 else ""


def why(fact: Fact) -> str:
    """The reason that a resolution gives: its labelled reason, else its first line, or title."""
    lines = [line.strip().lstrip("-*+").strip() for line in fact.body]
    for line in lines:
        label, reason = _labelled(line)
        if words.field_of(label) == "reason" and reason:
            return reason
    return next((line for line in lines if line), fact.title)


def _labelled(line: str) -> tuple[str, str]:
    """The label before the first colon and what follows it, in either width."""
    at = min((line.find(mark) for mark in _LABELS if mark in line), default=-1)
    return (line[:at], line[at + 1 :].strip()) if at >= 0 else ("", line)


def topic_name(text: str) -> str:
    """A topic as resolutions may write it: the block's heading or the bare topic."""
    return normalised(text.strip().removeprefix(words.CONFLICT))
