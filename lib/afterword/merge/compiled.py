"""A compiled file as a row of pieces: entries, conflicts, items, and what is a person's.

Where a piece of both sides is one that a compile writes, either text of it will do: the
facts in it are merged by themselves (`merge.facts`), and the file is composed anew. What
both changed of a person's text is settled for one side, so that two whole files show what
contradicts. Pure; imports `snapshot`'s words and metadata, and `merge`'s own parts.
"""

from __future__ import annotations

from afterword.merge import laws, order, pieces, text
from afterword.merge.laws import Differ, Merged
from afterword.merge.pieces import FIXED, HEAD, TOP, Piece, Span
from afterword.merge.weave import Rules, characters
from afterword.model import TYPE_CHECKING
from afterword.snapshot import fact, metadata, words
from afterword.snapshot.fact import normalised
from afterword.store import blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from afterword.merge.pieces import Key
    from afterword.merge.text import Show
    from afterword.snapshot.fact import Fact

_ENTRY, _ITEM, _TEXT = "entry", "item", "text"
# The sections of a compiled file in their order, and the keys of what is ours.
RANKS = (*words.SECTIONS, words.CONFLICT_LOG, words.PENDING)
_TITLE: Key = (HEAD, (b"title",), 0, 0)
_END: Key = ("end",)
_MADE = ""  # the section of what is told by its id, wherever it stands
_PARTED = words.SECTION_OF[words.ARCHITECTURE]
_LOG = frozenset((words.CONFLICT_LOG.casefold(), "conflicts", "冲突日志", "冲突记录"))
_PENDING = (words.PENDING.casefold(), "待验证", "待确认")
_OWN = frozenset(
    [TOP, _TITLE]
    + [(HEAD, (name.encode(),), 0, 0) for name in RANKS]
    + [(HEAD, (f"{_PARTED}: {part}".encode(),), 0, 0) for part in words.PARTS]
)
_METADATA = b"<!-- {"
_ITEMS = (b"- ", b"* ", b"+ ", b"|")
_INDENTS = (b" ", b"\t")


def ours(one: str, other: str) -> str:
    """Of two texts that contradict ours."""
    return one


def theirs(one: str, other: str) -> str:
    """Of two texts that contradict theirs."""
    return other


class Settled(Rules):
    """Contradictions are settled by `show`, which chooses; `contested` names them."""

    def __init__(self, show: Show) -> None:
        self.contested: list[str] = []
        self._show = show

    def read(self, data: bytes) -> list[Piece]:
        return pieces_of(data)

    def join(self, before: Piece | None, ours: Piece, theirs: Piece) -> Merged:
        if ours.about and theirs.about:
            return Merged(data=max(ours.body, theirs.body))
        if ours.key == TOP:
            return self._front(before, ours, theirs)
        old = characters(before.body) if before else ""
        one, other = characters(ours.body), characters(theirs.body)
        found, is_open = text.merge(old, one, other, self._show)
        if is_open:
            self.contested.append(self.name(ours))
        return Merged(data=found.encode("latin-1"))

    def _front(self, before: Piece | None, ours: Piece, theirs: Piece) -> Merged:
        """The text on top with its front matter; settled as a whole where it contradicts."""
        old = before.body if before else b""
        try:
            found = self._top(old, ours.body, theirs.body)
        except Differ:
            found = None
        if found and not found.conflicts:
            return found
        self.contested.append(self.name(ours))
        chosen = self._show(characters(ours.body), characters(theirs.body))
        return Merged(data=chosen.encode("latin-1"))

    def name(self, piece: Piece) -> str:
        return str(piece.key[-1]) if piece.key[0] != HEAD else super().name(piece)

    def sections(
        self,
        before: Sequence[Key],
        ours: Sequence[Key],
        theirs: Sequence[Key],
        rank: Callable[[Key], object],
    ) -> list[Key]:
        """Sections of ours in their order, before each what a person put before it.

        A compile puts a new section behind one of ours, so what follows a person's text
        is as it was.
        """
        rows = [_Row(side) for side in (before, ours, theirs)]
        homes = {
            key: pieces.agreed(*(row.home.get(key) for row in rows))
            for row in rows
            for key in row.home
        }
        own = order.anchored(rows[0].own, rows[1].own, rows[2].own, rank)
        found: list[Key] = []
        for home in (*own, _END):
            o, a, b = ([key for key in row.home if homes[key] == home] for row in rows)
            found += [*order.anchored(o, a, b, rank), home]
        return found[:-1]

    def finished(self, found: list[Piece], versions: Sequence[bytes]) -> list[Piece]:
        return pieces.tightened(found, _ITEM, map(self.read, versions))


class _Row:
    """The sections of one version: those of ours, and before which of them others stand."""

    def __init__(self, keys: Sequence[Key]) -> None:
        self.own = [key for key in keys if key in _OWN]
        self.home: dict[Key, Key] = {}
        following = _END
        for key in reversed(keys):
            if key in _OWN:
                following = key
            else:
                self.home[key] = following
        self.home = dict(reversed(self.home.items()))


class Shown(Settled):
    """Two whole files that differ where they contradict: each such piece between markers."""

    def __init__(self) -> None:
        super().__init__(laws.conflict)

    def join(self, before: Piece | None, ours: Piece, theirs: Piece) -> Merged:
        raise Differ

    def is_text(self, piece: Piece) -> bool:
        return True


def pieces_of(data: bytes) -> list[Piece]:
    """The pieces of a compiled file."""
    return [*_named(pieces.cut(data, [*_spans(data)]))]


def _spans(data: bytes) -> Iterator[Span]:
    """Sections and parts; in those of a compiled file entries, items, and text between."""
    heads = _heads(data)
    place = _Place()
    for start, end, kind in blocks.lines(data):
        line = data[start:end]
        if start in heads:
            yield from place.heading(heads[start], start)
        elif line.strip():
            yield from place.line(line, kind, start)


def _heads(data: bytes) -> dict[int, tuple[int, str, Key]]:
    """Level, text and key of each heading; a title that changes leaves the sections alone."""
    found = [*blocks.headings(data)]
    titles = [one for one in found if one.level == 1]
    below = (one for one in found if one.level > 1)
    keys = {one.start: key for one, key in pieces.heads(below)}
    for at, one in enumerate(titles):
        keys[one.start] = (HEAD, (b"title", one.text), at, 0) if at else _TITLE
    return {
        one.start: (
            one.level,
            one.text.decode("utf-8", "surrogateescape"),
            keys[one.start],
        )
        for one in found
    }


class _Place:
    """Where in a file a line stands, and what the line above it belongs to."""

    def __init__(self) -> None:
        self._section = self._part = ""
        self._level = 0  # of the entry that is open
        self._is_item = False
        self._last = Span(0, TOP, HEAD, TOP)

    def heading(self, found: tuple[int, str, Key], start: int) -> Iterator[Span]:
        """The piece that a heading begins, if it is not the text of an entry."""
        level, name, key = found
        self._is_item = False
        if level <= 2:
            self._section = section_of(name) if level == 2 else ""
            self._part, self._level = "", 0
        part = words.part_of_heading(name) if self._section == _PARTED else ""
        if level == 3 and part:
            self._part, self._level = part, 0
        elif self._section and level > 2:
            if not self._level or level <= self._level:
                self._part = self._part if level > 3 else ""
                self._level = level
                yield self._begun(Span(start, (_ENTRY,), FIXED, (), self._home))
            return
        yield self._begun(
            _head(start, key, self._section, self._part if level > 2 else "")
        )

    @property
    def _home(self) -> tuple[str, str]:
        return self._section, self._part

    def _begun(self, span: Span) -> Span:
        self._last = span
        return span

    def line(self, line: bytes, kind: str, start: int) -> Iterator[Span]:
        """The piece that a line begins: none where it goes on with what is above it."""
        is_metadata = kind == blocks.COMMENT and line.startswith(_METADATA)
        if self._level:
            self._level = 0 if is_metadata else self._level
        elif not self._section or line[:1] in _INDENTS:
            return
        elif is_metadata or (kind == blocks.TEXT and line.startswith(_ITEMS)):
            self._is_item = True
            yield self._begun(Span(start, (_ITEM,), FIXED, (), self._home))
        elif self._last.role != HEAD and not self._is_text():
            key = (_TEXT, self._home, start)
            yield self._begun(Span(start, key, FIXED, (), self._home))

    def _is_text(self) -> bool:
        return self._last.key[0] == _TEXT


def section_of(name: str) -> str:
    """The section of ours that a heading of level 2 names, "" for none."""
    folded = name.strip().casefold()
    if folded.startswith(_PENDING):
        return words.PENDING
    if folded in _LOG:
        return words.CONFLICT_LOG
    return words.SECTION_OF.get(words.type_of_heading(name), "")


def _head(start: int, key: Key, section: str, part: str) -> Span:
    """A section or part of ours by what it is, any other heading by its text."""
    if not section:
        rank = -1 if key == _TITLE else len(RANKS)
        return Span(start, key, HEAD, (rank, repr(key)))
    name = f"{section}: {part}" if part else section
    return Span(
        start, (HEAD, (name.encode(),), 0, 0), HEAD, (RANKS.index(section), name)
    )


def _named(found: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces by what tells them apart; `about` is what a compile wrote of them."""
    last: Key = TOP
    for piece in found:
        named = piece
        if piece.key[0] == _TEXT:
            named = piece.replace(key=(_TEXT, last), about=None)
        elif piece.role != HEAD:
            named = _owned(piece)
        last = named.key
        yield named


def _owned(piece: Piece) -> Piece:
    """An entry or item: by its id if increments made it, else by its title."""
    said = metadata_of(piece.body)
    facts = _facts(said)
    title = _title(piece)
    is_made = bool(facts and facts[0].sources) or (said and metadata.is_conflict(said))
    name = str(facts[0].id if facts else (said or {}).get("id")) if is_made else title
    home = (_MADE, _MADE) if is_made and piece.key[0] == _ENTRY else piece.about
    is_log = piece.about == (words.CONFLICT_LOG, "")
    return piece.replace(
        key=(*piece.key, home, name),
        rank=(_order(facts), name),
        about=bool(said) or is_log,
    )


def metadata_of(body: bytes) -> Mapping[str, Any] | None:
    """The object of the last line of metadata in a piece; None for adopted text."""
    for line in reversed(body.splitlines()):
        at = line.rfind(_METADATA)
        if at >= 0:
            said = metadata.from_line(line[at:].decode("utf-8", "surrogateescape"))
            if said is not None:
                return said
    return None


def _facts(said: Mapping[str, Any] | None) -> tuple[Fact, ...]:
    """The facts that a line of metadata speaks of; none for a conflict."""
    if said is None or metadata.is_conflict(said):
        return ()
    return metadata.facts_of(said, module="") or (metadata.fact_of(said, module=""),)


def _title(piece: Piece) -> str:
    """The title of an entry, the first cell of a row, the topic of a line of the log."""
    line = piece.body.split(b"\n", 1)[0].decode("utf-8", "surrogateescape").strip()
    bare = line.lstrip("#-*+ |").removeprefix(words.UNCONFIRMED).strip()
    if line.startswith("|"):
        bare = bare.partition("|")[0]
    if line.startswith(f"- {words.CONFLICT}"):
        bare = bare.rpartition(": ")[0]
    return normalised(bare)


def _order(facts: Sequence[Fact]) -> Key:
    """The place in the fold; what has none stands behind."""
    return fact.order(facts[0]) if facts else (2, "", "", "", 0)
