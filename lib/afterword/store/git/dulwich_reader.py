"""The repository as its objects tell it, read with dulwich and without a git program.

The reader of commands, and of hooks where git is missing. Uses dulwich's object store
only (a third of what `dulwich.repo` costs to import) and runs nothing that a
repository's configuration could name. Third-party code is imported when it is opened.
"""

import heapq
import os
import time

from afterword.errors import GitError
from afterword.model import TYPE_CHECKING
from afterword.store import cold
from afterword.store.git import head as heads
from afterword.store.git import local_config, program, reflog
from afterword.store.git.program_reader import is_sha, shallow
from afterword.store.git.reader import Facts, decoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from typing_extensions import Self

    from afterword.store.git.head import GitPlace
    from afterword.store.git.reflog import Entry

    Tree = dict[bytes, tuple[int, bytes]]

_COMMIT, _TREE, _TAG = 1, 2, 4
_FOLDER = 0o040000
_FORMATS = ("sha1", "sha256")
# How far a commit's date may lie behind its child's before a walk misses it; git's own
# searches by date allow as much.
_SKEW = 86_400
_SLOP = 256  # and how many commits older than that are looked behind all the same
_NAMED = ("refs/heads", "refs/remotes", "refs/tags")


class DulwichReader:
    """Answers from the objects themselves; see `reader.Reader` for the contract."""

    def __init__(self, place: "GitPlace", deadline: "float | None") -> None:
        self.place, self.deadline = place, deadline
        named = (
            local_config.of_place(place).get("extensions.objectformat", "sha1").lower()
        )
        if named not in _FORMATS:
            raise GitError(
                f"dulwich cannot read objects named by {program.plain(named)} in {place.root}"
            )
        cold.enable()
        from dulwich.object_format import get_object_format
        from dulwich.object_store import DiskObjectStore

        self._width = 20 if named == "sha1" else 32
        self._store = DiskObjectStore(
            place.common_dir + "/objects", object_format=get_object_format(named)
        )
        self._cut = shallow(place)
        self._commits: dict[str, Facts | None] = {}
        self._roots: dict[str, bytes] = {}
        self._trees: dict[bytes, Tree] = {}

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def reflog(self) -> "Iterable[Entry]":
        return reflog.read(self.place.git_dir)

    def facts(
        self, shas: "Sequence[str]", trees: "tuple[str, ...]"
    ) -> "dict[str, Facts]":
        found = {}
        for sha in shas:
            fact = self._commit(sha)
            if fact:
                found[sha] = fact.replace(touched=self._touched(fact, trees))
        return found

    def reachable(self, shas: "Sequence[str]", tips: "Sequence[str]") -> "set[str]":
        wanted = {sha for sha in shas if self._commit(sha)}
        if not wanted:
            return set()
        oldest = min(fact.at for fact in map(self._commit, wanted) if fact) - _SKEW
        here = heads.read_head(self.place).sha
        starts = [*tips, *([here] if here else []), *self._named()]
        found: set[str] = set()
        older = 0
        for fact in self._newest_first(starts):
            if fact.sha in wanted:
                found.add(fact.sha)
            older += fact.at < oldest
            if older > _SLOP or len(found) == len(wanted):
                break
        return found

    def between(self, tip: str, base: "str | None", limit: int) -> "list[Facts]":
        hidden = self._hidden(tip, base) if base else frozenset()
        found: list[Facts] = []
        for fact in self._newest_first([tip], hidden):
            if len(found) >= limit:
                break
            found.append(fact)
        return found

    def tracked_at(
        self, sha: str, paths: "Iterable[bytes]", trees: "tuple[str, ...]"
    ) -> "frozenset[bytes]":
        root = self._root(sha)
        entries = ((path, self._at(root, path)) for path in paths)
        return frozenset(
            path for path, entry in entries if entry and entry[0] != _FOLDER
        )

    def email(self) -> str:
        return user_email(self.place)

    def existing(self, shas: "Sequence[str]") -> "frozenset[str]":
        return frozenset(sha for sha in shas if is_sha(sha) and self._commit(sha))

    def tracked(self, paths: "Sequence[str]") -> "frozenset[str]":
        from dulwich.index import Index

        path = self.place.git_dir + "/index"
        if not os.path.exists(path):
            return frozenset()
        try:
            index = Index(path)
            return frozenset(
                name
                for name in paths
                if name.encode("utf-8", "surrogateescape") in index
            )
        except Exception as error:
            raise self._unreadable("the index", error) from error

    def changed_paths(self, sha: str, commits: int, limit: int) -> "tuple[str, ...]":
        found: dict[str, None] = {}
        next_sha: str | None = sha
        for _ in range(commits):
            fact = self._commit(next_sha) if next_sha else None
            if fact is None or len(found) >= limit:
                break
            next_sha = fact.parents[0] if fact.parents else None
            changed = self._changed(self._root(fact.sha), self._root(next_sha), b"")
            for path in sorted(changed):
                found[path.decode("utf-8", "surrogateescape")] = None
        return tuple(found)[:limit]

    def _read(self, sha: str) -> "tuple[int, bytes] | None":
        """An object's kind and content; None when it is not here."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise program.GitTimeout(
                f"reading the commits of {self.place.root} took too long"
            )
        try:
            return self._store.get_raw(sha.encode())  # type: ignore[arg-type]
        except KeyError:
            return None
        except Exception as error:
            # A damaged object shows as any of a dozen kinds, from zlib's to AssertionError.
            raise self._unreadable(f"object {sha}", error) from error

    def _unreadable(self, what: str, error: Exception) -> GitError:
        reason = program.plain(f"{type(error).__name__}: {error}")
        return GitError(f"dulwich cannot read {what} in {self.place.root}: {reason}")

    def _commit(self, sha: str) -> "Facts | None":
        if sha not in self._commits:
            read = self._read(sha)
            known = read is not None and read[0] == _COMMIT
            self._commits[sha] = self._parsed(sha, read[1]) if read and known else None
        return self._commits[sha]

    def _parsed(self, sha: str, data: bytes) -> Facts:
        """A commit object: header lines, an empty line, the message."""
        header, _, message = data.partition(b"\n\n")
        parents: list[str] = []
        said = {b"committer": b"", b"encoding": b"", b"tree": b""}
        for line in header.split(b"\n"):
            key, _, value = line.partition(b" ")
            if key == b"parent":
                parents.append(value.decode("ascii", "replace"))
            elif key in said and not said[key]:
                said[key] = value
        self._roots[sha] = said[b"tree"]
        who, _, when = said[b"committer"].rpartition(b">")
        seconds = when.split()[:1]
        return Facts(
            sha=sha,
            parents=() if sha in self._cut else tuple(parents),
            at=int(seconds[0]) if seconds and seconds[0].isdigit() else 0,
            email=who.rpartition(b"<")[2].decode("utf-8", "replace"),
            message=decoded(message, said[b"encoding"].decode("ascii", "replace")),
        )

    def _touched(self, fact: Facts, trees: "tuple[str, ...]") -> "frozenset[bytes]":
        """What a commit changed below the trees; a merge and a cut-off commit, nothing."""
        if len(fact.parents) > 1 or fact.sha in self._cut:
            return frozenset()
        new = self._root(fact.sha)
        old = self._root(fact.parents[0]) if fact.parents else b""
        found: set[bytes] = set()
        for tree in trees:
            name = b"" if tree == "." else tree.encode("utf-8", "surrogateescape")
            found |= self._changed_at(self._at(new, name), self._at(old, name), name)
        return frozenset(found)

    def _root(self, sha: "str | None") -> bytes:
        """The name of a commit's tree; b"" where there is no commit."""
        return self._roots[sha] if sha and self._commit(sha) else b""

    def _tree(self, sha: bytes) -> "Tree":
        if not sha:
            return {}
        if sha not in self._trees:
            from dulwich.objects import parse_tree

            read = self._read(sha.decode("ascii"))
            if read is None or read[0] != _TREE:
                raise GitError(f"tree {sha.decode()} is missing in {self.place.root}")
            rows = parse_tree(read[1], self._width)
            self._trees[sha] = {name: (mode, hexed) for name, mode, hexed in rows}
        return self._trees[sha]

    def _at(self, root: bytes, path: bytes) -> "tuple[int, bytes] | None":
        """Mode and name of what stands at a path of a tree."""
        entry: tuple[int, bytes] | None = (_FOLDER, root) if root else None
        for part in path.split(b"/") if path else ():
            if entry is None or entry[0] != _FOLDER:
                return None
            entry = self._tree(entry[1]).get(part)
        return entry

    def _changed_at(
        self,
        new: "tuple[int, bytes] | None",
        old: "tuple[int, bytes] | None",
        path: bytes,
    ) -> "set[bytes]":
        """The files that differ where one of two trees has `new` and the other `old`."""
        if new == old:
            return set()
        folders = [
            entry[1] if entry and entry[0] == _FOLDER else b"" for entry in (new, old)
        ]
        found = self._changed(folders[0], folders[1], path)
        if any(entry and entry[0] != _FOLDER for entry in (new, old)):
            found.add(path)
        return found

    def _changed(self, new: bytes, old: bytes, path: bytes) -> "set[bytes]":
        if new == old:
            return set()
        ours, theirs = self._tree(new), self._tree(old)
        found: set[bytes] = set()
        for name in ours.keys() | theirs.keys():
            below = path + b"/" + name if path else name
            found |= self._changed_at(ours.get(name), theirs.get(name), below)
        return found

    def _newest_first(
        self, starts: "Iterable[str]", hidden: "frozenset[str]" = frozenset()
    ) -> "Iterator[Facts]":
        """Commits by date, newest first, each once; `hidden` ones end a line of parents."""
        heap: list[tuple[int, str]] = []
        seen = set(hidden)
        waiting = list(starts)
        while heap or waiting:
            for sha in waiting:
                fact = None if sha in seen else self._commit(sha)
                seen.add(sha)
                if fact:
                    heapq.heappush(heap, (-fact.at, sha))
            if not heap:
                return
            fact = self._commit(heapq.heappop(heap)[1])
            waiting = []
            if fact:
                yield fact
                waiting = list(fact.parents)

    def _hidden(self, tip: str, base: str) -> "frozenset[str]":
        """What `base` reaches, as far back as `tip` reaches anything that it does not."""
        heap: list[tuple[int, str]] = []
        is_hidden: dict[str, bool] = {}

        def meet(sha: str, hidden: bool) -> None:
            fact = (
                None if is_hidden.get(sha, not hidden) == hidden else self._commit(sha)
            )
            if fact and not is_hidden.get(sha):
                is_hidden[sha] = hidden
                heapq.heappush(heap, (-fact.at, sha))

        meet(tip, False)
        meet(base, True)
        oldest = 0
        while heap:
            if all(is_hidden[sha] for _, sha in heap) and -heap[0][0] < oldest - _SKEW:
                break
            at, sha = heapq.heappop(heap)
            oldest = oldest if is_hidden[sha] else min(-at, oldest or -at)
            fact = self._commit(sha)
            for parent in fact.parents if fact else ():
                meet(parent, is_hidden[sha])
        return frozenset(sha for sha, hidden in is_hidden.items() if hidden)

    def _named(self) -> "list[str]":
        """The commits that branches, remote branches and tags name."""
        found = []
        for sha in ref_targets(self.place.common_dir):
            target: str | None = sha
            for _ in range(5):  # a tag may name a tag
                read = self._read(target) if target else None
                if read is None or read[0] != _TAG:
                    break
                line = read[1].split(b"\n", 1)[0].decode("ascii", "replace")
                target = line.removeprefix("object ")
            if target and self._commit(target):
                found.append(target)
        return found


def ref_targets(common_dir: str) -> "Iterator[str]":
    """What the branches, remote branches and tags of a repository name, loose before packed."""
    loose = set()
    for top in _NAMED:
        for folder, _, names in os.walk(f"{common_dir}/{top}"):
            for name in names:
                path = os.path.join(folder, name)
                loose.add(os.fsencode(os.path.relpath(path, common_dir)))
                sha = (heads.read_small(path) or b"").strip().decode("ascii", "replace")
                if is_sha(sha):
                    yield sha
    packed = heads.read_small(common_dir + "/packed-refs", 64 << 20) or b""
    for line in packed.split(b"\n"):
        word, _, ref = line.partition(b" ")
        sha = word.decode("ascii", "replace")
        if is_sha(sha) and ref not in loose and ref.startswith(_PREFIXES):
            yield sha


_PREFIXES = tuple(f"{top}/".encode() for top in _NAMED)


def user_email(place: "GitPlace") -> str:
    """The committer's address from the variables and files that git reads, includes apart."""
    named = os.environ.get("GIT_COMMITTER_EMAIL", "")
    if named:
        return named.strip()
    home = os.path.expanduser("~")
    own = os.environ.get("XDG_CONFIG_HOME") or home + "/.config"
    found: dict[str, str] = {}
    for path in ("/etc/gitconfig", own + "/git/config", home + "/.gitconfig"):
        found.update(local_config.read(path))
    found.update(local_config.of_place(place))
    named = found.get("committer.email") or found.get("user.email") or ""
    return named or os.environ.get("EMAIL", "")
