"""The repository as the git program tells it: the reader of hooks.

Plumbing commands only, because what they print does not depend on configuration; at
most three of them for an episode. Part of a hook's path.
"""

import os

from afterword.errors import GitError
from afterword.model import TYPE_CHECKING
from afterword.store.git import head as heads
from afterword.store.git import program, reflog
from afterword.store.git.reader import Facts, decoded, is_sha, shallow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from afterword.store.git.head import GitPlace, Head
    from afterword.store.git.reflog import Entry

# No path begins with two slashes, so this marks where a commit begins among paths.
_MARK = b"//"
_FIELDS = "//%H%x00%P%x00%ct%x00%ce"
_BRANCHES = ("--branches", "--remotes", "--tags")
# Above this many paths the trees are listed instead: a command line has an end.
_MOST_PATHS = 100


class ProgramReader:
    """Answers through spawned git commands; see `reader.Reader` for the contract."""

    def __init__(self, place: "GitPlace", deadline: "float | None") -> None:
        self.place, self.deadline = place, deadline

    def __enter__(self) -> "ProgramReader":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def _git(
        self, *args: str, stdin: bytes = b"", ok: "tuple[int, ...]" = (0,)
    ) -> bytes:
        return program.run(
            self.place, *args, stdin=stdin, deadline=self.deadline, ok=ok
        )

    def facts(
        self, shas: "Sequence[str]", trees: "tuple[str, ...]"
    ) -> "dict[str, Facts]":
        asked = "".join(f"{sha}\n" for sha in shas).encode()
        if not trees:
            return {fact.sha: fact for fact in parse_headers(self._headers(asked))}
        out = self._git(
            *("diff-tree", "--stdin", "--always", "-r", "--root", "--name-only", "-z"),
            *("--no-renames", "--no-ext-diff", "--no-textconv"),
            *(
                "--ignore-submodules=none",
                "--encoding=UTF-8",
                f"--format={_FIELDS}%x00%B",
            ),
            *("--", *trees),
            stdin=asked,
        )
        cut = shallow(self.place)
        return {fact.sha: fact for fact in parse_commits(out, cut)}

    def _headers(self, asked: bytes) -> bytes:
        """The commits alone: no tree is opened, so none can be missing."""
        return self._git(
            *("rev-list", "--ignore-missing", "--no-walk=unsorted", "--stdin"),
            *("--encoding=UTF-8", f"--format={_FIELDS}%x00%B%x00"),
            stdin=asked,
        )

    def reachable(self, shas: "Sequence[str]", tips: "Sequence[str]") -> "set[str]":
        here = heads.read_head(self.place).sha
        base = [*tips, here] if here else list(tips)
        out = self._git(
            "rev-list", "--ignore-missing", *shas, "--not", *base, *_BRANCHES
        )
        return set(shas) - set(out.decode("ascii", "replace").split())

    def between(self, tip: str, base: "str | None", limit: int) -> "list[Facts]":
        args = [
            "rev-list",
            "--ignore-missing",
            f"--max-count={limit}",
            "--encoding=UTF-8",
        ]
        out = self._git(
            *args, f"--format={_FIELDS}", tip, *([f"^{base}"] if base else [])
        )
        found = []
        for line in out.split(b"\n"):
            if line.startswith(_MARK):
                found.append(_fact(line.split(b"\0"), b""))
        return found

    def tracked_at(
        self, sha: str, paths: "Iterable[bytes]", trees: "tuple[str, ...]"
    ) -> "frozenset[bytes]":
        wanted = sorted(paths)
        within = [os.fsdecode(path) for path in wanted]
        if len(wanted) > _MOST_PATHS:
            within = [] if "." in trees else list(trees)
        out = self._git(
            "ls-tree", "-r", "-z", "--name-only", "--full-tree", sha, "--", *within
        )
        return frozenset(out.split(b"\0")).intersection(wanted)

    def email(self) -> str:
        return user_email(self.place, self.deadline)

    def existing(self, shas: "Sequence[str]") -> "frozenset[str]":
        asked = [sha for sha in dict.fromkeys(shas) if is_sha(sha)]
        if not asked:
            return frozenset()
        out = self._git(
            "cat-file",
            "--batch-check=%(objectname) %(objecttype)",
            stdin="".join(f"{sha}\n" for sha in asked).encode(),
        )
        lines = out.decode("ascii", "replace").splitlines()
        found = {line.split(" ")[0] for line in lines if line.endswith(" commit")}
        return frozenset(found.intersection(asked))

    def tracked(self, paths: "Sequence[str]") -> "frozenset[str]":
        asked = [path for path in dict.fromkeys(paths) if path and "\0" not in path]
        if not asked:
            return frozenset()
        # The index is listed as a whole where the command line would grow too long.
        within = asked if len(asked) <= _MOST_PATHS else []
        out = self._git("ls-files", "-z", "--full-name", "--cached", "--", *within)
        found = {name.decode("utf-8", "surrogateescape") for name in out.split(b"\0")}
        return frozenset(found.intersection(asked))

    def changed_paths(self, sha: str, commits: int, limit: int) -> "tuple[str, ...]":
        out = self._git(
            *("-c", "log.showRoot=true", "log", "--first-parent", "-m", "--format="),
            *("--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"),
            *("--no-show-signature", "--ignore-submodules=none"),
            *(f"--max-count={commits}", sha, "--"),
        )
        names = [name.lstrip(b"\n") for name in out.split(b"\0")]
        found = dict.fromkeys(
            name.decode("utf-8", "surrogateescape") for name in names if name
        )
        return tuple(found)[:limit]


def parse_commits(out: bytes, cut: "frozenset[str]") -> "Iterator[Facts]":
    """Commits from `diff-tree -z` output: five fields, then the paths that it touched.

    A shallow clone's oldest commits (`cut`) have no parents here, so what they touched
    is not known.
    """
    words = out.split(b"\0")
    at = 0
    while at + 4 < len(words) and words[at].startswith(_MARK):
        fields, at = words[at : at + 5], at + 5
        paths: list[bytes] = []
        while at < len(words) and not words[at].startswith(_MARK):
            # An empty line parts the message from the paths.
            paths.append(words[at] if paths else words[at].removeprefix(b"\n"))
            at += 1
        fact = _fact(fields[:4], fields[4])
        whole = len(fact.parents) < 2 and fact.sha not in cut
        touched = frozenset(path for path in paths if path) if whole else frozenset()
        yield fact.replace(touched=touched)


def parse_headers(out: bytes) -> "Iterator[Facts]":
    """Commits from `rev-list` output: git's own line, then five fields ended by NUL."""
    words = out.split(b"\0")
    for at in range(0, len(words) - 4, 5):
        name = _MARK + words[at].rpartition(_MARK)[2]
        yield _fact([name, *words[at + 1 : at + 4]], words[at + 4])


def _fact(fields: "list[bytes]", message: bytes) -> Facts:
    sha, parents, at, email = fields
    return Facts(
        sha=sha.removeprefix(_MARK).decode("ascii"),
        parents=tuple(parents.decode("ascii").split()),
        at=int(at) if at.isdigit() else 0,
        email=email.decode("utf-8", "replace"),
        message=decoded(message),
    )


def head(place: "GitPlace", deadline: "float | None" = None) -> "Head":
    """HEAD as git resolves it, for the repositories whose refs only git can read."""
    asked = program.run(
        *(place, "rev-parse", "-q", "HEAD", "--symbolic-full-name", "HEAD"),
        deadline=deadline,
        ok=(0, 1, 128),
    )
    lines = asked.decode("utf-8", "surrogateescape").splitlines()
    if len(lines) == 2 and is_sha(lines[0]):
        ref = lines[1]
        return heads.Head(sha=lines[0], branch=None if ref == "HEAD" else _short(ref))
    named = program.run(
        place, "symbolic-ref", "-q", "HEAD", deadline=deadline, ok=(0, 1)
    )
    ref = named.decode("utf-8", "surrogateescape").strip()
    return heads.Head(sha=None, branch=_short(ref) if ref else None)


def _short(ref: str) -> str:
    return ref.removeprefix("refs/heads/")


def reflog_entries(
    place: "GitPlace", deadline: "float | None" = None, most: int = 20_000
) -> "tuple[Entry, ...]":
    """HEAD's moves as git lists them, newest first; each begins where the next one ended."""
    out = program.run(
        *(place, "log", "--walk-reflogs", f"--max-count={most}", "--date=unix"),
        *("--no-show-signature", "--encoding=UTF-8", "-z", "--format=%H%x00%gd%x00%gs"),
        *("HEAD", "--"),
        deadline=deadline,
        ok=(0, 128),
    )
    words = out.split(b"\0")
    rows = [words[at : at + 3] for at in range(0, len(words) - 2, 3)]
    moves = []
    for at, (sha, when, said) in enumerate(rows):
        old = rows[at + 1][0].decode("ascii") if at + 1 < len(rows) else None
        seconds = when.rpartition(b"{")[2].rstrip(b"}")
        if seconds.isdigit():
            moves.append(
                reflog.Entry(
                    old=old,
                    new=sha.decode("ascii"),
                    at=int(seconds),
                    message=said.decode("utf-8", "replace"),
                )
            )
    return tuple(moves)


def user_email(place: "GitPlace", deadline: "float | None" = None) -> str:
    """The committer's address as git would write it here; "" when it would refuse.

    A variable of the shell comes before every file; a name is given, because git
    refuses to tell an address without one.
    """
    named = os.environ.get("GIT_COMMITTER_EMAIL", "")
    if named:
        return named.strip()
    try:
        out = program.run(
            *(place, "-c", "user.name=-", "var", "GIT_COMMITTER_IDENT"),
            deadline=deadline,
        )
    except program.GitTimeout:
        raise
    except GitError:
        return ""
    return out.decode("utf-8", "replace").rpartition("<")[2].partition(">")[0]
