"""A hook that failed: the ledger line and the traceback. Loaded only then."""

import os
import traceback

from afterword.episode import events, ledger
from afterword.errors import AfterwordError
from afterword.host.protocol import Host
from afterword.store import atomic, clock
from afterword.store.git.head import Head
from afterword.store.layout import Store

LOG_NAME = "hook.log"
LOG_LIMIT = 256 * 1024


def record(
    store: Store, head: Head, host: Host, event: str, episode: str, error: BaseException
) -> None:
    """Write both, the log first: it takes what a ledger line must not hold."""
    try:
        keep(store, event, "".join(traceback.format_exception(error)))
    finally:
        note(store, head, host, event, episode, f"{type(error).__name__}: {error}")


def note(
    store: Store, head: Head, host: Host, event: str, episode: str, reason: str
) -> None:
    """One `provider.event.failed` line, in the episode's ledger or outside any."""
    line = events.ProviderEventFailed(
        provider=host.name, provider_event=event, reason=" ".join(reason.split())[:300]
    )
    ledger.append(store, episode or ledger.OUTSIDE, line, head)


def why(store: Store, error: Exception) -> str:
    """The reason in a line, with the path that was refused, from the root.

    Of a temp it is the folder, for its own name says nothing.
    """
    if isinstance(error, AfterwordError):
        return error.message
    if not isinstance(error, OSError) or not isinstance(error.filename, str):
        return str(error) or type(error).__name__
    folder, name = os.path.split(error.filename)
    shown = folder if atomic.is_temp(name) else error.filename
    return f"{store.relative(shown)}: {error.strerror}"


def keep(store: Store, event: str, text: str) -> None:
    """Append to hook.log, which keeps one older part when it grows."""
    path = store.local_path(LOG_NAME)
    try:
        if os.path.getsize(path) > LOG_LIMIT:
            os.replace(path, f"{path}.1")
    except FileNotFoundError:
        pass
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o644)
    try:
        os.write(
            descriptor, f"{clock.stamp()} {event}\n{text}\n".encode("utf-8", "replace")
        )
    finally:
        os.close(descriptor)
