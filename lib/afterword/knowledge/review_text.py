"""The bytes of a reviewed record: pure, from the candidate's bytes and a person's words.

What a person edited in the front matter stays as it is, comments, order and unknown
keys included; only the keys of the act change. The body is kept, and what the person
said is added below it.
"""

from __future__ import annotations

from afterword.errors import AfterwordError, StoreDamaged
from afterword.knowledge import record
from afterword.knowledge.shelf import Shelved
from afterword.model import Model
from afterword.store import frontmatter, jsonline, safe_text, secrets, template
from afterword.store.frontmatter import Remove
from afterword.store.secrets import Masked
from afterword.store.template import Plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from afterword.store.template import Value

EVIDENCE, REJECTED = "# Evidence", "# Rejected"
MAX_BYTES = 256 * 1024
_BEHIND = {"superseded_by": "status", "promoted": "provenance"}


class Terms(Model):
    """What a promotion sets: class, date (UTC day), and one more source or ""."""

    kind: str
    date: str
    source: str


def evidence(raw: bytes) -> Masked:
    """A person's evidence as it may be written: plain lines, secrets masked.

    `AfterwordError` when it is blank, too long, holds a line of a transcript or a
    merge marker.
    """
    return _words(raw, "evidence", "afterword knowledge promote ID < FILE")


def reason(text: str) -> Masked:
    """A reason for a rejection, under the same rules."""
    data = jsonline.clean(text).encode()
    return _words(data, "reason", "say it in other words")


def _words(raw: bytes, what: str, hint: str) -> Masked:
    if len(raw) > MAX_BYTES:
        raise AfterwordError(
            f"the {what} is longer than {MAX_BYTES} bytes",
            hint="keep the part that proves it, and name where the rest is",
            code=what,
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = raw.count(b"\n", 0, error.start) + 1
        raise AfterwordError(
            f"{what}, line {at}: is not UTF-8 text",
            hint=f"convert it: iconv -t UTF-8 FILE | {hint.removesuffix(' < FILE')}",
            code=what,
        ) from error
    # The template's own rules for a body: LF ends, no control characters.
    kept = template.body(template.render([], text)).decode().strip("\n")
    if not kept.strip():
        raise AfterwordError(
            f"no {what} was given: nobody can tell later why this was done",
            hint=hint,
            code=what,
        )
    for number, line in enumerate(kept.split("\n"), 1):
        _refuse_line(line, number, what)
    return secrets.mask(kept)


def _refuse_line(line: str, number: int, what: str) -> None:
    marker = safe_text.transcript_marker(line)
    if marker:
        raise AfterwordError(
            f"{what}, line {number}: begins with {marker!r}, as a transcript does;"
            " a conversation proves nothing",
            hint="say in your own words what shows that it holds",
            code="transcript",
        )
    if frontmatter.find_markers(line.encode()):
        raise AfterwordError(
            f"{what}, line {number}: looks like a merge marker",
            hint="indent that line",
            code="merge_markers",
        )


def promoted(found: Shelved, text: str, terms: Terms) -> bytes:
    """The curated record of a candidate."""
    data = _with_section(found.data, EVIDENCE, text)
    body = template.body(data)
    promotion = record.promotion_hash(found.text("title"), terms.kind, body)
    changes: dict[str, Value | Remove] = {
        "status": Plain("verified"),
        "class": Plain(terms.kind),
        "date": Plain(terms.date),
        "promoted": Plain(promotion),
    }
    return _edited(found, data, changes, terms.source)


def rejected(found: Shelved, text: str, by: str) -> bytes:
    """The candidate, marked as superseded and why."""
    data = _with_section(found.data, REJECTED, text)
    changes: dict[str, Value | Remove] = {"status": Plain("superseded")}
    if by:
        changes["superseded_by"] = Plain(by)
    return _edited(found, data, changes, "")


def _with_section(data: bytes, heading: str, text: str) -> bytes:
    """The file with a section at its end, in the file's own line ends."""
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    section = f"{heading}\n\n{text}\n".encode().replace(b"\n", newline)
    return data.rstrip(b"\r\n") + 2 * newline + section


def _edited(
    found: Shelved, data: bytes, changes: dict[str, Value | Remove], source: str
) -> bytes:
    """The front matter with these keys set, new ones where the template has them."""
    data = frontmatter.edit(data, changes, after=_BEHIND, path=found.path)
    return _with_source(found, data, source) if source else data


def _with_source(found: Shelved, data: bytes, source: str) -> bytes:
    """One more reference in `derived_from`: a line of its own, so that comments stay."""
    fields = frontmatter.parse(data, found.path)
    provenance = dict(fields["provenance"])
    provenance["derived_from"] = [*found.sources, source]
    wanted = {**fields, "provenance": provenance}
    inserted = _inserted(data, found.sources, source)
    try:
        if inserted and frontmatter.parse(inserted, found.path) == wanted:
            return inserted
    except StoreDamaged:
        pass  # another layout than lines: the whole key is written anew
    changed: dict[str, Value | Remove] = {"provenance": provenance}
    return frontmatter.edit(data, changes=changed, path=found.path)


def _inserted(data: bytes, sources: tuple[str, ...], source: str) -> bytes:
    """The file with a list item behind that of the last source; b"" where there is none."""
    last = sources[-1].encode() if sources else b""
    lines = data.splitlines(keepends=True)
    for at, line in enumerate(lines):
        item = line.strip()
        if last and item.startswith(b"- ") and last in item:
            indent = line[: line.index(b"- ")]
            newline = line[len(line.rstrip(b"\r\n")) :]
            reference = template.scalar(Plain(source)).encode()
            lines.insert(at + 1, indent + b"- " + reference + newline)
            return b"".join(lines)
    return b""
