"""The briefing: what the next episode is told, bounded, fenced, and saying what it left out.

`compose` puts the sections of `sections`, `snapshot` and `evolution` between the fences of
`fence`. Part of a hook's path: standard library only.
"""

from afterword.briefing import evolution, sections, snapshot
from afterword.briefing.fence import MAX_CHARACTERS, Section, fenced
from afterword.errors import AfterwordError
from afterword.model import TYPE_CHECKING
from afterword.store.config import Config
from afterword.store.git.head import Head
from afterword.store.layout import Store
from afterword.store.safe_text import own_words, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Made = Section | None | list[Section]


def compose(
    store: Store,
    config: Config,
    head: Head,
    episode: str,
    *,
    recalling: bool = False,
    changed_shims: "Sequence[str]" = (),
) -> str:
    """The briefing of an episode; `recalling` after a resume or a compaction.

    `changed_shims` are hook files of the project that afterword did not write. At most
    `briefing.max_lines` lines and `briefing.max_characters` characters.
    """
    makers: list[tuple[str, Callable[[], Made]]] = [
        ("what the last end did", lambda: sections.where(store, head, episode)),
        ("the hook files", lambda: sections.changed(changed_shims)),
        ("the active task", lambda: sections.work(store)),
        ("the open questions", lambda: sections.questions(store)),
        ("the candidates", lambda: sections.waiting(store, head)),
        ("the verified knowledge", lambda: sections.verified(store, head)),
        ("the snapshot", lambda: snapshot.told(store, head)),
        ("the learning queue", lambda: evolution.waiting(store)),
    ]
    if recalling and episode:
        decided = ("what was decided", lambda: sections.decided(store, episode))
        makers.insert(2, decided)
    return fenced(
        [section for name, make in makers for section in _guarded(name, make)],
        max_lines=config["briefing.max_lines"],
        max_characters=min(config["briefing.max_characters"], MAX_CHARACTERS),
    )


def _guarded(name: str, make: "Callable[[], Made]") -> "list[Section]":
    """Sections, or in their place that they could not be made: damage costs one of them."""
    try:
        made = make()
    except Exception as error:
        said = error.message if isinstance(error, AfterwordError) else str(error)
        reason = plain(own_words(said) or type(error).__name__, 120)
        return [Section(heading=f"({name} could not be read: {reason})")]
    if made is None:
        return []
    return made if isinstance(made, list) else [made]
