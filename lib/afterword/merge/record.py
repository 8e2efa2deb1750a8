"""The merge of records and knowledge-base entries: lists united, the earliest date, text shown.

Another status or another text on both sides is a contradiction that only a person
decides (DESIGN 11). `promoted` is a signature and never computed anew: where it no
longer fits, the checks say so. Pure; imports `knowledge.record` and `merge`'s parts.
"""

from __future__ import annotations

from afterword.knowledge import record
from afterword.merge import fields, lists, order
from afterword.merge.front import rest_of, unquoted
from afterword.merge.laws import Differ, Merged, lf, lines
from afterword.model import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterword.merge.fields import Path

# The order in which a derivation writes them: who says so first, what was done last.
_TAGS = order.ranked(("derived", "decision", "question", "task", "commit"))
_SOURCES = order.ranked(
    ("session", "decision", "task", "issue", "file", "test", "commit")
)
# When a record, and an entry of the knowledge base, came to be.
_DATES = (("date",), ("created",))
_DIGITS = frozenset("0123456789")


def merge(before: bytes, ours: bytes, theirs: bytes) -> Merged | None:
    """Merge three versions of one record; None when a side is no record."""
    return fields.merge(_Rules, before, ours, theirs)


class _Rules(fields.Rules):
    ranks = (*record.KEYS, "origin", "derived_from")

    def join(self, path: Path, before: str | None, ours: str, theirs: str) -> str:
        if path in _DATES:
            return _earlier(ours, theirs)
        return lists.unite(before, ours, theirs, self._order(path))

    def _order(self, path: Path) -> Callable[[Sequence[str], Sequence[str]], list[str]]:
        """The order of a list of ours is a function of its set; a person's own may stay."""
        if path == ("tags",):
            return _sorted_by(_TAGS)
        if path == ("relations",):
            return _sorted_by(lambda relation: relation)
        if path != ("provenance", "derived_from"):
            return order.containing
        name = self.ours.word("id") or ""
        own = f"session:{name[:-13]}"
        return _sorted_by(
            lambda source: (source != own, _SOURCES(source.partition(":")[0]), source)
        )


def _sorted_by(
    key: Callable[[str], object],
) -> Callable[[Sequence[str], Sequence[str]], list[str]]:
    return lambda ours, theirs: sorted({*ours, *theirs}, key=key)  # type: ignore[arg-type]


def _earlier(ours: str, theirs: str) -> str:
    """The line with the earlier of two calendar dates; any other value is not compared."""
    dates = [(_date(side), lf(side)) for side in (ours, theirs)]
    return min(dates)[1]


def _date(text: str) -> str:
    date = unquoted(rest_of(text))
    dashes, digits = date[4:5] + date[7:8], date[:4] + date[5:7] + date[8:]
    is_date = dashes == "--" and len(digits) == 8 and _DIGITS.issuperset(digits)
    if len(lines(text)) > 1 or not is_date:
        raise Differ
    return date
