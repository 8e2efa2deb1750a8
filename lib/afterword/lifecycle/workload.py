"""How much an end takes on: by the size of the files that a step reads whole, and the clock.

A step cannot be cut short in the middle of a file, and an end that its host kills closes
no episode. Part of a hook's path: standard library only.
"""

from afterword.evolution import overview
from afterword.evolution.overview import MOST_BYTES
from afterword.model import Model
from afterword.store.layout import Store

# Files are read at some six times this rate, archived at three times; an item that is
# evolved writes the whole queue twice.
_BYTES_A_SECOND = 1 << 20


class Work(Model):
    """The files that a step reads whole, what they are called, and its command.

    Asked also where the counts are known: those of a larger file may be, from a command,
    and an archive, which only grows, is never counted.
    """

    keys: "tuple[str, ...]"
    what: str
    command: str

    def size(self, store: Store) -> int:
        """The bytes of its files."""
        return sum(overview.size(store, key) for key in self.keys)


EVOLVE = Work(
    keys=("queue", "knowledge_base"), what="the learning queue", command="evolve"
)
ARCHIVE = Work(
    keys=("queue", "queue_archive"),
    what="the learning queue with its archive",
    command="queue archive",
)
ROLL = Work(
    keys=("reflections", "reflections_archive"),
    what="the reflection log with its archive",
    command="reflect roll",
)


def most_bytes(left: float) -> int:
    """How many bytes of files so many seconds are enough for."""
    return min(MOST_BYTES, int(max(left, 0) * _BYTES_A_SECOND))


def left_to(what: str, most: int, command: str) -> str:
    """That files of more than `most` bytes are left to a command."""
    size = f"larger than {most >> 20} MB"
    why = size if most == MOST_BYTES else "too large for the time that is left"
    return f"{what} is {why}, so it is left to: .ai/bin/afterword {command}"
