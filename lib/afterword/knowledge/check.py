"""`knowledge check`: what is wrong with the records, one finding for each fault.

Covers both shelves (spec/episodes 6.4). The rules of one record are pure; `run` reads
the shelves, looks all references up at once and puts the findings together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from afterword.errors import GitError
from afterword.finding import ERROR, INFO, Finding
from afterword.knowledge import record, references, remedies, schema, shelf
from afterword.knowledge.references import Known
from afterword.knowledge.shelf import CANDIDATES, CURATED, Shelved
from afterword.model import Model
from afterword.store import safe_text, secrets, template
from afterword.store.git import queries
from afterword.store.layout import Store

REJECTED = "# Rejected"
_CHUNK = 8000


class Report(Model):
    """How many records there are, how many of them fail, and everything that was found."""

    records: int
    failing: int
    findings: tuple[Finding, ...]


def run(store: Store, records: Iterable[Shelved] | None = None) -> Report:
    """Check every record of this worktree; `records` are its shelves where they were read before."""
    found = list(shelf.every(store) if records is None else records)
    known = references.collect(
        store,
        (text for one in found for text in (*one.sources, *one.targets)),
        (one.stem for one in found),
    )
    tracked = _tracked(store, found, known)
    findings = [*_duplicates(found)]
    for one in found:
        findings += of_record(one)
        findings += of_references(one, known, tracked=one.path in tracked)
    failing = {finding.path for finding in findings if finding.severity == ERROR}
    return Report(records=len(found), failing=len(failing), findings=tuple(findings))


def _tracked(store: Store, found: Iterable[Shelved], known: Known) -> frozenset[str]:
    """Those files that git brought or will carry; asked only for episodes that are not known here."""
    foreign = [one.path for one in found if minted_by(one.stem) not in known.sessions]
    try:
        return queries.tracked(store.place, foreign) if foreign else frozenset()
    except GitError:
        return frozenset()


def minted_by(identity: str) -> str:
    """The episode in an id of the form `<episode>-<12 hex>`."""
    episode, _, digest = identity.rpartition("-")
    is_minted = len(digest) == 12 and not digest.strip("0123456789abcdef")
    return episode if is_minted else ""


def of_record(one: Shelved) -> Iterator[Finding]:
    """What is wrong with one record by itself; pure."""
    if one.fields is None:
        code = "merge_markers" if one.markers else "shape"
        yield _at(one, code, one.problem, one.line)
        return
    _, problems = schema.validate(one.fields)
    for problem in problems:
        yield _at(one, problem.code, problem.message, one.line_of(problem.key))
    yield from _name(one)
    yield from _status(one)
    yield from _provenance(one)
    yield from _promotion(one)
    yield from _texts(one)


def _at(one: Shelved, code: str, message: str, line: int) -> Finding:
    return Finding(
        severity=ERROR,
        code=code,
        path=one.path,
        line=line,
        message=message,
        fix=remedies.of(code, one),
    )


def _name(one: Shelved) -> Iterator[Finding]:
    identity = one.text("id")
    if not record.is_id(one.stem):
        yield _at(one, "id", f"{one.stem!r} is no id, so it cannot name a record", 1)
    elif record.is_id(identity) and identity != one.stem:
        line = one.line_of("id")
        yield _at(one, "id", f"id is {identity}, but the file is {one.stem}.md", line)


def _status(one: Shelved) -> Iterator[Finding]:
    """Each status has its shelf; a rejected record says why or what replaces it."""
    status, replaced = one.text("status"), one.text("superseded_by")
    line = one.line_of("status")
    if one.shelf == CANDIDATES and status == "verified":
        text = "verified among the candidates: only promote makes a record verified"
        yield _at(one, "status", text, line)
    elif one.shelf == CURATED and status == "candidate":
        yield _at(one, "status", "a candidate among the curated records", line)
    if status == "superseded" and not replaced and not _has_heading(one, REJECTED):
        text = f"superseded, with neither superseded_by nor {REJECTED}"
        yield _at(one, "superseded", text, line)
    if replaced and status != "superseded":
        text = f"superseded_by is {replaced}, but the status is {status}"
        yield _at(one, "superseded_by", text, one.line_of("superseded_by"))


def _has_heading(one: Shelved, heading: str) -> bool:
    return any(line.rstrip() == heading for line in one.body.split("\n"))


def _provenance(one: Shelved) -> Iterator[Finding]:
    provenance = (one.fields or {}).get("provenance")
    origin = provenance.get("origin") if isinstance(provenance, dict) else None
    if one.text("status") == "verified" and origin is None:
        line = one.line_of("provenance")
        yield _at(one, "provenance", "verified, and says nothing of its origin", line)
    if origin == "extracted" and not one.sources:
        text = "extracted, and names nothing that it was derived from"
        yield _at(one, "provenance", text, one.line_of("provenance"))


def _promotion(one: Shelved) -> Iterator[Finding]:
    """Whether a verified record still says what a person stood behind."""
    if one.shelf != CURATED or one.text("status") != "verified":
        return
    kept = one.text("promoted")
    if not kept:
        yield Finding(
            severity=INFO,
            code="promoted",
            path=one.path,
            line=1,
            message="was not promoted here, so no briefing quotes it",
            fix=remedies.of("promoted", one),
        )
        return
    body = template.body(one.data)
    if kept != record.promotion_hash(one.text("title"), one.text("class"), body):
        text = "title, class or body were changed since it was promoted, so no briefing quotes it"
        yield _at(one, "promoted", text, one.line_of("promoted"))


def _texts(one: Shelved) -> Iterator[Finding]:
    """Transcript markers and secrets in title, description and body."""
    for key in ("title", "description"):
        yield from _text(one, one.text(key), one.line_of(key), key)
    first = one.first_body_line
    lines = one.body.split("\n")
    for offset, line in enumerate(lines):
        marker = safe_text.transcript_marker(line)
        if marker:
            text = f"a line begins with {marker!r}, as a transcript does"
            yield _at(one, "transcript", text, first + offset)
    for offset, chunk in _chunks(lines):
        kind = secrets.hits_prefix(chunk)
        if kind:
            yield _at(
                one,
                "secret",
                f"holds what looks like a secret ({kind})",
                first + offset,
            )


def _text(one: Shelved, text: str, line: int, key: str) -> Iterator[Finding]:
    marker = safe_text.transcript_marker(text)
    if marker:
        message = f"the {key} begins with {marker!r}, as a transcript does"
        yield _at(one, "transcript", message, line)
    kind = secrets.hits_prefix(text)
    if kind:
        message = f"the {key} holds what looks like a secret ({kind})"
        yield _at(one, "secret", message, line)


def _chunks(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The lines in pieces that can be searched, each with the offset of its first line."""
    start, size = 0, 0
    for offset, line in enumerate(lines):
        if size and size + len(line) > _CHUNK:
            yield start, "\n".join(lines[start:offset])
            start, size = offset, 0
        size += len(line) + 1
    yield start, "\n".join(lines[start:])


def of_references(one: Shelved, known: Known, *, tracked: bool) -> Iterator[Finding]:
    """What a record refers to and nobody can find; pure."""
    episode = minted_by(one.stem)
    for key, texts in (("provenance", one.sources), ("relations", one.targets)):
        for text in dict.fromkeys(texts):
            found = references.parse(text)
            if key == "provenance" and found and found.kind not in record.SOURCES:
                severity, message = (
                    ERROR,
                    f"{text}: nothing is derived from a {found.kind}",
                )
            else:
                severity, message = references.judge(
                    text, known, minted_by=episode, tracked=tracked
                )
            if severity:
                yield Finding(
                    severity=severity,
                    code="reference",
                    path=one.path,
                    line=_line_with(one, text),
                    message=message,
                    fix=remedies.of("reference", one) if severity == ERROR else "",
                )


def _line_with(one: Shelved, text: str) -> int:
    """The line of the front matter that holds a reference."""
    wanted = text.encode()
    for number, line in enumerate(one.data.splitlines(), 1):
        if wanted in line:
            return number
    return 1


def _duplicates(found: Iterable[Shelved]) -> Iterator[Finding]:
    """One id in several files, each of which is named."""
    by_id: defaultdict[str, list[Shelved]] = defaultdict(list)
    for one in found:
        by_id[one.text("id") or one.stem].append(one)
    for identity, files in by_id.items():
        for one in files if len(files) > 1 else ():
            others = ", ".join(other.path for other in files if other is not one)
            text = f"id {identity} is also that of {others}"
            yield _at(one, "duplicate_id", text, one.line_of("id"))
