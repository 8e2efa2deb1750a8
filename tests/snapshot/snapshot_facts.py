"""Facts as increments would state them, and what a fold makes of a few of them."""

from __future__ import annotations

from afterword.snapshot import fold, words
from afterword.snapshot.fact import Fact, Supersedes
from afterword.snapshot.folded import Conflict, Entry, Folded, Target

AUTHOR = "Ines"


def fact(title: str, *body: str, on: str = "2031-04-01", **fields: object) -> Fact:
    """A fact of one increment: a decision of high confidence, unless it says otherwise."""
    stem = fields.pop("stem", None) or f"{on[:10]}_{title.lower().replace(' ', '-')}"
    given = {
        "kind": words.DECISION,
        "confidence": words.HIGH,
        "author": AUTHOR,
        "sources": ((stem, "h"),),
        **fields,
    }
    return Fact(title=title, body=body, recorded=on, **given)


def keyed(value: str, on: str = "2031-04-01", **fields: object) -> Fact:
    """A fact with an exact key."""
    title = fields.pop("title", f"Wait {value}")
    return fact(title, on=on, key="payment.timeout", value=value, **fields)


def replacing(*names: str, reason: str = "") -> tuple[Supersedes, ...]:
    return tuple(Supersedes(name, reason) for name in names)


def resolving(
    what: str, keep: str, on: str = "2031-05-01", why: str = "we measured", **more
) -> Fact:
    """A person's decision of a conflict."""
    title = f"Decision of {what} {keep} {on}"
    given = {"status": words.VERIFIED, "resolves": what, "keep": keep, **more}
    return fact(title, f"- reason: {why}", on=on, **given)


def by_domain(one: Fact) -> tuple[str, ...]:
    return one.domains or ("",)


def folded(*facts: Fact) -> Folded:
    """What facts make, each in the modules that it names, else in the snapshot."""
    return fold.fold(facts, by_domain)


def target(*facts: Fact, name: str = "") -> Target:
    return folded(*facts).targets.get(name, Target(name=name))


def entries(*facts: Fact, name: str = "") -> list[list[str]]:
    """The titles of each entry's facts."""
    found = target(*facts, name=name).entries
    return [[one.title for one in entry.facts] for entry in found]


def entry_of(one: Fact, *facts: Fact, name: str = "") -> Entry:
    """The entry that holds a fact."""
    found = target(*facts, name=name).entries
    return next(entry for entry in found if one.id in {f.id for f in entry.facts})


def conflicts(*facts: Fact, name: str = "") -> tuple[Conflict, ...]:
    return target(*facts, name=name).conflicts


def pairs(*facts: Fact, name: str = "") -> list[tuple[str, str]]:
    """What the two sides of each conflict say."""
    return [(one.old.says, one.new.says) for one in conflicts(*facts, name=name)]
