"""Increments through git: added, compiled away, edited on several clones, nothing mixed."""

from __future__ import annotations

import pytest

from afterword.install import tree

from .clones import Clone

FOLDER = ".ai/repo/increments"
ARCHIVE = f"{FOLDER}/archive"
OF_MODULE = ".ai/repo/modules/order/increments"


def increment(name: str, *, author: str = "Ines", text: str = "because") -> str:
    return (
        f"# 2026-11-02 {name}\n\n## Meta\n- author: {author}\n"
        "- timestamp: 2026-11-02 10:00:00\n- trigger: manual\n- confidence: high\n\n"
        f"## Decisions\n- Title {name}\n  - 原因: {text}\n\n"
        f"## Evidence\n- 来源: {author}\n- 验证状态: unverified\n"
    )


def path(name: str, folder: str = FOLDER) -> str:
    return f"{folder}/2026-11-02_{name}.md"


def archived(repo: Clone, *names: str, folder: str = FOLDER) -> None:
    """A compile moves what waits into the archive."""
    for name in names:
        data = repo.read(path(name, folder))
        repo.write(path(name, f"{folder}/archive"), data)
        (repo.root / path(name, folder)).unlink()
    repo.commit({}, "compile")


def files(repo: Clone) -> set[str]:
    return {*repo.git("ls-files", ".ai/repo").split("\n")} - {".ai/repo/.gitattributes"}


@pytest.mark.parametrize("folder", [FOLDER, OF_MODULE])
def test_an_increment_added_where_the_other_side_compiled_all_still_waits(team, folder):
    """git must not take the archive for the folder's new name and move it there."""
    one, other = team(
        {path("a", folder): increment("a"), path("b", folder): increment("b")}
    )
    archived(one, "a", "b", folder=folder)
    other.commit({path("c", folder): increment("c")})
    for side, from_side in ((one, other), (other, one)):
        ran = side.merges(from_side)
        assert ran.code == 0, ran.said
        assert files(side) == {
            path("a", f"{folder}/archive"),
            path("b", f"{folder}/archive"),
            path("c", folder),
        }


def test_what_both_compiled_is_archived_once(team):
    one, other = team({path(name): increment(name) for name in "abc"})
    archived(one, "a", "b")
    archived(other, "b", "c")
    assert one.merges(other).code == 0
    assert files(one) == {path(name, ARCHIVE) for name in "abc"}


def test_an_edit_follows_an_increment_into_the_archive(team):
    one, other = team({path("a"): increment("a")})
    archived(one, "a")
    edited = increment("a", text="it was measured")
    other.commit({path("a"): edited})
    assert one.merges(other).code == 0
    assert files(one) == {path("a", ARCHIVE)}
    assert one.read(path("a", ARCHIVE)) == edited.encode()


@pytest.mark.parametrize("order", [((0, 1), (1, 2), (2, 0)), ((2, 1), (0, 2), (1, 0))])
def test_any_order_of_merges_of_additions_ends_with_the_same_files(team, order):
    clones = team({path("a"): increment("a")}, count=3)
    for who, name in zip(clones, "xyz", strict=True):
        who.commit({path(name): increment(name), path("t"): today(name)})
    for who, whom in (*order, *order):
        assert clones[who].merges(clones[whom]).code == 0
    assert len({who.tree for who in clones}) == 1
    text = clones[0].read(path("t")).decode()
    assert [f"- Title {name}\n" in text for name in "txyz"] == [True] * 4


def today(name: str) -> str:
    """The increment of the day, to which another entry was appended (spec 4.1)."""
    own = "  - 原因: because\n"
    return increment("t").replace(own, f"{own}- Title {name}\n")


def test_the_same_name_with_another_text_is_shown(team):
    one, other = team({path("a"): increment("a")})
    one.commit({path("b"): increment("b", text="one")})
    other.commit({path("b"): increment("b", text="other")})
    ran = one.merges(other)
    assert ran.code == 1
    assert f"{path('b')}: both sides changed - Title b; choose between" in ran.said
    assert one.unmerged == {path("b")}


def test_two_increments_under_one_name_are_both_there_whole(team):
    one, other = team({path("a"): increment("a")})
    one.commit({path("b"): increment("b")})
    other.commit({path("b"): increment("c")})
    ran = one.merges(other)
    assert ran.code == 1
    assert "two different records met in one file" in ran.said
    for name in "bc":
        assert increment(name) in one.read(path("b")).decode()


def test_a_rebase_and_a_cherry_pick_bring_increments_over(team):
    one, other = team({path("a"): increment("a")})
    archived(one, "a")
    picked = other.commit({path("b"): increment("b")})
    other.commit({path("c"): increment("c")})
    one.git("fetch", "-q", str(other.root), "HEAD")
    assert one.tries("cherry-pick", picked).code == 0
    assert files(one) == {path("a", ARCHIVE), path("b")}
    other.git("fetch", "-q", str(one.root), "HEAD")
    assert other.tries("rebase", "-q", "FETCH_HEAD").code == 0
    assert files(other) == {path("a", ARCHIVE), path("b"), path("c")}


GOVERNED = (
    "snapshot.md",
    "archive/decisions-history.md",
    "increments/x.md",
    "increments/archive/x.md",
    "modules/_index.md",
    "modules/order/knowledge.md",
    "modules/order/cross-refs.md",
    "modules/order/progress.md",
    "modules/order/archive/decisions-history.md",
    "modules/order/increments/x.md",
    "modules/order/increments/archive/x.md",
)


def test_the_attributes_of_the_tree_reach_every_governed_file(team):
    (one,) = team({}, count=1)
    (one.root / ".ai/repo/.gitattributes").unlink()
    tree.create(str(one.root))
    names = [f".ai/repo/{name}" for name in GOVERNED]
    said = one.git("check-attr", "merge", "eol", "--", *names).split("\n")
    values = [line.rpartition(": ")[2] for line in said]
    assert values == ["afterword", "lf"] * len(GOVERNED)
