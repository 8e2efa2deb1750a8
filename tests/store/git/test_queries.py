"""Small questions, asked of both readers and of git itself."""

import pytest

from afterword.errors import GitError
from afterword.store.git import head, program, queries


def test_which_commits_exist(repo, reader):
    one = repo.commit("one", a="1")
    two = repo.commit("two")
    blob = repo.git("rev-parse", "HEAD:a")
    repo.git("tag", "-a", "-m", "v", "v1")
    tag = repo.git("rev-parse", "v1")
    asked = [one, two, blob, tag, "1" * 40, "HEAD", "main", "", one[:10], "../x"]
    assert queries.existing(repo.place, asked, reader=reader) == {one, two}
    assert queries.existing(repo.place, [], reader=reader) == frozenset()


def test_which_commits_exist_in_packs(repo, reader):
    shas = [repo.commit(str(number)) for number in range(5)]
    repo.git("gc", "-q")
    assert queries.existing(repo.place, [*shas, "0" * 40], reader=reader) == set(shas)


def test_which_paths_are_tracked(repo, reader):
    names = ["a", "docs/ä b", "docs/*", ":x", "-n", "\udcff\udcfe"]
    for name in names:
        repo.write(name)
    repo.git("add", "-A")
    repo.write("untracked")
    asked = [*names, "untracked", "docs", "", "gone", "a/b", "../a"]
    assert queries.tracked(repo.place, asked[:-1], reader=reader) == set(names)


def test_many_paths_are_asked_for_at_once(repo, reader):
    for number in range(300):
        repo.write(f"d/{number}")
    repo.git("add", "-A")
    asked = [f"d/{number}" for number in range(0, 600, 2)]
    assert queries.tracked(repo.place, asked, reader=reader) == set(asked[:150])


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_every_version_of_the_index_is_read(repo, reader, version):
    repo.write("a")
    repo.write("dir/b")
    repo.git("add", "a")
    repo.git("add", "-N", "dir/b")
    repo.git("update-index", f"--index-version={version}")
    assert queries.tracked(repo.place, ["a", "dir/b", "c"], reader=reader) == {
        "a",
        "dir/b",
    }


def test_a_sparse_index_names_what_it_left_whole(repo, reader):
    repo.commit("one", a="1", **{"in__b": "1", "out__c": "1", "out__deep__d": "1"})
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    asked = ["a", "in/b", "out", "out/", "out/c", "out/deep", "out/deep/d", "out/none"]
    assert not (repo.root / "out").exists()
    assert queries.tracked(repo.place, asked, reader=reader) == {
        *("a", "in/b", "out/c", "out/deep/d")
    }


def test_a_split_index_is_gits_to_read(repo, reader, monkeypatch):
    repo.commit("one", a="1")
    repo.git("update-index", "--split-index")
    repo.commit("two", b="1")
    assert queries.tracked(repo.place, ["a", "b", "c"], reader=reader) == {"a", "b"}
    monkeypatch.setenv("PATH", "")
    with pytest.raises(program.GitMissing, match="no git program on PATH"):
        queries.tracked(repo.place, ["a"], reader=reader)


def test_an_unmerged_path_is_tracked(repo, reader):
    repo.commit("base", a="0\n")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", a="1\n")
    repo.git("checkout", "-q", "main")
    repo.commit("main", a="2\n")
    repo.git("merge", "side", check=False)
    assert queries.tracked(repo.place, ["a"], reader=reader) == {"a"}


def test_h38_nothing_is_tracked_before_the_first_add(repo, reader):
    assert queries.tracked(repo.place, ["a"], reader=reader) == frozenset()


def test_what_the_last_commits_touched(repo, reader):
    repo.commit("one", a="1", b="1")
    repo.commit("two", c__d="1")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", side="1", **{"b": "2"})
    repo.git("checkout", "-q", "main")
    repo.commit("three", e="1")
    repo.git("mv", "e", "f")
    repo.commit("four")
    repo.tick()
    repo.git("merge", "-q", "--no-ff", "--no-edit", "side")
    sha = repo.head
    assert queries.changed_paths(repo.place, sha, reader=reader) == (
        *("b", "side"),
        *("e", "f"),
        "c/d",
        "a",
    )
    assert queries.changed_paths(repo.place, sha, 1, reader=reader) == ("b", "side")
    assert queries.changed_paths(repo.place, sha, 10, 3, reader=reader) == (
        "b",
        "side",
        "e",
    )


@pytest.mark.parametrize("value", ["false", "true"])
def test_configuration_does_not_change_what_was_touched(repo, reader, value):
    repo.commit("one", a="1", docs__b="1")
    for key in (
        "log.showRoot",
        "log.follow",
        "diff.renames",
        "diff.relative",
        "log.decorate",
    ):
        repo.git("config", key, value)
    repo.git("config", "format.pretty", "fuller")
    repo.git("config", "diff.noprefix", value)
    assert queries.changed_paths(repo.place, repo.head, reader=reader) == (
        "a",
        "docs/b",
    )


def test_h38_a_shallow_clones_touched_paths_end_at_its_edge(repo, tmp_path, reader):
    repo.commit("one", a="1")
    repo.commit("two", b="1")
    repo.git("clone", "-q", "--depth=1", f"file://{repo.root}", str(tmp_path / "low"))
    low = head.locate(str(tmp_path / "low"))
    assert low is not None
    assert queries.changed_paths(low, repo.head, reader=reader) == ("a", "b")


def test_a_head_that_is_gone_has_no_touched_paths(repo, reader):
    repo.commit("one")
    if reader == "program":
        with pytest.raises(GitError, match="bad object"):
            queries.changed_paths(repo.place, "1" * 40, reader=reader)
    else:
        assert queries.changed_paths(repo.place, "1" * 40, reader=reader) == ()


def test_the_users_address(repo, reader, monkeypatch, own_environment):
    def ask():
        return queries.user_email(repo.place, reader=reader)

    answers = [ask()]
    repo.git("config", "user.email", "work@example.com")
    answers.append(ask())
    repo.git("config", "committer.email", "bot@example.com")
    answers.append(ask())
    monkeypatch.setenv("GIT_COMMITTER_EMAIL", "env@example.com")
    answers.append(ask())
    assert answers == [
        "ada@example.com",
        "work@example.com",
        "bot@example.com",
        "env@example.com",
    ]


def test_no_address_is_no_error(repo, reader, own_environment):
    (own_environment / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    assert queries.user_email(repo.place, reader=reader) == ""


def test_values_of_the_repositorys_own_configuration(repo, own_environment):
    repo.git("config", "afterword.tool", "/opt/x y/afterword")
    repo.git("config", "remote.My.Origin.url", "u")
    (own_environment / ".gitconfig").write_text("[afterword]\n\tother = global\n")
    asked = [
        "afterword.tool",
        "AFTERWORD.Tool",
        "Remote.My.Origin.URL",
        "afterword.other",
    ]
    answers = [queries.config_get(repo.place, key) for key in asked]
    assert answers == ["/opt/x y/afterword", "/opt/x y/afterword", "u", None]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://github.com/a/b.git", "https://github.com/a/b"),
        ("https://ada:secret@GitHub.com/a/b", "https://github.com/a/b"),
        ("https://token@host:8443/a/b/?private_token=x#y", "https://host:8443/a/b"),
        ("https://ada:pa/ss@host/a/b.git", "https://host/a/b"),
        ("https://host/@scope/b", "https://host/@scope/b"),
        ("git@host:a/b.git", "ssh://host/a/b"),
        ("ssh://git@host:22/a/b.git", "ssh://host:22/a/b"),
        ("/home/ada/secret/x.git", ""),
        ("file:///home/ada/x", ""),
        ("../x", ""),
        ("C:/Users/ada/x", ""),
        ("C:\\Users\\ada\\x", ""),
        ("ext::sh -c evil", ""),
        ("https://", ""),
        ("", ""),
    ],
)
def test_addresses_are_written_down_without_credentials(url, expected):
    assert queries.without_credentials(url) == expected


def test_a_repository_is_named_by_its_remote_origin_first(repo):
    repo.git("remote", "add", "a", "https://x:y@a.example/r.git")
    first = queries.common_repository_id(repo.place)
    repo.git("remote", "add", "origin", "git@o.example:r.git")
    assert (first, queries.common_repository_id(repo.place)) == (
        "https://a.example/r",
        "ssh://o.example/r",
    )


def test_h40_without_a_remote_all_worktrees_share_a_name_that_tells_no_path(
    repo, tmp_path
):
    repo.commit("one")
    repo.git("remote", "add", "origin", "/somewhere/else")
    repo.git("worktree", "add", "-q", str(tmp_path / "wt"))
    side = head.locate(str(tmp_path / "wt"))
    assert side is not None
    name = queries.common_repository_id(repo.place)
    assert queries.common_repository_id(side) == name
    assert name.startswith("local:") and len(name) == 22


def test_questions_without_git_are_answered_by_dulwich(repo, monkeypatch):
    sha = repo.commit("one", a="1")
    monkeypatch.setenv("PATH", "")
    assert queries.existing(repo.place, [sha]) == {sha}
    assert queries.tracked(repo.place, ["a", "b"]) == {"a"}
    assert queries.changed_paths(repo.place, sha) == ("a",)
    assert queries.user_email(repo.place) == "ada@example.com"
    assert not program.available(repo.place)
