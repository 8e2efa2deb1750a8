"""The moment at which a hook or a command acts: where, for which host, until when.

Everything that a step of the lifecycle needs from outside is in here; the steps
read no environment. Part of a hook's path: standard library only.
"""

import os
import time

from afterword.episode import events, ledger
from afterword.host.protocol import Host, Payload
from afterword.model import TYPE_CHECKING, Model
from afterword.store import atomic
from afterword.store.config import Config
from afterword.store.git.head import Head, busy
from afterword.store.layout import Store

if TYPE_CHECKING:
    from collections.abc import Callable


def _quiet(text: str) -> None:
    """Says nothing: for callers that collect no notices."""


class Moment(Model):
    """`deadline` is in `time.monotonic` seconds; `say` takes one line for stderr.

    `in_hook` moments leave waiting and slow libraries to commands.
    """

    store: Store
    config: Config
    host: Host
    head: Head
    deadline: float
    payload: Payload = Payload()
    in_hook: bool = True
    say: "Callable[[str], None]" = _quiet

    @property
    def left(self) -> float:
        """Seconds until the deadline; negative behind it."""
        return self.deadline - time.monotonic()

    def log(self, episode: str, event: events.Event) -> None:
        """Append an event to an episode's ledger, with the head of this moment."""
        ledger.append(self.store, episode, event, self.head)

    @property
    def hands_off(self) -> str:
        """What git is in the middle of, or "": then no tracked file may change."""
        return busy(self.store.place)


def seed_readme(store: Store, key: str) -> None:
    """The README that explains a folder of records, written once, never again."""
    path = os.path.join(store.tracked(key), "README.md")
    if not os.path.lexists(path):
        atomic.write(path, READMES[key].encode())


READMES = {
    "candidates": """# Candidates

What episodes in this repository asserted and no person has stood behind yet. Each
file is one assertion, derived from the ledger of an episode and from git, never
from a conversation.

    .ai/bin/afterword knowledge candidates
    .ai/bin/afterword knowledge promote ID < evidence
    .ai/bin/afterword knowledge reject ID --reason TEXT
""",
    "curated": """# Curated records

What a person promoted: the text below `# Evidence` says why. The next episodes are
briefed from these files. An edit here breaks the record's `promoted` hash, which
`.ai/bin/afterword knowledge check` reports.
""",
}
