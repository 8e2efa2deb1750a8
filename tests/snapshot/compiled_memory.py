"""A repository whose increments are compiled: what the tests of compiles are written with.

Compiles run in this process through the same door as the command; the command itself has
its tests in tests/cli.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from afterword.lifecycle import promoted
from afterword.snapshot import compiling, document
from afterword.snapshot.compiling import Compiled
from afterword.store import config_file, layout
from project import Repo

BASE = ".ai/repo"
DATE = "2026-11-30"
HEADINGS = {
    "decision": "Decisions",
    "constraint": "Constraints",
    "architecture": "Architecture Impact",
    "external": "External Dependencies",
    "config": "Config Index",
    "business": "Business Context",
    "glossary": "Glossary",
    "overview": "Project Overview",
}


def increment(
    title: str,
    *details: str,
    kind: str = "decision",
    at: str = "2026-04-01 09:00:00",
    author: str = "Ines",
    confidence: str = "high",
    domain: str = "",
    status: str = "unverified",
    files: tuple[str, ...] = (),
) -> str:
    """An increment of one entry in the canonical shape of spec/snapshot.md 4.2."""
    meta = [f"author: {author}", f"timestamp: {at}", "trigger: manual"]
    meta += [f"confidence: {confidence}"] * bool(confidence)
    meta += [f"domain: {domain}"] * bool(domain)
    affected = [f"- `{path}` -> {kind.upper()}" for path in files]
    lines = [f"# {at[:10]} an increment", "", "## Meta", *(f"- {one}" for one in meta)]
    lines += ["", "## Affected Files", *affected] if affected else []
    lines += ["", f"## {HEADINGS[kind]}", f"- {title}"]
    lines += [f"  - {detail}" for detail in details]
    lines += ["", "## Evidence", f"- 来源: {author}", f"- 验证状态: {status}", ""]
    return "\n".join(lines)


class Memory:
    """The files of one repository by what they are."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.root = repo.root
        self.base = repo.root / BASE

    @property
    def store(self) -> layout.Store:
        found = layout.need(str(self.root))
        return found.replace(paths=config_file.need(found).paths())

    def put(self, name: str, text: str | bytes, module: str = "") -> Path:
        """A waiting increment; `name` with or without its date."""
        stem = name if name[:2] == "20" else f"2026-04-01_{name}"
        folder = f"modules/{module}/increments" if module else "increments"
        return self.repo.write(f"{BASE}/{folder}/{stem}.md", text)

    def add(self, name: str, title: str, *details: str, **more: Any) -> Path:
        """`put` of an increment of one entry."""
        module = more.pop("module", "")
        return self.put(name, increment(title, *details, **more), module)

    def compile(self, **more: Any) -> Compiled:
        """A compile as the command runs it, without the index."""
        store = self.store
        return compiling.compile_(
            store,
            config_file.need(store),
            promoted.facts(store),
            **{"date": DATE, "wait": 5.0, "whole": True, **more},
        )

    def path(self, name: str = "") -> Path:
        return self.base / (f"modules/{name}/knowledge.md" if name else "snapshot.md")

    def text(self, name: str = "") -> str:
        """The snapshot, or a module's knowledge."""
        path = self.path(name)
        return path.read_bytes().decode() if path.exists() else ""

    def history(self, name: str = "") -> str:
        folder = self.base / f"modules/{name}" if name else self.base
        path = folder / "archive/decisions-history.md"
        return path.read_text() if path.exists() else ""

    @property
    def index(self) -> str:
        return (self.base / "modules/_index.md").read_text()

    def waiting(self, module: str = "") -> list[str]:
        return self._names(module, "*.md")

    def archived(self, module: str = "") -> list[str]:
        return self._names(module, "archive/*.md")

    def _names(self, module: str, pattern: str) -> list[str]:
        folder = self.base / (f"modules/{module}" if module else "") / "increments"
        return sorted(path.name for path in folder.glob(pattern))

    def modules(self, **paths: str) -> None:
        """A registry of modules by their code paths."""
        rows = "".join(
            f"| {name} | `{path}` | Part {name} | active |\n"
            for name, path in paths.items()
        )
        self.repo.write(
            f"{BASE}/modules/_index.md",
            "# Module Index\n\n> Last updated: 2026-01-01\n\n## Modules\n\n"
            f"| Module | Code Path | Purpose | Status |\n|---|---|---|---|\n{rows}",
        )

    def settings(self, text: str) -> None:
        self.repo.write(".ai/config.yaml", text)

    def tree(self) -> dict[str, str]:
        """Every tracked file of the memory by its hash."""
        return {
            str(path.relative_to(self.base)): hashlib.sha256(
                path.read_bytes()
            ).hexdigest()
            for path in sorted(self.base.rglob("*"))
            if path.is_file()
        }

    def ids(self, *, ours: bool = False) -> set[str]:
        """The ids of all facts in target files and histories; `ours` have sources."""
        found = set()
        for path in self.base.rglob("*.md"):
            if path.name in ("snapshot.md", "knowledge.md", "decisions-history.md"):
                facts = document.facts(path.read_bytes())
                found |= {fact.id for fact in facts if fact.sources or not ours}
        return found

    def litter(self) -> list[str]:
        """Temps, orphans and intents that anything left."""
        found = [p for p in (self.root / ".ai").rglob(".*") if p.is_file()]
        left = [p.name for p in found if p.name.endswith((".tmp", ".orphan"))]
        batch = self.root / ".ai/local/batch"
        return left + [p.name for p in batch.glob("*")] if batch.exists() else left
