"""The records on the two shelves, candidates and curated, as files with parsed front matter.

Reads whatever stands there, also what a person edited or a stranger's branch brought;
what cannot be read says why and where. Commands only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from afterword.errors import AfterwordError, StoreDamaged, UnsafePath
from afterword.knowledge import record
from afterword.model import Model
from afterword.store import atomic, frontmatter, template
from afterword.store.layout import Store

CANDIDATES, CURATED = "candidates", "curated"
SHELVES = (CANDIDATES, CURATED)
README = "README.md"
MAX_BYTES = 1 << 20


class Shelved(Model):
    """One file. `stem` is its name without `.md`, `path` from the root.

    `fields` is None when the front matter cannot be read; then `problem` says why and
    `line` where. `markers` is the line of a merge marker, 0 for none.
    """

    shelf: str
    stem: str
    path: str
    data: bytes
    fields: dict[str, Any] | None
    problem: str = ""
    line: int = 1
    markers: int = 0

    @property
    def body(self) -> str:
        """What stands below the front matter, with LF ends."""
        return text_of(template.body(self.data))

    @property
    def first_body_line(self) -> int:
        """The number of the line at which the body begins."""
        head = self.data[: len(self.data) - len(template.body(self.data))]
        return head.count(b"\n") + 1

    def text(self, key: str) -> str:
        """A field that is a text; "" for another kind or none."""
        value = (self.fields or {}).get(key)
        return value if isinstance(value, str) else ""

    def line_of(self, key: str) -> int:
        """The line at which a key of the front matter stands; 1 when it is not told apart."""
        wanted = key.encode() + b":"
        for number, line in enumerate(self.data.splitlines(), 1):
            if line.startswith(wanted):
                return number
            if number > 1 and line.rstrip() == b"---":
                break
        return 1

    @property
    def sources(self) -> tuple[str, ...]:
        """The references of `provenance.derived_from`."""
        provenance = (self.fields or {}).get("provenance")
        found = provenance.get("derived_from") if isinstance(provenance, dict) else None
        items = found if isinstance(found, list) else []
        return tuple(item for item in items if isinstance(item, str))

    @property
    def episode(self) -> str:
        """The episode that it was derived from: its first `session:` reference, or ""."""
        prefix = "session:"
        named = (item for item in self.sources if item.startswith(prefix))
        return next(named, "").removeprefix(prefix)

    @property
    def targets(self) -> tuple[str, ...]:
        """The references of its relations."""
        found = (self.fields or {}).get("relations")
        relations = found if isinstance(found, list) else []
        targets = [one.get("target") for one in relations if isinstance(one, dict)]
        return tuple(target for target in targets if isinstance(target, str))


def text_of(data: bytes) -> str:
    """Bytes of a record as text with LF ends; what is not UTF-8 is replaced."""
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


def stems(store: Store, shelf: str) -> list[str]:
    """The names of a shelf's records without `.md`, sorted; README and dot files are none.

    `StoreDamaged` where something else stands in the folder's place.
    """
    try:
        names = os.listdir(store.tracked(shelf))
    except FileNotFoundError:
        return []
    except NotADirectoryError:
        raise not_a_folder(store, shelf) from None
    return sorted(
        name.removesuffix(".md")
        for name in names
        if name.endswith(".md") and name != README and not name.startswith(".")
    )


def not_a_folder(store: Store, shelf: str) -> StoreDamaged:
    """What is said where a file stands in place of a shelf, or of a folder above it."""
    path = store.paths[shelf]
    parts = path.split("/")
    for end in range(1, len(parts) + 1):
        above = os.path.join(store.root, *parts[:end])
        if os.path.lexists(above) and not os.path.isdir(above):
            path = "/".join(parts[:end])
            break
    return StoreDamaged(
        f"{path}: is a file, and the records need a folder there",
        hint=f"mv {path} {path}.aside",
    )


def has_folder(store: Store, shelf: str) -> None:
    """`StoreDamaged` where the shelf cannot be a folder; one that is missing is made later."""
    path = store.tracked(shelf)
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    if not os.path.isdir(path):
        raise not_a_folder(store, shelf)


def load(store: Store, shelf: str, stem: str) -> Shelved:
    """One record; `OSError` and `UnsafePath` become its `problem`."""
    path = f"{store.paths[shelf]}/{stem}.md"
    try:
        data = _read(store, path)
    except (OSError, UnsafePath) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return Shelved(
            shelf=shelf, stem=stem, path=path, data=b"", fields=None, problem=reason
        )
    return parsed(shelf, stem, path, data)


def _read(store: Store, path: str) -> bytes:
    full = os.path.join(store.root, *path.split("/"))
    if os.path.islink(full):
        raise UnsafePath("a symlink, and a record is a file of its own")
    data = atomic.read(full, limit=MAX_BYTES + 1)
    if data is None:
        raise FileNotFoundError(2, "No such file or directory", full)
    if len(data) > MAX_BYTES:
        raise UnsafePath(f"longer than {MAX_BYTES} bytes")
    return data


def parsed(shelf: str, stem: str, path: str, data: bytes) -> Shelved:
    """The record that these bytes are; pure."""
    found = Shelved(shelf=shelf, stem=stem, path=path, data=data, fields=None)
    markers = frontmatter.find_markers(data) or 0
    if markers:
        return found.replace(
            markers=markers, line=markers, problem="holds merge markers"
        )
    if not data.strip():
        return found.replace(problem="is empty")
    fields: dict[str, Any] | None = template.quick_fields(data)
    if fields is None and not frontmatter.split(data).opening:
        return found.replace(problem="has no front matter between two lines ---")
    if fields is None:
        try:
            fields = frontmatter.parse(data, path)
        except AfterwordError as error:
            return found.replace(**_placed(error.message, path))
    return found.replace(fields=fields)


def _placed(message: str, path: str) -> dict[str, Any]:
    """`path:line: what` as problem and line."""
    line, _, what = message.removeprefix(f"{path}:").partition(": ")
    if what and line.isdigit():
        return {"problem": what, "line": int(line)}
    return {"problem": message}


def every(store: Store) -> Iterator[Shelved]:
    """All records, candidates first, each shelf by name."""
    for shelf in SHELVES:
        for stem in stems(store, shelf):
            yield load(store, shelf, stem)


def has(store: Store, shelf: str, identity: str) -> bool:
    """Whether a shelf holds a record of that id; no id is ever a path."""
    if not record.is_id(identity) or f"{identity}.md" == README:
        return False
    folder = os.path.join(store.root, *store.paths[shelf].split("/"))
    return os.path.lexists(os.path.join(folder, f"{identity}.md"))
