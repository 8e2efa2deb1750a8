"""From a payload to the step of the lifecycle: stamp, receipt, guards, event.

The receipt is written before any guard but the off switches, so that "the host
called and nothing came of it" can be told from "the host never called". Part of a
hook's path: standard library only.
"""

import os

from afterword.episode import events, ledger, opened
from afterword.errors import UnsafePath
from afterword.host.protocol import COMPACT, END, START, Payload
from afterword.lifecycle import opening
from afterword.lifecycle.call import Call
from afterword.lifecycle.moment import Moment
from afterword.model import TYPE_CHECKING
from afterword.store import stamp
from afterword.store.config import Config

if TYPE_CHECKING:
    from afterword.store.layout import Store


def run(
    call: Call,
    store: "Store",
    config: Config,
    payload: Payload,
    wrong: str,
    deadline: float,
) -> None:
    """Serve one event. `wrong` says what made the payload unusable, or is ""."""
    call.episode = opened.episode_id(payload.session) if payload.session else ""
    moment = Moment(
        store=store,
        config=config,
        host=call.host,
        head=call.head,
        deadline=deadline,
        payload=payload,
        say=call.say,
    )
    wrong = wrong or _wrong_event(call, payload)
    try:
        said = stamp.claim(store)
        _receipt(call, moment, is_wrong=bool(wrong))
    except OSError as error:
        _only_brief(call, moment, error)
        return
    if said:
        call.say(said)
    for problem in config.problems[:1]:
        _refuse(call, f"{problem}; going on with the default")
    if wrong:
        _refuse(call, wrong)
        return
    _serve(call, moment)


def _only_brief(call: Call, moment: Moment, error: OSError) -> None:
    """The disk refuses even a receipt: nothing can be kept, but a start can be briefed.

    Not from a local half that a clone may have planted.
    """
    store = moment.store
    foreign = isinstance(error, UnsafePath) or os.path.lexists(store.local)
    if call.event != START or (foreign and not stamp.ours(store)):
        raise error
    from afterword.lifecycle import session_start

    call.say(f"nothing is recorded: {error}")
    call.reply(session_start.brief(moment, call.episode))


def _receipt(call: Call, moment: Moment, *, is_wrong: bool) -> None:
    """Into the episode's ledger, or outside: what opens nothing must not make one."""
    payload = moment.payload
    opens = call.event != END and not is_wrong
    if call.episode and not opens and not opening.known(moment, call.episode):
        where = ledger.OUTSIDE
    else:
        where = call.episode or ledger.OUTSIDE
    moment.log(
        where,
        events.ProviderEventReceived(
            provider=moment.host.name,
            provider_event=payload.event or call.event,
            source=payload.source or None,
            reason=payload.reason or None,
            trigger=payload.trigger or None,
            agent=payload.agent or None,
            provider_session=call.episode
            if where == ledger.OUTSIDE and call.episode
            else None,
        ),
    )
    if where == ledger.OUTSIDE:
        call.episode = ""


def _wrong_event(call: Call, payload: Payload) -> str:
    if not payload.event or payload.event == call.event:
        return ""
    keys = f" (its keys: {', '.join(payload.keys)})" if payload.keys else ""
    return f"the payload is of {payload.event_name}, nothing done{keys}"


def _refuse(call: Call, reason: str) -> None:
    """Say it and log it; nothing else changes."""
    from afterword.lifecycle import failure

    call.say(reason)
    assert call.store is not None  # a call is refused only behind the store
    failure.note(call.store, call.head, call.host, call.event, call.episode, reason)


def _serve(call: Call, moment: Moment) -> None:
    if call.event == START:
        from afterword.lifecycle import session_start

        if not call.episode:
            call.say("the payload names no session: briefed, no episode opened")
        session_start.run(moment, call.episode, call.reply, _env_file(moment))
    elif not call.episode:
        call.say("the payload names no session that is open here: nothing done")
    elif call.event == END:
        from afterword.lifecycle import session_end

        if not moment.payload.agent:
            session_end.run(moment, call.episode)
    elif _is_late(moment, call.episode):
        call.say(f"episode {call.episode} is closed: logged, nothing reopened")
    else:
        _serve_open(call, moment)


def _serve_open(call: Call, moment: Moment) -> None:
    """Stop and compaction, of an episode that is opened if nothing has opened it yet."""
    if opened.load(moment.store, call.episode) is None:
        opening.open_or_continue(
            moment, call.episode, moment.payload.source, lazily=True
        )
    if call.event == COMPACT:
        from afterword.lifecycle import pre_compact

        pre_compact.run(moment, call.episode)
    else:
        from afterword.lifecycle import stop

        stop.run(moment, call.episode, call.reply)


def _is_late(moment: Moment, episode: str) -> bool:
    """Whether the event comes after the end of an episode that was closed here."""
    if opened.load(moment.store, episode) is not None:
        return False
    path = ledger.path_of(moment.store, episode)
    return ledger.tail_since(path, events.SessionClosed._name) is not None


def _env_file(moment: Moment) -> str:
    """The file through which the host takes exports, for a session's start only."""
    variable = moment.host.env_file_variable
    return os.environ.get(variable, "") if variable else ""
