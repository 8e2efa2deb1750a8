"""HAZARDS C on the hook's path: many at once, torn lines, held and dead locks."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scene import TOOL, Scene, as_json, command, make_scene, stated


def launch(scene: Scene, event: str, session: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        command(event, scene.root),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=scene.env,
        cwd=scene.root,
    )
    assert process.stdin is not None
    process.stdin.write(as_json(stated(event, session, source="startup", reason="x")))
    process.stdin.close()
    process.stdin = None
    return process


def finish(running: list[subprocess.Popen[bytes]]) -> list[tuple[bytes, bytes]]:
    said = []
    for process in running:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0
        assert b"Traceback" not in err
        said.append((out, err))
    return said


@pytest.mark.parametrize("turn", range(3))
def test_12_10_twenty_first_starts_at_once(scene: Scene, turn: int) -> None:
    """In a repository that has never seen us: one local half, none moved aside."""
    said = finish([launch(scene, "session-start", f"e{n}") for n in range(20)])
    for out, err in said:
        json.loads(out)
        assert err == b""
    assert [p.name for p in (scene.root / ".ai").glob("local*")] == ["local"]
    for number in range(20):
        assert scene.is_open(f"e{number}")
        assert scene.names(f"e{number}") == [
            "provider.event.received",
            "session.started",
        ]
    scene.check_ledgers()
    scene.no_litter()


def test_one_session_started_many_times_at_once(scene: Scene) -> None:
    finish([launch(scene, "session-start", "e1") for _ in range(10)])
    assert scene.names("e1").count("session.started") == 1
    assert scene.names("e1").count("provider.event.received") == 10


def test_h27_stops_at_once_lose_no_line(scene: Scene) -> None:
    scene.start("e1")
    for _ in range(3):
        finish([launch(scene, "stop", "e1") for _ in range(12)])
    assert scene.names("e1").count("round.ended") == 36
    assert (scene.local / "rounds").read_bytes() == b"." * 36
    scene.no_litter()


def test_h29_two_ends_in_two_worktrees_at_one_instant(
    scene: Scene, tmp_path: Path
) -> None:
    scene.commit("memory")
    scene.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    other = Scene(tmp_path / "side", tmp_path / "home")
    for one, name in ((scene, "e1"), (other, "e2")):
        one.start(name)
        one.decide(name, f"Of {name}")
    finish([launch(scene, "session-end", "e1"), launch(other, "session-end", "e2")])
    assert [name[:2] for name in scene.candidates] == ["e1"]
    assert [name[:2] for name in other.candidates] == ["e2"]
    assert not scene.ledger("e2").exists()
    scene.check_ledgers()
    other.check_ledgers()


def test_ends_of_many_episodes_at_once(scene: Scene) -> None:
    for number in range(8):
        scene.start(f"e{number}")
        scene.decide(f"e{number}", f"Of {number}")
    finish([launch(scene, "session-end", f"e{number}") for number in range(8)])
    assert len(scene.candidates) == 8
    assert len(scene.records) == 8
    scene.no_litter()


# torn lines -----------------------------------------------------------------------


def test_h30_a_torn_tail_costs_one_line_only(scene: Scene) -> None:
    """Cut at every byte of the last line, inside a character too; then go on."""
    scene.start("e1")
    scene.decide("e1", "Kept before")
    whole = scene.ledger("e1").read_bytes()
    scene.decide("e1", "Überlegung 🎉 torn")
    longer = scene.ledger("e1").read_bytes()
    scene.end("e1", strict=False)
    for cut in range(len(whole) + 1, len(longer), 17):
        fresh = f"c{cut}"
        data = longer[:cut].replace(b'"session":"e1"', f'"session":"{fresh}"'.encode())
        scene.ledger(fresh).write_bytes(data)
        scene.hook("stop", stated("stop", fresh), strict=False)
        scene.decide(fresh, "Kept after")
        scene.hook("pre-compact", stated("pre-compact", fresh), strict=False)
        texts = "".join(
            text for name, text in scene.candidates.items() if name.startswith(fresh)
        )
        assert "Kept before" in texts
        assert "Kept after" in texts


def test_h30_a_whole_line_without_its_newline_is_kept(scene: Scene) -> None:
    scene.start("e1")
    scene.decide("e1", "Without a newline")
    path = scene.ledger("e1")
    path.write_bytes(path.read_bytes()[:-1])
    scene.end("e1")
    assert "Without a newline" in next(iter(scene.candidates.values()))


@pytest.mark.parametrize(
    "damage",
    [
        b"\0" * 4096,
        b"\xff\xfe\xfd\n",
        b"<<<<<<< HEAD\n=======\n>>>>>>> other\n",
        b"{}\n[]\nnull\n1\n",
        b'{"ts":"garbage","event":"session.started","session":"e1"}\n',
        b'{"ts":5,"event":"session.started","session":"e1"}\n',
        b'{"ts":"2026-01-01T00:00:00Z","event":"decision.recorded","session":"e1","decision":5}\n',
        b'{"ts":"2026-01-01T00:00:00Z","event":"task.finished","session":"e1","verify":[1]}\n',
        b'{"ts":"2026-01-01T00:00:00Z","event":"knowledge.derived","session":"e1","paths":5,"hashes":{},"written":"x"}\n',
        b'{"ts":"2026-01-01T00:00:00Z","event":"session.ending","session":"e1","last_sign":5,"outcome":[]}\n',
        b'{"ts":"9999-99-99T00:00:00Z","event":"session.closed","session":"e1"}\n',
        b'{"ts":"2026-01-01T00:00:00Z","event":"question.resolved","session":"e1","question":null,"answer":{"a":1}}\n',
        b"[" * 5000 + b"\n",
    ],
)
@pytest.mark.parametrize("where", ["before", "after"])
def test_h30_h44_damage_in_a_ledger_stops_nothing(
    scene: Scene, damage: bytes, where: str
) -> None:
    scene.start("e1")
    scene.decide("e1", "Kept")
    path = scene.ledger("e1")
    data = path.read_bytes()
    path.write_bytes(damage + data if where == "before" else data + damage)
    scene.compact("e1", strict=False)
    scene.stop("e1", strict=False)
    scene.end("e1", strict=False)
    if scene.is_open("e1"):
        scene.start("e2", strict=False)
    assert not scene.is_open("e1")
    assert any("Kept" in text for text in scene.candidates.values())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0\0\0",
        b"{}",
        b"[]",
        b'{"episode":"old","host":1,"started_at":5}',
        b'{"episode":"old","host":"x","started_at":"never","process":7}',
        b'{"episode":"another","host":"x","started_at":"2026-01-01T00:00:00.000Z"}',
        b'{"episode":"old","host":"x","started_at":"2026-01-01T00:00:00.000Z","branch":[1]}',
        b'{"episode":"old"',
    ],
)
def test_h34_a_damaged_open_file_poisons_nobody(scene: Scene, content: bytes) -> None:
    """It was made without a sync; what its ledger holds is derived all the same."""
    scene.start("old")
    scene.decide("old", "Not forgotten")
    (scene.local / "open/old.json").write_bytes(content)
    ran = scene.start("new")
    assert ran.err == ""
    scene.decide("new", "Fine")
    scene.commit("x", **{"docs/adr/1.md": "x"})
    assert "knowledge derived: 1" in scene.end("new").err
    assert "knowledge derived: 1" in scene.end("old").err
    assert not scene.is_open("old")


# locks ----------------------------------------------------------------------------


def hold(*paths: Path) -> list[int]:
    held = []
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        held.append(descriptor)
    return held


def every_lock(scene: Scene) -> list[int]:
    names = [f"episode-{number:02d}" for number in range(64)]
    return hold(*(scene.local / "locks" / name for name in [*names, "state"]))


@pytest.mark.parametrize(
    "event", ["session-start", "stop", "pre-compact", "session-end"]
)
def test_h17_h37_a_held_lock_is_not_waited_for(scene: Scene, event: str) -> None:
    """Under 500 ms with one reason on stderr; nothing is lost, the next one does it."""
    scene.start("e1")
    scene.decide("e1", "Deferred at most")
    held = every_lock(scene)
    session = "e2" if event == "session-start" else "e1"
    ran = scene.hook(event, stated(event, session, source="startup", reason="x"))
    for descriptor in held:
        os.close(descriptor)
    assert ran.seconds < 0.7
    if event == "session-start":
        assert "Episode e2" in ran.briefing
        assert len(ran.said) == 1
    if event == "session-end":
        assert len(ran.said) == 1
        assert scene.is_open("e1")
    scene.compact("e1")
    scene.end("e1")
    assert len(scene.candidates) == 1


def test_h37_a_held_ledger_lock_is_waited_for_100_ms(scene: Scene) -> None:
    scene.start("e1")
    (held,) = hold(scene.ledger("e1"))
    ran = scene.stop("e1")
    os.close(held)
    assert ran.seconds < 0.7
    assert scene.names("e1").count("round.ended") == 1


def test_h34_a_killed_holder_leaves_no_lock(scene: Scene) -> None:
    """12.14, 12.15 and H34: OS locks die with their holder; zero-byte files are no locks."""
    scene.start("e1")
    code = (
        "import fcntl,os,sys,time\n"
        "d=os.open(sys.argv[1],os.O_RDWR|os.O_CREAT)\n"
        "fcntl.flock(d,fcntl.LOCK_EX)\nprint('held',flush=True)\ntime.sleep(60)\n"
    )
    (scene.local / "locks").mkdir(exist_ok=True)
    holders = []
    for number in range(0, 64, 8):
        path = scene.local / "locks" / f"episode-{number:02d}"
        holders.append(
            subprocess.Popen(
                [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE
            )
        )
    for holder in holders:
        assert holder.stdout is not None
        holder.stdout.readline()
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        holder.stdout.close()
    began = time.monotonic()
    scene.decide("e1", "Goes on")
    scene.end("e1")
    assert time.monotonic() - began < 1
    assert len(scene.candidates) == 1


def test_h36_a_lock_is_not_inherited_by_children() -> None:
    """A child of the holder must not keep the lock alive."""
    code = """
import os, subprocess, sys, tempfile
sys.path.insert(0, sys.argv[1])
from afterword.store.git.head import GitPlace
from afterword.store.layout import Store
from afterword.store.locks import Lock
root = tempfile.mkdtemp()
place = GitPlace(root=root, git_dir=root, common_dir=root)
with Lock(Store(place=place), "x"):
    child = subprocess.Popen(["sleep", "20"], close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(child.pid, root, flush=True)
    os._exit(0)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(TOOL / "lib")],
        capture_output=True,
        text=True,
        check=True,
    )
    pid, root = done.stdout.split()
    try:
        descriptor = os.open(f"{root}/.ai/local/locks/x", os.O_RDWR)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(descriptor)
    finally:
        os.kill(int(pid), signal.SIGKILL)
    assert pid


def test_h54_two_sessions_interleaved_never_mix(scene: Scene) -> None:
    for turn in range(3):
        for name in ("a", "b"):
            if turn == 0:
                scene.start(name)
            scene.decide(name, f"{name} {turn}")
            scene.stop(name)
            scene.compact(name)
    scene.end("a")
    scene.decide("b", "b last")
    scene.end("b")
    for name, count in (("a", 3), ("b", 4)):
        mine = {
            key: text
            for key, text in scene.candidates.items()
            if key.startswith(f"{name}-")
        }
        assert len(mine) == count
        assert all(f"session:{name}\n" in text for text in mine.values())


def test_a_second_scene_shares_nothing(tmp_path: Path, scene: Scene) -> None:
    (tmp_path / "two").mkdir()
    other = make_scene(tmp_path / "two")
    scene.start("e1")
    other.start("e1")
    scene.decide("e1", "Here")
    scene.end("e1")
    other.end("e1")
    assert other.candidates == {}
