"""The repository as its objects tell it, read with dulwich and without a git program.

The reader of commands, and of hooks where git is missing. Nothing that a repository's
configuration could name is run; walks are by date, as far as git's own would go.
"""

import heapq
import os

from afterword.model import TYPE_CHECKING
from afterword.store.git import head as heads
from afterword.store.git import local_config, objects
from afterword.store.git.program_reader import ProgramReader
from afterword.store.git.reader import Facts, is_sha

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typing_extensions import Self

    from afterword.store.git.head import GitPlace

# A commit's date may lie behind its child's. So many commits that are older than what is
# looked for are looked behind all the same; git's own searches by date stop after five.
_SLOP = 128


class DulwichReader:
    """Answers from the objects themselves; see `reader.Reader` for the contract."""

    def __init__(self, place: "GitPlace", deadline: "float | None") -> None:
        self.place = place
        self._objects = objects.Objects(place, deadline)

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self._objects.close()

    def facts(
        self, shas: "Sequence[str]", trees: "tuple[str, ...]"
    ) -> "dict[str, Facts]":
        found = {}
        for sha in shas:
            fact = self._objects.commit(sha)
            if fact:
                found[sha] = fact.replace(touched=self._touched(fact, trees))
        return found

    def reachable(self, shas: "Sequence[str]", tips: "Sequence[str]") -> "set[str]":
        wanted = {sha for sha in shas if self._objects.commit(sha)}
        if not wanted:
            return set()
        oldest = min(fact.at for fact in map(self._objects.commit, wanted) if fact)
        here = heads.read_head(self.place).sha
        starts = [*tips, *([here] if here else []), *self._objects.named()]
        found: set[str] = set()
        older = 0
        for fact in self._objects.newest_first(starts):
            if fact.sha in wanted:
                found.add(fact.sha)
            older += fact.at < oldest
            if older > _SLOP or len(found) == len(wanted):
                break
        return found

    def between(self, tip: str, base: "str | None", limit: int) -> "list[Facts]":
        hidden = self._hidden(tip, base) if base else frozenset()
        found: list[Facts] = []
        for fact in self._objects.newest_first([tip], hidden):
            if len(found) >= limit:
                break
            found.append(fact)
        return found

    def tracked_at(
        self, sha: str, paths: "Iterable[bytes]", trees: "tuple[str, ...]"
    ) -> "frozenset[bytes]":
        root = self._objects.root(sha)
        entries = ((path, self._objects.at(root, path)) for path in paths)
        return frozenset(
            path for path, entry in entries if entry and entry[0] != objects.FOLDER
        )

    def email(self) -> str:
        return local_config.user_email(self.place)

    def existing(self, shas: "Sequence[str]") -> "frozenset[str]":
        return frozenset(
            sha for sha in shas if is_sha(sha) and self._objects.commit(sha)
        )

    def tracked(self, paths: "Sequence[str]") -> "frozenset[str]":
        path = self.place.git_dir + "/index"
        if not os.path.exists(path):
            return frozenset()
        try:
            entries = self._index(path)
        except Exception as error:
            raise self._objects.unreadable("the index", error) from error
        if entries is None:
            return ProgramReader(self.place, self._objects.deadline).tracked(paths)
        folders = [name for name in entries if name.endswith(b"/")]
        asked = {name: name.encode("utf-8", "surrogateescape") for name in paths}
        return frozenset(
            name
            for name, path in asked.items()
            if not name.endswith("/")
            and (path in entries or self._in_sparse(path, entries, folders))
        )

    def _index(self, path: str) -> "dict[bytes, bytes] | None":
        """Path to object of every entry; a folder that a sparse index left whole ends in /.

        None for an index split in two (core.splitIndex), which only git can read.
        """
        from dulwich.index import read_index

        with open(path, "rb") as file:
            # SHA-1 is the default; the parameter came with dulwich 1.2.
            rows = read_index(file, *self._objects.other_format)
            found: dict[bytes, bytes] = {entry.name: entry.sha for entry in rows}
            return None if file.read(4) == b"link" else found

    def _in_sparse(
        self, path: bytes, entries: "dict[bytes, bytes]", folders: "list[bytes]"
    ) -> bool:
        for folder in folders:
            if path.startswith(folder):
                entry = self._objects.at(entries[folder], path[len(folder) :])
                return entry is not None and entry[0] != objects.FOLDER
        return False

    def changed_paths(self, sha: str, commits: int, limit: int) -> "tuple[str, ...]":
        found: dict[str, None] = {}
        next_sha: str | None = sha
        for _ in range(commits):
            fact = self._objects.commit(next_sha) if next_sha else None
            if fact is None or len(found) >= limit:
                break
            next_sha = fact.parents[0] if fact.parents else None
            changed = self._objects.changed(
                self._objects.root(fact.sha), self._objects.root(next_sha), b""
            )
            for path in sorted(changed):
                found[path.decode("utf-8", "surrogateescape")] = None
        return tuple(found)[:limit]

    def _touched(self, fact: Facts, trees: "tuple[str, ...]") -> "frozenset[bytes]":
        """What a commit changed below the trees; a merge and a cut-off commit, nothing."""
        if len(fact.parents) > 1 or fact.sha in self._objects.cut:
            return frozenset()
        new = self._objects.root(fact.sha)
        old = self._objects.root(fact.parents[0]) if fact.parents else b""
        found: set[bytes] = set()
        for tree in trees:
            name = b"" if tree == "." else tree.encode("utf-8", "surrogateescape")
            found |= self._objects.changed_at(
                self._objects.at(new, name), self._objects.at(old, name), name
            )
        return frozenset(found)

    def _hidden(self, tip: str, base: str) -> "frozenset[str]":
        """What `base` reaches, as far back as `tip` reaches anything that it does not."""
        heap: list[tuple[int, str]] = []
        is_hidden: dict[str, bool] = {}

        def meet(sha: str, hidden: bool) -> None:
            fact = (
                None
                if is_hidden.get(sha, not hidden) == hidden
                else self._objects.commit(sha)
            )
            if fact and not is_hidden.get(sha):
                is_hidden[sha] = hidden
                heapq.heappush(heap, (-fact.at, sha))

        meet(tip, False)
        meet(base, True)
        oldest = older = 0
        while heap and older < _SLOP:
            hidden = all(is_hidden[sha] for _, sha in heap)
            older += hidden and -heap[0][0] <= oldest
            at, sha = heapq.heappop(heap)
            oldest = oldest if is_hidden[sha] else min(-at, oldest or -at)
            fact = self._objects.commit(sha)
            for parent in fact.parents if fact else ():
                meet(parent, is_hidden[sha])
        return frozenset(sha for sha, hidden in is_hidden.items() if hidden)
