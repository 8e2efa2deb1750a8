"""One entry of an increment, read: its type, title, body, fields, and what is odd about it.

Between `increment_scan`, which cut it out, and `increment`, which makes a fact of it. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterword.snapshot import increment_paths as paths
from afterword.snapshot import increment_shapes as shapes
from afterword.snapshot import increment_title as titles
from afterword.snapshot import increment_values as values
from afterword.snapshot import increment_words as spelled
from afterword.snapshot import words
from afterword.snapshot.fact import Supersedes
from afterword.snapshot.increment_block import HEADING, PARAGRAPH, TAGGED, Block, Raw
from afterword.snapshot.increment_body import Body, Fields
from afterword.store.safe_text import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    Problem = tuple[int, str]  # a line, from 1, and what is odd there

# The longest paragraph that is a title as it stands; of a longer one the first sentence.
_LONG = 160
_SENTENCE = re.compile(r"[.!?](?=\s)|[。！？]")
_CHOICES = {"confidence": words.CONFIDENCES[::-1], "keep": words.KEEP}


class Entry:
    """An entry read out of `raw`; `kind` is "" where nothing gives it a type."""

    def __init__(self, raw: Raw, block: Block) -> None:
        self.fields = Fields(Body(raw.lines, is_free=raw.mode == TAGGED).lines)
        self.part, self.date = self.fields.first("part") or raw.part, ""
        first, rest = _sentences(raw)
        title = titles.read(first, raw.kind, self.part, is_heading=raw.mode == HEADING)
        self.kind = title.kind or raw.kind or _mentioned(raw, block)
        self.title, said = title.text, [title.said, rest]
        if raw.mode == HEADING:
            self.title, self.date = titles.dated(self.title)
        elif raw.is_structure:
            said.append(self._structure())
        self.body = _lines(said, self.fields.lines, title.state or raw.state)
        if not self.title:
            self._name()
        self.part = self.part if self.kind == words.ARCHITECTURE else ""
        self.confidence = self.fields.first("confidence") or (
            words.MEDIUM if title.is_unconfirmed else ""
        )
        self.problems = tuple(self._odd(raw.line, title.tag))

    def _name(self) -> None:
        """Call an entry without a title by its first line; without one it is no entry."""
        first, *others = self.body or ("",)
        said = shapes.bullet(first) or ""
        found = shapes.label(said)
        is_detail = found is not None and found.field in ("detail", "reason")
        self.title = one_line(found.value if found and is_detail else said)
        self.body = Body(others).lines
        self.kind = self.kind if self.title else ""

    def _structure(self) -> str:
        """`module: name (remark)` of a scan of the code: a part of the architecture (4.3)."""
        found = shapes.label(self.title)
        part = shapes.part_of(found.name) if found else ""
        if not found or not part or not found.value:
            return ""
        self.part = part
        self.title, remark = titles.aside(found.value)
        return remark

    @property
    def files(self) -> tuple[str, ...]:
        """The files that the entry itself names."""
        named = "\n".join(self.fields.every("file")).split("\n")
        return tuple(dict.fromkeys(filter(None, named)))

    @property
    def supersedes(self) -> tuple[Supersedes, ...]:
        return tuple(
            dict.fromkeys(map(values.superseded, self.fields.every("supersedes")))
        )

    @property
    def after(self) -> tuple[str, ...]:
        said = " ".join(self.fields.every("after"))
        return tuple(said.replace("，", " ").replace(",", " ").split())

    def _odd(self, line: int, tag: str) -> Iterator[Problem]:
        if tag and self.kind == words.UNCATEGORIZED:
            what = titles.without_type(tag)
            yield line, f"{what}: kept under {words.SECTION_OF[self.kind]}"
        for one in self.fields.odd:
            choices = ", ".join(_CHOICES[one.field])
            yield line, f"{one.name} {one.value!r} is none of {choices}"


def _mentioned(raw: Raw, block: Block) -> str:
    """The type that the arrow of the one file gives which the entry mentions (4.4)."""
    return paths.single_kind("\n".join((raw.title, *raw.lines)), block.kinds)


def _lines(said: list[str], below: tuple[str, ...], state: str) -> tuple[str, ...]:
    """The body: what stood behind the title, the lines below it, what became of it (L041)."""
    above = [line for text in said if text for line in Body([f"- {text}"]).lines]
    gone = [f"- Status: {state}"] if state not in ("", spelled.ADDED) else []
    return (*above, *below, *gone)


def _sentences(raw: Raw) -> tuple[str, str]:
    """The title of an entry; of a long paragraph its first sentence, and what follows."""
    whole = raw.title
    is_long = raw.mode == PARAGRAPH and len(whole) > _LONG
    end = _SENTENCE.search(whole) if is_long else None
    return (whole[: end.end()], whole[end.end() :].strip()) if end else (whole, "")
