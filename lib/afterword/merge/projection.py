"""The body of a session record as the program projects it: read, united, written again.

Only a body that holds nothing else is taken apart; one that a person wrote in is not.
Pure; imports `episode.session_record` (its wording) and `merge`'s parts.
"""

from __future__ import annotations

from afterword.episode.session_record import SECTIONS
from afterword.merge import order
from afterword.merge.laws import unfinished
from afterword.model import TYPE_CHECKING, Model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_STARTED, _OPEN = ": active", ": open"


class Projection(Model):
    """A body's heading, its first sentence, and the items of each of `SECTIONS`."""

    heading: str
    sentence: str
    sections: tuple[tuple[str, ...], ...]

    @property
    def text(self) -> str:
        """The body's bytes as the session record writes them."""
        parts = [f"# {self.heading}", self.sentence]
        for (heading, absent), items in zip(SECTIONS, self.sections, strict=True):
            said = "\n".join(f"- {item}" for item in items)
            parts += [f"## {heading}", said or absent]
        return "\n" + "\n\n".join(parts) + "\n"


def read(body: str) -> Projection | None:
    """The parts of a body; None when anything in it is not the program's."""
    parts = unfinished(body).strip("\n").split("\n\n")
    if len(parts) != 2 + 2 * len(SECTIONS) or not parts[0].startswith("# "):
        return None
    found = Projection(
        heading=parts[0][2:],
        sentence=parts[1],
        sections=tuple(_items(text) for text in parts[3::2]),
    )
    same = unfinished(found.text) == unfinished(body)
    return found if same and parts[1].startswith("It was ") else None


def _items(text: str) -> tuple[str, ...]:
    return tuple(line[2:] for line in text.split("\n") if line.startswith("- "))


def unite(
    ours: Projection,
    theirs: Projection,
    heading: str,
    sentence: str,
    questions: Sequence[str],
) -> Projection:
    """All items of both; a question still open, a task still active yields to its end."""
    owners = (_itself, _asker(questions), _task)
    pairs = zip(ours.sections, theirs.sections, owners, strict=True)
    sections = tuple(tuple(_united(a, b, owner)) for a, b, owner in pairs)
    return Projection(heading=heading, sentence=sentence, sections=sections)


def holds(projection: Projection, body: str) -> bool:
    """Whether every item of a projection stands in a body that a person wrote in."""
    there = set(unfinished(body).split("\n"))
    told = [f"- {item}" for section in projection.sections for item in section]
    return there.issuperset(told)


def _united(
    ours: Sequence[str], theirs: Sequence[str], owner: Callable[[str], str]
) -> list[str]:
    ended = {owner(item) for item in (*ours, *theirs) if not _waits(item)}

    def stays(item: str) -> bool:
        return not _waits(item) or owner(item) not in ended

    return order.containing(
        [item for item in ours if stays(item)],
        [item for item in theirs if stays(item)],
    )


def _waits(item: str) -> bool:
    return item.endswith((_OPEN, _STARTED))


def _itself(item: str) -> str:
    return item


def _task(item: str) -> str:
    """An item of the tasks begins with the task's id."""
    return item.partition(": ")[0]


def _asker(questions: Sequence[str]) -> Callable[[str], str]:
    """Which question an item belongs to: the longest one that it begins with."""

    def owner(item: str) -> str:
        found = [text for text in questions if item.startswith(f"{text}: ")]
        return max(found, key=len, default=item)

    return owner
