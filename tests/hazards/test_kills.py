"""HAZARDS H1: the host kills the hook; the next start finishes what it left."""

import random
import signal
import subprocess
import time

import pytest

from afterword.episode import events
from scene import Scene, as_json, command, stated

TURNS = 20


def killed(scene: Scene, event: str, session: str, after: float, number: int) -> None:
    """Run a hook and kill it `after` seconds, as a host does at its own end."""
    process = subprocess.Popen(
        command(event, scene.root),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=scene.env,
        cwd=scene.root,
        start_new_session=True,
    )
    assert process.stdin is not None
    process.stdin.write(as_json(stated(event, session, source="startup")))
    process.stdin.close()
    time.sleep(after)
    process.send_signal(number)
    process.wait(timeout=10)


def whole(scene: Scene) -> None:
    """No half file: each record ends as the template ends, each ledger line parses."""
    for text in (*scene.candidates.values(), *scene.records.values()):
        assert text.startswith("---\n")
        assert text.count("\n---\n") == 1
        assert text.endswith("\n")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_h1_an_end_killed_at_any_moment_is_finished_by_the_next_start(
    scene: Scene, number: int
) -> None:
    chance = random.Random(20260101 + number)
    for turn in range(TURNS):
        episode = f"e{turn}"
        scene.start(episode)
        for text in ("One", "Two", "Three"):
            scene.decide(episode, f"{text} of {turn}")
        scene.commit(f"Work\n\nFact: {turn}", **{"docs/adr/1.md": f"{turn}\n"})
        killed(scene, "session-end", episode, chance.uniform(0.005, 0.09), number)
        whole(scene)
    for turn in range(TURNS):  # three a start; those of which nobody was told stay open
        if scene.of(f"e{turn}", "session.ending"):
            for _ in range(TURNS):
                if not scene.is_open(f"e{turn}"):
                    break
                scene.start("next")
            assert not scene.is_open(f"e{turn}")
            assert scene.names(f"e{turn}").count("session.closed") == 1
        else:
            assert scene.is_open(f"e{turn}")
            scene.end(f"e{turn}")
    for turn in range(TURNS):
        found = [
            text
            for name, text in scene.candidates.items()
            if name.startswith(f"e{turn}-") and "class: convention" in text
        ]
        assert len(found) == 3, turn
        assert f"e{turn}" in scene.records
    whole(scene)
    scene.check_ledgers()
    began = time.monotonic()
    scene.start("last")
    assert time.monotonic() - began < 1, "no stale lock"


@pytest.mark.parametrize("event", ["session-start", "stop", "pre-compact"])
def test_h1_the_other_hooks_killed_at_any_moment(scene: Scene, event: str) -> None:
    chance = random.Random(event)
    scene.start("e1")
    for turn in range(TURNS):
        scene.decide("e1", f"Decision {turn}")
        killed(scene, event, "e1", chance.uniform(0.005, 0.07), signal.SIGKILL)
        scene.check_ledgers() if not _torn(scene) else None
        whole(scene)
    scene.compact("e1")
    scene.end("e1")
    assert len(scene.candidates) == TURNS
    assert not scene.is_open("e1")


def _torn(scene: Scene) -> bool:
    data = scene.ledger("e1").read_bytes()
    return not data.endswith(b"\n")


@pytest.mark.parametrize("step", range(1, 7))
def test_h1_killed_between_any_two_writes(scene: Scene, step: int) -> None:
    """The ledger is cut back to what stood there at each step, as a kill leaves it."""
    scene.start("e1")
    scene.decide("e1", "Survives")
    before = scene.ledger("e1").read_bytes().count(b"\n")
    opened = (scene.local / "open/e1.json").read_bytes()
    scene.end("e1")
    lines = scene.ledger("e1").read_bytes().splitlines(keepends=True)
    kept = lines[: before + step]
    scene.ledger("e1").write_bytes(b"".join(kept))
    (scene.local / "open/e1.json").write_bytes(opened)
    ending = any(b'"session.ending"' in line for line in kept)
    scene.start("e2")
    assert scene.is_open("e1") is not ending
    scene.end("e1")
    assert not scene.is_open("e1")
    assert len(scene.candidates) == 1
    assert list(scene.records) == ["e1"]
    assert scene.names("e1").count("session.closed") == 1


def test_f10_temps_of_a_killed_end_go_with_its_recovery(scene: Scene) -> None:
    """Those of another episode, whose writer may be alive, stay."""
    scene.start("e1")
    scene.decide("e1", "One")
    folder = scene.root / ".ai/repo/knowledge/candidates"
    folder.mkdir(parents=True)
    temps = [
        folder / f".{episode}-0123456789ab.md.999999.00c0ffee.tmp"
        for episode in ("e1", "e1-x", "e2")
    ]
    for path in temps:
        path.write_bytes(b"half")
    scene.log("e1", events.SessionEnding(reason="other"))
    scene.start("next")
    assert not scene.is_open("e1")
    assert [path.exists() for path in temps] == [False, True, True]
