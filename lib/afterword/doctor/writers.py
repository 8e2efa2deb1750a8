"""Writers that have stopped: episodes closed and not derived, records not written, hosts gone silent.

Compares episode ids, never time stamps, and looks at every close, not only at the
newest (spec/episodes 9 and 13). What is too young to judge is said to wait.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from afterword import host as hosts
from afterword.doctor import wiring
from afterword.doctor.scene import Scene, age, some
from afterword.doctor.survey import EpisodeFacts
from afterword.episode import opened
from afterword.errors import AfterwordError
from afterword.finding import ERROR, INFO, WARNING, Finding
from afterword.host.protocol import Payload
from afterword.lifecycle import recovery
from afterword.lifecycle.moment import Moment
from afterword.model import Model
from afterword.store import clock
from afterword.store.git import reflog, safe_head

STALE = "knowledge.stale_after"
SWITCH = "session.knowledge_on_end"


class Aged(Model):
    """An episode with the seconds since it was closed."""

    facts: EpisodeFacts
    seconds: float


def check(scene: Scene) -> Iterator[Finding]:
    """Whether every closed episode was derived, and when that last happened at all."""
    survey = scene.survey
    if survey.last_derived:
        ago = age(scene.now - clock.seconds(survey.last_derived))
        yield Finding(
            severity=INFO,
            code="derived",
            message=f"knowledge was last derived {ago} ago",
        )
    closed = _closed(scene)
    if scene.config[SWITCH] is False:
        message = f"{SWITCH} is false: closed episodes are not judged"
        yield Finding(severity=INFO, code="not-judged", message=message)
    elif not survey.last_derived:
        yield _never(closed)
    else:
        yield from _stopped(scene, closed)
    if survey.outside_underived:
        yield Finding(
            severity=WARNING,
            code="outside-underived",
            message="what was recorded outside any episode was not derived, and no end does it",
            fix="afterword knowledge derive --episode outside",
        )
    yield from _records(scene, closed)
    yield from _failures(scene)


def _closed(scene: Scene) -> list[Aged]:
    """This program's closed episodes, oldest first; a time that cannot be read makes a torn line."""
    found = [
        Aged(facts=facts, seconds=scene.now - clock.seconds(facts.closed))
        for facts in scene.survey.episodes.values()
        if facts.closed and not facts.adopted
    ]
    return sorted(found, key=lambda one: -one.seconds)


def _never(closed: list[Aged]) -> Finding:
    """No derivation ever: a new repository is not judged, but that is said."""
    recorded = [one.facts.episode for one in closed if one.facts.underived]
    if not recorded:
        return Finding(
            severity=INFO,
            code="not-judged",
            message="no derivation has run here yet, so there is no writer to judge",
        )
    return Finding(
        severity=WARNING,
        code="never-derived",
        message=f"no derivation has ever run here, though {some(recorded)} recorded something",
        fix=f"afterword knowledge derive --episode {recorded[0]}",
    )


def _stopped(scene: Scene, closed: list[Aged]) -> Iterator[Finding]:
    limit = scene.config.seconds(STALE)
    missed = [one for one in closed if not one.facts.is_derived or one.facts.underived]
    for one in missed:
        if one.seconds < limit:
            continue
        episode = one.facts.episode
        yield Finding(
            severity=ERROR,
            code="writer-stopped",
            message=f"the knowledge writer has stopped: episode {episode} was closed"
            f" {age(one.seconds)} ago and was not derived",
            fix=f"afterword knowledge derive --episode {episode}",
        )
    waiting = [one.facts.episode for one in missed if one.seconds < limit]
    if waiting:
        yield Finding(
            severity=INFO,
            code="waiting",
            message=f"closed, not derived, and younger than {scene.config[STALE]}: {some(waiting)}",
            fix=f"afterword knowledge derive --episode {waiting[0]}",
        )


def _records(scene: Scene, closed: list[Aged]) -> Iterator[Finding]:
    """The newest closed episode that recorded something has a session record, or its writer stopped."""
    told = [one for one in closed if one.facts.has_recorded]
    missing = [one.facts.episode for one in told if not one.facts.session_path]
    if told and not told[-1].facts.session_path:
        episode = told[-1].facts.episode
        yield Finding(
            severity=ERROR,
            code="record-writer-stopped",
            message=f"episode {episode} recorded something, was closed {age(told[-1].seconds)}"
            " ago, and no session record was written",
            fix="see .ai/local/hook.log and what is said of the disk; the next episode"
            " that leaves a record clears this",
        )
    elif missing:
        message = f"closed without a session record, in earlier days: {some(missing)}"
        yield Finding(severity=INFO, code="record-missing", message=message)
    elsewhere = [
        one.facts.session_path
        for one in told
        if one.facts.session_path
        and not os.path.exists(os.path.join(scene.store.root, one.facts.session_path))
    ]
    if elsewhere:
        yield Finding(
            severity=INFO,
            code="record-elsewhere",
            message=f"written here and not in this tree (on another branch, stashed, or deleted): {some(elsewhere)}",
        )


def _failures(scene: Scene) -> Iterator[Finding]:
    """Events that failed since knowledge was last derived."""
    since = [one for one in scene.survey.failures if one.at > scene.survey.last_derived]
    if since:
        last = max(since, key=lambda one: one.at)
        yield Finding(
            severity=WARNING,
            code="events-failed",
            message=f"{len(since)} event(s) failed since the last derivation, the last one at {last.at}: {last.event}: {last.reason[:200]}",
            fix="see .ai/local/hook.log, and: afterword history --event provider.event.failed",
        )


def check_episodes(scene: Scene) -> Iterator[Finding]:
    """Episodes that nobody closed: stranded ones, and those whose open file is gone."""
    if not scene.is_ours:
        return
    present = {episode.episode for episode in opened.every(scene.store)}
    for stranded in recovery.find(_moment(scene), ""):
        missed = _missed(scene, stranded.ending.last_sign or "")
        yield Finding(
            severity=ERROR if missed else WARNING,
            code="recovery-stopped" if missed else "stranded",
            message=f"episode {stranded.episode} is stranded: {stranded.reason}"
            + (f"; {missed} start(s) since have not closed it" if missed else ""),
            fix="afterword episode recover",
        )
    for facts in scene.survey.episodes.values():
        if (
            facts.started
            and not facts.closed
            and not facts.adopted
            and facts.episode not in present
        ):
            yield Finding(
                severity=ERROR,
                code="lost-episode",
                message=f"episode {facts.episode} was started, never closed, and is not open: no start finds it",
                fix=f"afterword episode close {facts.episode}",
            )
    yield from _unreadable_open(scene, present)


def _moment(scene: Scene) -> Moment:
    return Moment(
        store=scene.store,
        config=scene.config,
        host=hosts.named(""),
        head=safe_head.read(scene.store.place),
        deadline=float("inf"),
        payload=Payload(),
        in_hook=False,
    )


def _missed(scene: Scene, last_sign: str) -> int:
    """How many episodes started long after this one fell silent: each should have closed it."""
    try:
        ripe = clock.seconds(last_sign) + scene.config.seconds("episode.stranded_after")
    except ValueError:
        return 0
    limit = clock.stamp(ripe + scene.config.seconds(STALE))
    return sum(one.started > limit for one in scene.survey.episodes.values())


def _unreadable_open(scene: Scene, present: set[str]) -> Iterator[Finding]:
    folder = scene.store.local_path("open")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for name in names:
        stem = name.removesuffix(".json")
        if name.endswith(".json") and name[0] != "." and stem not in present:
            yield Finding(
                severity=ERROR,
                code="open-unreadable",
                path=scene.shown(os.path.join(folder, name)),
                message="cannot be read as an open episode, so nothing closes it",
                fix=f"delete it, then: afterword episode close {stem}",
            )


def check_calls(scene: Scene) -> Iterator[Finding]:
    """How long ago each wired host last called; silence beside new commits is suspicious."""
    for host in hosts.every():
        last = scene.survey.called.get(host.name, "")
        try:
            is_wired = bool(wiring.wired(scene, host))
        except AfterwordError:
            is_wired = True  # its settings are broken; what it did is still to be told
        if not (last or is_wired):
            continue
        if not last:
            yield Finding(
                severity=WARNING,
                code="never-called",
                message=f"{host.title} is wired and has never called: no event of it is in any ledger",
                fix=host.needs
                or f"start {host.title} here once, then run doctor again",
            )
            continue
        ago = scene.now - clock.seconds(last)
        message = f"{host.title}: the last event was {age(ago)} ago"
        yield Finding(severity=INFO, code="last-event", message=message)
    yield from _silence(scene)


def _silence(scene: Scene) -> Iterator[Finding]:
    """Commits go on and no host calls: an agent that made them was not heard (HAZARDS H52)."""
    last = max(scene.survey.called.values(), default="")
    newest = next(iter(reflog.read(scene.store.place.git_dir)), None)
    if not last or newest is None:
        return
    silent = newest.at - clock.seconds(last)
    if silent > scene.config.seconds(STALE):
        yield Finding(
            severity=WARNING,
            code="host-silent",
            message=f"HEAD moved {age(silent)} after the last event: if an agent works here, its host has stopped calling",
            fix="run doctor in the shell that starts the agent, and see that its hooks are trusted",
        )
