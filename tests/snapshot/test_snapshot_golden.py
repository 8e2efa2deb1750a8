"""Golden cases: a memory before, increments, and every file as it has to be afterwards.

tests/fixtures/snapshot_golden/<case>/{before,increments,expected} are trees below
`.ai/repo`; a settings file `config.yaml` may stand beside them. In English and Chinese.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from compiled_memory import BASE, Memory

from project import Repo

CASES = Path(__file__).resolve().parents[1] / "fixtures" / "snapshot_golden"
# Set by whoever changes a rule, to write what is there now; then read the difference.
UPDATE = "AFTERWORD_TEST_GOLDEN"
names = sorted(path.name for path in CASES.iterdir() if path.is_dir())


def files(root: Path) -> dict[str, bytes]:
    """The files below a folder by their paths; a placeholder that git needs is none."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != ".gitkeep"
    }


def prepared(repo: Repo, case: Path) -> Memory:
    """A repository as it is before the compile of a case, its increments waiting."""
    for part in ("before", "increments"):
        if (case / part).is_dir():
            shutil.copytree(case / part, repo.root / BASE, dirs_exist_ok=True)
    if (case / "config.yaml").exists():
        shutil.copy(case / "config.yaml", repo.root / ".ai" / "config.yaml")
    return Memory(repo)


def compiled(memory: Memory) -> dict[str, bytes]:
    """The files of the memory after a compile; records and evolution are not its matter."""
    memory.compile()
    return {
        name: data
        for name, data in files(memory.base).items()
        if not name.startswith(("knowledge/", "evolution/", "sessions/"))
    }


@pytest.mark.parametrize("name", names)
def test_a_golden_case(repo: Repo, name: str) -> None:
    """Every rule of every section.

    Project Overview L037 L038; Architecture L039 L040 L041 L042; Key Decisions L043 L044
    L045; Constraints L046 L047 L048; External Dependencies L049 L050; Config Index L051
    L052; Business Context L053 L054; Glossary L055 L056. L036: what conflicts is not
    merged. Confidence L057 L058 L059 L060 L061; size L071 L072 L073 L074.
    """
    case = CASES / name
    memory = prepared(repo, case)
    found = compiled(memory)
    if os.environ.get(UPDATE):
        shutil.rmtree(case / "expected", ignore_errors=True)
        for path, data in found.items():
            target = case / "expected" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    expected = files(case / "expected")
    assert sorted(found) == sorted(expected)
    for path, data in expected.items():
        assert found[path].decode() == data.decode(), path
    assert compiled(memory) == found, "a second compile changes nothing"


def test_there_are_cases_in_both_languages() -> None:
    assert {name.partition("_")[0] for name in names} >= {"en", "zh"}
