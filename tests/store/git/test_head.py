"""Where a repository lies and what HEAD names, held to what git itself says."""

import os
import shutil
import subprocess

import pytest

from afterword.store.git import head
from afterword.store.git.head import Head

SHA = "1" * 40


def test_a_plain_repository(repo):
    sha = repo.commit("one", a="1")
    assert repo.place.root == str(repo.root)
    assert repo.place.git_dir == repo.place.common_dir == str(repo.root / ".git")
    assert head.read_head(repo.place) == Head(sha=sha, branch="main")


def test_h38_unborn_head_has_a_branch_and_no_commit(repo):
    assert head.read_head(repo.place) == Head(sha=None, branch="main")


def test_h39_detached_head_has_no_branch(repo):
    first = repo.commit("one")
    repo.commit("two")
    repo.git("checkout", "-q", first)
    assert head.read_head(repo.place) == Head(sha=first, branch=None)


@pytest.mark.parametrize("name", ["feature/deep/er", "grün", "with.dot", "a@b"])
def test_branch_names_are_kept_whole(repo, name):
    sha = repo.commit("one")
    repo.git("checkout", "-q", "-b", name)
    assert head.read_head(repo.place) == Head(sha=sha, branch=name)


def test_packed_refs_are_read_where_no_loose_ref_is(repo):
    sha = repo.commit("one")
    for number in range(50):
        repo.git("branch", f"other-{number}")
    repo.git("branch", "main-2")
    repo.git("pack-refs", "--all", "--prune")
    assert not (repo.root / ".git/refs/heads/main").exists()
    assert head.read_head(repo.place) == Head(sha=sha, branch="main")
    newer = repo.commit("two")
    assert head.read_head(repo.place).sha == newer


def test_a_packed_ref_is_found_across_reading_blocks(repo, monkeypatch):
    sha = repo.commit("one")
    for number in range(30):
        repo.git("branch", f"b{number}")
    repo.git("pack-refs", "--all", "--prune")
    found = set()
    for size in range(1, 200):
        monkeypatch.setattr(head, "_CHUNK", size)
        found.add(head.packed_sha(repo.place.common_dir, b"refs/heads/main"))
    assert found == {sha.encode()}


def test_a_folder_where_the_loose_ref_was_does_not_hide_the_packed_one(repo):
    sha = repo.commit("one")
    repo.git("pack-refs", "--all", "--prune")
    (repo.root / ".git/refs/heads/main").mkdir()
    assert head.read_head(repo.place) == Head(sha=sha, branch="main")


def test_symbolic_refs_are_followed_as_git_follows_them(repo):
    sha = repo.commit("one")
    repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    repo.git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert head.read_head(repo.place) == Head(
        sha=sha, branch=repo.git("branch", "--show-current")
    )


def test_a_ring_of_symbolic_refs_ends(repo):
    repo.git("symbolic-ref", "refs/heads/a", "refs/heads/b")
    repo.git("symbolic-ref", "refs/heads/b", "refs/heads/a")
    repo.git("symbolic-ref", "HEAD", "refs/heads/a")
    assert head.read_head(repo.place).sha is None


def test_head_as_a_symbolic_link(repo):
    sha = repo.commit("one")
    path = repo.root / ".git/HEAD"
    path.unlink()
    path.symlink_to("refs/heads/main")
    assert head.read_head(repo.place) == Head(sha=sha, branch="main")
    repo.git("pack-refs", "--all", "--prune")
    assert head.read_head(repo.place) == Head(sha=sha, branch="main")


def test_sha256_repository(new_repo):
    repo = new_repo("wide", "--object-format=sha256")
    sha = repo.commit("one")
    assert len(sha) == 64
    assert head.read_head(repo.place) == Head(sha=sha, branch="main")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"ref:",
        b"ref: ../../../etc/passwd\n",
        b"ref: refs/heads/../../config\n",
        b"ref: refs/heads/a b\n",
        b"ref: refs//x\n",
        b"nonsense",
        b"0" * 40 + b"\n",
        b"\0\xff" * 3000,
    ],
)
def test_a_damaged_head_is_no_commit_and_never_an_error(repo, content):
    repo.commit("one")
    (repo.root / ".git/HEAD").write_bytes(content)
    assert head.read_head(repo.place).sha is None


def test_an_empty_loose_ref_is_no_commit(repo):
    repo.commit("one")
    (repo.root / ".git/refs/heads/main").write_bytes(b"")
    assert head.read_head(repo.place) == Head(sha=None, branch="main")


def test_h40_a_worktree_has_its_own_git_dir_and_shares_the_rest(repo, tmp_path):
    repo.commit("one")
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "wt"))
    place = head.locate(str(tmp_path / "wt"))
    assert place is not None
    assert place.common_dir == str(repo.root / ".git")
    assert place.git_dir == str(repo.root / ".git/worktrees/wt")
    assert head.read_head(place) == Head(sha=repo.head, branch="side")
    assert head.exclude_file(place) == str(repo.root / ".git/info/exclude")


def test_h40_a_worktree_that_was_removed_is_none(repo, tmp_path):
    repo.commit("one")
    target = tmp_path / "wt"
    repo.git("worktree", "add", "-q", str(target))
    shutil.copytree(target, tmp_path / "copy")
    repo.git("worktree", "remove", "--force", str(target))
    assert head.locate(str(tmp_path / "copy")) is None


def test_a_worktree_keeps_refs_of_its_own(repo, tmp_path):
    first = repo.commit("one")
    second = repo.commit("two")
    repo.git("worktree", "add", "-q", str(tmp_path / "wt"))
    repo.git("-C", str(tmp_path / "wt"), "update-ref", "refs/worktree/here", first)
    repo.git("-C", str(tmp_path / "wt"), "symbolic-ref", "HEAD", "refs/worktree/here")
    place = head.locate(str(tmp_path / "wt"))
    assert place is not None and second != first
    assert head.read_head(place) == Head(sha=first, branch="refs/worktree/here")


def test_h41_a_submodule_is_a_place_of_its_own(new_repo):
    inner = new_repo("inner")
    inner.commit("in")
    outer = new_repo("outer")
    outer.commit("out")
    outer.git("submodule", "--quiet", "add", str(inner.root), "vendor/inner")
    place = head.locate(str(outer.root / "vendor/inner"))
    assert place is not None
    assert place.git_dir == str(outer.root / ".git/modules/vendor/inner")
    assert place.common_dir == place.git_dir
    assert head.read_head(place).sha == inner.head
    assert head.locate(str(outer.root / "vendor")) is None


def test_h41_a_bare_repository_is_none(new_repo, tmp_path):
    bare = new_repo("bare.git", "--bare")
    assert head.locate(str(bare.root)) is None


def test_h41_a_folder_with_a_bare_dot_git_is_none_but_its_worktrees_are_places(
    repo, tmp_path
):
    repo.commit("one")
    top = tmp_path / "top"
    repo.git("clone", "-q", "--bare", str(repo.root), str(top / ".git"))
    repo.git("-C", str(top), "worktree", "add", "-q", "work", "main")
    assert head.locate(str(top)) is None
    place = head.locate(str(top / "work"))
    assert place is not None
    assert head.read_head(place) == Head(sha=repo.head, branch="main")


@pytest.mark.parametrize(
    ("config", "bare"),
    [
        ("", False),
        ("[core]\n\tbare = false\n", False),
        ("[core]\n\tbare = true\n", True),
        ("[core]\n\tbare\n", True),
        ("[CORE] Bare=Yes\n", True),
        ('[remote "bare"]\n\turl = x\n', False),
        ("[core]\n\tbare = false\n[core]\n\tbare = 1\n", True),
        ('[x "\\\n\tbare = false\n', False),
    ],
)
def test_h41_bare_is_what_the_configuration_says(repo, config, bare):
    (repo.root / ".git/config").write_text(config)
    assert (head.locate(str(repo.root)) is None) is bare


def test_a_separate_git_dir_is_followed(new_repo, tmp_path):
    repo = new_repo("split", f"--separate-git-dir={tmp_path / 'elsewhere'}")
    assert repo.place.git_dir == str(tmp_path / "elsewhere")


def test_relative_and_linked_git_pointers(repo, tmp_path):
    sha = repo.commit("one")
    other = tmp_path / "other"
    other.mkdir()
    (other / ".git").write_text("gitdir: ../repo/.git\n")
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / ".git").symlink_to(repo.root / ".git")
    for folder in (other, linked):
        place = head.locate(str(folder))
        assert place is not None
        assert head.read_head(place).sha == sha


@pytest.mark.parametrize(
    "content", ["", "gitdir: ", "gitdir: /nowhere/at/all\n", "gitdir:x\n", "hello\n"]
)
def test_a_broken_pointer_is_none(tmp_path, content):
    (tmp_path / ".git").write_text(content)
    assert head.locate(str(tmp_path)) is None


def test_what_is_no_repository_is_none(tmp_path):
    (tmp_path / "empty/.git").mkdir(parents=True)
    (tmp_path / "fifo").mkdir()
    os.mkfifo(tmp_path / "fifo/.git")
    nothing = [tmp_path, tmp_path / "empty", tmp_path / "fifo", tmp_path / "missing"]
    assert [head.locate(str(path)) for path in nothing] == [None] * 4
    assert head.locate("bad\0name") is None


def test_a_fifo_in_place_of_head_does_not_hang(repo):
    (repo.root / ".git/HEAD").unlink()
    os.mkfifo(repo.root / ".git/HEAD")
    os.mkfifo(repo.root / ".git/packed-refs")
    assert head.read_head(repo.place) == Head(sha=None, branch=None)
    (repo.root / ".git/HEAD").unlink()
    (repo.root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    assert head.read_head(repo.place) == Head(sha=None, branch="main")


def test_reftable_is_recognised_by_the_head_that_git_leaves(repo):
    assert not head.is_reftable(repo.place)
    (repo.root / ".git/HEAD").write_text("ref: refs/heads/.invalid\n")
    assert head.is_reftable(repo.place)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("index.lock", "index.lock"),
        ("MERGE_HEAD", "merge"),
        ("rebase-merge", "rebase"),
        ("rebase-apply", "rebase"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
        ("BISECT_LOG", "bisect"),
    ],
)
def test_h39_busy_names_what_is_in_progress(repo, name, what):
    before = head.busy(repo.place)
    (repo.root / ".git" / name).write_text("")
    assert (before, head.busy(repo.place)) == ("", what)


@pytest.fixture
def forked(repo):
    """`main` and `side` change one line differently; HEAD is main."""
    base = repo.commit("base", a="0\n")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", a="side\n")
    repo.git("checkout", "-q", "-b", "patch", base)
    repo.git("checkout", "-q", "main")
    repo.commit("main", a="main\n")
    return repo


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (("merge", "side"), "merge"),
        (("rebase", "side"), "rebase"),
        (("rebase", "--apply", "side"), "rebase"),
        (("cherry-pick", "side"), "cherry-pick"),
        (("revert", "HEAD~1"), "revert"),
        (("bisect", "start"), "bisect"),
    ],
)
def test_h39_real_operations_stopped_half_way(forked, command, what):
    forked.git(*command, check=False)
    assert head.busy(forked.place) == what


def test_h39_a_rebase_in_a_worktree_leaves_the_main_one_free(forked, tmp_path):
    target = tmp_path / "wt"
    forked.git("worktree", "add", "-q", str(target), "side")
    forked.git("-C", str(target), "rebase", "main", check=False)
    place = head.locate(str(target))
    assert place is not None
    assert (head.busy(place), head.busy(forked.place)) == ("rebase", "")
    assert head.read_head(place).branch is None


def test_h39_a_stopped_mail_patch(forked, tmp_path):
    patch = forked.git("format-patch", "--stdout", "-1", "side")
    (tmp_path / "p").write_text(patch + "\n")
    forked.git("am", str(tmp_path / "p"), check=False)
    assert head.busy(forked.place) == "am"


def test_head_needs_no_slow_module():
    """A round's whole path stays off what costs a hook its budget (DESIGN section 13)."""
    code = (
        "import sys; before = set(sys.modules);"
        "import afterword.store.git.head, afterword.store.git.evidence,"
        "afterword.store.git.program_reader;"
        "slow = {'re', 'json', 'typing', 'subprocess', 'pathlib', 'functools', 'enum',"
        "'contextlib', 'collections', 'datetime', 'dataclasses', 'signal', 'hashlib'};"
        "print(sorted(slow & (set(sys.modules) - before)))"
    )
    library = os.path.dirname(os.path.dirname(head.__file__)) + "/../.."
    done = subprocess.run(
        [
            os.sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {library!r});" + code,
        ],
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"[]\n"
