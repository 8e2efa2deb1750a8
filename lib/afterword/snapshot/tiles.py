"""A target file cut in tiles: headings, entries, conflicts, items, and text between them.

The tiles put together are the file, byte for byte; each knows the empty lines above it.
What has metadata is recognised wherever it stands; text without is an entry only where a
section holds such. `cutting` makes them. Imports words and `store.blocks` only.
"""

from __future__ import annotations

from collections.abc import Sequence

from afterword.snapshot import words
from afterword.store.blocks import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HEADER, TEXT, SECTION, PART, ENTRY, CONFLICT, LOG, PENDING, LOOSE, FIELD = (
    "header",
    "text",
    "section",
    "part",
    "entry",
    "conflict",
    "log",
    "pending",
    "loose",
    "field",
)
# Sections that hold no entries, by what they hold.
IN_LOG, IN_PENDING = "log", "pending"
HEADED, BULLET, ROW = "headed", "bullet", "row"

_LOGS = frozenset(("conflict log", "conflicts", "冲突日志", "冲突记录"))
_PENDINGS = ("pending verification", "待验证", "待确认")


class Tile(Record):
    """A stretch of a file: empty lines above it, and its own bytes.

    `section` is the type of fact that its section holds, `IN_LOG`, `IN_PENDING` or "";
    `part` that of Architecture. `data` is its metadata, None where it has none; `name` a
    heading's text, the topic of a line of the log, or which field it is. `lines` are those between heading and
    metadata, `columns` those of a row's table.
    """

    __slots__ = (
        "columns",
        "data",
        "lead",
        "level",
        "line",
        "lines",
        "name",
        "part",
        "raw",
        "role",
        "section",
        "shape",
    )
    role: str
    lead: bytes
    raw: bytes
    line: int
    section: str
    part: str
    name: str
    level: int
    shape: str
    lines: tuple[str, ...]
    columns: tuple[str, ...]
    data: dict[str, Any] | None

    def __init__(
        self,
        role: str,
        lead: bytes,
        raw: bytes,
        *,
        line: int = 0,
        section: str = "",
        part: str = "",
        name: str = "",
        level: int = 0,
        shape: str = "",
        lines: tuple[str, ...] = (),
        columns: tuple[str, ...] = (),
        data: dict[str, Any] | None = None,
    ) -> None:
        self._set(
            role=role,
            lead=lead,
            raw=raw,
            line=line,
            section=section,
            part=part,
            name=name,
            level=level,
            shape=shape,
            lines=lines,
            columns=columns,
            data=data,
        )

    @property
    def whole(self) -> bytes:
        return self.lead + self.raw

    def with_raw(self, raw: bytes, lead: bytes | None = None) -> Tile:
        """The tile with other bytes."""
        values = dict(zip(self.__slots__, self._values(), strict=True))
        values["raw"], values["lead"] = raw, self.lead if lead is None else lead
        return Tile(**values)  # type: ignore[arg-type]  # the fields of a tile


def join(tiles: Sequence[Tile]) -> bytes:
    """The bytes of the tiles one after the other."""
    return b"".join(tile.whole for tile in tiles)


def section_of(heading: str) -> str:
    """What the section of a level-2 heading holds; "" for one that is not ours."""
    bare = heading.strip().casefold()
    if bare.rstrip(":：") in _LOGS:
        return IN_LOG
    if bare.startswith(_PENDINGS):
        return IN_PENDING
    return words.type_of_heading(heading)
