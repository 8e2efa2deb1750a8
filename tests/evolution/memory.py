"""The evolution files of a repository under test, and what must hold of them always."""

from __future__ import annotations

from pathlib import Path

from afterword.evolution import entry, queue, reflection
from afterword.evolution.item import Item
from afterword.store import config, layout, stamp
from project import Repo

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures/evolution"
FULL_QUEUE = "learning_queue.2026-02-28.1e9ca11e.md"
FULL_LOG = "reflection_log.2026-02-27.a767be37.md"
NOISY_LOG = "reflection_log.2026-02-27.07295c49.md"


def fixture(name: str) -> bytes:
    return (FIXTURES / name).read_bytes()


def item(number: int, state: str, *, priority: str = "P2", added: str = "") -> str:
    """An item of era L1 in English."""
    added = added or f"2026-03-{number % 28 + 1:02d}"
    processed = f"- Processed: {added}\n" if state == "done" else ""
    return (
        f"### LQ-{number:03d}: Title of {number}\n- Priority: {priority}\n"
        f"- Source: session\n- Status: {state}\n- Added: {added}\n{processed}"
        f"- Content: What {number} says\n\n"
    )


def queue_of(*items: str) -> bytes:
    return ("# Learning queue\n\n## Pending\n\n" + "".join(items)).encode()


class Memory:
    """The five files and the entries of `repo`, its local half claimed."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.root = repo.root
        self.store = layout.need(str(repo.root))
        stamp.claim(self.store)

    @property
    def config(self) -> config.Config:
        return config.load(self.store)

    def path(self, key: str) -> Path:
        return self.root / self.store.paths[key]

    def put(self, key: str, data: bytes) -> Path:
        path = self.path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def data(self, key: str) -> bytes:
        path = self.path(key)
        return path.read_bytes() if path.exists() else b""

    def clear(self) -> None:
        """As before the first use: no evolution file, nothing in the local half but its stamp."""
        for path in [*self.tracked, *self.repo.local.rglob("*")]:
            if path.is_file() and path.name != ".stamp":
                path.unlink()

    @property
    def tracked(self) -> list[Path]:
        return [path for path in self._folder.rglob("*") if path.is_file()]

    @property
    def _folder(self) -> Path:
        return self.path("queue").parent

    def tree(self) -> dict[str, bytes]:
        """Every file and folder below `.ai`."""
        top = self.root / ".ai"
        return {
            str(path.relative_to(top)): path.read_bytes() if path.is_file() else b""
            for path in sorted(top.rglob("*"))
        }

    def litter(self) -> list[str]:
        """Temps and orphans beside the files, and intents that wait."""
        names = [path.name for path in self._folder.rglob(".*")]
        return names + [path.name for path in self.repo.local.glob("batch/[!.]*")]

    # What the files say.

    def items(self, key: str = "queue") -> list[Item]:
        return queue.read(self.data(key)).items

    def states(self) -> dict[str, str]:
        return {one.identity: one.state for one in self.items()}

    def reflections(self, key: str = "reflections") -> list[bytes]:
        log = reflection.read(self.data(key))
        return [log.raw(one) for one in log.entries]

    @property
    def entries(self) -> dict[str, tuple[str, ...]]:
        """By file name what each was made of."""
        folder = self.path("entries")
        paths = sorted(folder.glob("*.md")) if folder.exists() else []
        return {path.name: entry.references(path.read_bytes()) for path in paths}

    @property
    def rows(self) -> list[str]:
        """The ids of the index's rows, doubled ones too."""
        lines = self.data("knowledge_base").decode().splitlines()
        return [line.split("|")[1].strip() for line in lines if line.startswith("| k-")]
