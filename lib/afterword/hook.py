"""The one boundary of a hook: stdin -> event -> lifecycle -> reply, always exit 0.

Whatever goes wrong inside becomes one line on stderr, a `provider.event.failed` line
and a traceback in hook.log; the agent is never blocked. Standard library only: this
module and what it loads are a new process at each event.
"""

import gc
import os
import sys

from afterword import host as hosts
from afterword.errors import AfterwordError
from afterword.host.protocol import COMPACT, START, STOP, Host, Payload
from afterword.lifecycle.call import Call
from afterword.model import TYPE_CHECKING
from afterword.store import config, jsonline, layout, stdin
from afterword.store.git import safe_head

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterword.store.layout import Store

# Seconds that our part of an event is planned to take (DESIGN 5); an end's depend on
# the host and its settings.
BUDGETS = {START: 3.0, STOP: 2.0, COMPACT: 3.0}


def main(event: str) -> None:
    """Run one hook and end the process with 0, without the interpreter's teardown."""
    # A process of milliseconds has nothing to collect; ten thousand lines would make it try.
    gc.disable()
    try:
        _fill_streams()
        run(event, sys.argv[1:])
    finally:
        os._exit(0)


def _fill_streams() -> None:
    """Give a closed stdin, stdout or stderr its place back, lest a file of ours takes it."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def run(event: str, arguments: "Sequence[str]", data: "bytes | None" = None) -> None:
    """Run one hook; `data` stands in for stdin when an event is replayed by hand.

    Arguments: `--root DIR`, the project as the shim knows it, `--host NAME`, and
    `--plugin yes` where the agent's plugin calls and not the project's shim.
    """
    options = dict(zip(arguments[::2], arguments[1::2], strict=False))
    call = Call(event, hosts.named(options.get("--host", "")))
    call.is_plugin = options.get("--plugin") == "yes"
    try:
        if os.environ.get("AFTERWORD_DISABLE") != "1":
            _serve(call, options.get("--root", ""), data)
    except BaseException as error:
        _fail(call, error)
    call.flush()


def _serve(call: Call, root: str, data: "bytes | None") -> None:
    payload, wrong = _parse(call.host, stdin.read_json(0) if data is None else data)
    store = layout.find(root or _folder(payload))
    if os.environ.get("AFTERWORD_DRY_RUN") == "1":
        call.say(_rehearsed(call, payload, wrong, store))
        return
    if store is None or (call.is_plugin and _is_wired(call, store)):
        return
    call.store = store
    settings = config.load(store)
    if settings["enabled"] is False:
        return
    from afterword.lifecycle import dispatch

    call.store = store.replace(paths=settings.paths())
    call.head = safe_head.read(store.place)
    deadline = call.began + _budget(call, store.root)
    dispatch.run(call, call.store, settings, payload, wrong, deadline)


def _is_wired(call: Call, store: "Store") -> bool:
    """Whether the project has this hook of its own, so that the plugin's stands aside."""
    shim = f"{call.host.hooks_folder}/afterword-{call.event}"
    return os.path.isfile(os.path.join(store.root, shim))


def _parse(host: Host, raw: bytes) -> "tuple[Payload, str]":
    """The payload, and what is wrong with it or ""."""
    text = stdin.decoded(raw)
    if not text.strip():
        return Payload(), "no payload on stdin"
    try:
        values = jsonline.loads(text)
    except ValueError as error:
        return Payload(), f"the payload is not JSON: {error}"
    if not isinstance(values, dict):
        return Payload(), "the payload is not a JSON object"
    return host.payload(values), ""


def _rehearsed(
    call: Call, payload: Payload, wrong: str, store: "layout.Store | None"
) -> str:
    """What this call would do, for `afterword doctor`; nothing is read or written for it."""
    session = payload.session or "(no session)"
    if store is None:
        return f"dry run: {session}: there is no .ai/ here, so nothing would be done"
    if wrong or payload.event not in ("", call.event):
        return f"dry run: {session}: {wrong or 'another event'}, nothing would be done"
    return f"dry run: would serve session {session} in {store.root}"


def _folder(payload: Payload) -> str:
    """Where to look for the repository when no shim said so."""
    try:
        if os.path.isabs(payload.cwd) and os.path.isdir(payload.cwd):
            return payload.cwd
    except ValueError:  # a NUL in the path names no folder
        return os.getcwd()
    return os.getcwd()


def _budget(call: Call, root: str) -> float:
    if call.event in BUDGETS:
        return BUDGETS[call.event]
    from afterword.host import budget

    return budget.of_end(call.host, root)


def _fail(call: Call, error: BaseException) -> None:
    """Say, log and keep the traceback; each as far as the disk allows."""
    expected = isinstance(error, AfterwordError | OSError)
    reason = str(error) if expected else repr(error)
    if call.store is not None and not _is_recorded(call, call.store, error):
        reason += " (and nothing could be recorded)"
    call.say(reason)


def _is_recorded(call: Call, store: "Store", error: BaseException) -> bool:
    try:
        from afterword.lifecycle import failure
        from afterword.store import stamp

        if not stamp.ours(store):
            return False
        failure.record(store, call.head, call.host, call.event, call.episode, error)
    except BaseException:  # the disk refuses everything: `_fail` says so
        return False
    return True
