"""Front matter taken apart by lines: keys, comments, fences and body, every byte kept.

No YAML reader: a value that a person wrote in a form we do not know is still the
value of its key. The parts of a `Document` in a row are the file again. Pure; imports
`merge.laws` and `model` only.
"""

from __future__ import annotations

from afterword.merge.laws import lines
from afterword.model import Model

BOM = "\ufeff"
# What a plain key of YAML cannot begin with.
_INDICATORS = frozenset("-?#&*!|>%@`{}[], \t\r\n")


class Entry(Model):
    """One key: `lead` are the comments and blank lines above it, `lines` its own."""

    key: str
    lead: str
    lines: str

    @property
    def text(self) -> str:
        return self.lead + self.lines


class Document(Model):
    """A file with front matter. `tail` are the comments below the last key."""

    mark: str
    opening: str
    entries: tuple[Entry, ...]
    tail: str
    closing: str
    body: str

    def get(self, key: str) -> Entry | None:
        """The entry of a key at the top level."""
        return next((entry for entry in self.entries if entry.key == key), None)

    def word(self, key: str) -> str | None:
        """The text of a one-line value without its quotes; None where there is none."""
        entry = self.get(key)
        if entry is None or len(lines(entry.lines)) != 1:
            return None
        return unquoted(rest_of(entry.lines)) or None


def read(text: str) -> Document | None:
    """The file's parts; None without front matter, or when its keys cannot be told apart."""
    mark = BOM if text.startswith(BOM) else ""
    found = lines(text[len(mark) :])
    if not found or not _is_fence(found[0]):
        return None
    end = next((at for at in range(1, len(found)) if _is_fence(found[at])), 0)
    parted = part("".join(found[1:end]), 0) if end else None
    if parted is None:
        return None
    return Document(
        mark=mark,
        opening=found[0],
        entries=parted[0],
        tail=parted[1],
        closing=found[end],
        body="".join(found[end + 1 :]),
    )


def _is_fence(line: str) -> bool:
    return line.rstrip() == "---"


def part(text: str, indent: int) -> tuple[tuple[Entry, ...], str] | None:
    """The keys at one indent and the comments below them; None when it is no mapping.

    None as well for a doubled key, which two readers might take differently.
    """
    found: list[Entry] = []
    waiting = ""
    for line in lines(text):
        flat = line.lstrip(" ")
        depth = len(line) - len(flat)
        key = key_of(flat) if depth == indent else None
        if not flat.strip() or flat.startswith("#"):
            waiting += line
        elif key is not None:
            found.append(Entry(key=key, lead=waiting, lines=line))
            waiting = ""
        elif found and _goes_on(flat, depth, indent):
            last = found[-1]
            found[-1] = last.replace(lines=last.lines + waiting + line)
            waiting = ""
        else:
            return None
    keys = {entry.key for entry in found}
    return (tuple(found), waiting) if len(keys) == len(found) else None


def _goes_on(flat: str, depth: int, indent: int) -> bool:
    """Whether a line belongs to the key above it: deeper, or an item at the key's own level."""
    return depth > indent or not indent or (depth == indent and flat.startswith("- "))


def children(text: str) -> tuple[str, tuple[Entry, ...]] | None:
    """A key's line and the keys below it, where its value is a mapping in block form."""
    first, *below = lines(text)
    inner = [line for line in below if line.strip()]
    if not inner or rest_of(first) or inner[0].lstrip()[:1] in ("-", "#"):
        return None
    indent = len(inner[0]) - len(inner[0].lstrip(" "))
    parted = part("".join(below), indent) if indent else None
    return None if parted is None or parted[1] else (first, parted[0])


def key_of(line: str) -> str | None:
    """The key that a line at its level begins with; None when it begins with none."""
    if line[:1] in ("'", '"'):
        end = line.find(line[0], 1)
        rest = line[end + 1 :] if end > 1 else ""
        return line[1:end] if rest.startswith(":") and rest[1:2] in _ENDS else None
    at = _colon(line)
    return line[:at].rstrip() if at and line[0] not in _INDICATORS else None


_ENDS = (" ", "\t", "\r", "\n", "")


def _colon(line: str) -> int:
    """Where the colon after a plain key stands; 0 where there is none."""
    at = line.find(":")
    while at > 0 and line[at + 1 : at + 2] not in _ENDS:
        at = line.find(":", at + 1)
    return max(at, 0)


def rest_of(line: str) -> str:
    """What stands behind the key of a line, trimmed."""
    flat = line.lstrip(" ")
    if flat[:1] in ("'", '"'):
        return flat[flat.find(flat[0], 1) + 2 :].strip()
    return flat[_colon(flat) + 1 :].strip()


def unquoted(text: str) -> str:
    """A scalar without its quotes, where nothing inside them is escaped; else as it stands."""
    inner = text[1:-1]
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        plain = "\\" not in inner and text[0] not in inner
        return inner if plain else text
    return text
