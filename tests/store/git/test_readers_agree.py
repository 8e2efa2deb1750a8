"""Both readers against each other, and against what git is seen to create, over
repositories that a random history has shaped.

The oracle knows nothing of reflogs: after each step it notes which commit objects are
new. What an episode made is what was new between its ends and is still reachable.
"""

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from afterword.store.git import evidence, head, queries
from afterword.store.git.evidence import Span
from conftest import Repo

NAMES = (
    "docs/adr/a",
    "docs/adr/b c",
    "docs/adr/ü/x",
    "AGENTS.md",
    "src/y",
    "docs/adr/\udcff",
)
WATCHED = ("docs/adr", "AGENTS.md")
MESSAGES = (
    "plain",
    "x\n\nDecision: one",
    "y\n\nFact: two\n lines\nSigned-off-by: A <a@b>",
)
BRANCHES = ("main", "one", "two", "feat/(x)")

STEP = st.tuples(
    st.sampled_from(
        "commit commit commit empty amend branch branch checkout detach merge octopus pick "
        "pick_ff revert rebase rebase_i reset tag delete pack gc stash ff mail".split()
    ),
    st.integers(0, 999),
    st.sampled_from([0, 1, 1, 60]),
)


class History:
    """A repository under a random history, with the oracle's notes."""

    def __init__(self, root: Path, *options: str) -> None:
        root.mkdir()
        self.repo = Repo(root)
        self.repo.git("init", "-q", *options)
        self.repo.commit("base", docs__adr__a="0")
        self.created = [(self.repo.now, sha) for sha in self.objects()]
        self.marks = [self.mark()]

    def objects(self):
        """Every commit object, in no order."""
        out = self.repo.git(
            "cat-file",
            "--batch-all-objects",
            "--batch-check=%(objecttype) %(objectname)",
        )
        return [
            line.split()[1] for line in out.splitlines() if line.startswith("commit")
        ]

    def mark(self):
        """A moment at which an episode may open or close: time and head."""
        self.repo.tick()
        here = self.repo.now, self.repo.head
        self.repo.tick()
        return here

    def step(self, what, pick, tick):
        self.repo.tick(tick)
        getattr(self, what)(pick)
        self.settle()
        known = {sha for _, sha in self.created}
        self.created += [
            (self.repo.now, sha) for sha in self.objects() if sha not in known
        ]

    def settle(self):
        """Leave nothing half done."""
        for command in ("merge", "rebase", "cherry-pick", "revert", "am"):
            if head.busy(self.repo.place):
                self.repo.git(command, "--abort", check=False)
        self.repo.git("reset", "-q", "--hard")
        self.repo.git("clean", "-qfd")

    def git(self, *args, **env):
        self.repo.git(*args, check=False, **env)

    def any(self, pick):
        branches = self.repo.git(
            "for-each-ref", "--format=%(refname:short)", "refs/heads"
        )
        names = branches.splitlines()
        return names[pick % len(names)] if names else "HEAD"

    def commit(self, pick):
        name = NAMES[pick % len(NAMES)]
        path = self.repo.root / name
        if pick % 5 == 0 and path.exists():
            path.unlink()
        elif pick % 7 == 0 and path.exists():
            path.rename(str(path) + "-moved")
        elif pick % 11 == 0 and path.exists():
            path.chmod(0o755)
        else:
            self.repo.write(name, f"{pick}\n" * 3)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", MESSAGES[pick % len(MESSAGES)])

    def empty(self, pick):
        self.git("commit", "-q", "--allow-empty", "-m", f"empty {pick}")

    def amend(self, pick):
        self.git(
            "commit",
            "-q",
            "--amend",
            "--allow-empty",
            "-m",
            MESSAGES[pick % len(MESSAGES)],
        )

    def branch(self, pick):
        self.git("checkout", "-q", "-b", BRANCHES[pick % len(BRANCHES)])

    def checkout(self, pick):
        self.git("checkout", "-q", self.any(pick))

    def detach(self, pick):
        self.git("checkout", "-q", "--detach", f"HEAD~{pick % 3}")

    def merge(self, pick):
        option = ("--no-ff", "--ff", "--no-ff")[pick % 3]
        self.git(
            "merge",
            "-q",
            option,
            "--no-edit",
            "-s",
            "ort",
            "-X",
            "ours",
            self.any(pick),
        )

    def octopus(self, pick):
        names = self.repo.git("for-each-ref", "--format=%(refname:short)", "refs/heads")
        self.git("merge", "-q", "--no-edit", *names.splitlines()[:3])

    def pick(self, pick):
        self.git("cherry-pick", "-X", "theirs", "--allow-empty", self.any(pick))

    def pick_ff(self, pick):
        self.git("cherry-pick", "--ff", "-X", "theirs", self.any(pick))

    def revert(self, pick):
        self.git("revert", "--no-edit", f"HEAD~{pick % 3}")

    def rebase(self, pick):
        backend = ("--merge", "--apply")[pick % 2]
        self.git("rebase", "-q", backend, "-X", "theirs", self.any(pick))

    def rebase_i(self, pick):
        word = ("squash", "fixup", "edit", "reword", "drop")[pick % 5]
        self.git(
            *("rebase", "-q", "-i", f"HEAD~{2 + pick % 2}"),
            GIT_SEQUENCE_EDITOR=f"sed -i '2s/^pick/{word}/'",
            GIT_EDITOR="true",
        )
        self.git("rebase", "--continue", GIT_EDITOR="true")

    def reset(self, pick):
        self.git("reset", "-q", "--hard", f"HEAD~{1 + pick % 2}")

    def ff(self, pick):
        self.git("merge", "-q", "--ff-only", self.any(pick))

    def tag(self, pick):
        self.git("tag", *(["-a", "-m", "t"] if pick % 2 else []), f"t{pick % 4}")

    def delete(self, pick):
        self.git("branch", "-q", "-D", self.any(pick))

    def pack(self, pick):
        self.git("pack-refs", "--all")

    def gc(self, pick):
        self.git("-c", "gc.pruneExpire=never", "gc", "-q")

    def stash(self, pick):
        self.repo.write("src/y", f"stash {pick}\n")
        self.git("stash", "push", "-q", "-u")

    def mail(self, pick):
        patch = self.repo.git(
            "format-patch", "--stdout", "-1", self.any(pick), check=False
        )
        (self.repo.root / ".git/mail").write_bytes(
            patch.encode("utf-8", "surrogateescape") + b"\n"
        )
        self.git("am", "-q", "-3", str(self.repo.root / ".git/mail"))

    def expected(self, opening, closing):
        """What was created between two marks and is still reachable."""
        kept = self.repo.git(
            "rev-list", "--branches", "--tags", "HEAD", closing[1]
        ).split()
        return {
            sha
            for at, sha in self.created
            if opening[0] < at < closing[0] and sha in kept
        }

    def paths(self, sha, closing):
        """What git shows of a commit, less what the closing head does not track."""
        parents = self.repo.git("show", "-s", "--format=%P", sha).split()
        if len(parents) > 1:
            return ()
        shown = self.repo.git(
            "show",
            "--format=",
            "--name-only",
            "-z",
            "--no-renames",
            "--root",
            sha,
            "--",
            *WATCHED,
        )
        tree = self.repo.git("ls-tree", "-r", "-z", "--name-only", closing).split("\0")
        both = {name for name in shown.split("\0") if name} & set(tree)
        return tuple(
            sorted(both, key=lambda name: name.encode("utf-8", "surrogateescape"))
        )


def both(place, span, watched=WATCHED):
    """The answer of the readers, which must be one."""
    answers = [
        evidence.episode_commits(place, span, watched, reader=reader)
        for reader in ("program", "dulwich")
    ]
    assert answers[0] == answers[1]
    return answers[0]


def build(steps, folder, *options):
    history = History(Path(folder) / "repo", *options)
    for what, pick, tick in steps:
        history.step(what, pick, tick)
        if pick % 3 == 0:
            history.marks.append(history.mark())
    history.marks.append(history.mark())
    return history


@settings(
    max_examples=int(os.environ.get("AFTERWORD_TEST_HISTORIES", "25")), deadline=None
)
@given(
    steps=st.lists(STEP, min_size=1, max_size=14),
    ends=st.tuples(st.integers(0, 99), st.integers(0, 99)),
    sha256=st.booleans(),
)
def test_readers_agree_with_each_other_and_with_what_git_created(steps, ends, sha256):
    folder = tempfile.mkdtemp()
    try:
        options = ["--object-format=sha256"] if sha256 else []
        history = build(steps, folder, *options)
        first, last = sorted(end % len(history.marks) for end in ends)
        opening, closing = history.marks[first], history.marks[last]
        span = Span(
            opened=opening[0], closed=closing[0], opening=opening[1], closing=closing[1]
        )
        place = history.repo.place
        found = both(place, span)
        assert {commit.sha for commit in found} == history.expected(opening, closing)
        assert [c.watched for c in found] == [
            history.paths(c.sha, closing[1]) for c in found
        ]
        if first == 0 and last == len(history.marks) - 1:
            assert both(place, span.replace(closed=None, closing=None)) == found
        small_questions_agree(history)
        without_reflog_agrees(history, span)
    finally:
        shutil.rmtree(folder)


def small_questions_agree(history):
    repo, place = history.repo, history.repo.place
    here = head.read_head(place)
    assert here.sha == repo.head
    assert (here.branch or "") == repo.git("branch", "--show-current")
    shas = [sha for _, sha in history.created] + ["1" * len(repo.head)]
    index = repo.git("ls-files", "-z").split("\0")
    for question in (
        lambda reader: queries.existing(place, shas, reader=reader),
        lambda reader: queries.tracked(place, [*NAMES, "none"], reader=reader),
        lambda reader: queries.changed_paths(place, repo.head, 4, reader=reader),
    ):
        assert question("program") == question("dulwich")
    assert queries.tracked(place, NAMES, reader="dulwich") == set(NAMES) & set(index)


def without_reflog_agrees(history, span):
    """The other rule: between the heads, here also where a history is cut or altered."""
    repo = history.repo
    (repo.root / ".git/logs/HEAD").unlink(missing_ok=True)
    found = both(repo.place, span)
    inside = set(repo.git("rev-list", span.closing, f"^{span.opening}").split())
    assert {commit.sha for commit in found} <= inside
    both(repo.place, span.replace(opening=None))
    both(repo.place, span.replace(opening="1" * len(repo.head)))
    shallow = repo.root.parent / "low"
    repo.git(
        "clone",
        "-q",
        "--depth=2",
        "--no-single-branch",
        f"file://{repo.root}",
        str(shallow),
    )
    (shallow / ".git/logs/HEAD").unlink()
    both(Repo(shallow).place, span)
    both(Repo(shallow).place, span.replace(opening=None, closing=None, closed=None))
    base = repo.git("rev-list", "--max-parents=0", "HEAD").split()[0]
    (repo.root / ".git/info").mkdir(exist_ok=True)
    (repo.root / ".git/info/grafts").write_text(f"{repo.head} {base}\n")
    assert both(repo.place, span) == found
