"""Opening an episode: by its start, or lazily by whatever event comes first.

Several stand side by side in a worktree; the same session id is the same episode,
also after a resume or a compaction. Part of a hook's path: standard library only.
"""

import os

from afterword.episode import archive, events, ledger, opened, process
from afterword.episode.opened import OpenEpisode
from afterword.lifecycle.moment import Moment
from afterword.store import atomic, clock
from afterword.store.locks import Lock, episode_bucket

FORK = "fork"


def known(moment: Moment, episode: str) -> bool:
    """Whether this worktree has a ledger of that episode, open or closed."""
    return os.path.exists(ledger.path_of(moment.store, episode))


def open_or_continue(
    moment: Moment, episode: str, source: str, *, lazily: bool = False
) -> None:
    """Make sure that the episode is open; its ledger continues where it has one.

    The open file comes first: a crash between the two leaves an episode that the next
    start can recover, never one that nobody knows. `LockHeld` while another process
    is closing it.
    """
    with Lock(moment.store, episode_bucket(episode)):
        open_held(moment, episode, source, lazily=lazily)


def open_held(moment: Moment, episode: str, source: str, *, lazily: bool) -> None:
    """`open_or_continue` for a caller that holds the episode's lock."""
    present = opened.load(moment.store, episode)
    host = process.of_host(moment.host)
    if present is None:
        if not known(moment, episode):
            archive.restore(moment.store, episode)
        opened.save(moment.store, _fresh(moment, episode, host))
        _log_start(moment, episode, source, lazily)
        return
    if host is not None and host != present.process and source != FORK:
        # A fork may report its parent's id while the parent lives in another process.
        opened.save(moment.store, present.replace(process=host))
    if not _started_since_end(moment, episode):
        _log_start(moment, episode, source, lazily)


def _fresh(
    moment: Moment, episode: str, host: "dict[str, object] | None"
) -> OpenEpisode:
    return OpenEpisode(
        episode=episode,
        host=moment.host.name,
        started_at=clock.stamp(),
        head=moment.head.sha,
        branch=moment.head.branch,
        process=host,
    )


def _log_start(moment: Moment, episode: str, source: str, lazily: bool) -> None:
    raw = moment.payload.session
    moment.log(
        episode,
        events.SessionStarted(
            host=moment.host.name,
            source=source,
            host_session=raw[:512] if raw and raw != episode else None,
            lazily=lazily or None,
        ),
    )


def _started_since_end(moment: Moment, episode: str) -> bool:
    """Whether the ledger holds a start that no unfinished end has followed."""
    path = ledger.path_of(moment.store, episode)
    lines = ledger.tail_since(path, events.SessionStarted._name)
    return bool(lines) and all(
        line["event"] != events.SessionEnding._name for line in lines or ()
    )


def export(episode: str, path: str) -> None:
    """Tell the agent's shell which episode it is in, where the host offers a file for that.

    One single-quoted line, once; an id is plain by construction. Another hook's line
    that lacks its newline is completed first.
    """
    line = f"export AFTERWORD_EPISODE='{episode}'\n".encode()
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o600)
    try:
        present = atomic.read_open(descriptor, path, limit=1 << 16)
        if not present.endswith(line):
            torn = present and not present.endswith(b"\n")
            os.write(descriptor, b"\n" + line if torn else line)
    finally:
        os.close(descriptor)


def count_round(moment: Moment, mark: bytes) -> None:
    """One byte a Stop in `local/rounds`, as `snapshot.waiting` has it; a compile removes it."""
    path = moment.store.local_path("rounds")
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o644)
    try:
        os.write(descriptor, mark)
    finally:
        os.close(descriptor)


def remember_end(moment: Moment, text: str) -> None:
    """What the last end did, in one line, for the next briefing."""
    atomic.write(
        moment.store.local_path("cache", "last-end"), text.encode(), durable=False
    )
