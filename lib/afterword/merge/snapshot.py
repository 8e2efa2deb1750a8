"""The merge of a compiled file, the snapshot or a module's knowledge: facts united, folded anew.

The text that a person wrote is merged piece by piece (`merge.compiled`), the facts by
themselves (`merge.facts`); then the file is folded and composed as a compile does it. What
contradicts is settled once for each side: where the two files differ, both are shown.
What lies in other files only the next compile knows. Pure; imports `snapshot`'s rules
and `merge`'s own parts.
"""

from __future__ import annotations

import re

from afterword.merge import aligned, compiled, facts, foreign, outline
from afterword.merge.laws import Merged
from afterword.model import TYPE_CHECKING
from afterword.snapshot import composing, document, stems
from afterword.snapshot.fact import united

if TYPE_CHECKING:
    from afterword.merge.facts import Facts
    from afterword.snapshot.document import Document
    from afterword.snapshot.fact import Fact
    from afterword.snapshot.folded import Target

_ID = re.compile(rb'"id": ?"(e-[0-9a-f]{10})"')
_DATE, _STEMS, _PATH, _HISTORY = (
    re.compile(rb"^>[ \t]*%b:([^\r\n]*)" % label, re.MULTILINE)
    for label in (
        b"Last compiled",
        b"Compiled increments",
        b"Module path",
        b"History",
    )
)


def merge(
    before: bytes, ours: bytes, theirs: bytes, *, owner: str = "", language: str = "en"
) -> Merged | None:
    """Merge three versions of a compiled file of any bytes; `owner` is its module,
    `language` that of new text.

    None where they cannot be told apart.
    """
    if theirs in (ours, before):
        return Merged(data=ours)
    if ours == before:
        return Merged(data=theirs)
    versions = aligned.settled((_DATE, _STEMS, _PATH), (before, ours, theirs), max)
    versions = aligned.settled((_HISTORY,), versions, aligned.larger)
    texts: list[bytes] = []
    for show in (compiled.ours, compiled.theirs):
        rules = compiled.Settled(show)
        found = outline.merge(rules, *versions)
        if found is None:
            return None
        texts.append(found.data)
    merging = _Merge(owner, language, (before, ours, theirs))
    return merging.merged(texts, rules.contested)


class _Merge:
    """One merge: what each version holds."""

    def __init__(self, owner: str, language: str, versions: aligned.Versions) -> None:
        self._owner = owner
        self._language = language
        self._versions = versions
        self._read = [self._document(data) for data in versions]
        self._stems = tuple(stem for one in self._read[1:] for stem in one.stems)
        self._written = frozenset(
            name.decode() for data in versions for name in _ID.findall(data)
        )

    def _document(self, data: bytes) -> Document:
        return document.read(data, module=self._owner)

    def merged(self, texts: list[bytes], contested: list[str]) -> Merged | None:
        """The file that both texts become, or both of them where they do not become one."""
        before, ours, theirs = (self._known(one) for one in self._read)
        settled = facts.merge(before, ours, theirs)
        files = [
            self._composed(text, known)
            for text, known in zip(texts, settled, strict=True)
        ]
        if files[0] == files[1]:
            return Merged(data=files[0])
        shown = outline.merge(compiled.Shown(), b"", files[0], files[1])
        names = [*contested, *_contested(*settled)]
        if shown is None or not shown.conflicts:
            return shown
        return shown.replace(conflicts=tuple(sorted({*names})))

    def _known(self, found: Document) -> Facts:
        """The facts by id that metadata names; adopted text without any is merged as text."""
        known = united(found.facts)
        return {name: known[name] for name in known if name in self._written}

    def _composed(self, text: bytes, known: Facts) -> bytes:
        """A text with the entries that the facts make, as a compile writes them.

        What no compile has written yet is text only.
        """
        if not self._written:
            return text
        read = self._document(text)
        here = [one for one in read.facts if one.id not in self._written]
        target = self._target([*here, *known.values()])
        return composing.compose(
            text,
            target,
            date=_date(text),
            language=self._language,
            stems=stems.of(target, self._stems),
        )

    def _target(self, found: list[Fact]) -> Target:
        versions = [foreign.of(data, self._owner) for data in self._versions]
        return foreign.kept(foreign.folded(found, self._owner), versions)


def _date(text: bytes) -> str:
    """The date of the last compile that a header tells."""
    found = _DATE.search(text)
    return found[1].decode("utf-8", "surrogateescape").strip() if found else ""


def _contested(ours: Facts, theirs: Facts) -> list[str]:
    """The titles of facts whose texts contradict."""
    return [
        min(ours[name].title, theirs[name].title)
        for name in ours
        if ours[name] != theirs[name]
    ]
