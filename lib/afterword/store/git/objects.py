"""A repository's objects, read with dulwich's object store.

No more of dulwich than that: what `dulwich.repo` adds reads configuration, and costs
another bare interpreter to import. Third-party code is imported when a store is opened.
"""

import heapq
import os
import time

from afterword.errors import GitError
from afterword.model import TYPE_CHECKING
from afterword.store import cold
from afterword.store.git import head as heads
from afterword.store.git import local_config, program
from afterword.store.git.reader import Facts, decoded, is_sha, shallow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from afterword.store.git.head import GitPlace

    Tree = dict[bytes, tuple[int, bytes]]

FOLDER = 0o040000  # the mode of an entry that is a tree
# Entries of trees that are kept in memory, about 200 bytes each.
_MOST_HELD = 50_000
_DEEPEST = 300  # folders in folders; no checkout has as many, but a tree object may
_COMMIT, _TREE, _TAG = 1, 2, 4
_FORMATS = ("sha1", "sha256")
_NAMED = ("refs/heads", "refs/remotes", "refs/tags")
_PREFIXES = tuple(f"{top}/".encode() for top in _NAMED)


class Objects:
    """Commits and trees of one repository, each parsed once. Must be closed.

    A missing object is None; a damaged one, or the deadline, raises `GitError`.
    """

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
        try:
            from dulwich.object_format import get_object_format
            from dulwich.object_store import DiskObjectStore
        except ImportError as error:
            raise GitError(
                f"dulwich cannot be loaded: {error}",
                hint="run install.py again: it repairs the environment",
            ) from error
        self._width = 20 if named == "sha1" else 32
        names = get_object_format(named)
        self.other_format = () if named == "sha1" else (names,)
        self._store = DiskObjectStore(
            place.common_dir + "/objects", object_format=names
        )
        self.cut = shallow(place)
        self._commits: dict[str, Facts | None] = {}
        self._roots: dict[str, bytes] = {}
        self._trees: dict[bytes, Tree] = {}
        self._held = 0

    def close(self) -> None:
        """Let go of the pack files; dulwich prints at exit otherwise."""
        self._store.close()

    def read(self, sha: str) -> "tuple[int, bytes] | None":
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
            raise self.unreadable(f"object {sha}", error) from error

    def unreadable(self, what: str, error: Exception) -> GitError:
        reason = program.plain(f"{type(error).__name__}: {error}")
        return GitError(f"dulwich cannot read {what} in {self.place.root}: {reason}")

    def commit(self, sha: str) -> "Facts | None":
        if sha not in self._commits:
            read = self.read(sha)
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
            parents=() if sha in self.cut else tuple(parents),
            at=int(seconds[0]) if seconds and seconds[0].isdigit() else 0,
            email=who.rpartition(b"<")[2].decode("utf-8", "replace"),
            message=decoded(message, said[b"encoding"].decode("ascii", "replace")),
        )

    def root(self, sha: "str | None") -> bytes:
        """The name of a commit's tree; b"" where there is no commit."""
        return self._roots[sha] if sha and self.commit(sha) else b""

    def tree(self, sha: bytes) -> "Tree":
        if not sha:
            return {}
        if sha not in self._trees:
            from dulwich.objects import parse_tree

            read = self.read(sha.decode("ascii"))
            if read is None or read[0] != _TREE:
                raise GitError(f"tree {sha.decode()} is missing in {self.place.root}")
            rows = parse_tree(read[1], self._width)
            found = {name: (mode, hexed) for name, mode, hexed in rows}
            self._held += len(found)
            if self._held > _MOST_HELD:
                self._trees.clear()
                self._held = len(found)
            self._trees[sha] = found
        return self._trees[sha]

    def at(self, root: bytes, path: bytes) -> "tuple[int, bytes] | None":
        """Mode and name of what stands at a path of a tree."""
        entry: tuple[int, bytes] | None = (FOLDER, root) if root else None
        for part in path.split(b"/") if path else ():
            if entry is None or entry[0] != FOLDER:
                return None
            entry = self.tree(entry[1]).get(part)
        return entry

    def changed_at(
        self,
        new: "tuple[int, bytes] | None",
        old: "tuple[int, bytes] | None",
        path: bytes,
    ) -> "set[bytes]":
        """The files that differ where one of two trees has `new` and the other `old`."""
        if new == old:
            return set()
        folders = [
            entry[1] if entry and entry[0] == FOLDER else b"" for entry in (new, old)
        ]
        found = self.changed(folders[0], folders[1], path)
        if any(entry and entry[0] != FOLDER for entry in (new, old)):
            found.add(path)
        return found

    def changed(self, new: bytes, old: bytes, path: bytes) -> "set[bytes]":
        if new == old:
            return set()
        if path.count(b"/") > _DEEPEST:
            raise GitError(
                f"a tree of {self.place.root} is more than {_DEEPEST} folders deep"
            )
        ours, theirs = self.tree(new), self.tree(old)
        found: set[bytes] = set()
        for name in ours.keys() | theirs.keys():
            below = path + b"/" + name if path else name
            found |= self.changed_at(ours.get(name), theirs.get(name), below)
        return found

    def newest_first(
        self, starts: "Iterable[str]", hidden: "frozenset[str]" = frozenset()
    ) -> "Iterator[Facts]":
        """Commits by date, newest first, each once; `hidden` ones end a line of parents."""
        heap: list[tuple[int, str]] = []
        seen = set(hidden)
        waiting = list(starts)
        while heap or waiting:
            for sha in waiting:
                fact = None if sha in seen else self.commit(sha)
                seen.add(sha)
                if fact:
                    heapq.heappush(heap, (-fact.at, sha))
            if not heap:
                return
            fact = self.commit(heapq.heappop(heap)[1])
            waiting = []
            if fact:
                yield fact
                waiting = list(fact.parents)

    def named(self) -> "list[str]":
        """The commits that branches, remote branches and tags name."""
        found = []
        for sha in ref_targets(self.place.common_dir):
            target: str | None = sha
            for _ in range(5):  # a tag may name a tag
                read = self.read(target) if target else None
                if read is None or read[0] != _TAG:
                    break
                line = read[1].split(b"\n", 1)[0].decode("ascii", "replace")
                target = line.removeprefix("object ")
            if target and self.commit(target):
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
