"""A repository whose own configuration is hostile: nothing it names is ever started.

Each key points at a script that leaves a marker; each case also runs a command that
falls for it without our switches, so that the test cannot pass by being toothless.
"""

import os
import subprocess
import time

import pytest

from afterword.errors import GitError
from afterword.store.git import evidence, head, program, queries
from afterword.store.git.evidence import Span


@pytest.fixture
def marker(tmp_path):
    return tmp_path / "marker"


@pytest.fixture
def evil(tmp_path, marker):
    """A program that shows that it was started, and answers nothing."""
    path = tmp_path / "evil"
    path.write_text(f'#!/bin/sh\necho "$0 $*" >> {marker}\nexit 1\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def ask():
    """Everything that this room asks of git, errors allowed."""

    def everything(repo):
        place = repo.place
        sha = (repo.root / "sha").read_text()
        asked = [
            lambda: evidence.episode_commits(
                place, Span(opened=0), ["."], reader="program"
            ),
            lambda: evidence.episode_commits(
                place, Span(opened=0), ["docs"], reader="dulwich"
            ),
            lambda: queries.existing(place, [sha, "1" * 40], reader="program"),
            lambda: queries.tracked(place, ["a"], reader="program"),
            lambda: queries.changed_paths(place, sha, reader="program"),
            lambda: queries.user_email(place, reader="program"),
            lambda: queries.common_repository_id(place),
            lambda: head.read_head(place),
            lambda: program.run(place, "ls-files", "-z", "--", ".ai/local"),
        ]
        answered = 0
        for question in asked:
            try:
                question()
                answered += 1
            except GitError:
                pass
        return answered, len(asked)

    return everything


@pytest.fixture
def prey(repo):
    """A repository with something to read: commits off the branch, attributes, a signature."""
    repo.commit("base", a="1", docs__b="1", **{".gitattributes": ""})
    (repo.root / ".gitattributes").write_text("* diff=evil filter=evil merge=evil\n")
    repo.git("add", "-A")
    repo.commit("attributes")
    repo.commit("to be amended", a="2")
    repo.git("commit", "-q", "--amend", "-m", "amended")
    raw = repo.git("cat-file", "commit", "HEAD")
    front, _, message = raw.partition("\n\n")
    signed = f"{front}\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\n{message}\n"
    done = subprocess.run(
        ["git", "hash-object", "-w", "-t", "commit", "--stdin"],
        cwd=repo.root,
        input=signed.encode(),
        capture_output=True,
        check=True,
    )
    repo.git("update-ref", "-m", "commit: signed", "HEAD", done.stdout.decode().strip())
    (repo.root / "sha").write_text(repo.head)
    (repo.root / "a").write_text("dirty\n")
    return repo


# The key, and a command that runs what it names where nothing is switched off.
KEYS = {
    "core.fsmonitor": ("status",),
    "core.hooksPath": ("-c", "core.bare=false", "commit", "--allow-empty", "-m", "x"),
    "core.pager": ("--paginate", "log"),
    "pager.log": ("log",),
    "pager.rev-list": (),
    "core.editor": ("commit", "--allow-empty"),
    "sequence.editor": (),
    "diff.external": ("diff",),
    "diff.evil.command": ("diff",),
    "diff.evil.textconv": ("diff",),
    "filter.evil.clean": ("add", "a"),
    "filter.evil.smudge": ("checkout", "-f", "a"),
    "filter.evil.process": ("add", "a"),
    "merge.evil.driver": (),
    "log.showSignature": ("log",),
    "core.sshCommand": ("ls-remote", "ssh://x/y"),
    "core.gitProxy": ("ls-remote", "git://x/y"),
    "core.askPass": (),
    "credential.helper": (),
    "core.alternateRefsCommand": (),
    "uploadpack.packObjectsHook": (),
    "remote.origin.uploadpack": ("ls-remote", "origin"),
    "remote.origin.vcs": (),
    "alias.log": (),
    "alias.diff-tree": (),
    "alias.evidence": ("evidence",),
    "trailer.decision.command": (),
    "interactive.diffFilter": (),
    "browser.x.cmd": (),
    "gc.recentObjectsHook": (),
    "receive.procReceiveRefs": (),
}


@pytest.mark.parametrize("key", KEYS)
def test_h66_no_key_of_the_local_configuration_starts_a_program(
    prey, evil, marker, ask, key
):
    value = f"!{evil}" if key.startswith(("alias", "credential")) else str(evil)
    if key == "core.hooksPath":
        value = str(evil.parent / "hooks")
        os.mkdir(value)
        for name in ("pre-commit", "post-index-change", "reference-transaction"):
            (evil.parent / "hooks" / name).symlink_to(evil)
    if key == "log.showSignature":
        prey.git("config", "gpg.program", value)
        value = "true"
    prey.git("config", "remote.origin.url", str(prey.root))
    prey.git("config", key, value)
    answered, asked = ask(prey)
    assert not marker.exists()
    assert answered == asked
    if KEYS[key]:
        trap(prey, KEYS[key])
        assert marker.exists(), f"{key} is no trap"


def trap(repo, command):
    """Run a command that the key lies in wait for, at a terminal, as pagers want one."""
    import pty

    ours, theirs = pty.openpty()
    try:
        subprocess.run(
            ["git", *command],
            cwd=repo.root,
            stdin=theirs,
            stdout=theirs,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=20,
        )
    finally:
        os.close(theirs)
        os.close(ours)


def test_h66_the_work_tree_of_the_configuration_is_not_followed(prey, tmp_path, ask):
    (tmp_path / "elsewhere").mkdir()
    prey.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    assert program.run(
        prey.place, "rev-parse", "--show-toplevel"
    ).decode().strip() == str(prey.root)
    answered, asked = ask(prey)
    assert answered == asked


def test_h66_settings_that_change_what_git_prints_change_nothing(prey, ask):
    def answers():
        place, sha = prey.place, (prey.root / "sha").read_text()
        return (
            evidence.episode_commits(place, Span(opened=0), ["."], reader="program"),
            queries.changed_paths(place, sha, reader="program"),
            queries.existing(place, [sha], reader="program"),
            queries.tracked(place, ["a", "docs/b"], reader="program"),
        )

    before = answers()
    order = prey.root / ".git/order"
    order.write_text("docs*\n")
    for key, value in {
        "core.quotePath": "true",
        "core.abbrev": "4",
        "color.ui": "always",
        "color.diff": "always",
        "diff.renames": "copies",
        "diff.orderFile": str(order),
        "diff.relative": "true",
        "diff.mnemonicPrefix": "true",
        "diff.ignoreSubmodules": "all",
        "diff.submodule": "log",
        "diff.wordRegex": ".",
        "log.date": "relative",
        "log.decorate": "full",
        "log.mailmap": "true",
        "log.diffMerges": "on",
        "log.showRoot": "false",
        "log.follow": "true",
        "log.abbrevCommit": "true",
        "format.pretty": "oneline",
        "i18n.logOutputEncoding": "utf-16",
        "i18n.commitEncoding": "latin1",
        "trailer.separators": "=",
        "trailer.decision.key": "Other",
        "trailer.ifexists": "replace",
        "core.commentChar": ";",
        "core.ignoreCase": "true",
        "core.precomposeUnicode": "true",
        "core.sparseCheckout": "true",
        "submodule.recurse": "true",
        "notes.displayRef": "refs/notes/*",
        "rev-list.unknown": "x",
        "pretty.medium": "%x00",
    }.items():
        prey.git("config", key, value)
    assert answers() == before
    assert before[0] and before[1]


def test_h66_a_promised_object_is_never_fetched(
    new_repo, tmp_path, evil, marker, reader
):
    """A partial clone leaves objects out; reading one must not reach for the network."""
    full = new_repo("full")
    full.commit("base", docs__adr__a="1", other="1")
    full.commit("two", docs__adr__a="2")
    full.git("config", "uploadpack.allowFilter", "true")
    low_root = tmp_path / "low"
    full.git(
        "clone",
        "-q",
        "--filter=tree:0",
        "--no-checkout",
        f"file://{full.root}",
        str(low_root),
    )
    low = type(full)(low_root)
    (low.root / ".git/logs/HEAD").unlink()
    for key, value in {
        "remote.origin.uploadpack": str(evil),
        "remote.origin.url": f"ext::{evil}",
        "core.sshCommand": str(evil),
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "protocol.file.allow": "always",
    }.items():
        low.git("config", key, value)
    began = time.monotonic()
    span = Span(opened=0, closed=full.now, closing=full.head)
    with pytest.raises(GitError):
        evidence.episode_commits(low.place, span, ["docs/adr"], reader=reader)
    found = evidence.episode_commits(low.place, span, [], reader=reader)
    assert [commit.sha for commit in found] == full.git(
        "rev-list", "--reverse", "HEAD"
    ).split()
    assert time.monotonic() - began < 5
    assert not marker.exists()
    low.git("cat-file", "-p", f"{full.head}^{{tree}}", check=False)
    assert marker.exists(), "no trap"


def test_h66_an_included_fifo_ends_as_a_time_out(prey, reader):
    os.mkfifo(prey.root / ".git/pipe")
    with open(prey.root / ".git/config", "a") as config:
        config.write("[include]\n\tpath = pipe\n")
    span = Span(opened=0)
    deadline = time.monotonic() + 0.5
    if reader == "program":
        with pytest.raises(program.GitTimeout):
            evidence.episode_commits(
                prey.place, span, ["."], reader=reader, deadline=deadline
            )
    else:
        found = evidence.episode_commits(
            prey.place, span, ["."], reader=reader, deadline=deadline
        )
        assert found


@pytest.mark.parametrize(
    "config",
    [
        "[core]\n\trepositoryformatversion = 99\n",
        "[extensions]\n\tobjectformat = sha3\n[core]\n\trepositoryformatversion = 1\n",
        "[extensions]\n\tunheard = of\n[core]\n\trepositoryformatversion = 1\n",
        "[core\n",
        "\0\0\0",
    ],
)
def test_a_configuration_that_git_refuses_is_an_error_and_no_crash(prey, config):
    (prey.root / ".git/config").write_text(config)
    with pytest.raises(GitError):
        evidence.episode_commits(prey.place, Span(opened=0), ["."], reader="program")
    assert head.read_head(prey.place).sha


def test_damaged_objects_are_an_error_and_no_crash(repo, reader):
    repo.commit("base")
    sha = repo.commit("one", docs__a="1")
    path = repo.root / f".git/objects/{sha[:2]}/{sha[2:]}"
    path.chmod(0o644)
    path.write_bytes(b"not zlib at all")
    try:
        found = evidence.episode_commits(
            repo.place, Span(opened=0), ["."], reader=reader
        )
    except GitError as error:
        found = ()
        assert str(repo.root) in error.message or "dulwich" in error.message
    assert sha not in [commit.sha for commit in found]


def test_a_tree_of_endless_folders_is_an_error_and_no_crash(repo, reader):
    repo.commit("base")
    repo.tick()
    blob = (
        subprocess.run(
            ["git", "hash-object", "-w", "--stdin"],
            cwd=repo.root,
            input=b"x",
            capture_output=True,
            check=True,
        )
        .stdout.decode()
        .strip()
    )
    deep = f"100644 blob {blob}\tf\n"
    for _ in range(1500):
        done = subprocess.run(
            ["git", "mktree"],
            cwd=repo.root,
            input=deep.encode(),
            capture_output=True,
            check=True,
        )
        deep = f"040000 tree {done.stdout.decode().strip()}\td\n"
    sha = repo.git("commit-tree", "-p", "HEAD", "-m", "deep", deep.split()[2])
    repo.git("update-ref", "-m", "commit: deep", "HEAD", sha)
    span = Span(opened=repo.now, closed=repo.now, closing=sha)
    try:
        found = evidence.episode_commits(repo.place, span, ["."], reader=reader)
    except GitError as error:
        assert reader == "dulwich"
        assert error.message == f"a tree of {repo.root} is more than 300 folders deep"
    else:
        assert [commit.sha for commit in found] == [sha]
