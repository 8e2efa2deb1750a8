"""How `afterword` is typed in a repository that is wired: by its own launcher.

Messages everywhere say `afterword VERB`; at the rim, in one place, that becomes what
works in the reader's shell, where no `afterword` may be on PATH.
"""

from __future__ import annotations

import functools
import os
import re
import shlex

from afterword.store import layout

LAUNCHER = ".ai/bin/afterword"


def path(start: str, here: str) -> str:
    """The launcher of the store around `start`, as typed in `here`; "" where there is none.

    Typed in another repository, or in none, it has to name its own.
    """
    store = layout.find(start)
    if store is None:
        return ""
    full = os.path.join(store.root, *LAUNCHER.split("/"))
    if not os.path.isfile(full):
        return ""
    relative = os.path.relpath(full, os.path.realpath(here))
    launcher = shlex.quote(relative if os.path.exists(relative) else full)
    around = layout.find(here)
    if around is not None and around.root == store.root:
        return launcher
    return f"{launcher} --repo {shlex.quote(store.root)}"


@functools.cache
def _called() -> re.Pattern[str]:
    from afterword.cli import table

    verbs = "|".join(map(re.escape, (*table.COMMANDS, "--help")))
    return re.compile(rf"(?<![\w./-])afterword (?=(?:{verbs})(?![\w-]))")


def typed(text: str, launcher: str) -> str:
    """The text with every call of the command spelt by the launcher, if there is one."""
    if not launcher or "afterword " not in text:
        return text
    return _called().sub(lambda _: f"{launcher} ", text)
