"""Where the session records lie. Apart from the record itself, which loads the search
for secrets. Part of a hook's path: standard library only.
"""

import os

from afterword.store.layout import Store


def find(store: Store, episode: str) -> "str | None":
    """The path of an episode's record, whichever month it lies in."""
    folder = store.tracked("sessions")
    try:
        names = sorted(os.listdir(folder), reverse=True)
    except (FileNotFoundError, NotADirectoryError):
        return None
    for name in names:
        if f"--{episode}--" in name:  # a record of an adopted majordomus tree
            return os.path.join(folder, name)
        path = os.path.join(folder, name, f"{episode}.md")
        if os.path.isfile(path):
            return path
    return None
