"""The merge of session records: one episode that was closed on two clones or branches.

Lists are united; when and how it ended is told by the later closing; the body is
projected again from both, unless a person wrote in it. Pure; imports
`episode.session_record` and `merge`'s parts.
"""

from __future__ import annotations

from afterword.episode import session_record
from afterword.merge import fields, lists, order, projection
from afterword.merge.front import Document, Entry, rest_of, unquoted
from afterword.merge.laws import Differ, Merged, lf
from afterword.model import TYPE_CHECKING
from afterword.store import template

if TYPE_CHECKING:
    from afterword.merge.fields import Path

# What one closing says of the episode as a whole: taken together from the later one.
FACTS = (
    "started_at",
    "closed_at",
    "outcome",
    "host",
    "branch",
    "start_head",
    "head",
)


def merge(before: bytes, ours: bytes, theirs: bytes) -> Merged | None:
    """Merge three versions of one session record; None when a side is none."""
    return fields.merge(_Rules, before, ours, theirs)


class _Rules(fields.Rules):
    identity = "session_id"
    ranks = session_record.KEYS

    def __init__(
        self, before: Document | None, ours: Document, theirs: Document
    ) -> None:
        self._sentences = {_sentence(_texts(one)) for one in (ours, theirs)}
        first, a, b = (_moment(one) for one in (before, ours, theirs))
        self._later = "" if a == b else "ours" if a > b else "theirs"
        if first not in (a, b) and self._later:
            if self._later == "ours":
                theirs = _with_facts(theirs, ours)
            else:
                ours = _with_facts(ours, theirs)
        super().__init__(before, ours, theirs)

    def join(self, path: Path, before: str | None, ours: str, theirs: str) -> str:
        if len(path) == 1 and path[0] in FACTS:
            return self._pick(ours, theirs) or max(lf(ours), lf(theirs))
        if path == ("title",):
            return self._title(ours, theirs)
        return lists.unite(before, ours, theirs, order.containing)

    def body(self, ours: str, theirs: str, merged: dict[str, str]) -> str:
        a, b = projection.read(ours), projection.read(theirs)
        if a is not None and b is not None:
            return self._projected(a, b, merged)
        if a is not None and projection.holds(a, theirs):
            return theirs
        if b is not None and projection.holds(b, ours):
            return ours
        raise Differ

    def _pick(self, ours: str, theirs: str) -> str:
        """The text of the side that was closed later; "" when neither was."""
        return {"ours": ours, "theirs": theirs}.get(self._later, "")

    def _title(self, ours: str, theirs: str) -> str:
        """A task's title before the stand-in; of two titles the later closing's."""
        absent = f"Episode {self.ours.word('session_id')}"
        named = [one for one in (ours, theirs) if _value(one) != absent]
        found = named[0] if len(named) == 1 else self._pick(ours, theirs)
        if not found:
            raise Differ
        return found

    def _projected(
        self,
        ours: projection.Projection,
        theirs: projection.Projection,
        merged: dict[str, str],
    ) -> str:
        heading, sentence = ours.heading, ours.sentence
        if heading != theirs.heading:
            heading = _value(merged.get("title", ""))
        if sentence != theirs.sentence:
            sentence = _sentence(merged)
        if not heading or not sentence:
            raise Differ
        questions = _items(merged, "questions") or ()
        return projection.unite(ours, theirs, heading, sentence, questions).text

    def finished(self, body: str, merged: dict[str, str]) -> str:
        """How it ended and the number of commits follow the keys; a person's words stay."""
        found, sentence = projection.read(body), _sentence(merged)
        if found is None or not sentence or found.sentence not in self._sentences:
            return body
        return body.replace(found.sentence, sentence, 1)


def _texts(document: Document) -> dict[str, str]:
    return {entry.key: entry.lines for entry in document.entries}


def _sentence(texts: dict[str, str]) -> str:
    """The body's first sentence by the keys; "" where they do not say it."""
    outcome, closed = (_value(texts.get(key, "")) for key in ("outcome", "closed_at"))
    commits, shared = (_items(texts, key) for key in ("commits", "shared"))
    if not outcome or not closed or commits is None or shared is None:
        return ""
    count = len({*commits, *shared})
    return session_record.outcome_sentence(outcome, closed, count)


def _moment(document: Document | None) -> tuple[str, str]:
    """When a version was closed, to compare; whole seconds and fractions apart."""
    stamp = (document.word("closed_at") if document else None) or ""
    if not stamp[:4].isdigit():
        return "", ""
    return stamp[:19], stamp[20:].rstrip("Z") if stamp[19:20] == "." else ""


def _with_facts(loser: Document, winner: Document) -> Document:
    """The earlier closing with what the later one says of the whole episode."""

    def told(entry: Entry) -> Entry:
        other = winner.get(entry.key) if entry.key in FACTS else None
        return entry.replace(lines=other.lines) if other else entry

    return loser.replace(entries=tuple(told(entry) for entry in loser.entries))


def _fields(text: str) -> dict[str, template.Value]:
    """A key's lines as the template reads them; {} for a form of a person's own."""
    return template.quick_fields(f"---\n{lf(text)}---\n".encode()) or {}


def _value(text: str) -> str:
    """The text of one key's value; "" when it is none of one line."""
    for value in _fields(text).values():
        return value if isinstance(value, str) else ""
    bare = unquoted(rest_of(text)) if text.count("\n") == 1 else ""
    return "" if "#" in bare else bare


def _items(texts: dict[str, str], key: str) -> list[str] | None:
    """The words of a list, none where the key is absent; None where it is no list."""
    text = texts.get(key)
    if text is None:
        return []
    value = _fields(text).get(key)
    if isinstance(value, list):
        return [str(item) for item in value]
    found = lists.read(text)
    return None if found is None else [*found.items]
