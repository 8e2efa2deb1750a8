"""The scripts that stand in a project: H19, H41, H70, H71, H74.

Each runs through a real sh, with a tool that writes down how it was called.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from afterword.host import every, named
from afterword.host.protocol import EVENTS, Host
from afterword.install import shims

from .scene import Scene

HOSTS = [host.name for host in every()]
NAMES = [
    "plain",
    "with blank",
    "it's",
    'double "quote"',
    "$HOME `x` $(touch y)",
    "new\nline",
    "-n",
]
PAYLOAD = '{"session_id": "e1"}'


def shim(scene: Scene, host: Host, event: str) -> Path:
    return scene.root / host.hooks_folder / f"afterword-{event}"


def command(scene: Scene, host: Host, event: str) -> str:
    """The command line of an event as the project's settings hold it."""
    settings = json.loads((scene.root / host.settings).read_text())
    groups = settings["hooks"][host.wired[event]]
    return str(groups[0]["hooks"][0]["command"])


@pytest.mark.parametrize("host_name", HOSTS)
@pytest.mark.parametrize("event", EVENTS)
def test_a_shim_hands_the_event_to_the_tool(
    scene: Scene, host_name: str, event: str
) -> None:
    host = named(host_name)
    scene.install(hosts=host_name)
    done = scene.run([str(shim(scene, host, event))], stdin=PAYLOAD)
    hook = str(scene.tool / "hooks" / event)
    python = str(scene.env / "bin" / "python")
    words = [
        "-I",
        "-S",
        "-X",
        "utf8",
        hook,
        "--root",
        str(scene.root),
        "--host",
        host_name,
    ]
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert scene.called() == [str(scene.root), python, *words, PAYLOAD]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("host_name", HOSTS)
def test_the_settings_command_works_in_any_folder(
    make_scene: Callable[..., Scene], host_name: str, name: str
) -> None:
    """Blanks, quotes, `$`, a newline: every path is quoted."""
    scene, host = make_scene(name), named(host_name)
    scene.install(hosts=host_name)
    done = scene.run(
        command(scene, host, "stop"), stdin=PAYLOAD, CLAUDE_PROJECT_DIR=str(scene.root)
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\n".join(scene.called()).count(f"--root\n{scene.root}\n") == 1
    assert not list(scene.root.parent.rglob("y"))


@pytest.mark.parametrize("name", NAMES)
def test_the_command_shim_works_in_any_folder(
    make_scene: Callable[..., Scene], name: str
) -> None:
    scene = make_scene(name)
    scene.install()
    done = scene.run(
        [str(scene.root / ".ai/bin/afterword"), "a b", "$c"], cwd=scene.home
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert scene.called() == [str(scene.home), str(scene.command), "a b", "$c"]


@pytest.mark.parametrize(
    "words", [".ai/bin/afterword", "./.ai/bin/afterword", "sh .ai/bin/afterword"]
)
def test_the_command_shim_is_called_as_people_type_it(scene: Scene, words: str) -> None:
    scene.install()
    done = scene.run(f"{words} history")
    assert (done.returncode, scene.called()[2:]) == (0, ["history"])
    nested = scene.run("cd bin && ./afterword history", cwd=scene.root / ".ai")
    assert nested.returncode == 0


@pytest.mark.parametrize(
    "form", [".claude/hooks/{}", "./.claude/hooks/{}", "sh .claude/hooks/{}"]
)
def test_a_hook_shim_finds_its_project_however_it_is_called(
    scene: Scene, form: str
) -> None:
    scene.install()
    assert scene.run(form.format("afterword-stop"), stdin=PAYLOAD).returncode == 0
    assert scene.called()[-3:-1] == ["--host", "claude-code"]
    inside = scene.run(
        "sh afterword-stop", stdin=PAYLOAD, cwd=scene.root / ".claude/hooks"
    )
    assert (inside.returncode, scene.called()[0]) == (0, str(scene.root))


def break_env(scene: Scene) -> None:
    shutil.rmtree(scene.env)


def break_tool(scene: Scene) -> None:
    shutil.rmtree(scene.tool)


def break_interpreter(scene: Scene) -> None:
    python = scene.env / "bin" / "python"
    python.unlink()
    python.symlink_to("/nonexistent/bin/python3.99")


def break_config(scene: Scene) -> None:
    scene.git("config", "--unset", "afterword.tool")


def break_absolute(scene: Scene) -> None:
    scene.git("config", "afterword.tool", "env/bin/afterword")


def break_bit(scene: Scene) -> None:
    scene.command.chmod(0o644)


def break_git(scene: Scene) -> None:
    shutil.rmtree(scene.root / ".git")


BREAKS = [
    break_env,
    break_tool,
    break_interpreter,
    break_config,
    break_absolute,
    break_bit,
    break_git,
]


@pytest.mark.parametrize("broken", BREAKS)
@pytest.mark.parametrize("host_name", HOSTS)
def test_h70_h71_a_missing_tool_is_silence(
    scene: Scene, host_name: str, broken: Callable[[Scene], None]
) -> None:
    """H70, H71: `rm -rf` of the tool, or a stale interpreter: no error at each prompt."""
    host = named(host_name)
    scene.install(hosts=host_name)
    broken(scene)
    for event in EVENTS:
        line = command(scene, host, event)
        done = scene.run(line, stdin=PAYLOAD, CLAUDE_PROJECT_DIR=str(scene.root))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert scene.called() == []


def test_h70_missing_shims_are_silence(scene: Scene) -> None:
    """The settings outlive the scripts: an agent sees no error."""
    scene.install(hosts="all")
    for host in every():
        shutil.rmtree(scene.root / host.hooks_folder)
        done = scene.run(
            command(scene, host, "stop"), CLAUDE_PROJECT_DIR=str(scene.root)
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


MISSING = "not installed on this machine; run: python3 PATH/TO/afterword/install.py"


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (break_config, 'afterword: {missing} "{root}"\n'),
        (break_absolute, 'afterword: {missing} "{root}"\n'),
        (
            break_tool,
            'afterword: the tool that was at {tool} is gone; {install} "{root}"\n',
        ),
        (
            break_interpreter,
            'afterword: the tool that was at {tool} is gone; {install} "{root}"\n',
        ),
        (break_env, 'afterword: {missing} "{root}"\n'),
    ],
)
def test_the_command_shim_says_what_to_type(
    scene: Scene, broken: Callable[[Scene], None], message: str
) -> None:
    scene.install()
    broken(scene)
    done = scene.run([".ai/bin/afterword", "history"])
    words = {"install": "run: python3 PATH/TO/afterword/install.py", "missing": MISSING}
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == message.format(root=scene.root, tool=scene.tool, **words)


def test_a_tool_on_the_path_is_found_where_git_names_none(scene: Scene) -> None:
    """A colleague who installed by other means: without `afterword-home` the command is called."""
    scene.install()
    break_config(scene)
    (scene.env / "bin" / "afterword-home").unlink()
    path = f"{scene.env / 'bin'}:{os.environ['PATH']}"
    done = scene.run([".claude/hooks/afterword-stop"], stdin=PAYLOAD, PATH=path)
    words = [
        "hook",
        "stop",
        "--from-shim",
        "--root",
        str(scene.root),
        "--host",
        "claude-code",
    ]
    assert (done.returncode, scene.called()[1:]) == (
        0,
        [str(scene.command), *words, PAYLOAD],
    )


def test_h71_a_tool_on_the_path_whose_interpreter_is_gone_is_silence(
    scene: Scene,
) -> None:
    scene.install()
    break_config(scene)
    (scene.env / "bin" / "afterword-home").unlink()
    scene.command.write_text("#!/nonexistent/venv/bin/python3 -E\nprint()\n")
    path = f"{scene.env / 'bin'}:{os.environ['PATH']}"
    done = scene.run([".claude/hooks/afterword-stop"], stdin=PAYLOAD, PATH=path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("how", ["plain", "proc", "dots", "link"])
def test_h66_a_tool_inside_the_worktree_is_refused(scene: Scene, how: str) -> None:
    """H66: a repository must not bring along the program that reads it."""
    scene.install()
    planted = scene.root / "vendor" / "bin"
    shutil.copytree(scene.env, scene.root / "vendor")
    link = scene.root.parent / "link"
    link.symlink_to(scene.root)
    tool = {
        "plain": planted / "afterword",
        "proc": Path("/proc/self/cwd/vendor/bin/afterword"),
        "dots": Path(f"{scene.home}/../{scene.root.name}/vendor/bin/afterword"),
        "link": link / "vendor/bin/afterword",
    }[how]
    scene.git("config", "afterword.tool", str(tool))
    done = scene.run([".claude/hooks/afterword-stop"], stdin=PAYLOAD)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    typed = scene.run([".ai/bin/afterword", "history"])
    assert typed.returncode == 1
    assert typed.stderr.startswith(
        f"afterword: {tool} lies inside this project and is not run;"
    )
    assert not (scene.root / "vendor/called").exists()
    assert scene.called() == []


def test_h66_a_tool_that_only_the_path_of_the_project_offers_is_refused(
    scene: Scene,
) -> None:
    scene.install()
    break_config(scene)
    shutil.copytree(scene.env, scene.root / "vendor")
    path = f"{scene.root}/vendor/bin:vendor/bin:{os.environ['PATH']}"
    done = scene.run([".claude/hooks/afterword-stop"], stdin=PAYLOAD, PATH=path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (scene.root / "vendor/called").exists()


def test_the_command_shim_on_the_path_does_not_call_itself(scene: Scene) -> None:
    scene.install()
    break_config(scene)
    path = f"{scene.root}/.ai/bin:{os.environ['PATH']}"
    done = scene.run(["afterword", "history"], PATH=path)
    assert done.returncode == 1
    assert "lies inside this project" in done.stderr


def test_h41_git_variables_do_not_lead_to_another_repository(
    scene: Scene, make_scene: Callable[..., Scene], tmp_path: Path
) -> None:
    """H41: GIT_DIR of a git hook, or of another repository."""
    scene.install()
    other = tmp_path / "other"
    other.mkdir()
    scene.git("init", "-q", cwd=other)
    scene.git("config", "afterword.tool", "/bin/false", cwd=other)
    wrong = {
        "GIT_DIR": f"{other}/.git",
        "GIT_WORK_TREE": str(other),
        "GIT_CONFIG": "/dev/null",
    }
    for line in (".claude/hooks/afterword-stop", ".ai/bin/afterword x"):
        (scene.env / "called").unlink(missing_ok=True)
        assert scene.run(line, stdin=PAYLOAD, CDPATH="/tmp:/", **wrong).returncode == 0
        assert scene.called()
    variables = (scene.env / "variables").read_text()
    assert "GIT_DIR" in variables  # the command line decides itself
    scene.run(".claude/hooks/afterword-stop", stdin=PAYLOAD, **wrong)
    assert "GIT_DIR" not in (scene.env / "variables").read_text()


def test_h74_a_checkout_with_crlf_keeps_the_shims(scene: Scene, tmp_path: Path) -> None:
    """H74: `core.autocrlf=true` on the other machine."""
    scene.install(hosts="all")
    scene.commit()
    copy = tmp_path / "copy"
    scene.git("-c", "core.autocrlf=true", "clone", "-q", str(scene.root), str(copy))
    kept = [
        *copy.glob(".c*/hooks/*"),
        *copy.glob(".ai/bin/*"),
        *copy.glob(".ai/repo/**/*.*"),
    ]
    assert len(kept) == 15
    assert all(b"\r" not in path.read_bytes() for path in kept if path.is_file())
    assert b"\r\n" in (copy / ".ai/config.yaml").read_bytes()
    scene.git("config", "afterword.tool", str(scene.command), cwd=copy)
    done = scene.run([".claude/hooks/afterword-stop"], stdin=PAYLOAD, cwd=copy)
    assert (done.returncode, done.stderr, scene.called()[0]) == (0, "", str(copy))


@pytest.mark.parametrize("host_name", HOSTS)
def test_h74_a_lost_executable_bit_does_not_matter(
    scene: Scene, host_name: str
) -> None:
    """H74: a zip download, `core.fileMode=false`, a noexec mount: settings name sh."""
    host = named(host_name)
    scene.install(hosts=host_name)
    for event in EVENTS:
        shim(scene, host, event).chmod(0o644)
    done = scene.run(
        command(scene, host, "stop"), stdin=PAYLOAD, CLAUDE_PROJECT_DIR=str(scene.root)
    )
    assert (done.returncode, done.stderr, scene.called()[-1]) == (0, "", PAYLOAD)


def test_codex_commands_walk_up_but_not_out_of_the_repository(
    scene: Scene, tmp_path: Path
) -> None:
    """Codex names no project folder and may stand in a subfolder."""
    scene.install(hosts="codex")
    line = command(scene, named("codex"), "stop")
    below = scene.root / "a" / "b"
    below.mkdir(parents=True)
    assert scene.run(line, stdin=PAYLOAD, cwd=below).returncode == 0
    assert scene.called()[0] == str(scene.root)
    (scene.env / "called").unlink()
    nested = scene.root / "nested"
    nested.mkdir()
    scene.git("init", "-q", cwd=nested)
    for folder in (nested, tmp_path, Path("/")):
        done = scene.run(line, stdin=PAYLOAD, cwd=folder)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert scene.called() == []


def test_without_a_memory_no_tool_is_started(scene: Scene) -> None:
    scene.install()
    shutil.rmtree(scene.root / ".ai")
    assert scene.run([".claude/hooks/afterword-stop"], stdin=PAYLOAD).returncode == 0
    assert scene.called() == []


# The bytes that stand in projects under version control. A change here voids the trust
# that people gave (H19) and leaves old shims in every clone: make a new file name instead.
DIGESTS = "58b19835cca98306e8001fa9dd384486397ee50680ac1fd6f725fe1771a15d69"


def digest(texts: list[bytes]) -> str:
    return hashlib.sha256(b"\0".join(texts)).hexdigest()


def test_h19_shims_and_commands_never_change() -> None:
    """H19: no version, no hash, no path of an environment in what hosts trust."""
    texts = [shims.command()]
    for host in every():
        for event in EVENTS:
            texts += [shims.project_hook(host, event), shims.home_hook(host, event)]
            texts += [
                shims.project_command(host, event).encode(),
                shims.home_command(host, event).encode(),
            ]
    assert digest(texts) == DIGESTS


@pytest.mark.parametrize("interpreter", ["dash", "bash", "bash --posix", "busybox sh"])
def test_shims_are_plain_posix_sh(scene: Scene, interpreter: str) -> None:
    words = interpreter.split()
    if shutil.which(words[0]) is None:
        pytest.skip(f"not on this system: {words[0]}")
    scene.install(hosts="all")
    for host in every():
        done = scene.run([*words, str(shim(scene, host, "stop"))], stdin=PAYLOAD)
        assert (done.returncode, done.stderr, scene.called()[-1]) == (0, "", PAYLOAD)
        checked = subprocess.run(
            [*words, "-n", str(shim(scene, host, "stop"))], check=False
        )
        assert checked.returncode == 0
    done = scene.run([*words, ".ai/bin/afterword", "x"])
    assert (done.returncode, done.stderr) == (0, "")


def test_home_shims_serve_projects_without_hooks_of_their_own(
    scene: Scene, tmp_path: Path
) -> None:
    scene.install(scope="user")
    line = json.loads((scene.home / ".claude/settings.json").read_text())
    line = line["hooks"]["Stop"][0]["hooks"][0]["command"]
    below = scene.root / "a"
    below.mkdir()
    done = scene.run(line, stdin=PAYLOAD, cwd=below, CLAUDE_PROJECT_DIR=str(below))
    assert (done.returncode, done.stderr) == (0, "")
    assert scene.called()[0] == str(scene.root)
    (scene.env / "called").unlink()
    elsewhere = scene.run(line, stdin=PAYLOAD, cwd=tmp_path)
    assert (elsewhere.returncode, elsewhere.stderr, scene.called()) == (0, "", [])
    scene.install()
    twice = scene.run(line, stdin=PAYLOAD)
    assert (twice.returncode, twice.stderr, scene.called()) == (0, "", [])
