"""Reflections of a log, in every form that real logs have, read without losing a byte.

Kinds (spec/evolution.md 1.3): R1 `## 反思 ...` and our own `## Reflection ...`, R2
`## <date> ...`, `## 会话反思 ...`, `## 会话：...`, R3 `### <date> Session: ...` and
`### Session <date> ...`, R5 a pasted `# ... 反思报告 ...` with its own `##` sections.
Pure; imports `store.blocks` and `evolution.reflection_sections` only.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from afterword.evolution import reflection_sections
from afterword.store import blocks

R1, R2, R3, R5 = "R1", "R2", "R3", "R5"

# A longer heading is read by its beginning: no real one has a fifth of this.
_MOST = 1000
_DATE = r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?![0-9])"
_CLOCK = r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9]"
_WHEN = (
    rf"(?P<date>{_DATE})\]?"
    rf"(?:[ \tT]*(?P<time>{_CLOCK})(?::[0-5][0-9](?:\.[0-9]+)?)?Z?(?![0-9]))?"
)
_ANYWHERE = re.compile(rf"(?<![0-9]){_WHEN}")
# The word alone, or before a mark or a date: `反思记录` and `Reflection log` hold several.
_WORD = re.compile(
    r"(?:反思|reflection)(?=[ \t]*(?:\Z|[|·:：(（\[]|[-–—][ \t0-9]|[0-9]{4}-))", re.I
)
_SITTING = re.compile(
    rf"会话反思(?!记录|日志)|(?:会话|session)(?=[ \t]*[:：|]|[ \t]+(?:[-–—][ \t]|{_DATE}))",
    re.I,
)
_BEHIND = re.compile(
    rf"(?:会话反思|反思|会话|reflection|session)[ \t|·:：(（\[–—-]*{_WHEN}", re.I
)
_DATED = re.compile(rf"\[?{_DATE}")
_BEGINS = re.compile(r"反思|reflection\b", re.I)
_HOLDER = re.compile(r"日志|归档|记录|\blogs?\b|\barchives?\b|\brecords?\b", re.I)
_ENGINE = re.compile(
    rf"{_DATE}(?:[ \t]+{_CLOCK})?[ \t]+(?:session|会话)[ \t]*(?:\Z|[:：|(（–—-])"
    rf"|(?:session|会话)[ \t]+{_DATE}",
    re.I,
)
_REPORT = re.compile(r"反思|复盘|\breflection\b|\bretrospective\b", re.I)
_REPORTED = re.compile(rf"报告|总结|\breport\b|{_DATE}", re.I)
# What ends a pasted report beside the next reflection: a heading that holds several.
_SEVERAL = re.compile(r"(?:反思|归档)(?:记录|日志)|(?:sessions|reflections)\Z", re.I)
_SESSION = re.compile(r"[(（][ \t]*(?:会话|session)[ \t]*[:：][ \t]*", re.I)
_ENGINE_SESSION = re.compile(r"(?:session|会话)[ \t]*[:：][ \t]*", re.I)
_COLONS, _MARKS = (":", "："), ("-", "–", "—", "|", "·")
_BEGINNINGS, _ENDS = ("(", "（"), (")", "）")


class Reflection(blocks.Record):
    """One reflection: from its heading to the next one, a `---` and R4 text included.

    `line` counts from 1. `date` is `YYYY-MM-DD`, `time` is `HH:MM`, `session` is what the
    heading calls the session, each "" where the heading has none. `title` is the
    session's name where nothing else is said, as in most real logs.
    """

    __slots__ = ("date", "end", "kind", "line", "session", "start", "time", "title")
    start: int
    end: int
    line: int
    kind: str
    date: str
    time: str
    title: str
    session: str

    def __init__(
        self,
        start: int,
        end: int,
        line: int,
        kind: str,
        date: str,
        time: str,
        title: str,
        session: str,
    ) -> None:
        self._set(
            start=start,
            end=end,
            line=line,
            kind=kind,
            date=date,
            time=time,
            title=title,
            session=session,
        )

    @property
    def moment(self) -> str:
        """Date and time to compare by; a missing time is the start of the day (C9)."""
        return f"{self.date} {self.time or '00:00'}"


class Log(blocks.Record):
    """A log's bytes and its reflections in the order of the file."""

    __slots__ = ("data", "entries")
    data: bytes
    entries: tuple[Reflection, ...]

    def __init__(self, data: bytes, entries: tuple[Reflection, ...]) -> None:
        self._set(data=data, entries=entries)

    def raw(self, entry: Reflection) -> bytes:
        """The bytes of one reflection."""
        return self.data[entry.start : entry.end]

    def dated(self) -> list[Reflection]:
        """Those that the window counts (C9): the heading names a day."""
        return [entry for entry in self.entries if entry.date]

    def is_newest_first(self) -> bool:
        """Whether the log grows at its top: its first dated one is newer than its last."""
        dated = self.dated()
        return bool(dated) and dated[0].moment > dated[-1].moment


def read(data: bytes) -> Log:
    """The reflections of a log or of an archive, of any bytes.

    A heading of level 1 or 2 that begins none ends the one above and is nobody's: it
    stays where it is. Two exceptions, both of the reflection above: level 2 inside a
    pasted report (R5), and level 2 that names a section of a reflection.
    """
    entries: list[Reflection] = []
    at, line = 0, 1
    heading: blocks.Heading | None = None
    kind = ""
    for start, kind_next, found in _borders(data):
        if heading is not None and kind:
            entries.append(_entry(heading, start, line, kind))
        line += _lines(data, at, start)
        at, heading, kind = start, found, kind_next
    if heading is not None and kind:
        entries.append(_entry(heading, len(data), line, kind))
    return Log(data, tuple(entries))


def _borders(data: bytes) -> Iterator[tuple[int, str, blocks.Heading]]:
    """Where a reflection begins, with its kind, or where nobody's text does, with ""."""
    current = ""
    for heading in blocks.headings(data, front=False):
        if heading.level > 3:
            continue
        text = heading.text.decode("utf-8", "replace")
        kind = kind_of(heading.level, text)
        if kind or _ends(heading.level, text, current):
            current = kind
            yield heading.start, kind, heading


def kind_of(level: int, text: str) -> str:
    """The kind of reflection that a heading begins, "" when it begins none."""
    text = text[:_MOST]
    if level == 3:
        return R3 if _ENGINE.match(text) else ""
    if level == 1:
        is_report = _REPORT.search(text) and _REPORTED.search(text)
        return R5 if is_report and not _HOLDER.search(text) else ""
    if level != 2:
        return ""
    if _WORD.match(text):
        return R1
    if _DATED.match(text) or _SITTING.match(text):
        return R2
    is_dated = _BEGINS.match(text) and _ANYWHERE.search(text)
    return R1 if is_dated and not _HOLDER.search(text) else ""


def _ends(level: int, text: str, current: str) -> bool:
    if level != 2:
        return level == 1
    if current == R5:
        return _SEVERAL.match(text) is not None
    return not (current and reflection_sections.name_of(text))


def _lines(data: bytes, start: int, end: int) -> int:
    """How many lines end between two places that begin lines."""
    ends = data.count(b"\n", start, end) + data.count(b"\r", start, end)
    return ends - data.count(b"\r\n", start, end)


def _entry(heading: blocks.Heading, end: int, line: int, kind: str) -> Reflection:
    text = heading.text[: 4 * _MOST].decode("utf-8", "replace").strip()[:_MOST]
    when = _when(text)
    date, time = (when["date"], when["time"] or "") if when else ("", "")
    title, session = _named(kind, text, when)
    # a large log has one day many times
    date, time = sys.intern(date), sys.intern(time and time.zfill(5))
    return Reflection(heading.start, end, line, kind, date, time, title, session)


def _when(text: str) -> re.Match[str] | None:
    """Date and time of a heading: behind its first word; a title may name another day."""
    found = _BEHIND.match(text)
    if found or _WORD.match(text) or _SITTING.match(text):
        return found
    return _ANYWHERE.search(text)


def _named(kind: str, text: str, when: re.Match[str] | None) -> tuple[str, str]:
    """Title and session of a heading; the session's name is the title of one without."""
    if kind == R5:
        return text, ""
    rest = (text[when.end() :] if when else _behind_word(text)).lstrip(" \t)）]")
    if written := _own(rest):
        return written
    title, session = _apart(rest)
    title = title.strip()
    title = title[1:].lstrip() if title.startswith(_MARKS) else title
    if title.startswith(_BEGINNINGS) and title.endswith(_ENDS):
        title = title[1:-1].strip()
    said = "" if _BEGINS.fullmatch(title) else title
    return said or session, session


def _own(rest: str) -> tuple[str, str] | None:
    """Title and session as this program writes them, `(session: id): title`: word for word."""
    if rest.startswith(_COLONS):
        return rest[1:].strip(), ""
    found = _SESSION.match(rest)
    ends = [at for mark in _ENDS if (at := rest.find(mark)) >= 0]
    if found is None or not ends:
        return None
    behind = rest[min(ends) + 1 :].lstrip()
    if not behind.startswith(_COLONS):
        return None
    return behind[1:].strip(), rest[found.end() : min(ends)].strip()


def _apart(rest: str) -> tuple[str, str]:
    """Title and session as others write them: `title (Session: name)`, `Session: name`."""
    if engine := _ENGINE_SESSION.match(rest):
        return "", rest[engine.end() :].strip()
    found = _SESSION.search(rest)
    if found is None or not rest.endswith(_ENDS):
        return rest, ""
    return rest[: found.start()], rest[found.end() : -1].strip()


def _behind_word(text: str) -> str:
    """The text behind the word that makes an undated heading one of a reflection."""
    found = _SITTING.match(text) or _BEGINS.match(text)
    return text[found.end() :] if found else text
