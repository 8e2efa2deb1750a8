"""Putting an increment beside those that wait, so that none is ever lost or overwritten.

A file of its own under a name of its own, durable before it has that name; twenty at once
give twenty. The caller has masked secrets. The bytes are those of `increment_writing`,
and they are read back before they are written.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence

from afterword.errors import AfterwordError
from afterword.model import Model
from afterword.snapshot import (
    increment,
    increment_normal,
    increment_writing,
    places,
    registered,
    words,
)
from afterword.snapshot import (
    waiting as waiting_names,
)
from afterword.snapshot.fact import Fact, Supersedes
from afterword.store import atomic, sweep
from afterword.store.config import Config
from afterword.store.layout import Store, confine
from afterword.store.locks import Lock

LOCK = "increments"


class Added(Model):
    """A new increment: its stem, its path from the root, the fact as it is read from it.

    `said` is what its author should know, such as a domain that is no module.
    """

    stem: str
    path: str
    fact: Fact
    said: tuple[str, ...] = ()


def add(
    store: Store,
    config: Config,
    *,
    kind: str,
    title: str,
    body: Sequence[str] = (),
    part: str = "",
    key: str = "",
    value: str = "",
    supersedes: Iterable[Supersedes] = (),
    resolves: str = "",
    keep: str = "",
    after: Sequence[str] = (),
    confidence: str = words.MEDIUM,
    status: str = words.UNVERIFIED,
    author: str = "",
    files: Sequence[str] = (),
    domain: str = "",
    at: str,
    wait: float,
) -> Added:
    """Write the increment of one fact; `body` are lines of text, `at` is `YYYY-MM-DD HH:MM:SS`.

    A registered `domain` puts it into that module's folder. `LockHeld` when another
    process adds for longer than `wait` seconds; a fact that could not be read back as it
    was given is refused.
    """
    named, lines = increment_normal.described(title, body, kind, part)
    given = increment_normal.in_order(
        Fact(
            kind=kind,
            title=named,
            body=lines,
            part=part,
            key=key,
            value=value,
            supersedes=tuple(supersedes),
            resolves=resolves,
            keep=keep,
            after=tuple(after),
            confidence=confidence,
            status=status,
            author=author,
            recorded=at,
            files=tuple(files),
            domains=(domain,) if domain else (),
        )
    )
    module, said = _module(store, domain)
    data = increment_writing.write(
        given, timestamp=at, author=given.author, language=config["language"]
    )
    _refuse_other(data, given)
    path = _write(
        store, places.of(store.paths).increments(module), given, at, data, wait
    )
    stem = path.rpartition("/")[2].removesuffix(increment_writing.SUFFIX)
    fact = increment.read(data, stem, folder=module).facts[0]
    return Added(stem=stem, path=path, fact=fact, said=said)


def _refuse_other(data: bytes, given: Fact) -> None:
    """Refuse a text that says nothing, or that would be read as something else."""
    read = increment.read(data, "").facts
    if len(read) != 1 or read[0].replaced(sources=()) != given:
        raise AfterwordError(
            f"{given.title!r}: would not be read back as it is given",
            hint="say it in other words",
            code="not-sayable",
        )


def _module(store: Store, domain: str) -> tuple[str, tuple[str, ...]]:
    """The module whose folder takes it, and what to say where there is none."""
    if not domain:
        return "", ()
    index = places.of(store.paths).index
    try:
        known = {module.name for module in registered.read(store).modules}
    except AfterwordError as error:
        return "", (f"{error.message}: put among the global increments",)
    if domain in known:
        return domain, ()
    return "", (f"{domain!r} is no module of {index}: put among the global increments",)


def _write(
    store: Store, folder: str, given: Fact, at: str, data: bytes, wait: float
) -> str:
    """Give the bytes a name of their own in a folder, whole and durable; its path."""
    full = confine(store.root, folder)
    with Lock(store, LOCK, wait=wait):
        sweep.sweep(full, waiting_names.is_increment)
        for number in itertools.count():
            path = f"{folder}/{increment_writing.name(given, at, number)}"
            target = confine(store.root, path)
            if not os.path.lexists(target):
                atomic.write(target, data)
                return path
    raise AssertionError("there is always another name")


def waiting(store: Store) -> list[tuple[str, str]]:
    """(module, file name) of every increment that waits, in order; "" is the global folder."""
    return waiting_names.names(store)
