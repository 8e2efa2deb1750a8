"""What is wrong with the evolution files, for `doctor`: read whole, told, never mended.

`inspect` is the rim; what it tells is found over bytes by the modules of this room
that begin with `inspection_`. Errors are data: a file that cannot be read hides no
other. Imports `store`, `finding`, `errors`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from afterword.errors import UnsafePath
from afterword.evolution import (
    guarded,
    inspection_base,
    inspection_queue,
    inspection_text,
)
from afterword.finding import ERROR, WARNING, Finding
from afterword.store import atomic
from afterword.store.layout import Store

QUEUE, QUEUE_ARCHIVE = "queue", "queue_archive"
LOG, LOG_ARCHIVE = "reflections", "reflections_archive"
BASE, ENTRIES = "knowledge_base", "entries"


def inspect(store: Store, warn_lines: int) -> list[Finding]:
    """All findings about the five files and the entries; none where there are none.

    `warn_lines` is how long an archive may grow (T1.9, T2.9). Nothing is written.
    """
    sheet = _Sheet(store)
    found = [*sheet.refused, *sheet.odd()]
    found += sheet.long(QUEUE_ARCHIVE, warn_lines)
    found += sheet.long(LOG_ARCHIVE, warn_lines)
    found += sheet.items()
    found += sheet.entries()
    return inspection_text.bounded(found)


class _Sheet:
    """The files as they were read, and what was found about those that no reader takes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._paths = store.paths
        self.refused: list[Finding] = []
        self._data = {key: self._read(key) for key in guarded.FILES}
        self._names = self._listed()
        self._shared()

    def _read(self, key: str) -> bytes:
        """The bytes of a file, b"" for none and for one that every command refuses."""
        path = self._paths[key]
        try:
            data = atomic.read(self._store.tracked(key)) or b""
        except (OSError, UnsafePath) as error:
            self.refused.append(refused(path, error))
            return b""
        marked = list(inspection_text.markers(path, data))
        self.refused += marked
        return b"" if marked else data

    def _listed(self) -> list[str]:
        """The names in the folder of entries; a file in its place is told by another check."""
        try:
            return os.listdir(self._store.tracked(ENTRIES))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except (OSError, UnsafePath) as error:
            self.refused.append(refused(self._paths[ENTRIES], error))
            return []

    def _shared(self) -> None:
        """One file named for two places: no command changes either."""
        first: dict[str, str] = {}
        for key in guarded.FILES:
            path = os.path.realpath(os.path.join(self._store.root, self._paths[key]))
            other = first.setdefault(path, key)
            if other != key:
                self.refused.append(
                    Finding(
                        severity=ERROR,
                        code="unsafe-path",
                        path=self._paths[key],
                        message=f"the settings name it for {other} and for {key}: no command"
                        " writes it",
                        fix="give each a file of its own, under paths: in .ai/config.yaml",
                    )
                )

    def odd(self) -> Iterator[Finding]:
        """What is odd about the bytes of each file."""
        for key, data in self._data.items():
            front = key not in (LOG, LOG_ARCHIVE)
            yield from inspection_text.findings(self._paths[key], data, front=front)

    def items(self) -> Iterator[Finding]:
        """What is wrong with the queue's items."""
        paths = self._paths[QUEUE], self._paths[QUEUE_ARCHIVE]
        main, archive = self._data[QUEUE], self._data[QUEUE_ARCHIVE]
        yield from inspection_queue.findings(paths[0], main, paths[1], archive)

    def entries(self) -> Iterator[Finding]:
        """What is wrong with the knowledge base, if it could be read."""
        path, folder = self._paths[BASE], self._paths[ENTRIES]
        if all(one.path not in (path, folder) for one in self.refused):
            data = self._data[BASE]
            yield from inspection_base.findings(path, data, folder, self._names)

    def long(self, key: str, most: int) -> Iterator[Finding]:
        """An archive that a person should look through; nothing is ever cut from it."""
        data = self._data[key]
        count = data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
        if count > most:
            yield Finding(
                severity=WARNING,
                code="archive-long",
                path=self._paths[key],
                message=f"has {count} lines, more than archive.warn_lines ({most})",
                fix="look through it by hand: what nobody will read again may go",
            )


def refused(path: str, error: OSError | UnsafePath) -> Finding:
    """What no command reads or writes: a link out of the repository, a FIFO, no rights."""
    if isinstance(error, UnsafePath):
        said = error.message.rpartition(": ")[2]
        return Finding(
            severity=ERROR,
            code="unsafe-path",
            path=path,
            message=f"{said}: no command reads or writes it",
            fix=f"move {path} away, or see paths: in .ai/config.yaml",
        )
    return Finding(
        severity=ERROR,
        code="unreadable",
        path=path,
        message=f"cannot be read: {error.strerror}",
        fix=f"mend its rights, or take git's: git checkout -- {path}",
    )
