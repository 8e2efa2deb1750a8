"""Records of the shapes that the program and people write, for the merge tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from afterword.episode import events
from afterword.episode.session_record import SessionRecord
from afterword.knowledge.record import Candidate, promotion_hash
from afterword.merge import front, laws
from afterword.merge.laws import Merged
from afterword.store import template

Merge = Callable[[bytes, bytes, bytes], Merged | None]
FIXTURES = Path(__file__).resolve().parent.parent / "fixtures/evolution"
EPISODE = "e1"
RECORD = f"{EPISODE}-0a1b2c3d4e5f"
SHA = [f"{digit:x}" * 40 for digit in range(16)]


def candidate(identity: str = RECORD, **changes: Any) -> bytes:
    """A candidate as a derivation writes it."""
    values: dict[str, Any] = {
        "kind": "convention",
        "title": "Retry uploads at most three times",
        "description": "Recorded as a decision outside any task in episode e1.",
        "epistemics": "decided",
        "date": "2026-11-02",
        "tag": "decision",
        "sources": ("session:e1", "decision:t-1", f"commit:{SHA[9]}"),
    }
    return Candidate(id=identity, **{**values, **changes}).data()


def promoted(data: bytes, evidence: str, source: str = "", day: str = "") -> bytes:
    """The curated record that a promotion makes of a candidate."""
    text = data.decode().replace("status: candidate", "status: verified")
    if source:
        text = text.replace("\nrelations:", "\n    - " + source + "\nrelations:")
        if "\nrelations:" not in data.decode():
            text = text.replace("\n---\n\n", f"\n    - {source}\n---\n\n", 1)
    if day:
        text = text.replace("date: 2026-11-02", f"date: {day}")
    text += f"\n# Evidence\n\n{evidence}\n"
    fields = template.quick_fields(text.encode()) or {}
    body = template.body(text.encode())
    signed = promotion_hash(str(fields["title"]), str(fields["class"]), body)
    return text.replace("\n---\n\n", f"\npromoted: {signed}\n---\n\n", 1).encode()


def rejected(data: bytes, reason: str) -> bytes:
    """The candidate after a rejection."""
    text = data.decode().replace("status: candidate", "status: superseded")
    return f"{text}\n# Rejected\n\n{reason}\n".encode()


def session(
    closed_at: str = "2026-11-02T10:00:00.000Z",
    lines: Iterable[dict[str, Any]] = (),
    **changes: Any,
) -> bytes:
    """A session record as a close projects it."""
    values: dict[str, Any] = {
        "episode": EPISODE,
        "started_at": "2026-11-02T09:00:00.000Z",
        "outcome": "closed",
        "host": "claude-code",
        "branch": "main",
        "start_head": SHA[0],
        "head": SHA[1],
        "commits": (SHA[1],),
    }
    values = {**values, **changes, "closed_at": closed_at, "lines": tuple(lines)}
    return SessionRecord(**values).data()


def decided(text: str, why: str = "it was needed") -> dict[str, Any]:
    return {"event": events.DecisionRecorded._name, "decision": text, "why": why}


def asked(text: str) -> dict[str, Any]:
    return {"event": events.QuestionOpened._name, "question": text}


def answered(text: str, answer: str) -> dict[str, Any]:
    return {
        "event": events.QuestionResolved._name,
        "question": text,
        "answer": answer,
    }


def started(task: str, title: str) -> dict[str, Any]:
    return {"event": events.TaskStarted._name, "task_id": task, "title": title}


def finished(task: str, outcome: str) -> dict[str, Any]:
    return {"event": events.TaskFinished._name, "task_id": task, "outcome": outcome}


def real(name: str) -> bytes:
    """The one real evolution file whose name begins so."""
    (path,) = FIXTURES.glob(f"{name}*")
    return path.read_bytes()


def joined(merge: Merge, before: bytes, ours: bytes, theirs: bytes) -> Merged:
    """The merge of two sides, which is the same whichever of them is ours."""
    found, turned = merge(before, ours, theirs), merge(before, theirs, ours)
    assert found is not None and turned is not None
    assert found.data == swapped(turned.data)
    assert set(found.conflicts) == set(turned.conflicts)
    return found


def united(merge: Merge, before: bytes, ours: bytes, theirs: bytes) -> bytes:
    """The bytes of a merge without a conflict."""
    found = joined(merge, before, ours, theirs)
    assert found.conflicts == ()
    return found.data


def edit(data: bytes, old: str, new: str) -> bytes:
    """One person's change; the old text must be there once."""
    assert data.decode().count(old) == 1, f"{old!r} in {data.decode()}"
    return data.replace(old.encode(), new.encode())


def fields(data: bytes) -> dict[str, Any]:
    """The front matter of a file of the template's shape."""
    found = template.quick_fields(data)
    assert found is not None, data.decode()
    return found


def entry(data: bytes, key: str, *, bare: bool = False) -> str | None:
    """The lines of one key, with the comments above unless `bare`; line ends do not count."""
    parted = front.read(laws.lf(data.decode()))
    found = parted.get(key) if parted else None
    if found is None:
        return None
    return found.lines if bare else found.text


def swapped(data: bytes) -> bytes:
    """A text with markers, of whatever bytes, as the other side would see it."""
    out: list[str] = []
    ours: list[str] = []
    theirs: list[str] | None = None
    inside = False
    for line in laws.lines(data.decode("latin-1")):
        if laws.lf(line) == laws.OURS:
            inside, ours, theirs = True, [], None
            mark = line
        elif inside and laws.lf(line) == laws.MIDDLE and theirs is None:
            theirs, middle = [], line
        elif inside and laws.lf(line) == laws.THEIRS:
            out += [mark, *(theirs or []), middle, *ours, line]
            inside = False
        elif inside:
            (ours if theirs is None else theirs).append(line)
        else:
            out.append(line)
    return "".join(out).encode("latin-1")
