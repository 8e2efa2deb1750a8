"""`afterword knowledge` without a verb, as it is typed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parent.parent / "fixtures/evolution"
FULL = (FIXTURES / "knowledge_base.2026-02-28.1e9ca11e.md").read_bytes()
EVOLUTION = ".ai/repo/evolution"
BASE = f"{EVOLUTION}/knowledge_base.md"
MISCOUNTED = f"{BASE}:82: the category table counts 59 entries, there are 62\n"
SMALL = """# Knowledge base

## Index

| ID | Title | Category | Confidence | Created | Status |
|----|-------|----------|------------|---------|--------|
| k-001 | Locks | tooling | 0.9 | 2026-02-08 | active |
| k-002 | 原子写入 (atomic write) | pattern |  | 2026-02-09 | |
"""
ARCHIVE = """# Learning queue archive

### LQ-001: Lock the file
- Priority: P1
- Source: error
- Status: done
- Added: 2026-02-20
- Confidence: 95%
- Content: text

<!-- archived 2026-11-30T12:34:56Z -->

### LQ-002: Name things
- Source: session
- Status: done
- Added: 2026-02-21
- Metadata: category=tooling

<!-- archived 2026-11-30T12:34:56Z -->
"""
REFLECTIONS = """# Reflection log archive

## Reflection - 2026-02-22 10:00: Locks again

### What went well
- much
---
<!-- archived 2026-11-30T12:34:56Z -->
"""


@pytest.fixture
def base(repo):
    """The full knowledge base of the real project."""
    return repo.write(BASE, FULL)


def configure(repo, text: str) -> None:
    repo.write(".ai/config.yaml", text)


def test_without_options_the_whole_index_is_listed_and_nothing_else(base, afterword):
    """T3.3, N13, A3.3, C13: all 62 in the file's order, no closing line."""
    ran = afterword("knowledge")
    assert (ran.code, ran.err) == (0, MISCOUNTED)
    lines = ran.out.splitlines()
    assert len(lines) == 62
    assert (
        lines[0].split()
        == (
            "k-039 Skill Tracking Gap in extractSkillName (skill 追踪缺口)"
            " debugging 0.95 2026-02-27 active"
        ).split()
    )
    assert lines[-1].startswith("k-062  ")
    assert base.read_bytes() == FULL


def test_columns_line_up(repo, afterword):
    repo.write(BASE, SMALL)
    assert afterword("knowledge").out == (
        "k-001  Locks                    tooling  0.9  2026-02-08  active\n"
        "k-002  原子写入 (atomic write)  pattern  -    2026-02-09  -\n"
    )


def test_a_filter_lists_what_contains_it_and_says_how_much_that_is(base, afterword):
    """T3.0, T3.1, T3.4, A3.1, A3.4."""
    ran = afterword("knowledge", "--filter", "typescript")
    assert (ran.code, ran.err) == (0, MISCOUNTED)
    assert ran.out == (
        "k-059  TypeScript+ESM @ts-ignore for .mjs Dynamic Import in .ts Tests"
        "  tooling  0.95  2026-02-27  active\n"
        "showing 1/62 entries; call it without arguments to see all\n"
    )


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (("--filter", "hook"), 2),
        (("--filter", "FLUTTER"), 10),
        (("--filter", "配置"), 1),
        (("--filter", "("), 30),
        (("--filter", ".*"), 0),
        (("--category", "architecture"), 21),
        (("--category", "Architecture"), 21),
        (("--category", "arch"), 0),
        (("--filter", "flutter", "--category", "debugging"), 1),
    ],
)
def test_the_closing_line_in_chinese_is_the_prds(repo, base, afterword, words, count):
    """T3.2, T3.4, A3.2, A3.4, C14, C15, N2: word for word; both options together mean AND."""
    configure(repo, "language: zh\n")
    ran = afterword("knowledge", *words)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[-1] == f"显示 {count}/62 条，使用无参数调用查看全部"
    assert len(lines) == count + 1


def test_as_json(base, repo, afterword):
    """C13: one object; `shown` and `total` instead of a closing line."""
    repo.write(f"{EVOLUTION}/entries/k-054-refresh-hooks.md", "x")
    repo.write(f"{EVOLUTION}/entries/k-05-other.md", "x")
    repo.write(f"{EVOLUTION}/entries/README.md", "x")
    ran = afterword("knowledge", "--json", "--filter", "hook")
    assert ran.json == {
        "entries": [
            {
                "id": "k-054",
                "title": "omc install --refresh-hooks Flag Does Not Exist",
                "category": "tooling",
                "confidence": 0.95,
                "created": "2026-02-27",
                "status": "active",
                "path": f"{EVOLUTION}/entries/k-054-refresh-hooks.md",
            },
            {
                "id": "k-057",
                "title": "Windows Bash Hook Path: $USERPROFILE not %USERPROFILE%",
                "category": "platform",
                "confidence": 0.95,
                "created": "2026-02-27",
                "status": "active",
                "path": None,
            },
        ],
        "shown": 2,
        "total": 62,
    }
    whole = afterword("knowledge", "--json").json
    assert (len(whole["entries"]), whole["shown"], whole["total"]) == (62, 62, 62)
    assert ran.err == MISCOUNTED


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (
            ("--filter", "x" * 257),
            "--filter has 257 characters, 256 at most are allowed",
            "a shorter part of the title or the category is enough",
        ),
        (
            ("--category", "架" * 300),
            "--category has 300 characters, 256 at most are allowed",
            "a shorter part of the title or the category is enough",
        ),
        (
            ("--filter", ""),
            "--filter is empty",
            "leave it out to see the whole knowledge base",
        ),
        (
            ("--category", " "),
            "--category is empty",
            "leave it out to see the whole knowledge base",
        ),
    ],
)
def test_an_empty_or_over_long_text_is_a_usage_error(
    base, afterword, words, message, hint
):
    """T3.5, A3.5, C15, K5, K6, N2: a message, no crash."""
    ran = afterword("knowledge", *words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"afterword: {message}\n{hint}\n"
    ran = afterword("knowledge", *words, "--json")
    assert ran.code == 2
    assert ran.json == {"error": {"code": "usage", "message": message, "hint": hint}}


def test_256_characters_are_allowed(base, afterword):
    """T3.5: code points, whatever their size."""
    ran = afterword("knowledge", "--filter", "𝔸" * 256)
    assert ran.code == 0
    assert ran.out == "showing 0/62 entries; call it without arguments to see all\n"


@pytest.mark.parametrize(
    "option", [("--filter", "x"), ("--category", "x"), ("--include-archive",)]
)
def test_an_option_of_the_list_before_a_verb_is_a_usage_error(base, afterword, option):
    ran = afterword("knowledge", *option, "candidates")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "afterword: --filter, --category and --include-archive list the knowledge base,"
        " they are no options of candidates\n"
        "afterword knowledge --filter TEXT\n"
    )


def test_verbs_and_shared_options_work_as_before(repo, base, afterword):
    """N12: nothing that was typed before means something else."""
    assert afterword("knowledge", "candidates").out == (
        "knowledge candidates: 0 awaiting review\n"
    )
    assert afterword("knowledge", "--json", "candidates").code == 0
    ran = afterword("knowledge", "--repo", str(repo.root), cwd=repo.root.parent)
    assert len(ran.out.splitlines()) == 62
    ran = afterword("knowledge", "--search", "x")
    assert (ran.code, ran.err.splitlines()[0]) == (
        2,
        "afterword: --search: no such option",
    )


@pytest.mark.parametrize("words", [(), ("--filter", "x"), ("--json",)])
def test_no_knowledge_base_yet(repo, afterword, words):
    ran = afterword("knowledge", *words)
    assert ran.code == 0
    assert ran.err == (
        "no knowledge base yet\n"
        "begin one: afterword learn TEXT, then afterword evolve\n"
    )
    if "--json" in words:
        assert ran.json == {"entries": [], "shown": 0, "total": 0}
    elif words:
        assert ran.out == "showing 0/0 entries; call it without arguments to see all\n"
    else:
        assert ran.out == ""
    assert not (repo.root / EVOLUTION).exists()


def test_a_base_without_an_entry_says_so(repo, afterword):
    repo.write(BASE, "# Knowledge base\n")
    ran = afterword("knowledge")
    assert (ran.code, ran.out, ran.err) == (0, "", f"{BASE}: no entry yet\n")


def test_merge_markers_are_refused_with_file_and_line(repo, afterword):
    repo.write(BASE, SMALL + "<<<<<<< ours\n| k-3 |\n=======\n>>>>>>> theirs\n")
    ran = afterword("knowledge")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"afterword: {BASE}:9: a merge left its conflict markers")


@pytest.mark.parametrize("name", ["knowledge_base.md", "entries"])
def test_a_link_out_of_the_repository_is_refused(repo, afterword, tmp_path, name):
    """N3: neither what a clone brought along nor a person's own link leads us out."""
    repo.write(BASE, SMALL)
    target = repo.root / EVOLUTION / name
    outside = tmp_path / name
    if name == "entries":
        outside.mkdir()
    else:
        target.unlink()
        outside.write_text(SMALL)
    target.symlink_to(outside)
    ran = afterword("knowledge", "--json")
    assert ran.code == 1
    assert (
        f"{EVOLUTION}/{name}: leads out of the repository"
        in (ran.json["error"]["message"])
    )
    assert "Locks" not in ran.out


def test_what_is_no_file_is_refused(repo, afterword):
    (repo.root / BASE).mkdir(parents=True)
    ran = afterword("knowledge")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"afterword: {BASE}: not a regular file")


def test_titles_never_speak_to_the_terminal(repo, afterword):
    """Titles come from anywhere: nothing of them is obeyed or hidden."""
    title = "a\x1b[31mred\x1b]0;x\x07 \u202egnihton\u200b b"
    row = f"| k-003\x1b[2J | {title} | c\x9b5m | 0 | d | s |\n"
    repo.write(BASE, SMALL + row)
    out = afterword("knowledge").out
    assert out.splitlines()[-1].split("  ")[0] == "k-003"
    assert not set(out) & set("\x1b\x07\x9b\u202e\u200b")
    assert afterword("knowledge", "--json").json["entries"][2]["title"] == title


def test_problems_are_told_one_a_line_and_five_at_most(repo, afterword):
    """A doubled id, glued rows and wrong counts are told; the list is complete all the same."""
    rows = "".join(f"| k-001 | Other {n} | c | 0.9 | d | s |\n" for n in range(6))
    glued = "| k-003 | A | c | 0.9 | d | s || k-004 | B | c | 0.9 | d | s |\n"
    repo.write(BASE, "---\nentries: 3\n---\n" + SMALL + glued + rows)
    ran = afterword("knowledge")
    assert ran.code == 0
    assert len(ran.out.splitlines()) == 10
    assert ran.err.splitlines() == [
        f"{BASE}:2: entries: 3 is declared, there are 10",
        f"{BASE}:12: 2 rows stand in one line",
        *(
            f"{BASE}:{line}: k-001 stands in line 10 with other content"
            for line in (13, 14, 15)
        ),
        f"{BASE}: and 3 more such problems",
    ]


def test_the_archives_are_listed_when_asked_for(repo, afterword):
    """What was moved out of sight is found again, and counted."""
    repo.write(BASE, SMALL)
    repo.write(f"{EVOLUTION}/learning_queue_archive.md", ARCHIVE)
    repo.write(f"{EVOLUTION}/reflection_log_archive.md", REFLECTIONS)
    assert len(afterword("knowledge").out.splitlines()) == 2
    ran = afterword("knowledge", "--include-archive")
    assert (ran.code, ran.err) == (0, "")
    assert [line.split("  ")[0] for line in ran.out.splitlines()] == [
        "k-001",
        "k-002",
        "LQ-001",
        "LQ-002",
        "2026-02-22",
    ]
    ran = afterword("knowledge", "--include-archive", "--filter", "lock")
    assert ran.out == (
        "k-001       Locks          tooling     0.9   2026-02-08  active\n"
        "LQ-001      Lock the file  debugging   0.95  2026-02-20  archived\n"
        "2026-02-22  Locks again    reflection  -     2026-02-22  archived\n"
        "showing 3/5 entries; call it without arguments to see all\n"
    )
    ran = afterword("knowledge", "--include-archive", "--category", "tooling", "--json")
    assert (ran.json["shown"], ran.json["total"]) == (2, 5)
    assert ran.json["entries"][1] == {
        "id": "LQ-002",
        "title": "Name things",
        "category": "tooling",
        "confidence": None,
        "created": "2026-02-21",
        "status": "archived",
        "path": f"{EVOLUTION}/learning_queue_archive.md",
    }


def test_the_archives_of_the_real_project(repo, base, afterword):
    for name in ("learning_queue_archive", "reflection_log_archive"):
        source = FIXTURES / f"{name}.2026-03-02.bcae96a6.md"
        shutil.copy(source, repo.root / EVOLUTION / f"{name}.md")
    ran = afterword("knowledge", "--include-archive", "--json")
    statuses = [one["status"] for one in ran.json["entries"]]
    assert statuses == ["active"] * 62 + ["archived"] * 31
    assert ran.json["total"] == 93
    ran = afterword("knowledge", "--include-archive", "--category", "reflection")
    assert ran.out.splitlines()[-1].startswith("showing 11/93 entries;")


def test_archives_without_a_base_are_still_found(repo, afterword):
    repo.write(f"{EVOLUTION}/learning_queue_archive.md", ARCHIVE)
    ran = afterword("knowledge", "--include-archive", "--json")
    assert (ran.json["shown"], ran.json["total"]) == (2, 2)
    assert ran.err.startswith("no knowledge base yet\n")


def test_an_adopted_base_is_read_where_it_lies(repo, afterword):
    """Paths come from the settings: `.omc/axiom`, with its entries one folder aside."""
    repo.write(".omc/axiom/evolution/knowledge_base.md", FULL)
    repo.write(".omc/knowledge/k-001-global-configuration.md", "x")
    configure(
        repo,
        "paths:\n"
        "  knowledge_base: .omc/axiom/evolution/knowledge_base.md\n"
        "  entries: .omc/knowledge\n",
    )
    ran = afterword("knowledge", "--filter", "配置", "--json")
    assert ran.json["entries"][0]["path"] == (
        ".omc/knowledge/k-001-global-configuration.md"
    )
    assert ran.err.startswith(".omc/axiom/evolution/knowledge_base.md:82: ")


def test_any_bytes_are_listed(repo, afterword):
    repo.write(
        BASE, b"\xff\xfe\x00" + SMALL.encode("utf-8") + b"| k-9 | \xd0\xc4\x00 | c |\n"
    )
    ran = afterword("knowledge")
    assert ran.code == 0
    assert len(ran.out.splitlines()) == 3
