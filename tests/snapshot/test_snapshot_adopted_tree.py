"""A tree `.ai-context/` from its adoption on: compiled in place, by processes, in git."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from project import TOOL, Ran, Repo, command, run

REAL = TOOL / "tests" / "fixtures" / "context"
SNAPSHOT = ".ai-context/snapshot.md"
DATE = "2026-05-10"


def adopted(root: Path, tree: str) -> Repo:
    """A repository with one of the trees, adopted and committed."""
    root.mkdir()
    made = Repo(root)
    made.git("init", "-q")
    for path in sorted((REAL / tree).rglob("*")):
        if path.is_file():
            shown = f".ai-context/{path.relative_to(REAL / tree)}"
            made.write(shown, path.read_bytes())
    made.commit("their work")
    assert typed(made, "adopt").code == 0
    made.commit("adopt")
    return made


def typed(repo: Repo, *words: str) -> Ran:
    return run(command(*words), repo.root)


def compile_(repo: Repo) -> Ran:
    ran = typed(repo, "compile", "--date", DATE)
    assert ran.code == 0, ran.err
    return ran


def lines(repo: Repo, shown: str) -> Counter[str]:
    return Counter((repo.root / shown).read_text(encoding="utf-8").splitlines())


@pytest.fixture
def english(tmp_path: Path) -> Repo:
    return adopted(tmp_path / "en", "en")


@pytest.fixture
def chinese(tmp_path: Path) -> Repo:
    return adopted(tmp_path / "zh", "zh")


def lost(repo: Repo, shown: str) -> list[str]:
    """The lines of a file, as it was committed, that it has no longer; its header apart."""
    before = Counter(repo.git("show", f"HEAD:{shown}").splitlines())
    return [line for line in (before - lines(repo, shown)) if line[:1] != ">"]


def test_what_was_there_stays_line_by_line(english: Repo) -> None:
    """L009, L035, L045: adopted text is verified, and no compile takes a line of it."""
    compile_(english)
    assert lost(english, SNAPSHOT) == []
    for module in ("order", "payment"):
        assert lost(english, f".ai-context/modules/{module}/knowledge.md") == []
    assert lost(english, ".ai-context/archive/decisions-history.md") == []
    assert lost(english, ".ai-context/modules/_index.md") == []


def test_what_waited_is_compiled_and_archived(english: Repo) -> None:
    """L018, L022, L024: by its domain into the module, else into the snapshot."""
    compile_(english)
    knowledge = ".ai-context/modules/order/knowledge.md"
    assert "### Printed labels are cached for an hour" in lines(english, knowledge)
    text = (english.root / SNAPSHOT).read_text(encoding="utf-8")
    assert "The shop may send an order twice within a minute" in text
    waiting = english.root / ".ai-context/increments"
    assert list(waiting.glob("*.md")) == []
    names = {path.name for path in (waiting / "archive").glob("*.md")}
    assert names >= {
        "2026-05-05_commit-130157.md",
        "2026-05-06_label-cache.md",
        "emergency-20260507-081502.md",
    }


def test_g3_what_the_other_system_compiled_is_not_compiled_again(english: Repo) -> None:
    """G3: an archived increment that the header lists would double the adopted entry."""
    compile_(english)
    text = (english.root / SNAPSHOT).read_text(encoding="utf-8")
    assert text.count("Labels are kept for 400 days") == 1
    assert text.count("[CONFLICT] Payment timeout") == 2  # the block, and the log
    assert "Payment timeout is 5000ms" not in text


def test_an_adopted_conflict_is_listed_and_resolved_like_any_other(
    english: Repo,
) -> None:
    """L030, G11: the block of the older system, with its two sides."""
    told = "- Conflicts: 1 pending_resolution (Payment timeout)"
    assert told in compile_(english).out.splitlines()
    (one,) = typed(english, "conflict", "list", "--json").objects
    assert (one["topic"], one["where"]) == ("Payment timeout", SNAPSHOT)
    ran = typed(
        english, "conflict", "resolve", one["id"], "--keep", "old", "--why", "asked"
    )
    assert ran.code == 0, ran.err
    assert "which is no conflict" not in ran.err
    found = lines(english, SNAPSHOT)
    assert not [line for line in found if "pending_resolution" in line]
    assert found[
        "- Snapshot says: 3000ms (recorded 2026-04-01, author: Ines, status: verified)"
    ]
    again = compile_(english)
    assert "- Conflicts: 0 pending_resolution" in again.out.splitlines()
    assert "which is no conflict" not in again.err


def test_a_second_compile_changes_nothing(english: Repo) -> None:
    compile_(english)
    english.commit("compiled")
    compile_(english)
    assert english.git("status", "--porcelain") == ""


def test_a_chinese_tree_is_compiled_in_place(chinese: Repo) -> None:
    """Tables and unconfirmed entries stay as they are; the import block becomes entries."""
    compile_(chinese)
    assert lost(chinese, SNAPSHOT) == []
    found = lines(chinese, SNAPSHOT)
    assert found["### 工资接口按月返回数据"] == 1
    assert found["### 工资单在次月五日前生成"] == 1
    assert found["### 阈值按知识条目计算 (2026-04-23)"] == 1
    assert found["### [待验证] 同一员工每天最多两个班次"] == 1


def test_a_buffer_becomes_an_increment_by_its_name(english: Repo) -> None:
    """The way that an adoption tells: raw entries are a form of increment (spec 3, 4.3)."""
    folder = english.root / ".ai-context"
    (folder / "buffer.md").rename(folder / "increments/2026-05-08_buffer.md")
    compile_(english)
    text = (english.root / SNAPSHOT).read_text(encoding="utf-8")
    every = text + "".join(
        path.read_text(encoding="utf-8")
        for path in folder.glob("modules/*/knowledge.md")
    )
    assert "The label store is asked before the carrier" in every
    assert "Reprints are free for 30 days" in every
    assert "saves two calls for each reprint" in every
