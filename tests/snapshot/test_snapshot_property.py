"""Whatever the order, the runs and the crashes: the same bytes, and no fact is ever lost.

DESIGN 8: the files are a pure fold over increments. L009, L074: nothing is lost, only
moved.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from compiled_memory import Memory, increment
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from project import make_repo

CHANGES = "open write replace unlink link fsync".split()
TITLES = (
    "Payment timeout",
    "Retry budget of the scanner",
    "订单超时时间",
    "Cache of prices",
)
KINDS = ("decision", "constraint", "architecture", "config", "glossary", "external")
VALUES = ("3 s", "3000ms", "5 s", "off")
KEYS = ("payment.timeout", "cache.ttl")


class Killed(BaseException):
    """What a kill looks like from inside: nothing of ours catches it."""


@contextmanager
def killing(step: int) -> Iterator[None]:
    """Die before the `step`-th change of a file; 0 never does."""
    real = {name: getattr(os, name) for name in CHANGES}
    left = [step]

    def deadly(name: str):
        def call(*args, **kwargs):
            if name != "open" or args[1] & os.O_CREAT:
                left[0] -= 1
                if left[0] == 0:
                    raise Killed
            return real[name](*args, **kwargs)

        return call

    for name in CHANGES:
        setattr(os, name, deadly(name))
    try:
        yield
    finally:
        for name, function in real.items():
            setattr(os, name, function)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return Memory(make_repo(tmp_path_factory.mktemp("property") / "project"))


def clear(memory: Memory, max_lines: int, modular: bool) -> None:
    for name in ("increments", "modules", "archive"):
        shutil.rmtree(memory.base / name, ignore_errors=True)
    memory.path().unlink(missing_ok=True)
    shutil.rmtree(memory.root / ".ai/local/batch", ignore_errors=True)
    memory.settings(f"snapshot:\n  max_lines: {max_lines}\n")
    if modular:
        memory.modules(order="src/order/", payment="src/payment/")


@st.composite
def texts(draw: st.DrawFn) -> str:
    """An increment, drawn from so few words that they meet, join, contradict and end."""
    title = draw(st.sampled_from(TITLES))
    details = [f"reason: {draw(st.sampled_from(('measured', 'agreed', '已确认')))}"]
    if draw(st.booleans()):
        details += [f"key: {draw(st.sampled_from(KEYS))}"]
        details += [f"value: {draw(st.sampled_from(VALUES))}"]
    else:
        title += draw(st.sampled_from(("", " is 3 s", " is 5 s", " stays off")))
    if draw(st.integers(0, 4)) == 0:
        other = draw(st.sampled_from(TITLES + KEYS))
        details += [f"{draw(st.sampled_from(('supersedes', 'resolves')))}: {other}"]
    elif draw(st.integers(0, 6)) == 0:
        details += [
            f"resolves: {title}",
            f"keep: {draw(st.sampled_from(('old', 'new')))}",
        ]
    day = draw(st.integers(1, 9))
    return increment(
        title,
        *details,
        kind=draw(st.sampled_from(KINDS)),
        at=f"2026-04-0{day} 0{draw(st.integers(0, 9))}:00:00",
        author=draw(st.sampled_from(("Ines", "张三"))),
        confidence=draw(st.sampled_from(("high", "high", "medium", "low"))),
        status=draw(st.sampled_from(("unverified", "unverified", "verified"))),
        domain=draw(st.sampled_from(("", "", "order", "nowhere"))),
        files=draw(st.sampled_from(((), (), ("src/order/a.py", "src/payment/b.py")))),
    )


def split(
    memory: Memory, written: Sequence[str], runs: Sequence[int], step: int
) -> None:
    """Let increments arrive in groups, a compile behind each; one of them may be killed."""
    ids: set[str] = set()
    groups: dict[int, list[int]] = {}
    for number in range(len(written)):
        groups.setdefault(runs[number], []).append(number)
    for run in sorted(groups):
        for number in groups[run]:
            day = written[number].split("timestamp: ")[1][:10]
            memory.put(f"{day}_x-{number}", written[number])
        try:
            with killing(step if run == max(groups) or run == 0 else 0):
                memory.compile()
        except Killed:
            pass
        now = memory.ids() if not memory.litter() else ids
        assert ids <= now
        ids = now
    memory.compile()
    assert ids <= memory.ids()
    assert memory.waiting() == []
    assert memory.litter() == []


def same(
    memory: Memory,
    written: Sequence[str],
    runs: Sequence[int],
    step: int,
    max_lines: int,
    modular: bool,
) -> None:
    """All at once, and in runs of which one is killed: equal files, equal facts."""
    clear(memory, max_lines, modular)
    split(memory, written, [0] * len(written), 0)
    once, ids = memory.tree(), memory.ids()
    clear(memory, max_lines, modular)
    split(memory, written, runs, step)
    assert memory.ids() == ids
    assert memory.tree() == once


def said_at(text: str) -> str:
    return text.partition("timestamp: ")[2][:19]


STEADY = settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
WRITTEN = st.lists(texts(), min_size=1, max_size=7)
RUNS = st.lists(st.integers(0, 3), min_size=7, max_size=7)
STEP = st.integers(0, 60)


@STEADY
@given(
    written=WRITTEN,
    runs=RUNS,
    step=STEP,
    max_lines=st.sampled_from((20, 30, 40)),
    modular=st.booleans(),
)
def test_l009_l074_every_split_in_order_and_every_crash_gives_the_same_bytes(
    memory: Memory,
    written: list[str],
    runs: list[int],
    step: int,
    max_lines: int,
    modular: bool,
) -> None:
    """Also what moves to the histories is the same, one run or many."""
    same(memory, sorted(written, key=said_at), sorted(runs), step, max_lines, modular)


@STEADY
@given(written=WRITTEN, runs=RUNS, step=STEP, modular=st.booleans())
def test_l009_every_order_of_arrival_gives_the_same_bytes(
    memory: Memory, written: list[str], runs: list[int], step: int, modular: bool
) -> None:
    """Where nothing has to leave for its size, even what arrives late finds its place."""
    same(memory, written, runs, step, 1000, modular)


# Lines that a person, another tool or a bad merge may leave anywhere.
STRAY = (
    "",
    "## Key Decisions",
    "### Payment timeout",
    "### [待验证] Cache of prices",
    "- Superseded: 2026-01-01 by x - y",
    '<!-- {"id":"e-0000000000"} -->',
    "<!-- open",
    "```",
    "- [CONFLICT] x: pending_resolution (see Key Decisions)",
    "### [CONFLICT] zzz",
    "| a | b |",
    "|---|---|",
    "A person's line",
    "> quote",
    "# Title",
    "- bullet of a person",
    "  indented",
    "## Conflict Log",
    "## Pending Verification",
    "\x0c",
)


@st.composite
def edits(draw: st.DrawFn) -> list[tuple[str, int, str]]:
    one = st.tuples(
        st.sampled_from(("insert", "insert", "delete", "double", "swap")),
        st.integers(0, 200),
        st.sampled_from(STRAY),
    )
    return draw(st.lists(one, max_size=4))


def edited(text: str, changes: Sequence[tuple[str, int, str]]) -> str:
    lines = text.split("\n")
    for what, number, line in changes:
        at = number % max(len(lines), 1)
        if what == "insert":
            lines.insert(at, line)
        elif what == "delete":
            lines[at : at + 1] = []
        elif what == "double":
            lines[at:at] = lines[at : at + 1]
        else:
            lines[at : at + 2] = lines[at : at + 2][::-1]
    return "\n".join(lines)


@STEADY
@given(
    written=WRITTEN,
    more=st.lists(texts(), max_size=3),
    changes=edits(),
    max_lines=st.sampled_from((20, 200)),
    junk=st.binary(max_size=60),
)
def test_l009_l045_l048_whatever_happens_to_a_file_no_fact_is_lost_and_twice_is_once(
    memory: Memory,
    written: list[str],
    more: list[str],
    changes: list[tuple[str, int, str]],
    max_lines: int,
    junk: bytes,
) -> None:
    clear(memory, max_lines, modular=False)
    for number, text in enumerate(written):
        memory.put(f"2026-04-01_a{number}", text)
    memory.compile()
    memory.path().write_text(edited(memory.text(), changes))
    ids = memory.ids(ours=True)
    for number, text in enumerate(more):
        memory.put(f"2026-04-02_b{number}", text)
    memory.put("2026-04-03_junk", junk)
    memory.compile()
    assert ids <= memory.ids()
    after = memory.tree()
    memory.compile(date="2027-01-01")
    assert memory.tree() == after
