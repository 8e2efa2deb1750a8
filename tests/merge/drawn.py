"""Evolution files of the shapes that programs and people leave, to be drawn by hypothesis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from afterword.evolution import archive_text, knowledge_table, queue, reflection
from afterword.merge import archives, pieces, reflections
from afterword.merge import knowledge_base as base_merge
from afterword.merge import queue as queue_merge
from afterword.merge.laws import Merged
from afterword.store import blocks

OLD, OWN = ("LQ-001", "LQ-002", "Q-7"), ("LQ-010-aaaaaa", "LQ-009-bbbbbb")
STATES = st.sampled_from(("pending", "processing", "done", "done（部分）"))
DAYS = st.integers(1, 28).map("2026-11-{:02d}".format)


@st.composite
def _item(draw: st.DrawFn, name: str) -> str:
    bullet = draw(st.sampled_from(("- ", "- ", "* ")))
    lines = [f"Priority: P{draw(st.integers(0, 3))}", f"Status: {draw(STATES)}"]
    lines += [f"Added: {draw(DAYS)}"] if draw(st.booleans()) else []
    lines += [f"Processed: {draw(DAYS)}"] if draw(st.booleans()) else []
    lines += [f"Content: {draw(st.sampled_from(('one', 'two: 2')))}"]
    lines += [f"Product: {draw(st.sampled_from(('k-001', 'k-001, P-2', 'free text')))}"]
    more = draw(st.sampled_from(("", "", "  and more\n", "```\n### LQ-099: no\n```\n")))
    mark = draw(st.sampled_from(("", "", "✅ ")))
    text = "".join(f"{bullet}{line}\n" for line in lines)
    return f"### {mark}{name}: Title\n{text}{more}"


OTHER_BLOCKS = st.sampled_from(
    (
        "### [P1] 2026-03-08 - an idea\n**Content**: text\n",
        "### ✅ 已归档: Q-001 到 Q-018\n- 归档时间: 2026-03-16\n",
    )
)


def _shuffled(draw: st.DrawFn, made: list[str]) -> list[str]:
    chosen = [one for one in made if draw(st.integers(0, 4))]
    return list(draw(st.permutations(chosen))) if draw(st.booleans()) else chosen


def _finished(draw: st.DrawFn, text: str) -> bytes:
    if draw(st.integers(0, 5)) == 0:
        text = text.rstrip("\n")
    if draw(st.integers(0, 5)) == 0:
        text = text.replace("\n", "\r\n")
    mark = draw(st.sampled_from(("", "", "", "\ufeff")))
    return (mark + text).encode()


@st.composite
def queues(draw: st.DrawFn) -> bytes:
    items = [draw(_item(name)) for name in (*OLD, *OWN)]
    if draw(st.booleans()):
        items.append(draw(OTHER_BLOCKS))
    items = _shuffled(draw, items)
    at = draw(st.integers(0, len(items)))
    intro = draw(st.sampled_from(("", "One\n\n", "One\nTwo\n\n", "- a\n- b\n\n")))
    parts = [f"# Learning queue\n\n{intro}## Pending\n\n"]
    parts += [f"{one}\n" for one in items[:at]]
    if at < len(items) or draw(st.booleans()):
        parts += ["## Done\n\n", *(f"{one}\n" for one in items[at:])]
    return _finished(draw, "".join(parts))


@st.composite
def queue_archives(draw: st.DrawFn) -> bytes:
    at = draw(st.integers(0, 2))
    hand = [draw(_item(name)) + "\n" for name in OLD[:at]]
    days = st.sampled_from(("2026-11-20", "2026-11-21"))
    ours = [
        draw(_item(name)) + "\n" + _mark(draw(days))
        for name in _shuffled(draw, [*OLD[at:], *OWN])
    ]
    head = draw(st.sampled_from(("# Archive\n\n", "# Archive\n\n> by hand\n\n", "")))
    return _finished(draw, head + "".join([*hand, *ours]))


def _mark(day: str) -> str:
    return archive_text.mark(f"{day}T10:00:00Z", b"\n").decode()


HEADINGS = (
    "## Reflection - 2026-11-01 10:00 (session: e1)",
    "## Reflection - 2026-11-02 10:00 (session: e2)",
    "## 反思 - 2026-11-02 09:00（会话：e3）",
    "## 反思 - 2026-02-27 15:28（会话：v5.2.5 发布）",
    "## 2026-02-11 Reflection (Session: a topic)",
    "### 2026-02-27 Session: auto-session-",
    "## 反思（会话：没有日期）",
)
REFLECTED = st.sampled_from(
    (
        "",
        "### ✅ 做得好的\n\n1. 好\n\n---\n",
        "### What went well\n\n- it\n\n```\n# no heading\n```\n\n---\n",
        "text\n\n---\n\ntext that follows\n",
    )
)


@st.composite
def logs(draw: st.DrawFn) -> bytes:
    made = [f"{heading}\n\n{draw(REFLECTED)}\n" for heading in HEADINGS]
    made = _shuffled(draw, made)
    made = made[::-1] if draw(st.booleans()) else made
    head = draw(
        st.sampled_from(("# Reflection log\n\n", "# Log\n\n## 反思记录\n\n", ""))
    )
    return _finished(draw, head + "".join(made))


ROWS = {
    "k-001": ("A | B", "A"),
    "k-002": ("B",),
    "k-039": ("C",),
    "k-1f2e3d4c": ("D",),
    "k-0a1b2c3d": ("E", "F"),
}


@st.composite
def _row(draw: st.DrawFn, name: str) -> str:
    title = draw(st.sampled_from(ROWS[name])).replace("|", r"\|")
    category = draw(st.sampled_from(("workflow", "tooling")))
    confidence = draw(st.sampled_from(("0.5", "0.9", "")))
    return f"| {name} | {title} | {category} | {confidence} |\n"


@st.composite
def bases(draw: st.DrawFn) -> bytes:
    parts = []
    if draw(st.booleans()):
        day = draw(DAYS)
        count = draw(st.integers(0, 9))
        parts.append(
            f"---\nversion: 1.0\nlast_updated: {day}\nentries: {count}\n---\n\n"
        )
    rule = draw(st.sampled_from(("|--|--|--|--|", "| -- | --- | --- | --- |")))
    rows = _shuffled(draw, [draw(_row(name)) for name in ROWS])
    parts += [f"# Base\n\n## Index\n\n| ID | Title | Category | Confidence |\n{rule}\n"]
    parts += rows
    if draw(st.booleans()):
        counts = [draw(st.integers(0, 3)) for _ in range(2)]
        parts.append("\n## Counts\n\n| Category | Count |\n|--|--|\n")
        parts.append(f"| workflow | {counts[0]} |\n| tooling | {counts[1]} |\n")
    if draw(st.booleans()):
        text = draw(st.sampled_from(("one", "two")))
        parts.append(
            f"\n## Entries\n\n### KB-001: T\n- Confidence: 0.9\n- Content: {text}\n"
        )
    return _finished(draw, "".join(parts))


@dataclass(frozen=True)
class Kind:
    """A kind of file: its merge, its strategy, and what it is made of by key."""

    name: str
    merge: Callable[[bytes, bytes, bytes], Merged | None]
    files: st.SearchStrategy[bytes]
    parts: Callable[[bytes], dict[str, bytes]]


def lf(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _bare(raw: bytes) -> bytes:
    return pieces.trimmed(lf(raw))


def _items(data: bytes) -> dict[str, bytes]:
    return {one.identity: _bare(one.raw) for one in queue.read(data).items}


def _reflections(data: bytes) -> dict[str, bytes]:
    log = reflection.read(data)
    return {
        f"{one.kind} {one.date} {one.time} {one.session}": _bare(log.raw(one))
        for one in log.entries
        if one.date
    }


def _archived(data: bytes) -> dict[str, bytes]:
    """Each block by its content, with its stamp."""
    found = [_bare(one.raw) for one in queue.read(data).items]
    return {archive_text.trimmed(raw).decode(): raw for raw in found}


def _rows_of(data: bytes) -> dict[str, bytes]:
    found = [table for table in knowledge_table.tables(data) if table.is_index]
    return {
        table.value(row, "id"): lf(data[row.start : row.end]).strip()
        for table in found
        for row in table.rows
    }


KINDS = [
    Kind("queue", queue_merge.merge, queues(), _items),
    Kind("queue archive", archives.of_queue, queue_archives(), _archived),
    Kind("log", reflections.merge, logs(), _reflections),
    Kind("base", base_merge.merge, bases(), _rows_of),
]


@st.composite
def edited(draw: st.DrawFn, files: list[bytes]) -> tuple[bytes, bytes, bytes]:
    """A real file, and what two people made of it: blocks and lines moved, gone, changed."""
    data = files[draw(st.integers(0, len(files) - 1))]
    ours, theirs = (draw(st.lists(_CHANGES, max_size=4)) for _ in range(2))
    return data, _applied(data, ours), _applied(data, theirs)


_PLACES = st.integers(0, 10**6)
_CHANGES = st.tuples(
    st.sampled_from(
        ("drop block", "move block", "drop line", "edit line", "add", "ends", "end")
    ),
    _PLACES,
    _PLACES,
)


def _applied(data: bytes, changes: list[tuple[str, int, int]]) -> bytes:
    for what, place, other in changes:
        cut = [block.raw for block in blocks.cut(data, 3)] or [b""]
        lines = data.split(b"\n")
        if what == "drop block":
            cut.pop(place % len(cut))
        elif what == "move block":
            moved = cut.pop(place % len(cut))
            cut.insert(other % (len(cut) + 1), moved)
        if "block" in what:
            data = b"".join(cut)
        elif what == "drop line":
            lines.pop(place % len(lines))
            data = b"\n".join(lines)
        elif what == "edit line":
            lines[place % len(lines)] += b" !"
            data = b"\n".join(lines)
        elif what == "add":
            name = f"LQ-{place % 900 + 100}-{other:06x}"
            data += f"\n### {name}: New\n- Status: pending\n".encode()
        elif what == "ends":
            data = lf(data) if b"\r\n" in data else data.replace(b"\n", b"\r\n")
        else:
            data = data.rstrip(b"\n")
    return data
