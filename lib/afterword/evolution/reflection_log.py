"""What happens to a log of reflections: rolled, cleaned, added to (T2; DESIGN 7).

Plans over bytes: what would be written, never writing it. A roll and a clean-up only
remove blocks. Pure; imports `evolution.archive_text`, `evolution.reflection`,
`evolution.reflection_empty`, `model` and `store`.
"""

from __future__ import annotations

from heapq import nlargest

from afterword.evolution import archive_text, reflection, reflection_empty
from afterword.evolution.archive_text import Moved
from afterword.evolution.reflection import Log, Reflection
from afterword.evolution.words import EN, ZH
from afterword.model import Model
from afterword.store import blocks
from afterword.store.newline import newline_of

_HEADS = {EN: b"# Reflection log\n\n", ZH: "# 反思日志\n\n".encode()}
_BOM = b"\xef\xbb\xbf"
_ARCHIVE_HEADS = {
    EN: b"# Reflection log archive\n\n",
    ZH: "# 反思日志归档\n\n".encode(),
}


class Cleaned(Model):
    """A log without its empty reflections: its bytes, those that go, how many stay."""

    main: bytes
    removed: tuple[Reflection, ...]
    kept: int


def roll(main: bytes, archive: bytes, keep: int, stamp: str, language: str) -> Moved:
    """Keep the newest `keep` dated reflections, move the others to the archive (T2.3, T2.5).

    Nothing is reordered and undated ones stay (C9, R7). One that leaves a fence or a
    comment open stays too: whatever followed it in the archive would be swallowed. So
    does one that holds the mark of an archived one.
    """
    log = reflection.read(main)
    dated, going = len(log.dated()), _surplus(log, keep)
    if not going:
        return Moved(main=main, kept=dated)
    raws = [log.raw(entry) for entry in going]
    left = _without(log, going)
    head = _ARCHIVE_HEADS[language_of(log, language)]
    head = blocks.with_newline(head, newline_of(main))
    del log, going  # a large log's entries are as large as the log
    return Moved(
        main=left,
        addition=archive_text.plan(archive, raws, stamp, head, cut),
        moved=len(raws),
        kept=dated - len(raws),
        triggered=True,
    )


def _surplus(log: Log, keep: int) -> list[Reflection]:
    """The dated reflections beyond the newest `keep`, in the order of the file.

    Of two with the same time the one is newer that the log's direction makes so.
    """
    dated = log.dated()
    by_age = dated if log.is_newest_first() else reversed(dated)
    newest = {one.start for one in nlargest(keep, by_age, key=lambda one: one.moment)}
    going = [one for one in dated if one.start not in newest]
    last = going[-1] if going else None
    if last and last.end == len(log.data) and blocks.unclosed(log.raw(last)):
        going.pop()
    return [one for one in going if not archive_text.is_marked(log.raw(one))]


def _without(log: Log, going: list[Reflection] | tuple[Reflection, ...]) -> bytes:
    """The log's bytes without some reflections; all others stay as they are."""
    kept, at = [], 0
    for entry in going:
        kept.append(log.data[at : entry.start])
        at = entry.end
    return b"".join([*kept, log.data[at:]])


def cut(archive: bytes) -> list[bytes]:
    """The reflections of an archive without stamps, one made by hand."""
    log = reflection.read(archive)
    return [log.raw(entry) for entry in log.entries]


def clean(data: bytes) -> Cleaned:
    """The log without the reflections that are provably empty (T2.1, T2.2, A2.1)."""
    log = reflection.read(data)
    removed = tuple(
        entry
        for entry in log.entries
        if reflection_empty.is_empty(log.raw(entry), entry.kind)
    )
    kept = len(log.entries) - len(removed)
    return Cleaned(main=_without(log, removed), removed=removed, kept=kept)


def add(
    data: bytes | None,
    *,
    title: str,
    text: bytes,
    at: str,
    session: str,
    language: str,
) -> bytes:
    """The log with one more reflection, closed by `---` (T2.6), where the log grows.

    `at` is `YYYY-MM-DD HH:MM`. The text's headings are made lower (`lowered`), what it
    leaves open is closed. A log that runs newest first grows behind its head, any
    other at its end. The heading is in the language of the log's own.
    """
    log = reflection.read(data or b"")
    own = language_of(log, language)
    newline = newline_of(log.data)
    heading = heading_of(title, at, session, own)
    block = _block(heading, text, newline)
    if not log.data.removeprefix(_BOM).strip():
        return log.data + blocks.with_newline(_HEADS[own], newline) + block
    if log.is_newest_first():
        head, rest = log.data[: log.entries[0].start], log.data[log.entries[0].start :]
        has_head = bool(head.removeprefix(_BOM))
        return (
            (blocks.append(head, block) if has_head else head + block) + newline + rest
        )
    return blocks.append(blocks.finished(log.data, newline, front=False), block)


def heading_of(title: str, at: str, session: str, language: str) -> str:
    """`## Reflection - 2026-11-30 12:34 (session: id): title`, or the same in Chinese."""
    known = " ".join(session.translate(_NO_PARENTHESES).split())
    name = " ".join(title.split())
    if language == ZH:
        parts = f"（会话：{known}）" if known else "", f"：{name}" if name else ""
        text = f"## 反思 - {at}" + "".join(parts)
    else:
        parts = f" (session: {known})" if known else "", f": {name}" if name else ""
        text = f"## Reflection - {at}" + "".join(parts)
    return text + " ##" if text.endswith("#") else text


_NO_PARENTHESES = str.maketrans("()（）", "    ")


def _block(heading: str, text: bytes, newline: bytes) -> bytes:
    """The bytes of a new reflection, from its heading to the line that closes it."""
    body = _stripped(lowered(text)[0])
    first = heading.encode("utf-8", "replace") + b"\n\n"
    whole = blocks.finished(first + body, b"\n")
    gap = b"\n" if body else b""
    return blocks.with_newline(whole + gap + b"---\n", newline)


def lowered(text: bytes) -> tuple[bytes, int]:
    """Given text whose headings begin no reflection, and how many were made level 4."""
    raw = blocks.with_newline(text, b"\n").removeprefix(_BOM)
    whole, count = blocks.lowered(b"\n" + raw, _is_border)
    return whole[1:], count


def _is_border(heading: blocks.Heading) -> bool:
    text = heading.text.decode("utf-8", "replace")
    return heading.level <= 2 or bool(reflection.kind_of(heading.level, text))


def _stripped(text: bytes) -> bytes:
    """The text without empty lines around it."""
    lines = text.split(b"\n")
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    return b"\n".join(lines)


def language_of(log: Log, fallback: str) -> str:
    """The language of the log's own headings; `fallback` where none tells."""
    words = {EN: 0, ZH: 0}
    for entry in log.entries:
        if entry.kind == reflection.R1:
            start = log.data[entry.start : entry.start + 12].lstrip(b"# \t")
            words[ZH if start.startswith("反思".encode()) else EN] += 1
    if words[EN] == words[ZH]:
        return fallback
    return EN if words[EN] > words[ZH] else ZH
