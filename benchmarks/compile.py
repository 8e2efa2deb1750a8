"""What a compile costs: many increments, beside other collectors of fragments, and at a Stop.

    .venv/bin/python benchmarks/compile.py [--runs 31] [--repeats 3] [--small] [--alone]

First `afterword compile` on 1,000 and 10,000 increments over 20 modules, and towncrier and
scriv on the same texts as 1,000 fragments, all of it staged, in one interleaved run; the
two are installed into an environment of their own (`--alone`: without them). Then the hook
of Stop beside `python -I -c pass`, on a snapshot of 200 lines, with nothing to do and with
five increments due. Nothing fails here when a budget is missed; it is marked.
"""

from __future__ import annotations

import argparse
import datetime
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hooks import CLEAN, PYTHON, Project, git, repository
from measure import Case, interleaved

COMMAND = str(Path(PYTHON).parent / "afterword")
REPO = ".ai/repo"
MODULES, GROWTH, TIME_BUDGET = 20, 10, 12.0
# Pinned: what a newer release costs is another measurement.
RIVALS = ("towncrier==26.9.0", "scriv==1.8.0")
# In CPU of bare interpreters: what a compile may add to a Stop (DESIGN 13).
WORK, WAITING, LINES = 8.0, 5, 200
SLACK = 6  # lines that one entry adds at most
FIRST, DAY = datetime.date(2026, 1, 1), "2026-11-30"

# --- texts ---------------------------------------------------------------------------

SUBJECTS = (
    "booking queue", "label store", "carrier gateway", "refund ledger", "order table",
    "price cache", "parcel scanner", "route planner", "customer index", "return desk",
    "tariff import", "address check", "pickup calendar", "claim inbox", "weight sensor",
    "invoice printer", "audit trail", "session pool", "search mirror", "feed reader",
    "alert relay", "backup runner", "token vault", "theme editor", "quota meter",
)  # fmt: skip
PROPERTIES = (
    "survives one lost message", "answers within a second", "keeps ninety days online",
    "never blocks its caller", "retries after a pause", "writes before it replies",
    "reads from the replica", "needs a signed request", "is rebuilt each night",
    "stays below one gigabyte", "logs every refusal", "shares nothing between tenants",
    "speaks the second protocol", "drops duplicates by number", "rounds half to even",
    "opens at six in winter", "holds at most forty rows", "warns ahead of expiry",
    "follows the shop clock", "fails over by hand",
)  # fmt: skip
KINDS = (
    ("Decisions", "decision"),
    ("Constraints", "constraint"),
    ("Architecture Impact", "architecture"),
    ("External Dependencies", "external"),
    ("Business Context", "business"),
)
SUPERSEDES, CONTRADICTS, KEYED = 23, 89, 3


@dataclass(frozen=True)
class Text:
    """One thing to say, whichever tool it is said to."""

    number: int
    title: str
    heading: str
    kind: str
    module: str
    key: str = ""
    value: str = ""
    supersedes: str = ""

    @property
    def day(self) -> str:
        """Forty a day, so that later numbers are later."""
        return str(FIRST + datetime.timedelta(self.number // 40))

    @property
    def lines(self) -> list[str]:
        """What stands below the title."""
        found = [
            f"reason: measured in week {1 + self.number % 52}, run {self.number}",
            f"source: planning of {self.day}, with those who run the {self.module} desk",
        ]
        found += [f"key: {self.key}", f"value: {self.value}"] if self.key else []
        found += [f"supersedes: {self.supersedes} - no longer so"] * bool(
            self.supersedes
        )
        return found

    @property
    def name(self) -> str:
        return f"{self.day}_{self.kind}-{self.number:06d}"


def texts(count: int, modules: int) -> Iterator[Text]:
    """That many texts, over the modules in turn; some have keys, some end or contradict others.

    With no modules all of them are about the whole project.
    """
    made: dict[str, list[Text]] = {}
    for number in range(count):
        module = f"module-{number % modules:02d}" if modules else ""
        before = made.setdefault(module, [])
        place = len(before)
        subject = SUBJECTS[place % len(SUBJECTS)]
        behaves = PROPERTIES[place // len(SUBJECTS) % len(PROPERTIES)]
        heading, kind = KINDS[place % len(KINDS)]
        key = (
            f"{module}.{subject.replace(' ', '_')}.{place}"
            if place % KEYED == 0
            else ""
        )
        text = Text(number, f"The {subject} {behaves}", heading, kind, module)
        changes = (
            {"key": key.lstrip("."), "value": f"{1 + place % 40} s"} if key else {}
        )
        if place % SUPERSEDES == SUPERSEDES - 1:
            changes["supersedes"] = before[-1].title
        if place % CONTRADICTS == CONTRADICTS - 1:
            other = before[-(KEYED - 1)] if before[-(KEYED - 1)].key else before[-1]
            changes |= {"key": other.key, "value": "99 s"} if other.key else {}
        before.append(Text(**{**vars(text), **changes}))
        yield before[-1]


def increment(text: Text) -> str:
    """The canonical shape of an increment (spec/snapshot 4.2)."""
    domain = f"- domain: {text.module}\n" if text.module else ""
    file = f"src/{text.module or 'shop'}/part{text.number % 7}.py"
    details = "".join(f"  - {line}\n" for line in text.lines)
    return (
        f"# {text.day} {text.kind}-{text.number}\n\n## Meta\n- author: Bench\n"
        f"- timestamp: {text.day} 10:{text.number % 40:02d}:00\n- trigger: manual\n"
        f"- confidence: high\n{domain}\n## Affected Files\n- `{file}` \u2192"
        f" {text.kind.upper()}\n\n## {text.heading}\n- {text.title}\n{details}\n"
        "## Evidence\n- \u6765\u6e90: Bench\n- \u9a8c\u8bc1\u72b6\u6001: unverified\n"
    )


def registry() -> str:
    rows = "".join(
        f"| module-{n:02d} | `src/module-{n:02d}/` | a part of the shop | active |\n"
        for n in range(MODULES)
    )
    head = "| Module | Code Path | Purpose | Status |\n|---|---|---|---|\n"
    return f"# Module Index\n\n> Last updated: {DAY}\n\n## Modules\n\n{head}{rows}"


# --- repositories --------------------------------------------------------------------


@dataclass
class Collected:
    """A repository full of fragments, the command that collects them, what must come of it."""

    name: str
    root: Path
    words: list[str]
    fragments: str
    result: str

    def kept(self) -> Collected:
        """Commit it, and keep a copy to begin each run with."""
        # Git packs so many objects by itself, in the background and while we copy.
        git(self.root, "config", "gc.auto", "0")
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "-m", "fragments")
        git(self.root, "gc", "-q")
        shutil.copytree(self.root, self._copy, symlinks=True)
        return self

    @property
    def _copy(self) -> Path:
        return self.root.with_name(f"{self.root.name}-kept")

    def prepare(self) -> None:
        shutil.rmtree(self.root)
        shutil.copytree(self._copy, self.root, symlinks=True)
        git(self.root, "update-index", "-q", "--refresh")

    def case(self) -> Case:
        return Case(self.name, self.words, "", str(self.root), self.prepare)

    def check(self) -> None:
        """A command that collected or staged nothing is fast."""
        left = list((self.root / self.fragments).glob("*.md"))
        words = ["git", "-C", str(self.root), "diff", "--cached", "--name-only"]
        done = subprocess.run(words, check=True, capture_output=True, text=True)
        if left or self.result not in done.stdout.splitlines():
            raise SystemExit(f"{self.name}: {len(left)} left, or not staged")


def compiled(root: Path, count: int) -> Collected:
    repository(root)
    (root / REPO / "modules").mkdir(parents=True)
    (root / REPO / "increments").mkdir()
    (root / REPO / "modules/_index.md").write_text(registry())
    for text in texts(count, MODULES):
        (root / REPO / f"increments/{text.name}.md").write_text(increment(text))
    return Collected(
        f"afterword compile, {count} increments",
        root,
        [COMMAND, "compile", "--date", DAY],
        f"{REPO}/increments",
        f"{REPO}/modules/module-00/knowledge.md",
    ).kept()


def towncrier(root: Path, count: int, programs: Path) -> Collected:
    """One fragment a text; the modules are its sections, the types its types."""
    repository(root)
    settings = ["[tool.towncrier]", 'directory = "news"', 'filename = "NEWS.md"']
    settings += ['name = "Shop"', 'version = "1.0"']
    for number in range(MODULES):
        module = f"module-{number:02d}"
        settings += [
            "[[tool.towncrier.section]]",
            f'path = "{module}"',
            f'name = "{module}"',
        ]
    for heading, kind in KINDS:
        settings += ["[[tool.towncrier.type]]", f'directory = "{kind}"']
        settings += [f'name = "{heading}"', "showcontent = true"]
    (root / "towncrier.toml").write_text("\n".join([*settings, ""]))
    (root / "NEWS.md").write_text("<!-- towncrier release notes start -->\n")
    for text in texts(count, MODULES):
        path = root / f"news/{text.module}/{text.number}.{text.kind}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        details = "".join(f"- {line}\n" for line in text.lines)
        path.write_text(f"{text.title}\n\n{details}")
    words = [str(programs / "towncrier"), "build", "--yes", "--date", DAY]
    return Collected(f"towncrier build, {count} fragments", root, words, "news/module-00", "NEWS.md").kept()  # fmt: skip


def scriv(root: Path, count: int, programs: Path) -> Collected:
    """One fragment a text; it has categories, and no place for modules."""
    repository(root)
    names = ", ".join(heading for heading, _ in KINDS)
    settings = f"[scriv]\nformat = md\nchangelog = CHANGELOG.md\nversion = 1.0\ncategories = {names}\n"
    (root / "setup.cfg").write_text(settings)
    (root / "changelog.d").mkdir()
    for text in texts(count, MODULES):
        details = "".join(f"  - {line}\n" for line in text.lines)
        path = root / f"changelog.d/{text.name}.md"
        path.write_text(f"### {text.heading}\n\n- {text.title}\n{details}")
    words = [str(programs / "scriv"), "collect", "--add"]
    return Collected(f"scriv collect, {count} fragments", root, words, "changelog.d", "CHANGELOG.md").kept()  # fmt: skip


def rivals(folder: Path) -> Path:
    """The programs of the others, in an environment of their own."""
    home = folder / "rivals"
    subprocess.run([PYTHON, "-m", "venv", str(home)], check=True)
    words = [str(home / "bin/python"), "-m", "pip", "install", "-q", *RIVALS]
    subprocess.run(words, check=True, stderr=subprocess.DEVNULL)
    return home / "bin"


# --- many increments -----------------------------------------------------------------


def collected(folder: Path, count: int, repeats: int, alone: bool) -> None:
    """Print what collecting costs: seconds by the clock and of CPU, memory."""
    small, large = (
        compiled(folder / f"size{size}", size) for size in (count // GROWTH, count)
    )
    others: list[Collected] = []
    if not alone:
        programs = rivals(folder)
        others.append(towncrier(folder / "towncrier", count // GROWTH, programs))
        others.append(scriv(folder / "scriv", count // GROWTH, programs))
    start = Case("afterword --version", [COMMAND, "--version"])
    made = [small, *others, large]
    cases = [one.case() for one in made]
    interleaved([start, *cases], repeats, CLEAN)
    for one in made:
        one.check()
    print(f"{'':48}" + "".join(f" {name:>8}" for name in ("s", "cpu s", "MB")))
    for case in (start, *cases):
        print(seconds_of(case))
    print(ratio_of(cases[0], cases[-1], start))
    for other in cases[1:-1]:
        print(beside(cases[0], other))


def seconds_of(case: Case) -> str:
    cells = [
        f"{statistics.median(case.wall):.2f}",
        f"{statistics.median(case.cpu):.2f}",
    ]
    cells += [f"{case.peak / 1024:.0f}"]
    return f"{case.name:48}" + "".join(f" {cell:>8}" for cell in cells)


def ratio_of(small: Case, large: Case, start: Case) -> str:
    """How many times longer ten times as many take, without the command's own start."""
    own = min(start.cpu)
    ratio = (min(large.cpu) - own) / max(min(small.cpu) - own, 0.001)
    return f"{GROWTH} times as many: {ratio:.1f} times the CPU, at most {_most(ratio, TIME_BUDGET)}"


def beside(ours: Case, other: Case) -> str:
    share = statistics.median(ours.wall) / statistics.median(other.wall)
    return f"ours takes {share:.2f} of the time of {other.name.split()[0]}, at most {_most(share, 1)}"


def _most(value: float, most: float) -> str:
    """A budget as it is shown, marked where it is missed."""
    return f"{most:g}" if value <= most else f"{most:g} !"


# --- a Stop --------------------------------------------------------------------------


class Stops:
    """Two projects with one snapshot of some 200 lines; five increments wait in one of them."""

    def __init__(self, folder: Path, lines: int) -> None:
        self._kept = folder / "snapshot"
        self._idle, self._due = (Project(folder / name, "") for name in ("idle", "due"))
        for made in (self._idle, self._due):
            made.hook("stop", session_id="round")
        self._five = list(self._grown(self._idle.root, lines))
        shutil.copytree(self._idle.root / REPO, self._kept)

    def _grown(self, root: Path, lines: int) -> Iterator[Text]:
        """Compile one increment after the other until the snapshot is long enough; five more."""
        source = texts(10 * lines, 0)
        while _compiled(root, next(source)) < lines - SLACK:
            pass
        for _ in range(WAITING):
            yield next(source)

    def idle(self) -> Case:
        return self._idle.case("Stop", "stop", {"session_id": "round"})

    def due(self) -> Case:
        return self._due.case("Stop", "stop", {"session_id": "round"}, self._prepare)

    def _prepare(self) -> None:
        shutil.rmtree(self._due.root / REPO, ignore_errors=True)
        shutil.copytree(self._kept, self._due.root / REPO)
        for text in self._five:
            _wait(self._due.root, text)

    def check(self) -> None:
        """A hook that fails, or compiles nothing, is fast."""
        log = self._due.root / ".ai/local/hook.log"
        if log.exists():
            raise SystemExit(f"the hook failed:\n{log.read_text()}")
        shown = (self._due.root / REPO / "snapshot.md").read_text()
        missing = [text.title for text in self._five if text.title not in shown]
        if missing:
            raise SystemExit(f"not compiled: {missing}")


def _wait(root: Path, text: Text) -> None:
    path = root / REPO / f"increments/{text.name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(increment(text))


def _compiled(root: Path, text: Text) -> int:
    """How many lines the snapshot has when one more increment is in it."""
    _wait(root, text)
    words = [COMMAND, "compile", "--no-git", "--date", DAY]
    subprocess.run(words, cwd=root, env=CLEAN, check=True, capture_output=True)
    return len((root / REPO / "snapshot.md").read_text().splitlines())


def stopped(folder: Path, lines: int, runs: int) -> None:
    """Print what a Stop costs with and without a compile: CPU ratios, milliseconds, memory."""
    made = Stops(folder, lines)
    idle, due = made.idle(), made.due()
    idle.name, due.name = "Stop, nothing waits", f"Stop, {WAITING} increments compiled"
    bare = Case("python -I -c pass", [PYTHON, "-I", "-c", "pass"])
    interleaved([bare, idle, due], runs, CLEAN)
    made.check()
    columns = ("cpu", "min", "ms", "MB")
    print(f"{'':48}" + "".join(f" {column:>8}" for column in columns))
    for case in (bare, idle, due):
        cells = [f"{_units(case, bare):.2f}", f"{min(case.cpu) / min(bare.cpu):.2f}"]
        cells += [
            f"{statistics.median(case.wall) * 1000:.0f}",
            f"{case.peak / 1024:.0f}",
        ]
        print(f"{case.name:48}" + "".join(f" {cell:>8}" for cell in cells))
    added = _units(due, bare) - _units(idle, bare)
    print(
        f"the compile adds {added:.2f} bare interpreters, at most {_most(added, WORK)}"
    )


def _units(case: Case, bare: Case) -> float:
    return statistics.median(case.cpu) / statistics.median(bare.cpu)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=31, help="of each hook")
    parser.add_argument("--repeats", type=int, default=3, help="of each command")
    parser.add_argument("--increments", type=int, default=10_000)
    parser.add_argument("--alone", action="store_true", help="without the others")
    parser.add_argument("--small", action="store_true", help="only whether it runs")
    given = parser.parse_args()
    lines = LINES
    if given.small:
        given.runs = given.repeats = 1
        given.increments, lines = 400, 60
    os.environ.pop("GIT_DIR", None)
    with tempfile.TemporaryDirectory(prefix="afterword-bench-") as name:
        folder = Path(name)
        collected(folder, given.increments, given.repeats, given.alone)
        print()
        sys.stdout.flush()
        stopped(folder, lines, given.runs)


if __name__ == "__main__":
    main()
