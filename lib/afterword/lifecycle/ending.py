"""What is known of an end before anything is closed. Part of a hook's path."""

from afterword.model import Model

# In `local/`: a file named after each closed episode that could not be derived.
UNFINISHED = "unfinished"


class Ending(Model):
    """Why an episode ends. `last_sign` and `last_head` are given where nobody asked for it."""

    reason: str = ""
    outcome: str = "interrupted"
    last_sign: "str | None" = None
    last_head: "str | None" = None
