"""The words of install.py, through real processes: plans, messages, exit codes."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from afterword.install import environment

from .scene import INSTALLER, TOOL, Scene, snapshot

USAGE = [
    ([], "name a PROJECT, or one of --demo, --test, --env-only"),
    (["--demo", "--test"], "name a PROJECT, or one of --demo, --test, --env-only"),
    ([".", "--env-only"], "name a PROJECT, or one of --demo, --test, --env-only"),
    ([".", "--hosts"], "--hosts goes with --test; agents to wire are named by --host"),
    (
        ["--demo", "--dry-run"],
        "--host, --scope, --adopt, --dry-run and --uninstall go with a PROJECT",
    ),
    ([".", "--uninstall", "--adopt"], "--adopt has no meaning with --uninstall"),
    ([".", "--scope", "planet"], "argument --scope: invalid choice: 'planet'"),
    (
        [".", "--adopt", "--no-adopt"],
        "argument --no-adopt: not allowed with argument --adopt",
    ),
    (["--nonsense"], "unrecognized arguments: --nonsense"),
]


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """An environment that install.py finds in order: no network, no waiting."""
    env = environment.at(str(TOOL), str(tmp_path / "ready"))
    (tmp_path / "ready/bin").mkdir(parents=True)
    (tmp_path / "ready/pyvenv.cfg").write_text("")
    Path(env.python).symlink_to(sys.executable)
    Path(env.command).write_text("#!/bin/sh\n")
    Path(env.command).chmod(0o755)
    environment.write_receipt(env, environment.wanted(env, []))
    return Path(env.path)


def install(scene: Scene, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return scene.run([sys.executable, str(INSTALLER), *words], **more)


def raw(words: list[str], cwd: Path, stdin: bytes = b"") -> bytes:
    """The bytes of a program's stdout, line ends and all; it must succeed and say nothing else."""
    done = subprocess.run(words, cwd=cwd, input=stdin, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


@pytest.mark.parametrize(("words", "message"), USAGE)
def test_words_that_make_no_sense_end_with_2(
    scene: Scene, words: list[str], message: str
) -> None:
    done = install(scene, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"install.py: error: {message}" in done.stderr


def test_an_unknown_host_ends_with_2_and_names_those_known(
    scene: Scene, ready: Path
) -> None:
    done = install(scene, ".", "--env", str(ready), "--host", "vim")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "install.py: error: --host vim: not an agent that can be wired; known: claude-code, codex\n"
        "install.py: type: --host claude-code, several names with commas between, or --host all\n"
    )


def test_a_dry_run_writes_nothing_and_prints_the_plan_as_a_diff(
    scene: Scene, ready: Path, tmp_path: Path
) -> None:
    """The diff is one that `git apply` takes: applied, it gives what the install gives."""
    scene.write(".claude/settings.json", '{\r\n\t"a": "é"\r\n}')
    scene.commit()
    before, exclude = scene.state(), scene.root / ".git/info/exclude"
    exclude.write_text("")
    words = [
        sys.executable,
        str(INSTALLER),
        ".",
        "--env",
        str(tmp_path / "none"),
        "--dry-run",
    ]
    shown = raw(words, scene.root)
    exclude.write_bytes(before[".git/info/exclude"])  # type: ignore[arg-type]
    assert scene.state() == before
    assert not (tmp_path / "none").exists()
    assert shown.startswith(b"git config --local afterword.tool ")
    copy = tmp_path / "copy"
    scene.git("clone", "-q", str(scene.root), str(copy))
    raw(["git", "apply", "-"], copy, shown.partition(b"diff --git a/.git/")[0])
    assert install(scene, ".", "--env", str(ready)).returncode == 0
    wanted, found = snapshot(scene.root), snapshot(copy)
    for name in (".ai/local", ".ai/local/.stamp"):
        wanted.pop(name)
    assert found == wanted


def test_install_and_uninstall_say_what_they_did(scene: Scene, ready: Path) -> None:
    first = install(scene, ".", "--env", str(ready))
    assert first.returncode == 0
    assert first.stdout.splitlines()[-1] == f"{scene.root}: wired for Claude Code"
    assert "  create .claude/settings.json" in first.stdout.splitlines()
    assert first.stderr == (
        "install.py: next: commit .ai/ and the agent's settings, so that colleagues have them too\n"
    )
    again = install(scene, ".", "--env", str(ready))
    assert (again.returncode, again.stdout, again.stderr) == (
        0,
        f"{scene.root}: wired already, nothing to change\n",
        "",
    )
    show = install(scene, ".", "--uninstall", "--dry-run")
    assert "deleted file mode" in show.stdout
    assert "git config --local --unset-all afterword.tool" in show.stdout
    assert (scene.root / ".claude/settings.json").exists()
    gone = install(scene, ".", "--uninstall")
    assert (gone.returncode, gone.stderr) == (0, "")
    assert gone.stdout.splitlines()[-1] == f"{scene.root}: taken out"
    twice = install(scene, ".", "--uninstall")
    assert twice.stdout == f"{scene.root}: nothing of afterword to take out\n"


def test_h28_installs_in_parallel_come_to_the_same(scene: Scene, ready: Path) -> None:
    """Four at once: each ends well, and the undo is exact."""
    scene.write(".claude/settings.json", '{\n  "a": 1\n}\n')
    before = scene.state()
    words = [sys.executable, str(INSTALLER), str(scene.root), "--env", str(ready)]
    started = [
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    ended = [process.communicate() for process in started]
    assert [process.returncode for process in started] == [0] * 4, ended
    wired = [b": wired for Claude Code\n" in out for out, _ in ended]
    assert sorted(wired) == [False, False, False, True]
    assert install(scene, ".", "--uninstall").returncode == 0
    assert scene.state() == before


@pytest.mark.parametrize("hundredths", [12, 16, 20, 24, 30, 40])
def test_a_killed_install_is_completed_and_undone_exactly(
    scene: Scene, ready: Path, hundredths: int
) -> None:
    """SIGKILL wherever it is by then; a second run completes, the undo is exact."""
    scene.write(".claude/settings.json", '{\n  "a": 1\n}\n')
    before = scene.state()
    words = [sys.executable, str(INSTALLER), str(scene.root), "--env", str(ready)]
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(hundredths / 100)
    process.kill()
    process.wait()
    if hundredths % 8:
        assert install(scene, ".", "--env", str(ready)).returncode == 0
        again = install(scene, ".", "--env", str(ready))
        assert again.stdout == f"{scene.root}: wired already, nothing to change\n"
    assert install(scene, ".", "--uninstall").returncode == 0
    assert scene.state() == before


def test_settings_broken_since_are_left_and_taken_care_of_once_mended(
    scene: Scene, ready: Path
) -> None:
    path = scene.write(".claude/settings.json", '{\n  "a": 1\n}\n')
    before = scene.state()
    install(scene, ".", "--env", str(ready))
    wired = path.read_bytes()
    path.write_bytes(wired[:-2])
    refused = install(scene, ".", "--uninstall")
    assert refused.returncode == 1
    assert ".claude/settings.json:49: not valid JSON (cut short)" in refused.stderr
    assert path.read_bytes() == wired[:-2]
    assert not (scene.root / ".claude/hooks").exists()
    path.write_bytes(wired)
    assert install(scene, ".", "--uninstall").returncode == 0
    assert scene.state() == before


@pytest.mark.parametrize("kind", ["a file", "a way out"])
def test_an_uninstall_of_what_never_was_has_nothing_to_say(
    scene: Scene, tmp_path: Path, kind: str
) -> None:
    """Where no install can have written, there is nothing to take out and nothing to refuse."""
    (tmp_path / "outside").mkdir()
    if kind == "a file":
        scene.write(".claude", "x")
        scene.write(".ai", "x")
    else:
        (scene.root / ".claude").symlink_to(tmp_path / "outside")
        (scene.root / ".ai").symlink_to(tmp_path / "outside")
    before = scene.state()
    done = install(scene, ".", "--uninstall")
    assert done.returncode == 0
    assert done.stdout == f"{scene.root}: nothing of afterword to take out\n"
    assert "error" not in done.stderr
    assert scene.state() == before


def test_a_memory_that_hooks_would_refuse_is_refused_before_a_byte_is_written(
    scene: Scene, ready: Path
) -> None:
    (scene.root / "elsewhere").mkdir()
    (scene.root / ".ai").symlink_to("elsewhere")
    before = scene.state()
    done = install(scene, ".", "--env", str(ready))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"install.py: error: {scene.root}/.ai: a symlink to elsewhere, and the memory is kept"
        " in a plain folder\n"
        "install.py: put a folder in its place, then run install.py again\n"
    )
    assert scene.state() == before
    (scene.root / ".ai").unlink()
    (scene.root / ".ai").mkdir()
    scene.git("init", "-q", cwd=scene.root / ".ai")
    before = scene.state()
    done = install(scene, ".", "--env", str(ready))
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{scene.root}/.ai: is a repository of its own" in done.stderr
    assert scene.state() == before


def test_a_checkout_inside_the_project_is_noted(scene: Scene) -> None:
    """The environment may lie elsewhere, but the code comes from the project then."""
    wiring = scene.plan(home=str(scene.root / "vendor"))
    assert wiring.notes == [
        f"{scene.root}/vendor lies inside the project: its hooks run whatever is checked out there"
    ]


def test_what_codex_needs_is_said_in_words_to_type(scene: Scene, ready: Path) -> None:
    done = install(scene, ".", "--env", str(ready), "--host", "codex")
    assert (
        "start codex here, type /hooks and trust the four afterword hooks."
        in done.stderr
    )


def test_a_refused_host_ends_with_1_and_the_others_are_wired(
    scene: Scene, ready: Path
) -> None:
    scene.write(".claude/settings.json", '{\n  "a": 1,\n}\n')
    done = install(scene, ".", "--env", str(ready), "--host", "all")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == f"{scene.root}: wired for Codex"
    assert (
        "install.py: error: .claude/settings.json:2: not valid JSON (a comma before '}'), so it"
        " is left as it is\ninstall.py: mend the file, then run install.py again\n"
        in done.stderr
    )


def test_settings_with_comments_are_left_alone_and_the_agent_is_not_wired(
    scene: Scene, ready: Path
) -> None:
    """Claude Code ignores such a file whole, so "wired" would be a lie."""
    scene.write(".claude/settings.json", '{\n  // mine\n  "a": 1\n}\n')
    before = scene.state()
    done = install(scene, ".", "--env", str(ready))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "install.py: error: .claude/settings.json:2: Claude Code ignores the whole file"
        " because of this comment; the file is left as it is, and Claude Code is NOT wired\n"
        "install.py: take the comments out, then run install.py again\n"
    )
    assert scene.state() == before
    done = install(scene, ".", "--env", str(ready), "--host", "all")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == f"{scene.root}: wired for Codex"
    assert "Claude Code is NOT wired\n" in done.stderr


def test_comments_added_after_an_install_hinder_no_uninstall(
    scene: Scene, ready: Path
) -> None:
    path = scene.write(".claude/settings.json", '{\n  "a": 1\n}\n')
    assert install(scene, ".", "--env", str(ready)).returncode == 0
    path.write_text(f"// mine\n{path.read_text()}")
    assert install(scene, ".", "--env", str(ready)).returncode == 1
    assert install(scene, ".", "--uninstall").returncode == 0
    assert path.read_text() == '// mine\n{\n  "a": 1\n}\n'


def test_a_tool_inside_the_project_is_refused(scene: Scene) -> None:
    before = scene.state()
    done = install(scene, ".", "--env", "tools/env")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"install.py: error: {scene.root}/tools/env/bin/afterword: lies inside the project, and"
        " hooks never run a program that a repository could have brought along\n"
        "install.py: keep the environment elsewhere;"
        f" type: install.py --env DIR {scene.root}\n"
    )
    assert scene.state() == before


def test_no_repository_ends_with_1_before_anything_is_made(
    make_scene: Callable[..., Scene], tmp_path: Path
) -> None:
    scene = make_scene("plain", init=False)
    done = install(scene, ".", "--env", str(tmp_path / "never made"))
    assert done.returncode == 1
    assert done.stderr == (
        "install.py: error: .: not a git repository, and the memory is kept in one\n"
        "install.py: type: git init .\n"
    )
    assert not (tmp_path / "never made").exists()


def test_an_ignored_memory_is_warned_of(scene: Scene, ready: Path) -> None:
    scene.write(".gitignore", "bin/\n")
    done = install(scene, ".", "--env", str(ready))
    assert (
        "install.py: note: git ignores .ai/bin/, so it cannot be shared; an exception in"
        " .gitignore helps: !/.ai/bin/\n" in done.stderr
    )
    assert ".ai/bin/afterword" not in scene.git("status", "--porcelain", "-uall")
    scene.write(".gitignore", "bin/\n!/.ai/bin/\n")
    assert ".ai/bin/afterword" in scene.git("status", "--porcelain", "-uall")


def test_a_reader_that_goes_away_is_no_error(scene: Scene) -> None:
    line = f"'{sys.executable}' '{INSTALLER}' . --dry-run | head -n 1"
    done = scene.run(line)
    assert done.stdout.startswith("git config")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("answer", "adopted"), [("y\n", True), ("\n", True), ("n\n", False)]
)
def test_at_a_terminal_it_is_asked_before_a_tree_is_adopted(
    scene: Scene, answer: str, adopted: bool
) -> None:
    scene.write(".ai/repo/policy.yaml", "session:\n  briefing_on_start: false\n")
    said, status = at_terminal(
        [sys.executable, str(INSTALLER), str(scene.root), "--dry-run"], answer
    )
    assert status == 0
    assert (
        "holds a memory of majordomus. Use it in place? Nothing in it is moved. [Y/n]"
        in said
    )
    assert ("the majordomus tree in .ai/repo is used in place" in said) is adopted


def at_terminal(words: list[str], answer: str) -> tuple[str, int]:
    """Run a program at a terminal of its own and type an answer."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(words[0], words)
    os.write(terminal, answer.encode())
    text = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(terminal)
    return text.decode(errors="replace").replace("\r\n", "\n"), os.waitpid(child, 0)[1]


def test_without_a_terminal_a_tree_is_adopted_unless_told_otherwise(
    scene: Scene,
) -> None:
    scene.write(".ai/repo/policy.yaml", "session:\n  briefing_on_start: false\n")
    used = install(scene, ".", "--dry-run")
    assert "+  briefing_on_start: false" in used.stdout
    refused = install(scene, ".", "--dry-run", "--no-adopt")
    assert "+  briefing_on_start: false" not in refused.stdout


def test_what_nobody_expected_is_one_line_and_a_log(
    scene: Scene, tmp_path: Path
) -> None:
    """A checkout that lost its pyproject.toml."""
    code = (
        f"import sys; sys.path.insert(0, {str(TOOL / 'lib')!r});"
        " from afterword.install import main;"
        f" sys.exit(main.main(['--env-only'], {str(tmp_path)!r}))"
    )
    done = scene.run([sys.executable, "-c", code], TMPDIR=str(tmp_path))
    assert (done.returncode, done.stdout) == (3, "")
    said, _, log = done.stderr.strip().rpartition(" ")
    assert said.startswith("install.py: unexpected: FileNotFoundError: ")
    assert said.endswith("; the details are in")
    assert "Traceback" in Path(log).read_text()


def test_a_disk_that_refuses_is_named_and_nothing_is_done(
    scene: Scene, ready: Path
) -> None:
    """A read-only mount, where root may make one; else rights that forbid to write."""
    git = scene.root / ".git"
    words = [sys.executable, str(INSTALLER), ".", "--env", str(ready)]
    before = scene.state()
    if os.geteuid() == 0:
        mounts = f"mount --bind '{git}' '{git}' && mount -o remount,ro,bind '{git}'"
        done = scene.run(
            ["unshare", "-m", "sh", "-c", f'{mounts} || exit 99; exec "$@"', "", *words]
        )
        if done.returncode == 99 or "unshare failed" in done.stderr:
            pytest.skip("not on this system: no read-only mount can be made")
    else:
        git.chmod(0o555)
        done = scene.run(words)
        git.chmod(0o755)
    assert (done.returncode, done.stdout) == (1, "")
    first, second = done.stderr.splitlines()
    assert first.startswith(f"install.py: error: {git}: ")
    assert second == (
        "install.py: make room or mend the rights, then run the same command again:"
        " it completes what is missing"
    )
    assert scene.state() == before


def test_an_old_python_is_told_which_one_is_needed() -> None:
    """What install.py says before it loads anything; run where an old one is at hand."""
    text = INSTALLER.read_text()
    assert "{0}.{1} ({2})" in text
    head = text.partition("import os\n")[2].partition("sys.path.insert")[0]
    code = f"import os\nfrom types import SimpleNamespace\n{head}".replace(
        "import sys\n",
        "import sys as real\nsys = SimpleNamespace(version_info=(3, 9), executable='/py',"
        " stderr=real.stderr, exit=real.exit)\n",
    ).replace("__file__", "'x'")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == (
        "install.py: error: Python 3.10 or newer is needed, this is 3.9 (/py)\n"
        "run it with a newer one: python3.12 install.py ...\n"
    )
