"""Compiled memories through git: the real commands and merges on clones of one project."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from . import compiles
from .clones import Clone, clone, origin
from .compiles import INDEX, ORDER, REGISTRY, SNAPSHOT, TOP, Said

KNOWLEDGE = f"{ORDER}/knowledge.md"


def add(repo: Clone, title: str, *options: str, text: str = "because") -> None:
    words = ["increment", "add", "--type", "decision", "--title", title, *options]
    ran = repo.afterword(*words, "--confidence", "high", "--author", "Ines", stdin=text)
    assert ran.code == 0, ran.said


def compiled(repo: Clone, day: int = 30) -> None:
    ran = repo.afterword("compile", "--date", f"2026-11-{day:02d}")
    assert ran.code == 0, ran.said
    repo.commit({}, "compile")


def keyed(value: str) -> tuple[str, ...]:
    return "--key", "pay.timeout", "--value", value


def text(repo: Clone, path: str = SNAPSHOT) -> str:
    return repo.read(path).decode()


def everywhere(*repos: Clone) -> None:
    """All merge all until nothing is new; each ends with the same content, and no litter."""
    for who, whom in [(one, two) for _ in range(2) for one in repos for two in repos]:
        ran = who.merges(whom)
        assert ran.code == 0, ran.said
    assert len({repo.tree for repo in repos}) == 1
    assert not [line for repo in repos for line in repo.litter if "/local/" not in line]


@pytest.fixture
def pair(team):
    """Two clones of a memory with one compiled decision and two modules."""
    said = Said("a", "Payment call timeout", ("key: pay.timeout", "value: 5s"))
    files = compiles.done([said, compiles.Compiled(10)], {INDEX: REGISTRY})
    return team({".ai/.gitignore": "local/\n", **files})


def test_two_compiles_of_other_increments_become_one_snapshot(pair):
    one, other = pair
    add(one, "Uploads are retried")
    compiled(one, 20)
    add(other, "Tabs are refused")
    compiled(other, 21)
    everywhere(one, other)
    for title in ("Payment call timeout", "Uploads are retried", "Tabs are refused"):
        assert text(one).count(f"\n### {title}\n") == 1
    tree = one.tree
    compiled(one)
    assert one.tree == tree


def test_what_only_both_together_contradict_is_a_conflict_in_every_clone(pair):
    one, other = pair
    add(one, "Payment call timeout", *keyed("3s"))
    compiled(one, 20)
    add(other, "Payment call timeout", *keyed("4s"))
    compiled(other, 20)
    everywhere(one, other)
    assert text(one).count("### [CONFLICT] Payment call timeout\n") == 3


def test_a_conflict_across_modules_is_shown_in_both_and_in_the_registry(pair):
    """L034: the next compile sees both files, whichever clone it runs in."""
    one, other = pair
    add(
        one, "Retries of calls", "--key", "retries", "--value", "3", "--domain", "order"
    )
    compiled(one, 20)
    add(
        other, "Retries of calls", "--key", "retries", "--value", "5", "--domain", "pay"
    )
    compiled(other, 20)
    everywhere(one, other)
    for repo in (one, other):
        compiled(repo)
    assert one.tree == other.tree
    for path in (KNOWLEDGE, KNOWLEDGE.replace("order", "pay")):
        assert "### [CONFLICT] Retries of calls\n" in text(one, path)
    assert "| Retries of calls | order, pay | pending_resolution |" in text(one, INDEX)


def resolve(repo: Clone, keep: str, why: str, author: str) -> None:
    listed = repo.afterword("conflict", "list", "--json")
    assert listed.code == 0, listed.said
    name = listed.out.split('"id":', 1)[1].split('"', 2)[1]
    words = ("--keep", keep, "--why", why, "--author", author)
    ran = repo.afterword("conflict", "resolve", name, *words)
    assert ran.code == 0, ran.said
    repo.commit({}, "resolve")


def test_two_resolutions_of_one_conflict_reopen_it_and_a_third_ends_it(pair):
    one, other = pair
    add(one, "Payment call timeout", *keyed("3s"))
    compiled(one, 20)
    everywhere(one, other)
    resolve(one, "new", "measured", "Zoe")
    resolve(other, "old", "asked for", "Tomas")
    everywhere(one, other)
    assert "- 状态: pending_resolution\n" in text(one)
    assert "): measured\n" in text(one) and "): asked for\n" in text(one)
    resolve(one, "both", "they are two calls", "Ines")
    everywhere(one, other)
    assert "- 处理: kept both: they are two calls\n" in text(other)


def test_texts_of_persons_that_contradict_are_marked_and_rebuilt(pair):
    one, other = pair
    note = "\n## Notes\n\nBy hand.\n"
    one.commit({SNAPSHOT: text(one) + note})
    everywhere(one, other)
    for repo, word in ((one, "ours"), (other, "theirs")):
        repo.commit({SNAPSHOT: text(repo).replace("By hand.", f"By {word}.")})
    ran = one.merges(other)
    assert ran.code == 1
    assert f"{SNAPSHOT}: both sides changed section Notes; choose" in ran.said
    assert one.unmerged == {SNAPSHOT}
    marked = "<<<<<<< ours\nBy ours.\n=======\nBy theirs.\n>>>>>>> theirs\n"
    assert marked in text(one)
    refused = one.afterword("compile", "--no-git")
    assert refused.code == 1
    assert f"{SNAPSHOT}:" in refused.said
    ran = one.afterword("compile", "--rebuild", "--no-git")
    assert ran.code == 0, ran.said
    assert "By ours.\n" in text(one) and "By theirs.\n" in text(one)


def test_two_states_of_a_module_are_shown_in_its_row(pair):
    one, other = pair
    for repo, state in ((one, "dormant"), (other, "removed")):
        repo.commit(
            {
                INDEX: text(repo, INDEX).replace(
                    "| Orders | active", f"| Orders | {state}"
                )
            }
        )
    ran = one.merges(other)
    assert ran.code == 1
    assert f"{INDEX}: both sides changed order; choose" in ran.said


def test_a_rebase_hands_over_a_base_that_never_was_and_loses_nothing(pair):
    one, other = pair
    add(one, "Uploads are retried")
    compiled(one, 20)
    for at, title in enumerate(("Tabs are refused", "Drafts expire")):
        add(other, title)
        compiled(other, 21 + at)
    other.git("fetch", "-q", str(one.root), "HEAD")
    ran = other.tries("rebase", "FETCH_HEAD")
    assert ran.code == 0, ran.said
    for title in ("Uploads are retried", "Tabs are refused", "Drafts expire"):
        assert text(other).count(f"\n### {title}\n") == 1
    tree = other.tree
    compiled(other)
    assert other.tree == tree


def test_a_cherry_pick_brings_one_compile_over(pair):
    one, other = pair
    add(other, "Tabs are refused")
    compiled(other, 20)
    add(other, "Drafts expire")
    compiled(other, 21)
    add(one, "Uploads are retried")
    compiled(one, 22)
    one.git("fetch", "-q", str(other.root), "HEAD")
    ran = one.tries("cherry-pick", "FETCH_HEAD")
    assert ran.code == 0, ran.said
    titles = [line for line in text(one).split("\n") if line.startswith("### ")]
    assert set(titles) >= {"### Drafts expire", "### Uploads are retried"}
    everywhere(one, other)


def test_without_the_tool_markers_appear_and_a_rebuild_has_everything(team):
    """A colleague without afterword: an ordinary text conflict, never a silent loss."""
    start = compiles.done([Said("a", "First"), compiles.Compiled(10)], {})
    one, other = team({".ai/.gitignore": "local/\n", **start}, tool=None)
    for repo, name, day in ((one, "b", 11), (other, "c", 12)):
        acts = [Said(name, f"Rule {name}", day=day - 5), compiles.Compiled(day)]
        done = compiles.done(acts, start)
        repo.commit(
            {
                path: done.get(path)
                for path in {*start, *done}
                if start.get(path) != done.get(path)
            }
        )
    assert one.merges(other).code == 1
    ran = one.afterword("compile", "--rebuild", "--no-git", "--date", "2026-11-30")
    assert ran.code == 0, ran.said
    for title in ("First", "Rule b", "Rule c"):
        assert text(one).count(f"\n### {title}\n") == 1
    assert "<<<<<<<" not in text(one)


WORK = st.lists(
    st.one_of(
        st.builds(
            lambda title, value: ("say", title, value),
            st.sampled_from(("Payment call timeout", "Uploads", "Tabs are refused")),
            st.sampled_from(("3s", "5s", "")),
        ),
        st.just(("compile", "", "")),
    ),
    min_size=1,
    max_size=3,
)


@settings(
    max_examples=3,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    works=st.tuples(WORK, WORK, WORK), order=st.permutations(((0, 1), (1, 2), (2, 0)))
)
def test_through_git_any_work_on_three_clones_converges(tmp_path_factory, works, order):
    """Whatever was added and compiled where: one content, nothing lost, one next compile."""
    top = tmp_path_factory.mktemp("compiled")
    source = origin(top / "origin", {".ai/.gitignore": "local/\n", INDEX: REGISTRY})
    repos = [clone(source, top / f"clone{at}") for at in range(3)]
    titles = set()
    for at, (repo, work) in enumerate(zip(repos, works, strict=True)):
        for number, (what, title, value) in enumerate(work):
            if what == "compile":
                compiled(repo, 10 + at)
                continue
            titles.add(title)
            options = ("--key", "the.key", "--value", value) if value else ()
            add(repo, title, *options, text=f"reason {at} {number}")
            repo.commit({}, "say")
    for who, whom in [*order, *order]:
        ran = repos[who].merges(repos[whom])
        assert ran.code == 0, ran.said
    for repo in repos:
        compiled(repo)
    assert len({repo.tree for repo in repos}) == 1
    held = text(repos[0]) if titles else ""
    assert all(f"### {title}\n" in held for title in titles)
    names = repos[0].git("ls-files", f"{TOP}/increments").split("\n")
    assert (
        len(names) == sum(what == "say" for work in works for what, *_ in work)
        or not titles
    )
