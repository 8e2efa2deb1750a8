"""modules list and discover as real processes in a real repository (CLI.md; issue 4)."""

from __future__ import annotations

import json

from project import Repo

MODULES = ".ai/repo/modules"
INDEX = f"{MODULES}/_index.md"
TABLE = """# Module Index

> Last updated: 2026-04-01

## Modules

| Module | Code Path | Purpose | Status |
|---|---|---|---|
| order | `src/order/`, `lib/order/**` | Orders | active
| zoo | `src/zoo/` | | dormant |
| ../up | `x/` | | |
"""


def test_list_shows_the_table_and_says_what_is_wrong_in_it(
    repo: Repo, afterword
) -> None:
    repo.write(INDEX, TABLE)
    repo.write(f"{MODULES}/stray/knowledge.md", "# Module Knowledge: stray\n")
    ran = afterword("modules", "list")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "order  active   src/order/, lib/order/**  Orders",
        "zoo    dormant  src/zoo/                  -",
        "stray  active   -                         -",
        "modules list: 2 active, 1 dormant",
    ]
    assert ran.err.splitlines() == [
        f"{INDEX}:11: '../up' cannot be a folder's name, so its row names no module"
    ]


def test_list_in_json_has_a_module_a_line(repo: Repo, afterword) -> None:
    repo.write(INDEX, TABLE)
    ran = afterword("modules", "list", "--json")
    assert [json.loads(line) for line in ran.out.splitlines()] == [
        {
            "name": "order",
            "path": "src/order/, lib/order/**",
            "status": "active",
            "purpose": "Orders",
        },
        {"name": "zoo", "path": "src/zoo/", "status": "dormant", "purpose": ""},
    ]


def test_list_without_modules_says_how_to_find_them(repo: Repo, afterword) -> None:
    ran = afterword("modules", "list")
    assert (ran.code, ran.out) == (0, "modules list: none\n")
    assert (
        ran.err == "no module yet; find them in the code: afterword modules discover\n"
    )


def test_list_refuses_an_index_that_a_merge_left_in_pieces(
    repo: Repo, afterword
) -> None:
    repo.write(INDEX, "# Module Index\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n")
    ran = afterword("modules", "list")
    assert ran.code == 1
    assert ran.err == (
        f"afterword: {INDEX}:2: a merge left its conflict markers here\n"
        "Resolve the conflict, remove the markers, then run this again.\n"
    )
