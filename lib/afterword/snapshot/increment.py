"""An increment: a Markdown change set, read into the facts that it states.

Lossless of what is knowledge and tolerant of how it is written: what `increment_scan`
cut out becomes a fact with its fields; what is odd is a problem with its line, never an
error. Any bytes are read. Pure; `adding` and `sources` are the ones that open files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from afterword.model import Model
from afterword.snapshot import increment_paths as paths
from afterword.snapshot import increment_values as values
from afterword.snapshot import words
from afterword.snapshot.fact import Fact, source_hash
from afterword.snapshot.increment_block import TEMPLATE, Block
from afterword.snapshot.increment_entry import Entry
from afterword.snapshot.increment_scan import Scan
from afterword.store import blocks, merge_markers, safe_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")
    from afterword.snapshot.increment_entry import Problem


class Increment(Model):
    """What a file of increments says; its parts (several `# date slug`) as one.

    `affected` and `changes` are those of all parts, `domain`, `trigger` and `recorded`
    (`YYYY-MM-DD[ HH:MM:SS]` or "") of the first that has them. Not `is_readable`: nothing
    in it could be made out, and `problems` say why; it stays where it is.
    """

    stem: str
    hash: str
    facts: tuple[Fact, ...] = ()
    affected: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    domain: str = ""
    trigger: str = ""
    recorded: str = ""
    problems: tuple[Problem, ...] = ()
    is_readable: bool = True


def read(
    data: bytes, stem: str, *, folder: str = "", digest: str | None = None
) -> Increment:
    """Read a file of increments; `stem` is its name without `.md`, `folder` its module.

    `digest` is `fact.source_hash(data)` where the caller has it. Never raises.
    """
    source = (stem, digest or source_hash(data))
    reader = _Reader(source, folder)
    found = Scan(data).blocks if not reader.refuses(data) else []
    defaults = [reader.take(block) for block in found]
    if found and not reader.facts and not any(map(_is_known, found)):
        reader.refuse(
            1,
            "holds nothing that an increment has, such as ## Decisions or [DECISION] title",
        )
    return Increment(
        stem=stem,
        hash=source[1],
        facts=tuple(reader.facts),
        affected=_united(one.files for one in defaults),
        changes=tuple(line for block in found for line in block.changes),
        domain=", ".join(_first((one.domains for one in defaults), ())),
        trigger=_first((one.trigger for one in defaults), ""),
        recorded=_first((one.recorded for one in defaults), ""),
        problems=tuple(sorted(reader.problems)),
        is_readable=reader.is_readable,
    )


def _united(lists: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for found in lists for one in found))


def _first(values: Iterator[T], default: T) -> T:
    return next(filter(None, values), default)


def _is_known(block: Block) -> bool:
    """Whether a block without an entry is one all the same: it has sections, or is a buffer."""
    return bool(block.sections - {""}) or block.heading.casefold().startswith("buffer")


class _Default:
    """What one block says for all of its entries."""

    def __init__(self, block: Block, stem: str) -> None:
        meta = block.meta
        self.said = (
            meta.get("timestamp") or meta.get("recorded") or meta.get("date", "")
        )
        self.author = safe_text.one_line(meta.get("author", ""))
        self.recorded = (
            values.moment(self.said)
            or values.moment(block.heading)
            or values.moment_of_name(stem)
        )
        self.confidence = values.confidence(meta.get("confidence", ""))
        self.status = values.status(meta.get("status", ""))
        self.domains = values.names(meta.get("domain") or meta.get("module", ""))
        self.trigger = meta.get("trigger", "")
        named = _united(one.paths for one in block.affected)
        self.files = named or _united(map(paths.changed_paths, block.changes))

    def odd(self, block: Block) -> Iterator[Problem]:
        """What is odd in the Meta of the block."""
        meta, line = block.meta, block.line
        if self.said and not values.moment(self.said):
            yield line, f"timestamp {self.said!r} is no date"
        if meta.get("confidence") and not self.confidence:
            known = ", ".join(words.CONFIDENCES[::-1])
            yield line, f"confidence {meta['confidence']!r} is none of {known}"
        if meta.get("status") and not self.status:
            known = ", ".join(words.STATUSES)
            yield line, f"status {meta['status']!r} is none of {known}"


class _Reader:
    """Makes facts of blocks, one after the other, for one file."""

    def __init__(self, source: tuple[str, str], folder: str) -> None:
        self._sources = (source,)
        self._folders = (folder,) if folder else ()
        self.facts: list[Fact] = []
        self.problems: list[Problem] = []
        self.is_readable = True

    def refuse(self, line: int, text: str) -> bool:
        """Nothing of the file is used."""
        self.problems, self.is_readable = [(line, text)], False
        return True

    def refuses(self, data: bytes) -> bool:
        """Whether nothing of a file can be relied on; then its problem says why."""
        if not data.strip(b"\xef\xbb\xbf \t\r\n"):
            return self.refuse(1, "is empty")
        try:
            data.decode()
        except UnicodeDecodeError as error:
            line = blocks.line_number(data, error.start)
            return self.refuse(line, f"is not UTF-8 from byte {error.start} on")
        marker = merge_markers.first_line(blocks.with_newline(data, b"\n"))
        if marker:
            return self.refuse(marker, "a merge left its markers here")
        left = _open_end(data)
        if left:
            what = "comment" if left[1] == b"-->" else "code fence"
            return self.refuse(left[0], f"a {what} begins here and is never closed")
        return False

    def take(self, block: Block) -> _Default:
        """The entries of one block, and what it says for all of them."""
        default = _Default(block, self._sources[0][0])
        self.problems += default.odd(block)
        is_unsaid = False
        for raw in block.entries:
            entry = Entry(raw, block)
            if entry.kind:
                self.facts.append(self._fact(entry, default))
                self.problems += entry.problems
                is_unsaid |= not (entry.confidence or default.confidence)
            else:
                block.left_out.setdefault(raw.under, raw.line)
        self.problems += (
            (line, _left_out(text)) for text, line in block.left_out.items()
        )
        if is_unsaid:
            self.problems.append((block.line, "gives no confidence: read as medium"))
        return default

    def _fact(self, entry: Entry, default: _Default) -> Fact:
        first = entry.fields.first
        return Fact(
            kind=entry.kind,
            title=entry.title,
            body=entry.body,
            part=entry.part,
            key=first("key"),
            value=first("value"),
            supersedes=entry.supersedes,
            resolves=first("resolves"),
            keep=first("keep"),
            after=entry.after,
            confidence=entry.confidence or default.confidence or words.MEDIUM,
            status=first("status") or default.status or words.UNVERIFIED,
            author=first("author") or default.author,
            recorded=first("recorded", "timestamp") or entry.date or default.recorded,
            files=entry.files or default.files,
            domains=default.domains,
            folders=self._folders,
            sources=self._sources,
            ordinal=len(self.facts),
        )


def _open_end(data: bytes) -> tuple[int, bytes] | None:
    may_open = b"```" in data or b"~~~" in data or b"<!--" in data
    return blocks.unclosed(data, blocks.has_front(data)) if may_open else None


def _left_out(section: str) -> str:
    if section == TEMPLATE:
        return "a placeholder of the template: left out"
    what = f"the section {section!r} is" if section else "text without a section is"
    return f"{what} of no known type: left out"
