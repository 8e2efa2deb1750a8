"""The one door to git: bounded, hardened, reaped, whatever the environment looks like."""

import os
import subprocess
import sys
import time

import pytest

from afterword.errors import GitError
from afterword.store.git import evidence, head, process, program
from afterword.store.git.evidence import Span

EVERYTHING = Span(opened=0)


def script(folder, body):
    """An executable `git` in a folder of its own, to be put on PATH."""
    folder.mkdir(exist_ok=True)
    path = folder / "git"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return folder


def children():
    """Processes that we started and did not reap."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())],
        capture_output=True,
        text=True,
        check=False,
    )
    return [line for line in listed.stdout.splitlines() if "ps" not in line.split()[1:]]


def open_files():
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def test_output_of_git(repo):
    sha = repo.commit("one")
    assert program.run(repo.place, "rev-parse", "HEAD") == sha.encode() + b"\n"


def test_standard_input_larger_than_a_pipe_goes_both_ways(repo):
    sha = repo.commit("one")
    asked = f"{sha}\n" * 20_000
    out = program.run(repo.place, "cat-file", "--batch-check", stdin=asked.encode())
    assert (
        out
        == f"{sha} commit {len(repo.git('cat-file', 'commit', sha)) + 1}\n".encode()
        * 20_000
    )


def test_input_that_git_does_not_read_is_no_error(repo, tmp_path, monkeypatch):
    monkeypatch.setenv(
        "PATH", f"{script(tmp_path / 'deaf', 'exec <&-; echo done')}:/usr/bin:/bin"
    )
    assert program.run(repo.place, "x", stdin=b"y" * 1_000_000) == b"done\n"


def test_a_refusal_names_the_command_the_place_and_gits_reason(repo):
    with pytest.raises(GitError) as caught:
        program.run(repo.place, "rev-parse", "--verify", "nothing")
    assert caught.value.message == (
        f"git rev-parse failed in {repo.root}: Needed a single revision"
    )
    assert caught.value.code == "git"


def test_control_characters_of_git_never_reach_a_message(repo, tmp_path, monkeypatch):
    folder = script(
        tmp_path / "loud",
        r"printf 'fatal: \033[31mred\007 \342\200\256x\n' >&2; exit 3",
    )
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    with pytest.raises(GitError) as caught:
        program.run(repo.place, "x")
    assert caught.value.message == f"git x failed in {repo.root}: [31mred   x"


def test_other_exit_codes_can_be_allowed(repo):
    assert (
        program.run(repo.place, "symbolic-ref", "-q", "refs/heads/x", ok=(0, 1)) == b""
    )


def test_h41_git_not_installed(repo, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(program.GitMissing) as caught:
        program.run(repo.place, "version")
    assert caught.value.message == "no git program on PATH"
    assert caught.value.code == "git-missing"
    assert not program.available(repo.place)


def test_h41_without_git_dulwich_answers(repo, monkeypatch):
    sha = repo.commit("one\n\nDecision: keep it", docs__adr__a="1")
    monkeypatch.setenv("PATH", "/nowhere")
    found = evidence.episode_commits(repo.place, EVERYTHING, ["docs/adr"])
    assert [commit.sha for commit in found] == [sha]
    assert found[0].trailers == (("Decision", "keep it"),)
    assert found[0].watched == ("docs/adr/a",)
    with pytest.raises(program.GitMissing):
        evidence.episode_commits(repo.place, EVERYTHING, [], reader="program")


def test_h41_in_a_hook_dulwich_is_found_without_site_packages(repo):
    """A hook runs under -I -S; the branch that needs dulwich finds it by itself."""
    sha = repo.commit("one")
    library = os.path.abspath(os.path.dirname(head.__file__) + "/../../..")
    code = (
        f"import sys; sys.path.insert(0, {library!r});"
        "from afterword.store.git import evidence, head;"
        f"place = head.locate({str(repo.root)!r});"
        "print(evidence.episode_commits(place, evidence.Span(opened=0), [])[0].sha)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "utf8", "-c", code],
        capture_output=True,
        env={"PATH": ""},
        check=True,
    )
    assert (done.stdout.decode().strip(), done.stderr) == (sha, b"")


def test_an_episode_without_commits_needs_no_reader_at_all(repo, monkeypatch):
    repo.commit("before")
    span = Span(opened=repo.now + 1, opening=repo.head)
    monkeypatch.setenv("PATH", "")
    assert evidence.episode_commits(repo.place, span, ["."], reader="program") == ()


@pytest.mark.parametrize("entry", ["bin", "", ".", "./bin"])
def test_a_relative_path_entry_is_never_used(repo, entry, tmp_path, monkeypatch):
    script(tmp_path / "bin", "touch ../marker; echo evil")
    monkeypatch.chdir(tmp_path)
    real = os.path.dirname(program.find(repo.place))
    monkeypatch.setenv("PATH", f"{entry}:{real}")
    assert program.find(repo.place) == f"{real}/git"


def test_a_git_inside_the_worktree_is_never_used(repo, tmp_path, monkeypatch):
    repo.commit("one")
    real = os.path.dirname(program.find(repo.place))
    inside = script(repo.root / "bin", "echo evil")
    link = tmp_path / "link"
    link.symlink_to(repo.root / "bin")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "git").symlink_to(repo.root / "bin/git")
    repo.git("worktree", "add", "-q", str(tmp_path / "wt"))
    monkeypatch.setenv("PATH", f"{inside}:{link}:{outside}:{real}")
    side = head.locate(str(tmp_path / "wt"))
    assert side is not None
    assert [program.find(place) for place in (repo.place, side)] == [f"{real}/git"] * 2


def test_what_is_not_executable_is_passed_over(repo, tmp_path, monkeypatch):
    real = os.path.dirname(program.find(repo.place))
    (tmp_path / "dir/git").mkdir(parents=True)
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/git").write_text("#!/bin/sh\n")
    monkeypatch.setenv("PATH", f"{tmp_path}/dir:{tmp_path}/plain:{real}")
    assert program.find(repo.place) == f"{real}/git"


def test_a_git_that_cannot_be_started_is_missing(repo, tmp_path, monkeypatch):
    folder = script(tmp_path / "bad", "")
    (folder / "git").write_bytes(b"#!/nowhere/interpreter\n")
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(program.GitMissing) as caught:
        program.run(repo.place, "x")
    assert (
        caught.value.message == f"{folder}/git cannot be run: No such file or directory"
    )


def test_apples_stub_is_replaced_by_the_real_git_or_counts_as_missing():
    tools = "/Library/Developer/CommandLineTools/usr/bin/git"
    table = [
        program.apple("/usr/bin/git", ()),
        program.apple("/usr/bin/git", (tools,)),
        program.apple("/opt/homebrew/bin/git", ()),
    ]
    assert table == ["", tools, "/opt/homebrew/bin/git"]


@pytest.mark.parametrize(
    "body",
    [
        "sleep 60",
        "sleep 60 & wait",
        "exec >&- 2>&-; sleep 60",
        "trap '' TERM; while :; do sleep 1; done",
        "while :; do echo noise >&2; done",
    ],
)
def test_h76_a_git_that_hangs_is_ended_with_all_it_started(
    repo, tmp_path, monkeypatch, body
):
    monkeypatch.setenv("PATH", f"{script(tmp_path / 'slow', body)}:/usr/bin:/bin")
    files, began = open_files(), time.monotonic()
    with pytest.raises(program.GitTimeout) as caught:
        program.run(repo.place, "log", deadline=time.monotonic() + 0.3)
    assert time.monotonic() - began < 3
    assert caught.value.message == f"git log did not answer in time in {repo.root}"
    assert caught.value.hint == f"try it by hand: git -C {repo.root} log"
    assert (children(), open_files()) == ([], files)


def test_h76_what_git_leaves_behind_does_not_hold_us(repo, tmp_path, monkeypatch):
    folder = script(tmp_path / "left", "sleep 5 & echo said")
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    began = time.monotonic()
    assert program.run(repo.place, "x") == b"said\n"
    assert time.monotonic() - began < 2


def test_endless_output_is_cut_and_the_program_ended(repo, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{script(tmp_path / 'yes', 'exec yes')}:/usr/bin:/bin")
    with pytest.raises(GitError) as caught:
        program.run(repo.place, "log", limit=100_000)
    assert (
        caught.value.message == f"git log printed more than 100000 bytes in {repo.root}"
    )
    assert children() == []


def test_a_deadline_in_the_past_is_a_time_out(repo):
    with pytest.raises(program.GitTimeout):
        program.run(repo.place, "version", deadline=time.monotonic() - 1)
    assert children() == []


def test_nothing_stays_open_and_no_zombie_after_many_calls(repo):
    repo.commit("one")
    files = open_files()
    for _ in range(20):
        program.run(repo.place, "rev-parse", "HEAD")
    assert (children(), open_files()) == ([], files)


CLOSED = """
import os, sys
sys.path.insert(0, {library!r})
for handle in {closed}:
    os.close(handle)
from afterword.store.git import head, program
place = head.locate({root!r})
got = program.run(place, "cat-file", "--batch-check", stdin=b"HEAD\\n")
got += program.run(place, "rev-parse", "HEAD")
with open({out!r}, "wb") as file:
    file.write(got)
"""


@pytest.mark.parametrize(
    "closed", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2)]
)
def test_h8_works_where_our_own_standard_files_are_closed(repo, tmp_path, closed):
    sha = repo.commit("one")
    library = os.path.abspath(os.path.dirname(head.__file__) + "/../../..")
    out = tmp_path / "out"
    code = CLOSED.format(
        library=library, closed=closed, root=str(repo.root), out=str(out)
    )
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)
    lines = out.read_text().splitlines()
    assert [line.split()[0] for line in lines] == [sha, sha]


def test_an_ignored_sigchld_is_no_error(repo):
    sha = repo.commit("one")
    library = os.path.abspath(os.path.dirname(head.__file__) + "/../../..")
    code = (
        f"import signal, sys; sys.path.insert(0, {library!r});"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN);"
        "from afterword.store.git import head, program;"
        f"print(program.run(head.locate({str(repo.root)!r}), 'rev-parse', 'HEAD').decode())"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == sha


def test_h41_variables_of_git_in_the_environment_lead_nowhere(
    new_repo, tmp_path, monkeypatch
):
    ours, other = new_repo("ours"), new_repo("other")
    sha = ours.commit("ours")
    other.commit("other")
    marker = tmp_path / "marker"
    evil = script(tmp_path / "evil", f"touch {marker}") / "git"
    for name, value in {
        "GIT_DIR": str(other.root / ".git"),
        "GIT_WORK_TREE": str(other.root),
        "GIT_INDEX_FILE": str(other.root / ".git/index"),
        "GIT_OBJECT_DIRECTORY": str(other.root / ".git/objects"),
        "GIT_COMMON_DIR": str(other.root / ".git"),
        "GIT_NAMESPACE": "elsewhere",
        "GIT_EXTERNAL_DIFF": str(evil),
        "GIT_SSH_COMMAND": str(evil),
        "GIT_PAGER": str(evil),
        "GIT_TRACE": str(marker),
        "GIT_EXEC_PATH": str(tmp_path),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": str(evil),
        "GIT_CEILING_DIRECTORIES": str(ours.root),
        "GIT_CONFIG_PARAMETERS": "'core.bare=true'",
        "GIT_DEFAULT_HASH": "sha256",
    }.items():
        monkeypatch.setenv(name, value)
    found = evidence.episode_commits(ours.place, EVERYTHING, ["."], reader="program")
    assert [commit.sha for commit in found] == [sha]
    assert program.run(
        ours.place, "rev-parse", "--show-toplevel"
    ).decode().strip() == str(ours.root)
    assert not marker.exists()


def test_a_broken_repository_inside_another_is_not_taken_for_the_outer_one(new_repo):
    outer = new_repo("outer")
    outer.commit("outer")
    inner = outer.root / "inner"
    inner.mkdir()
    (inner / ".git").mkdir()
    (inner / ".git/HEAD").write_text("ref: refs/heads/main\n")
    place = head.locate(str(inner))
    assert place is not None
    with pytest.raises(GitError) as caught:
        program.run(place, "rev-parse", "--show-toplevel")
    assert "not a git repository" in caught.value.message


@pytest.mark.skipif(
    os.getuid() != 0, reason="not on this system: only root can give a file away"
)
def test_h41_safe_directory_refusal_is_an_error_with_what_to_type(repo):
    repo.commit("one")
    for folder, _, names in os.walk(repo.root):
        for name in ["", *names]:
            os.chown(os.path.join(folder, name), 12345, 12345)
    with pytest.raises(GitError) as caught:
        evidence.episode_commits(repo.place, EVERYTHING, ["."], reader="program")
    assert caught.value.message == (
        f"git diff-tree failed in {repo.root}: "
        f"detected dubious ownership in repository at '{repo.root}'"
    )
    assert caught.value.hint == f"git config --global --add safe.directory {repo.root}"


def test_reading_leaves_the_index_and_the_repository_alone(repo):
    repo.commit("one", a="1", docs__adr__b="2")
    (repo.root / "a").write_text("changed\n")

    def state():
        return {
            path: path.stat().st_mtime_ns
            for path in sorted(repo.root.rglob("*"))
            if "logs" not in path.parts
        }

    before = state()
    evidence.episode_commits(repo.place, EVERYTHING, ["."], reader="program")
    assert state() == before


@pytest.mark.parametrize(
    ("body", "data"),
    [("echo out; echo err >&2; exit 3", b""), ("cat; exit 0", b"x" * 300_000)],
)
def test_a_system_without_posix_spawn_has_the_same_conversation(tmp_path, body, data):
    argv, env = [str(script(tmp_path / "s", body) / "git")], {"PATH": "/usr/bin:/bin"}
    until = time.monotonic() + 20
    spawned = process.converse(argv, env, data, until, 1 << 20)
    assert process.portably(argv, env, data, until) == spawned


def test_a_system_without_posix_spawn_ends_a_program_that_hangs(tmp_path):
    argv = [str(script(tmp_path / "s", "exec sleep 60") / "git")]
    env = {"PATH": "/usr/bin:/bin"}
    assert process.portably(argv, env, b"", time.monotonic() + 0.2) is None
    assert children() == []
