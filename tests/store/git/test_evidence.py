"""The commits of an episode: what HEAD's reflog shows as made here, in both readers.

Every test runs with each reader. Times are the repository's own clock, in whole seconds
as git keeps them.
"""

import pytest

from afterword.store.git import evidence
from afterword.store.git.evidence import Span

ADR = ("docs/adr", "AGENTS.md")


@pytest.fixture
def commits(reader):
    """The episode's commits by the reader under test."""

    def find(repo, span, watched=ADR, **options):
        return evidence.episode_commits(
            repo.place, span, watched, reader=reader, **options
        )

    return find


@pytest.fixture
def shas(commits):
    """Only their names, oldest first."""

    def find(repo, span, watched=(), **options):
        return [commit.sha for commit in commits(repo, span, watched, **options)]

    return find


def opened(repo):
    """A span that begins a little later, at the present head; `closed` ends it."""
    repo.tick()
    sha = repo.git("rev-parse", "-q", "--verify", "HEAD", check=False) or None
    return Span(opened=repo.now, opening=sha)


def closed(repo, span):
    return span.replace(closed=repo.now, closing=repo.head)


def test_an_episode_in_an_empty_repository_has_no_commit(repo, shas):
    """H38: HEAD is unborn."""
    assert shas(repo, Span(opened=0)) == []
    assert shas(repo, Span(opened=0, closed=repo.now)) == []


def test_h38_the_first_commit_counts_with_its_files(repo, commits):
    span = opened(repo)
    sha = repo.commit("one", docs__adr__a="1", other="2")
    (found,) = commits(repo, closed(repo, span))
    assert (found.sha, found.at, found.watched) == (sha, repo.now, ("docs/adr/a",))


def test_commits_come_oldest_first_with_trailers_and_watched_paths(repo, commits):
    repo.commit("before", AGENTS__md="0", docs__adr__old="0")
    span = opened(repo)
    one = repo.commit(
        "one\n\nDecision: use files\nLesson: a long\n one", docs__adr__b="1"
    )
    two = repo.commit("two", **{"docs__adr__a": "1", "src__x": "1"})
    three = repo.commit("three", src__y="1")
    found = commits(repo, closed(repo, span))
    assert [(c.sha, c.trailers, c.watched) for c in found] == [
        (one, (("Decision", "use files"), ("Lesson", "a long one")), ("docs/adr/b",)),
        (two, (), ("docs/adr/a",)),
        (three, (), ()),
    ]


def test_the_commit_window_ends_at_the_close(repo, shas):
    """spec/episodes 13, "Commit window": deriving later attaches nothing foreign."""
    repo.commit("before")
    span = opened(repo)
    inside = repo.commit("inside")
    span = closed(repo, span)
    repo.commit("after")
    assert shas(repo, span) == [inside]
    assert shas(repo, span.replace(closing=None)) == [inside]
    assert shas(repo, span.replace(opening=None, closing=None)) == [inside]


def test_the_ends_of_the_span_are_whole_seconds_and_belong_to_it(repo, shas):
    """An episode opened at .7 of a second keeps a commit made at .9 of it."""
    repo.commit("before")
    span = opened(repo)
    same_second = repo.commit("in the opening's second", tick=0)
    last = repo.commit("in the closing's second")
    assert shas(repo, closed(repo, span)) == [same_second, last]
    assert shas(repo, Span(opened=repo.now, closed=repo.now)) == [last]
    assert shas(repo, Span(opened=repo.now + 1, closed=repo.now + 9)) == []
    assert shas(repo, Span(opened=repo.now - 9, closed=repo.now - 1)) == []


def test_the_heads_decide_in_the_very_seconds_of_the_ends(repo, shas):
    repo.commit("long before")
    early = repo.commit("before, in the opening's second")
    span = Span(opened=repo.now, opening=early)
    inside = repo.commit("inside", tick=0)
    span = closed(repo, span)
    repo.commit("after, in the same second", tick=0)
    assert shas(repo, span) == [inside]


def test_an_episode_that_saw_no_commit_between_two_others_has_none(repo, shas):
    repo.commit("theirs")
    span = closed(repo, opened(repo))
    repo.commit("theirs as well", tick=0)
    assert shas(repo, span) == []


def test_amending_leaves_the_last_version_only(repo, shas):
    repo.commit("before")
    span = opened(repo)
    repo.commit("draft", a="1")
    repo.tick()
    repo.git("commit", "-q", "--amend", "-m", "final")
    assert shas(repo, closed(repo, span)) == [repo.head]


def test_moves_of_head_are_no_commits(new_repo, shas):
    upstream = new_repo("upstream")
    upstream.commit("one")
    upstream.commit("two")
    mine = new_repo("mine")
    mine.git("pull", "-q", str(upstream.root), "main")
    span = opened(mine)
    mine.tick()
    upstream.now = mine.now
    upstream.commit("three", tick=0)
    mine.git("pull", "-q", "--ff-only", str(upstream.root), "main")
    mine.git("checkout", "-q", "-b", "side", "HEAD~1")
    mine.git("merge", "-q", "--ff-only", "main")
    mine.git("reset", "-q", "--hard", "HEAD~2")
    mine.git("checkout", "-q", "main")
    assert mine.git("rev-list", "--count", "HEAD") == "3"
    assert shas(mine, closed(mine, span)) == []


def test_a_clone_made_inside_the_span_brings_nothing(new_repo, tmp_path, shas):
    upstream = new_repo("upstream")
    upstream.commit("theirs", tick=0)
    upstream.git("clone", "-q", str(upstream.root), str(tmp_path / "clone"))
    clone = type(upstream)(tmp_path / "clone")
    clone.now = upstream.now
    mine = clone.commit("mine", tick=0)
    assert shas(clone, Span(opened=upstream.now, closed=upstream.now)) == [mine]


def test_a_merge_made_here_counts_and_shows_no_paths(repo, commits):
    base = repo.commit("base")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", docs__adr__side="1")
    repo.git("checkout", "-q", "main")
    repo.commit("main", docs__adr__main="1")
    span = opened(repo)
    repo.tick()
    repo.git("merge", "-q", "--no-edit", "side")
    (found,) = commits(repo, closed(repo, span))
    assert (found.sha, found.watched) == (repo.head, ())
    assert base != repo.head


def test_an_octopus_merge_counts_once(repo, commits):
    repo.commit("base")
    for name in ("a", "b", "c"):
        repo.git("checkout", "-q", "-b", name, "main")
        repo.commit(name, **{f"docs__adr__{name}": "1"})
    repo.git("checkout", "-q", "main")
    span = opened(repo)
    repo.tick()
    repo.git("merge", "-q", "--no-edit", "a", "b", "c")
    (found,) = commits(repo, closed(repo, span))
    assert (found.sha, found.watched) == (repo.head, ())
    assert len(repo.git("show", "-s", "--format=%P").split()) == 3


def test_a_merge_with_conflicts_and_a_no_ff_pull_count(new_repo, shas):
    upstream = new_repo("upstream")
    upstream.commit("base", a="0\n")
    mine = new_repo("mine")
    mine.git("pull", "-q", str(upstream.root), "main")
    upstream.commit("theirs", a="theirs\n")
    mine.commit("ours", a="ours\n")
    span = opened(mine)
    mine.tick()
    mine.git(
        "pull",
        "-q",
        "--no-rebase",
        "--no-edit",
        str(upstream.root),
        "main",
        check=False,
    )
    merge = mine.commit("resolved", a="both\n")
    upstream.commit("more", b="1")
    mine.tick()
    mine.git("pull", "-q", "--no-rebase", "--no-edit", str(upstream.root), "main")
    assert shas(mine, closed(mine, span)) == [merge, mine.head]


def test_cherry_pick_revert_and_mail_count(repo, tmp_path, shas):
    base = repo.commit("base", a="0\n")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side one", b="1\n")
    repo.commit("side two", c="1\n")
    patch = repo.git("format-patch", "--stdout", "-1", "HEAD")
    (tmp_path / "p").write_text(patch + "\n")
    repo.git("checkout", "-q", "main")
    span = opened(repo)
    made = []
    for command in (
        ("cherry-pick", "side~1"),
        ("revert", "--no-edit", "HEAD"),
        ("am", "-q", str(tmp_path / "p")),
    ):
        repo.tick()
        repo.git(*command)
        made.append(repo.head)
    assert shas(repo, closed(repo, span)) == made
    assert base not in made


def test_a_cherry_pick_that_only_moves_forward_is_none(repo, shas):
    repo.commit("base")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side")
    repo.git("checkout", "-q", "main")
    span = opened(repo)
    repo.tick()
    repo.git("cherry-pick", "--ff", "side")
    assert repo.head == repo.git("rev-parse", "side")
    assert shas(repo, closed(repo, span)) == []


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_a_rebase_yields_its_results_and_not_what_it_replaced(repo, shas, backend):
    base = repo.commit("base")
    repo.git("checkout", "-q", "-b", "side")
    span = opened(repo)
    old = [repo.commit("one", b="1"), repo.commit("two", c="1")]
    repo.git("checkout", "-q", "main")
    theirs = repo.commit("theirs", d="1")
    repo.git("checkout", "-q", "side")
    repo.tick()
    repo.git("rebase", "-q", backend, "main")
    made = repo.git("rev-list", "--reverse", "main..side").split()
    found = shas(repo, closed(repo, span))
    assert found == [theirs, *made]
    assert not set(found) & {*old, base}


@pytest.mark.parametrize("word", ["squash", "fixup", "edit", "reword", "drop"])
def test_an_interactive_rebase_yields_what_is_left(repo, shas, word):
    base = repo.commit("base")
    span = opened(repo)
    for name in ("one", "two", "three"):
        repo.commit(name, **{name: "1"})
    repo.tick()
    repo.git(
        "rebase",
        "-i",
        base,
        GIT_SEQUENCE_EDITOR=f"sed -i '2s/^pick/{word}/'",
        GIT_EDITOR="sed -i '1s/$/ new/'",
    )
    if word == "edit":
        repo.git("commit", "-q", "--amend", "-m", "two edited")
        repo.git("rebase", "--continue")
    left = repo.git("rev-list", "--reverse", f"{base}..").split()
    assert shas(repo, closed(repo, span)) == left
    assert len(left) == (3 if word in ("edit", "reword") else 2)


def test_a_rebase_that_is_aborted_leaves_the_old_commits(repo, shas):
    repo.commit("base", a="0\n")
    repo.git("checkout", "-q", "-b", "side")
    span = opened(repo)
    mine = repo.commit("mine", a="mine\n")
    repo.git("checkout", "-q", "main")
    theirs = repo.commit("theirs", a="theirs\n")
    repo.git("checkout", "-q", "side")
    repo.git("rebase", "-q", "main", check=False)
    repo.git("rebase", "--abort")
    assert shas(repo, closed(repo, span)) == [mine, theirs]


def test_commits_on_a_branch_that_is_still_there_count_and_on_a_deleted_one_do_not(
    repo, shas
):
    repo.commit("base")
    span = opened(repo)
    repo.git("checkout", "-q", "-b", "kept")
    kept = repo.commit("kept")
    repo.git("checkout", "-q", "-b", "tagged", "main")
    tagged = repo.commit("tagged")
    repo.git("tag", "-a", "-m", "v", "v1")
    repo.git("checkout", "-q", "-b", "gone", "main")
    repo.commit("gone")
    repo.git("checkout", "-q", "main")
    repo.git("branch", "-q", "-D", "gone", "tagged")
    last = repo.commit("main")
    expected = [kept, tagged, last]
    assert shas(repo, closed(repo, span)) == expected
    repo.git("pack-refs", "--all", "--prune")
    repo.git("gc", "-q")
    assert shas(repo, closed(repo, span)) == expected


def test_a_commit_that_was_reset_away_is_not_evidence(repo, shas):
    repo.commit("base")
    span = opened(repo)
    kept = repo.commit("kept")
    repo.commit("thrown away")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert shas(repo, closed(repo, span)) == [kept]


def test_a_commit_that_is_gone_from_the_object_store_is_left_out(repo, shas):
    repo.commit("base")
    span = opened(repo)
    lost = repo.commit("lost", a="1")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    kept = repo.commit("kept")
    (repo.root / f".git/objects/{lost[:2]}/{lost[2:]}").unlink()
    assert shas(repo, closed(repo, span)) == [kept]


def test_a_closing_head_that_is_gone_gives_way_to_the_present_one(repo, commits):
    repo.commit("base")
    span = opened(repo)
    kept = repo.commit("kept", docs__adr__a="1")
    span = span.replace(closed=repo.now, closing="1" * 40)
    (found,) = commits(repo, span)
    assert (found.sha, found.watched) == (kept, ("docs/adr/a",))


def test_an_opening_head_that_is_gone_or_elsewhere_changes_nothing(repo, shas):
    repo.commit("base")
    repo.git("checkout", "-q", "--orphan", "other")
    other = repo.commit("elsewhere")
    repo.git("checkout", "-q", "main")
    repo.tick()
    span = opened(repo)
    made = repo.commit("made")
    span = closed(repo, span)
    for opening in ("1" * 40, other, None):
        assert shas(repo, span.replace(opening=opening)) == [made]


def test_h40_each_worktree_has_its_own_commits(repo, tmp_path, shas):
    repo.commit("base")
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "wt"))
    side = type(repo)(tmp_path / "wt")
    repo.tick()
    side.now = repo.now
    span = opened(repo)
    ours, theirs = repo.commit("main"), side.commit("side")
    assert shas(repo, closed(repo, span)) == [ours]
    assert shas(side, closed(side, span)) == [theirs]
    repo.git("merge", "-q", "--no-edit", "side")
    assert shas(repo, closed(repo, span)) == [ours, repo.head]


def test_h41_commits_in_a_submodule_are_the_submodules(new_repo, shas):
    inner = new_repo("inner")
    inner.commit("in")
    outer = new_repo("outer")
    outer.commit("out")
    outer.git("submodule", "--quiet", "add", str(inner.root), "lib")
    added = outer.commit("add", tick=1)
    sub = type(outer)(outer.root / "lib")
    sub.git("config", "user.email", "x@y")
    sub.now = outer.tick()
    span = Span(opened=outer.now)
    inside = sub.commit("in the submodule")
    moved = outer.commit("move", tick=20)
    assert shas(sub, closed(sub, span)) == [inside]
    assert shas(outer, closed(outer, span)) == [moved]
    assert added != moved


def test_a_changed_submodule_below_a_watched_tree_is_a_path(new_repo, commits):
    inner = new_repo("inner")
    inner.commit("in")
    outer = new_repo("outer")
    outer.commit("out")
    span = opened(outer)
    outer.git("submodule", "--quiet", "add", str(inner.root), "docs/adr/sub")
    outer.commit("add")
    sub = type(outer)(outer.root / "docs/adr/sub")
    sub.git("config", "user.email", "x@y")
    sub.commit("in the submodule")
    outer.git("config", "diff.ignoreSubmodules", "all")
    outer.git("config", "submodule.docs/adr/sub.ignore", "all")
    outer.git("add", "-f", "docs/adr/sub")
    outer.commit("move")
    found = commits(outer, closed(outer, span))
    assert [commit.watched for commit in found] == [("docs/adr/sub",)] * 2


def test_h39_detached_commits_count_while_head_is_on_them(repo, shas):
    repo.commit("base")
    span = opened(repo)
    repo.git("checkout", "-q", "--detach")
    loose = repo.commit("loose")
    span = closed(repo, span)
    assert shas(repo, span) == [loose]
    repo.git("checkout", "-q", "main")
    assert shas(repo, span) == [loose]
    assert shas(repo, span.replace(closing=repo.head)) == []


def test_h39_an_episode_that_ends_within_a_rebase(repo, shas):
    repo.commit("base", a="0\n")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("fits", b="1\n")
    repo.commit("does not", a="side\n")
    repo.git("checkout", "-q", "main")
    repo.commit("main", a="main\n")
    repo.git("checkout", "-q", "side")
    span = opened(repo)
    repo.tick()
    repo.git("rebase", "-q", "main", check=False)
    assert shas(repo, closed(repo, span)) == [repo.head]
    assert repo.git("show", "-s", "--format=%s") == "fits"


def test_only_paths_that_the_closing_head_tracks_are_named(repo, commits):
    repo.commit("base", docs__adr__gone="0", docs__adr__moved="0\n1\n2\n")
    span = opened(repo)
    repo.commit("touch", docs__adr__gone="1", docs__adr__kept="1")
    repo.git("rm", "-q", "docs/adr/gone")
    repo.git("mv", "docs/adr/moved", "docs/adr/name")
    repo.commit("remove and move")
    found = commits(repo, closed(repo, span))
    assert [commit.watched for commit in found] == [
        ("docs/adr/kept",),
        ("docs/adr/name",),
    ]


def test_a_file_that_becomes_a_folder_is_no_longer_a_path(repo, commits):
    repo.commit("base")
    span = opened(repo)
    repo.commit("file", docs__adr__x="1")
    repo.git("rm", "-q", "docs/adr/x")
    repo.commit("folder", docs__adr__x__y="1")
    found = commits(repo, closed(repo, span))
    assert [commit.watched for commit in found] == [(), ("docs/adr/x/y",)]


def test_paths_are_sorted_by_their_bytes_and_kept_whatever_they_hold(repo, commits):
    repo.commit("base")
    span = opened(repo)
    names = [
        "docs/adr/" + name
        for name in (
            "B",
            "a",
            "ä",
            "\U0001f600",
            "a b",
            "\nline",
            '"q"',
            "-x",
            ":(top)y",
            "*",
            "b\\c",
        )
    ]
    for name in names:
        repo.write(name)
    raw = b"docs/adr/\xff\xfe"
    (repo.root / raw.decode("utf-8", "surrogateescape")).write_text("x")
    repo.commit("odd names")
    (found,) = commits(repo, closed(repo, span))
    assert [
        path.encode("utf-8", "surrogateescape") for path in found.watched
    ] == sorted([*(name.encode() for name in names), raw])


@pytest.mark.parametrize(
    ("watched", "expected"),
    [
        ((), ()),
        (("docs",), ("docs/adr/a", "docs/adrs/b")),
        (("docs/adr", "docs", "docs/adr/"), ("docs/adr/a", "docs/adrs/b")),
        (("docs/ad",), ()),
        (("./docs//adr/.",), ("docs/adr/a",)),
        (("AGENTS.md",), ("AGENTS.md",)),
        (("AGENTS.md/x",), ()),
        (("agents.md",), ()),
        ((".",), ("AGENTS.md", "docs/adr/a", "docs/adrs/b", "src/x")),
        (("*",), ()),
        ((":/",), ()),
        (("../docs", "/docs", "docs/../src", "", "a\0b"), ()),
    ],
)
def test_watched_trees_are_literal_paths(repo, commits, watched, expected):
    repo.commit("base")
    span = opened(repo)
    repo.write("AGENTS.md")
    repo.commit("all", docs__adr__a="1", docs__adrs__b="1", src__x="1")
    (found,) = commits(repo, closed(repo, span), watched)
    assert found.watched == expected


def test_a_mode_change_and_a_link_count_as_touched(repo, commits):
    repo.commit("base", docs__adr__run="1")
    span = opened(repo)
    (repo.root / "docs/adr/run").chmod(0o755)
    (repo.root / "docs/adr/link").symlink_to("run")
    repo.commit("mode")
    (found,) = commits(repo, closed(repo, span))
    assert found.watched == ("docs/adr/link", "docs/adr/run")


def test_the_newest_commits_are_kept_when_there_are_too_many(repo, shas):
    repo.commit("base")
    span = opened(repo)
    made = [repo.commit(str(number)) for number in range(6)]
    assert shas(repo, closed(repo, span), limit=3) == made[-3:]
    assert shas(repo, closed(repo, span), limit=0) == []


def test_more_touched_paths_than_a_command_line_holds(repo, commits):
    repo.commit("base")
    span = opened(repo)
    for number in range(400):
        repo.write(f"docs/adr/{number}-{'x' * 200}")
    repo.commit("many")
    (found,) = commits(repo, closed(repo, span))
    assert len(found.watched) == 400


@pytest.mark.parametrize("action", ["nightly", "nightly: job", "deploy (x): y"])
def test_words_of_other_programs_are_judged_by_the_commits_date(repo, shas, action):
    repo.commit("base")
    old = repo.commit("old")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    span = opened(repo)
    repo.tick(100)
    tree = repo.git("write-tree")
    made = repo.git("commit-tree", "-p", "HEAD", "-m", "made", tree)
    repo.git("update-ref", "-m", action, "HEAD", made)
    assert shas(repo, closed(repo, span)) == [made]
    repo.tick(100)
    repo.git("update-ref", "-m", action, "HEAD", old)
    assert shas(repo, closed(repo, span)) == []


def test_a_commit_with_an_empty_message_counts(repo, shas):
    repo.commit("base")
    span = opened(repo)
    repo.tick()
    repo.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
    assert shas(repo, closed(repo, span)) == [repo.head]


def test_one_commit_with_a_date_of_its_own_hides_nothing_before_it(repo, shas):
    repo.commit("base")
    span = opened(repo)
    first = repo.commit("first")
    repo.git(
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "old",
        GIT_COMMITTER_DATE="1000000000 +0000",
    )
    last = repo.commit("last")
    assert shas(repo, closed(repo, span)) == [first, last]


class TestWithoutReflog:
    """Where HEAD's reflog is missing: between the heads, in span, by this user."""

    @pytest.fixture
    def bare_log(self, repo):
        """Removes the reflog."""
        repo.commit("base")

        def remove():
            (repo.root / ".git/logs/HEAD").unlink()

        return remove

    def test_commits_between_the_heads(self, repo, bare_log, shas):
        span = opened(repo)
        made = [repo.commit("one", docs__adr__a="1"), repo.commit("two")]
        span = closed(repo, span)
        repo.commit("after")
        bare_log()
        assert shas(repo, span) == made
        assert shas(repo, span.replace(opening=None)) == made
        assert shas(repo, span.replace(opening="1" * 40)) == made

    def test_a_closing_head_that_is_gone(self, repo, bare_log, shas):
        span = opened(repo)
        made = repo.commit("one")
        span = closed(repo, span)
        repo.commit("after")
        bare_log()
        assert shas(repo, span.replace(closing="1" * 40)) == [made]

    def test_an_episode_without_commits_takes_none_from_a_later_head(
        self, repo, bare_log, shas
    ):
        span = closed(repo, opened(repo))
        repo.git("checkout", "-q", "-b", "side", "HEAD")
        repo.commit("of that time", tick=0)
        bare_log()
        assert shas(repo, span) == []

    def test_commits_of_others_stay_out(self, repo, bare_log, shas):
        span = opened(repo)
        repo.tick()
        repo.git(
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "x",
            GIT_COMMITTER_EMAIL="eve@example.com",
        )
        mine = repo.commit("mine")
        bare_log()
        assert shas(repo, closed(repo, span)) == [mine]

    def test_an_address_in_the_environment_is_this_user(
        self, repo, bare_log, shas, monkeypatch
    ):
        span = opened(repo)
        repo.commit("ada")
        monkeypatch.setenv("GIT_COMMITTER_EMAIL", "Bob@example.com")
        bob = repo.commit("bob")
        bare_log()
        assert shas(repo, closed(repo, span)) == [bob]

    def test_the_repositorys_own_address_is_this_user(self, repo, bare_log, shas):
        span = opened(repo)
        repo.commit("ada")
        repo.git("config", "user.email", "work@example.com")
        work = repo.commit("work")
        bare_log()
        assert shas(repo, closed(repo, span)) == [work]

    def test_an_opening_on_another_branch(self, repo, bare_log, shas):
        repo.git("checkout", "-q", "-b", "side")
        repo.commit("side")
        span = opened(repo)
        repo.git("checkout", "-q", "main")
        mine = repo.commit("mine")
        repo.tick()
        repo.git("merge", "-q", "--no-edit", "side")
        bare_log()
        assert shas(repo, closed(repo, span)) == [mine, repo.head]

    def test_the_closing_second_is_decided_by_the_head(self, repo, bare_log, shas):
        span = opened(repo)
        mine = repo.commit("mine")
        span = closed(repo, span)
        repo.commit("after", tick=0)
        bare_log()
        assert shas(repo, span) == [mine]

    def test_a_reflog_that_has_expired_counts_as_missing(self, repo, bare_log, shas):
        span = opened(repo)
        made = repo.commit("made")
        span = closed(repo, span)
        repo.tick(1000)
        repo.git("reflog", "expire", "--expire=now", "--all")
        assert (repo.root / ".git/logs/HEAD").read_bytes() == b""
        assert shas(repo, span) == [made]
        repo.commit("later")
        assert shas(repo, span) == [made]

    def test_h38_a_shallow_clone(self, repo, tmp_path, reader):
        repo.commit("two", docs__adr__a="1")
        repo.commit("three", docs__adr__b="1")
        repo.git(
            "clone", "-q", "--depth=1", f"file://{repo.root}", str(tmp_path / "low")
        )
        low = type(repo)(tmp_path / "low")
        low.now = repo.now
        span = Span(opened=0, opening=None)
        mine = low.commit("mine", docs__adr__c="1")
        (low.root / ".git/logs/HEAD").unlink()
        found = evidence.episode_commits(
            low.place, closed(low, span), ADR, reader=reader
        )
        # The oldest commit of a shallow clone has no parents here: no paths are known.
        assert [(commit.sha, commit.watched) for commit in found] == [
            (repo.head, ()),
            (mine, ("docs/adr/c",)),
        ]


def test_sha256_in_both_readers(new_repo, commits):
    repo = new_repo("wide", "--object-format=sha256")
    repo.commit("base")
    span = opened(repo)
    sha = repo.commit("one\n\nFact: it is wide", docs__adr__a="1")
    repo.git("gc", "-q")
    (found,) = commits(repo, closed(repo, span))
    assert (found.sha, found.trailers, found.watched) == (
        sha,
        (("Fact", "it is wide"),),
        ("docs/adr/a",),
    )
    assert len(sha) == 64


def test_objects_of_an_alternate_store(repo, tmp_path, commits):
    repo.commit("base", docs__adr__a="1")
    repo.git("clone", "-q", "--shared", str(repo.root), str(tmp_path / "thin"))
    thin = type(repo)(tmp_path / "thin")
    thin.now = repo.now
    span = opened(thin)
    sha = thin.commit("mine", docs__adr__a="2")
    (found,) = commits(thin, closed(thin, span))
    assert (found.sha, found.watched) == (sha, ("docs/adr/a",))


def test_replaced_and_grafted_commits_are_read_as_they_were_made(repo, commits):
    base = repo.commit("base", docs__adr__a="1")
    span = opened(repo)
    one = repo.commit("one\n\nDecision: mine", docs__adr__b="1")
    two = repo.commit("two", docs__adr__c="1")
    repo.git("replace", one, base)
    (repo.root / ".git/info").mkdir(exist_ok=True)
    (repo.root / ".git/info/grafts").write_text(f"{two} {base}\n")
    found = commits(repo, closed(repo, span))
    assert [(c.sha, c.trailers, c.watched) for c in found] == [
        (one, (("Decision", "mine"),), ("docs/adr/b",)),
        (two, (), ("docs/adr/c",)),
    ]


def test_a_message_in_another_encoding(repo, commits):
    repo.commit("base")
    span = opened(repo)
    repo.git("config", "i18n.commitEncoding", "latin1")
    repo.git("config", "i18n.logOutputEncoding", "utf-16")
    repo.tick()
    message = repo.root / ".git/message"
    message.write_bytes("x\n\nDecision: größer".encode("latin1"))
    repo.git("commit", "-q", "--allow-empty", "-F", str(message))
    (found,) = commits(repo, closed(repo, span))
    assert found.trailers == (("Decision", "größer"),)


def test_an_unknown_reader_is_refused(repo):
    with pytest.raises(ValueError, match="no such reader: svn"):
        evidence.episode_commits(repo.place, Span(opened=0), [], reader="svn")
