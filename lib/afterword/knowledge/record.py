"""A knowledge record: one assertion with class, status, epistemics and provenance.

The shape of a candidate, the closed sets of its values, and its id (spec/episodes
4.3, 4.4). Pure; part of a hook's path: standard library only.
"""

from afterword.model import TYPE_CHECKING, Model
from afterword.store import digest, template
from afterword.store.template import Plain

if TYPE_CHECKING:
    from afterword.store.template import Value

SCHEMA, KIND = "knowledge/v1", "knowledge"
CLASSES = ("fact", "convention", "constraint", "memory", "lesson")
STATUSES = ("candidate", "verified", "superseded")
EPISTEMICS = ("observed", "inferred", "decided")
ORIGINS = ("authored", "extracted")
RELATIONS = (
    "relates_to",
    "depends_on",
    "documents",
    "supports",
    "contradicts",
    "supersedes",
    "derived_from",
)
SOURCES = ("decision", "session", "commit", "issue", "task", "file", "test")
KEYS = (
    "schema",
    "id",
    "kind",
    "class",
    "title",
    "description",
    "status",
    "superseded_by",
    "epistemics",
    "date",
    "tags",
    "provenance",
    "promoted",
    "relations",
)
_FIRST = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_NAME = _FIRST | frozenset("._-")


class Section(Model):
    """A part of the body below the description: a level-two heading and its text."""

    heading: str
    text: str


class Candidate(Model):
    """What one line of evidence asserts, before a person stood behind it.

    `sources` are `<kind>:<identity>` references, the episode first; `files` the
    watched paths that the record relates to.
    """

    id: str
    kind: str
    title: str
    description: str
    epistemics: str
    date: str
    tag: str
    sources: "tuple[str, ...]"
    files: "tuple[str, ...]" = ()
    sections: "tuple[Section, ...]" = ()

    @property
    def texts(self) -> "tuple[str, ...]":
        """Everything that came from outside, for the checks before it is written."""
        said = [text for part in self.sections for text in (part.heading, part.text)]
        return (self.title, self.description, *said)

    def data(self) -> bytes:
        """The file's bytes: the same for the same evidence, on any machine and day."""
        return template.render(self._front_matter(), self._body())

    def _front_matter(self) -> "list[tuple[str, Value]]":
        fields: list[tuple[str, Value]] = [
            ("schema", Plain(SCHEMA)),
            ("id", Plain(self.id)),
            ("kind", Plain(KIND)),
            ("class", Plain(self.kind)),
            ("title", self.title),
            ("description", self.description),
            ("status", Plain("candidate")),
            ("epistemics", Plain(self.epistemics)),
            ("date", Plain(self.date)),
            ("tags", _plain(("derived", self.tag))),
            (
                "provenance",
                {"origin": Plain("extracted"), "derived_from": _plain(self.sources)},
            ),
        ]
        if self.files:
            relations: list[dict[str, template.Scalar]] = [
                {"type": Plain("relates_to"), "target": Plain(f"file:{path}")}
                for path in self.files
            ]
            fields.append(("relations", relations))
        return fields

    def _body(self) -> str:
        parts = [f"# {self.title}", self.description]
        for section in self.sections:
            parts += [f"## {section.heading}", section.text]
        return "\n\n".join(parts)


def _plain(texts: "tuple[str, ...]") -> "list[template.Scalar]":
    return [Plain(text) for text in texts]


def identity(episode: str, *evidence: str) -> str:
    """`<episode>-<12 hex>` over the evidence joined by LF: wording never moves a file."""
    return f"{episode}-{digest.hexdigest(chr(10).join(evidence).encode())[:12]}"


def is_id(text: str) -> bool:
    """`[A-Za-z0-9][A-Za-z0-9._-]{0,127}`: what may name a record and its file."""
    return 0 < len(text) <= 128 and text[0] in _FIRST and _NAME.issuperset(text)


def promotion_hash(title: str, kind: str, body: bytes) -> str:
    """What a person stood behind: sha256 over title, class and body (LF text)."""
    text = "\n".join((title, kind, "")).encode() + body.replace(b"\r\n", b"\n")
    return digest.hexdigest(text)


def fits(fields: "dict[str, Value]", data: bytes) -> bool:
    """Whether a curated record is still what was promoted, by the hash it carries."""
    title, kind = str(fields.get("title", "")), str(fields.get("class", ""))
    return fields.get("promoted") == promotion_hash(title, kind, template.body(data))
