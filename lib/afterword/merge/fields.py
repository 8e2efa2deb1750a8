"""The merge of two files with front matter, field by field, under one kind's rules.

Walks the keys, applies the laws, asks the rules where both sides changed, and puts the
parts together again. Pure; imports `merge`'s own parts and `model` only.
"""

from __future__ import annotations

from afterword.merge import front, laws, order
from afterword.merge.front import Document, Entry
from afterword.merge.laws import Differ, Merged
from afterword.model import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Path = tuple[str, ...]


class Rules:
    """What is special about one kind of file; made for one merge, from its three versions.

    `identity` is the key whose value tells two things apart, `ranks` the keys in the
    order of the template.
    """

    identity = "id"
    ranks: tuple[str, ...] = ()

    def __init__(
        self, before: Document | None, ours: Document, theirs: Document
    ) -> None:
        self.before, self.ours, self.theirs = before, ours, theirs

    def join(self, path: Path, before: str | None, ours: str, theirs: str) -> str:
        """The lines of a key that both sides changed; raises `Differ`."""
        raise Differ

    def body(self, ours: str, theirs: str, merged: dict[str, str]) -> str:
        """The body that both sides changed, beside the merged keys; raises `Differ`."""
        raise Differ

    def finished(self, body: str, merged: dict[str, str]) -> str:
        """The merged body with what is counted in it counted anew from the merged keys."""
        return body


class Walk:
    """One pass over the keys of a file; notes what is left between markers."""

    def __init__(self, rules: Rules) -> None:
        self.conflicts: list[str] = []
        self._rules = rules
        self._rank = order.ranked(rules.ranks)

    def keys(
        self,
        path: Path,
        before: Sequence[Entry],
        ours: Sequence[Entry],
        theirs: Sequence[Entry],
    ) -> dict[str, str]:
        """The merged text of each key at one level, in the merged order."""
        o, a, b = ({one.key: one for one in side} for side in (before, ours, theirs))
        wanted = order.keys([*o], [*a], [*b], self._rank)
        gone = [key for key in wanted if _is_gone(o.get(key), a.get(key), b.get(key))]
        if gone:
            a, b = _without(a, gone), _without(b, gone)
            wanted = order.keys([*o], [*a], [*b], self._rank)
        return {
            key: self._entry((*path, key), o.get(key), a.get(key), b.get(key))
            for key in wanted
        }

    def _entry(
        self, path: Path, before: Entry | None, ours: Entry | None, theirs: Entry | None
    ) -> str:
        if ours is None or theirs is None:
            left = ours or theirs
            return left.text if left else ""
        above, old = (before.lead, before.lines) if before else (None, None)
        lead = self.piece(path, above, ours.lead, theirs.lead, laws.differ)
        return lead + self.piece(
            path,
            old,
            ours.lines,
            theirs.lines,
            lambda a, b: self._both(path, old, a, b),
        )

    def _both(self, path: Path, before: str | None, ours: str, theirs: str) -> str:
        a, b = front.children(ours), front.children(theirs)
        if a is None or b is None:
            return self._rules.join(path, before, ours, theirs)
        o = front.children(before) if before else None
        header = laws.three_way(o[0] if o else None, a[0], b[0], laws.differ)
        inner = self.keys(path, o[1] if o else (), a[1], b[1])
        return (header or "") + "".join(inner.values())

    def piece(
        self,
        path: Path,
        before: str | None,
        ours: str,
        theirs: str,
        both: Callable[[str, str], str],
        form: Callable[[str], str] = laws.lf,
    ) -> str:
        """One text by the laws; what stays contradictory is noted and put in markers."""
        try:
            return laws.three_way(before, ours, theirs, both, form) or ""
        except Differ:
            name = ".".join(path)
            if name not in self.conflicts:
                self.conflicts.append(name)
            return laws.conflict(ours, theirs)


def _is_gone(before: Entry | None, ours: Entry | None, theirs: Entry | None) -> bool:
    """Whether one side removed what the other left as it was."""
    o, a, b = (one.text if one else None for one in (before, ours, theirs))
    return laws.three_way(o, a, b, max) is None


def _without(side: dict[str, Entry], gone: Sequence[str]) -> dict[str, Entry]:
    return {key: entry for key, entry in side.items() if key not in gone}


def merge(
    kind: type[Rules], before: bytes, ours: bytes, theirs: bytes
) -> Merged | None:
    """Merge three usable versions of one file, `before` empty where there was none.

    None when a side has no front matter that can be taken apart.
    """
    if theirs in (ours, before):
        return Merged(data=ours)
    if ours == before:
        return Merged(data=theirs)
    texts = before.decode(), ours.decode(), theirs.decode()
    a, b = front.read(texts[1]), front.read(texts[2])
    if a is None or b is None:
        return None
    names = a.word(kind.identity), b.word(kind.identity)
    if None not in names and names[0] != names[1]:
        mixed = laws.whole_conflict(texts[1], texts[2])
        return Merged(data=mixed.encode(), conflicts=(kind.identity,))
    o = _base(kind, texts[0], names[0] or names[1])
    text, conflicts = _joined(kind(o, a, b))
    ended = laws.line_ends(texts[0] if o else None, texts[1], texts[2], text)
    return Merged(data=ended.encode(), conflicts=conflicts)


def _base(kind: type[Rules], text: str, name: str | None) -> Document | None:
    """The common ancestor; None when git offers a version of another thing as such."""
    base = front.read(text)
    if base is None or base.word(kind.identity) != name:
        return None
    return base


def _joined(rules: Rules) -> tuple[str, tuple[str, ...]]:
    """The merged text, and the names of what is left between markers."""
    o, a, b = rules.before, rules.ours, rules.theirs
    walk = Walk(rules)

    def part(
        name: str,
        both: Callable[[str, str], str],
        form: Callable[[str], str] = laws.lf,
    ) -> str:
        old = getattr(o, name) if o else None
        return walk.piece((name,), old, getattr(a, name), getattr(b, name), both, form)

    opening, closing = part("mark", min) + part("opening", min), part("closing", min)
    keys = walk.keys((), o.entries if o else (), a.entries, b.entries)
    tail = part("tail", laws.differ)
    body = part("body", lambda x, y: rules.body(x, y, keys), laws.unfinished)
    if "body" not in walk.conflicts:
        body = rules.finished(body, keys)
    if body and not closing.endswith("\n"):
        closing += "\n"
    text = opening + "".join(keys.values()) + tail + closing + body
    return text, tuple(walk.conflicts)
