"""The ledger's lines: the envelope, torn tails at every byte, readers that never fail."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterword.episode import events, ledger
from afterword.errors import AfterwordError
from afterword.model import Model
from afterword.store.git.head import Head
from scene import Scene, make_scene

HEAD = Head(sha="a" * 40, branch="main")


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return make_scene(tmp_path)


# 282 the envelope -----------------------------------------------------------------


def test_282_the_envelope_comes_first_and_in_order(scene: Scene) -> None:
    ledger.append(scene.store, "e1", events.RoundEnded(), HEAD)
    (line,) = scene.lines("e1")
    assert list(line) == ["ts", "event", "head", "branch", "by", "session"]
    ledger.append(scene.store, ledger.OUTSIDE, events.RoundEnded(), HEAD)
    assert "session" not in scene.lines("outside")[0]


@pytest.mark.parametrize("name", events.ENVELOPE)
def test_282_the_ledger_envelope_is_reserved(scene: Scene, name: str) -> None:
    """12.7: no event's own field may be named like the envelope's."""
    kind = type(
        "Bad", (events.Event,), {"__annotations__": {name: "str"}, "_name": "x.y"}
    )
    events.EVENTS["x.y"] = kind
    try:
        with pytest.raises(AfterwordError, match=f"{name} is a name of the envelope"):
            ledger.append(scene.store, "e1", kind(**{name: "v"}), HEAD)
    finally:
        del events.EVENTS["x.y"]
    assert scene.lines("e1") == []


def test_282_no_event_has_such_a_field_and_all_have_a_good_name() -> None:
    for name, kind in events.EVENTS.items():
        assert not set(kind._fields) & set(events.ENVELOPE), name
        noun, _, verb = name.rpartition(".")
        assert noun
        assert verb.isalpha()
        assert kind._name == name


def test_unknown_events_are_refused(scene: Scene) -> None:
    class Unknown(events.Event):
        _name = "never.registered"

    class Impostor(events.Event):
        _name = "round.ended"

    for kind in (Unknown, Impostor, events.Event):
        with pytest.raises(AfterwordError, match="not an event of the ledger"):
            ledger.append(scene.store, "e1", kind(), HEAD)
    assert not scene.ledger("e1").exists()


def test_13_quoted_text_never_looks_like_an_envelope(scene: Scene) -> None:
    """13: a raw substring test on the stamp; here the text itself tries."""
    text = '","session":"e2","event":"session.closed" {"event":"round.ended"}'
    scene.log("e1", events.DecisionRecorded(decision=text, why=text))
    assert ledger.tail_since(str(scene.ledger("e1")), "session.closed") is None
    assert ledger.tail_since(str(scene.ledger("e1")), "round.ended") is None
    assert scene.lines("e1")[0]["decision"] == text


def test_absent_fields_are_not_written_and_verify_always_is() -> None:
    assert "verify" in events.TaskFinished(task_id="t", outcome="partial").fields()
    assert events.SessionStarted(host="x").fields() == {"host": "x", "source": ""}


# H30 torn tails -------------------------------------------------------------------


def test_h30_truncated_at_every_byte_of_the_last_line(scene: Scene) -> None:
    path = scene.ledger("e1")
    scene.decide("e1", "First")
    first = path.read_bytes()
    scene.decide("e1", "Zweite – 🎉 mit Umlauten äöü")
    whole = path.read_bytes()
    for cut in range(len(first), len(whole) + 1):
        path.write_bytes(whole[:cut])
        scene.decide("e1", "Third")
        found = ledger.read(str(path))
        texts = [line["decision"] for line in found.lines]
        assert texts[0] == "First"
        assert texts[-1] == "Third"
        complete = cut >= len(whole) - 1
        assert len(texts) == 2 + complete
        assert len(found.torn) == (0 if complete or cut == len(first) else 1)
        assert path.read_bytes().startswith(whole[:cut]), "torn bytes are kept"


@given(st.binary(max_size=400), st.binary(max_size=400))
def test_any_bytes_can_be_read(before: bytes, after: bytes) -> None:
    good = b'{"ts":"2026-01-01T00:00:00Z","event":"round.ended"}'
    found = ledger.parse(before + b"\n" + good + b"\n" + after)
    assert {"ts": "2026-01-01T00:00:00Z", "event": "round.ended"} in found.lines
    total = (before + b"\n" + good + b"\n" + after).split(b"\n")
    assert len(found.lines) + len(found.torn) == sum(bool(raw.strip()) for raw in total)


@pytest.mark.parametrize("padding", [0, 100, 1 << 15, 1 << 16, (1 << 17) + 7])
def test_the_tail_is_found_wherever_the_file_is_cut(
    tmp_path: Path, padding: int
) -> None:
    def line(event: str, **more: str) -> bytes:
        return json.dumps(
            {"ts": "2026-01-01T00:00:00Z", "event": event, **more},
            separators=(",", ":"),
        ).encode()

    path = tmp_path / "x.jsonl"
    lines = [line("a.b"), line("k.d", n="1"), line("a.b"), line("k.d", n="2")]
    path.write_bytes(b"\n".join([*lines, line("a.b", p="x" * padding), b""]))
    found = ledger.tail_since(str(path), "k.d")
    assert found is not None
    assert found[0]["n"] == "2"
    assert [one["event"] for one in found] == ["k.d", "a.b"]
    assert ledger.tail_since(str(path), "never.seen") is None
    assert ledger.tail_since(str(tmp_path / "none"), "k.d") is None


def test_a_short_write_is_cut_back(scene: Scene) -> None:
    import resource
    import subprocess
    import sys

    scene.decide("e1", "First")
    before = scene.ledger("e1").read_bytes()
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from afterword.episode import ledger\n"
        "try:\n ledger.append_line(sys.argv[2], b'x'*500+b'\\n', True)\n"
        "except OSError as error: print(error.errno)\n"
    )
    lib = str(Path(ledger.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code, lib, str(scene.ledger("e1"))],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (len(before) + 100, len(before) + 100)
        ),
    )
    assert done.stdout.strip() in ("27", "28")
    assert scene.ledger("e1").read_bytes() == before
    assert os.path.exists(scene.ledger("e1"))
    assert issubclass(events.Event, Model)
