"""What a briefing says of the snapshot: path and size, what holds, what waits, what conflicts.

Claims are quoted where this machine recorded them or a person promoted them, word for
word; of others, which may come from anybody's branch, only their number is told (DESIGN
12). Promoted records have a section of their own, `sections.verified`. Part of a hook's
path: standard library only.
"""

from afterword.briefing import sections
from afterword.briefing.fence import Section
from afterword.episode import recorded
from afterword.model import TYPE_CHECKING
from afterword.snapshot import overview
from afterword.snapshot.overview import Claim, View
from afterword.store.git.head import Head
from afterword.store.layout import Store
from afterword.store.safe_text import own_words, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

QUOTED, TITLES, MODULES = 5, 3, 6
TITLE = 160
# From how many waiting increments on a briefing asks for a compile (seed: 3 or more).
ASKS_FROM = 3
COMPILE = ".ai/bin/afterword compile"
CONFLICTS = ".ai/bin/afterword conflict list"


def told(store: Store, head: Head, *, keep: bool = True) -> "list[Section]":
    """Up to three sections; none where there is no snapshot and nothing waits."""
    seen = overview.look(store, keep=keep)
    return [
        *_picture(store, head, seen.views),
        *_conflicts(seen.conflicts),
        *_waiting(seen.waiting),
    ]


def _picture(
    store: Store, head: Head, views: "tuple[View, ...]"
) -> "Iterator[Section]":
    if not views:
        return
    claims = [claim for view in views for claim in view.claims]
    items = _claims(store, head, claims)
    yield Section(
        heading=f"Snapshot: {_sizes(views)}",
        items=tuple(items),
        left_out=len(claims) - len(items),
        hint="read the file",
    )


def _sizes(views: "tuple[View, ...]") -> str:
    """`PATH (n lines); modules: order (98 lines), ...`; names come from anybody's branch."""
    own = [f"{view.path} ({_size(view)})" for view in views if not view.target]
    modules = [view for view in views if view.target]
    names = [f"{_name(view.target)} ({_size(view)})" for view in modules[:MODULES]]
    if len(modules) > MODULES:
        names.append(f"{len(modules) - MODULES} more")
    if names:
        own.append(f"modules: {', '.join(names)}")
    return "; ".join(own)


def _name(module: str) -> str:
    """A module's name, unless it spells something: a folder's name comes from anyone's branch."""
    words = [word for word in module.replace("_", "-").split("-") if word]
    is_short = len(module) <= 40 and len(words) <= 3 and module.isascii()
    return plain(module, 40) if is_short else "(a name of another form)"


def _size(view: View) -> str:
    if view.problem:
        return f"not read: {plain(own_words(view.problem), 100)}"
    return f"{view.lines} lines" if view.lines != 1 else "1 line"


def _claims(store: Store, head: Head, claims: "list[Claim]") -> "list[str]":
    """Verified claims on recently changed paths first, then the newest titles."""
    known = recorded.known(store) if claims else frozenset()
    ours = [claim for claim in reversed(claims) if _is_ours(known, claim)]
    if not ours:
        return []
    changed = sections.changed_paths(store, head)
    close = [c for c in ours if c.is_verified and changed.intersection(c.files)]
    rest = [claim for claim in ours if claim not in close[:QUOTED]]
    return [_line(claim) for claim in (*close[:QUOTED], *rest[:TITLES])]


def _is_ours(known: "frozenset[str]", claim: Claim) -> bool:
    return any(recorded.has(known, stem, claim.title) for stem in claim.sources)


def _line(claim: Claim) -> str:
    kind = claim.kind if claim.kind in ("decision", "constraint") else "entry"
    return f"[{kind}] {plain(claim.title, TITLE)}"


def _conflicts(conflicts: "dict[str, str]") -> "Iterator[Section]":
    if conflicts:
        count = len(conflicts)
        what = "1 conflict is" if count == 1 else f"{count} conflicts are"
        yield Section(
            heading=f"{what} open, for a person to decide; both sides stand until then: {CONFLICTS}"
        )


def _waiting(count: int) -> "Iterator[Section]":
    if count:
        what = "1 increment waits" if count == 1 else f"{count} increments wait"
        ask = f"; type: {COMPILE}" if count >= ASKS_FROM else ""
        yield Section(heading=f"{what} for the next compile{ask}")
