"""Where the words go: closed, full and broken stdout and stderr; one JSON document only."""

import fcntl
import json
import os
import subprocess
import time

import pytest

from scene import EVENTS, Scene, as_json, command, stated

F_SETPIPE_SZ = 1031


def quiet(
    scene: Scene, event: str, redirections: str
) -> subprocess.CompletedProcess[bytes]:
    call = ["sh", "-c", f'"$@" {redirections}', "sh", *command(event, scene.root)]
    return subprocess.run(
        call,
        input=as_json(stated(event, "e1", source="startup", reason="other")),
        env=scene.env,
        cwd=scene.root,
        capture_output=True,
        timeout=10,
        check=False,
    )


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize(
    "redirections",
    [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full"],
)
def test_closed_and_full_streams(scene: Scene, event: str, redirections: str) -> None:
    """H8 and beyond: a descriptor that is missing is not replaced by a file of ours."""
    scene.start("e1")
    scene.decide("e1", "Kept")
    done = quiet(scene, event, redirections)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    scene.check_ledgers()
    for path in scene.local.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert b"hookSpecificOutput" not in data, path
            assert b"afterword session" not in data, path
    if "<&-" not in redirections:
        received = scene.of("e1", "provider.event.received")
        assert len(received) == 2
    if event == "session-end" and "<&-" not in redirections:
        assert len(scene.candidates) == 1


@pytest.mark.parametrize("redirections", ["2>&-", ">&-", "<&- >&- 2>&-"])
def test_a_closed_stream_and_git_at_work(scene: Scene, redirections: str) -> None:
    """The pipes to git must not take the place of a closed descriptor."""
    scene.start("e1")
    sha = scene.commit("x\n\nFact: kept", **{"docs/adr/1.md": "x\n"})
    done = quiet(scene, "session-end", redirections.replace("<&- ", ""))
    assert done.returncode == 0
    assert any(sha in text for text in scene.candidates.values())


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize("event", ["session-start", "session-end"])
def test_a_pipe_that_nobody_reads_is_full(
    scene: Scene, stream: str, event: str
) -> None:
    """A host that does not read must not hold the hook for ever."""
    scene.start("e1")
    scene.decide("e1", "Kept")
    reader, writer = os.pipe()
    fcntl.fcntl(writer, F_SETPIPE_SZ, 4096)
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, b"x" * 512)
    except BlockingIOError:
        os.set_blocking(writer, True)
    streams: dict[str, int] = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
    }
    streams[stream] = writer
    began = time.monotonic()
    process = subprocess.Popen(
        command(event, scene.root),
        stdin=subprocess.PIPE,
        env=scene.env,
        cwd=scene.root,
        **streams,
    )
    assert process.stdin is not None
    process.stdin.write(as_json(stated(event, "e1", source="startup", reason="other")))
    process.stdin.close()
    try:
        assert process.wait(timeout=6) == 0
    finally:
        process.kill()
        process.wait()
        os.close(reader)
        os.close(writer)
    assert time.monotonic() - began < 6
    if event == "session-end":
        assert not scene.is_open("e1")
        assert len(scene.candidates) == 1


@pytest.mark.parametrize("event", EVENTS)
def test_a_reader_that_went_away(scene: Scene, event: str) -> None:
    scene.start("e1")
    process = subprocess.Popen(
        command(event, scene.root),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=scene.env,
        cwd=scene.root,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stderr.close()
    process.stdin.write(as_json(stated(event, "e1", source="startup", reason="other")))
    process.stdin.close()
    assert process.wait(timeout=10) == 0
    assert len(scene.of("e1", "provider.event.received")) == 2


def test_h14_h15_a_start_answers_with_exactly_one_document(scene: Scene) -> None:
    for host in ("claude-code", "codex"):
        for source in ("startup", "resume", "clear", "compact", "fork"):
            ran = scene.start("e1", source, host=host)
            assert ran.out.endswith("\n")
            body = json.loads(ran.out)
            assert list(body) == ["hookSpecificOutput"]
            assert list(body["hookSpecificOutput"]) == [
                "hookEventName",
                "additionalContext",
            ]


@pytest.mark.parametrize("event", ["stop", "pre-compact", "session-end"])
def test_the_others_say_nothing_on_stdout(scene: Scene, event: str) -> None:
    scene.start("e1")
    scene.decide("e1", "Kept")
    ran = scene.hook(event, stated(event, "e1", reason="other"))
    assert ran.out == ""


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"},
        {"LC_ALL": "xx_YY.cp932", "LANG": "ja_JP.SJIS"},
        {"PYTHONIOENCODING": "ascii:strict", "PYTHONWARNINGS": "error"},
        {"PYTHONPATH": "/nowhere", "PYTHONHOME": "/nowhere", "PYTHONSTARTUP": "/x"},
    ],
)
def test_h22_no_locale_and_no_python_variable_matters(
    scene: Scene, env: dict[str, str]
) -> None:
    scene.git("checkout", "-q", "-b", "機能/設計-🎉")
    scene.env.update(env)
    payload = stated("session-start", "e1", source="startup", prompt="設計 🎉")
    data = json.dumps(payload, ensure_ascii=False).encode()
    text = scene.hook("session-start", data).briefing
    assert "機能/設計-🎉" in text
    scene.decide("e1", "タブは使わない 🎉 – “quoted”")
    ran = scene.end("e1")
    assert ran.code == 0
    (record,) = scene.candidates.values()
    assert 'title: "タブは使わない 🎉 – “quoted”"' in record
