"""Small questions to a repository, each with one answer from either reader.

What the local configuration says needs neither: it is read from its file, without what
it includes. Part of a hook's path.
"""

import os

from afterword.model import TYPE_CHECKING
from afterword.store.git import evidence, local_config, program

if TYPE_CHECKING:
    from collections.abc import Iterable

    from afterword.store.git.head import GitPlace

# Remotes by these schemes name a place that others know as well; a path does not.
_SHARED = ("https", "http", "ssh", "git", "git+ssh", "ssh+git", "ftp", "ftps")


def existing(
    place: "GitPlace",
    shas: "Iterable[str]",
    *,
    reader: str = "auto",
    deadline: "float | None" = None,
) -> "frozenset[str]":
    """Those of the full names that are commits of this repository. Raises `GitError`."""
    with evidence.open_reader(place, reader, deadline) as source:
        return source.existing(list(shas))


def tracked(
    place: "GitPlace",
    paths: "Iterable[str]",
    *,
    reader: str = "auto",
    deadline: "float | None" = None,
) -> "frozenset[str]":
    """Those of the paths, relative to the root, that are files of the index.

    Raises `GitError`.
    """
    with evidence.open_reader(place, reader, deadline) as source:
        return source.tracked(list(paths))


def changed_paths(
    place: "GitPlace",
    head: str,
    commits: int = 10,
    limit: int = 200,
    *,
    reader: str = "auto",
    deadline: "float | None" = None,
) -> "tuple[str, ...]":
    """What the newest commits touched, along the first parents, the newest commit first.

    A merge shows what it brought to its branch. Raises `GitError`.
    """
    with evidence.open_reader(place, reader, deadline) as source:
        return source.changed_paths(head, commits, limit)


def user_email(
    place: "GitPlace", *, reader: str = "auto", deadline: "float | None" = None
) -> str:
    """The address that commits made here carry, "" when none is set. Raises `GitError`."""
    with evidence.open_reader(place, reader, deadline) as source:
        return source.email()


def config_get(place: "GitPlace", key: str) -> "str | None":
    """The last value of a key in the repository's own configuration; None when not set.

    Section and name in any case, a subsection as written: `remote.origin.url`.
    """
    section, _, rest = key.partition(".")
    middle, dot, name = rest.rpartition(".")
    wanted = f"{section.lower()}.{middle}{dot}{name.lower()}"
    return local_config.of_place(place).get(wanted)


def common_repository_id(place: "GitPlace") -> str:
    """One name for all worktrees of a repository, and for its clones where it has a remote.

    The remote's address without user, password and query (`origin` before others), else
    `local:` and 16 hex digits of where the repository lies: no path is given away.
    """
    found = local_config.of_place(place)
    remotes = [
        key for key in found if key.startswith("remote.") and key.endswith(".url")
    ]
    for key in sorted(remotes, key=lambda key: (key != "remote.origin.url", key)):
        address = without_credentials(found[key])
        if address:
            return address
    from afterword.store import digest

    where = os.path.realpath(place.common_dir)
    return "local:" + digest.hexdigest(os.fsencode(where))[:16]


def without_credentials(url: str) -> str:
    """The address of a remote as it may be written down; "" for a path or a helper's."""
    url = program.plain(url).replace("\\", "/")
    scheme, found, rest = url.partition("://")
    if not found:
        host, colon, path = url.partition(":")
        short = not colon or "/" in host or len(host) < 2 or path.startswith(":")
        return "" if short else _address("ssh", host.rpartition("@")[2], path)
    authority, _, path = rest.partition("/")
    port = authority.rpartition(":")[2]
    if "@" not in authority and port != authority and not port.isdigit():
        # A password with a slash in it: what follows the last at-sign is the host.
        authority, _, path = rest.rpartition("@")[2].partition("/")
    known = scheme.lower() in _SHARED
    return _address(scheme.lower(), authority.rpartition("@")[2], path) if known else ""


def _address(scheme: str, host: str, path: str) -> str:
    path = path.partition("?")[0].partition("#")[0].strip("/").removesuffix(".git")
    return f"{scheme}://{host.lower()}/{path}" if host and path else ""
