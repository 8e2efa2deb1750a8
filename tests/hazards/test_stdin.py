"""HAZARDS A and B: whatever comes on stdin, a hook ends well and changes nothing else."""

import json
import os
import pty
import subprocess
import time
from typing import Any

import pytest

from scene import EVENTS, Ran, Scene, as_json, check_reply, command, stated

PAYLOAD = stated("stop", "e1", stop_hook_active=False)


def spawn(scene: Scene, event: str, stdin: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command(event, scene.root),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=scene.env,
        cwd=scene.root,
    )


def finish(event: str, process: subprocess.Popen[bytes], began: float) -> Ran:
    assert process.stdout is not None
    assert process.stderr is not None
    out, err = process.stdout.read(), process.stderr.read()
    code = process.wait(timeout=10)
    ran = Ran(code, out.decode(), err.decode(), time.monotonic() - began)
    check_reply(event, ran)
    return ran


# open, in pieces, closed ----------------------------------------------------------


@pytest.mark.parametrize("event", EVENTS)
def test_h6_the_pipe_is_never_closed(scene: Scene, event: str) -> None:
    """H6: hooks waited for the end of file for ever (8 hours in one report)."""
    if event == "session-end":
        scene.start("e1")
    began = time.monotonic()
    process = spawn(scene, event, subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(as_json(stated(event, "e1", source="startup", reason="other")))
    process.stdin.flush()
    ran = finish(event, process, began)
    process.stdin.close()
    assert ran.seconds < 1
    assert scene.of("e1", "provider.event.received")


def test_h6_nothing_at_all_comes(scene: Scene) -> None:
    began = time.monotonic()
    process = spawn(scene, "stop", subprocess.PIPE)
    ran = finish("stop", process, began)
    assert process.stdin is not None
    process.stdin.close()
    assert ran.seconds < 1
    assert len(ran.said) == 1
    assert len(scene.of("outside", "provider.event.failed")) == 1


def test_h6_a_busy_host_writes_late(scene: Scene) -> None:
    """Between starting a hook and writing to it a loaded machine may take its time."""
    began = time.monotonic()
    process = spawn(scene, "stop", subprocess.PIPE)
    assert process.stdin is not None
    time.sleep(0.4)
    process.stdin.write(as_json(PAYLOAD))
    process.stdin.flush()
    ran = finish("stop", process, began)
    process.stdin.close()
    assert ran.err == ""
    assert scene.names("e1").count("round.ended") == 1


@pytest.mark.parametrize("pause", [0.0, 0.01])
def test_h6_the_payload_comes_in_pieces(scene: Scene, pause: float) -> None:
    data = as_json(stated("stop", "e1", tail="x" * 40, nested={"a": [{"b": "}"}]}))
    began = time.monotonic()
    process = spawn(scene, "stop", subprocess.PIPE)
    assert process.stdin is not None
    size = 7 if pause == 0.0 else len(data) // 12
    for at in range(0, len(data), size):
        process.stdin.write(data[at : at + size])
        process.stdin.flush()
        time.sleep(pause)
    finish("stop", process, began)
    process.stdin.close()
    assert scene.names("e1").count("round.ended") == 1


def test_h6_a_payload_cut_short_is_a_failure_and_no_round(scene: Scene) -> None:
    began = time.monotonic()
    process = spawn(scene, "stop", subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(as_json(PAYLOAD)[:-5])
    process.stdin.flush()
    ran = finish("stop", process, began)
    process.stdin.close()
    assert ran.seconds < 1.2
    assert len(ran.said) == 1
    assert scene.names("e1") == []
    assert len(scene.of("outside", "provider.event.failed")) == 1


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("how", ["closed", "null", "terminal", "write-only"])
def test_h8_no_stdin_to_speak_of(scene: Scene, event: str, how: str) -> None:
    """H8: closed stdin, a terminal, an empty one: exit 0 and one line."""
    extra: dict[str, Any] = {}
    call = command(event, scene.root)
    opened: list[int] = []
    if how == "closed":
        call = ["sh", "-c", '"$@" <&-', "sh", *call]
        extra["stdin"] = subprocess.DEVNULL
    elif how == "terminal":
        opened = list(pty.openpty())
        extra["stdin"] = opened[1]
    elif how == "write-only":
        opened = [os.open("/dev/null", os.O_WRONLY)]
        extra["stdin"] = opened[0]
    else:
        extra["stdin"] = subprocess.DEVNULL
    done = subprocess.run(
        call,
        env=scene.env,
        cwd=scene.root,
        capture_output=True,
        timeout=5,
        check=False,
        **extra,
    )
    for descriptor in opened:
        os.close(descriptor)
    ran = Ran(done.returncode, done.stdout.decode(), done.stderr.decode(), 0.0)
    check_reply(event, ran)
    assert len(ran.said) == 1
    assert ran.out == ""
    assert len(scene.of("outside", "provider.event.failed")) == 1
    assert not (scene.local / "open").exists()


# bytes ----------------------------------------------------------------------------

GOOD = {
    "bom": b"\xef\xbb\xbf" + as_json(PAYLOAD),
    "bom and blanks": b"\xef\xbb\xbf\r\n  " + as_json(PAYLOAD) + b"\r\n\r\n",
    "utf-16 with a mark": json.dumps(PAYLOAD).encode("utf-16"),
    "utf-16 big endian": b"\xfe\xff" + json.dumps(PAYLOAD).encode("utf-16-be"),
    "invalid utf-8 in a value nobody reads": as_json(PAYLOAD)[:-1]
    + b', "prompt": "\xff\xfe\x80"}',
    "japanese and emoji": json.dumps(
        {**PAYLOAD, "prompt": "設計を決めた 🎉\\"}, ensure_ascii=False
    ).encode(),
    "lone surrogate, escaped": as_json(PAYLOAD)[:-1] + b', "prompt": "\\ud83d"}',
    "nul escaped": as_json(PAYLOAD)[:-1] + b', "prompt": "a\\u0000b"}',
    "raw control characters": as_json(PAYLOAD)[:-1] + b', "prompt": "a\tb\x01c"}',
    "empty key": as_json(PAYLOAD)[:-1] + b', "": 1}',
    "big number": as_json(PAYLOAD)[:-1] + b', "n": 1e999, "m": ' + b"9" * 400 + b"}",
    "one megabyte": as_json({**PAYLOAD, "last_assistant_message": "x" * (1 << 20)}),
}


@pytest.mark.parametrize("kind", GOOD)
def test_h21_h22_h23_a_payload_that_can_be_read_is(scene: Scene, kind: str) -> None:
    scene.hook("stop", GOOD[kind])
    assert scene.names("e1").count("round.ended") == 1


BAD = {
    "empty": b"",
    "blank": b" \n\t ",
    "nul bytes": b"\0" * 64,
    "text": b"hello",
    "array": b'[{"session_id":"e1"}]',
    "number": b"12",
    "string": b'"e1"',
    "null": b"null",
    "true": b"true",
    "two documents": as_json(PAYLOAD) * 2,
    "json lines": as_json(PAYLOAD) + b"\n" + as_json(PAYLOAD) + b"\n",
    "cut short": as_json(PAYLOAD)[:20],
    "single quotes": b"{'session_id': 'e1'}",
    "trailing comma": b'{"session_id":"e1",}',
    "comment": b'{"session_id":"e1"} // x',
    "not a number": b'{"session_id":"e1","n":NaN}',
    "infinity": b'{"session_id":"e1","n":-Infinity}',
    "deep arrays": b"[" * 100_000,
    "deep objects": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "deep inside": as_json(PAYLOAD)[:-1]
    + b',"x":'
    + b"[" * 60_000
    + b"]" * 60_000
    + b"}",
    "digits without end": b'{"session_id":"e1","n":' + b"9" * 100_000 + b"}",
    "random": bytes(range(256)) * 8,
    "half a mark": b"\xef\xbb",
    "gzip": b"\x1f\x8b\x08\x00" + b"\x00" * 40,
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("event", ["stop", "session-end"])
def test_a_payload_that_cannot_be_read(scene: Scene, kind: str, event: str) -> None:
    """Exit 0, one line, a receipt and a failure outside any episode, nothing else."""
    scene.start("e1")
    before = scene.ledger("e1").read_bytes()
    ran = scene.hook(event, BAD[kind])
    assert ran.out == ""
    assert len(ran.said) == 1, ran.err
    assert len(ran.err) < 600
    assert scene.ledger("e1").read_bytes() == before
    assert scene.names("outside") == [
        "provider.event.received",
        "provider.event.failed",
    ]
    assert scene.is_open("e1")


@pytest.mark.parametrize("kind", ["text", "deep objects", "nul bytes", "empty"])
def test_a_start_that_cannot_be_read_opens_nothing(scene: Scene, kind: str) -> None:
    ran = scene.hook("session-start", BAD[kind])
    assert len(ran.said) == 1
    assert not (scene.local / "open").exists()


def test_a_huge_payload_is_bounded_in_memory_and_time(scene: Scene) -> None:
    """64 MB on stdin: the hook does not read them all, and the host sees no hang."""
    data = as_json({**PAYLOAD, "last_assistant_message": "🎉" * (1 << 22)})
    began = time.monotonic()
    process = spawn(scene, "stop", subprocess.PIPE)
    assert process.stdin is not None
    try:
        for at in range(0, len(data), 1 << 16):
            process.stdin.write(data[at : at + (1 << 16)])
        process.stdin.close()
    except BrokenPipeError:
        pass
    ran = finish("stop", process, began)
    assert ran.seconds < 5
    scene.check_ledgers()


# wrong types of what is read ------------------------------------------------------

WRONG: list[object] = [
    None,
    True,
    0,
    -1,
    1.5,
    [],
    ["e1"],
    {},
    {"id": "e1"},
    "",
    " ",
    "\n",
    "x" * 10_000,
    "\ud83d",
    "é\u202e",
]


@pytest.mark.parametrize("event", EVENTS)
def test_wrong_types_for_every_key_that_is_read(scene: Scene, event: str) -> None:
    """H25 and what is like it: each read key, each wrong kind of value."""
    keys = (
        "session_id",
        "sessionId",
        "hook_event_name",
        "source",
        "reason",
        "trigger",
        "agent_id",
        "cwd",
        "transcript_path",
        "stop_hook_active",
    )
    scene.start("e1")
    for key in keys if event == "stop" else keys[::3]:
        payload = {**stated(event, "e1"), key: None}
        for value in WRONG if event == "stop" else WRONG[::4]:
            scene.hook(event, {**payload, key: value}, strict=False)
    scene.check_ledgers()
    scene.check_tree()


def test_h25_every_key_wrong_at_once(scene: Scene) -> None:
    for value in WRONG:
        payload = dict.fromkeys(
            [*stated("stop", "e1"), "cwd", "source", "agent"], value
        )
        for event in EVENTS:
            scene.hook(event, payload, strict=False)
    scene.check_ledgers()
    scene.check_tree()


@pytest.mark.parametrize(
    "cwd", [None, "", "/nowhere/at/all", "relative", "a\0b", 5, "x" * 5000]
)
@pytest.mark.parametrize("event", ["session-start", "session-end"])
def test_h25_a_cwd_that_leads_nowhere(scene: Scene, event: str, cwd: object) -> None:
    """Without a shim's --root the payload's cwd counts, else where the process runs."""
    call = command(event, None)
    ran = scene.hook(event, stated(event, "e1", cwd=cwd), call=call)
    if event == "session-start":
        assert "Episode e1" in ran.briefing
        assert scene.is_open("e1")


def test_h25_a_transcript_is_never_opened(scene: Scene) -> None:
    fifo = scene.root.parent / "fifo"
    os.mkfifo(fifo)
    for event in EVENTS:
        ran = scene.hook(event, stated(event, "e1", transcript_path=str(fifo)))
        assert ran.seconds < 2


def test_duplicate_keys_the_first_counts(scene: Scene) -> None:
    scene.hook(
        "stop",
        b'{"session_id":"first","session_id":"second","hook_event_name":"Stop"}',
    )
    assert scene.names("first").count("round.ended") == 1
    assert scene.names("second") == []


@pytest.mark.parametrize("value", [True, "true", 1, False, None, "yes"])
def test_h9_h10_stop_never_blocks(scene: Scene, value: object) -> None:
    for _ in range(3):
        payload = stated("stop", "e1", stop_hook_active=value)
        assert scene.hook("stop", payload).out == ""


def test_h9_fifty_stops_in_a_row(scene: Scene) -> None:
    for _ in range(50):
        assert scene.hook("stop", PAYLOAD, strict=False).out == ""
    assert (scene.local / "rounds").read_bytes() == b"." * 50
    scene.check_ledgers()


def test_h11_compaction_is_never_blocked(scene: Scene) -> None:
    for data in (b"\xef\xbb\xbf{}", b"", as_json(stated("pre-compact", "e1"))):
        ran = scene.hook("pre-compact", data)
        assert (ran.code, ran.out) == (0, "")


# recorded payloads ----------------------------------------------------------------

SESSION = "11111111-2222-4333-8444-555555555555"
COMMON = {
    "claude-code": {
        "session_id": SESSION,
        "transcript_path": f"/home/user/.claude/projects/-project/{SESSION}.jsonl",
        "prompt_id": "99999999-2222-4333-8444-555555555555",
    },
    "codex": {
        "session_id": SESSION,
        "transcript_path": "/home/user/.codex/sessions/2026/01/02/rollout-x.jsonl",
        "model": "a-model",
        "permission_mode": "bypassPermissions",
        "turn_id": "99999999-2222-4333-8444-555555555555",
    },
}
RECORDED: dict[str, dict[str, object]] = {
    "SessionStart": {
        "source": "startup",
        "context_tokens": 2678,
        "prompt_cache_likely_expired": True,
        "estimated_cache_write_usd": 0.01,
    },
    "Stop": {
        "stop_hook_active": True,
        "last_assistant_message": "Stub default reply.",
        "background_tasks": [],
        "session_crons": [],
    },
    "PreCompact": {"trigger": "manual", "custom_instructions": None},
    "SubagentStop": {
        "agent_id": "aeb4b606a68a26550",
        "agent_type": "",
        "stop_hook_active": False,
    },
    "SessionEnd": {"reason": "other"},
}


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_recorded_payloads_of_both_hosts(scene: Scene, host: str) -> None:
    """A session as it was recorded, placeholders for ids, paths and texts."""
    scene.host = host
    for name, own in RECORDED.items():
        event = {
            "SessionStart": "session-start",
            "PreCompact": "pre-compact",
            "SessionEnd": "session-end",
        }.get(name, "stop")
        payload = {**COMMON[host], "cwd": str(scene.root), "hook_event_name": name}
        scene.hook(event, {**payload, **own})
        if name == "SessionStart":
            scene.decide(SESSION, "Kept")
    assert list(scene.records) == [SESSION]
    assert len(scene.candidates) == 1
    text = scene.ledger(SESSION).read_text()
    assert "Stub default reply" not in text, "no value of the conversation is stored"
    assert "rollout" not in text
    (started,) = scene.of(SESSION, "session.started")
    assert (started["host"], started["source"]) == (host, "startup")
