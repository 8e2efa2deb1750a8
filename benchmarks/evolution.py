"""What evolution costs: large queues and logs, and ends with and without work to do.

    .venv/bin/python benchmarks/evolution.py [--runs 31] [--repeats 3] [--small]

First the real commands on files of one size and ten times that: CPU seconds without
the command's own start, and the peak of memory. Then the hook of SessionEnd beside
`python -I -c pass`, in one interleaved run. Each row names its budget (DESIGN 13);
nothing fails here when one is missed.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hooks import CLEAN, PYTHON, Project
from measure import Case, interleaved

COMMAND = str(Path(PYTHON).parent / "afterword")
EVOLUTION = ".ai/repo/evolution"
CACHE = ".ai/local/cache/evolution.json"
QUEUE, LOG, BASE = "learning_queue", "reflection_log", "knowledge_base"
GROWTH, TIME_BUDGET, MEMORY_BUDGET = 10, 12.0, 6.0
# In CPU of bare interpreters: an end, one with a large idle queue, one with work to do.
END, START, SLACK, WORK = 4.0, 2.5, 1.2, 8.0
QUEUE_BYTES = 5_000_000
MERGED = 0.4  # of the items: the driver leaves files above 16 MB to git
PENDING, KEPT = 3, 10
# What an end may take is told by the time-out that install declares.
WIRED = """\
{"hooks": {"SessionEnd": [{"hooks": [{"type": "command",
 "command": "sh .claude/hooks/afterword-session-end", "timeout": 10}]}]}}
"""
HEAD = "# Learning queue\n\n## Pending\n\n"

# --- files ---------------------------------------------------------------------------


def item(number: int, state: str) -> str:
    """An item of some 400 bytes."""
    added = f"2026-{1 + number % 9:02d}-{1 + number % 28:02d}"
    processed = f"- Processed: {added}\n" if state == "done" else ""
    return (
        f"### LQ-{number:03d}: What step {number} of the build taught\n"
        f"- Priority: P{number % 4}\n- Source: session\n- Status: {state}\n"
        f"- Added: {added}\n{processed}- Content: When the tool reports that"
        f" {number} files are stale, its cache was written by another version; remove it,"
        " run the step once more and compare the sums of both runs before going on\n"
        f"- Metadata: session=s-{number}, step={number}\n\n"
    )


def reflection(number: int) -> str:
    """A reflection of some 900 bytes, newer than the one before it."""
    day, minute = divmod(number, 1440)
    when = time.strftime("%Y-%m-%d", time.gmtime(day * 86400))
    at = f"{when} {minute // 60:02d}:{minute % 60:02d}"
    point = (
        f"- Step {number} went on as planned, and its tests told so within a minute\n"
    )
    return (
        f"## Reflection - {at} (session: s-{number})\n\n"
        f"### What went well\n{point * 4}\n### What to improve\n{point * 4}\n"
        f"### Learned\n{point * 3}\n---\n\n"
    )


def mixed(number: int) -> str:
    """States as in a queue that nobody archived: six of ten are done."""
    return "done" if number % 10 < 6 else "pending" if number % 10 < 9 else "noted"


def queue(count: int, state: Callable[[int], str], first: int = 1) -> Iterator[str]:
    yield HEAD
    for number in range(first, first + count):
        yield item(number, state(number))


def archived(count: int) -> Iterator[str]:
    """An archive of that many items, each with the mark behind it."""
    yield "# Learning queue archive\n\n"
    for number in range(1, count + 1):
        yield item(number, "done") + "<!-- archived 2026-11-30T12:34:56Z -->\n\n"


def log(count: int) -> Iterator[str]:
    yield "# Reflection log\n\n"
    yield from map(reflection, range(count))


def idle(size: int) -> Iterator[str]:
    """A queue of that many bytes with nothing to do: ten items done, all others noted."""
    noted = size // len(item(1, "noted"))
    return queue(noted + KEPT, lambda number: "done" if number > noted else "noted")


def write(path: Path, parts: Iterator[str]) -> Path:
    """Piece by piece: our own memory would show as a peak of what we start."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        file.writelines(parts)
    return path


# --- large files ---------------------------------------------------------------------


@dataclass
class Large:
    """A command on a file of a size; `prepare` restores what it changes, `left` it makes."""

    name: str
    words: list[str]
    data: Path
    prepare: Callable[[], None]
    left: Path
    has_budget: bool = False
    is_bare: bool = False  # git's own call, without the start of the command line

    def case(self, root: Path) -> Case:
        return Case(self.name, [COMMAND, *self.words], "", str(root), self.prepare)

    def check(self) -> None:
        if not self.left.exists():
            raise SystemExit(f"{self.name}: {self.left.name} was not written")


def restored(*copies: tuple[Path, Path]) -> Callable[[], None]:
    """Makes the folder of the targets hold these copies and nothing else."""
    folder = copies[0][1].parent

    def prepare() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for source, target in copies:
            shutil.copyfile(source, target)

    return prepare


def commands(root: Path, items: int, entries: int) -> list[Large]:
    """What is measured on files of one size."""
    kept = root.parent / f"{root.name}-files"
    main, archive, log_, rolled, base = (
        root / EVOLUTION / f"{name}.md"
        for name in (QUEUE, f"{QUEUE}_archive", LOG, f"{LOG}_archive", BASE)
    )
    big = write(kept / "queue.md", queue(items, mixed))
    few = write(kept / "few.md", queue(KEPT + 2, lambda _: "done", items + 1))
    old = write(kept / "archive.md", archived(items))
    long = write(kept / "log.md", log(entries))
    again, beside = restored((big, main)), restored((few, main), (old, archive))
    return [
        Large(f"queue archive, {items} items", ["queue", "archive"], big, again, archive, True),
        Large(f"the same beside {items} archived ones", ["queue", "archive"], old, beside, archive, True),
        Large(f"reflect roll, {entries} reflections", ["reflect", "roll"], long, restored((long, log_)), rolled, True),
        Large(f"queue list, {items} items", ["queue", "list"], big, again, main),
        Large(f"learn, {items} items", ["learn", "One more"], big, again, main),
        Large(f"evolve --max 3, {items} items", ["evolve", "--max", "3"], big, again, base),
        merge(kept, int(items * MERGED)),
    ]  # fmt: skip


def merge(kept: Path, items: int) -> Large:
    """Two queues that grew and were worked on apart; the driver writes over the first."""

    def side(name: str, changed: int, more: int) -> Path:
        states = queue(
            items + more, lambda n: "done" if n % 50 == changed else mixed(n)
        )
        return write(kept / name, states)

    base = side("base.md", 6, 0)
    sides = side("ours.md", 7, items // 100), side("theirs.md", 8, items // 100)
    ours = kept / "merged" / "ours.md"
    words = [str(base), str(ours), str(sides[1]), f"{EVOLUTION}/{QUEUE}.md"]
    return Large(
        f"merge of two queues, {items} items",
        ["merge-driver", *words],
        sides[0],
        restored((sides[0], ours)),
        ours,
        is_bare=True,
    )


def measured(folder: Path, items: int, entries: int, repeats: int) -> None:
    """Print what the commands cost at both sizes."""
    projects = [Project(folder / f"size{n}", "size") for n in range(2)]
    sizes = (items // GROWTH, entries // GROWTH), (items, entries)
    pairs = [
        commands(project.root, *size)
        for project, size in zip(projects, sizes, strict=True)
    ]
    start = Case("start", [COMMAND, "--version"])
    columns = ("s", "s, 10x", "ratio", "budget", "MB", "x file", "budget")
    print(f"{'':40}" + "".join(f" {column:>8}" for column in columns))
    for small, large in zip(*pairs, strict=True):
        cases = [small.case(projects[0].root), large.case(projects[1].root)]
        interleaved([start, *cases], repeats, CLEAN)
        large.check()
        print(row_of(large, cases, start))


def row_of(large: Large, cases: list[Case], start: Case) -> str:
    """Seconds at both sizes without the command's start; its memory at the larger one."""
    own = 0 if large.is_bare else min(start.cpu)
    seconds = [max(min(case.cpu) - own, 0.001) for case in cases]
    ratio = seconds[1] / seconds[0]
    share = cases[1].peak * 1024 / large.data.stat().st_size
    cells = [f"{seconds[0]:.2f}", f"{seconds[1]:.2f}", f"{ratio:.1f}"]
    cells += [_budget(ratio, TIME_BUDGET if large.has_budget else None)]
    cells += [f"{cases[1].peak / 1024:.0f}", f"{share:.1f}"]
    cells += [_budget(share, MEMORY_BUDGET if large.has_budget else None)]
    return f"{large.name:40}" + "".join(f" {cell:>8}" for cell in cells)


def _budget(value: float, most: float | None) -> str:
    """A budget as the tables show it, marked where it is missed."""
    if most is None:
        return "-"
    return f"{most:g}" if value <= most else f"{most:g} !"


# --- ends ----------------------------------------------------------------------------


@dataclass
class End:
    """A hook with its budget in bare interpreters (None: not set), and how it is known
    to have done what its name says: a file of its project, and a text in that file.
    """

    case: Case
    budget: float | None
    root: Path
    file: str
    text: str = ""

    def check(self) -> None:
        """A hook that fails, or finds no time for its work, is fast."""
        log = self.root / ".ai/local/hook.log"
        if log.exists():
            raise SystemExit(f"{self.case.name}: the hook failed:\n{log.read_text()}")
        path = self.root / self.file
        if not path.exists() or self.text not in path.read_text():
            raise SystemExit(f"{self.case.name}: {self.file} has no {self.text!r}")


class Ends:
    """Makes the ends, each in a project of its own: one leaves what the next would find."""

    def __init__(self, folder: Path, queue_bytes: int) -> None:
        self._folder = folder
        self._kept = folder / "ends"
        self._large = self._file("large", idle(queue_bytes))

    def _file(self, name: str, parts: Iterator[str]) -> Path:
        return write(self._kept / f"{name}.md", parts)

    def _project(self, name: str) -> Project:
        made = Project(self._folder / name, "")
        write(made.root / ".claude/settings.json", iter([WIRED]))
        made.hook("stop", session_id="round")
        made.commit()
        return made

    def every(self) -> list[End]:
        due = self._file("due", queue(PENDING, lambda _: "pending"))
        grown = self._file("grown", followed(self._large, PENDING))
        full = self._file("full", queue(KEPT + 2, lambda _: "done"))
        long = self._file("long", log(KEPT + 2))
        work = END + WORK
        return [
            self._none("no evolution files", END),
            self._idle("a large queue with nothing to do", END * SLACK),
            self._end("the same, not in the cache", None, QUEUE, self._large, CACHE, "queue"),
            self._end("three items evolved", work, QUEUE, due, f"{EVOLUTION}/{BASE}.md", "step 3"),
            self._end("an archive run", work, QUEUE, full, f"{EVOLUTION}/{QUEUE}_archive.md", "LQ-009"),
            self._end("a roll", work, LOG, long, f"{EVOLUTION}/{LOG}_archive.md", "s-1"),
            self._end("three items of a large queue evolved", None, QUEUE, grown, f"{EVOLUTION}/{BASE}.md", "step 900002"),
            self._start("a large queue with nothing to do", START),
        ]  # fmt: skip

    def _end(self, name: str, budget: float | None, target: str, source: Path, left: str, text: str) -> End:  # fmt: skip
        """An end that meets these files, and no others, each time."""
        made = self._project(source.stem)
        again = restored((source, made.root / EVOLUTION / f"{target}.md"))

        def prepare() -> None:
            made.evidence()
            again()

        return self._case(name, budget, made, prepare, left, text)

    def _none(self, name: str, budget: float) -> End:
        made = self._project("none")
        return self._case(name, budget, made, made.evidence, ".ai/local/.stamp", "")

    def _idle(self, name: str, budget: float) -> End:
        """The queue lies there as it lay at the end before."""
        made = self._project("idle")
        restored((self._large, made.root / EVOLUTION / f"{QUEUE}.md"))()
        return self._case(name, budget, made, made.evidence, CACHE, f'"done":{KEPT}')

    def _start(self, name: str, budget: float) -> End:
        made = self._project("start")
        restored((self._large, made.root / EVOLUTION / f"{QUEUE}.md"))()
        payload = {"session_id": "round", "source": "startup"}
        case = made.case("", "session-start", payload)
        case.name = f"SessionStart, {name}"
        return End(case, budget, made.root, CACHE)

    def _case(self, name: str, budget: float | None, made: Project, prepare: Callable[[], None], left: str, text: str) -> End:  # fmt: skip
        case = made.case("", "session-end", {"session_id": "work"}, prepare)
        case.name = f"SessionEnd, {name}"
        return End(case, budget, made.root, left, text)


def followed(source: Path, count: int) -> Iterator[str]:
    """A queue with some more items, which wait."""
    with source.open() as file:
        yield from file
    for number in range(900_000, 900_000 + count):
        yield item(number, "pending")


def ended(folder: Path, queue_bytes: int, runs: int) -> None:
    """Print what ends cost: CPU ratios with their budgets, milliseconds by the clock, memory.

    The time of an end that evolves three items is the trial of T4.7 and A4.1.
    """
    made = Ends(folder, queue_bytes).every()
    time.sleep(2.1)  # a file that changed less than two seconds ago is not cached
    bare = Case("python -I -c pass", [PYTHON, "-I", "-c", "pass"])
    interleaved([bare, *(one.case for one in made)], runs, CLEAN)
    columns = ("cpu", "min", "budget", "ms", "MB")
    print(f"{'':58}" + "".join(f" {column:>7}" for column in columns))
    print(line_of(bare, bare, None))
    for one in made:
        one.check()
        print(line_of(one.case, bare, one.budget))


def line_of(case: Case, bare: Case, budget: float | None) -> str:
    ratio = statistics.median(case.cpu) / statistics.median(bare.cpu)
    cells = [f"{ratio:.2f}", f"{min(case.cpu) / min(bare.cpu):.2f}"]
    cells += [_budget(ratio, budget), f"{statistics.median(case.wall) * 1000:.0f}"]
    cells += [f"{case.peak / 1024:.0f}"]
    return f"{case.name:58}" + "".join(f" {cell:>7}" for cell in cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=31, help="of each hook")
    parser.add_argument("--repeats", type=int, default=3, help="of each command")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--reflections", type=int, default=50_000)
    parser.add_argument("--small", action="store_true", help="only whether it runs")
    given = parser.parse_args()
    queue_bytes = QUEUE_BYTES
    if given.small:
        given.runs = given.repeats = 1
        given.items, given.reflections, queue_bytes = 400, 200, 50_000
    with tempfile.TemporaryDirectory(prefix="afterword-bench-") as name:
        folder = Path(name)
        measured(folder, given.items, given.reflections, given.repeats)
        print()
        ended(folder, queue_bytes, given.runs)


if __name__ == "__main__":
    main()
