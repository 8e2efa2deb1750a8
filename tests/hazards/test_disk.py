"""HAZARDS H32, H33: full, read-only and limited; and an environment with nothing in it."""

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scene import (
    EVENTS,
    HOOKS,
    TOOL,
    Ran,
    Scene,
    as_json,
    check_reply,
    command,
    make_scene,
    stated,
)

IS_ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(
    not IS_ROOT, reason="not on this system: mounting needs root"
)


def mounts() -> bool:
    return (
        IS_ROOT
        and shutil.which("unshare") is not None
        and subprocess.run(
            ["unshare", "-m", "true"], check=False, capture_output=True
        ).returncode
        == 0
    )


needs_mounts = pytest.mark.skipif(
    not mounts(), reason="not on this system: a mount namespace"
)


def in_namespace(scene: Scene, script: str, event: str, session: str) -> Ran:
    """Run a hook behind a mount that only it sees; `$R` is the repository."""
    payload = stated(event, session, source="startup", reason="other")
    done = subprocess.run(
        [
            "unshare",
            "-m",
            "sh",
            "-ec",
            f'{script}; exec "$@"',
            "sh",
            *command(event, scene.root),
        ],
        input=as_json(payload),
        env={**scene.env, "R": str(scene.root)},
        cwd="/",
        capture_output=True,
        timeout=20,
        check=False,
    )
    ran = Ran(done.returncode, done.stdout.decode(), done.stderr.decode(), 0.0)
    check_reply(event, ran)
    return ran


@needs_mounts
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("what", ["", "/.ai", "/.ai/local", "/.ai/repo", "/.git"])
def test_h33_read_only(scene: Scene, event: str, what: str) -> None:
    """Root ignores modes, so the tree is bound read-only; nothing persists, all go on."""
    (scene.root / ".ai/repo").mkdir()
    scene.start("e1")
    scene.decide("e1", "Kept")
    before = scene.ledger("e1").read_bytes()
    script = f'mount --bind "$R{what}" "$R{what}"; mount -o remount,ro,bind "$R{what}"'
    ran = in_namespace(scene, script, event, "e1")
    assert ran.out == "" or event == "session-start"
    if event == "session-start":
        assert "Episode e1" in ran.briefing
    if what in ("", "/.ai", "/.ai/local"):
        assert scene.ledger("e1").read_bytes() == before
        assert len(ran.said) == 1
    scene.check_ledgers()
    scene.end("e1")
    if scene.is_open("e1"):
        scene.start("e2")
    if not (what == "/.ai/repo" and event == "session-end"):
        assert len(scene.candidates) == 1


@needs_mounts
def test_h33_a_first_start_on_a_read_only_tree_is_briefed(scene: Scene) -> None:
    script = 'mount --bind "$R" "$R"; mount -o remount,ro,bind "$R"'
    ran = in_namespace(scene, script, "session-start", "e1")
    assert "Episode e1" in ran.briefing
    assert len(ran.said) == 1
    assert not scene.local.exists()


@pytest.mark.skipif(not IS_ROOT, reason="not on this system: changing to another user")
@pytest.mark.parametrize("event", EVENTS)
def test_h33_another_user_without_the_right_to_write(
    scene: Scene, event: str, tmp_path: Path
) -> None:
    if shutil.which("setpriv") is None:
        pytest.skip("not on this system: setpriv")
    scene.start("e1")
    scene.decide("e1", "Kept")
    for folder in [*tmp_path.parents, tmp_path]:
        if folder != Path("/") and folder != Path("/tmp"):
            folder.chmod(folder.stat().st_mode | 0o055)
    before = {p: p.read_bytes() for p in scene.local.rglob("*") if p.is_file()}
    call = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    readable = subprocess.run(
        [*call, sys.executable, "-I", "-S", "-c", "0"], check=False, capture_output=True
    )
    if readable.returncode != 0:
        pytest.skip("not on this system: an interpreter that others can read")
    ran = scene.hook(
        event,
        stated(event, "e1", source="startup", reason="other"),
        call=[*call, *command(event, scene.root)],
    )
    assert len(ran.said) == 1
    assert {p: p.read_bytes() for p in scene.local.rglob("*") if p.is_file()} == before


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Scene]:
    """A repository on a file system of 2 MB."""
    if not mounts():
        pytest.skip("not on this system: a mount namespace")
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)], check=True
    )
    try:
        yield make_scene(disk)
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(scene: Scene, leave: int) -> None:
    path = scene.root.parent / "filler"
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            size = file.tell()
        file.truncate(max(size - leave, 0))


@pytest.mark.parametrize("leave", [0, 4096, 8192, 16384])
def test_h32_a_full_disk(small: Scene, leave: int) -> None:
    """Exit 0, said in a line, no half file; with room again everything is derived."""
    scene = small
    scene.start("e1")
    for number in range(30):
        scene.decide("e1", f"Kept {number} " + "x" * 100)
    before = scene.ledger("e1").read_bytes()
    fill(scene, leave)
    for event in ("stop", "pre-compact", "session-end", "session-start"):
        ran = scene.hook(
            event, stated(event, "e1", source="resume", reason="other"), strict=False
        )
        if event == "session-start":
            assert "Episode e1" in ran.briefing
        if leave == 0:
            assert "No space left" in ran.err
    assert scene.ledger("e1").read_bytes().startswith(before)
    scene.check_ledgers()
    for text in scene.candidates.values():
        assert text == "" or text.endswith("\n")
    (scene.root.parent / "filler").unlink()
    scene.start("e1", "resume")
    scene.compact("e1")
    scene.end("e1")
    assert len(scene.candidates) == 30
    scene.check_ledgers()
    scene.no_litter()


# limits of the process ------------------------------------------------------------


def limit(kind: int, value: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(kind, (value, value))


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("size", [0, 100, 1500])
def test_h32_files_may_not_grow(scene: Scene, event: str, size: int) -> None:
    scene.start("e1")
    scene.decide("e1", "Kept " + "x" * 2000)
    before = scene.ledger("e1").read_bytes()
    ran = scene.hook(
        event,
        stated(event, "e1", source="startup", reason="other"),
        before=limit(resource.RLIMIT_FSIZE, size),
    )
    assert scene.ledger("e1").read_bytes().startswith(before)
    assert len(ran.said) >= 1
    scene.end("e1")
    if scene.is_open("e1"):
        scene.start("e2")
    assert len(scene.candidates) == 1
    scene.no_litter()


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("count", [4, 5, 6, 8, 12])
def test_few_descriptors(scene: Scene, event: str, count: int) -> None:
    scene.start("e1")
    scene.decide("e1", "Kept")
    scene.hook(
        event,
        stated(event, "e1", source="startup", reason="other"),
        before=limit(resource.RLIMIT_NOFILE, count),
    )
    scene.end("e1")
    if scene.is_open("e1"):
        scene.start("e2")
    assert not scene.is_open("e1")


@pytest.mark.parametrize("event", EVENTS)
def test_no_further_process_may_be_started(scene: Scene, event: str) -> None:
    """git cannot be started: what it would have told is missing, nothing else."""
    scene.start("e1")
    scene.decide("e1", "Kept")
    scene.commit("x")
    payload = stated(event, "e1", source="startup", reason="other")
    scene.hook(event, payload, env={**scene.env, "PATH": "/nowhere"})
    assert scene.of("e1", "provider.event.received")


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("megabytes", [64, 96])
def test_little_address_space(scene: Scene, event: str, megabytes: int) -> None:
    scene.start("e1")
    scene.decide("e1", "Kept")
    scene.hook(
        event,
        stated(event, "e1", source="startup", reason="other"),
        before=limit(resource.RLIMIT_AS, megabytes << 20),
    )
    assert len(scene.of("e1", "provider.event.received")) == 2


# an environment with nothing in it ------------------------------------------------

EMPTY: dict[str, str] = {}
ENVIRONMENTS = {
    "empty": EMPTY,
    "no HOME": {"PATH": "/usr/bin:/bin"},
    "HOME is a file": {"PATH": "/usr/bin:/bin", "HOME": "/dev/null"},
    "HOME is gone": {"PATH": "/usr/bin:/bin", "HOME": "/nowhere"},
    "empty PATH": {"PATH": "", "HOME": "/"},
    "PATH without git": {"PATH": "/nowhere", "HOME": "/"},
    "git of another repository": {
        "PATH": "/usr/bin:/bin",
        "GIT_DIR": "/nowhere/.git",
        "GIT_WORK_TREE": "/nowhere",
        "GIT_INDEX_FILE": "/nowhere/index",
        "GIT_OBJECT_DIRECTORY": "/nowhere/objects",
        "GIT_CEILING_DIRECTORIES": "/",
    },
    "git that traces": {
        "PATH": "/usr/bin:/bin",
        "GIT_TRACE": "1",
        "GIT_PAGER": "false",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": "touch /tmp/afterword-pwned",
    },
    "unknown entrypoint": {
        "PATH": "/usr/bin:/bin",
        "CLAUDE_CODE_ENTRYPOINT": "something-new",
        "CLAUDECODE": "1",
        "CLAUDE_PID": "not a number",
    },
    "a pid that is none": {"PATH": "/usr/bin:/bin", "CLAUDE_PID": "999999999999"},
}


@pytest.mark.parametrize("kind", ENVIRONMENTS)
def test_h41_h52_any_environment(scene: Scene, kind: str) -> None:
    """A whole session; with git out of reach dulwich reads, with neither nothing breaks."""
    env = ENVIRONMENTS[kind]
    scene.start("e1", env=env)
    scene.decide("e1", "Kept")
    sha = scene.commit("x\n\nFact: in a trailer", **{"docs/adr/1.md": "x\n"})
    scene.stop("e1", env=env)
    scene.compact("e1", env=env)
    ran = scene.end("e1", env=env)
    assert not scene.is_open("e1"), ran.err
    assert any("Kept" in text for text in scene.candidates.values())
    assert any(sha in text for text in scene.candidates.values()), ran.err


@pytest.mark.parametrize("kind", ["empty", "empty PATH", "PATH without git", "no HOME"])
@pytest.mark.parametrize("event", EVENTS)
def test_the_executables_themselves_in_any_environment(
    scene: Scene, kind: str, event: str
) -> None:
    """Run directly, as a person does: the shell line finds the interpreter by itself."""
    call = [str(HOOKS / event), "--root", str(scene.root)]
    ran = scene.hook(
        event,
        stated(event, "e1", source="startup"),
        call=call,
        env=ENVIRONMENTS[kind],
    )
    assert "not found" not in ran.err
    if event != "session-end":
        assert scene.of("e1", "provider.event.received")


def test_the_executables_from_elsewhere(scene: Scene, tmp_path: Path) -> None:
    payload = stated("stop", "e1", cwd=str(scene.root))
    scene.hook("stop", payload, call=["./stop"], cwd=HOOKS)
    scene.hook("stop", payload, call=["hooks/stop"], cwd=TOOL)
    scene.hook("stop", payload, call=["sh", "stop"], cwd=HOOKS)
    scene.hook("stop", payload, call=["sh", str(HOOKS / "stop")], cwd=tmp_path)
    assert scene.names("e1").count("round.ended") == 4


@pytest.mark.parametrize("event", EVENTS)
def test_h41_the_current_folder_is_gone(
    scene: Scene, tmp_path: Path, event: str
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    for call in (command(event, scene.root), command(event, None)):
        done = subprocess.run(
            ["sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh", *call],
            input=as_json(stated(event, "e1", source="startup")),
            env=scene.env,
            cwd=gone,
            capture_output=True,
            timeout=10,
            check=False,
        )
        gone.mkdir()
        ran = Ran(done.returncode, done.stdout.decode(), done.stderr.decode(), 0.0)
        check_reply(event, ran)
    assert len(scene.names("e1")) + len(scene.names("outside")) >= 1
