"""A repository whose refs and reflogs lie in reftables (git 2.45 and later).

Where the git at hand cannot make one, the layout that it would leave is made by hand to
test that it is recognised.
"""

import os

import pytest

import modern_git
from afterword.errors import GitError
from afterword.store.git import evidence, head, program, queries
from afterword.store.git.evidence import Span
from afterword.store.git.head import Head


@pytest.fixture
def tables(new_repo, tmp_path, monkeypatch):
    """An empty reftable repository, made by a newer git where the system's is older."""
    if not modern_git.makes_reftables(dict(os.environ), tmp_path / "probe"):
        folder = modern_git.folder()
        if folder is None:
            pytest.skip("not on this system: a git that makes reftable repositories")
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return new_repo("tables", "--ref-format=reftable")


@pytest.mark.parametrize("reader", ["program", "auto", "dulwich"])
def test_an_episode_in_a_reftable_repository(tables, reader):
    tables.commit("base", docs__adr__a="0")
    tables.tick()
    span = Span(opened=tables.now, opening=tables.head)
    tables.git("checkout", "-q", "-b", "side")
    kept = tables.commit("kept", docs__adr__b="1")
    tables.git("checkout", "-q", "main")
    made = tables.commit("one\n\nDecision: tables", docs__adr__a="1")
    tables.git("commit", "-q", "--amend", "-m", "one\n\nDecision: trees")
    amended = tables.head
    span = span.replace(closed=tables.now, closing=amended)
    tables.commit("after")
    found = evidence.episode_commits(tables.place, span, ["docs/adr"], reader=reader)
    assert [(c.sha, c.trailers, c.watched) for c in found] == [
        (kept, (), ()),
        (amended, (("Decision", "trees"),), ("docs/adr/a",)),
    ]
    assert made != amended


def test_head_of_a_reftable_repository_is_asked_of_git(tables):
    heads = [head.read_head(tables.place)]
    sha = tables.commit("one")
    heads.append(head.read_head(tables.place))
    tables.git("checkout", "-q", "--detach")
    heads.append(head.read_head(tables.place))
    assert heads == [
        Head(sha=None, branch="main"),
        Head(sha=sha, branch="main"),
        Head(sha=sha, branch=None),
    ]


def test_small_questions_in_a_reftable_repository(tables):
    sha = tables.commit("one", a="1")
    assert queries.existing(tables.place, [sha], reader="dulwich") == {sha}
    assert queries.tracked(tables.place, ["a", "b"], reader="dulwich") == {"a"}
    assert queries.changed_paths(tables.place, sha, reader="dulwich") == ("a",)


def as_reftable(repo):
    """The files of a reftable repository, as far as they can be made by hand."""
    (repo.root / ".git/HEAD").write_text("ref: refs/heads/.invalid\n")
    (repo.root / ".git/reftable").mkdir()
    return repo.place


def test_dulwich_gives_way_to_git_for_reftables_only(repo):
    before = [evidence.chosen(repo.place, reader) for reader in evidence.READERS]
    place = as_reftable(repo)
    after = [evidence.chosen(place, reader) for reader in evidence.READERS]
    assert before == ["program", "dulwich", "program"]
    assert after == ["program"] * 3


def test_reftables_without_git_are_an_error_that_says_so(repo, monkeypatch):
    place = as_reftable(repo)
    monkeypatch.setenv("PATH", "")
    for question in (
        lambda: head.read_head(place),
        lambda: evidence.episode_commits(place, Span(opened=0), []),
    ):
        with pytest.raises(program.GitMissing) as caught:
            question()
        assert caught.value.message == "no git program on PATH"


def test_a_damaged_reftable_repository_is_no_crash(repo):
    place = as_reftable(repo)
    try:
        found = head.read_head(place)
    except GitError:
        found = Head(sha=None, branch=None)
    assert found.sha is None
