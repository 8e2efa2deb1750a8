"""Drawn statements that meet: they join, contradict, end and resolve one another."""

from __future__ import annotations

from hypothesis import strategies as st
from snapshot_facts import fact, replacing

from afterword.snapshot import fold, words
from afterword.snapshot.fact import Fact

# Few words, so that many are the same or nearly so.
TITLES = ("Payment timeout", "payment  Timeout", "Cache of prices", "订单超时时间")
BODIES = ((), ("- 3000ms",), ("- 5 s",), ("- replaces cache of prices.",), ("- 必须",))
DATES = ("", "2031-04-01", "2031-04-01 09:00:00", "2031-04-01 10:00:00", "2031-05-01")
DOMAINS = ((), ("order",), ("payment",), ("order", "payment"))
NAMES = ("Payment timeout", "cache.ttl", "s1", "s2", "nothing")


@st.composite
def facts(draw: st.DrawFn) -> Fact:
    """A statement; many of them are the same fact, of another day or increment."""
    key = draw(st.sampled_from(("", "", "cache.ttl", "payment.timeout")))
    stem = draw(st.sampled_from(("s1", "s2", "s3", "s4", "s5")))
    sources = draw(st.sampled_from(((), ((stem, "h"),), ((stem, "i"),))))
    return Fact(
        kind=draw(st.sampled_from((*sorted(words.CLAIMS), words.GLOSSARY))),
        title=draw(st.sampled_from(TITLES)),
        body=draw(st.sampled_from(BODIES)),
        key=key,
        value=draw(st.sampled_from(("3 s", "3000ms", "5 s"))) if key else "",
        supersedes=draw(st.sampled_from(((), (), *(replacing(n) for n in NAMES)))),
        confidence=draw(st.sampled_from((*words.CONFIDENCES, words.HIGH))),
        status=draw(st.sampled_from((words.UNVERIFIED, words.VERIFIED))),
        author=draw(st.sampled_from(("", "Ines", "Tomas"))),
        recorded=draw(st.sampled_from(DATES)),
        domains=draw(st.sampled_from(DOMAINS)),
        sources=sources,
        ordinal=draw(st.integers(0, 2)),
        withdrawn=draw(st.sampled_from(("", "", "", "2031-04-15"))),
    )


@st.composite
def resolutions(draw: st.DrawFn, known: tuple[Fact, ...]) -> Fact:
    """A decision of a conflict of two of the facts, or of a topic."""
    one, other = draw(st.sampled_from(known)), draw(st.sampled_from(known))
    name = fold.conflict_id(one.id, other.id)
    lost = draw(st.sampled_from(((), replacing(one.id))))
    return fact(
        f"Decision {draw(st.integers(0, 3))}",
        on=draw(st.sampled_from(DATES)),
        resolves=draw(st.sampled_from((name, name, *TITLES))),
        keep=draw(st.sampled_from(words.KEEP)),
        supersedes=lost,
        status=draw(st.sampled_from((words.VERIFIED, words.VERIFIED, "unverified"))),
        withdrawn=draw(st.sampled_from(("", "", "", "2031-06-01"))),
    )


@st.composite
def statements(draw: st.DrawFn) -> list[Fact]:
    known = draw(st.lists(facts(), min_size=1, max_size=12))
    decided = draw(st.lists(resolutions(tuple(known)), max_size=4))
    return [*known, *decided]
